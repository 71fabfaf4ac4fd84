package oauth

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"jackfield/backend/egress"
	"jackfield/backend/oauth/oauthtest"
	"jackfield/backend/store"
)

// bareStore keeps nothing but one grant and the issuers where something is registered.
type bareStore struct {
	Store
	grant      *store.Grant
	registered map[string]bool
}

func (s bareStore) Grant(context.Context, string) (store.Grant, error) {
	if s.grant == nil {
		return store.Grant{}, store.ErrNotFound
	}
	return *s.grant, nil
}

func (s bareStore) Registrations(_ context.Context, issuer, _ string) ([]store.Registration, error) {
	if s.registered[issuer] {
		return []store.Registration{{Issuer: issuer}}, nil
	}
	return nil, nil
}

// exchangeLog is what a fetcher recorded. It is read when the fetcher is done.
type exchangeLog struct{ exchanges []store.HTTPExchange }

func fetcherFor(t *testing.T, kept Store, server store.Server, roots func(egress.Policy) http.RoundTripper) (*fetcher, *exchangeLog) {
	t.Helper()
	c := &Client{options: Options{Store: kept, ClientName: "Jackfield", Version: "1.2.3", Roots: roots}}
	l := &exchangeLog{}
	f, end, err := c.fetcher(t.Context(), server, func(e store.HTTPExchange) { l.exchanges = append(l.exchanges, e) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(end)
	return f, l
}

// discovered runs discovery against a fake.
func discovered(t *testing.T, f *oauthtest.Fake, change ...func(*store.Server)) (authority, error) {
	t.Helper()
	server := store.Server{ID: "s", Transport: store.TransportStreamableHTTP, URL: f.MCP}
	for _, c := range change {
		c(&server)
	}
	fetch, _ := fetcherFor(t, bareStore{}, server, nil)
	return fetch.discover(t.Context(), server, challenge{})
}

const loopbackURI = "http://127.0.0.1:49152/callback"

// completed goes the whole way to tokens, as the flow does, and returns what it used.
func completed(t *testing.T, fake *oauthtest.Fake, f *fetcher, server store.Server, key store.Secret) (tokens, store.Registration, authority, error) {
	t.Helper()
	a, err := f.discover(t.Context(), server, challenge{})
	if err != nil {
		t.Fatal(err)
	}
	client, err := f.register(t.Context(), a, server, "", store.RedirectLoopback, loopbackURI)
	if err != nil {
		t.Fatal(err)
	}
	verifier := "a-verifier-of-at-least-forty-three-characters-1234"
	q := url.Values{
		"response_type": {"code"}, "client_id": {client.ClientID}, "redirect_uri": {loopbackURI}, "state": {"state-1234"}, "resource": {a.Resource},
		"code_challenge": {oauthtest.Challenge(verifier)}, "code_challenge_method": {"S256"}, "scope": {"read offline_access"},
	}
	code := authorizationCode(t, a.AuthorizationEndpoint+"?"+q.Encode())
	got, err := f.token(t.Context(), a.TokenEndpoint, client, key, url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "code_verifier": {verifier}, "redirect_uri": {loopbackURI}, "resource": {a.Resource},
	})
	return got, client, a, err
}

func authorizationCode(t *testing.T, address string) string {
	t.Helper()
	client := &http.Client{Timeout: 5 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	back, err := url.Parse(response.Header.Get("Location"))
	if err != nil || back.Query().Get("code") == "" {
		t.Fatalf("no code came back: %s, %v", response.Status, back)
	}
	return back.Query().Get("code")
}

func TestSignInFromDiscoveryToRevocation(t *testing.T) {
	fake := oauthtest.New(t)
	server := store.Server{ID: "s", Transport: store.TransportStreamableHTTP, URL: fake.MCP}
	f, _ := fetcherFor(t, bareStore{}, server, nil)
	got, client, a, err := completed(t, fake, f, server, store.Secret{})
	if err != nil {
		t.Fatal(err)
	}
	if a.Issuer != fake.Issuer() || a.Resource != fake.MCP || !a.IssParameter || a.Legacy || a.OpenID {
		t.Errorf("%+v", a)
	}
	if !fake.Live(got.Access.Reveal()) || !fake.Live(got.Refresh.Reveal()) || time.Until(got.ExpiresAt).Round(time.Minute) != time.Hour {
		t.Errorf("tokens that do not live, or until %s", got.ExpiresAt)
	}
	if err := f.revoke(t.Context(), a.RevocationEndpoint, client, store.Secret{}, got.Refresh, "refresh_token"); err != nil {
		t.Fatal(err)
	}
	if fake.Live(got.Access.Reveal()) || fake.Live(got.Refresh.Reveal()) {
		t.Error("the tokens live on after revoking")
	}
}

// world answers for hosts that are not there, so that a test can speak of the internet: no request leaves this process.
type world struct {
	hosts map[string]http.Handler
	asked []string
}

func (w *world) RoundTrip(r *http.Request) (*http.Response, error) {
	w.asked = append(w.asked, r.Method+" "+r.URL.String())
	handler := w.hosts[r.URL.Host]
	if handler == nil {
		return nil, errors.New("no such host")
	}
	if r.Body == nil {
		r.Body = http.NoBody
	}
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, r)
	return answer.Result(), nil
}

func (w *world) roots(egress.Policy) http.RoundTripper { return w }

// publicServer is on the internet: its address is a literal, so that no name is looked up.
const publicServer = "https://8.8.8.8/mcp"

// jsonAt serves one document at each path, and 404 elsewhere.
func jsonAt(documents map[string]any) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		document, ok := documents[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(document)
	})
}

// goodMetadata of an issuer, with some members replaced; nil removes one.
func goodMetadata(issuer string, change map[string]any) map[string]any {
	document := map[string]any{
		"issuer": issuer, "authorization_endpoint": issuer + "/authorize", "token_endpoint": issuer + "/token",
		"code_challenge_methods_supported": []string{"S256"},
	}
	for name, value := range change {
		document[name] = value
		if value == nil {
			delete(document, name)
		}
	}
	return document
}

// decoded reads one part of a JWT.
func decoded(t *testing.T, part string) map[string]any {
	t.Helper()
	raw, err := base64.RawURLEncoding.DecodeString(part)
	if err != nil {
		t.Fatal(err)
	}
	var claims map[string]any
	if err := json.Unmarshal(raw, &claims); err != nil {
		t.Fatal(err)
	}
	return claims
}

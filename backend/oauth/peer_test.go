package oauth

import (
	"context"
	"net/http"
	"net/url"
	"testing"
	"time"

	"jackfield/backend/egress"
	"jackfield/backend/oauth/oauthtest"
	"jackfield/backend/store"
)

// noStore keeps nothing but one grant and the issuers where something is registered.
type noStore struct {
	Store
	grant      *store.Grant
	registered map[string]bool
}

func (s noStore) Grant(context.Context, string) (store.Grant, error) {
	if s.grant == nil {
		return store.Grant{}, store.ErrNotFound
	}
	return *s.grant, nil
}

func (s noStore) Registrations(_ context.Context, issuer, _ string) ([]store.Registration, error) {
	if s.registered[issuer] {
		return []store.Registration{{Issuer: issuer}}, nil
	}
	return nil, nil
}

// log is what a fetcher recorded. It is read when the fetcher is done.
type log struct{ exchanges []store.HTTPExchange }

func fetcherFor(t *testing.T, kept Store, server store.Server, roots func(egress.Policy) http.RoundTripper) (*fetcher, *log) {
	t.Helper()
	c := &Client{options: Options{Store: kept, ClientName: "Jackfield", Version: "1.2.3", Roots: roots}}
	l := &log{}
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
	fetch, _ := fetcherFor(t, noStore{}, server, nil)
	return fetch.discover(t.Context(), server, challenge{})
}

const loopbackURI = "http://127.0.0.1:49152/callback"

// signedIn goes the whole way to tokens, as the flow does, and returns what it used.
func signedIn(t *testing.T, fake *oauthtest.Fake, f *fetcher, server store.Server, key store.Secret) (tokens, store.Registration, authority, error) {
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
	f, _ := fetcherFor(t, noStore{}, server, nil)
	got, client, a, err := signedIn(t, fake, f, server, store.Secret{})
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

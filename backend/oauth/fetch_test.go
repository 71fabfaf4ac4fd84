package oauth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"jackfield/backend/egress"
	"jackfield/backend/oauth/oauthtest"
	"jackfield/backend/store"
)

// What a server on the internet may make this program request: nothing of this machine, of the local network, or of what clouds serve.
func inside() []string {
	return []string{
		"http://127.0.0.1:8080/x", "https://127.0.0.1/x", "http://localhost/x", "https://localhost:8443/x", "https://LOCALHOST./x",
		"https://a.localhost/x", "http://[::1]/x",
		"https://10.0.0.1/x", "https://172.16.0.1/x", "https://192.168.1.1/x", "https://[fd00::1]/x", "https://100.64.0.1/x",
		"https://169.254.169.254/latest/meta-data",
		"https://metadata.google.internal/x", "https://metadata.google.internal./x", "https://metadata.goog/x", "https://0.0.0.0/x", "https://[::]/x",
		"https://[::ffff:127.0.0.1]/x",
		"https://[::ffff:7f00:1]/x", "https://[64:ff9b::7f00:1]/x", "https://[2002:7f00:1::1]/x", "https://[fe80::1]/x", "https://224.0.0.1/x",
		"http://example.com/x",
		"ftp://example.com/x", "file:///etc/passwd", "https://user@example.com/x",
	}
}

func TestServerOnTheInternetLeadsNowhereInside(t *testing.T) {
	for _, trust := range []bool{false, true} {
		server := store.Server{ID: "s", URL: publicServer, TrustLocalNetwork: trust}
		for _, target := range inside() {
			for place, hosts := range map[string]map[string]http.Handler{
				"authorization server": {"8.8.8.8": jsonAt(map[string]any{prmPath: map[string]any{
					"resource":              publicServer,
					"authorization_servers": []string{target},
				}})},
				"redirect of the resource metadata": {"8.8.8.8": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Location", target)
					w.WriteHeader(http.StatusFound)
				})},
			} {
				w := &world{hosts: hosts}
				f, l := fetcherFor(t, bareStore{}, server, w.roots)
				if _, err := f.discover(t.Context(), server, challenge{Status: 401, ResourceMetadata: target}); err == nil {
					t.Errorf("%s %s, trust %v: discovered", place, target, trust)
				}
				for _, asked := range w.asked {
					if !strings.HasPrefix(asked, "GET https://8.8.8.8/") {
						t.Errorf("%s %s, trust %v: %s", place, target, trust, asked)
					}
				}
				if !strings.Contains(fmt.Sprint(l.exchanges), "GET") || l.exchanges[0].Error == "" {
					t.Errorf("%s %s: the refusal is not on record", place, target)
				}
			}
			for _, endpoint := range []string{"authorization_endpoint", "token_endpoint", "registration_endpoint"} {
				w := &world{hosts: map[string]http.Handler{
					"8.8.8.8":    jsonAt(map[string]any{prmPath: map[string]any{"resource": publicServer, "authorization_servers": []string{"https://as.example"}}}),
					"as.example": jsonAt(map[string]any{oauthRoot: goodMetadata("https://as.example", map[string]any{endpoint: target})}),
				}}
				f, _ := fetcherFor(t, bareStore{}, server, w.roots)
				if a, err := f.discover(t.Context(), server, challenge{Status: 401}); err == nil {
					t.Errorf("%s %s, trust %v: %+v", endpoint, target, trust, a)
				}
			}
		}
	}
}

// A server of this machine may name another of it, and one of the internet; the dialer has the same limit as the check of the URL.
func TestClassOfTheServerIsTheLimit(t *testing.T) {
	for address, want := range map[string]egress.Class{
		"http://127.0.0.1:1/mcp": egress.Loopback, "http://localhost:1/mcp": egress.Loopback, "https://192.168.1.1/mcp": egress.Private,
		publicServer:              egress.Public,
		"https://169.254.1.1/mcp": egress.Public,
	} {
		f, _ := fetcherFor(t, bareStore{}, store.Server{URL: address}, func(p egress.Policy) http.RoundTripper {
			if p.Most != want {
				t.Errorf("%s: the transport has the limit %d, want %d", address, p.Most, want)
			}
			return http.DefaultTransport
		})
		if f.policy.Most != want {
			t.Errorf("%s: %d, want %d", address, f.policy.Most, want)
		}
	}
	// Without Roots the real dialer stands below: a name that leads to this machine is refused though its URL is fine.
	f, _ := fetcherFor(t, bareStore{}, store.Server{URL: publicServer}, nil)
	f.policy.Most = egress.Unknown
	listener := httptest.NewServer(http.NotFoundHandler())
	defer listener.Close()
	_, err := f.get(t.Context(), listener.URL)
	if refused := new(egress.RefusedURL); !errors.As(err, &refused) {
		t.Errorf("the dialer let it through: %v", err)
	}
}

func redirecting(status int, to func(*http.Request) string) *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", to(r))
		w.WriteHeader(status)
	}))
}

func TestRedirectsAreFewAndKeepTheirSecrets(t *testing.T) {
	local := store.Server{URL: "http://127.0.0.1/mcp"}
	var hops atomic.Int32
	loop := redirecting(302, func(*http.Request) string { hops.Add(1); return "/again" })
	defer loop.Close()
	f, l := fetcherFor(t, bareStore{}, local, nil)
	if _, err := f.get(t.Context(), loop.URL); err == nil || hops.Load() != maxRedirects+1 || len(l.exchanges) != maxRedirects+1 {
		t.Errorf("%d hops, %d on record, %v", hops.Load(), len(l.exchanges), err)
	}
	var stolen atomic.Int32
	thief := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { stolen.Add(1) }))
	defer thief.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		s := redirecting(status, func(*http.Request) string { return thief.URL })
		_, err := f.token(t.Context(), s.URL, store.Registration{ClientID: "c"}, store.Secret{}, url.Values{"code": {"secret-code"}})
		if err == nil || strings.Contains(err.Error(), "secret-code") || stolen.Load() != 0 {
			t.Errorf("%d: a code went on to another server: %v", status, err)
		}
		s.Close()
	}
	w := &world{hosts: map[string]http.Handler{"as.example": http.RedirectHandler("http://127.0.0.1/x", http.StatusFound)}}
	f, _ = fetcherFor(t, bareStore{}, local, w.roots)
	if _, err := f.get(t.Context(), "https://as.example/x"); err == nil || len(w.asked) != 1 {
		t.Errorf("from https to http: %v, %v", w.asked, err)
	}
}

func TestAnswersAreBounded(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/large" {
			_, _ = io.WriteString(w, `{"a":"`+strings.Repeat("x", maxBody)+`"}`)
			return
		}
		w.WriteHeader(200)
		w.(http.Flusher).Flush()
		<-r.Context().Done() // a stream without end
	}))
	defer s.Close()
	defer s.CloseClientConnections()
	server := store.Server{URL: s.URL}
	f, l := fetcherFor(t, bareStore{}, server, nil)
	if _, err := f.get(t.Context(), s.URL+"/large"); err == nil || !strings.Contains(err.Error(), "1 MiB") || len(l.exchanges[0].Received) > maxShow+8 {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := f.get(ctx, s.URL+"/endless"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	// A server that needs no sign-in answers the probe with such a stream; it is left at once.
	started := time.Now()
	address, _ := url.Parse(s.URL + "/mcp")
	if ch, err := f.probe(t.Context(), server, address); err != nil || ch.Status != 0 || time.Since(started) > 5*time.Second {
		t.Errorf("%+v after %s, %v", ch, time.Since(started), err)
	}
}

// The record is shown in the window and stored: nothing of it is a secret, not even what an error page repeats.
func TestRecordIsMasked(t *testing.T) {
	fake := oauthtest.New(t)
	server := store.Server{ID: "s", URL: strings.Replace(fake.MCP, "http://", "http://me:PLANTED-password@", 1) + "?api_key=PLANTED-key"}
	f, l := fetcherFor(t, bareStore{}, server, nil)
	got, _, _, err := completed(t, fake, f, server, store.Secret{})
	if err != nil {
		t.Fatal(err)
	}
	shown := fmt.Sprintf("%+v", l.exchanges)
	code := fake.TokenRequests("")[0].Form
	for _, secret := range []string{"PLANTED", got.Access.Reveal(), got.Refresh.Reveal(), code.Get("code"), code.Get("code_verifier")} {
		if strings.Contains(shown, secret) {
			t.Errorf("the record shows %q: %s", secret, shown)
		}
	}
	for _, wanted := range []string{"authorization_code", "client_name", "S256", "expires_in", fake.MCP, `"issuer"`} {
		if !strings.Contains(shown, wanted) {
			t.Errorf("%q was hidden, too: %s", wanted, shown)
		}
	}
	echo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.WriteHeader(500)
		_, _ = fmt.Fprintf(w, "<pre>%s\n%s</pre>", r.Header.Get("Authorization"), body)
	}))
	defer echo.Close()
	f, l = fetcherFor(t, bareStore{}, server, nil)
	client := store.Registration{ClientID: "c", ClientSecret: newSecret("PLANTED secret"), AuthMethod: "client_secret_basic"}
	_, err = f.token(t.Context(), echo.URL, client, store.Secret{}, url.Values{"refresh_token": {"PLANTED-refresh"}, "grant_type": {"refresh_token"}})
	basic := echoed(client)
	if shown := fmt.Sprintf("%+v %v", l.exchanges, err); strings.Contains(shown, "PLANTED") || strings.Contains(shown, basic) ||
		!strings.Contains(shown, "500") {
		t.Errorf("%s", shown)
	}
}

func echoed(client store.Registration) string {
	header := http.Header{}
	if _, err := authenticate(client, store.Secret{}, url.Values{}, header); err != nil {
		return ""
	}
	return strings.TrimPrefix(header.Get("Authorization"), "Basic ")
}

func TestMaskBody(t *testing.T) {
	for name, test := range map[string]struct {
		kind, body string
		want       string
	}{
		"form": {
			"application/x-www-form-urlencoded", "grant_type=x&code=a%20b&%63ode=c&scope=s&refresh_token=r&x",
			"grant_type=x&code=***&%63ode=***&scope=s&refresh_token=***&x",
		},
		"JSON": {
			"application/json",
			`{"access_token":"a","token_type":"Bearer","scope":"s","n":{"client_secret":"b"},"l":[{"id_token":"c"}]}`,
			`{"access_token":"***","l":[{"id_token":"***"}],"n":{"client_secret":"***"},"scope":"s","token_type":"Bearer"}`,
		},
		"registration": {
			"application/json", `{"registration_access_token":"a","client_id":"<b>"}`,
			`{"client_id":"<b>","registration_access_token":"***"}`,
		},
		"other spellings": {
			"application/json", `{"accessToken":"a","clientSecret":"b","refresh-token":"c","secret":"d","token_type":"e","tokens_supported":"f"}`,
			`{"accessToken":"***","clientSecret":"***","refresh-token":"***","secret":"***","token_type":"e","tokens_supported":"f"}`,
		},
		"known, in JSON":   {"application/json", `{"error":"your KNOWN \"SECRET\""}`, `{"error":"your ***"}`},
		"a number of code": {"application/json", `{"code":400,"error":"x"}`, `{"code":400,"error":"x"}`},
		"a code":           {"application/json", `{"code":"abc"}`, `{"code":"***"}`},
		"endpoints":        {"application/json", `{"token_endpoint":"https://a.example/token"}`, `{"token_endpoint":"https://a.example/token"}`},
		"broken JSON":      {"application/json", `{"access_token":"abcdef","x`, `{"access_token":"***","x`},
		"form by surprise": {"text/plain", "access_token=abcdef&token_type=bearer", "access_token=***&token_type=bearer"},
		"known":            {"text/html", "your KNOWN SECRET, or KNOWN+SECRET", "your ***, or ***"},
		"no UTF-8":         {"text/html", "a\xffb", "a\uFFFDb"},
	} {
		if got := maskBody(test.kind, []byte(test.body), []string{"KNOWN SECRET", `KNOWN "SECRET"`, "x"}); got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
	if got := maskBody("text/html", []byte(strings.Repeat("ä", maxShow)), nil); len(got) > maxShow+len("…") || !strings.HasSuffix(got, "ä…") {
		t.Errorf("%d bytes", len(got))
	}
}

func TestUnreachableServerDoesNotShowItsURL(t *testing.T) {
	w := &world{}
	f, _ := fetcherFor(t, bareStore{}, store.Server{URL: publicServer}, w.roots)
	_, err := f.get(t.Context(), "https://gone.example/x?token=PLANTED")
	if err == nil || strings.Contains(err.Error(), "PLANTED") || !strings.Contains(err.Error(), "gone.example") {
		t.Errorf("%v", err)
	}
}

// What an authorization server is sent may come back in its sentence about it, or in the address that it redirects to. Neither is shown: not
// in the error, which becomes the message of a failed sign-in, and not in the record.
func TestSecretsThatComeBackAreNotShown(t *testing.T) {
	secrets := []string{"PLANTED/refresh", "PLANTED secret"}
	for name, answer := range map[string]func(w http.ResponseWriter){
		"sentence": func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = fmt.Fprintf(w, `{"error":"PLANTED secret","error_description":"the token PLANTED/refresh is over"}`)
		},
		"redirect": func(w http.ResponseWriter) {
			w.Header().Set("Location", "https://elsewhere.example/x?refresh_token=PLANTED%2Frefresh")
			w.WriteHeader(http.StatusTemporaryRedirect)
		},
		"redirect, by another name": func(w http.ResponseWriter) {
			w.Header().Set("Location", "http://elsewhere.example/PLANTED%20secret?it=PLANTED%2Frefresh")
			w.WriteHeader(http.StatusTemporaryRedirect)
		},
		"redirect to where nobody may go": func(w http.ResponseWriter) {
			w.Header().Set("Location", "https://169.254.169.254/?code=PLANTED")
			w.WriteHeader(http.StatusTemporaryRedirect)
		},
		"redirect with a fragment": func(w http.ResponseWriter) {
			w.Header().Set("Location", "ftp://elsewhere.example/#access_token=PLANTED")
			w.WriteHeader(http.StatusTemporaryRedirect)
		},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { answer(w) }))
		f, l := fetcherFor(t, bareStore{}, store.Server{ID: "s", URL: server.URL}, nil)
		client := store.Registration{ClientID: "c", ClientSecret: newSecret(secrets[1]), AuthMethod: authPost}
		form := url.Values{"refresh_token": {secrets[0]}, "grant_type": {"refresh_token"}}
		_, err := f.token(t.Context(), server.URL, client, store.Secret{}, form)
		said := ""
		if refused := new(endpointError); errors.As(err, &refused) {
			said = refused.Description
		}
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		if shown := fmt.Sprintf("%v %s %+v %+v", err, said, describe(err), l.exchanges); strings.Contains(shown, "PLANTED") {
			t.Errorf("%s: %s", name, shown)
		}
		server.Close()
	}
}

package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/oauth2"
)

// keys is an Auth of tests.
type keys struct {
	mu        sync.Mutex
	token     string
	failing   error                // of TokenSource
	authorize func(k *keys) error  // with the lock held
	asked     []string             // the Authorization headers of the refused requests
	bodies    []string             // of the refusals
	each      func(k *keys) string // the token of each request, if not nil
}

func (k *keys) TokenSource(context.Context) (oauth2.TokenSource, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.each != nil {
		k.token = k.each(k)
	}
	if k.failing != nil || k.token == "" {
		return nil, k.failing
	}
	return oauth2.StaticTokenSource(&oauth2.Token{AccessToken: k.token}), nil
}

func (k *keys) Authorize(_ context.Context, request *http.Request, response *http.Response) error {
	raw, err := io.ReadAll(response.Body)
	if err = errors.Join(err, response.Body.Close()); err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.asked = append(k.asked, request.Header.Get("Authorization"))
	k.bodies = append(k.bodies, string(raw))
	return k.authorize(k)
}

func (k *keys) times() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.asked)
}

func (k *keys) set(change func(k *keys)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	change(k)
}

var errSignIn = errors.New("sign in first")

func refuses(*keys) error { return errSignIn }

func becomes(token string) func(*keys) error {
	return func(k *keys) error { k.token = token; return nil }
}

// signedIn connects with an Auth. transport is how.
func signedIn(t *testing.T, endpoint Endpoint, transport func(*Wire, Endpoint) sdk.Transport) (*plug, error) {
	t.Helper()
	p := &plug{journal: &journal{}, ctx: withTimeout(t)}
	p.wire = New(Config{Observer: p.journal.observer()})
	t.Cleanup(func() {
		if err := p.wire.Close(); err != nil {
			t.Error(err)
		}
	})
	var options *sdk.ClientSessionOptions
	link := transport(p.wire, endpoint)
	if _, sse := link.(*sdk.SSEClientTransport); sse {
		options = &sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"}
	}
	session, err := client().Connect(p.ctx, link, options)
	if err != nil {
		return p, err
	}
	p.ClientSession = session
	t.Cleanup(func() { _ = session.Close() })
	return p, nil
}

// guard lets only a token through; what it is asked is noted.
type guard struct {
	mu      sync.Mutex
	good    string // "" for any
	methods []string
	headers []http.Header
}

func (g *guard) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.mu.Lock()
		g.methods = append(g.methods, r.Method)
		g.headers = append(g.headers, r.Header.Clone())
		good := g.good
		g.mu.Unlock()
		if good != "" && r.Header.Get("Authorization") != "Bearer "+good {
			w.Header().Set("WWW-Authenticate", `Bearer error="invalid_token"`)
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (g *guard) require(token string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.good = token
}

func (g *guard) count() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.methods)
}

// guarded serves a server of go-sdk behind a guard.
func guarded(t *testing.T, g *guard, sse bool) string {
	t.Helper()
	server := func(*http.Request) *sdk.Server { return digitServer() }
	var h http.Handler = sdk.NewStreamableHTTPHandler(server, nil)
	if sse {
		h = sdk.NewSSEHandler(server, nil)
	}
	s := httptest.NewServer(g.wrap(h))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL
}

func transports() map[string]func(*Wire, Endpoint) sdk.Transport {
	return map[string]func(*Wire, Endpoint) sdk.Transport{"Streamable HTTP": (*Wire).StreamableHTTP, "HTTP+SSE": (*Wire).SSE}
}

func TestEveryRequestCarriesTheTokenOfNow(t *testing.T) {
	for name, transport := range transports() {
		t.Run(name, func(t *testing.T) {
			g := &guard{}
			n := 0
			k := &keys{authorize: refuses, each: func(*keys) string { n++; return fmt.Sprint("t", n) }}
			manual := http.Header{"Authorization": {"Bearer manual"}, "X-Tenant": {"blue"}}
			p, err := signedIn(t, Endpoint{URL: guarded(t, g, name == "HTTP+SSE"), Headers: manual, Auth: k}, transport)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := p.call("echo"); err != nil {
				t.Fatal(err)
			}
			if err := p.Close(); err != nil {
				t.Log(err) // some servers know no DELETE
			}
			g.mu.Lock()
			defer g.mu.Unlock()
			seen := map[string]bool{}
			for i, header := range g.headers {
				token := header.Get("Authorization")
				if !strings.HasPrefix(token, "Bearer t") || seen[token] || len(header.Values("Authorization")) != 1 || header.Get("X-Tenant") != "blue" {
					t.Errorf("%s carried %q, X-Tenant %q", g.methods[i], header.Values("Authorization"), header.Get("X-Tenant"))
				}
				seen[token] = true
			}
			if !slices.Contains(g.methods, http.MethodPost) || name == "HTTP+SSE" && !slices.Contains(g.methods, http.MethodGet) {
				t.Errorf("something is missing in %v", g.methods)
			}
		})
	}
}

func TestTheStreamAndTheEndOfASessionCarryTheToken(t *testing.T) {
	f := newFakeHTTP(t, false)
	f.on(http.MethodGet, f.hang(true))
	p, err := signedIn(t, Endpoint{URL: f.URL, Auth: &keys{token: "t", authorize: refuses}}, (*Wire).StreamableHTTP)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"server/discover", "initialize", "notifications/initialized", http.MethodGet, http.MethodDelete} {
		seen := f.requests(key)
		if len(seen) == 0 {
			t.Errorf("there was no %s", key)
		}
		for _, r := range seen {
			if r.header.Get("Authorization") != "Bearer t" {
				t.Errorf("%s carried %q", key, r.header.Get("Authorization"))
			}
		}
	}
}

func TestARefusedTokenIsRenewedAndTheRequestRepeatedOnce(t *testing.T) {
	for name, transport := range transports() {
		t.Run(name, func(t *testing.T) {
			g := &guard{good: "one"}
			k := &keys{token: "one", authorize: becomes("two")}
			p, err := signedIn(t, Endpoint{URL: guarded(t, g, name == "HTTP+SSE"), Auth: k}, transport)
			if err != nil {
				t.Fatal(err)
			}
			g.require("two")
			call, err := p.call("echo")
			if err != nil || call.Result() == nil {
				t.Fatalf("the call after the renewal: %v", err)
			}
			if k.times() != 1 || k.asked[0] != "Bearer one" || k.bodies[0] != "who are you?\n" {
				t.Errorf("Authorize heard %q with %q", k.asked, k.bodies)
			}
		})
	}
}

func TestAFreshTokenThatIsRefusedIsNotASourceOfMore(t *testing.T) {
	g := &guard{good: "none is good"}
	k := &keys{token: "one", authorize: becomes("two")}
	_, err := signedIn(t, Endpoint{URL: guarded(t, g, false), Auth: k}, (*Wire).StreamableHTTP)
	var required *AuthRequired
	if !errors.As(err, &required) || !errors.Is(err, errTokenRefused) || required.Status != http.StatusUnauthorized {
		t.Errorf("err = %v", err)
	}
	if g.count() != 2 || k.times() != 2 {
		t.Errorf("%d requests, %d times Authorize, want 2 and 2", g.count(), k.times())
	}
}

func TestWithoutATokenForNowNothingIsSent(t *testing.T) {
	g := &guard{}
	k := &keys{token: "one", authorize: refuses}
	url := guarded(t, g, false)
	p, err := signedIn(t, Endpoint{URL: url, Auth: k}, (*Wire).StreamableHTTP)
	if err != nil {
		t.Fatal(err)
	}
	before := g.count()
	down := errors.New("the authorization server is down")
	k.set(func(k *keys) { k.failing = down })
	call, err := p.call("echo")
	var unavailable *AuthUnavailable
	if !errors.As(call.Err(), &unavailable) || !errors.Is(call.Err(), down) || errors.Is(call.Err(), ErrLost) || err == nil {
		t.Errorf("err = %v, the call's %v", err, call.Err())
	}
	if g.count() != before {
		t.Errorf("%d requests were sent", g.count()-before)
	}
	k.set(func(k *keys) { k.failing = nil })
	if _, err := p.call("echo"); err != nil {
		t.Errorf("the session did not go on: %v", err)
	}
}

func TestNoTokenFollowsARedirectToAnotherOrigin(t *testing.T) { // CVE-2026-64684
	leaked := make(chan http.Header, 8)
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { leaked <- r.Header }))
	defer other.Close()
	for _, status := range []int{http.StatusTemporaryRedirect, http.StatusPermanentRedirect, http.StatusFound} {
		server := httptest.NewServer(http.RedirectHandler(other.URL, status))
		_, err := signedIn(t, Endpoint{URL: server.URL, Headers: http.Header{"X-Api-Key": {"k"}}, Auth: &keys{token: "t", authorize: refuses}}, (*Wire).StreamableHTTP)
		var redirect *RedirectError
		if !errors.As(err, &redirect) {
			t.Errorf("HTTP %d: %v", status, err)
		}
		server.Close()
	}
	if len(leaked) > 0 {
		t.Errorf("another origin got %v", <-leaked)
	}
}

func TestATokenStaysWithARedirectInsideTheOrigin(t *testing.T) {
	g := &guard{good: "t"}
	mux := http.NewServeMux()
	mux.Handle("/mcp", http.RedirectHandler("/mcp/", http.StatusTemporaryRedirect))
	mux.Handle("/mcp/", g.wrap(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return digitServer() }, nil)))
	s := httptest.NewServer(mux)
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	p, err := signedIn(t, Endpoint{URL: s.URL + "/mcp", Auth: &keys{token: "t", authorize: refuses}}, (*Wire).StreamableHTTP)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.call("echo"); err != nil {
		t.Error(err)
	}
}

func TestTheSessionEndsWhenItsStreamNeedsASignIn(t *testing.T) {
	for _, modern := range []bool{false, true} {
		key := map[bool]string{false: http.MethodGet, true: "subscriptions/listen"}[modern]
		t.Run(key, func(t *testing.T) {
			f := newFakeHTTP(t, modern)
			first := make(chan struct{})
			f.on(key, func(w http.ResponseWriter, _ *http.Request, _ string) {
				f.on(key, status(http.StatusUnauthorized, "text/plain", "no"))
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = io.WriteString(w, "retry: 10\n\n")
				w.(http.Flusher).Flush()
				<-first // what follows is the end of the stream
			})
			k := &keys{token: "t", authorize: refuses}
			p, err := connectAs(t, Endpoint{URL: f.URL, Auth: k})
			if err != nil {
				t.Fatal(err)
			}
			close(first)
			ended := make(chan error, 1)
			go func() { ended <- p.Wait() }()
			select {
			case <-ended:
			case <-time.After(8 * time.Second):
				t.Fatal("the session goes on")
			}
			var required *AuthRequired
			if !errors.As(p.wire.Cause(), &required) || !errors.Is(p.wire.Cause(), errSignIn) {
				t.Errorf("cause = %v", p.wire.Cause())
			}
			if k.times() != 1 {
				t.Errorf("Authorize was asked %d times", k.times())
			}
		})
	}
}

// connectAs connects a client that listens for changes.
func connectAs(t *testing.T, endpoint Endpoint) (*plug, error) {
	t.Helper()
	p := &plug{journal: &journal{}, ctx: withTimeout(t)}
	p.wire = New(Config{Observer: p.journal.observer()})
	t.Cleanup(func() {
		if err := p.wire.Close(); err != nil {
			t.Error(err)
		}
	})
	options := &sdk.ClientOptions{
		Capabilities:           &sdk.ClientCapabilities{},
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) {},
	}
	session, err := sdk.NewClient(&sdk.Implementation{Name: "wire-test", Version: "1"}, options).Connect(p.ctx, p.wire.StreamableHTTP(endpoint), nil)
	if err != nil {
		return p, err
	}
	p.ClientSession = session
	t.Cleanup(func() { _ = session.Close() })
	return p, nil
}

func TestARefusalForScopeLeavesTheSessionAlone(t *testing.T) {
	f := newFakeHTTP(t, false)
	f.on("tools/call admin", func(w http.ResponseWriter, _ *http.Request, _ string) {
		w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="admin"`)
		http.Error(w, "more", http.StatusForbidden)
	})
	k := &keys{token: "t", authorize: refuses}
	p, err := signedIn(t, Endpoint{URL: f.URL, Auth: k}, (*Wire).StreamableHTTP)
	if err != nil {
		t.Fatal(err)
	}
	call, _ := p.call("admin")
	var required *AuthRequired
	if !errors.As(call.Err(), &required) || required.Status != http.StatusForbidden || !errors.Is(required, errSignIn) || k.times() != 1 {
		t.Errorf("err = %v, Authorize %d times", call.Err(), k.times())
	}
	if _, err := p.call("good"); err != nil {
		t.Errorf("the session did not go on: %v", err)
	}
}

func TestAPlainRefusalIsNoQuestionOfTokens(t *testing.T) {
	f := newFakeHTTP(t, false)
	f.on("tools/call admin", status(http.StatusForbidden, "text/plain", "no"))
	k := &keys{token: "t", authorize: refuses}
	p, err := signedIn(t, Endpoint{URL: f.URL, Auth: k}, (*Wire).StreamableHTTP)
	if err != nil {
		t.Fatal(err)
	}
	call, _ := p.call("admin")
	var refused *StatusError
	if !errors.As(call.Err(), &refused) || k.times() != 0 {
		t.Errorf("err = %v, Authorize %d times", call.Err(), k.times())
	}
}

func TestARefusalWhoseBodyHangsHoldsUpNobody(t *testing.T) {
	f := newFakeHTTP(t, false)
	f.on("tools/call slow", func(w http.ResponseWriter, r *http.Request, _ string) {
		w.Header().Set("WWW-Authenticate", "Bearer")
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, "begun")
		w.(http.Flusher).Flush()
		select {
		case <-r.Context().Done():
		case <-f.done:
		}
	})
	k := &keys{token: "t", authorize: refuses}
	p, err := signedIn(t, Endpoint{URL: f.URL, Auth: k}, (*Wire).StreamableHTTP)
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	call, _ := p.call("slow")
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
	if !errors.Is(call.Err(), errSignIn) || k.bodies[0] != "begun" {
		t.Errorf("err = %v, Authorize read %q", call.Err(), k.bodies)
	}
}

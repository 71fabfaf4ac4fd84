package mcp

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"jackfield/backend/store"
)

// web is a real HTTP server that counts requests by HTTP method and JSON-RPC method.
type web struct {
	*httptest.Server
	mu   sync.Mutex
	seen map[string]int
}

func newWeb(t *testing.T, handler http.Handler) *web {
	t.Helper()
	w := &web{seen: map[string]int{}}
	w.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		var m struct{ Method string }
		_ = json.Unmarshal(body, &m)
		w.mu.Lock()
		w.seen[r.Method]++
		w.seen[m.Method]++
		w.mu.Unlock()
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		handler.ServeHTTP(rw, r)
	}))
	t.Cleanup(func() {
		w.CloseClientConnections()
		w.Close()
	})
	return w
}

func (w *web) count(key string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.seen[key]
}

// stateless is the handler of a real go-sdk server that speaks the modern era.
func stateless(s *sdk.Server) http.Handler {
	return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, &sdk.StreamableHTTPOptions{Stateless: true})
}

// streamable is the handler of a real go-sdk server with sessions.
func streamable(s *sdk.Server) http.Handler {
	return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil)
}

func status(code int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "sorry", code) })
}

func remote(url string, changes ...func(*store.Server)) store.Server {
	server := store.Server{ID: "s", Transport: store.TransportAuto, URL: url, Enabled: true, Retry: store.Retry{MaxAttempts: 3, BaseDelay: time.Millisecond, MaxDelay: 2 * time.Millisecond}}
	for _, change := range changes {
		change(&server)
	}
	return server
}

func TestRegisterMakesNoRequest(t *testing.T) {
	w := newWeb(t, status(500))
	memory := newMemory()
	m := start(t, Options{Store: memory}, false)
	id, err := m.Register(t.Context(), store.Server{Name: "My Server!", URL: w.URL})
	if err != nil || id != "my-server" {
		t.Fatalf("id = %q, %v", id, err)
	}
	if w.count("POST")+w.count("GET") != 0 {
		t.Error("a request was made")
	}
	if memory.server(id).URL != w.URL {
		t.Error("it is not stored")
	}
	if s, _ := m.Status(id); s.State != StateDisconnected {
		t.Errorf("state = %s", s.State)
	}
}

func TestBothErasAndTransportsOverHTTP(t *testing.T) {
	tests := []struct {
		name      string
		handler   func(*sdk.Server) http.Handler
		change    func(*store.Server)
		transport store.Transport
		era       store.Era
	}{
		{"modern", stateless, func(*store.Server) {}, store.TransportStreamableHTTP, store.EraModern},
		{"legacy", streamable, func(s *store.Server) { s.Era = store.EraLegacy }, store.TransportStreamableHTTP, store.EraLegacy},
		{
			"sse", func(s *sdk.Server) http.Handler {
				return sdk.NewSSEHandler(func(*http.Request) *sdk.Server { return s }, nil)
			},
			func(s *store.Server) { s.Transport = store.TransportSSE }, store.TransportSSE, store.EraLegacy,
		},
		{"auto finds sse", func(s *sdk.Server) http.Handler {
			sse := sdk.NewSSEHandler(func(*http.Request) *sdk.Server { return s }, nil)
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPost && r.URL.RawQuery == "" {
					http.Error(w, "no", http.StatusMethodNotAllowed)
					return
				}
				sse.ServeHTTP(w, r)
			})
		}, func(*store.Server) {}, store.TransportSSE, store.EraLegacy},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := newWeb(t, test.handler(newServer(nil)))
			memory := newMemory()
			m := start(t, Options{Store: memory}, false)
			if _, err := m.Add(t.Context(), remote(w.URL, test.change)); err != nil {
				t.Fatal(err)
			}
			got, _ := m.Status("s")
			if got.State != StateReady || got.Transport != test.transport || got.Era != test.era || got.Counts.Tools != 4 {
				t.Errorf("status = %+v", got)
			}
			call, err := m.Call(t.Context(), CallRequest{ServerID: "s", Kind: store.KindTool, Name: "echo", Arguments: json.RawMessage(`{"a":1}`)})
			if err != nil || call.Outcome != store.OutcomeDone {
				t.Errorf("call = %+v, %v", call, err)
			}
			prompt, err := m.Call(t.Context(), CallRequest{ServerID: "s", Kind: store.KindPrompt, Name: "hello", Arguments: json.RawMessage(`{"who":"you"}`)})
			if err != nil || !strings.Contains(string(prompt.Result), "Hello you") {
				t.Errorf("prompt = %+v, %v", prompt, err)
			}
			resource, err := m.Call(t.Context(), CallRequest{ServerID: "s", Kind: store.KindResource, Name: "fixture://t/1"})
			if err != nil || !strings.Contains(string(resource.Result), "fixture://t/1") {
				t.Errorf("resource = %+v, %v", resource, err)
			}
			if err := m.writer.flush(t.Context()); err != nil {
				t.Fatal(err)
			}
			if learned := memory.server("s").Learned; learned.Transport != test.transport || learned.Era != test.era {
				t.Errorf("learned = %+v", learned)
			}
		})
	}
}

func TestLearnedEraNeedsNoProbe(t *testing.T) {
	w := newWeb(t, streamable(newServer(nil)))
	memory := newMemory(remote(w.URL, func(s *store.Server) {
		s.Transport = store.TransportStreamableHTTP
		s.Learned = store.Learned{Transport: store.TransportStreamableHTTP, Era: store.EraLegacy, ProtocolVersion: "2025-11-25"}
	}))
	m := start(t, Options{Store: memory}, true)
	m.Wait(t.Context())
	if s, _ := m.Status("s"); s.State != StateReady {
		t.Fatalf("status = %+v", s)
	}
	if w.count("server/discover") != 0 || w.count("initialize") != 1 {
		t.Errorf("discover %d, initialize %d", w.count("server/discover"), w.count("initialize"))
	}
}

func TestLearnedEraIsCheckedAgainWhenItFails(t *testing.T) {
	handler := stateless(newServer(nil))
	w := newWeb(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		// The server was upgraded and does not know initialize any more.
		if strings.Contains(string(body), `"initialize"`) {
			rw.Header().Set("Content-Type", "application/json")
			fmt.Fprint(rw, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method not found"}}`)
			return
		}
		handler.ServeHTTP(rw, r)
	}))
	m := start(t, Options{Store: newMemory(remote(w.URL, func(s *store.Server) {
		s.Transport = store.TransportStreamableHTTP
		s.Learned = store.Learned{Transport: store.TransportStreamableHTTP, Era: store.EraLegacy}
	}))}, true)
	m.Wait(t.Context())
	if s, _ := m.Status("s"); s.State != StateReady || s.Era != store.EraModern || s.Attempts != 1 {
		t.Errorf("status = %+v", s)
	}
}

func TestThreeConnectsAreOneHandshake(t *testing.T) {
	gate := make(chan struct{})
	handler := streamable(newServer(nil))
	w := newWeb(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		<-gate
		handler.ServeHTTP(rw, r)
	}))
	m := start(t, Options{}, false)
	if _, err := m.Register(t.Context(), remote(w.URL, func(s *store.Server) { s.Era = store.EraLegacy })); err != nil {
		t.Fatal(err)
	}
	results := make(chan error, 3)
	for range 3 {
		go func() { results <- m.Connect(t.Context(), "s") }()
	}
	eventually(t, "the first request", func() bool { return w.count("initialize") > 0 })
	time.Sleep(20 * time.Millisecond)
	close(gate)
	for range 3 {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
	if n := w.count("initialize"); n != 1 {
		t.Errorf("%d handshakes", n)
	}
}

func TestHTTPStatusFailsWithoutFallback(t *testing.T) {
	for _, code := range []int{400, 403, 410, 429, 500, 501, 503} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			w := newWeb(t, status(code))
			m := start(t, Options{}, false)
			_, err := m.Add(t.Context(), remote(w.URL))
			if err == nil || !strings.Contains(err.Error(), fmt.Sprint(code)) {
				t.Errorf("err = %v", err)
			}
			if n := w.count("GET"); n != 0 {
				t.Errorf("%d GETs", n)
			}
			if s, _ := m.Status("s"); s.State != StateFailed || s.Failure == nil {
				t.Errorf("status = %+v", s)
			}
		})
	}
}

func TestNotFoundIsTriedAsSSEAndFailsWithTheFirstAnswer(t *testing.T) {
	w := newWeb(t, status(404))
	m := start(t, Options{}, false)
	_, err := m.Add(t.Context(), remote(w.URL))
	if code(err) != CodeNoHandshake || !strings.Contains(err.Error(), "404") {
		t.Errorf("err = %v", err)
	}
	if n := w.count("GET"); n != 1 {
		t.Errorf("%d GETs", n)
	}
}

func TestUnauthorizedNeedsSignInAndIsNotRetried(t *testing.T) {
	listening := make(chan struct{})
	w := newWeb(t, http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		<-listening // restoring starts before anyone can subscribe
		rw.Header().Set("WWW-Authenticate", `Bearer resource_metadata="x"`)
		rw.WriteHeader(401)
	}))
	m := start(t, Options{Store: newMemory(remote(w.URL))}, true)
	events, cancel := m.Subscribe()
	defer cancel()
	close(listening)
	m.Wait(t.Context())
	s, _ := m.Status("s")
	if s.State != StateAuthenticating || s.Detail != "Needs sign-in" || s.Failure.Code != CodeAuthRequired || s.Attempts != 1 {
		t.Errorf("status = %+v", s)
	}
	if n := w.count("GET"); n != 0 {
		t.Errorf("%d GETs", n)
	}
	await(t, events, "authorize", func(e Event) bool { return e.Type == EventAuthorize })
}

func TestRefusedPortIsUnreachable(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	m := start(t, Options{}, false)
	_, err = m.Add(t.Context(), remote("http://"+address+"/mcp?token=secret"))
	if code(err) != CodeUnreachable || !strings.Contains(err.Error(), "refused") || strings.Contains(err.Error(), "secret") {
		t.Errorf("err = %v", err)
	}
}

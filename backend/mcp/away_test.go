package mcp

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"jackfield/backend/store"
)

// switched is an HTTP server that can be stopped and started again at the same address.
type switched struct {
	t       *testing.T
	address string
	handler http.Handler
	server  *httptest.Server
}

func newSwitched(t *testing.T, handler http.Handler) *switched {
	t.Helper()
	s := &switched{t: t, handler: handler}
	s.server = httptest.NewServer(handler)
	s.address = s.server.Listener.Addr().String()
	t.Cleanup(s.stop)
	return s
}

func (s *switched) stop() {
	if s.server != nil {
		s.server.CloseClientConnections()
		s.server.Close()
		s.server = nil
	}
}

func (s *switched) start() {
	s.t.Helper()
	listener, err := net.Listen("tcp", s.address)
	if err != nil {
		s.t.Fatal(err)
	}
	s.server = httptest.NewUnstartedServer(s.handler)
	s.server.Listener.Close()
	s.server.Listener = listener
	s.server.Start()
}

// HTTP has no connection that breaks when its server is stopped. The stream that cannot be opened again tells, or else the next call.
func TestAStoppedServerIsNotReady(t *testing.T) {
	for _, test := range []struct {
		name    string
		handler http.Handler
		streams bool
		change  func(*store.Server)
	}{
		{"modern", stateless(newServer(nil)), true, func(*store.Server) {}},
		{"legacy", streamable(newServer(nil)), true, func(s *store.Server) { s.Era = store.EraLegacy }},
		{"without a stream", streamable(newServer(nil)), false, func(s *store.Server) { s.Era = store.EraLegacy }},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newSwitched(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodGet && !test.streams {
					w.WriteHeader(http.StatusMethodNotAllowed)
					return
				}
				test.handler.ServeHTTP(w, r)
			}))
			m := start(t, Options{}, false)
			if _, err := m.Add(t.Context(), remote("http://"+s.address, test.change)); err != nil {
				t.Fatal(err)
			}
			before, _ := m.Status("s")
			s.stop()
			if !test.streams {
				call, err := m.Call(t.Context(), CallRequest{ServerID: "s", Kind: store.KindTool, Name: "echo"})
				if code(err) != CodeUnreachable && code(err) != CodeLost { // lost on a connection whose end was not noticed yet
					t.Errorf("call = %+v, %v", call, err)
				}
			}
			eventually(t, "the row says that nobody is there", func() bool {
				now, _ := m.Status("s")
				return now.State == StateConnecting && now.Away && now.Failure.Code == CodeUnreachable
			})
			s.start()
			eventually(t, "the row says that it is back", func() bool {
				now, _ := m.Status("s")
				return now.State == StateReady && !now.Away && now.Failure == nil
			})
			now, _ := m.Status("s")
			if now.Generation != before.Generation {
				t.Errorf("generation %d after %d: the connection was given up", now.Generation, before.Generation)
			}
			if call, err := m.Call(t.Context(), CallRequest{ServerID: "s", Kind: store.KindTool, Name: "echo"}); err != nil {
				t.Errorf("call = %+v, %v", call, err)
			}
		})
	}
}

// A gateway answers in the place of a server that is gone.
func TestAServerBehindAGatewayThatIsDownIsNotReady(t *testing.T) {
	one := streamable(newServer(nil))
	var down atomic.Bool
	w := newWeb(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if down.Load() {
			w.WriteHeader(http.StatusBadGateway)
			_, _ = io.WriteString(w, "no upstream")
			return
		}
		one.ServeHTTP(w, r)
	}))
	m := start(t, Options{}, false)
	if _, err := m.Add(t.Context(), remote(w.URL, func(s *store.Server) { s.Era = store.EraLegacy })); err != nil {
		t.Fatal(err)
	}
	down.Store(true)
	w.CloseClientConnections()
	eventually(t, "the row says so", func() bool { s, _ := m.Status("s"); return s.State == StateConnecting && s.Away })
	down.Store(false)
	eventually(t, "the row says that it is back", func() bool { s, _ := m.Status("s"); return s.State == StateReady })
}

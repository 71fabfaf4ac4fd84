package store

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func fullServer(id string) Server {
	exit := 3
	at := time.Date(2026, 11, 30, 12, 0, 0, 123456000, time.UTC)
	return Server{
		ID: id, Name: "Näme " + id, Transport: TransportStdio, URL: "https://example.com/mcp?a=1&b=<2>",
		Headers: []Variable{{Name: "X-Key", Value: "open"}},
		Command: "/usr/bin/node", Args: []string{"server.js", "", "--flag=a b\n"}, Env: []Variable{{Name: "A", Value: "1"}},
		Cwd: "/tmp/x y", Era: EraLegacy, Retry: Retry{MaxAttempts: -1, BaseDelay: time.Second, MaxDelay: time.Minute},
		Timeouts: Timeouts{Connect: 1, Discovery: 2, CallIdle: 3, CallTotal: 4},
		Enabled:  true, TrustLocalNetwork: true, ClientID: "client",
		Roots: []string{"/srv/x y", "/home/é"}, LogLevel: "notice",
		Learned:   Learned{Transport: TransportSSE, Era: EraLegacy, ProtocolVersion: "2025-06-18"},
		LastError: &Failure{Code: "exited", Message: "m", Hint: "h", ExitCode: &exit, Stderr: []string{"a", "b"}},
		CreatedAt: at, UpdatedAt: at.Add(time.Hour),
	}
}

func TestServerComesBackAsItWasStoredAlsoAfterReopening(t *testing.T) {
	dir := t.TempDir()
	late := fullServer("a")
	late.CreatedAt = late.CreatedAt.Add(time.Microsecond)
	bare := Server{ID: "c", CreatedAt: late.CreatedAt.Add(time.Hour), UpdatedAt: late.UpdatedAt}
	want := []Server{fullServer("b"), late, bare} // oldest first
	s := openStore(t, dir)
	for _, i := range []int{2, 0, 1} {
		must(t, s.PutServer(t.Context(), want[i]))
	}
	for _, s := range []*Store{s, openStore(t, dir)} {
		got, err := s.Servers(t.Context())
		must(t, err)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		one, err := s.Server(t.Context(), "a")
		must(t, err)
		if diff := cmp.Diff(late, one); diff != "" {
			t.Error(diff)
		}
	}
}

func TestReplacingAServerKeepsItsHistoryAndItsBirthday(t *testing.T) {
	s := openStore(t, t.TempDir())
	server := fullServer("a")
	must(t, s.PutServer(t.Context(), server))
	must(t, s.PutCalls(t.Context(), Call{ID: "c1", ServerID: "a"}))
	birthday := server.CreatedAt
	server.CreatedAt, server.UpdatedAt = time.Time{}, time.Time{}
	server.Name, server.LastError, server.Args = "other", nil, nil
	before := time.Now().Add(-time.Millisecond)
	must(t, s.PutServer(t.Context(), server))
	got, err := s.Server(t.Context(), "a")
	must(t, err)
	if !got.CreatedAt.Equal(birthday) || got.UpdatedAt.Before(before) || got.Name != "other" || got.LastError != nil || got.Args != nil {
		t.Errorf("%+v", got)
	}
	if _, err := s.Call(t.Context(), "c1"); err != nil {
		t.Errorf("the history: %v", err)
	}
}

func TestServerThatCannotBeKeptAsItIsIsRefused(t *testing.T) {
	s := openStore(t, t.TempDir())
	for name, change := range map[string]func(*Server){
		"no id":                 func(s *Server) { s.ID = "" },
		"argument not in UTF-8": func(s *Server) { s.Args = []string{"\xff"} },
		"NUL in the command":    func(s *Server) { s.Command = "a\x00b" },
		"header not in UTF-8":   func(s *Server) { s.Headers[0].Value = "\xfe" },
		"env not in UTF-8":      func(s *Server) { s.Env[0].Name = "\xfe" },
	} {
		server := fullServer("a")
		change(&server)
		if err := s.PutServer(t.Context(), server); err == nil {
			t.Errorf("%s: stored", name)
		}
	}
	if servers, err := s.Servers(t.Context()); err != nil || len(servers) != 0 {
		t.Errorf("%d servers, %v", len(servers), err)
	}
}

func TestLearnedAndLastErrorAreStored(t *testing.T) {
	s := openStore(t, t.TempDir())
	must(t, s.PutServer(t.Context(), Server{ID: "a"}))
	learned := Learned{Transport: TransportStreamableHTTP, Era: EraModern, ProtocolVersion: "2026-07-28"}
	failure := &Failure{Code: "unreachable", Message: "m <b>"}
	must(t, s.SetLearned(t.Context(), "a", learned))
	must(t, s.SetLastError(t.Context(), "a", failure))
	got, err := s.Server(t.Context(), "a")
	must(t, err)
	if got.Learned != learned || cmp.Diff(failure, got.LastError) != "" {
		t.Errorf("%+v", got)
	}
	must(t, s.SetLastError(t.Context(), "a", nil))
	if got, err = s.Server(t.Context(), "a"); err != nil || got.LastError != nil {
		t.Errorf("%+v %v", got, err)
	}
}

func TestUnknownServerIsNotFound(t *testing.T) {
	s := openStore(t, t.TempDir())
	_, err := s.Server(t.Context(), "x")
	for name, err := range map[string]error{
		"Server":       err,
		"DeleteServer": s.DeleteServer(t.Context(), "x"),
		"SetLearned":   s.SetLearned(t.Context(), "x", Learned{}),
		"SetLastError": s.SetLastError(t.Context(), "x", nil),
		"PutCalls":     s.PutCalls(t.Context(), Call{ID: "c1", ServerID: "x"}),
	} {
		if !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

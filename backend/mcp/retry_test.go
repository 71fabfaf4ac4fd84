package mcp

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"jackfield/backend/store"
)

func TestRestoreRetriesThreeTimesAndThenFails(t *testing.T) {
	w := newWeb(t, status(500))
	memory := newMemory(remote(w.URL, func(s *store.Server) { s.Era = store.EraLegacy }))
	m := start(t, Options{Store: memory}, true)
	m.Wait(t.Context())
	s, _ := m.Status("s")
	if n := w.count("initialize"); n != 3 || s.State != StateFailed || s.Attempts != 3 || s.MaxAttempts != 3 {
		t.Errorf("%d attempts, status %+v", n, s)
	}
	if err := m.writer.flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if memory.server("s").LastError == nil {
		t.Error("the last error is not stored")
	}
}

func TestHangingServerDelaysNoOther(t *testing.T) {
	hang := newWeb(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	good := newWeb(t, streamable(newServer(nil)))
	m := start(t, Options{Store: newMemory(
		remote(good.URL, func(s *store.Server) { s.ID = "good" }),
		remote(hang.URL, func(s *store.Server) {
			s.ID, s.Retry.MaxAttempts, s.Timeouts.Connect = "hang", 1, 700*time.Millisecond
		}),
	)}, true)
	m.Wait(t.Context(), "good")
	if s, _ := m.Status("good"); s.State != StateReady {
		t.Errorf("good = %+v", s)
	}
	if s, _ := m.Status("hang"); s.State != StateConnecting {
		t.Errorf("hang = %+v", s)
	}
	m.Wait(t.Context(), "hang")
	if s, _ := m.Status("hang"); s.State != StateFailed || s.Failure.Code != CodeConnectTime || s.Detail != "No answer to the handshake within 700ms" {
		t.Errorf("hang = %+v", s)
	}
}

func TestWaitReturnsWhenItsContextEnds(t *testing.T) {
	hang := newWeb(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	m := start(t, Options{Store: newMemory(remote(hang.URL))}, true)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	begun := time.Now()
	m.Wait(ctx)
	if took := time.Since(begun); took > time.Second {
		t.Errorf("took %s", took)
	}
}

func TestLateResultOfAnOldGenerationChangesNothing(t *testing.T) {
	gate := make(chan struct{})
	var first atomic.Bool
	first.Store(true)
	s := &script{answer: func(method string, _ json.RawMessage) (string, string) {
		if method == "initialize" && first.Swap(false) {
			<-gate
		}
		return "", ""
	}}
	m := withScript(t, s, Options{}, func(s *store.Server) { s.Era = store.EraLegacy })
	result := make(chan error, 1)
	go func() { result <- m.Connect(t.Context(), "s") }()
	eventually(t, "the handshake", func() bool { return s.count("initialize") == 1 })
	if err := m.Disconnect(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	if err := <-result; code(err) != CodeClosed {
		t.Errorf("err = %v", err)
	}
	close(gate)
	time.Sleep(50 * time.Millisecond)
	if got, _ := m.Status("s"); got.State != StateDisconnected {
		t.Errorf("status = %+v", got)
	}
	if err := m.Connect(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	if got, _ := m.Status("s"); got.State != StateReady {
		t.Errorf("status = %+v", got)
	}
}

func TestProcessThatExitsAtOnceSaysWhy(t *testing.T) {
	m := start(t, Options{}, false)
	_, err := m.Add(t.Context(), helper(t, "exit"))
	if code(err) != CodeExited {
		t.Fatalf("err = %v", err)
	}
	s, _ := m.Status("p")
	if s.State != StateFailed || s.Detail != "Exited with status 3" || *s.Failure.ExitCode != 3 || !slices.Contains(s.Failure.Stderr, "config.toml: no such file") {
		t.Errorf("status = %+v, failure = %+v", s, s.Failure)
	}
}

func TestDroppedConnectionComesBack(t *testing.T) {
	m := start(t, Options{}, false)
	if _, err := m.Add(t.Context(), helper(t, "serve")); err != nil {
		t.Fatal(err)
	}
	before, _ := m.Status("p")
	call, err := m.Call(t.Context(), CallRequest{ServerID: "p", Kind: store.KindTool, Name: "exit"})
	if code(err) != CodeExited || call.Outcome != store.OutcomeFailed || *call.Failure.ExitCode != 7 {
		t.Errorf("call = %+v, %v", call, err)
	}
	eventually(t, "ready again", func() bool {
		s, _ := m.Status("p")
		return s.State == StateReady && s.Generation > before.Generation && s.PID != before.PID
	})
}

// The server closed it, not the person: the next attempt may do better.
func TestAServerThatHangsUpDuringTheHandshakeIsTriedAgain(t *testing.T) {
	var starts atomic.Int64
	m := start(t, Options{Builtin: map[string]Serve{"s": func(ctx context.Context, pipe io.ReadWriteCloser) error {
		if starts.Add(1) < 3 {
			return nil
		}
		return serve(newServer(nil))(ctx, pipe)
	}}, Store: newMemory(scripted())}, true)
	eventually(t, "ready at the third attempt", func() bool { s, _ := m.Status("s"); return s.State == StateReady })
}

func TestServerThatDiesRightAfterItsHandshakeIsNotStartedForEver(t *testing.T) {
	var starts atomic.Int64
	m := start(t, Options{Builtin: map[string]Serve{"s": func(ctx context.Context, pipe io.ReadWriteCloser) error {
		starts.Add(1)
		s := &script{answer: func(method string, _ json.RawMessage) (string, string) {
			if method == "tools/list" {
				pipe.Close()
				return "silent", ""
			}
			return "", ""
		}}
		return s.serve(ctx, pipe)
	}}, Store: newMemory(scripted(func(s *store.Server) {
		s.Era = store.EraLegacy
	}))}, true)
	eventually(t, "giving up", func() bool { s, _ := m.Status("s"); return s.State == StateFailed })
	m.Wait(t.Context())
	if n := starts.Load(); n > 4 {
		t.Errorf("started %d times", n)
	}
}

func TestLoopIsCutShortByConnect(t *testing.T) {
	var broken atomic.Bool
	broken.Store(true)
	handler := streamable(newServer(nil))
	w := newWeb(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if broken.Load() {
			rw.WriteHeader(503)
			return
		}
		handler.ServeHTTP(rw, r)
	}))
	m := start(t, Options{Store: newMemory(remote(w.URL, func(s *store.Server) {
		s.Retry = store.Retry{MaxAttempts: -1, BaseDelay: time.Hour, MaxDelay: time.Hour}
	}))}, true)
	eventually(t, "waiting for the retry", func() bool {
		s, _ := m.Status("s")
		return s.State == StateConnecting && !s.RetryAt.IsZero() && strings.HasPrefix(s.Detail, "Retry 2 in ")
	})
	broken.Store(false)
	if err := m.Connect(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	m.Wait(t.Context())
	if s, _ := m.Status("s"); s.State != StateReady || !s.RetryAt.IsZero() {
		t.Errorf("status = %+v", s)
	}
}

func TestCallDoesNotEndTheBackgroundThatKeepsTrying(t *testing.T) {
	w := newWeb(t, status(503))
	m := start(t, Options{Store: newMemory(remote(w.URL, func(s *store.Server) {
		s.Era = store.EraLegacy
		s.Retry = store.Retry{MaxAttempts: -1, BaseDelay: time.Hour, MaxDelay: time.Hour}
	}))}, true)
	waiting := func() bool { s, _ := m.Status("s"); return s.State == StateConnecting && !s.RetryAt.IsZero() }
	eventually(t, "waiting for the retry", waiting)
	if _, err := m.Call(t.Context(), callT()); code(err) != CodeNoHandshake {
		t.Errorf("err = %v", err)
	}
	eventually(t, "waiting for the next retry", waiting)
}

func TestWakeTriesAtOnce(t *testing.T) {
	w := newWeb(t, status(503))
	m := start(t, Options{Store: newMemory(remote(w.URL, func(s *store.Server) {
		s.Era = store.EraLegacy
		s.Retry = store.Retry{MaxAttempts: 2, BaseDelay: time.Hour, MaxDelay: time.Hour}
	}))}, true)
	eventually(t, "waiting for the retry", func() bool { s, _ := m.Status("s"); return !s.RetryAt.IsZero() })
	m.Wake()
	m.Wait(t.Context())
	if n := w.count("initialize"); n != 2 {
		t.Errorf("%d attempts", n)
	}
	m.Wake() // gave up: another round
	eventually(t, "another attempt", func() bool { return w.count("initialize") == 3 })
}

func TestRestartBringsEnabledServersBack(t *testing.T) {
	w := newWeb(t, streamable(newServer(nil)))
	memory := newMemory()
	first := start(t, Options{Store: memory}, false)
	if _, err := first.Add(t.Context(), remote(w.URL)); err != nil {
		t.Fatal(err)
	}
	if _, err := first.Register(t.Context(), remote(w.URL, func(s *store.Server) { s.ID, s.Enabled = "off", false })); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if err := first.Close(ctx); err != nil {
		t.Fatal(err)
	}
	second := start(t, Options{Store: memory}, true)
	second.Wait(t.Context())
	if s, _ := second.Status("s"); s.State != StateReady {
		t.Errorf("s = %+v", s)
	}
	if s, _ := second.Status("off"); s.State != StateDisconnected || s.Detail != "Disabled" {
		t.Errorf("off = %+v", s)
	}
}

func TestDisconnectDeletesTheSessionAndConnectWorksFromTheRow(t *testing.T) {
	w := newWeb(t, streamable(newServer(nil)))
	m := start(t, Options{}, false)
	if _, err := m.Add(t.Context(), remote(w.URL, func(s *store.Server) { s.Era = store.EraLegacy })); err != nil {
		t.Fatal(err)
	}
	if err := m.Disconnect(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	if w.count("DELETE") != 1 {
		t.Errorf("%d DELETEs", w.count("DELETE"))
	}
	if err := m.Connect(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	if s, _ := m.Status("s"); s.State != StateReady {
		t.Errorf("status = %+v", s)
	}
}

func TestCloseIsBoundedWithAServerThatHangs(t *testing.T) {
	handler := streamable(newServer(nil))
	w := newWeb(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodDelete {
			<-r.Context().Done()
			// Only now does the server forget the session, so that nothing of it outlives the test.
			r = r.WithContext(context.WithoutCancel(r.Context()))
		}
		handler.ServeHTTP(rw, r)
	}))
	m := New(Options{Store: newMemory(), Client: Implementation{Name: "test"}})
	if _, err := m.Add(t.Context(), remote(w.URL, func(s *store.Server) { s.Era = store.EraLegacy })); err != nil {
		t.Fatal(err)
	}
	result := make(chan error, 1)
	go func() {
		_, err := m.Call(t.Context(), CallRequest{ServerID: "s", Kind: store.KindTool, Name: "hang"})
		result <- err
	}()
	eventually(t, "the call", func() bool { return len(m.Snapshot().Calls) == 1 })
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
	defer cancel()
	begun := time.Now()
	if err := m.Close(ctx); err != nil {
		t.Errorf("Close: %v", err)
	}
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("took %s", took)
	}
	if err := <-result; code(err) != CodeClosed {
		t.Errorf("err = %v", err)
	}
	if err := m.Connect(t.Context(), "s"); err != ErrClosed {
		t.Errorf("after Close: %v", err)
	}
}

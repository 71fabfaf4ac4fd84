package mcp

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"jackfield/backend/store"
)

// TestEverythingIsBackAfterARestart uses the real store: what was learned, the last error and the history survive.
func TestEverythingIsBackAfterARestart(t *testing.T) {
	w := newWeb(t, streamable(newServer(nil)))
	dir := t.TempDir()
	open := func() *store.Store {
		t.Helper()
		s, err := store.Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	shut := func(m *Manager, s *store.Store) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		if err := m.Close(ctx); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	first := open()
	m := start(t, Options{Store: first}, true)
	if _, err := m.Add(t.Context(), remote(w.URL)); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Add(t.Context(), store.Server{ID: "gone", Transport: store.TransportStdio, Command: "no-such-program-anywhere"}); code(err) != CodeNotFound {
		t.Fatalf("err = %v", err)
	}
	call, err := m.Call(t.Context(), CallRequest{ServerID: "s", Kind: store.KindTool, Name: "echo", Arguments: json.RawMessage(`{"n":9007199254740993}`)})
	if err != nil {
		t.Fatal(err)
	}
	shut(m, first)

	second := open()
	m = start(t, Options{Store: second}, true)
	defer shut(m, second)
	m.Wait(t.Context())
	if s, _ := m.Status("s"); s.State != StateReady || s.Server.Learned.Era != store.EraLegacy {
		t.Errorf("s = %+v", s)
	}
	if s, _ := m.Status("gone"); s.State != StateFailed || s.Failure == nil || s.Failure.Code != CodeNotFound {
		t.Errorf("gone = %+v", s)
	}
	if n := w.count("server/discover"); n != 1 {
		t.Errorf("%d probes in two runs", n)
	}
	stored, err := m.HistoryCall(t.Context(), call.ID)
	if err != nil || stored.Outcome != store.OutcomeDone || string(stored.Result) != string(call.Result) || string(stored.Arguments) != `{"n":9007199254740993}` {
		t.Errorf("stored = %+v, %v", stored, err)
	}
}

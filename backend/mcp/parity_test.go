package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"jackfield/backend/mcp/wire"
	"jackfield/backend/store"
)

// These tests are about rules of the reference manager that docs/reference-parity.md lists and no other test here is about.

func TestUnknownServerIsATypedErrorEverywhere(t *testing.T) {
	m := start(t, Options{}, false)
	ctx := t.Context()
	for name, do := range map[string]func() error{
		"Connect":           func() error { return m.Connect(ctx, "x") },
		"Discover":          func() error { return m.Discover(ctx, "x") },
		"Disconnect":        func() error { return m.Disconnect(ctx, "x") },
		"Remove":            func() error { return m.Remove(ctx, "x") },
		"SetEnabled":        func() error { return m.SetEnabled(ctx, "x", true) },
		"Edit":              func() error { return m.Edit(ctx, store.Server{ID: "x", URL: "https://example.com"}) },
		"SubscribeResource": func() error { return m.SubscribeResource(ctx, "x", "a://b", true) },
		"Status":            func() error { _, err := m.Status("x"); return err },
		"Catalog":           func() error { _, err := m.Catalog("x"); return err },
		"Complete": func() error {
			_, err := m.Complete(ctx, CompleteRequest{ServerID: "x", Kind: "prompt"})
			return err
		},
		"Call": func() error {
			_, err := m.Call(ctx, CallRequest{ServerID: "x", Kind: store.KindTool, Name: "t"})
			return err
		},
	} {
		if err := do(); !errors.Is(err, ErrUnknownServer) || !strings.Contains(err.Error(), "x") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestServerThatCannotBeConnectedFailsItsCallsWithTheReason(t *testing.T) {
	w := newWeb(t, status(http.StatusInternalServerError))
	m := start(t, Options{Store: newMemory(remote(w.URL))}, false)
	for _, kind := range []store.Kind{store.KindTool, store.KindPrompt, store.KindResource} {
		if _, err := m.Call(t.Context(), CallRequest{ServerID: "s", Kind: kind, Name: "t"}); code(err) != CodeNoHandshake {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

func TestRegisteringATakenIDIsRefusedAndChangesNothing(t *testing.T) {
	m := start(t, Options{}, false)
	if _, err := m.Register(t.Context(), store.Server{ID: "x", URL: "https://example.com/one"}); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Register(t.Context(), store.Server{ID: "x", URL: "https://example.com/two"}); code(err) != CodeUsage {
		t.Errorf("err = %v", err)
	}
	if s, _ := m.Status("x"); s.Server.URL != "https://example.com/one" {
		t.Errorf("it points to %s", s.Server.URL)
	}
}

func TestDiscoveryTakes30SecondsAtMostUnlessToldOtherwise(t *testing.T) {
	for limit, want := range map[time.Duration]time.Duration{0: 30 * time.Second, 1500 * time.Millisecond: 1500 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			m := withScript(t, silentList(), Options{}, func(s *store.Server) { s.Timeouts.Discovery = limit })
			begun := time.Now()
			err := m.Connect(t.Context(), "s")
			if took := time.Since(begun); took.Round(time.Second/10) != want || code(err) != CodeDiscoveryTime {
				t.Errorf("it took %s: %v", took, err)
			}
			if s, _ := m.Status("s"); s.State != StateConnected || s.Failure == nil {
				t.Errorf("status = %+v", s)
			}
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			if err := m.Close(ctx); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestAttemptsAreThoseOfTheServer(t *testing.T) {
	for _, attempts := range []int{1, 2} {
		w := newWeb(t, status(http.StatusInternalServerError))
		m := start(t, Options{Store: newMemory(remote(w.URL, func(s *store.Server) {
			s.Era, s.Retry.MaxAttempts = store.EraLegacy, attempts
		}))}, true)
		m.Wait(t.Context())
		if n := w.count("initialize"); n != attempts {
			t.Errorf("%d attempts instead of %d", n, attempts)
		}
	}
}

func TestWaitHasNothingToWaitForWithoutBackgroundWork(t *testing.T) {
	w := newWeb(t, status(http.StatusUnauthorized))
	m := start(t, Options{Store: newMemory(remote(w.URL))}, true)
	m.Wait(t.Context()) // restoring; it must not wait for the person
	if s, _ := m.Status("s"); s.State != StateAuthenticating {
		t.Fatalf("state = %s", s.State)
	}
	m.Wait(t.Context())
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	m.Wait(ended)
	m.Wait(t.Context(), "nobody")
}

func TestDisconnectAllKeepsTheRowsAndWaitsForNoneThatHangs(t *testing.T) {
	release, inner := make(chan struct{}), streamable(newServer(nil))
	w := newWeb(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodDelete {
			<-release
		}
		inner.ServeHTTP(rw, r)
	}))
	t.Cleanup(func() { close(release) })
	m := shelf(t)
	if _, err := m.Add(t.Context(), remote(w.URL)); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- m.DisconnectAll(t.Context()) }()
	eventually(t, "all are closed", func() bool {
		return !slices.ContainsFunc(m.Servers(Filter{}), func(s Status) bool { return s.State != StateDisconnected })
	})
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Error("the server that hangs is waited for without limit")
	}
	if err := m.Connect(t.Context(), "ab"); err != nil {
		t.Errorf("connecting from the row: %v", err)
	}
}

func TestConnectionsAdvertiseTheModesOfTheHandlersAlsoAfterARestart(t *testing.T) {
	for _, test := range []struct {
		modes []AskMode
		want  string
	}{
		{nil, ""},
		{[]AskMode{AskForm}, `{"form":{}}`},
		{[]AskMode{AskURL}, `{"url":{}}`},
		{[]AskMode{AskForm, AskURL}, `{"form":{},"url":{}}`},
	} {
		for _, modern := range []bool{false, true} {
			t.Run(fmt.Sprint(test.modes, " modern ", modern), func(t *testing.T) {
				var mu sync.Mutex
				seen := map[string]int{}
				builtin := map[string]Serve{}
				var rows []store.Server
				for _, id := range []string{"a", "b", "c"} {
					s := &script{modern: modern, answer: func(method string, params json.RawMessage) (string, string) {
						capabilities := wire.Get(params, "capabilities")
						if modern {
							capabilities = wire.Get(wire.Get(params, "_meta"), "io.modelcontextprotocol/clientCapabilities")
						}
						if method == "initialize" || modern {
							mu.Lock()
							seen[string(wire.Get(capabilities, "elicitation"))]++
							mu.Unlock()
						}
						return "", ""
					}}
					builtin[id] = s.serve
					rows = append(rows, scripted(func(s *store.Server) { s.ID = id }))
				}
				m := start(t, Options{Store: newMemory(rows...), Builtin: builtin, Modes: test.modes}, true)
				m.Wait(t.Context())
				if ready := m.Servers(Filter{States: []State{StateReady}}); len(ready) != 3 {
					t.Errorf("%d are ready", len(ready))
				}
				mu.Lock()
				defer mu.Unlock()
				if len(seen) != 1 || seen[test.want] < 3 {
					t.Errorf("advertised %v, want %q", seen, test.want)
				}
			})
		}
	}
}

package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"jackfield/backend/store"
	"jackfield/backend/store/vault"
)

// headersSeen serves a good server and keeps the values of one header.
func headersSeen(t *testing.T, name string) (*web, func() []string) {
	t.Helper()
	var mu sync.Mutex
	var seen []string
	good := streamable(newServer(nil))
	w := newWeb(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		mu.Lock()
		seen = append(seen, r.Header.Get(name))
		mu.Unlock()
		good.ServeHTTP(rw, r)
	}))
	return w, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return append([]string(nil), seen...)
	}
}

func TestASecretHeaderReachesTheServerAndNobodyElse(t *testing.T) {
	const planted = "planted-7f3a"
	w, seen := headersSeen(t, "X-Api-Key")
	memory := newMemory()
	m := start(t, Options{Store: memory}, false)
	events, cancel := m.Subscribe()
	defer cancel()
	entry := remote(w.URL, func(s *store.Server) {
		s.Headers = []store.Variable{{Name: "X-Api-Key", Secret: true, Hidden: vault.NewSecret(planted)}}
	})
	if _, err := m.Add(t.Context(), entry); err != nil {
		t.Fatal(err)
	}
	if got := seen(); len(got) == 0 || strings.Join(got, "") != strings.Repeat(planted, len(got)) {
		t.Errorf("the server got %q", got)
	}
	s, _ := m.Status("s")
	if v := s.Server.Headers[0]; !v.Hidden.IsZero() || v.Value != "" || v.Ref == "" {
		t.Errorf("the row holds it: value %q, hidden %t", v.Value, !v.Hidden.IsZero())
	}
	text := fmt.Sprintf("%+v %#v %+v", m.Snapshot(), memory.server("s"), s)
	for _, message := range m.Trace(TraceFilter{}) {
		body, err := m.TraceBody(message.N)
		if err != nil {
			t.Fatal(err)
		}
		text += fmt.Sprintf("%+v %s", message, body)
	}
	cancel()
	for e := range events {
		encoded, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		text += string(encoded)
	}
	if strings.Contains(text, planted) {
		t.Error("it is in the state, the trace or an event")
	}
}

func TestANewSecretRebuildsTheConnectionAndAnOldOneDoesNot(t *testing.T) {
	w, seen := headersSeen(t, "X-Api-Key")
	memory := newMemory()
	m := start(t, Options{Store: memory}, false)
	entry := remote(w.URL, func(s *store.Server) {
		s.Headers = []store.Variable{{Name: "X-Api-Key", Secret: true, Hidden: vault.NewSecret("one")}}
	})
	if _, err := m.Add(t.Context(), entry); err != nil {
		t.Fatal(err)
	}
	before, _ := m.Status("s")
	edited := before.Server
	edited.Name = "Another name"
	if err := m.Edit(t.Context(), edited); err != nil {
		t.Fatal(err)
	}
	if s, _ := m.Status("s"); s.Generation != before.Generation || s.Server.Headers[0].Ref != before.Server.Headers[0].Ref {
		t.Errorf("renamed: %+v", s)
	}
	edited.Headers = []store.Variable{{Name: "X-Api-Key", Secret: true, Hidden: vault.NewSecret("two")}}
	if err := m.Edit(t.Context(), edited); err != nil {
		t.Fatal(err)
	}
	m.Wait(t.Context(), "s")
	if s, _ := m.Status("s"); s.Generation == before.Generation || s.State != StateReady || !s.Server.Headers[0].Hidden.IsZero() {
		t.Errorf("changed: %+v", s)
	}
	if got := seen(); got[0] != "one" || got[len(got)-1] != "two" {
		t.Errorf("the server got %q", got)
	}
}

func TestASecretVariableReachesTheProcess(t *testing.T) {
	entry := helper(t, "")
	entry.Env = []store.Variable{{Name: helperMode, Secret: true, Hidden: vault.NewSecret("good")}}
	m := start(t, Options{}, false)
	if _, err := m.Add(t.Context(), entry); err != nil { // without it, the test binary is no server
		t.Fatal(err)
	}
}

func TestAnAdhocServerKeepsItsSecretsInMemory(t *testing.T) {
	w, seen := headersSeen(t, "X-Api-Key")
	memory := newMemory()
	memory.sealed = io.ErrUnexpectedEOF // nobody asks
	m := start(t, Options{Store: memory}, false)
	entry := remote(w.URL, func(s *store.Server) {
		s.Headers = []store.Variable{{Name: "X-Api-Key", Value: "mine", Secret: true}}
	})
	if _, err := m.Adhoc(t.Context(), entry); err != nil {
		t.Fatal(err)
	}
	if got := seen(); got[0] != "mine" || len(memory.servers) != 0 {
		t.Errorf("the server got %q; stored: %d", got, len(memory.servers))
	}
}

func TestASecretThatCannotBeReadIsNotTriedAgain(t *testing.T) {
	for name, test := range map[string]struct {
		err           error
		message, hint string
	}{
		"sealed":   {&vault.SealedError{Status: vault.Status{State: vault.Locked, Detail: "The vault is locked.", Hint: "Enter its passphrase."}}, "A secret of this server cannot be read: The vault is locked.", "Enter its passphrase."},
		"not kept": {fmt.Errorf("X-Api-Key: %w", vault.ErrNoSecret), "A secret of this server was not kept: X-Api-Key: no such secret.", "Enter its value again."},
		"waiting":  {context.DeadlineExceeded, "A secret of this server is in the vault, which is not open yet.", "Answer the question of your keyring, and connect again."},
	} {
		t.Run(name, func(t *testing.T) {
			w, seen := headersSeen(t, "X-Api-Key")
			memory := newMemory(remote(w.URL, func(s *store.Server) {
				s.Headers = []store.Variable{{Name: "X-Api-Key", Secret: true, Ref: "r"}}
			}))
			memory.secrets["r"] = vault.NewSecret("later")
			memory.sealed = test.err
			m := start(t, Options{Store: memory}, true)
			m.Wait(t.Context(), "s")
			s, _ := m.Status("s")
			if s.State != StateFailed || s.Attempts != 1 || s.Failure.Code != CodeSecret || s.Failure.Message != test.message || s.Failure.Hint != test.hint {
				t.Errorf("%s after %d attempts: %+v", s.State, s.Attempts, s.Failure)
			}
			if len(seen()) != 0 {
				t.Error("a request went out")
			}
			memory.mu.Lock()
			memory.sealed = nil
			memory.mu.Unlock()
			m.SecretsOpened()
			m.Wait(t.Context(), "s")
			if s, _ := m.Status("s"); s.State != StateReady || seen()[0] != "later" {
				t.Errorf("after the vault was opened: %s, %+v", s.State, s.Failure)
			}
		})
	}
}

func TestASecretIsCheckedLikeAnyValue(t *testing.T) {
	bad := vault.NewSecret("x\r\nInjected: y")
	for _, server := range []store.Server{
		{URL: "https://example.com", Headers: []store.Variable{{Name: "A", Secret: true, Hidden: bad}}},
		{Command: "a", Env: []store.Variable{{Name: "A", Secret: true, Hidden: vault.NewSecret("x\x00")}}},
	} {
		if err := checkServer(&server); code(err) != CodeUsage || strings.Contains(err.Error(), "Injected") {
			t.Errorf("%v", err)
		}
	}
}

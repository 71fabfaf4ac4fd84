package mcp

import (
	"slices"
	"testing"

	"jackfield/backend/store"
	"jackfield/backend/store/vault"
)

func TestACommandThatWasNotTypedRunsOnlyAfterItsReview(t *testing.T) {
	for _, source := range []store.Source{store.SourceLink, store.SourceImport} {
		t.Run(string(source), func(t *testing.T) {
			memory := newMemory()
			m := start(t, Options{Store: memory}, false)
			entry := helper(t, "good")
			entry.Source = source
			entry.Approved = store.CommandHash(entry) // what came with the entry approves nothing
			if _, err := m.Register(t.Context(), entry); err != nil {
				t.Fatal(err)
			}
			s, _ := m.Status("p")
			if s.Server.Enabled || !s.NeedsReview || s.State != StateDisconnected {
				t.Errorf("registered: enabled %t, review %t, %s", s.Server.Enabled, s.NeedsReview, s.State)
			}
			if err := m.Connect(t.Context(), "p"); code(err) != CodeReview {
				t.Errorf("Connect: %v", err)
			}
			if err := m.SetEnabled(t.Context(), "p", true); err != nil {
				t.Fatal(err)
			}
			m.Wait(t.Context(), "p")
			if s, _ := m.Status("p"); s.PID != 0 || s.State != StateFailed || s.Failure.Code != CodeReview || s.Attempts != 1 {
				t.Errorf("enabled: %+v", s)
			}
			for _, hash := range []string{"", "something else"} {
				if err := m.Approve(t.Context(), "p", hash); code(err) != CodeReview {
					t.Errorf("approved %q: %v", hash, err)
				}
			}
			s, _ = m.Status("p")
			if err := m.Approve(t.Context(), "p", store.CommandHash(s.Server)); err != nil {
				t.Fatal(err)
			}
			if s, _ := m.Status("p"); s.NeedsReview || s.Failure != nil || memory.server("p").Approved == "" {
				t.Errorf("approved: %+v", s)
			}
			if err := m.Connect(t.Context(), "p"); err != nil {
				t.Fatalf("Connect after the approval: %v", err)
			}
		})
	}
}

func TestAChangedCommandIsReviewedAgain(t *testing.T) { // CVE-2025-54136
	for name, change := range map[string]func(*store.Server){
		"arguments": func(s *store.Server) { s.Args = append(slices.Clone(s.Args), "-x") },
		"environment": func(s *store.Server) {
			s.Env = append(slices.Clone(s.Env), store.Variable{Name: "LD_PRELOAD", Value: "/tmp/x.so"})
		},
		"a secret one": func(s *store.Server) {
			s.Env = append(slices.Clone(s.Env), store.Variable{Name: "T", Secret: true, Hidden: vault.NewSecret("x")})
		},
		"directory": func(s *store.Server) { s.Cwd = "/" },
	} {
		t.Run(name, func(t *testing.T) {
			m := start(t, Options{}, false)
			entry := helper(t, "good")
			entry.Source = store.SourceImport
			if _, err := m.Register(t.Context(), entry); err != nil {
				t.Fatal(err)
			}
			s, _ := m.Status("p")
			shown := store.CommandHash(s.Server)
			if err := m.Approve(t.Context(), "p", shown); err != nil {
				t.Fatal(err)
			}
			s, _ = m.Status("p")
			edited := s.Server
			change(&edited)
			edited.Source, edited.Approved = store.SourceTyped, store.CommandHash(edited) // neither is for the caller to say
			if err := m.Edit(t.Context(), edited); err != nil {
				t.Fatal(err)
			}
			if s, _ := m.Status("p"); !s.NeedsReview || s.Server.Source != store.SourceImport {
				t.Errorf("edited: review %t, source %q", s.NeedsReview, s.Server.Source)
			}
			if err := m.Approve(t.Context(), "p", shown); code(err) != CodeReview {
				t.Errorf("the old command approved the new one: %v", err)
			}
			if err := m.Connect(t.Context(), "p"); code(err) != CodeReview {
				t.Errorf("Connect: %v", err)
			}
		})
	}
}

func TestATypedCommandNeedsNoReview(t *testing.T) {
	m := start(t, Options{}, false)
	if _, err := m.Add(t.Context(), helper(t, "good")); err != nil {
		t.Fatal(err)
	}
	if s, _ := m.Status("p"); s.NeedsReview || s.State != StateReady {
		t.Errorf("review %t, %s", s.NeedsReview, s.State)
	}
}

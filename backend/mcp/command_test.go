package mcp

import (
	"path/filepath"
	"testing"

	"jackfield/backend/store"
)

func TestExpandHome(t *testing.T) {
	env := []string{homeVariable() + "=/home/me"}
	for path, want := range map[string]string{"~": "/home/me", "~/x": "/home/me/x", "~other/x": "~other/x", "/a/~": "/a/~", "a~b": "a~b"} {
		if got := filepath.ToSlash(expandHome(path, env)); got != want {
			t.Errorf("%s: %s", path, got)
		}
	}
}

func TestMissingCommandFailsWithoutRetry(t *testing.T) {
	m := start(t, Options{Store: newMemory(store.Server{
		ID: "s", Transport: store.TransportStdio, Command: "no-such-program-anywhere", Enabled: true,
	})}, true)
	m.Wait(t.Context())
	s, _ := m.Status("s")
	if s.State != StateFailed || s.Failure.Code != CodeNotFound || s.Attempts != 1 {
		t.Errorf("status = %+v", s)
	}
}

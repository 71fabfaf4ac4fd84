package mcp

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"

	"jackfield/backend/mcp/wire"
	"jackfield/backend/store"
)

// levels notes what a server hears about log levels: of logging/setLevel, or of the _meta of each method.
type levels struct {
	mu   sync.Mutex
	seen []string
	all  map[string]string
}

func (l *levels) note(method string, params json.RawMessage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all == nil {
		l.all = map[string]string{}
	}
	if method == "logging/setLevel" {
		l.seen = append(l.seen, string(wire.Get(params, "level")))
	}
	l.all[method] = string(wire.Get(wire.Get(params, "_meta"), "io.modelcontextprotocol/logLevel"))
}

func (l *levels) set() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.seen)
}

func (l *levels) of(method string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all[method]
}

func logging(modern, offers bool, refuse bool) (*script, *levels) {
	heard := &levels{}
	return &script{modern: modern, answer: func(method string, params json.RawMessage) (string, string) {
		heard.note(method, params)
		switch {
		case method == "initialize" && offers:
			return strings.Replace(legacyHello, `"prompts":{}`, `"prompts":{},"logging":{}`, 1), ""
		case method == "logging/setLevel" && refuse:
			return "", `{"code":-32602,"message":"no such level"}`
		case method == "logging/setLevel":
			return `{}`, ""
		case method == "tools/call":
			return `{"content":[],"resultType":"complete"}`, ""
		}
		return "", ""
	}}, heard
}

func TestLogLevelOfALegacyServerIsSetOncePerConnection(t *testing.T) {
	s, heard := logging(false, true, false)
	m := connected(t, s, Options{}, func(s *store.Server) { s.LogLevel = "warning" })
	eventually(t, "the level", func() bool { return slices.Equal(heard.set(), []string{`"warning"`}) })
	status, _ := m.Status("s")
	status.Server.LogLevel = "debug"
	if err := m.Edit(t.Context(), status.Server); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the new level", func() bool { return slices.Equal(heard.set(), []string{`"warning"`, `"debug"`}) })
	if now, _ := m.Status("s"); now.Generation != status.Generation {
		t.Error("the connection was rebuilt")
	}
	s.hangUp()
	eventually(t, "the level of the next connection", func() bool { return len(heard.set()) == 3 && heard.set()[2] == `"debug"` })
	m.Wait(t.Context())
	if level := heard.of("tools/list"); level != "" {
		t.Errorf("a legacy request carries %s", level)
	}
}

// A renewed HTTP session has forgotten what it was told.
func TestLogLevelIsSetAgainInARenewedSession(t *testing.T) {
	s, heard := logging(false, true, false)
	m := connected(t, s, Options{}, func(s *store.Server) { s.LogLevel = "error" })
	eventually(t, "the level", func() bool { return len(heard.set()) == 1 })
	m.mu.Lock()
	c := m.conns["s"]
	gen := c.gen
	m.mu.Unlock()
	m.renewed(c, gen)
	eventually(t, "the level of the new session", func() bool { return len(heard.set()) == 2 })
	m.Wait(t.Context())
}

func TestLogLevelIsNotSetWhereNothingIsLogged(t *testing.T) {
	s, heard := logging(false, false, false)
	m := connected(t, s, Options{}, func(s *store.Server) { s.LogLevel = "error" })
	if _, err := m.Call(t.Context(), callT()); err != nil {
		t.Fatal(err)
	}
	if len(heard.set()) != 0 {
		t.Errorf("set %v", heard.set())
	}
	s, heard = logging(false, true, false)
	m = connected(t, s, Options{})
	if _, err := m.Call(t.Context(), callT()); err != nil {
		t.Fatal(err)
	}
	if len(heard.set()) != 0 {
		t.Errorf("set %v though nobody chose", heard.set())
	}
}

func TestLogLevelThatIsRefusedIsAProblemAndNoFailure(t *testing.T) {
	s, _ := logging(false, true, true)
	m := connected(t, s, Options{}, func(s *store.Server) { s.LogLevel = "error" })
	eventually(t, "the problem", func() bool {
		status, _ := m.Status("s")
		return slices.ContainsFunc(status.Problems, func(p Problem) bool { return p.Code == "log_level_refused" })
	})
	if status, _ := m.Status("s"); status.State != StateReady {
		t.Errorf("state = %s", status.State)
	}
}

func TestLogLevelOfAModernServerIsInEachRequest(t *testing.T) {
	s, heard := logging(true, true, false)
	m := connected(t, s, Options{}, func(s *store.Server) { s.LogLevel = "info" })
	if _, err := m.Call(t.Context(), callT()); err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{"tools/list", "prompts/list", "tools/call"} {
		if level := heard.of(method); level != `"info"` {
			t.Errorf("%s asks for %q", method, level)
		}
	}
	status, _ := m.Status("s")
	for _, level := range []store.LogLevel{"alert", ""} {
		status.Server.LogLevel = level
		if err := m.Edit(t.Context(), status.Server); err != nil {
			t.Fatal(err)
		}
		if _, err := m.Call(t.Context(), callT()); err != nil {
			t.Fatal(err)
		}
		if got := strings.Trim(heard.of("tools/call"), `"`); got != string(level) {
			t.Errorf("the call asks for %q instead of %q", got, level)
		}
	}
	if s.count("logging/setLevel") != 0 {
		t.Error("logging/setLevel is gone since 2026-07-28")
	}
}

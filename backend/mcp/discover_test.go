package mcp

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"jackfield/backend/store"
)

// withScript starts a Manager with a script as the server "s", not yet connected.
func withScript(t *testing.T, s *script, options Options, changes ...func(*store.Server)) *Manager {
	t.Helper()
	options.Builtin = map[string]Serve{"s": s.serve}
	m := start(t, options, false)
	if _, err := m.Register(t.Context(), scripted(changes...)); err != nil {
		t.Fatal(err)
	}
	return m
}

func toolNames(t *testing.T, m *Manager) []string {
	t.Helper()
	catalog, err := m.Catalog("s")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range catalog.Tools {
		names = append(names, tool.Name)
	}
	return names
}

func problemCodes(t *testing.T, m *Manager) []string {
	t.Helper()
	status, err := m.Status("s")
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	for _, p := range status.Problems {
		codes = append(codes, p.Code)
	}
	return codes
}

func TestDiscoveryTimeoutKeepsTheConnectionAndTheError(t *testing.T) {
	s := &script{answer: func(method string, _ json.RawMessage) (string, string) {
		if method == "tools/list" {
			return "silent", ""
		}
		return "", ""
	}}
	m := withScript(t, s, Options{}, func(s *store.Server) { s.Timeouts.Discovery = 100 * time.Millisecond })
	err := m.Connect(t.Context(), "s")
	status, _ := m.Status("s")
	if code(err) != CodeDiscoveryTime || status.State != StateConnected || status.Failure == nil || status.Detail != "Discovery timed out after 100ms" {
		t.Errorf("err = %v, status = %+v", err, status)
	}
}

func TestSecondDiscoveryThatFailsReturnsToConnectedWithTheOldCatalog(t *testing.T) {
	var broken atomic.Bool
	s := &script{answer: func(method string, _ json.RawMessage) (string, string) {
		if method == "tools/list" && broken.Load() {
			return "", `{"code":-32000,"message":"database down"}`
		}
		return "", ""
	}}
	m := withScript(t, s, Options{})
	if err := m.Connect(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	broken.Store(true)
	err := m.Discover(t.Context(), "s")
	status, _ := m.Status("s")
	if code(err) != CodeServerError || status.State != StateConnected || status.Counts.Tools != 1 {
		t.Errorf("err = %v, status = %+v", err, status)
	}
	broken.Store(false)
	if err := m.Discover(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	if status, _ = m.Status("s"); status.State != StateReady || status.Failure != nil {
		t.Errorf("status = %+v", status)
	}
}

func TestDisconnectEndsARunningDiscovery(t *testing.T) {
	s := &script{answer: func(method string, _ json.RawMessage) (string, string) {
		if method == "tools/list" {
			return "silent", ""
		}
		return "", ""
	}}
	m := withScript(t, s, Options{})
	result := make(chan error, 1)
	go func() { result <- m.Connect(t.Context(), "s") }()
	eventually(t, "discovering", func() bool { status, _ := m.Status("s"); return status.State == StateDiscovering })
	if err := m.Disconnect(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-result:
		if code(err) != CodeClosed {
			t.Errorf("err = %v", err)
		}
	case <-time.After(time.Second):
		t.Error("the discovery goes on")
	}
	if status, _ := m.Status("s"); status.State != StateDisconnected {
		t.Errorf("state = %s", status.State)
	}
}

func TestConcurrentDiscoveriesAreOne(t *testing.T) {
	gate := make(chan struct{})
	s := &script{answer: func(method string, _ json.RawMessage) (string, string) {
		if method == "tools/list" {
			<-gate
		}
		return "", ""
	}}
	m := withScript(t, s, Options{})
	results := make(chan error, 3)
	go func() { results <- m.Connect(t.Context(), "s") }()
	eventually(t, "discovering", func() bool { status, _ := m.Status("s"); return status.State == StateDiscovering })
	for range 2 {
		go func() { results <- m.Discover(t.Context(), "s") }()
	}
	time.Sleep(20 * time.Millisecond)
	close(gate)
	for range 3 {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
	if n := s.count("tools/list"); n != 1 {
		t.Errorf("%d requests", n)
	}
}

func TestMethodNotFoundIsAnEmptyList(t *testing.T) {
	s := &script{answer: func(method string, _ json.RawMessage) (string, string) {
		switch method {
		case "prompts/list", "resources/list", "resources/templates/list":
			return "", `{"code":-32601,"message":"no"}`
		}
		return "", ""
	}}
	m := withScript(t, s, Options{})
	if err := m.Connect(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	if status, _ := m.Status("s"); status.State != StateReady || status.Counts != (Counts{Tools: 1}) {
		t.Errorf("status = %+v", status)
	}
}

func TestListsThatAreNotOfferedAreNotAsked(t *testing.T) {
	s := &script{answer: func(method string, _ json.RawMessage) (string, string) {
		if method == "initialize" {
			return `{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}`, ""
		}
		return "", ""
	}}
	m := withScript(t, s, Options{})
	if err := m.Connect(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	for _, kind := range allLists {
		if s.count(string(kind)) != 0 {
			t.Errorf("%s was asked", kind)
		}
	}
}

func TestPagesComeInOrder(t *testing.T) {
	s := &script{answer: func(method string, params json.RawMessage) (string, string) {
		if method != "tools/list" {
			return "", ""
		}
		var p struct{ Cursor string }
		_ = json.Unmarshal(params, &p)
		switch p.Cursor {
		case "":
			return `{"tools":[{"name":"a","inputSchema":{}}],"nextCursor":"2"}`, ""
		case "2":
			return `{"tools":[{"name":"b","inputSchema":{}}],"nextCursor":"3"}`, ""
		}
		return `{"tools":[{"name":"c","inputSchema":{}}]}`, ""
	}}
	m := withScript(t, s, Options{})
	if err := m.Connect(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	if got := toolNames(t, m); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("tools = %v", got)
	}
}

func TestRepeatedCursorEndsTheListAndIsReported(t *testing.T) {
	s := &script{answer: func(method string, _ json.RawMessage) (string, string) {
		if method == "tools/list" {
			return `{"tools":[{"name":"a","inputSchema":{}}],"nextCursor":"again"}`, ""
		}
		return "", ""
	}}
	m := withScript(t, s, Options{})
	if err := m.Connect(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	if n := s.count("tools/list"); n != 2 {
		t.Errorf("%d requests", n)
	}
	if codes := problemCodes(t, m); !slices.Contains(codes, "repeated_cursor") {
		t.Errorf("problems = %v", codes)
	}
}

func TestEndlessListStopsAtTheLimit(t *testing.T) {
	var page atomic.Int64
	s := &script{answer: func(method string, _ json.RawMessage) (string, string) {
		if method == "tools/list" {
			return fmt.Sprintf(`{"tools":[],"nextCursor":"%d"}`, page.Add(1)), ""
		}
		return "", ""
	}}
	m := withScript(t, s, Options{})
	if err := m.Connect(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	if n := s.count("tools/list"); n != maxPages {
		t.Errorf("%d requests", n)
	}
	if codes := problemCodes(t, m); !slices.Contains(codes, "endless_list") {
		t.Errorf("problems = %v", codes)
	}
}

func TestProblemsOfAListAreReplacedByTheNextDiscovery(t *testing.T) {
	var fixed atomic.Bool
	s := &script{answer: func(method string, _ json.RawMessage) (string, string) {
		if method == "tools/list" && !fixed.Load() {
			return `{"tools":[{"name":"good","inputSchema":{}},{"name":"bad","inputSchema":{},"annotations":{"readOnlyHint":"true"}},{"inputSchema":{}},{"name":"good","inputSchema":{}}]}`, ""
		}
		return "", ""
	}}
	m := withScript(t, s, Options{})
	if err := m.Connect(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	if names := toolNames(t, m); !slices.Contains(names, "good") || len(names) > 2 {
		t.Errorf("tools = %v", names)
	}
	if codes := problemCodes(t, m); len(codes) < 3 || !slices.Contains(codes, "tool_set_aside") {
		t.Errorf("problems = %v", codes)
	}
	fixed.Store(true)
	if err := m.Discover(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	if codes := problemCodes(t, m); len(codes) != 0 {
		t.Errorf("problems = %v", codes)
	}
}

func TestNumbersAndUnknownFieldsOfTheCatalogSurvive(t *testing.T) {
	const raw = `{"name":"t","inputSchema":{"type":"object","properties":{"n":{"maximum":12345678901234567890}}},"icons":[],"x-new":{"a":1e400}}`
	s := &script{answer: func(method string, _ json.RawMessage) (string, string) {
		if method == "tools/list" {
			return `{"tools":[` + raw + `]}`, ""
		}
		return "", ""
	}}
	m := withScript(t, s, Options{})
	if err := m.Connect(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	catalog, _ := m.Catalog("s")
	if len(catalog.Tools) != 1 || string(catalog.Tools[0].Raw) != raw {
		t.Errorf("catalog = %+v", catalog)
	}
}

func TestListChangedFetchesJustThatListOnce(t *testing.T) {
	var grown atomic.Bool
	s := &script{answer: func(method string, _ json.RawMessage) (string, string) {
		if method == "tools/list" && grown.Load() {
			return `{"tools":[{"name":"t","inputSchema":{}},{"name":"u","inputSchema":{}}]}`, ""
		}
		return "", ""
	}}
	m := withScript(t, s, Options{})
	if err := m.Connect(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	before, _ := m.Status("s")
	grown.Store(true)
	for range 5 {
		s.say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	}
	eventually(t, "two tools", func() bool { return len(toolNames(t, m)) == 2 })
	m.Wait(t.Context(), "s")
	after, _ := m.Status("s")
	if n := s.count("tools/list"); n != 2 {
		t.Errorf("%d requests for five notifications", n-1)
	}
	if s.count("prompts/list") != 1 || after.CatalogVersion != before.CatalogVersion+1 || after.State != StateReady {
		t.Errorf("prompts %d, status %+v", s.count("prompts/list"), after)
	}
}

func TestListChangedDuringDiscoveryIsNotLost(t *testing.T) {
	gate := make(chan struct{})
	var first atomic.Bool
	first.Store(true)
	s := &script{}
	s.answer = func(method string, _ json.RawMessage) (string, string) {
		switch {
		case method == "tools/list" && first.Swap(false):
			return `{"tools":[]}`, ""
		case method == "prompts/list":
			<-gate
		}
		return "", ""
	}
	m := withScript(t, s, Options{})
	result := make(chan error, 1)
	go func() { result <- m.Connect(t.Context(), "s") }()
	eventually(t, "tools asked", func() bool { return s.count("tools/list") == 1 })
	s.say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	time.Sleep(20 * time.Millisecond)
	close(gate)
	if err := <-result; err != nil {
		t.Fatal(err)
	}
	eventually(t, "one tool", func() bool { return len(toolNames(t, m)) == 1 })
}

func TestFailedRefetchKeepsTheCatalogAndIsAProblem(t *testing.T) {
	var broken atomic.Bool
	s := &script{answer: func(method string, _ json.RawMessage) (string, string) {
		if method == "tools/list" && broken.Load() {
			return "", `{"code":1,"message":"no"}`
		}
		return "", ""
	}}
	m := withScript(t, s, Options{})
	if err := m.Connect(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	broken.Store(true)
	s.say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	eventually(t, "the problem", func() bool { return slices.Contains(problemCodes(t, m), "refetch_failed") })
	if names := toolNames(t, m); len(names) != 1 {
		t.Errorf("tools = %v", names)
	}
}

// The server said that the list is another one, so the old one does not stay because of one failure.
func TestARefetchThatFailedIsTriedAgain(t *testing.T) {
	var broken, grown atomic.Bool
	s := &script{answer: func(method string, _ json.RawMessage) (string, string) {
		switch {
		case method == "tools/list" && broken.Load():
			return "", `{"code":1,"message":"no"}`
		case method == "tools/list" && grown.Load():
			return `{"tools":[{"name":"t","inputSchema":{"type":"object"}},{"name":"u","inputSchema":{"type":"object"}}]}`, ""
		}
		return "", ""
	}}
	m := start(t, Options{Builtin: map[string]Serve{"s": s.serve}}, false)
	if _, err := m.Add(t.Context(), scripted(func(s *store.Server) { s.Retry.MaxAttempts = -1 })); err != nil {
		t.Fatal(err)
	}
	broken.Store(true)
	grown.Store(true)
	s.say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	eventually(t, "the problem", func() bool { return slices.Contains(problemCodes(t, m), "refetch_failed") })
	broken.Store(false)
	eventually(t, "the new list", func() bool { return len(toolNames(t, m)) == 2 })
	if slices.Contains(problemCodes(t, m), "refetch_failed") {
		t.Error("the problem stays although it is over")
	}
}

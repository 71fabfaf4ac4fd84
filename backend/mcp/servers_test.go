package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"jackfield/backend/store"
)

func TestEveryFieldOfAServerIsDecidedOn(t *testing.T) {
	var fields []string
	for field := range reflect.TypeFor[store.Server]().Fields() {
		fields = append(fields, field.Name)
	}
	decided := append(endpointFields(), cosmeticFields()...)
	slices.Sort(fields)
	slices.Sort(decided)
	if !slices.Equal(fields, decided) {
		t.Errorf("fields  %v\ndecided %v", fields, decided)
	}
}

func TestIDFromName(t *testing.T) {
	for name, want := range map[string]string{
		"My Server!": "my-server", "": "id", "123": "id-123", "--x--": "x", "ÄÖ": "id", "a_b": "a-b",
		strings.Repeat("a", 100): strings.Repeat("a", 64), "GitHub MCP (work)": "github-mcp-work",
	} {
		if got := idFrom(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func TestSameNameGivesAnotherID(t *testing.T) {
	m := start(t, Options{}, false)
	long := strings.Repeat("n", 80)
	for _, want := range []string{"x", "x-2", "x-3"} {
		if id, err := m.Register(t.Context(), store.Server{Name: "X", URL: "https://example.com"}); err != nil || id != want {
			t.Errorf("id = %q, %v", id, err)
		}
	}
	for range 2 {
		if id, err := m.Register(t.Context(), store.Server{Name: long, URL: "https://example.com"}); err != nil || len(id) > maxID {
			t.Errorf("id = %q, %v", id, err)
		}
	}
	if _, err := m.Register(t.Context(), store.Server{ID: "x", URL: "https://example.com"}); code(err) != CodeUsage {
		t.Errorf("a taken id: %v", err)
	}
}

func TestEntriesThatCouldNeverConnectAreRefused(t *testing.T) {
	tests := []struct {
		name   string
		server store.Server
		code   string
	}{
		{"no address", store.Server{}, CodeRefusedURL},
		{"ftp", store.Server{URL: "ftp://example.com"}, CodeRefusedURL},
		{"file", store.Server{URL: "file:///etc/passwd"}, CodeRefusedURL},
		{"no host", store.Server{URL: "http:///x"}, CodeUsage},
		{"credentials", store.Server{URL: "https://u:p@example.com"}, CodeRefusedURL},
		{"not a URL", store.Server{URL: "http://%zz"}, CodeUsage},
		{"no command", store.Server{Transport: store.TransportStdio}, CodeUsage},
		{"NUL", store.Server{Command: "a", Args: []string{"b\x00"}}, CodeUsage},
		{"transport", store.Server{URL: "https://example.com", Transport: "carrier pigeon"}, CodeUsage},
		{"era", store.Server{URL: "https://example.com", Era: "old"}, CodeUsage},
		{"header name", store.Server{URL: "https://example.com", Headers: []store.Variable{{Name: "A B", Value: "x"}}}, CodeUsage},
		{"header value", store.Server{URL: "https://example.com", Headers: []store.Variable{{Name: "A", Value: "x\r\nB: y"}}}, CodeUsage},
		{"variable", store.Server{Command: "a", Env: []store.Variable{{Name: "A=B"}}}, CodeUsage},
		{"id", store.Server{ID: "../x", URL: "https://example.com"}, CodeUsage},
	}
	for _, test := range tests {
		if err := checkServer(&test.server); code(err) != test.code {
			t.Errorf("%s: %v", test.name, err)
		}
		if strings.Contains(code(checkServer(&test.server)), "p@") {
			t.Errorf("%s: shows a password", test.name)
		}
	}
}

func TestRenamingKeepsTheConnectionAndMovingRebuildsIt(t *testing.T) {
	w := newWeb(t, streamable(newServer(nil))) // first, so that it is there until the Manager is closed
	memory := newMemory()
	m := builtin(t, newServer(nil), Options{Store: memory})
	before, _ := m.Status("s")
	server := before.Server
	server.Name = "New name"
	if err := m.Edit(t.Context(), server); err != nil {
		t.Fatal(err)
	}
	if s, _ := m.Status("s"); s.Generation != before.Generation || s.State != StateReady || s.Server.Name != "New name" || memory.server("s").Name != "New name" {
		t.Errorf("renamed: %+v", s)
	}
	server.Transport, server.URL = store.TransportAuto, w.URL
	if err := m.Edit(t.Context(), server); err != nil {
		t.Fatal(err)
	}
	m.Wait(t.Context(), "s")
	if s, _ := m.Status("s"); s.Generation == before.Generation || s.State != StateReady || s.Transport != store.TransportStreamableHTTP {
		t.Errorf("moved: %+v", s)
	}
	if err := m.Edit(t.Context(), store.Server{ID: "nobody", URL: w.URL}); !errors.Is(err, ErrUnknownServer) {
		t.Errorf("unknown: %v", err)
	}
}

func TestMovingForgetsWhatTheOldServerTaught(t *testing.T) {
	memory := newMemory()
	m := builtin(t, newServer(nil), Options{Store: memory})
	if err := m.writer.flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	server := memory.server("s")
	if server.Learned.Era == "" {
		t.Fatal("nothing was learned")
	}
	server.Transport, server.URL, server.Enabled = store.TransportAuto, "http://127.0.0.1:1/", false
	if err := m.Edit(t.Context(), server); err != nil {
		t.Fatal(err)
	}
	if learned := memory.server("s").Learned; learned != (store.Learned{}) {
		t.Errorf("learned = %+v", learned)
	}
	if catalog, _ := m.Catalog("s"); len(catalog.Tools) != 0 {
		t.Error("the old catalog is still there")
	}
}

func TestRemoveDeletesTheRowItsHistoryAndItsTrace(t *testing.T) {
	memory := newMemory()
	m := builtin(t, newServer(nil), Options{Store: memory})
	events, cancel := m.Subscribe()
	defer cancel()
	if _, err := m.Call(t.Context(), CallRequest{ServerID: "s", Kind: store.KindTool, Name: "echo"}); err != nil {
		t.Fatal(err)
	}
	if err := m.Remove(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	if len(memory.servers) != 0 || len(memory.calls) != 0 {
		t.Errorf("left: %v %v", memory.servers, memory.calls)
	}
	if got := m.Trace(TraceFilter{ServerID: "s"}); len(got) != 0 {
		t.Errorf("trace: %v", got)
	}
	if _, err := m.Status("s"); !errors.Is(err, ErrUnknownServer) {
		t.Errorf("status: %v", err)
	}
	await(t, events, "removed", func(e Event) bool { return e.Type == EventRemoved && e.ServerID == "s" })
	if err := m.Remove(t.Context(), "s"); !errors.Is(err, ErrUnknownServer) {
		t.Errorf("second remove: %v", err)
	}
}

func TestRemoveDoesNotWaitForAHangingConnect(t *testing.T) {
	m := start(t, Options{Builtin: map[string]Serve{"s": func(ctx context.Context, pipe io.ReadWriteCloser) error {
		_, err := io.Copy(io.Discard, pipe)
		return err
	}}}, false)
	if _, err := m.Register(t.Context(), scripted()); err != nil {
		t.Fatal(err)
	}
	result := make(chan error, 1)
	go func() { result <- m.Connect(t.Context(), "s") }()
	eventually(t, "connecting", func() bool { s, _ := m.Status("s"); return s.State == StateConnecting })
	if err := m.Remove(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	if err := <-result; code(err) != CodeClosed {
		t.Errorf("connect: %v", err)
	}
}

func TestDisablingClosesAndEnablingConnects(t *testing.T) {
	memory := newMemory()
	m := builtin(t, newServer(nil), Options{Store: memory})
	if err := m.SetEnabled(t.Context(), "s", false); err != nil {
		t.Fatal(err)
	}
	if s, _ := m.Status("s"); s.State != StateDisconnected || memory.server("s").Enabled {
		t.Errorf("disabled: %+v", s)
	}
	if err := m.SetEnabled(t.Context(), "s", true); err != nil {
		t.Fatal(err)
	}
	m.Wait(t.Context())
	if s, _ := m.Status("s"); s.State != StateReady || !memory.server("s").Enabled {
		t.Errorf("enabled: %+v", s)
	}
}

func TestStoreThatCannotWriteIsReported(t *testing.T) {
	memory := newMemory()
	memory.broken = errors.New("disk full")
	m := start(t, Options{Store: memory}, false)
	if _, err := m.Register(t.Context(), store.Server{ID: "x", URL: "https://example.com"}); code(err) != CodeInternal || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("err = %v", err)
	}
	if _, err := m.Status("x"); !errors.Is(err, ErrUnknownServer) {
		t.Error("the server is there all the same")
	}
}

var regexpKey = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

func TestToolKeysAreSafeUniqueAndStable(t *testing.T) {
	m := New(Options{Store: newMemory()})
	defer m.Close(t.Context())
	seen := map[string]toolRef{}
	hashed := toolKey(toolRef{"a_b", "c"})
	_, forged, _ := strings.Cut(hashed, "_")
	for server, names := range map[string][]string{
		"a":   {"b_c", "x y", "x/y", "x.y", strings.Repeat("l", 100), strings.Repeat("l", 101), "ü", forged},
		"a-b": {"c"}, "ab": {"c"}, "a_b": {"c"}, "a.b": {"c"},
	} {
		tools := make([]Tool, len(names))
		for i, name := range names {
			tools[i].Name = name
		}
		m.assignKeysLocked(server, tools)
		for _, tool := range tools {
			if !regexpKey.MatchString(tool.Key) {
				t.Errorf("%q is not safe", tool.Key)
			}
			if other, taken := seen[tool.Key]; taken {
				t.Errorf("%s: of %v and %s %s", tool.Key, other, server, tool.Name)
			}
			seen[tool.Key] = toolRef{server, tool.Name}
		}
	}
	if toolKey(toolRef{"git-hub", "create_issue"}) != "git-hub_create_issue" {
		t.Error("a plain key is not plain")
	}
	again := []Tool{{Name: "x y"}}
	key := toolKey(toolRef{"a", "x y"})
	m.assignKeysLocked("a", again)
	if again[0].Key != key {
		t.Errorf("%q is not stable", again[0].Key)
	}
}

func TestCompletionAndSubscription(t *testing.T) {
	s := &script{answer: func(method string, params json.RawMessage) (string, string) {
		switch method {
		case "initialize":
			return strings.Replace(legacyHello, `"prompts":{}`, `"prompts":{},"completions":{}`, 1), ""
		case "completion/complete":
			return `{"completion":{"values":["go","golang"],"total":2,"hasMore":false}}`, ""
		}
		return "", ""
	}}
	m := connected(t, s, Options{})
	got, err := m.Complete(t.Context(), CompleteRequest{ServerID: "s", Kind: "prompt", Name: "p", Argument: "a", Value: "g", Context: map[string]string{"b": "c"}})
	if err != nil || !slices.Equal(got.Values, []string{"go", "golang"}) || got.Total != 2 {
		t.Errorf("completion = %+v, %v", got, err)
	}
	if _, err := m.Complete(t.Context(), CompleteRequest{ServerID: "s", Kind: "tool"}); code(err) != CodeUsage {
		t.Errorf("kind: %v", err)
	}
	events, cancel := m.Subscribe()
	defer cancel()
	if err := m.SubscribeResource(t.Context(), "s", "x://1", true); err != nil {
		t.Fatal(err)
	}
	s.say(`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"x://1"}}`)
	await(t, events, "updated", func(e Event) bool { return e.Type == EventUpdated && e.URI == "x://1" })
	s.hangUp()
	eventually(t, "the subscription of the new connection", func() bool { return s.count("resources/subscribe") == 2 })
	m.Wait(t.Context())
	if err := m.SubscribeResource(t.Context(), "s", "x://1", false); err != nil {
		t.Fatal(err)
	}
	if s.count("resources/unsubscribe") != 1 {
		t.Error("no unsubscribe")
	}
}

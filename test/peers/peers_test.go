//go:build peers

package peers

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"jackfield/backend/mcp"
	"jackfield/backend/store"
)

// exerciseEverything calls a tool, reads a resource and gets a prompt.
func exerciseEverything(t *testing.T, m *mcp.Manager, id string) {
	t.Helper()
	wantIn(t, call(t, m, id, store.KindTool, "get-sum", `{"a":2,"b":40}`), "42")
	wantIn(t, call(t, m, id, store.KindTool, "echo", `{"message":"jack to field"}`), "jack to field")
	wantIn(t, call(t, m, id, store.KindTool, "get-structured-content", `{"location":"New York"}`), "structuredContent")
	wantIn(t, call(t, m, id, store.KindPrompt, "simple-prompt", `{}`), `"messages"`)

	catalog, err := m.Catalog(id)
	if err != nil {
		t.Fatal(err)
	}
	if len(catalog.Resources) != 7 || len(catalog.Templates) != 2 || len(catalog.Prompts) != 4 {
		t.Fatalf("resources %d, templates %d, prompts %d; want 7, 2, 4",
			len(catalog.Resources), len(catalog.Templates), len(catalog.Prompts))
	}
	wantIn(t, call(t, m, id, store.KindResource, catalog.Resources[0].URI, ``), `"contents"`)
}

func TestEverythingShowsTheToolsThatFitWhatIsAdvertised(t *testing.T) {
	for _, test := range []struct {
		name  string
		modes []mcp.AskMode
		tools []string
	}{
		{"nothing", nil, everythingBase},
		{"form", []mcp.AskMode{mcp.AskForm}, everythingForm},
		{"form and url", []mcp.AskMode{mcp.AskForm, mcp.AskURL}, everythingBoth},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := open(t, test.modes...)
			add(t, m, stdio("everything", everything, "stdio"), test.tools)
		})
	}
}

func TestEverythingOverStdio(t *testing.T) {
	m := open(t, mcp.AskForm, mcp.AskURL)
	id := add(t, m, stdio("everything", everything, "stdio"), everythingBoth)
	exerciseEverything(t, m, id)
	if s := status(t, m, id); s.Era != store.EraLegacy || s.ProtocolVersion != "2025-11-25" {
		t.Errorf("era %q, version %q", s.Era, s.ProtocolVersion)
	}
}

func TestEverythingOverStreamableHTTP(t *testing.T) {
	url := startHTTP(t, "--import", "./loopback.mjs", everything, "streamableHttp") + "/mcp"
	m := open(t, mcp.AskForm, mcp.AskURL)
	id := add(t, m, store.Server{Name: "everything", Transport: store.TransportAuto, URL: url, Enabled: true}, everythingBoth)
	exerciseEverything(t, m, id)
	if s := status(t, m, id); s.Transport != store.TransportStreamableHTTP {
		t.Errorf("transport %q", s.Transport)
	}
}

func TestEverythingOverSSEIsFoundByAuto(t *testing.T) {
	url := startHTTP(t, "--import", "./loopback.mjs", everything, "sse") + "/sse"
	m := open(t, mcp.AskForm, mcp.AskURL)
	id := add(t, m, store.Server{Name: "everything", Transport: store.TransportAuto, URL: url, Enabled: true}, everythingBoth)
	exerciseEverything(t, m, id)
	if s := status(t, m, id); s.Transport != store.TransportSSE {
		t.Errorf("transport %q", s.Transport)
	}
}

func TestEverythingAsksAndGetsTheAnswer(t *testing.T) {
	m := open(t, mcp.AskForm, mcp.AskURL)
	id := add(t, m, stdio("everything", everything, "stdio"), everythingBoth)
	events, stop := m.Subscribe()
	defer stop()
	go func() {
		for event := range events {
			if event.Type == mcp.EventAsk && !event.Ask.Closed {
				content := json.RawMessage(`{"name":"Ada Lovelace","check":true,"firstLine":"It was a dark night."}`)
				if err := m.Answer(t.Context(), event.Ask.ID, mcp.Answer{Action: mcp.ActionAccept, Content: content}); err != nil {
					t.Errorf("answering: %v", err)
				}
			}
		}
	}()
	result := call(t, m, id, store.KindTool, "trigger-elicitation-request", `{}`)
	wantIn(t, result, "Ada Lovelace")
}

func TestEverythingReportsProgress(t *testing.T) {
	m := open(t)
	id := add(t, m, stdio("everything", everything, "stdio"), everythingBase)
	events, stop := m.Subscribe()
	defer stop()
	seen := make(chan mcp.Progress, 100)
	go func() {
		for event := range events {
			if event.Type == mcp.EventCall && event.Call.Progress != nil {
				seen <- *event.Call.Progress
			}
		}
	}()
	call(t, m, id, store.KindTool, "trigger-long-running-operation", `{"duration":1,"steps":4}`)
	select {
	case p := <-seen:
		if p.Total != 4 {
			t.Errorf("total is %v, want 4", p.Total)
		}
	case <-time.After(5 * time.Second):
		t.Error("no progress arrived")
	}
}

func TestFilesystem(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "note.txt"), []byte("plugged in"), 0o600); err != nil {
		t.Fatal(err)
	}
	m := open(t, mcp.AskForm)
	server := stdio("files", "node_modules/@modelcontextprotocol/server-filesystem/dist/index.js", dir)
	id := addCount(t, m, server, 14)
	arguments, err := json.Marshal(map[string]string{"path": filepath.Join(dir, "note.txt")})
	if err != nil {
		t.Fatal(err)
	}
	wantIn(t, call(t, m, id, store.KindTool, "read_text_file", string(arguments)), "plugged in")
	if s := status(t, m, id); s.Counts.Prompts != 0 || s.Counts.Resources != 0 || s.Failure != nil {
		t.Errorf("counts %+v, failure %+v", s.Counts, s.Failure)
	}
}

func TestMemory(t *testing.T) {
	m := open(t, mcp.AskForm)
	server := stdio("memory", "node_modules/@modelcontextprotocol/server-memory/dist/index.js")
	server.Env = []store.Variable{{Name: "MEMORY_FILE_PATH", Value: filepath.Join(t.TempDir(), "memory.json")}}
	id := addCount(t, m, server, 9)
	call(t, m, id, store.KindTool, "create_entities",
		`{"entities":[{"name":"jack","entityType":"socket","observations":["plugged in"]}]}`)
	wantIn(t, call(t, m, id, store.KindTool, "read_graph", `{}`), "plugged in")
}

func TestModernOverStdio(t *testing.T) {
	m := open(t, mcp.AskForm)
	id := add(t, m, stdio("modern", "modern-stdio.mjs"), []string{"add"})
	exerciseModern(t, m, id)
}

func TestModernOverHTTP(t *testing.T) {
	url := startHTTP(t, "modern-http.mjs") + "/"
	m := open(t, mcp.AskForm)
	id := add(t, m, store.Server{Name: "modern", Transport: store.TransportAuto, URL: url, Enabled: true}, []string{"add"})
	exerciseModern(t, m, id)
}

func exerciseModern(t *testing.T, m *mcp.Manager, id string) {
	t.Helper()
	wantIn(t, call(t, m, id, store.KindTool, "add", `{"a":2,"b":40}`), `"sum":42`)
	if s := status(t, m, id); s.Era != store.EraModern || s.ProtocolVersion != "2026-07-28" {
		t.Errorf("era %q, version %q", s.Era, s.ProtocolVersion)
	}
}

// addCount is add for servers of which only the number of tools is known for sure.
func addCount(t *testing.T, m *mcp.Manager, server store.Server, tools int) string {
	t.Helper()
	id, err := m.Add(t.Context(), server)
	if err != nil {
		t.Fatalf("adding %s: %v", server.Name, err)
	}
	if names := toolNames(t, m, id); len(names) != tools {
		t.Fatalf("%s has %d tools, want %d: %s", server.Name, len(names), tools, strings.Join(names, ", "))
	}
	return id
}

// Folders, a model's answer and a log level, each as a real server asks for them.
func TestEverythingGetsFoldersAnAnswerAndALogLevel(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a b")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	m := open(t, mcp.AskForm, mcp.AskURL, mcp.AskSampling)
	server := stdio("everything", everything, "stdio")
	server.Roots, server.LogLevel = []string{dir}, "debug"
	id := add(t, m, server, slices.Concat(everythingBoth, []string{"get-roots-list", "trigger-sampling-request"}))
	events, stop := m.Subscribe()
	defer stop()
	logged := make(chan string, 1)
	go func() {
		for event := range events {
			switch {
			case event.Type == mcp.EventLog:
				select {
				case logged <- event.Log.Text:
				default:
				}
			case event.Type == mcp.EventAsk && !event.Ask.Closed:
				content := json.RawMessage(`{"content":"written by a person"}`)
				if err := m.Answer(t.Context(), event.Ask.ID, mcp.Answer{Action: mcp.ActionAccept, Content: content}); err != nil {
					t.Errorf("answering: %v", err)
				}
			}
		}
	}()
	wantIn(t, call(t, m, id, store.KindTool, "trigger-sampling-request", `{"prompt":"hello","maxTokens":10}`), "written by a person")
	wantIn(t, call(t, m, id, store.KindTool, "get-roots-list", `{}`), "/a%20b")
	call(t, m, id, store.KindTool, "toggle-simulated-logging", `{}`)
	select {
	case <-logged:
	case <-time.After(30 * time.Second):
		t.Error("nothing was logged")
	}
}

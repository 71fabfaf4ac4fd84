package cli

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"jackfield/backend/mcp"
	"jackfield/backend/store"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestShapes pins every document: fields may be added, never renamed.
func TestShapes(t *testing.T) {
	code := 3
	when := time.Date(2026, 11, 30, 12, 0, 0, 5e6, time.UTC)
	failure := store.Failure{Code: mcp.CodeExited, Message: "Exited with status 3.", Hint: "Look.", ExitCode: &code, Stderr: []string{"a <b>"}}
	problem := mcp.Problem{Code: "tool_set_aside", ServerID: "s", Subject: "bad", Message: "It has no name."}
	remote := store.Server{
		ID: "r", Name: "Remote", Transport: store.TransportAuto, URL: "https://u:confidential@example.com/mcp", Era: store.EraAuto,
		Headers: []store.Variable{{Name: "Authorization", Value: "confidential", Secret: true}, {Name: "X", Value: "1"}},
		Enabled: true, LastError: &failure, ClientID: "c", TrustLocalNetwork: true,
	}
	local := store.Server{
		ID: "l", Name: "Local", Transport: store.TransportStdio, Command: "node", Args: []string{"a b"}, Cwd: "/srv",
		Env: []store.Variable{{Name: "TOKEN", Value: "confidential", Secret: true}}, Era: store.EraLegacy,
	}
	row := mcp.Status{
		Server: local, State: mcp.StateFailed, Detail: "Exited with status 3", Era: store.EraLegacy, ProtocolVersion: "2025-11-25",
		ServerInfo: mcp.Implementation{Name: "n", Version: "1"}, Counts: mcp.Counts{Tools: 1, Prompts: 2, Resources: 3, Templates: 4},
		Attempts: 2, Failure: &failure, Problems: []mcp.Problem{problem, problem},
	}
	raw := json.RawMessage(`{"name":"t","inputSchema":{"maximum":9007199254740993},"annotations":{"readOnlyHint":true},"_meta":{"a":1.0}}`)
	tool := mcp.Tool{
		Name: "t", Title: "T", Description: "d", Key: "s_t", InputSchema: json.RawMessage(`{"maximum":9007199254740993}`), Raw: raw,
	}
	call := store.Call{
		ID: "01", ServerID: "s", Kind: store.KindTool, Name: "t", Arguments: json.RawMessage(`{"n":1.0}`), Outcome: store.OutcomeToolError,
		StartedAt: when, Duration: 1234567 * time.Nanosecond, Result: json.RawMessage(`{"content":[],"n":9007199254740993}`), Size: 35,
		Asks: []store.AskOutcome{{Mode: "form", Action: "accept"}},
	}
	failed := call
	failed.Result, failed.Outcome, failed.Failure, failed.Asks = nil, store.OutcomeFailed, &failure, nil
	prompt, read := call, call
	prompt.Kind, prompt.Outcome, read.Kind, read.Outcome, read.Name = store.KindPrompt, store.OutcomeDone, store.KindResource, store.OutcomeDone, "x://y"
	documents := map[string]any{
		"server-remote": newServer(remote),
		"server-local":  newServer(local),
		"status-failed": newStatus(row),
		"status-new":    newStatus(mcp.Status{Server: remote, State: mcp.StateDisconnected}),
		"tool":          newTool("s", tool),
		"prompt": newPrompt("s", mcp.Prompt{
			Name: "p", Arguments: []mcp.PromptArgument{{Name: "a", Required: true}}, Raw: json.RawMessage(`{"name":"p"}`),
		}),
		"resource":      newResource("s", mcp.Resource{URI: "x://y", Name: "y", MIMEType: "text/plain", Size: 7, Raw: json.RawMessage(`{}`)}),
		"resource-size": newResource("s", mcp.Resource{URI: "x://y", Size: -1, Raw: json.RawMessage(`{}`)}),
		"template":      newTemplate("s", mcp.ResourceTemplate{URITemplate: "x://{y}", Name: "y", Raw: json.RawMessage(`{}`)}),
		"call":          newCall(mcp.Call{Call: call}, []mcp.Problem{problem}, nil),
		"call-failed":   newCall(mcp.Call{Call: failed}, nil, &mcp.Error{Failure: failure, Fields: []mcp.FieldError{{Pointer: "/a", Message: "Required."}}}),
		"call-prompt":   newCall(mcp.Call{Call: prompt}, nil, nil),
		"call-read":     newCall(mcp.Call{Call: read, Violations: []mcp.FieldError{{Pointer: "/n", Message: "Too big."}}}, nil, nil),
		"history":       newHistory(call),
		"trace":         traceDoc{timestamp(when), mcp.Out, "s", `{"jsonrpc":"2.0"}`},
		"event-server":  newEvent(mcp.Event{Seq: 1, Type: mcp.EventServer, Time: when, ServerID: "l", Server: &row}),
		"event-call": newEvent(mcp.Event{Seq: 2, Type: mcp.EventCall, Time: when, ServerID: "s", Call: &mcp.Call{
			Call: call, Progress: &mcp.Progress{Progress: 1, Total: 2, Message: "half"},
		}}),
		"event-ask": newEvent(mcp.Event{Seq: 3, Type: mcp.EventAsk, Time: when, ServerID: "s", Ask: &mcp.Ask{ID: "a", Mode: mcp.AskForm, Message: "m"}}),
		"event-other": newEvent(mcp.Event{
			Seq: 4, Type: mcp.EventTrace, Time: when, ServerID: "s", Message: &mcp.Message{Dir: mcp.In, Kind: "response", Method: "tools/list", HTTP: 200},
			Problem: &problem, Log: &mcp.LogMessage{Level: "info", Text: "t"}, URI: "x://y", Text: "text",
		}),
	}
	for name, document := range documents {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := (&output{out: &b, gone: func() {}}).document(document); err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(b.Bytes(), []byte("confidential")) {
				t.Errorf("a secret is shown: %s", b.Bytes())
			}
			path := filepath.Join("testdata", "golden", name+".json")
			if *update {
				if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), b.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

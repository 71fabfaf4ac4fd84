package api

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"jackfield/app/browser"
	"jackfield/backend/mcp"
	"jackfield/backend/store"
	"jackfield/backend/store/vault"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var (
	at   = time.Date(2026, 11, 30, 12, 0, 0, 123456789, time.FixedZone("", 3600))
	yes  = true
	no   = false
	exit = 3
)

func failed() *store.Failure {
	return &store.Failure{Code: mcp.CodeExited, Message: "It ended.", Hint: "Look at its log.", ExitCode: &exit, Stderr: []string{"boom"}}
}

func status() mcp.Status {
	return mcp.Status{
		Server: store.Server{
			ID: "files", Name: "Files", Transport: store.TransportStdio, Command: "/usr/bin/npx", Args: []string{"-y", "fs"},
			Env: []store.Variable{{Name: "TOKEN", Value: "s3cr3t", Secret: true}}, Enabled: true,
		},
		State: mcp.StateReady, Detail: "Ready", Generation: 1<<53 + 1, Transport: store.TransportStdio, Era: store.EraLegacy,
		ProtocolVersion: "2025-11-25", ServerInfo: mcp.Implementation{Name: "fs", Title: "Files", Version: "1"},
		Instructions: "Read.", Capabilities: []string{"tools"}, PID: 7, Latency: 1500 * time.Microsecond,
		Counts: mcp.Counts{Tools: 1, Prompts: 2, Resources: 3, Templates: 4}, CatalogVersion: 9, Attempts: 1, MaxAttempts: 3,
		RetryAt: at, Failure: failed(),
		Problems: []mcp.Problem{{Code: "noise_on_stdout", ServerID: "files", Subject: "stdout", Message: "A banner."}},
	}
}

func call() mcp.Call {
	return mcp.Call{
		Call: store.Call{
			ID: "01J", ServerID: "files", Kind: store.KindTool, Name: "read", Arguments: json.RawMessage(`{"n":9007199254740993}`),
			Outcome: store.OutcomeDone, StartedAt: at, Duration: 12345 * time.Microsecond,
			Result: json.RawMessage(`{"structuredContent":{"n":9007199254740993}}`), Size: 44,
			Asks: []store.AskOutcome{{Mode: "form", Action: "accept"}}, Failure: failed(),
		},
		Progress: &mcp.Progress{Progress: 1, Total: 2, Message: "Half"}, IdleUntil: at, TotalUntil: at.Add(time.Minute),
		Problems:   []mcp.Problem{{Code: "c"}},
		Violations: []mcp.FieldError{{Pointer: "/n", Message: "21 is more than the maximum, 13."}},
	}
}

func ask() mcp.Ask {
	return mcp.Ask{
		ID: "a1", ServerID: "files", ServerName: "Files", Endpoint: "npx", CallID: "01J", CallName: "read",
		Arguments: json.RawMessage(`{}`), Mode: mcp.AskForm, Message: "Which?", Schema: json.RawMessage(`{"type":"object"}`),
		OpenedAt: at, Closed: true, Outcome: mcp.ActionDecline, Reason: "Answered.",
	}
}

func TestGolden(t *testing.T) {
	message := mcp.Message{
		N: 1<<63 + 1, ServerID: "files", Time: at, Dir: mcp.In, Kind: "response", Method: "tools/call", RPCID: "4", CallID: "01J",
		Summary: "{…}", Bytes: 44, Latency: time.Millisecond, HTTP: 200, Problem: "p",
	}
	rich, running, question := status(), call(), ask()
	golden := map[string]any{
		"server":       ServerOf(rich),
		"server-empty": ServerOf(mcp.Status{}),
		"call":         CallOf(running),
		"call-empty":   CallOf(mcp.Call{}),
		"ask":          AskOf(question),
		"ask-url":      AskOf(mcp.Ask{Mode: mcp.AskURL, URL: "https://pay.example:8443/x?y=1"}),
		"message":      MessageOf(message),
		"config":       ConfigOf(rich.Server),
		"draft":        DraftOf(rich.Server),
		"catalog": CatalogOf(mcp.Catalog{
			ServerID: "files", Version: 2,
			Tools: []mcp.Tool{{
				Name: "read", Title: "Read", Description: "d", Key: "files_read", InputSchema: json.RawMessage(`{"type":"object"}`),
				Annotations: mcp.Annotations{ReadOnly: &yes, Destructive: &no}, Raw: json.RawMessage(`{"name":"read"}`),
			}},
			Prompts:   []mcp.Prompt{{Name: "p", Arguments: []mcp.PromptArgument{{Name: "a", Required: true}}}, {Name: "bare"}},
			Resources: []mcp.Resource{{URI: "file:///a", Name: "a", MIMEType: "text/plain", Size: -1}},
			Templates: []mcp.ResourceTemplate{{URITemplate: "o://{id}{?q,r}"}, {URITemplate: "o://{broken"}},
		}),
		"catalog-empty": CatalogOf(mcp.Catalog{}),
		"snapshot":      SnapshotOf(mcp.Snapshot{Seq: 1<<64 - 1, Servers: []mcp.Status{rich}, Asks: []mcp.Ask{question}, Calls: []mcp.Call{running}}),
		"event": EventOf(mcp.Event{
			Seq: 5, Type: mcp.EventCall, Time: at, ServerID: "files", Server: &rich, Call: &running, Ask: &question, Message: &message,
			Log: &mcp.LogMessage{Level: "info", Logger: "l", Text: "t"}, URI: "file:///a", Text: "Text.",
		}),
		"event-problem": EventOf(mcp.Event{Seq: 6, Type: mcp.EventProblem, Problem: &mcp.Problem{Message: "Noise."}}),
	}
	for name, value := range golden {
		t.Run(name, func(t *testing.T) {
			got, err := json.MarshalIndent(value, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, '\n')
			file := filepath.Join("testdata", name+".json")
			if *update {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != string(want) {
				t.Errorf("got %s\nwant %s", got, want)
			}
		})
	}
}

// A list that is null in JSON breaks a page that iterates over it.
func TestNoListIsNull(t *testing.T) {
	for _, value := range []any{
		ServerOf(mcp.Status{}), CallOf(mcp.Call{}), StoredCallOf(store.Call{}), CatalogOf(mcp.Catalog{}),
		CatalogOf(mcp.Catalog{Prompts: make([]mcp.Prompt, 1), Templates: make([]mcp.ResourceTemplate, 1)}),
		SnapshotOf(mcp.Snapshot{}), ConfigOf(store.Server{}), FailureOf(&mcp.Error{}),
	} {
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "null") {
			t.Errorf("%T has a null: %s", value, text)
		}
	}
}

func TestLargeResultTravelsByURL(t *testing.T) {
	for _, test := range []struct {
		name string
		call store.Call
		url  bool
	}{
		{"small", store.Call{ID: "a b", Result: make([]byte, LargeResult)}, false},
		{"large", store.Call{ID: "a b", Result: make([]byte, LargeResult+1)}, true},
		{"large, in its own file", store.Call{ID: "a b", Size: LargeResult + 1}, true},
	} {
		got := StoredCallOf(test.call)
		if (got.ResultURL == "/call/a%20b/result") != test.url || (got.Result == "") != (test.url || len(test.call.Result) == 0) {
			t.Errorf("%s: %q, %d bytes", test.name, got.ResultURL, len(got.Result))
		}
	}
}

func TestSecretsOfAConfig(t *testing.T) {
	stored := store.Server{ID: "x", ClientID: "kept", Learned: store.Learned{Era: store.EraLegacy}, Env: []store.Variable{
		{Name: "A", Secret: true, Ref: "1", Hidden: vault.NewSecret("first-s3cr3t")}, {Name: "A", Secret: true, Ref: "2"}, {Name: "B", Value: "plain"},
	}}
	config := ConfigOf(stored)
	text, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "s3cr3t") {
		t.Errorf("a stored secret went out: %s", text)
	}
	if got := ServerFrom(config, stored); !reflect.DeepEqual(got.Env, stored.Env) || got.ClientID != "kept" || got.Learned.Era != store.EraLegacy {
		t.Errorf("saving without a change gave %+v", got)
	}
	config.Env = []Variable{
		{Name: "A", Secret: true, HasValue: true},
		{Name: "A", Value: "new", Secret: true, HasValue: true},
		{Name: "B", Value: "", HasValue: false},
		{Name: "C", Secret: true, HasValue: true},
	}
	want := []store.Variable{
		stored.Env[0], {Name: "A", Secret: true, Hidden: vault.NewSecret("new")}, {Name: "B"}, {Name: "C", Secret: true},
	}
	if got := ServerFrom(config, stored).Env; !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestConfigRoundTrip(t *testing.T) {
	config := Config{
		Name: "n", Transport: "sse", URL: "https://x", Headers: []Variable{{Name: "H", Value: "v"}}, Command: "c", Args: []string{"a"},
		Env: []Variable{{Name: "E", Value: "v", Secret: true}}, Cwd: "/", Era: "modern", Enabled: true, TrustLocalNetwork: true,
		MaxAttempts: -1, ConnectMs: 1, DiscoveryMs: 2, CallIdleMs: 3, CallTotalMs: 4, Roots: []string{"/a"}, LogLevel: "info",
		SignIn: SignInConfig{
			Mode: "oauth", Redirect: "localhost", ClientID: "c", Issuer: "https://as", AuthMethod: "client_secret_post", HasSecret: true, HasKey: true,
			Scopes: []string{"s"}, Resource: "r", OmitResource: true, NoConsent: true, NoOffline: true,
		},
	}
	got := DraftOf(ServerFrom(config, store.Server{}))
	for i := range got.Headers {
		got.Headers[i].HasValue = false
	}
	for i := range got.Env {
		got.Env[i].HasValue = false
	}
	if !reflect.DeepEqual(got, config) {
		t.Errorf("got  %+v\nwant %+v", got, config)
	}
	// A field that nobody set above would round-trip by accident.
	for i := range reflect.TypeOf(config).NumField() {
		if reflect.ValueOf(config).Field(i).IsZero() {
			t.Errorf("the test does not cover %s", reflect.TypeOf(config).Field(i).Name)
		}
	}
}

// What the page entered never goes back to it.
func TestSignInSecretsDoNotComeBack(t *testing.T) {
	server := ServerFrom(Config{SignIn: SignInConfig{ClientSecret: "planted", PrivateKey: "planted"}}, store.Server{})
	if !server.SignIn.HasSecret || !server.SignIn.HasKey || server.SignIn.ClientSecret.Reveal() != "planted" {
		t.Errorf("%+v", server.SignIn)
	}
	back := ConfigOf(server).SignIn
	if back.ClientSecret != "" || back.PrivateKey != "" || !back.HasSecret || !back.HasKey {
		t.Errorf("%+v", back)
	}
}

type plain struct{}

func (plain) Error() string { return "Line 1: no." }
func (plain) Hint() string  { return "Do this." }

func TestFailureOf(t *testing.T) {
	tests := []struct {
		name          string
		err           error
		code, message string
	}{
		{"of the Manager", fmt.Errorf("calling: %w", &mcp.Error{Failure: store.Failure{Code: mcp.CodeExited, Message: "It ended.", Hint: "h"}, Fields: []mcp.FieldError{{Pointer: "/a"}}}), mcp.CodeExited, "It ended."},
		{"of the Manager without a code", &mcp.Error{Failure: store.Failure{Message: "m", Hint: "h"}}, mcp.CodeInternal, "m"},
		{"server gone", fmt.Errorf("x: %w", mcp.ErrUnknownServer), mcp.CodeUnknownServer, "not in the list"},
		{"ask gone", mcp.ErrUnknownAsk, CodeAskClosed, "no longer open"},
		{"quitting", mcp.ErrClosed, mcp.CodeClosed, "quitting"},
		{"row gone", store.ErrNotFound, mcp.CodeUnknownItem, "not there"},
		{"refused URL", fmt.Errorf("%w: no", browser.ErrRefused), mcp.CodeRefusedURL, "This address is not opened: no."},
		{"plain", plain{}, mcp.CodeUsage, "Line 1: no."},
		{"cancelled", context.Canceled, mcp.CodeCancelled, "cancelled"},
		{"anything", errors.New("disk full"), mcp.CodeInternal, "Disk full."},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := FailureOf(test.err)
			if got.Code != test.code || !strings.Contains(got.Message, test.message) || got.Hint == "" {
				t.Errorf("got %+v", got)
			}
			var decoded Failure
			if err := json.Unmarshal([]byte((&Reject{got}).Error()), &decoded); err != nil || decoded.Code != test.code {
				t.Errorf("the page reads %+v, %v", decoded, err)
			}
		})
	}
}

func TestAnswerOf(t *testing.T) {
	if got := AnswerOf(Answer{Action: "accept", Content: `{"n":9007199254740993}`}); string(got.Content) != `{"n":9007199254740993}` {
		t.Errorf("got %+v", got)
	}
	if got := AnswerOf(Answer{Action: "decline", Content: `{}`}); got.Content != nil || got.Action != mcp.ActionDecline {
		t.Errorf("a declined form kept its content: %+v", got)
	}
}

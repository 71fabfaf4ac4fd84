//go:build unix

package wire

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// dial connects to a fake; the era is asked for only if probe is set.
func dial(t *testing.T, mode string, l *journal, probe time.Duration, options *sdk.ClientOptions) (*Wire, *sdk.ClientSession, error) {
	t.Helper()
	w := New(Config{Observer: l.observer(), Probe: probe, Grace: 300 * time.Millisecond})
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	var session *sdk.ClientSessionOptions
	if probe == 0 {
		session = &sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"}
	}
	if options == nil {
		options = &sdk.ClientOptions{Capabilities: &sdk.ClientCapabilities{}}
	}
	c := sdk.NewClient(&sdk.Implementation{Name: "wire-test", Version: "1"}, options)
	cs, err := c.Connect(withTimeout(t), w.Stdio(self(mode)), session)
	return w, cs, err
}

// TestServersThatMisbehave holds each against the same promise: list and two calls, whatever the fault; the problem is named;
// the record has the original bytes.
func TestServersThatMisbehave(t *testing.T) {
	for _, test := range []struct {
		mode     string
		codes    string // problems
		recorded string // in a record of what came in
		failure  string // of the first call; "" if it succeeds
	}{
		{"good", "", `"done"`, ""},
		{"banner", "noise_on_stdout", "[ready] {port: 1}", ""},
		{"banner without line end", "noise_on_stdout", "ready> ", ""},
		{"log lines", "noise_on_stdout", `{"level":"info","msg":"x"}`, ""},
		{"bom first", "bom", "\xef\xbb\xbf{", ""},
		{"bom on each", "bom", "\xef\xbb\xbf{", ""},
		{"trailing blank", "", `"done"`, ""},
		{"leading blank", "", `"done"`, ""},
		{"two on a line", "", `notifications/x`, ""},
		{"pretty-printed", "", "\n  \"result\": {", ""},
		{"crlf", "", `"done"`, ""},
		{"content-length", "noise_on_stdout", "Content-Length: ", ""},
		{"seven bytes", "", `"done"`, ""},
		{"no line end", "", `"done"`, ""},
		{"batches", "batch", `[{"jsonrpc":"2.0","method":"notifications/x"},{`, ""},
		{"invalid utf-8", "", "\"\xff\xfe\"", ""},
		{"20 MB", "", `line\nline`, ""},
		{"line end within a string", "message_broken,noise_on_stdout", "a", "broke off"},
		{"broken off", "message_broken,noise_on_stdout", `"content":[`, "broke off"},
		{"broken json", "", `[}}}`, ""},
		{"string ids", "id_type", `"id":"1"`, ""},
		{"ids with a fraction", "id_form", `"id":1.0`, ""},
		{"no version", "jsonrpc_missing", `{"id":1`, ""},
		{"upper case keys", "key_case", `"Result"`, ""},
		{"nulls", "null_member", `"method":null`, ""},
		{"every answer twice", "id_doubled", `"done"`, ""},
		{"an unknown id", "id_unknown", `4711`, ""},
		{"error with id null", "id_missing", `"id":null`, "no"},
		{"error as text", "error_text", `"error":"no"`, "no"},
		{"error code as text", "error_code", `"code":"-7"`, "no"},
		{"no result", "no_result", `"id":3}`, "neither a result nor an error"},
		{"unknown content", "", `"video"`, ""},
		{"deep", "", `{"a":{"a":`, ""},
		{"a bad tool", "tool_set_aside", `{"name":7}`, ""},
		{"floods stderr", "", `"done"`, ""},
	} {
		t.Run(test.mode, func(t *testing.T) {
			t.Parallel()
			l := &journal{}
			_, session, err := dial(t, test.mode, l, 0, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			ctx := withTimeout(t)
			list := &Call{ID: "list"}
			tools, err := session.ListTools(WithCall(ctx, list), nil)
			if err != nil || len(tools.Tools) != 1 || tools.Tools[0].Name != "echo" {
				t.Fatalf("tools %v, %v", tools, err)
			}
			if !strings.Contains(string(list.Result()), `"echo"`) {
				t.Errorf("raw list %s", list.Result())
			}
			for i := range 2 {
				call := &Call{ID: strconv.Itoa(i), Placeholder: true}
				_, err := session.CallTool(WithCall(ctx, call), &sdk.CallToolParams{Name: "echo"})
				if i == 0 && test.failure != "" {
					var rpc *jsonrpc.Error
					if !errors.As(err, &rpc) || !strings.Contains(rpc.Message, test.failure) {
						t.Errorf("first call: %v, want a JSON-RPC error with %q", err, test.failure)
					}
					// An answer that says nothing is no error of the server's.
					_, broken := errors.AsType[*BrokenError](call.Err())
					if rounds := call.Rounds(); len(rounds) != 1 || (rounds[0].Error == nil) != broken {
						t.Errorf("rounds %v", rounds)
					}
					continue
				}
				if err != nil {
					t.Fatalf("call %d: %v", i+1, err)
				}
				if !strings.Contains(string(call.Result()), `"content"`) {
					t.Errorf("raw result %s", clip(call.Result()))
				}
			}
			if got := strings.Join(l.codes(), ","); got != test.codes {
				t.Errorf("problems %q, want %q", got, test.codes)
			}
			if !l.has(In, test.recorded) {
				t.Errorf("no record has %q", test.recorded)
			}
		})
	}
}

func TestEraOfServersThatMisbehave(t *testing.T) {
	for _, test := range []struct {
		mode, era, codes string
		starts           int
		silent           bool // it is silence that is told, so that the limit is short
	}{
		{"digits", "modern", "", 1, false},
		{"good", "legacy", "", 1, false},
		{"silent on discover", "legacy", "probe_silent", 1, true},
		{"late on discover", "legacy", "probe_silent", 1, true},
		{"exits on discover", "legacy", "probe_exit", 2, false},
		{"closes stdout on discover", "legacy", "probe_exit", 2, false},
		{"stuck after discover", "legacy", "probe_silent,probe_stuck", 2, true},
		{"nonsense on discover", "legacy", "noise_on_stdout,probe_silent", 1, true},
		{"id null on discover", "legacy", "id_missing", 1, false},
	} {
		t.Run(test.mode, func(t *testing.T) {
			t.Parallel()
			l := &journal{}
			limit := 15 * time.Second
			if test.silent {
				limit = 700 * time.Millisecond
			}
			w, session, err := dial(t, test.mode, l, limit, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			if got := w.Era(); got != test.era {
				t.Errorf("era %q, want %q", got, test.era)
			}
			if got := strings.Join(l.codes(), ","); got != test.codes {
				t.Errorf("problems %q, want %q", got, test.codes)
			}
			for deadline := time.Now().Add(3 * time.Second); len(l.pids()) < test.starts && time.Now().Before(deadline); {
				time.Sleep(50 * time.Millisecond) // stderr may come after stdout
			}
			if got := len(l.pids()); test.starts != got {
				t.Errorf("%d starts, want %d", got, test.starts)
			}
			if _, err := session.CallTool(withTimeout(t), &sdk.CallToolParams{Name: "echo"}); err != nil {
				t.Errorf("call after the handshake: %v", err)
			}
		})
	}
}

func TestAPinnedVersionIsNotProbed(t *testing.T) {
	l := &journal{}
	w, session, err := dial(t, "exits on discover", l, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if w.Era() != "" {
		t.Errorf("era %q without a probe", w.Era())
	}
}

func TestASilentServerFailsWithTheContextOfConnect(t *testing.T) {
	l := &journal{}
	w := New(Config{Observer: l.observer(), Probe: 100 * time.Millisecond, Grace: 100 * time.Millisecond})
	defer w.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err := client().Connect(ctx, w.Stdio(self("silent")), nil)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	if took := time.Since(start); took > 3*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestCauseOfDeathAtConnect(t *testing.T) {
	for _, test := range []struct {
		mode  string
		probe time.Duration
		code  int
		line  string
	}{
		{"exits at start", 0, 3, "cannot find my configuration"},
		{"exits at start", 15 * time.Second, 3, "cannot find my configuration"},
		{"exits after discover, always", 15 * time.Second, 6, "refused initialize"},
	} {
		t.Run(fmt.Sprint(test.mode, test.probe), func(t *testing.T) {
			l := &journal{}
			w, _, err := dial(t, test.mode, l, test.probe, nil)
			if err == nil {
				t.Fatal("connected")
			}
			var exit *ExitError
			if !errors.As(err, &exit) && !errors.As(w.Cause(), &exit) {
				t.Fatalf("no *ExitError in %v, cause %v", err, w.Cause())
			}
			if exit.Code != test.code || exit.Closed || !strings.Contains(strings.Join(exit.Stderr, "\n"), test.line) {
				t.Errorf("exit %+v", exit)
			}
			if !l.has(Stderr, test.line) {
				t.Error("stderr was not recorded")
			}
		})
	}
}

func TestACommandThatIsNotThere(t *testing.T) {
	w := New(Config{})
	defer w.Close()
	_, err := client().Connect(withTimeout(t), w.Stdio(Command{Path: "/nonexistent/server"}), nil)
	if !errors.Is(err, os.ErrNotExist) || !errors.Is(w.Cause(), os.ErrNotExist) {
		t.Errorf("error %v, cause %v", err, w.Cause())
	}
}

func TestCauseOfDeathInACall(t *testing.T) {
	for _, test := range []struct {
		mode   string
		code   int
		signal string
		closed bool
		within time.Duration
	}{
		{"exits in a call", 4, "", false, 2 * time.Second},
		{"killed in a call", -1, "killed", false, 2 * time.Second},
		{"closes stdout in a call", 0, "", true, 3 * time.Second},
		{"exits while a grandchild holds stdout", 4, "", false, 2 * time.Second},
		{"exits while a detached one holds stdout", 4, "", false, 3 * time.Second},
	} {
		t.Run(test.mode, func(t *testing.T) {
			t.Parallel()
			l := &journal{}
			w, session, err := dial(t, test.mode, l, 0, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			start := time.Now()
			_, err = session.CallTool(withTimeout(t), &sdk.CallToolParams{Name: "echo"})
			took := time.Since(start)
			var exit *ExitError
			if !errors.As(err, &exit) {
				t.Fatalf("no *ExitError in %v", err)
			}
			if exit.Code != test.code || exit.Signal != test.signal || exit.Closed != test.closed {
				t.Errorf("exit %+v", exit)
			}
			if took > test.within {
				t.Errorf("noticed after %v", took)
			}
			if !errors.As(w.Cause(), &exit) {
				t.Errorf("cause %v", w.Cause())
			}
			if test.mode == "exits in a call" && !strings.Contains(strings.Join(exit.Stderr, "\n"), "out of cheese") {
				t.Errorf("stderr %q", exit.Stderr)
			}
		})
	}
}

func TestCloseLeavesNoProcess(t *testing.T) {
	for _, mode := range []string{"good", "grandchild", "grandchild ignores TERM and EOF", "ignores EOF", "ignores TERM and EOF", "stops reading", "exits while a grandchild holds stdout"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			l := &journal{}
			w, session, err := dial(t, mode, l, 0, nil)
			if err != nil {
				t.Fatal(err)
			}
			pids := []int{w.PID()}
			if strings.Contains(mode, "reading") || strings.Contains(mode, "exits") {
				ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
				session.CallTool(ctx, &sdk.CallToolParams{Name: "echo"})
				cancel()
			}
			if strings.Contains(mode, "grandchild") {
				pids = append(pids, l.grandchild(t))
			}
			start := time.Now()
			session.Close() // its error is that of the connection, which is dead on purpose in some modes
			if err := w.Close(); err != nil {
				t.Error(err)
			}
			if took := time.Since(start); took > 2*time.Second {
				t.Errorf("took %v", took)
			}
			for _, pid := range pids {
				if alive(pid) {
					t.Errorf("process %d is still there", pid)
				}
			}
		})
	}
}

// alive reports whether a process runs; a zombie, which waits to be reaped by whoever adopted it, does not.
func alive(pid int) bool {
	for range 20 {
		if syscall.Kill(pid, 0) != nil {
			return false
		}
		if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil && strings.Contains(string(stat), ") Z ") {
			return false
		}
		time.Sleep(20 * time.Millisecond)
	}
	return true
}

func TestAServerThatStopsReadingFailsTheCallNotTheSession(t *testing.T) {
	l := &journal{}
	_, session, err := dial(t, "stops reading", l, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	big := strings.Repeat("x", 1<<20) // more than a pipe holds
	for range 2 {
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		start := time.Now()
		_, err = session.CallTool(ctx, &sdk.CallToolParams{Name: "echo", Arguments: map[string]any{"x": big}})
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("took %v", took)
		}
	}
}

func TestAWriteThatIsGivenUpDoesNotHarmTheNext(t *testing.T) {
	l := &journal{}
	_, session, err := dial(t, "good", l, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	big := strings.Repeat("x", 200<<10) // several pipes full, so that contexts end in the middle of writes
	var calls sync.WaitGroup
	for i := range 100 {
		calls.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*300*time.Microsecond)
			defer cancel()
			if _, err := session.CallTool(ctx, &sdk.CallToolParams{Name: "echo", Arguments: map[string]any{"x": big}}); err != nil && ctx.Err() == nil {
				t.Errorf("call %d: %v", i, err)
			}
		})
	}
	calls.Wait()
	if _, err := session.CallTool(withTimeout(t), &sdk.CallToolParams{Name: "echo"}); err != nil {
		t.Errorf("the session did not survive: %v", err)
	}
}

func TestStderrIsKeptBounded(t *testing.T) {
	l := &journal{}
	_, session, err := dial(t, "floods stderr", l, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	deadline := time.Now().Add(10 * time.Second)
	for !l.has(Stderr, "last line") && time.Now().Before(deadline) {
		time.Sleep(100 * time.Millisecond)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	longest := 0
	for _, r := range l.records {
		if r.Dir == Stderr {
			longest = max(longest, len(r.Raw))
		}
	}
	if longest != stderrLine {
		t.Errorf("longest line %d, want %d", longest, stderrLine)
	}
}

func TestASchemaThatGoSDKRefusesReachesTheHandler(t *testing.T) {
	l := &journal{}
	var w *Wire
	asked := make(chan string, 1)
	options := &sdk.ClientOptions{
		Capabilities: &sdk.ClientCapabilities{},
		ElicitationHandler: func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			key, _ := r.Params.Meta[AskKey].(string)
			params, _, ok := w.Ask(key)
			if !ok || r.Params.RequestedSchema != nil || r.Params.Message != "Who?" || r.Params.Meta["k"] == nil {
				return nil, fmt.Errorf("params %+v, ask %v", r.Params, ok)
			}
			asked <- string(params)
			return &sdk.ElicitResult{Action: "decline"}, nil
		},
	}
	w = New(Config{Observer: l.observer(), Grace: 300 * time.Millisecond})
	defer w.Close()
	c := sdk.NewClient(&sdk.Implementation{Name: "wire-test", Version: "1"}, options)
	session, err := c.Connect(withTimeout(t), w.Stdio(self("asks")), &sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if _, err := session.CallTool(withTimeout(t), &sdk.CallToolParams{Name: "echo"}); err != nil {
		t.Fatal(err)
	}
	select {
	case params := <-asked:
		if !strings.Contains(params, `"format":"uuid"`) || !strings.Contains(params, "9007199254740993") {
			t.Errorf("params %s", params)
		}
	case <-time.After(5 * time.Second):
		t.Fatalf("not asked; records %v", l.codes())
	}
	deadline := time.Now().Add(5 * time.Second)
	for !l.has(Out, `"decline"`) && time.Now().Before(deadline) {
		time.Sleep(10 * time.Millisecond)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.asks.byKey) != 0 {
		t.Error("the ask is still in the registry after its answer")
	}
}

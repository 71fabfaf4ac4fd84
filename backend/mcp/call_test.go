package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"jackfield/backend/mcp/wire"
	"jackfield/backend/store"
)

// answering is a script whose tools/call is answered by f, with "t" as its only tool.
func answering(f func(params json.RawMessage) (result, failure string)) *script {
	return &script{answer: func(method string, params json.RawMessage) (string, string) {
		if method == "tools/call" {
			return f(params)
		}
		return "", ""
	}}
}

// connected starts a Manager with a connected script.
func connected(t *testing.T, s *script, options Options, changes ...func(*store.Server)) *Manager {
	t.Helper()
	m := withScript(t, s, options, changes...)
	if err := m.Connect(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	return m
}

func callT() CallRequest { return CallRequest{ServerID: "s", Kind: store.KindTool, Name: "t"} }

func TestCallOutcomes(t *testing.T) {
	tests := []struct {
		name            string
		result, failure string
		outcome         store.Outcome
		code            string
	}{
		{"result", `{"content":[]}`, "", store.OutcomeDone, ""},
		{"tool error", `{"content":[],"isError":true}`, "", store.OutcomeToolError, ""},
		{"tool error as text", `{"content":[],"isError":"true"}`, "", store.OutcomeToolError, ""},
		{"unknown content type", `{"content":[{"type":"video","x":1}]}`, "", store.OutcomeDone, ""},
		{"content is text", `{"content":"plain"}`, "", store.OutcomeDone, ""},
		{"no content", `{}`, "", store.OutcomeDone, ""},
		{"result is no object", `[1]`, "", store.OutcomeFailed, CodeProtocol},
		{"server error", "", `{"code":-32602,"message":"bad arguments"}`, store.OutcomeFailed, CodeServerError},
		{"server error with odd data", "", `{"code":-32000,"message":"m","data":[1]}`, store.OutcomeFailed, CodeServerError},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := connected(t, answering(func(json.RawMessage) (string, string) { return test.result, test.failure }), Options{})
			call, err := m.Call(t.Context(), callT())
			if call.Outcome != test.outcome || code(err) != test.code {
				t.Errorf("outcome %s, err %v", call.Outcome, err)
			}
			if test.code == "" && string(call.Result) != test.result {
				t.Errorf("result = %s", call.Result)
			}
			if status, _ := m.Status("s"); status.State != StateReady {
				t.Errorf("the call took the connection with it: %+v", status)
			}
		})
	}
}

func TestArgumentsKeepTheirDigits(t *testing.T) {
	var got json.RawMessage
	m := connected(t, answering(func(params json.RawMessage) (string, string) {
		got = wire.Get(params, "arguments")
		return `{"content":[]}`, ""
	}), Options{})
	const arguments = `{"n":12345678901234567890,"f":1.0,"e":1e400}`
	request := callT()
	request.Arguments = json.RawMessage(arguments)
	if _, err := m.Call(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	if string(got) != arguments {
		t.Errorf("arguments = %s", got)
	}
}

func TestInvalidRequestsAreRefusedBeforeTheyAreSent(t *testing.T) {
	s := answering(func(json.RawMessage) (string, string) { return `{}`, "" })
	m := connected(t, s, Options{})
	tests := []struct {
		name    string
		request CallRequest
		code    string
	}{
		{"unknown kind", CallRequest{ServerID: "s", Kind: "x", Name: "t"}, CodeUsage},
		{"no name", CallRequest{ServerID: "s", Kind: store.KindTool}, CodeUsage},
		{"array", CallRequest{ServerID: "s", Kind: store.KindTool, Name: "t", Arguments: json.RawMessage(`[]`)}, CodeUsage},
		{"not JSON", CallRequest{ServerID: "s", Kind: store.KindTool, Name: "t", Arguments: json.RawMessage(`{`)}, CodeUsage},
		{"prompt argument is a number", CallRequest{ServerID: "s", Kind: store.KindPrompt, Name: "p", Arguments: json.RawMessage(`{"a":1}`)}, CodeUsage},
		{"unknown tool", CallRequest{ServerID: "s", Kind: store.KindTool, Name: "nope"}, CodeUnknownItem},
		{"unknown prompt", CallRequest{ServerID: "s", Kind: store.KindPrompt, Name: "nope"}, CodeUnknownItem},
	}
	for _, test := range tests {
		if _, err := m.Call(t.Context(), test.request); code(err) != test.code {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	if _, err := m.Call(t.Context(), CallRequest{ServerID: "nobody", Kind: store.KindTool, Name: "t"}); !errors.Is(err, ErrUnknownServer) {
		t.Errorf("unknown server: %v", err)
	}
	if s.count("tools/call")+s.count("prompts/get") != 0 {
		t.Error("something was sent")
	}
}

func TestCallConnectsFirstUnlessDisabled(t *testing.T) {
	s := answering(func(json.RawMessage) (string, string) { return `{}`, "" })
	m := withScript(t, s, Options{})
	if call, err := m.Call(t.Context(), callT()); err != nil || call.Outcome != store.OutcomeDone {
		t.Errorf("call = %+v, %v", call, err)
	}
	if err := m.SetEnabled(t.Context(), "s", false); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Call(t.Context(), callT()); code(err) != CodeClosed {
		t.Errorf("err = %v", err)
	}
}

func TestIdleLimitEndsASilentCallAndTellsTheServer(t *testing.T) {
	s := answering(func(json.RawMessage) (string, string) { return "silent", "" })
	m := connected(t, s, Options{})
	request := callT()
	request.Idle = 50 * time.Millisecond
	call, err := m.Call(t.Context(), request)
	if call.Outcome != store.OutcomeTimeout || code(err) != CodeIdleTime || call.Failure == nil {
		t.Errorf("call = %+v, %v", call, err)
	}
	eventually(t, "the cancellation", func() bool { return s.heard("notifications/cancelled") })
	if status, _ := m.Status("s"); status.State != StateReady {
		t.Errorf("status = %+v", status)
	}
}

func TestProgressResetsTheIdleLimitButNotTheTotal(t *testing.T) {
	tokens := make(chan string, 1)
	s := answering(func(params json.RawMessage) (string, string) {
		tokens <- string(wire.Get(wire.Get(params, "_meta"), "progressToken"))
		return "silent", ""
	})
	m := connected(t, s, Options{})
	events, cancel := m.Subscribe()
	defer cancel()
	request := callT()
	request.Idle, request.Total = 500*time.Millisecond, 1200*time.Millisecond
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		call, err := m.Call(t.Context(), request)
		if call.Outcome != store.OutcomeTimeout || code(err) != CodeTotalTime || call.Duration < time.Second {
			t.Errorf("call = %+v, %v", call, err)
		}
	}()
	token := <-tokens
	for i := 1; ; i++ {
		s.say(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d,"total":9,"message":"step"}}`, token, i))
		select {
		case <-ended:
			e := await(t, events, "progress", func(e Event) bool { return e.Type == EventCall && e.Call.Progress != nil })
			if *e.Call.Progress != (Progress{1, 9, "step"}) || e.Call.IdleUntil.IsZero() {
				t.Errorf("progress = %+v", e.Call)
			}
			return
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func TestCancelCallIsCancelledByThePerson(t *testing.T) {
	s := answering(func(json.RawMessage) (string, string) { return "silent", "" })
	m := connected(t, s, Options{})
	request := callT()
	request.ID = "mine"
	type result struct {
		call Call
		err  error
	}
	results := make(chan result, 1)
	go func() {
		call, err := m.Call(t.Context(), request)
		results <- result{call, err}
	}()
	eventually(t, "the request", func() bool { return s.count("tools/call") == 1 })
	if _, err := m.Call(t.Context(), request); code(err) != CodeUsage {
		t.Errorf("the same id twice: %v", err)
	}
	if err := m.CancelCall("mine"); err != nil {
		t.Fatal(err)
	}
	got := <-results
	if got.call.Outcome != store.OutcomeCancelled || code(got.err) != CodeCancelled {
		t.Errorf("call = %+v, %v", got.call, got.err)
	}
	eventually(t, "the cancellation", func() bool { return s.heard("notifications/cancelled") })
	if err := m.CancelCall("mine"); code(err) != CodeUnknownItem {
		t.Errorf("second cancel: %v", err)
	}
	if stored, err := m.HistoryCall(t.Context(), "mine"); err != nil || stored.Outcome != store.OutcomeCancelled {
		t.Errorf("stored = %+v, %v", stored, err)
	}
}

func TestEndedContextOfTheCallerIsCancelledOrTimeout(t *testing.T) {
	m := connected(t, answering(func(json.RawMessage) (string, string) { return "silent", "" }), Options{})
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if call, err := m.Call(ctx, callT()); call.Outcome != store.OutcomeTimeout || code(err) != CodeTotalTime {
		t.Errorf("deadline: %+v, %v", call, err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	time.AfterFunc(30*time.Millisecond, cancel)
	if call, err := m.Call(ctx, callT()); call.Outcome != store.OutcomeCancelled || code(err) != CodeCancelled {
		t.Errorf("cancel: %+v, %v", call, err)
	}
}

func TestLostConnectionIsALostResultAndNotRepeated(t *testing.T) {
	var s *script
	s = answering(func(json.RawMessage) (string, string) {
		s.hangUp()
		return "silent", ""
	})
	m := connected(t, s, Options{})
	call, err := m.Call(t.Context(), callT())
	if call.Outcome != store.OutcomeFailed || (code(err) != CodeLost && code(err) != CodeExited) {
		t.Errorf("call = %+v, %v", call, err)
	}
	eventually(t, "ready again", func() bool { status, _ := m.Status("s"); return status.State == StateReady })
	if n := s.count("tools/call"); n != 1 {
		t.Errorf("sent %d times", n)
	}
}

func TestDisconnectEndsACallWithTheReason(t *testing.T) {
	s := answering(func(json.RawMessage) (string, string) { return "silent", "" })
	m := connected(t, s, Options{})
	result := make(chan error, 1)
	go func() {
		_, err := m.Call(t.Context(), callT())
		result <- err
	}()
	eventually(t, "the request", func() bool { return s.count("tools/call") == 1 })
	if err := m.Disconnect(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	if err := <-result; code(err) != CodeClosed || !strings.Contains(err.Error(), "may have run") {
		t.Errorf("err = %v", err)
	}
}

func TestHistoryHasRunningCallsBeforeTheyEnd(t *testing.T) {
	s := answering(func(json.RawMessage) (string, string) { return "silent", "" })
	m := connected(t, s, Options{})
	go func() {
		_, _ = m.Call(t.Context(), CallRequest{ID: "c", ServerID: "s", Kind: store.KindTool, Name: "t"})
	}()
	eventually(t, "the request", func() bool { return s.count("tools/call") == 1 })
	if stored, err := m.HistoryCall(t.Context(), "c"); err != nil || stored.Outcome != store.OutcomeRunning {
		t.Errorf("stored = %+v, %v", stored, err)
	}
	if err := m.CancelCall("c"); err != nil {
		t.Error(err)
	}
	eventually(t, "the end", func() bool { return len(m.Snapshot().Calls) == 0 })
}

func TestAdhocServersLeaveNothingBehind(t *testing.T) {
	memory := newMemory()
	s := answering(func(json.RawMessage) (string, string) { return `{}`, "" })
	m := start(t, Options{Store: memory, Builtin: map[string]Serve{"s": s.serve}}, false)
	if _, err := m.Adhoc(t.Context(), scripted()); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Call(t.Context(), callT()); err != nil {
		t.Fatal(err)
	}
	if calls, err := m.History(t.Context(), store.CallFilter{}); err != nil || len(calls) != 0 {
		t.Errorf("history = %v, %v", calls, err)
	}
	if len(memory.servers) != 0 {
		t.Errorf("servers = %v", memory.servers)
	}
}

func TestOutputThatViolatesItsSchemaIsNamed(t *testing.T) {
	s := &script{answer: func(method string, _ json.RawMessage) (string, string) {
		switch method {
		case "tools/list":
			return `{"tools":[{"name":"t","inputSchema":{},"outputSchema":{"type":"object","properties":{"n":{"type":"integer","maximum":9007199254740992}},"required":["m"]}}]}`, ""
		case "tools/call":
			return `{"content":[],"structuredContent":{"n":9007199254740993}}`, ""
		}
		return "", ""
	}}
	m := connected(t, s, Options{})
	call, err := m.Call(t.Context(), callT())
	want := []FieldError{{"/m", "This is required."}, {"/n", "9007199254740993 is more than the maximum, 9007199254740992."}}
	if err != nil || call.Outcome != store.OutcomeDone || !slices.Equal(call.Violations, want) {
		t.Errorf("call = %+v, %v", call, err)
	}
}

func TestOutputSchemaWithRemoteReferenceIsAProblemAndFetchesNothing(t *testing.T) {
	w := newWeb(t, status(200))
	s := &script{answer: func(method string, _ json.RawMessage) (string, string) {
		switch method {
		case "tools/list":
			return `{"tools":[{"name":"t","inputSchema":{},"outputSchema":{"$ref":"` + w.URL + `/s.json"}}]}`, ""
		case "tools/call":
			return `{"content":[],"structuredContent":{}}`, ""
		}
		return "", ""
	}}
	m := connected(t, s, Options{})
	call, err := m.Call(t.Context(), callT())
	if err != nil || len(call.Problems) != 1 || call.Problems[0].Code != "output_schema" {
		t.Errorf("call = %+v, %v", call, err)
	}
	if w.count("GET") != 0 {
		t.Error("the reference was fetched")
	}
}

func TestWatchdogStandsStillWhileAPersonIsAsked(t *testing.T) {
	clock := &fakeClock{now: time.Unix(0, 0)}
	dog := newWatchdog(clock, time.Minute, 10*time.Minute)
	clock.now = clock.now.Add(30 * time.Second)
	dog.pause()
	dog.pause()
	clock.now = clock.now.Add(time.Hour)
	dog.resume()
	if idle, total := dog.limits(); !idle.IsZero() || !total.IsZero() {
		t.Error("it runs while the second person is asked")
	}
	dog.resume()
	idle, total := dog.limits()
	if got := idle.Sub(clock.now); got != time.Minute {
		t.Errorf("idle in %s", got)
	}
	if got := total.Sub(clock.now); got != 9*time.Minute+30*time.Second {
		t.Errorf("total in %s", got)
	}
}

type fakeClock struct{ now time.Time }

func (c *fakeClock) Now() time.Time                       { return c.now }
func (c *fakeClock) After(time.Duration) <-chan time.Time { return nil }

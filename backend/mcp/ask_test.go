package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"jackfield/backend/mcp/wire"
	"jackfield/backend/store"
)

var bothModes = Options{Modes: []AskMode{AskForm, AskURL}}

const ageForm = `{"type":"object","properties":{"age":{"type":"integer","maximum":13},"mail":{"type":"string","format":"email"}},"required":["age"]}`

// asking is a legacy script whose tool asks for a form with a schema that go-sdk itself refuses, and returns the answer.
func asking(params string) *script {
	s := &script{}
	s.answer = func(method string, _ json.RawMessage) (string, string) {
		if method != "tools/call" {
			return "", ""
		}
		before := len(s.answers())
		s.say(`{"jsonrpc":"2.0","id":"ask-1","method":"elicitation/create","params":` + params + `}`)
		for len(s.answers()) == before {
			if s.over() {
				return "silent", ""
			}
			time.Sleep(5 * time.Millisecond)
		}
		answer := s.answers()[before]
		return `{"content":[],"structuredContent":` + string(slices.Concat(wire.Get(answer, "result"), wire.Get(answer, "error"))) + `}`, ""
	}
	return s
}

type ended struct {
	call Call
	err  error
}

func callInBackground(m *Manager, t *testing.T) <-chan ended {
	results := make(chan ended, 1)
	go func() {
		call, err := m.Call(t.Context(), callT())
		results <- ended{call, err}
	}()
	return results
}

func waitForAsk(t *testing.T, m *Manager) Ask {
	t.Helper()
	eventually(t, "the ask", func() bool { return len(m.Snapshot().Asks) > 0 })
	return m.Snapshot().Asks[0]
}

func TestFormOfALegacyServerIsAskedCheckedAndAnswered(t *testing.T) {
	m := connected(t, asking(`{"mode":"form","message":"How old?","requestedSchema":`+ageForm+`}`), bothModes)
	results := callInBackground(m, t)
	ask := waitForAsk(t, m)
	if ask.Mode != AskForm || ask.Message != "How old?" || string(ask.Schema) != ageForm || ask.CallName != "t" || ask.CallID == "" || ask.Endpoint != "built in" {
		t.Errorf("ask = %+v", ask)
	}
	err := m.Answer(t.Context(), ask.ID, Answer{ActionAccept, json.RawMessage(`{"age":21,"mail":"x"}`)})
	want := []FieldError{{"/age", "21 is more than the maximum, 13."}, {"/mail", `"x" is not an email address, such as name@example.com.`}}
	if failure := err.(*Error); failure.Code != CodeInvalidAnswer || !slices.Equal(failure.Fields, want) {
		t.Errorf("fields = %+v", failure.Fields)
	}
	if len(m.Snapshot().Asks) != 1 {
		t.Fatal("the ask was closed by an invalid answer")
	}
	if err := m.Answer(t.Context(), ask.ID, Answer{ActionAccept, json.RawMessage(`{"age":13,"mail":"a@b.example"}`)}); err != nil {
		t.Fatal(err)
	}
	got := <-results
	if got.err != nil || !strings.Contains(string(got.call.Result), `"age":13`) || !slices.Equal(got.call.Asks, []store.AskOutcome{{Mode: "form", Action: "accept"}}) {
		t.Errorf("call = %+v, %v", got.call, got.err)
	}
	if err := m.Answer(t.Context(), ask.ID, Answer{Action: ActionDecline}); err != ErrUnknownAsk {
		t.Errorf("second answer: %v", err)
	}
}

func TestDeclineAndCancelCarryNoContent(t *testing.T) {
	for _, action := range []AskAction{ActionDecline, ActionCancel} {
		m := connected(t, asking(`{"message":"?","requestedSchema":`+ageForm+`}`), bothModes)
		results := callInBackground(m, t)
		if err := m.Answer(t.Context(), waitForAsk(t, m).ID, Answer{action, json.RawMessage(`{"age":1}`)}); err != nil {
			t.Fatal(err)
		}
		got := <-results
		if got.call.Outcome != store.OutcomeDone || !strings.Contains(string(got.call.Result), `"action":"`+string(action)+`"`) || strings.Contains(string(got.call.Result), "age") {
			t.Errorf("%s: %s, %v", action, got.call.Result, got.err)
		}
	}
}

func TestSchemaThatTheLibraryRefusesIsStillAsked(t *testing.T) {
	for _, schema := range []string{
		`{"type":"object","properties":{"id":{"type":"string","format":"uuid"}}}`,
		`{"type":"object","properties":{"nested":{"type":"object","properties":{"a":{"type":"string"}}}}}`,
		`{"type":"object","properties":{"list":{"type":"array","items":{"type":"number"}}}}`,
	} {
		m := connected(t, asking(`{"message":"?","requestedSchema":`+schema+`}`), bothModes)
		results := callInBackground(m, t)
		ask := waitForAsk(t, m)
		if string(ask.Schema) != schema {
			t.Errorf("schema = %s", ask.Schema)
		}
		if err := m.Answer(t.Context(), ask.ID, Answer{Action: ActionAccept}); err != nil {
			t.Error(err)
		}
		if got := <-results; got.err != nil || !strings.Contains(string(got.call.Result), `"accept"`) {
			t.Errorf("%s: %s, %v", schema, got.call.Result, got.err)
		}
	}
}

func TestURLAskShowsTheWholeAddressAndItsCompletion(t *testing.T) {
	s := asking(`{"mode":"url","message":"Sign in","url":"https://example.com/a?b=c","elicitationId":"e1"}`)
	m := connected(t, s, bothModes)
	events, cancel := m.Subscribe()
	defer cancel()
	results := callInBackground(m, t)
	ask := waitForAsk(t, m)
	if ask.Mode != AskURL || ask.URL != "https://example.com/a?b=c" || ask.URLID != "e1" {
		t.Errorf("ask = %+v", ask)
	}
	// Before the consent of the person it changes nothing.
	s.say(`{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":"e1"}}`)
	time.Sleep(20 * time.Millisecond)
	if len(m.Snapshot().Asks) != 1 {
		t.Fatal("the server gave the consent itself")
	}
	if err := m.Answer(t.Context(), ask.ID, Answer{Action: ActionAccept}); err != nil {
		t.Fatal(err)
	}
	if got := <-results; got.err != nil || !strings.Contains(string(got.call.Result), `"action":"accept"`) {
		t.Errorf("call = %+v, %v", got.call, got.err)
	}
	s.say(`{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":"unknown"}}`)
	s.say(`{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":"e1"}}`)
	await(t, events, "the completion", func(e Event) bool {
		return e.Type == EventAsk && e.Ask.Closed && strings.Contains(e.Ask.Reason, "done")
	})
}

func TestWithoutModesNothingIsAdvertised(t *testing.T) {
	capabilities := make(chan string, 1)
	s := &script{answer: func(method string, params json.RawMessage) (string, string) {
		if method == "initialize" {
			capabilities <- string(wire.Get(params, "capabilities"))
		}
		return "", ""
	}}
	connected(t, s, Options{})
	if got := <-capabilities; got != "{}" {
		t.Errorf("capabilities = %s", got)
	}
}

func TestOnlyFormIsAdvertisedAndURLRefused(t *testing.T) {
	m := connected(t, asking(`{"mode":"url","message":"x","url":"https://example.com/","elicitationId":"1"}`), Options{Modes: []AskMode{AskForm}})
	got := <-callInBackground(m, t)
	if got.err != nil || !strings.Contains(string(got.call.Result), "-32602") {
		t.Errorf("call = %+v, %v", got.call, got.err)
	}
}

func TestCancellingTheCallClosesItsAsk(t *testing.T) {
	m := connected(t, asking(`{"message":"?","requestedSchema":`+ageForm+`}`), bothModes)
	events, cancel := m.Subscribe()
	defer cancel()
	results := callInBackground(m, t)
	ask := waitForAsk(t, m)
	if err := m.CancelCall(ask.CallID); err != nil {
		t.Fatal(err)
	}
	if got := <-results; got.call.Outcome != store.OutcomeCancelled {
		t.Errorf("call = %+v, %v", got.call, got.err)
	}
	e := await(t, events, "closing", func(e Event) bool { return e.Type == EventAsk && e.Ask.Closed })
	if e.Ask.Outcome != "" || e.Ask.Reason != "The call was cancelled." {
		t.Errorf("ask = %+v", e.Ask)
	}
	if n := len(m.Snapshot().Asks); n != 0 {
		t.Errorf("%d asks are open", n)
	}
}

func TestAskClosesWhenItsServerGoesAway(t *testing.T) {
	endings := map[string]func(*Manager, *script) error{
		"disconnect": func(m *Manager, _ *script) error { return m.Disconnect(context.Background(), "s") },
		"remove":     func(m *Manager, _ *script) error { return m.Remove(context.Background(), "s") },
		"loss":       func(_ *Manager, s *script) error { s.hangUp(); return nil },
	}
	for name, end := range endings {
		t.Run(name, func(t *testing.T) {
			s := asking(`{"message":"?","requestedSchema":` + ageForm + `}`)
			m := connected(t, s, bothModes)
			results := callInBackground(m, t)
			ask := waitForAsk(t, m)
			if err := end(m, s); err != nil {
				t.Fatal(err)
			}
			if got := <-results; got.err == nil {
				t.Errorf("call = %+v", got.call)
			}
			eventually(t, "closing", func() bool { return len(m.Snapshot().Asks) == 0 })
			if err := m.Answer(t.Context(), ask.ID, Answer{Action: ActionDecline}); err != ErrUnknownAsk {
				t.Errorf("answer: %v", err)
			}
		})
	}
}

func TestLimitsStandStillWhileAPersonIsAsked(t *testing.T) {
	m := connected(t, asking(`{"message":"?","requestedSchema":`+ageForm+`}`), bothModes, func(s *store.Server) {
		s.Timeouts.CallIdle, s.Timeouts.CallTotal = 400*time.Millisecond, 600*time.Millisecond
	})
	events, stop := m.Subscribe()
	defer stop()
	results := callInBackground(m, t)
	ask := waitForAsk(t, m)
	for event := range events { // and whoever shows the call is told
		if event.Type == EventCall && event.Call.IdleUntil.IsZero() && event.Call.TotalUntil.IsZero() {
			break
		}
	}
	time.Sleep(900 * time.Millisecond)
	if err := m.Answer(t.Context(), ask.ID, Answer{Action: ActionDecline}); err != nil {
		t.Fatal(err)
	}
	if got := <-results; got.err != nil {
		t.Errorf("call = %+v, %v", got.call, got.err)
	}
}

// modernAsking is a modern script: its tool wants two answers, then only time, and then it is done.
func modernAsking(check func(round int64, params json.RawMessage)) *script {
	var round atomic.Int64
	return &script{modern: true, answer: func(method string, params json.RawMessage) (string, string) {
		if method != "tools/call" {
			return "", ""
		}
		n := round.Add(1)
		if check != nil {
			check(n, params)
		}
		switch n {
		case 1:
			return `{"resultType":"input_required","requestState":"é\u0000\"<1>","inputRequests":{` +
				`"b":{"method":"elicitation/create","params":{"mode":"form","message":"first","requestedSchema":` + ageForm + `}},` +
				`"a":{"method":"elicitation/create","params":{"mode":"url","message":"second","url":"https://example.com/"}}}}`, ""
		case 2:
			return `{"resultType":"input_required","requestState":"wait"}`, ""
		}
		return `{"resultType":"complete","content":[],"structuredContent":{"rounds":3}}`, ""
	}}
}

func TestMultiRoundTripAsksAndEchoesTheState(t *testing.T) {
	states := make(chan string, 3)
	responses := make(chan string, 3)
	s := modernAsking(func(_ int64, params json.RawMessage) {
		states <- string(wire.Get(params, "requestState"))
		responses <- string(wire.Get(params, "inputResponses"))
	})
	m := connected(t, s, bothModes)
	if status, _ := m.Status("s"); status.Era != store.EraModern {
		t.Fatalf("status = %+v", status)
	}
	begun := time.Now()
	results := callInBackground(m, t)
	eventually(t, "both asks", func() bool { return len(m.Snapshot().Asks) == 2 })
	asks := m.Snapshot().Asks
	if asks[0].Message != "first" || asks[1].Message != "second" || asks[1].Mode != AskURL || asks[0].CallName != "t" {
		t.Errorf("asks = %+v", asks)
	}
	if err := m.Answer(t.Context(), asks[1].ID, Answer{Action: ActionDecline}); err != nil {
		t.Fatal(err)
	}
	if err := m.Answer(t.Context(), asks[0].ID, Answer{ActionAccept, json.RawMessage(`{"age":-9007199254740993}`)}); err != nil {
		t.Fatal(err)
	}
	got := <-results
	if got.err != nil || got.call.Outcome != store.OutcomeDone || len(got.call.Rounds) != 2 || !strings.Contains(string(got.call.Result), `"rounds":3`) {
		t.Errorf("call = %+v, %v", got.call, got.err)
	}
	if took := time.Since(begun); took < roundWait {
		t.Errorf("a round with only a requestState was repeated after %s", took)
	}
	if first := <-states; first != "" {
		t.Errorf("first state = %s", first)
	}
	var second string
	if err := json.Unmarshal([]byte(<-states), &second); err != nil || second != "é\x00\"<1>" {
		t.Errorf("second state = %q, %v", second, err)
	}
	if third := <-states; third != `"wait"` {
		t.Errorf("third state = %s", third)
	}
	<-responses
	answers := <-responses
	if b := string(wire.Get(wire.Get([]byte(answers), "b"), "content")); b != `{"age":-9007199254740993}` {
		t.Errorf("answers = %s", answers)
	}
	if a := string(wire.Get(wire.Get([]byte(answers), "a"), "action")); a != `"decline"` {
		t.Errorf("answers = %s", answers)
	}
	if third := <-responses; third != "" {
		t.Errorf("answers without questions: %s", third)
	}
}

func TestEndlessRoundsStopAtTheLimit(t *testing.T) {
	var n atomic.Int64
	s := &script{modern: true, answer: func(method string, _ json.RawMessage) (string, string) {
		if method == "tools/call" {
			return fmt.Sprintf(`{"resultType":"input_required","requestState":"%d"}`, n.Add(1)), ""
		}
		return "", ""
	}}
	m := connected(t, s, bothModes)
	call, err := m.Call(t.Context(), callT())
	if code(err) != CodeProtocol || call.Outcome != store.OutcomeFailed || n.Load() != maxRounds {
		t.Errorf("call = %+v, %v, %d rounds", call, err, n.Load())
	}
}

func TestInputThatWasNotOfferedFailsTheCall(t *testing.T) {
	s := &script{modern: true, answer: func(method string, _ json.RawMessage) (string, string) {
		if method == "tools/call" {
			return `{"resultType":"input_required","inputRequests":{"r":{"method":"roots/list"}}}`, ""
		}
		return "", ""
	}}
	m := connected(t, s, bothModes)
	if call, err := m.Call(t.Context(), callT()); code(err) != CodeProtocol || call.Outcome != store.OutcomeFailed {
		t.Errorf("call = %+v, %v", call, err)
	}
}

func TestRealServerAsksInBothEras(t *testing.T) {
	server := newServer(nil)
	server.AddTool(&sdk.Tool{Name: "t", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		answer, ok := r.Params.InputResponses["q"].(*sdk.ElicitResult)
		if !ok {
			return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"q": &sdk.ElicitParams{Mode: "form", Message: "age?", RequestedSchema: json.RawMessage(ageForm)}}}, nil
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: fmt.Sprint(answer.Action, answer.Content["age"])}}}, nil
	})
	for _, era := range []store.Era{store.EraLegacy, store.EraAuto} {
		m := start(t, Options{Modes: bothModes.Modes, Builtin: map[string]Serve{"s": serve(server)}}, false)
		if _, err := m.Add(t.Context(), scripted(func(s *store.Server) { s.Era = era })); err != nil {
			t.Fatal(err)
		}
		results := callInBackground(m, t)
		if err := m.Answer(t.Context(), waitForAsk(t, m).ID, Answer{ActionAccept, json.RawMessage(`{"age":7}`)}); err != nil {
			t.Fatal(err)
		}
		if got := <-results; got.err != nil || !strings.Contains(string(got.call.Result), "accept7") && !strings.Contains(string(got.call.Result), "accept 7") {
			t.Errorf("%s: %s, %v", era, got.call.Result, got.err)
		}
	}
}

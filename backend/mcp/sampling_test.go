package mcp

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"jackfield/backend/mcp/wire"
	"jackfield/backend/store"
)

// sampleParams hold what go-sdk cannot decode: a kind of content that nobody knows, and a number beyond 2^53.
const sampleParams = `{"messages":[{"role":"user","content":{"type":"text","text":"Sum it up"}},{"role":"user","content":[{"type":"hologram","data":"x"},` +
	`{"type":"image","data":"AAAA","mimeType":"image/png"}]}],"maxTokens":9007199254740993,"systemPrompt":"Be brief","temperature":0.10,` +
	`"modelPreferences":{"hints":[{"name":"small"}],"speedPriority":1}}`

var asksForModels = Options{Modes: []AskMode{AskForm, AskSampling}}

// samplingServer asks for a model's answer and returns what it got as the result of its tool.
func samplingServer(capabilities chan<- string) *script {
	s := &script{}
	s.answer = func(method string, params json.RawMessage) (string, string) {
		if method == "initialize" && capabilities != nil {
			capabilities <- string(wire.Get(params, "capabilities"))
		}
		if method != "tools/call" {
			return "", ""
		}
		before := len(s.answers())
		s.say(`{"jsonrpc":"2.0","id":"m-1","method":"sampling/createMessage","params":` + sampleParams + `}`)
		for len(s.answers()) == before {
			if s.over() {
				return "silent", ""
			}
			time.Sleep(time.Millisecond)
		}
		return `{"content":[],"structuredContent":` + string(s.answers()[before]) + `}`, ""
	}
	return s
}

func TestSamplingOfALegacyServerIsAnsweredByHand(t *testing.T) {
	capabilities := make(chan string, 1)
	m := connected(t, samplingServer(capabilities), asksForModels)
	if got := <-capabilities; got != `{"sampling":{},"elicitation":{"form":{}}}` && got != `{"elicitation":{"form":{}},"sampling":{}}` {
		t.Errorf("capabilities = %s", got)
	}
	results := callInBackground(m, t)
	ask := waitForAsk(t, m)
	if ask.Mode != AskSampling || string(ask.Sampling) != sampleParams || ask.CallName != "t" || ask.Message == "" {
		t.Errorf("ask = %+v", ask)
	}
	// What does not fit leaves the question open.
	for content, pointer := range map[string]string{
		``: "", `[]`: "", `{}`: "/content", `{"content":7}`: "/content", `{"content":{"type":"hologram"}}`: "/content",
		`{"content":"x","role":"user"}`: "/role",
	} {
		err := m.Answer(t.Context(), ask.ID, Answer{ActionAccept, json.RawMessage(content)})
		failure, ok := err.(*Error)
		if !ok || failure.Code != CodeInvalidAnswer || len(failure.Fields) != 1 || failure.Fields[0].Pointer != pointer {
			t.Errorf("%s: %v", content, err)
		}
	}
	if err := m.Answer(t.Context(), ask.ID, Answer{ActionAccept, json.RawMessage(`{"content":"Short & <sweet>"}`)}); err != nil {
		t.Fatal(err)
	}
	got := <-results
	result := wire.Get(wire.Get(got.call.Result, "structuredContent"), "result")
	want := map[string]string{
		"role": `"assistant"`, "model": `"written by hand"`, "stopReason": `"endTurn"`,
	}
	for name, value := range want {
		if string(wire.Get(result, name)) != value {
			t.Errorf("%s = %s", name, wire.Get(result, name))
		}
	}
	var text string
	if err := json.Unmarshal(wire.Get(wire.Get(result, "content"), "text"), &text); err != nil || text != "Short & <sweet>" {
		t.Errorf("result = %s, %v", result, err)
	}
	if len(got.call.Asks) != 1 || got.call.Asks[0].Mode != "sampling" || got.call.Asks[0].Action != "accept" {
		t.Errorf("asks = %+v", got.call.Asks)
	}
}

func TestSamplingThatIsDeclinedOrDismissedIsAnError(t *testing.T) {
	for _, action := range []AskAction{ActionDecline, ActionCancel} {
		m := connected(t, samplingServer(nil), asksForModels)
		results := callInBackground(m, t)
		if err := m.Answer(t.Context(), waitForAsk(t, m).ID, Answer{Action: action, Content: json.RawMessage(`{"content":"x"}`)}); err != nil {
			t.Fatal(err)
		}
		got := <-results
		failure := wire.Get(wire.Get(got.call.Result, "structuredContent"), "error")
		if string(wire.Get(failure, "code")) != "-1" || strings.Contains(string(got.call.Result), `"x"`) {
			t.Errorf("%s: %s", action, got.call.Result)
		}
	}
}

// A server that hears of no sampling must not ask; one that does is refused, and nobody is bothered.
func TestSamplingIsNotOfferedWhereNobodyCanAnswer(t *testing.T) {
	capabilities := make(chan string, 1)
	m := connected(t, samplingServer(capabilities), bothModes)
	if got := <-capabilities; strings.Contains(got, "sampling") {
		t.Errorf("capabilities = %s", got)
	}
	got := <-callInBackground(m, t)
	if wire.Get(wire.Get(got.call.Result, "structuredContent"), "error") == nil || len(got.call.Asks) != 0 {
		t.Errorf("result = %s", got.call.Result)
	}
}

func TestSamplingClosesWithItsCall(t *testing.T) {
	m := connected(t, samplingServer(nil), asksForModels)
	results := callInBackground(m, t)
	ask := waitForAsk(t, m)
	if err := m.CancelCall(ask.CallID); err != nil {
		t.Fatal(err)
	}
	if got := <-results; got.call.Outcome != store.OutcomeCancelled || len(m.Snapshot().Asks) != 0 {
		t.Errorf("call = %+v", got.call)
	}
}

func modernSampling(retried chan<- string) *script {
	var rounds atomic.Int64
	return &script{modern: true, answer: func(method string, params json.RawMessage) (string, string) {
		if method != "tools/call" {
			return "", ""
		}
		if rounds.Add(1) == 1 {
			return fmt.Sprintf(`{"resultType":"input_required","requestState":"s","inputRequests":{"m":{"method":"sampling/createMessage","params":%s}}}`, sampleParams), ""
		}
		retried <- string(wire.Get(params, "inputResponses"))
		return `{"resultType":"complete","content":[]}`, ""
	}}
}

func TestSamplingOfAModernServer(t *testing.T) {
	retried := make(chan string, 1)
	m := connected(t, modernSampling(retried), asksForModels)
	results := callInBackground(m, t)
	ask := waitForAsk(t, m)
	if ask.Mode != AskSampling || string(ask.Sampling) != sampleParams {
		t.Errorf("ask = %+v", ask)
	}
	blocks := `{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}],"model":"pasted","stopReason":"maxTokens"}`
	if err := m.Answer(t.Context(), ask.ID, Answer{ActionAccept, json.RawMessage(blocks)}); err != nil {
		t.Fatal(err)
	}
	if got := <-results; got.err != nil {
		t.Fatal(got.err)
	}
	answer := wire.Get([]byte(<-retried), "m")
	if string(wire.Get(answer, "model")) != `"pasted"` || string(wire.Get(answer, "stopReason")) != `"maxTokens"` || strings.Count(string(wire.Get(answer, "content")), `"text":`) != 2 {
		t.Errorf("answer = %s", answer)
	}
}

func TestSamplingOfAModernServerThatIsDeclinedEndsTheCall(t *testing.T) {
	retried := make(chan string, 1)
	m := connected(t, modernSampling(retried), asksForModels)
	results := callInBackground(m, t)
	if err := m.Answer(t.Context(), waitForAsk(t, m).ID, Answer{Action: ActionDecline}); err != nil {
		t.Fatal(err)
	}
	if got := <-results; code(got.err) != CodeCancelled || len(retried) != 0 {
		t.Errorf("call = %+v, %v", got.call, got.err)
	}
	if status, _ := m.Status("s"); status.State != StateReady {
		t.Errorf("state = %s", status.State)
	}
}

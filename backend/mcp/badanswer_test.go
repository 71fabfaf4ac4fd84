package mcp

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"jackfield/backend/mcp/wire"
	"jackfield/backend/store"
)

// Each bad answer in the way of one call, in both eras: the call ends as it should, what was wrong is named and in the trace as it came,
// and the connection is the same afterwards. Alone, go-sdk ends the session with most of them, or waits for ever.
func TestABadAnswerHurtsOnlyItsCall(t *testing.T) {
	const fine = `"result":{"content":[],"structuredContent":{"n":9007199254740993}}`
	tests := []struct {
		fault   string
		answer  answer
		code    string // of the failure; "" if the call succeeds
		problem string
		trace   string
	}{
		{"400 text", says(400, "text/plain", "bad request"), CodeProtocol, "", "bad request"},
		{"403 text", says(403, "text/plain", "forbidden"), CodeProtocol, "", "forbidden"},
		{"404 JSON-RPC", says(404, "application/json", `{"jsonrpc":"2.0","id":ID,"error":{"code":-32602,"message":"no such tool"}}`), CodeServerError, "", "no such tool"},
		{"413 html", says(413, "text/html", "<p>too large"), CodeProtocol, "", "<p>too large"},
		{"422 JSON of its own", says(422, "application/json", `{"detail":"nope"}`), CodeProtocol, "", `{"detail":"nope"}`},
		{"429", says(429, "text/plain", "slow down"), CodeProtocol, "", "slow down"},
		{"500 text", says(500, "text/plain", "oops"), CodeProtocol, "", "oops"},
		{"503 empty", says(503, "", ""), CodeProtocol, "", ""},
		{"400 with an error of id null", says(400, "application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: broken"}}`), CodeServerError, "id_missing", `"id":null`},
		{"html", says(200, "text/html", "<h1>Welcome"), CodeProtocol, "no_message", "<h1>Welcome"},
		{"html called JSON", says(200, "application/json", "<h1>Welcome"), CodeProtocol, "no_message", "<h1>Welcome"},
		{"202", says(202, "", ""), CodeProtocol, "no_message", ""},
		{"204", says(204, "", ""), CodeProtocol, "no_message", ""},
		{"empty 200", says(200, "application/json", ""), CodeProtocol, "no_message", ""},
		{"half JSON", says(200, "application/json", `{"jsonrpc":"2.0","id":ID,"resu`), CodeProtocol, "", `"resu`},
		{"batch", says(200, "application/json", `[{"jsonrpc":"2.0","method":"notifications/x"},{"jsonrpc":"2.0","id":ID,`+fine+`}]`), "", "batch", `[{"jsonrpc"`},
		{"no version", says(200, "application/json", `{"id":ID,`+fine+`}`), "", "jsonrpc_missing", `{"id":`},
		{"version 1.0", says(200, "application/json", `{"jsonrpc":"1.0","id":ID,`+fine+`}`), "", "jsonrpc_wrong", `"1.0"`},
		{"keys in another case", says(200, "application/json", `{"jsonrpc":"2.0","Id":ID,`+strings.Replace(fine, "result", "Result", 1)+`}`), "", "key_case", `"Id"`},
		{"byte order mark", says(200, "application/json", "\xef\xbb\xbf"+`{"jsonrpc":"2.0","id":ID,`+fine+`}`), "", "bom", "\xef\xbb\xbf{"},
		{"id as a string", says(200, "application/json", `{"jsonrpc":"2.0","id":"ID",`+fine+`}`), "", "id_type", `"id":"`},
		{"an id of somebody else", says(200, "application/json", `{"jsonrpc":"2.0","id":4711,`+fine+`}`), "", "id_wrong", `4711`},
		{"an id of somebody else in an event", says(200, "text/event-stream", "data: {\"jsonrpc\":\"2.0\",\"id\":4711,"+fine+"}\n\n"), "", "id_wrong", `4711`},
		{"id with a fraction", says(200, "application/json", `{"jsonrpc":"2.0","id":ID.0,`+fine+`}`), "", "id_form", `.0,`},
		{"error as a string", says(200, "application/json", `{"jsonrpc":"2.0","id":ID,"error":"out of cheese"}`), CodeServerError, "error_text", `"error":"out of cheese"`},
		{"error code as a string", says(200, "application/json", `{"jsonrpc":"2.0","id":ID,"error":{"code":"-7","message":"out of cheese"}}`), CodeServerError, "error_code", `"code":"-7"`},
		{"error without a code", says(200, "application/json", `{"jsonrpc":"2.0","id":ID,"error":{"message":"out of cheese"}}`), CodeServerError, "error_code", `out of cheese`},
		{"neither result nor error", says(200, "application/json", `{"jsonrpc":"2.0","id":ID}`), CodeProtocol, "no_result", `{"jsonrpc":"2.0","id":`},
		{"numbers beyond 2^53", says(200, "application/json", `{"jsonrpc":"2.0","id":ID,`+fine+`}`), "", "", "9007199254740993"},
		{"JSON as text/plain", says(200, "text/plain", `{"jsonrpc":"2.0","id":ID,`+fine+`}`), "", "content_type", "9007199254740993"},
		{"reset", func(http.ResponseWriter, *http.Request, string) { panic(http.ErrAbortHandler) }, CodeLost, "", ""},
	}
	for _, modern := range []bool{false, true} {
		t.Run(fmt.Sprintf("modern %t", modern), func(t *testing.T) {
			f := newHostile(t, modern, nil)
			m := f.add(t, Options{})
			before, err := m.Status("s")
			if err != nil {
				t.Fatal(err)
			}
			for _, test := range tests {
				t.Run(test.fault, func(t *testing.T) {
					f.put("tools/call t", test.answer)
					sent := len(f.heard("tools/call t"))
					request := callT()
					request.Total = 5 * time.Second
					call, err := m.Call(t.Context(), request)
					if code(err) != test.code {
						t.Errorf("error %v, want the code %q", err, test.code)
					}
					if test.code == "" && !strings.Contains(string(call.Result), "9007199254740993") {
						t.Errorf("result %s", call.Result)
					}
					if failure := failureOf(err); failure != nil && (failure.Message == "" || failure.Hint == "") {
						t.Errorf("nothing for a person to read: %+v", failure)
					}
					var codes []string
					for _, p := range call.Problems {
						codes = append(codes, p.Code)
					}
					if test.problem == "" && len(codes) > 0 || test.problem != "" && !slices.Contains(codes, test.problem) {
						t.Errorf("problems %q, want %q", codes, test.problem)
					}
					if test.trace != "" && !inTrace(m, test.trace) {
						t.Errorf("%q is not in the trace", test.trace)
					}
					if n := len(f.heard("tools/call t")) - sent; n != 1 {
						t.Errorf("sent %d times", n)
					}
					stillFine(t, m, before.Generation)
				})
			}
		})
	}
}

// Results that go-sdk refuses as a whole reach the person as they are.
func TestAnOddResultReachesThePerson(t *testing.T) {
	f := newHostile(t, true, nil)
	m := f.add(t, Options{})
	before, err := m.Status("s")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		result  string
		outcome store.Outcome
	}{
		{`{"content":[{"type":"video","data":"x"}]}`, store.OutcomeDone},
		{`{"content":[{"text":"of no type"}]}`, store.OutcomeDone},
		{`{"content":[{"type":"image","data":"not base64!","mimeType":"image/png"}]}`, store.OutcomeDone},
		{`{"content":"plain"}`, store.OutcomeDone},
		{`{"content":[],"isError":"true"}`, store.OutcomeToolError},
		{`{"content":[{"type":"text","text":"a","annotations":{"priority":"high"}}]}`, store.OutcomeDone},
		{`{"content":null}`, store.OutcomeDone},
		{`{}`, store.OutcomeDone},
		{`{"toolResult":{"of":"2024-10-07"}}`, store.OutcomeDone},
		{`{"content":[],"structuredContent":12345678901234567890}`, store.OutcomeDone},
		{`{"content":[],"_meta":{"n":9007199254740993}}`, store.OutcomeDone},
	} {
		f.put("tools/call t", gives(test.result))
		call, err := m.Call(t.Context(), callT())
		if err != nil || call.Outcome != test.outcome || string(call.Result) != test.result {
			t.Errorf("%s: %s, %s, %v", test.result, call.Outcome, call.Result, err)
		}
	}
	stillFine(t, m, before.Generation)
}

// Progress in odd forms is shown: a total of null; a token that is a number belongs to nobody.
func TestOddProgressIsProgress(t *testing.T) {
	f := newHostile(t, false, nil)
	m := f.add(t, Options{})
	shown := make(chan struct{})
	f.put("tools/call t", func(w http.ResponseWriter, _ *http.Request, id string) {
		token := wire.Get(wire.Get(wire.Get(f.heard("tools/call t")[0].body, "params"), "_meta"), "progressToken")
		event(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":7,\"progress\":1}}\n\n")
		event(w, fmt.Sprintf("data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":%s,\"progress\":3,\"total\":null}}\n\n", token))
		<-shown
		event(w, fmt.Sprintf("data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"content\":[]}}\n\n", id))
	})
	events, stop := m.Subscribe()
	defer stop()
	results := callInBackground(m, t)
	e := await(t, events, "progress", func(e Event) bool { return e.Type == EventCall && e.Call.Progress != nil })
	close(shown)
	if *e.Call.Progress != (Progress{Progress: 3}) {
		t.Errorf("progress = %+v", *e.Call.Progress)
	}
	if got := <-results; got.err != nil {
		t.Error(got.err)
	}
}

package mcp

import (
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"
)

// Schemas that go-sdk refuses before a handler runs, which fails the whole call: in both eras they reach the person as they were sent, and
// the answer is checked here.
func TestSchemasThatTheLibraryRefusesReachThePersonInBothEras(t *testing.T) {
	for _, test := range []struct{ fault, schema, answer, wrong string }{
		{"a format", `{"type":"object","properties":{"id":{"type":"string","format":"uuid"}}}`, `{"id":"6f1d0c1e-7c1b-4a57-9d7e-0d4b9d1c2a3f"}`, ""},
		{"nested objects", `{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"string"}},"required":["b"]}}}`, `{"a":{"b":"x"}}`, `{"a":{}}`},
		{"a list of anything", `{"type":"object","properties":{"list":{"type":"array","items":{"type":"number"}}}}`, `{"list":[1,2.50]}`, `{"list":["x"]}`},
		{"an enum without a type", `{"type":"object","properties":{"size":{"enum":["s","m"]}}}`, `{"size":"m"}`, `{"size":"xl"}`},
		{"unknown keywords", `{"type":"object","properties":{"a":{"type":"string","x-widget":"slider","unevaluatedItems":false}},"x-order":["a"]}`, `{"a":"b"}`, `{"a":7}`},
		{"a union", `{"type":"object","properties":{"a":{"oneOf":[{"type":"integer"},{"type":"null"}]}}}`, `{"a":null}`, `{"a":"b"}`},
		{"a reference", `{"type":"object","$defs":{"n":{"type":"integer","minimum":1}},"properties":{"a":{"$ref":"#/$defs/n"}}}`, `{"a":9007199254740993}`, `{"a":0}`},
		{"no properties", `{"type":"object"}`, `{"anything":1}`, ""},
		{"a schema that is true", `true`, `{}`, ""},
	} {
		for _, modern := range []bool{false, true} {
			t.Run(test.fault+map[bool]string{false: ", legacy", true: ", modern"}[modern], func(t *testing.T) {
				params := `{"mode":"form","message":"?","requestedSchema":` + test.schema + `}`
				s := asking(params)
				if modern {
					s = askingModern(params)
				}
				m := connected(t, s, bothModes)
				results := callInBackground(m, t)
				ask := waitForAsk(t, m)
				if string(ask.Schema) != test.schema {
					t.Errorf("schema = %s", ask.Schema)
				}
				if test.wrong != "" {
					if err := m.Answer(t.Context(), ask.ID, Answer{ActionAccept, json.RawMessage(test.wrong)}); code(err) != CodeInvalidAnswer {
						t.Errorf("%s: %v", test.wrong, err)
					}
				}
				if err := m.Answer(t.Context(), ask.ID, Answer{ActionAccept, json.RawMessage(test.answer)}); err != nil {
					t.Fatal(err)
				}
				if got := <-results; got.err != nil || !strings.Contains(string(got.call.Result), test.answer) {
					t.Errorf("%s, %v", got.call.Result, got.err)
				}
			})
		}
	}
}

// askingModern is a modern script whose tool asks once and returns the answer.
func askingModern(params string) *script {
	var round atomic.Int64
	return &script{modern: true, answer: func(method string, sent json.RawMessage) (string, string) {
		if method != "tools/call" {
			return "", ""
		}
		if round.Add(1) == 1 {
			return `{"resultType":"input_required","inputRequests":{"q":{"method":"elicitation/create","params":` + params + `}}}`, ""
		}
		return `{"resultType":"complete","content":[],"structuredContent":` + string(sent) + `}`, ""
	}}
}

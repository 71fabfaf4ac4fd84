package mcp

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"jackfield/backend/mcp/wire"
	"jackfield/backend/store"
)

func TestTraceKeepsTheNewestWithinItsBudget(t *testing.T) {
	var sunk int
	r := newRecorder(10*(1000+messageOverhead), func(Message, []byte) { sunk++ })
	for range 25 {
		r.add(Message{ServerID: "s"}, make([]byte, 1000), nil)
	}
	all := r.list(TraceFilter{})
	if len(all) != 10 || all[0].N != 16 || all[9].N != 25 || sunk != 25 {
		t.Errorf("%d kept, %+v … , %d sunk", len(all), all[0], sunk)
	}
	if _, err := r.body(15); code(err) != CodeUnknownItem {
		t.Errorf("body of a dropped message: %v", err)
	}
	if _, err := r.body(26); code(err) != CodeUnknownItem {
		t.Errorf("body of a future message: %v", err)
	}
	if raw, err := r.body(16); err != nil || len(raw) != 1000 {
		t.Errorf("body: %d, %v", len(raw), err)
	}
	r.add(Message{}, make([]byte, 1<<20), nil)
	if all = r.list(TraceFilter{}); len(all) != 1 || all[0].N != 26 {
		t.Errorf("a message over the budget: %+v", all)
	}
}

func TestTraceFilters(t *testing.T) {
	r := newRecorder(0, nil)
	for _, m := range []Message{{ServerID: "a", CallID: "1"}, {ServerID: "b", CallID: "2", Method: "tools/CALL"}, {ServerID: "a", CallID: "2"}} {
		r.add(m, []byte("Text of "+m.ServerID+m.CallID), nil)
	}
	tests := []struct {
		name   string
		filter TraceFilter
		want   string
	}{
		{"all", TraceFilter{}, "1 2 3"},
		{"server", TraceFilter{ServerID: "a"}, "1 3"},
		{"call", TraceFilter{CallID: "2"}, "2 3"},
		{"both", TraceFilter{ServerID: "a", CallID: "2"}, "3"},
		{"text", TraceFilter{Text: "TEXT OF A"}, "1 3"},
		{"method", TraceFilter{Text: "Tools/call"}, "2"},
		{"after", TraceFilter{After: 1}, "2 3"},
		{"limit keeps the newest", TraceFilter{Limit: 2}, "2 3"},
		{"none", TraceFilter{ServerID: "c"}, ""},
	}
	for _, test := range tests {
		var got []string
		for _, m := range r.list(test.filter) {
			got = append(got, string(rune('0'+m.N)))
		}
		if s := strings.Join(got, " "); s != test.want {
			t.Errorf("%s: %s", test.name, s)
		}
	}
	r.forget("a")
	if got := r.list(TraceFilter{Text: "text of a"}); len(got) != 0 {
		t.Errorf("a removed server is still in the trace: %+v", got)
	}
}

func TestMessagesAreDescribed(t *testing.T) {
	tests := []struct {
		raw, kind, method, id, summary string
	}{
		{`{"jsonrpc":"2.0","id":1,"method":"a/b","params":{"x":1}}`, "request", "a/b", "1", `{"x":1}`},
		{`{"jsonrpc":"2.0","id":"i","method":"a"}`, "request", "a", "i", ""},
		{`{"jsonrpc":"2.0","method":"n"}`, "notification", "n", "", ""},
		{`{"jsonrpc":"2.0","id":2,"result":{"a":"b"}}`, "response", "", "2", `{"a":"b"}`},
		{`{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","_meta":{"k":{}},"a":[1, 2],"b":2}}`, "response", "", "2", `{"a":[1, 2],"b":2}`},
		{`{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete"}}`, "response", "", "2", `{"resultType":"complete"}`},
		{`{"jsonrpc":"2.0","id":2,"result":[1]}`, "response", "", "2", `[1]`},
		{`{"jsonrpc":"2.0","id":3,"error":{"code":1}}`, "error", "", "3", `{"code":1}`},
		{`not JSON`, "noise", "", "", "not JSON"},
	}
	for _, test := range tests {
		m := messageOf("s", wire.Record{Dir: wire.In, Raw: []byte(test.raw)})
		if m.Kind != test.kind || m.Method != test.method || m.RPCID != test.id || m.Summary != test.summary || m.Bytes != len(test.raw) {
			t.Errorf("%s: %+v", test.raw, m)
		}
	}
	if m := messageOf("s", wire.Record{Dir: wire.Stderr, Raw: []byte(" a\tb\xff ")}); m.Kind != "text" || m.Summary != "a b\uFFFD" {
		t.Errorf("stderr: %+v", m)
	}
	if m := messageOf("s", wire.Record{Noise: true, Raw: bytes.Repeat([]byte("ä"), 10000)}); m.Kind != "noise" || len([]rune(m.Summary)) != summaryLength {
		t.Errorf("noise: %d runes", len([]rune(m.Summary)))
	}
}

func TestTraceHasTheMessagesOfACall(t *testing.T) {
	var traced []Message
	m := connected(t, answering(func(json.RawMessage) (string, string) { return `{"content":[],"x":9007199254740993}`, "" }), Options{
		Trace: func(message Message, raw []byte) {
			if message.CallID == "c" {
				traced = append(traced, message)
			}
		},
	})
	if _, err := m.Call(t.Context(), CallRequest{ID: "c", ServerID: "s", Kind: store.KindTool, Name: "t"}); err != nil {
		t.Fatal(err)
	}
	got := m.Trace(TraceFilter{CallID: "c"})
	if len(got) != 2 || got[0].Dir != Out || got[0].Method != "tools/call" || got[1].Dir != In || got[1].Kind != "response" || got[1].Method != "tools/call" || got[1].Latency <= 0 {
		t.Fatalf("trace = %+v", got)
	}
	raw, err := m.TraceBody(got[1].N)
	if err != nil || !strings.Contains(string(raw), "9007199254740993") {
		t.Errorf("body = %s, %v", raw, err)
	}
	m.trace.mu.Lock()
	defer m.trace.mu.Unlock()
	if len(traced) != 2 {
		t.Errorf("sink = %+v", traced)
	}
}

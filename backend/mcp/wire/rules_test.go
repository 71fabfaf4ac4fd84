package wire

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// waiting makes a Wire on which one request per method waits, with the ids 1, 2, ...
func waiting(l *journal, call *Call, methods ...string) *Wire {
	w := New(Config{Observer: l.observer()})
	for i, method := range methods {
		w.outgoing(WithCall(context.Background(), call), fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":{}}`, i+1, method))
	}
	return w
}

type envelopeFault struct {
	fault string
	own   bool // the answer came on a stream of its own (HTTP), not on one that all share
	raw   string
	codes string // of the problems, in alphabetical order
	want  string // what go-sdk is shown, "" if nothing
}

func envelopeFaults() []envelopeFault {
	const shared, own = false, true
	return []envelopeFault{
		{"a good answer", shared, `{"jsonrpc":"2.0","id":1,"result":{}}`, "", `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{"a good answer with unknown members", shared, `{"jsonrpc":"2.0","id":1,"result":{},"x":1}`, "", `{"jsonrpc":"2.0","id":1,"result":{},"x":1}`},
		{"a good error", shared, `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"m","data":{"a":1}}}`, "", `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"m","data":{"a":1}}}`},
		{"version missing", shared, `{"id":1,"result":{}}`, "jsonrpc_missing", `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{"version 1.0", shared, `{"jsonrpc":"1.0","id":1,"result":{}}`, "jsonrpc_wrong", `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{"version as a number", shared, `{"jsonrpc":2.0,"id":1,"result":{}}`, "jsonrpc_wrong", `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{"version null", shared, `{"jsonrpc":null,"id":1,"result":{}}`, "jsonrpc_wrong", `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{"keys in another case", shared, `{"JsonRpc":"2.0","Id":1,"Result":{"a":1}}`, "key_case", `{"jsonrpc":"2.0","id":1,"result":{"a":1}}`},
		{"error key in another case", shared, `{"jsonrpc":"2.0","id":1,"Error":{"code":1,"message":"m"}}`, "key_case", `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}`},
		{"a key that is escaped", shared, `{"jsonrpc":"2.0","id":1,"r\u0065sult":{}}`, "key_case", `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{"result twice", shared, `{"jsonrpc":"2.0","id":1,"result":{"a":1},"result":{"a":2}}`, "key_doubled", `{"jsonrpc":"2.0","id":1,"result":{"a":2}}`},
		{"every member written, null or not", shared, `{"jsonrpc":"2.0","id":1,"method":null,"params":null,"result":{},"error":null}`, "null_member", `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{"error with result null", shared, `{"jsonrpc":"2.0","id":1,"result":null,"error":{"code":1,"message":"m"}}`, "null_member", `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}`},
		{"result null is a result", shared, `{"jsonrpc":"2.0","id":1,"result":null}`, "", `{"jsonrpc":"2.0","id":1,"result":null}`},
		{"id as a string", shared, `{"jsonrpc":"2.0","id":"1","result":{}}`, "id_type", `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{"id as a string with a fraction", shared, `{"jsonrpc":"2.0","id":"1.0","result":{}}`, "id_type", `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{"id with a fraction", shared, `{"jsonrpc":"2.0","id":1.0,"result":{}}`, "id_form", `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{"id with an exponent", shared, `{"jsonrpc":"2.0","id":1e0,"result":{}}`, "id_form", `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{"error with id null", shared, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"m"}}`, "id_missing", `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"m"}}`},
		{"error without id", shared, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"m"}}`, "id_missing", `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"m"}}`},
		{"result without id", shared, `{"jsonrpc":"2.0","result":{}}`, "id_missing", `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{"a bare error, on its own stream", own, `{"error":"bad"}`, "error_text,id_missing,jsonrpc_missing", `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"bad"}}`},
		{"a wrong id, on its own stream", own, `{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"m"}}`, "id_wrong", `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"m"}}`},
		{"an unknown id", shared, `{"jsonrpc":"2.0","id":99,"result":{}}`, "id_unknown", ""},
		{"an id that is an object", shared, `{"jsonrpc":"2.0","id":{},"result":{}}`, "id_unknown", ""},
		{"result and error", shared, `{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"m"}}`, "result_and_error", `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}`},
		{"neither result nor error", shared, `{"jsonrpc":"2.0","id":1}`, "no_result", `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"The server's answer has neither a result nor an error."}}`},
		{"error as a string", shared, `{"jsonrpc":"2.0","id":1,"error":"bad"}`, "error_text", `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"bad"}}`},
		{"error as a number", shared, `{"jsonrpc":"2.0","id":1,"error":7}`, "error_text", `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"7"}}`},
		{"error as a list", shared, `{"jsonrpc":"2.0","id":1,"error":["a"]}`, "error_text", `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"[\"a\"]"}}`},
		{"error false", shared, `{"jsonrpc":"2.0","id":1,"error":false}`, "error_text", `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"false"}}`},
		{"error code as a string", shared, `{"jsonrpc":"2.0","id":1,"error":{"code":"-32000","message":"m"}}`, "error_code", `{"jsonrpc":"2.0","id":1,"error":{"message":"m","code":-32000}}`},
		{"error code as a word", shared, `{"jsonrpc":"2.0","id":1,"error":{"code":"EFAIL","message":"m"}}`, "error_code", `{"jsonrpc":"2.0","id":1,"error":{"message":"m","code":-32603}}`},
		{"error code with a fraction", shared, `{"jsonrpc":"2.0","id":1,"error":{"code":-32000.0,"message":"m"}}`, "error_code", `{"jsonrpc":"2.0","id":1,"error":{"message":"m","code":-32000}}`},
		{"error without code", shared, `{"jsonrpc":"2.0","id":1,"error":{"message":"m"}}`, "error_code", `{"jsonrpc":"2.0","id":1,"error":{"message":"m","code":-32603}}`},
		{"error nested", shared, `{"jsonrpc":"2.0","id":1,"error":{"error":{"code":5,"message":"m"}}}`, "error_nested", `{"jsonrpc":"2.0","id":1,"error":{"code":5,"message":"m"}}`},
		{"error without message", shared, `{"jsonrpc":"2.0","id":1,"error":{"code":5}}`, "error_message", `{"jsonrpc":"2.0","id":1,"error":{"code":5,"message":"The server gave no reason."}}`},
		{"error whose message is an object", shared, `{"jsonrpc":"2.0","id":1,"error":{"code":5,"message":{"a":1}}}`, "error_message", `{"jsonrpc":"2.0","id":1,"error":{"code":5,"message":"{\"a\":1}"}}`},
		{"an empty error object", shared, `{"jsonrpc":"2.0","id":1,"error":{}}`, "error_code,error_message", `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"The server gave no reason."}}`},
		{"a byte order mark", shared, "\xef\xbb\xbf" + `{"jsonrpc":"2.0","id":1,"result":{}}`, "bom", `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{"a batch of one", shared, `[{"jsonrpc":"2.0","id":1,"result":{}}]`, "batch", `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{"a batch of faulty ones", shared, ` [ {"id":"1","result":{}} , {"level":"info"} ] `, "batch,id_type,jsonrpc_missing", `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{
			"nested too deeply", shared, `{"jsonrpc":"2.0","id":1,"result":{"a":` + strings.Repeat("[", 3000) + strings.Repeat("]", 3000) + `}}`, "too_deep",
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"The server's answer nests 3002 levels deep, more than the 1000 that can be decoded."}}`,
		},
		{"a result that is broken JSON", shared, `{"jsonrpc":"2.0","id":1,"result":{"a":nope}}`, "invalid_json", `"code":-32700`},
		{"a notification", shared, `{"jsonrpc":"2.0","method":"notifications/x","params":{"a":1}}`, "", `{"jsonrpc":"2.0","method":"notifications/x","params":{"a":1}}`},
		{"a notification without version", shared, `{"method":"notifications/x"}`, "jsonrpc_missing", `{"jsonrpc":"2.0","method":"notifications/x"}`},
		{"a notification with params null", shared, `{"jsonrpc":"2.0","method":"notifications/x","params":null}`, "null_member", `{"jsonrpc":"2.0","method":"notifications/x"}`},
		{"a notification nested too deeply", shared, `{"jsonrpc":"2.0","method":"notifications/x","params":` + strings.Repeat("[", 1500) + strings.Repeat("]", 1500) + `}`, "too_deep", ""},
		{"a request with id null", shared, `{"jsonrpc":"2.0","id":null,"method":"ping"}`, "request_id", `{"jsonrpc":"2.0","method":"ping"}`},
		{"a request with a huge id", shared, `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, "request_id", `{"jsonrpc":"2.0","id":"jackfield-1","method":"ping"}`},
		{"a request with a fraction as id", shared, `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, "request_id", `{"jsonrpc":"2.0","id":"jackfield-1","method":"ping"}`},
		{"a request with an object as id", shared, `{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}`, "request_id", `{"jsonrpc":"2.0","id":"jackfield-1","method":"ping"}`},
		{"a method that is a number", shared, `{"jsonrpc":"2.0","method":5}`, "invalid_json", ""},
	}
}

func TestEnvelopeRules(t *testing.T) {
	for _, test := range envelopeFaults() {
		t.Run(test.fault, func(t *testing.T) {
			l := &journal{}
			w := waiting(l, nil, "ping")
			from := source{}
			if test.own {
				from.only = w.requests.byID["1"]
			}
			shown, ok := w.incoming([]byte(test.raw), from)
			if !ok {
				t.Fatal("not taken for a message")
			}
			if got := strings.Join(l.codes(), ","); got != test.codes {
				t.Errorf("problems %q, want %q", got, test.codes)
			}
			if !l.has(In, strings.TrimSpace(strings.TrimPrefix(test.raw, string(bom)))) {
				t.Error("the record does not hold the original")
			}
			if test.want == "" {
				if len(shown) > 0 {
					t.Errorf("shown %s, want nothing", shown[0].raw)
				}
				return
			}
			if len(shown) != 1 {
				t.Fatalf("%d messages shown, want 1", len(shown))
			}
			if got := string(shown[0].raw); got != test.want && !(test.codes == "invalid_json" && strings.Contains(got, test.want)) {
				t.Errorf("shown\n%s, want\n%s", got, test.want)
			}
			if _, err := jsonrpc.DecodeMessage(shown[0].raw); err != nil {
				t.Errorf("go-sdk cannot decode what it is shown: %v", err)
			}
			if response, ok := shown[0].decoded.(*jsonrpc.Response); ok && (response.ID.Raw() != int64(1) || shown[0].answers == nil) {
				t.Errorf("the answer belongs to %v", response.ID.Raw())
			}
		})
	}
}

func TestEveryRuleIsTested(t *testing.T) {
	var tested []string
	for _, test := range envelopeFaults() {
		tested = append(tested, strings.Split(test.codes, ",")...)
	}
	for _, r := range rules {
		if !slices.Contains(tested, r.code) {
			t.Errorf("rule %s has no test", r.code)
		}
	}
}

func TestWhatIsNoMessage(t *testing.T) {
	for _, raw := range []string{
		`{"level":"info","msg":"started"}`, `{"level":"error","error":"bad"}`, `{"method":"GET","path":"/"}`, `{"id":5,"msg":"x"}`,
		`[]`, `[1,2]`, `{}`, `{"a":`, `hello`, ``, `{"id":1,"level":"info"}`,
	} {
		l := &journal{}
		w := waiting(l, nil, "ping")
		if shown, ok := w.incoming([]byte(raw), source{}); ok || len(shown) > 0 || len(l.codes()) > 0 {
			t.Errorf("%s was taken for a message", raw)
		}
		if w.requests.byID["1"] == nil {
			t.Errorf("%s answered the request", raw)
		}
	}
}

func TestAnIDNullErrorWithSeveralWaitingIsNotGuessed(t *testing.T) {
	l := &journal{}
	w := waiting(l, nil, "ping", "ping")
	shown, ok := w.incoming([]byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}`), source{})
	if !ok || len(shown) > 0 {
		t.Errorf("shown %v", shown)
	}
	if got := l.codes(); !slices.Equal(got, []string{"id_unknown"}) {
		t.Errorf("problems %v", got)
	}
}

func TestAnIDNullErrorMayBeTheLateAnswerToACancelledRequest(t *testing.T) {
	l := &journal{}
	w := waiting(l, nil, "ping", "ping")
	w.outgoing(context.Background(), []byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`))
	if shown, ok := w.incoming([]byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"m"}}`), source{}); !ok || len(shown) > 0 {
		t.Errorf("shown %v: it was given to the request that is not cancelled", shown)
	}
}

func TestADoubledAnswerIsIgnored(t *testing.T) {
	l := &journal{}
	w := waiting(l, nil, "ping")
	answer := []byte(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	if shown, _ := w.incoming(answer, source{}); len(shown) != 1 {
		t.Fatal("the first answer was not shown")
	}
	if shown, _ := w.incoming(answer, source{}); len(shown) != 0 {
		t.Error("the second answer was shown")
	}
	if got := l.codes(); !slices.Equal(got, []string{"id_doubled"}) {
		t.Errorf("problems %v", got)
	}
}

func TestALateAnswerToACancelledRequestIsNoProblem(t *testing.T) {
	l := &journal{}
	w := waiting(l, nil, "ping")
	w.outgoing(context.Background(), []byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`))
	if len(w.requests.byID) != 0 {
		t.Error("the cancelled request still waits")
	}
	if shown, _ := w.incoming([]byte(`{"jsonrpc":"2.0","id":1,"result":{}}`), source{}); len(shown) != 0 {
		t.Error("the late answer was shown")
	}
	if got := l.codes(); len(got) > 0 {
		t.Errorf("problems %v", got)
	}
}

func TestTheAnswerToARequestWithAnOddIDCarriesThatID(t *testing.T) {
	w := waiting(&journal{}, nil)
	w.incoming([]byte(`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`), source{})
	got, _ := w.outgoing(context.Background(), []byte(`{"jsonrpc":"2.0","id":"jackfield-1","result":{}}`))
	if want := `{"jsonrpc":"2.0","id":9007199254740993,"result":{}}`; string(got) != want {
		t.Errorf("sent %s, want %s", got, want)
	}
}

func TestProgressIsASignOfLifeOfItsCall(t *testing.T) {
	l := &journal{}
	w := New(Config{Observer: l.observer()})
	call := &Call{ID: "a"}
	w.outgoing(WithCall(context.Background(), call), []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"progressToken":"a"}}}`))
	lives := 0
	call.OnLife(func() { lives++ })
	w.incoming([]byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"a","progress":1}}`), source{})
	w.incoming([]byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"b","progress":1}}`), source{})
	if lives != 1 {
		t.Errorf("%d signs of life, want 1", lives)
	}
	if l.records[1].Call != call || l.records[2].Call != nil {
		t.Error("the records do not tell the call")
	}
}

func TestAPlaceholderKeepsWhatCannotBeDecoded(t *testing.T) {
	for name, result := range map[string]string{
		"unknown content type": `{"content":[{"type":"video"}]}`,
		"content as text":      `{"content":"plain"}`,
		"isError as text":      `{"content":[],"isError":"true"}`,
		"a text":               `"done"`,
		"null":                 `null`,
		"3,000 levels":         `{"a":` + strings.Repeat("[", 3000) + strings.Repeat("]", 3000) + `}`,
		"broken JSON":          `{"a":nope}`,
	} {
		t.Run(name, func(t *testing.T) {
			call := &Call{Placeholder: true}
			w := waiting(&journal{}, call, "tools/call")
			shown, _ := w.incoming([]byte(`{"jsonrpc":"2.0","id":1,"result":`+result+`}`), source{})
			if len(shown) != 1 || string(shown[0].raw) != `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}` {
				t.Fatalf("shown %v", shown)
			}
			if string(call.Result()) != result {
				t.Errorf("raw result %s", clip(call.Result()))
			}
		})
	}
}

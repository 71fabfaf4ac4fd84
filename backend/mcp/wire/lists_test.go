package wire

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

func TestLists(t *testing.T) {
	const good = `{"name":"a","inputSchema":{"type":"object","maximum":9007199254740993}}`
	for _, test := range []struct {
		fault, method, result string
		codes, want           string
	}{
		{"a good list", "tools/list", `{"tools":[` + good + `],"x":1}`, "", `{"tools":[` + good + `],"x":1}`},
		{"an empty list", "tools/list", `{"tools":[]}`, "", `{"tools":[]}`},
		{"tools null", "tools/list", `{"tools":null}`, "", `{"tools":null}`},
		{"tools missing", "tools/list", `{}`, "", `{}`},
		{"result null", "tools/list", `null`, "", `null`},
		{"the bare list", "tools/list", `[` + good + `]`, "list_shape", `{"tools":[` + good + `]}`},
		{"tools by name", "tools/list", `{"tools":{"a":` + good + `}}`, "list_shape", `{"tools":[]}`},
		{"the key in another case", "tools/list", `{"Tools":[` + good + `]}`, "list_key_case", `{"tools":[` + good + `]}`},
		{"readOnlyHint as text", "tools/list", `{"tools":[{"name":"b","inputSchema":{},"annotations":{"readOnlyHint":"true"}},` + good + `]}`, "tool_set_aside", `{"tools":[` + good + `]}`},
		{"a name that is a number", "tools/list", `{"tools":[` + good + `,{"name":7,"inputSchema":{}}]}`, "tool_set_aside", `{"tools":[` + good + `]}`},
		{"no name", "tools/list", `{"tools":[{"inputSchema":{}},` + good + `]}`, "tool_set_aside", `{"tools":[` + good + `]}`},
		{"an empty name", "tools/list", `{"tools":[{"name":"","inputSchema":{}},` + good + `]}`, "tool_set_aside", `{"tools":[` + good + `]}`},
		{"null among the tools", "tools/list", `{"tools":[null,` + good + `]}`, "tool_set_aside", `{"tools":[` + good + `]}`},
		{"text among the tools", "tools/list", `{"tools":["b",` + good + `]}`, "tool_set_aside", `{"tools":[` + good + `]}`},
		{"the same name twice", "tools/list", `{"tools":[` + good + `,{"name":"a","inputSchema":{}}]}`, "tool_set_aside", `{"tools":[` + good + `]}`},
		{"keys of a tool in another case", "tools/list", `{"tools":[{"Name":"a","inputschema":{}}]}`, "tool_key_case", `{"tools":[{"name":"a","inputSchema":{}}]}`},
		{"icon sizes as text", "tools/list", `{"tools":[{"name":"a","inputSchema":{},"icons":[{"src":"x","sizes":"48x48"}]}]}`, "tool_icons", `{"tools":[{"name":"a","inputSchema":{}}]}`},
		{"no inputSchema", "tools/list", `{"tools":[{"name":"a"}]}`, "tool_schema", `{"tools":[{"name":"a"}]}`},
		{"inputSchema true", "tools/list", `{"tools":[{"name":"a","inputSchema":true}]}`, "tool_schema", `{"tools":[{"name":"a","inputSchema":true}]}`},
		{"a tool nested too deeply", "tools/list", `{"tools":[{"name":"b","inputSchema":` + strings.Repeat(`{"a":`, 1500) + "1" + strings.Repeat("}", 1500) + `},` + good + `]}`, "tool_set_aside", `{"tools":[` + good + `]}`},
		{"a cursor that is a number", "tools/list", `{"tools":[],"nextCursor":7}`, "list_field", `{"tools":[],"nextCursor":"7"}`},
		{"_meta as text", "tools/list", `{"tools":[],"_meta":"x"}`, "list_field", `{"tools":[]}`},
		{"a prompt whose arguments are an object", "prompts/list", `{"prompts":[{"name":"a","arguments":{}},{"name":"b"}]}`, "prompt_set_aside", `{"prompts":[{"name":"b"}]}`},
		{"a resource without uri", "resources/list", `{"resources":[{"name":"a"},{"uri":"x:b","name":"b"}]}`, "resource_set_aside", `{"resources":[{"uri":"x:b","name":"b"}]}`},
		{"a size as text", "resources/list", `{"resources":[{"uri":"x:a","name":"a","size":"7"}]}`, "resource_set_aside", `{"resources":[]}`},
		{"a template without uriTemplate", "resources/templates/list", `{"resourceTemplates":[{"name":"a"},{"uriTemplate":"x:{b}","name":"b"}]}`, "template_set_aside", `{"resourceTemplates":[{"uriTemplate":"x:{b}","name":"b"}]}`},
		{"an empty bad list", "resources/list", `{"resources":"none"}`, "list_shape", `{"resources":[]}`},
	} {
		t.Run(test.fault, func(t *testing.T) {
			l := &journal{}
			call := &Call{ID: "a"}
			w := waiting(l, call, test.method)
			shown, _ := w.incoming([]byte(`{"jsonrpc":"2.0","id":1,"result":`+test.result+`}`), source{})
			if len(shown) != 1 {
				t.Fatalf("%d messages shown", len(shown))
			}
			response := shown[0].decoded.(*jsonrpc.Response)
			if string(response.Result) != test.want || response.Error != nil {
				t.Errorf("go-sdk sees %s %v, want %s", response.Result, response.Error, test.want)
			}
			if string(call.Result()) != test.want {
				t.Errorf("the call has %s, want %s", call.Result(), test.want)
			}
			if got := strings.Join(l.codes(), ","); got != test.codes {
				t.Errorf("problems %q, want %q", got, test.codes)
			}
			for _, p := range l.problems {
				if p.Call != call || p.Subject == "" || p.Message == "" {
					t.Errorf("problem %+v", p)
				}
			}
			list, _ := listOf(test.method)
			if err := decode(list.result, response.Result); err != nil {
				t.Errorf("go-sdk cannot decode what is left: %v", err)
			}
		})
	}
}

func TestToolsThatGoSDKDropsSilentlyAreNamed(t *testing.T) {
	schema := func(properties string) string {
		return `{"name":"a","inputSchema":{"type":"object","properties":` + properties + `}}`
	}
	for fault, tool := range map[string]string{
		"an object":      schema(`{"x":{"type":"object","x-mcp-header":"X"}}`),
		"an empty name":  schema(`{"x":{"type":"string","x-mcp-header":""}}`),
		"a blank":        schema(`{"x":{"type":"string","x-mcp-header":"a b"}}`),
		"a number":       schema(`{"x":{"type":"string","x-mcp-header":7}}`),
		"twice":          schema(`{"x":{"type":"string","x-mcp-header":"A"},"y":{"type":"integer","x-mcp-header":"a"}}`),
		"nested, a list": schema(`{"x":{"type":"object","properties":{"y":{"type":"array","x-mcp-header":"A"}}}}`),
	} {
		t.Run(fault, func(t *testing.T) {
			for _, http := range []bool{true, false} {
				l := &journal{}
				call := &Call{}
				w := waiting(l, call, "tools/list")
				w.era = "modern"
				from := source{}
				if http {
					from.only = w.requests.byID["1"]
				}
				w.incoming([]byte(`{"jsonrpc":"2.0","id":1,"result":{"tools":[`+tool+`]}}`), from)
				code, left := "tool_header", tool
				if http {
					code, left = "tool_set_aside", ""
				}
				if got := strings.Join(l.codes(), ","); got != code {
					t.Errorf("problems %q, want %q", got, code)
				}
				if want := `{"tools":[` + left + `]}`; string(call.Result()) != want {
					t.Errorf("left %s, want %s", call.Result(), want)
				}
			}
		})
	}
	for _, fine := range []string{schema(`{"x":{"type":"string","x-mcp-header":"X-A"}}`), schema(`{}`), `{"name":"a","inputSchema":{}}`} {
		if fault := headerFault(Get([]byte(fine), "inputSchema")); fault != "" {
			t.Errorf("%s: %s", fine, fault)
		}
	}
}

func TestAListOf5000ToolsIsFast(t *testing.T) {
	var b bytes.Buffer
	for i := range 5000 {
		fmt.Fprintf(&b, `,{"name":"tool%d","description":"does something","inputSchema":{"type":"object","properties":{"a":{"type":"string"}}}}`, i)
	}
	w := waiting(&journal{}, nil, "tools/list")
	start := time.Now()
	w.incoming(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"result":{"tools":[%s]}}`, b.Bytes()[1:]), source{})
	if took := time.Since(start); took > 20*time.Second { // 0.1 s on an idle machine
		t.Errorf("took %v", took)
	} else {
		t.Log(took)
	}
}

package mcp

import (
	"encoding/json"
	"slices"
	"testing"
)

// What go-sdk loses a whole list for, or says nothing about, costs at most the one entry, and is named.
func TestABadListIsReadAsFarAsItGoes(t *testing.T) {
	const good = `{"name":"good","inputSchema":{"type":"object"}}`
	for _, test := range []struct {
		fault, result string
		tools         []string
		problem       string
	}{
		{"tools null", `{"tools":null}`, nil, ""},
		{"tools missing", `{}`, nil, ""},
		{"result null", `null`, nil, ""},
		{"null among the tools", `{"tools":[null,` + good + `]}`, []string{"good"}, "tool_set_aside"},
		{"no inputSchema", `{"tools":[{"name":"a"},` + good + `]}`, []string{"a", "good"}, "tool_schema"},
		{"inputSchema null", `{"tools":[{"name":"a","inputSchema":null},` + good + `]}`, []string{"a", "good"}, "tool_schema"},
		{"inputSchema true", `{"tools":[{"name":"a","inputSchema":true},` + good + `]}`, []string{"a", "good"}, "tool_schema"},
		{"a hint as text", `{"tools":[{"name":"a","inputSchema":{},"annotations":{"readOnlyHint":"true"}},` + good + `]}`, []string{"good"}, "tool_set_aside"},
		{"a name that is a number", `{"tools":[{"name":7,"inputSchema":{}},` + good + `]}`, []string{"good"}, "tool_set_aside"},
		{"icon sizes as text", `{"tools":[{"name":"a","inputSchema":{},"icons":[{"src":"x","sizes":"48x48"}]},` + good + `]}`, []string{"a", "good"}, "tool_icons"},
		{"the key in another case", `{"Tools":[` + good + `]}`, []string{"good"}, "list_key_case"},
		{"keys of a tool in another case", `{"tools":[{"name":"a","inputschema":{"type":"object"}},` + good + `]}`, []string{"a", "good"}, "tool_key_case"},
		{"the bare list", `[` + good + `]`, []string{"good"}, "list_shape"},
		{"the same name twice", `{"tools":[` + good + `,` + good + `]}`, []string{"good"}, "tool_set_aside"},
		{"a cursor that is a number", `{"tools":[` + good + `],"nextCursor":7}`, []string{"good"}, "list_field"},
	} {
		t.Run(test.fault, func(t *testing.T) {
			s := &script{answer: func(method string, params json.RawMessage) (string, string) {
				if method == "tools/list" {
					return test.result, ""
				}
				return "", ""
			}}
			m := connected(t, s, Options{})
			if names := toolNames(t, m); !slices.Equal(names, test.tools) {
				t.Errorf("tools %q, want %q", names, test.tools)
			}
			if codes := problemCodes(t, m); test.problem == "" && len(codes) > 0 || test.problem != "" && !slices.Contains(codes, test.problem) {
				t.Errorf("problems %q, want %q", codes, test.problem)
			}
			if status, err := m.Status("s"); err != nil || status.State != StateReady {
				t.Errorf("status = %+v, %v", status, err)
			}
		})
	}
}

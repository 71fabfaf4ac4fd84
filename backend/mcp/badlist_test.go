package mcp

import (
	"encoding/json"
	"slices"
	"testing"
	"time"
)

// A server that says at each request for its list that the list has changed is not asked for ever without a pause.
func TestListsThatNeverRestAreFetchedWithPauses(t *testing.T) {
	var u unrest
	now := time.Unix(0, 0)
	var total time.Duration
	for range 100 {
		delay := u.delay(now)
		now, total = now.Add(delay), total+delay
	}
	if average := total / 100; average < 20*time.Second {
		t.Errorf("a hundred changes in a row are fetched every %s", average)
	}
	if got := u.delay(now.Add(2 * calmAfter)); got != refetchDelay {
		t.Errorf("after a pause: %s", got)
	}
}

func TestAServerWhoseListsNeverRestIsNamed(t *testing.T) {
	s := &script{}
	s.answer = func(method string, _ json.RawMessage) (string, string) {
		if method == "tools/list" {
			s.say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		}
		return "", ""
	}
	// Time goes by faster here, or this would take minutes.
	m := connected(t, s, Options{Clock: hasty{}})
	eventually(t, "the problem", func() bool { return slices.Contains(problemCodes(t, m), "lists_restless") })
	if status, err := m.Status("s"); err != nil || status.State != StateReady {
		t.Errorf("status = %+v, %v", status, err)
	}
}

// hasty is a clock on which every wait is short.
type hasty struct{}

func (hasty) Now() time.Time                         { return time.Now() }
func (hasty) After(d time.Duration) <-chan time.Time { return time.After(d / 500) }

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

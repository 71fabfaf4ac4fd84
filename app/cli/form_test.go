package cli

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"jackfield/backend/mcp"
)

const everyField = `{"type":"object","properties":{
	"text":{"type":"string","minLength":2,"maxLength":5},"mail":{"type":"string","format":"email","description":"Where to"},
	"ratio":{"type":"number","maximum":1},"count":{"type":"integer","minimum":0,"maximum":13,"default":2},"ok":{"type":"boolean","default":false},
	"enum":{"type":"string","enum":["r","g"],"enumNames":["Red","Green"]},"titled":{"type":"string","oneOf":[{"const":"1","title":"One"},{"const":"2","title":"Two"}]},
	"several":{"type":"array","minItems":1,"items":{"type":"string","enum":["a","b","c"]}},
	"untitled":{"type":"array","items":{"anyOf":[{"const":"x","title":"X"},{"const":"y","title":"Y"}]},"default":["y"]},
	"nullable":{"anyOf":[{"type":"string","enum":["q"]},{"type":"null"}]},"object":{"type":"object"},"list":{"type":"array","items":{"type":"string"}}
	},"required":["text","enum"]}`

func TestParseFormDescribesEveryType(t *testing.T) {
	var got []string
	for _, f := range parseForm([]byte(everyField)) {
		got = append(got, f.describe()+" / "+f.question())
	}
	want := []string{
		"text: text, 2 to 5 characters, required / text: ",
		"mail: text, email. Where to / mail (optional): ",
		"ratio: number, at most 1 / ratio (optional): ",
		"count: whole number, 0 to 13 / count [2]: ",
		"ok: yes or no / ok [no]: ",
		"enum: one choice, required / enum: ",
		"titled: one choice / titled (optional): ",
		"several: any number of choices, at least 1 choices / several (optional): ",
		"untitled: any number of choices / untitled [Y]: ",
		"nullable: text / nullable (optional): ",
		"object: JSON / object (optional): ",
		"list: JSON / list (optional): ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestParseFormOfABrokenSchema(t *testing.T) {
	for _, schema := range []string{``, `null`, `[]`, `{"properties":[]}`, `{"properties":{}}`} {
		if fields := parseForm([]byte(schema)); len(fields) != 0 {
			t.Errorf("%s: %d fields", schema, len(fields))
		}
	}
}

func TestFieldParse(t *testing.T) {
	fields := map[string]field{}
	for _, f := range parseForm([]byte(everyField)) {
		fields[f.name] = f
	}
	tests := []struct{ field, line, want string }{
		{"text", "abc", `"abc"`},
		{"text", " 42 ", `" 42 "`},
		{"text", "", "!required"},
		{"text", `""`, `""`},
		{"mail", "", "-"},
		{"ratio", "0.50", "0.50"},
		{"ratio", "half", "!not a number"},
		{"ratio", `"1"`, "!not a number"},
		{"count", "", "2"},
		{"count", "9007199254740993", "9007199254740993"},
		{"count", "1.5", "!not a whole number"},
		{"ok", "", "false"},
		{"ok", "Y", "true"},
		{"ok", "maybe", "!yes or no"},
		{"enum", "2", `"g"`},
		{"enum", "red", `"r"`},
		{"enum", "r", `"r"`},
		{"enum", "3", "!from 1 to 2"},
		{"titled", "1", `"1"`},
		{"titled", "Two", `"2"`},
		{"several", "1, c", `["a","c"]`},
		{"several", "none", `[]`},
		{"several", "1,,2", "!from 1 to 3"},
		{"several", "", "-"},
		{"untitled", "", `["y"]`},
		{"object", `{"a":1.0}`, `{"a":1.0}`},
		{"object", `{`, "!not JSON"},
	}
	for _, test := range tests {
		t.Run(test.field+"="+test.line, func(t *testing.T) {
			value, err := fields[test.field].parse(test.line)
			switch {
			case test.want == "-":
				if !errors.Is(err, errLeftOut) {
					t.Errorf("got %s, %v; want it left out", value, err)
				}
			case test.want[0] == '!':
				if err == nil || !strings.Contains(err.Error(), test.want[1:]) {
					t.Errorf("got %s, %v; want %q", value, err, test.want[1:])
				}
			case err != nil || string(value) != test.want:
				t.Errorf("got %s, %v; want %s", value, err, test.want)
			}
		})
	}
}

func TestConcernedFields(t *testing.T) {
	fields := []field{{name: "a"}, {name: "a/b"}, {name: "ab"}}
	got := concerned(fields, []mcp.FieldError{{Pointer: "/a~1b"}, {Pointer: "/ab/0"}, {Pointer: "/gone"}})
	if len(got) != 2 || got[0].name != "a/b" || got[1].name != "ab" {
		t.Errorf("got %v", got)
	}
}

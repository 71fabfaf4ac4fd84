package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jackfield/backend/mcp"
)

const orderSchema = `{"type":"object","properties":{
	"text":{"type":"string"},"count":{"type":"integer"},"ratio":{"type":"number"},"flag":{"type":"boolean"},
	"maybe":{"anyOf":[{"type":"integer"},{"type":"null"}]},"either":{"type":["number","string"]},
	"tags":{"type":"array","items":{"type":"string"}},"ids":{"type":"array","items":{"type":"integer"}},
	"who":{"type":"object"},"any":{},"level":{"enum":[1,2,3]},"mode":{"enum":["1","2"]},
	"ref":{"$ref":"#/$defs/num"},"deep":{"$ref":"#/$defs/list"},"loop":{"$ref":"#/properties/loop"},
	"far":{"$ref":"https://example.com/schema.json"}},
	"$defs":{"num":{"type":"integer"},"list":{"type":"array","items":{"$ref":"#/$defs/num"}}}}`

func TestToolArguments(t *testing.T) {
	closed := `{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`
	tests := []struct {
		name, schema, base string
		args               []string
		want               string // arguments, or "!" and a part of the error
		notes              int
	}{
		{"none", orderSchema, "", nil, `{}`, 0},
		{"a string that looks like a number stays a string", orderSchema, "", []string{"text=007"}, `{"text":"007"}`, 0},
		{"a string that looks like JSON stays a string", orderSchema, "", []string{`text={"a":1}`}, `{"text":"{\"a\":1}"}`, 0},
		{"an empty string", orderSchema, "", []string{"text="}, `{"text":""}`, 0},
		{"a value with equals signs", orderSchema, "", []string{"text=a=b=<c>"}, `{"text":"a=b=<c>"}`, 0},
		{"a big integer keeps its digits", orderSchema, "", []string{"count=9007199254740993"}, `{"count":9007199254740993}`, 0},
		{"a very big integer keeps its digits", orderSchema, "", []string{"count=123456789012345678901234567890"}, `{"count":123456789012345678901234567890}`, 0},
		{"a number keeps its digits", orderSchema, "", []string{"ratio=0.1000000000000000055511151231257827"}, `{"ratio":0.1000000000000000055511151231257827}`, 0},
		{"an integer for a number", orderSchema, "", []string{"ratio=-3"}, `{"ratio":-3}`, 0},
		{"an exponent for an integer", orderSchema, "", []string{"count=1e3"}, `{"count":1e3}`, 0},
		{"a fraction for an integer", orderSchema, "", []string{"count=1.5"}, `!1.5 is not a whole number`, 0},
		{"an enormous negative exponent", orderSchema, "", []string{"count=1e-999999999"}, `!not a whole number`, 0},
		{"an enormous exponent", orderSchema, "", []string{"count=1e999999999"}, `{"count":1e999999999}`, 0},
		{"a word for an integer", orderSchema, "", []string{"count=many"}, `!"many" is not a whole number`, 0},
		{"hexadecimal is not JSON", orderSchema, "", []string{"count=0x10"}, `!is not a whole number`, 0},
		{"a leading zero is not JSON", orderSchema, "", []string{"count=007"}, `!is not a whole number`, 0},
		{"an empty integer", orderSchema, "", []string{"count="}, `!is not a whole number`, 0},
		{"a boolean", orderSchema, "", []string{"flag=true"}, `{"flag":true}`, 0},
		{"a word for a boolean", orderSchema, "", []string{"flag=yes"}, `!"yes" is not true or false`, 0},
		{"null where it may be", orderSchema, "", []string{"maybe=null"}, `{"maybe":null}`, 0},
		{"a number where null may be", orderSchema, "", []string{"maybe=4"}, `{"maybe":4}`, 0},
		{"a union with string is a string", orderSchema, "", []string{"either=4"}, `{"either":"4"}`, 0},
		{"a JSON array", orderSchema, "", []string{`tags=["a","b"]`}, `{"tags":["a","b"]}`, 0},
		{"one element", orderSchema, "", []string{"tags=a"}, `{"tags":["a"]}`, 0},
		{"repeated elements", orderSchema, "", []string{"tags=a", "text=x", "tags=2"}, `{"tags":["a","2"],"text":"x"}`, 0},
		{"repeated integers", orderSchema, "", []string{"ids=1", "ids=9007199254740993"}, `{"ids":[1,9007199254740993]}`, 0},
		{"a wrong element", orderSchema, "", []string{"ids=1", "ids=x"}, `!"x" is not a whole number`, 0},
		{"a repeated scalar", orderSchema, "", []string{"text=a", "text=b"}, `!"text" is given 2 times`, 0},
		{"an object", orderSchema, "", []string{`who={"name":"Ada","n":1.0}`}, `{"who":{"name":"Ada","n":1.0}}`, 0},
		{"a text for an object", orderSchema, "", []string{`who=Ada`}, `!"Ada" is not a JSON object`, 0},
		{"an untyped number", orderSchema, "", []string{"any=12"}, `{"any":12}`, 0},
		{"an untyped text", orderSchema, "", []string{"any=twelve"}, `{"any":"twelve"}`, 0},
		{"an untyped quoted text", orderSchema, "", []string{`any="12"`}, `{"any":"\"12\""}`, 0},
		{"an enum of numbers", orderSchema, "", []string{"level=2"}, `{"level":2}`, 0},
		{"an enum of digits as text", orderSchema, "", []string{"mode=2"}, `{"mode":"2"}`, 0},
		{"a local reference", orderSchema, "", []string{"ref=5"}, `{"ref":5}`, 0},
		{"a reference inside a reference", orderSchema, "", []string{"deep=5", "deep=6"}, `{"deep":[5,6]}`, 0},
		{"a reference to itself", orderSchema, "", []string{"loop=5"}, `{"loop":5}`, 0},
		{"a remote reference says nothing", orderSchema, "", []string{"far=5"}, `{"far":5}`, 0},
		{"forced JSON", orderSchema, "", []string{"text:=12"}, `{"text":12}`, 0},
		{"forced JSON with an equals sign", orderSchema, "", []string{`text:="a=b"`}, `{"text":"a=b"}`, 0},
		{"forced not JSON", orderSchema, "", []string{"text:=abc"}, `!not JSON`, 0},
		{"an unknown argument is sent with a note", orderSchema, "", []string{"other=1"}, `{"other":1}`, 1},
		{"an unknown argument of a closed schema", closed, "", []string{"b=1"}, `!The tool has no argument "b"`, 0},
		{"forced unknown argument of a closed schema", closed, "", []string{"b:=1"}, `{"b":1}`, 0},
		{"no schema", ``, "", []string{"a=1", "b=x"}, `{"a":1,"b":"x"}`, 0},
		{"schema true", `true`, "", []string{"a=1"}, `{"a":1}`, 0},
		{"properties as an array", `{"properties":[]}`, "", []string{"a=1"}, `{"a":1}`, 0},
		{"typed additional properties", `{"additionalProperties":{"type":"string"}}`, "", []string{"a=1"}, `{"a":"1"}`, 0},
		{"properties inside oneOf", `{"oneOf":[{"properties":{"a":{"type":"string"}}},{"properties":{"b":{"type":"integer"}}}]}`, "", []string{"a=1", "b=2"}, `{"a":"1","b":2}`, 0},
		{"pairs win over the base and keep its order", orderSchema, `{"count":1e2,"text":"a","x":9007199254740993}`, []string{"text=b"}, `{"count":1e2,"text":"b","x":9007199254740993}`, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var base object
			if test.base != "" {
				var err error
				if base, err = parseObject([]byte(test.base)); err != nil {
					t.Fatal(err)
				}
			}
			pairs, err := parsePairs(test.args)
			if err != nil {
				t.Fatal(err)
			}
			got, notes, err := toolArguments(base, pairs, []byte(test.schema))
			if want, ok := strings.CutPrefix(test.want, "!"); ok {
				var failure *mcp.Error
				if !errors.As(err, &failure) || failure.Code != mcp.CodeUsage || !strings.Contains(err.Error(), want) {
					t.Fatalf("error %v, want a usage error with %q", err, want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			if len(notes) != test.notes {
				t.Errorf("notes %q, want %d", notes, test.notes)
			}
		})
	}
}

func TestParsePairsRefuses(t *testing.T) {
	for _, arg := range []string{"", "word", "=value", ":=1"} {
		if _, err := parsePairs([]string{arg}); err == nil {
			t.Errorf("parsePairs(%q) succeeded", arg)
		}
	}
}

func TestReadArguments(t *testing.T) {
	file := filepath.Join(t.TempDir(), "arguments.json")
	if err := os.WriteFile(file, []byte("{\"n\":\n9007199254740993}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, value, want string }{
		{"text", `{"a":{"b":[1, 2]}}`, `{"a":{"b":[1, 2]}}`},
		{"file", "@" + file, `{"n":9007199254740993}`},
		{"stdin", "@-", `{"from":"stdin"}`},
		{"a doubled name: the last wins", `{"a":1,"a":2}`, `{"a":2}`},
		{"missing file", "@" + file + ".not", "!cannot be read"},
		{"array", `[1]`, "!not a JSON object"},
		{"cut off", `{"a":`, "!ends too early"},
		{"broken", `{"a" 1}`, "!not JSON at byte"},
		{"more after it", `{} {}`, "!something follows"},
		{"empty", ``, "!ends too early"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := readArguments(test.value, strings.NewReader(`{"from":"stdin"}`))
			if want, ok := strings.CutPrefix(test.want, "!"); ok {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Fatalf("error %v, want %q", err, want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if string(got.encode()) != test.want {
				t.Errorf("got %s, want %s", got.encode(), test.want)
			}
		})
	}
}

func TestPromptArgumentsAreTexts(t *testing.T) {
	pairs, err := parsePairs([]string{"topic=42", "who=true"})
	if err != nil {
		t.Fatal(err)
	}
	got, err := promptArguments(nil, pairs)
	if err != nil || string(got) != `{"topic":"42","who":"true"}` {
		t.Errorf("got %s, %v", got, err)
	}
	if _, err := promptArguments(object{{"n", []byte("1")}}, nil); err == nil {
		t.Error("a number was accepted")
	}
}

package mcp

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

const everyField = `{"type":"object","required":["name","kind"],"additionalProperties":false,"properties":{
	"name":{"type":"string","minLength":1,"maxLength":5,"pattern":"^[a-z]*$"},
	"mail":{"type":"string","format":"email"},"site":{"type":"string","format":"uri"},
	"day":{"type":"string","format":"date"},"at":{"type":"string","format":"date-time"},
	"n":{"type":"number","minimum":0.5,"exclusiveMaximum":10},"i":{"type":"integer","multipleOf":2},
	"big":{"type":"integer","maximum":9007199254740992},
	"yes":{"type":"boolean"},
	"kind":{"type":"string","oneOf":[{"const":"a","title":"A"},{"const":"b","title":"B"}]},
	"color":{"type":"string","enum":["red","green"]},
	"many":{"type":"array","minItems":1,"maxItems":2,"uniqueItems":true,"items":{"anyOf":[{"const":"x","title":"X"},{"const":"y","title":"Y"}]}},
	"a/b~c":{"type":"null"}}}`

func TestAnswersAreCheckedFieldByField(t *testing.T) {
	tests := []struct {
		content string
		want    []FieldError
	}{
		{`{"name":"x","kind":"a"}`, nil},
		{`{"name":"x","kind":"b","mail":"a@b.example","site":"https://x.example/","day":"2026-11-30","at":"2026-11-30T12:00:00Z","n":0.5,"i":4,"big":9007199254740992,"yes":true,"color":"red","many":["x","y"],"a/b~c":null}`, nil},
		{`{"kind":"a"}`, []FieldError{{"/name", "This is required."}}},
		{`{"name":"","kind":"a"}`, []FieldError{{"/name", "This must not be empty."}}},
		{`{"name":"abcdef","kind":"a"}`, []FieldError{{"/name", "This is too long: 6 characters, at most 5 are allowed."}}},
		{`{"name":"A","kind":"a"}`, []FieldError{{"/name", `"A" does not match the pattern ^[a-z]*$.`}}},
		{`{"name":1,"kind":"a"}`, []FieldError{{"/name", "This has to be a string, not a number."}}},
		{`{"name":"x","kind":"c"}`, []FieldError{{"/kind", `This has to be one of: "a", "b".`}}},
		{`{"name":"x","kind":"a","color":"blue"}`, []FieldError{{"/color", `This has to be one of: "red", "green".`}}},
		{`{"name":"x","kind":"a","mail":"nobody"}`, []FieldError{{"/mail", `"nobody" is not an email address, such as name@example.com.`}}},
		{`{"name":"x","kind":"a","site":"example"}`, []FieldError{{"/site", `"example" is not a full address, such as https://example.com/.`}}},
		{`{"name":"x","kind":"a","day":"30.11.2026"}`, []FieldError{{"/day", `"30.11.2026" is not a date, such as 2026-11-30.`}}},
		{`{"name":"x","kind":"a","at":"2026-11-30"}`, []FieldError{{"/at", `"2026-11-30" is not a date with time and zone, such as 2026-11-30T12:00:00Z.`}}},
		{`{"name":"x","kind":"a","n":0.25}`, []FieldError{{"/n", "0.25 is less than the minimum, 0.5."}}},
		{`{"name":"x","kind":"a","n":10}`, []FieldError{{"/n", "10 has to be less than 10."}}},
		{`{"name":"x","kind":"a","i":3}`, []FieldError{{"/i", "3 is not a multiple of 2."}}},
		{`{"name":"x","kind":"a","i":2.5}`, []FieldError{{"/i", "This has to be an integer, not a number."}}},
		{`{"name":"x","kind":"a","big":9007199254740993}`, []FieldError{{"/big", "9007199254740993 is more than the maximum, 9007199254740992."}}},
		{`{"name":"x","kind":"a","many":[]}`, []FieldError{{"/many", "Too few: 0 items, at least 1 are needed."}}},
		{`{"name":"x","kind":"a","many":["x","x"]}`, []FieldError{{"/many", "Items 1 and 2 are the same."}}},
		{`{"name":"x","kind":"a","many":["z"]}`, []FieldError{{"/many/0", `This has to be one of: "x", "y".`}}},
		{`{"name":"x","kind":"a","more":1}`, []FieldError{{"/more", "This field is not expected."}}},
		{`{"name":"x","kind":"a","a/b~c":1}`, []FieldError{{"/a~1b~0c", "This has to be null, not a number."}}},
		{`{"yes":"no"}`, []FieldError{{"/kind", "This is required."}, {"/name", "This is required."}, {"/yes", "This has to be a boolean, not a string."}}},
		{`[]`, []FieldError{{"", "This has to be an object."}}},
		{`{`, []FieldError{{"", "This has to be an object."}}},
	}
	for _, test := range tests {
		_, err := checkAnswer(AskForm, json.RawMessage(everyField), Answer{ActionAccept, json.RawMessage(test.content)})
		var got []FieldError
		if err != nil {
			failure, ok := err.(*Error)
			if !ok || failure.Code != CodeInvalidAnswer {
				t.Errorf("%s: %v", test.content, err)
				continue
			}
			got = failure.Fields
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s:\n got %q\nwant %q", test.content, got, test.want)
		}
	}
}

func TestAnswersOfOtherKinds(t *testing.T) {
	if got, err := checkAnswer(AskURL, nil, Answer{ActionAccept, json.RawMessage(`{"a":1}`)}); err != nil || got.Content != nil {
		t.Errorf("url: %+v, %v", got, err)
	}
	if _, err := checkAnswer(AskForm, nil, Answer{Action: "maybe"}); code(err) != CodeInvalidAnswer {
		t.Errorf("unknown action: %v", err)
	}
	// The server's own schema is broken: the server has to judge the answer then.
	for _, schema := range []string{`{"type":1}`, `{"$ref":"https://example.com/x"}`, `{"pattern":"("}`} {
		if got, err := checkAnswer(AskForm, json.RawMessage(schema), Answer{ActionAccept, json.RawMessage(`{"a":1}`)}); err != nil || string(got.Content) != `{"a":1}` {
			t.Errorf("%s: %+v, %v", schema, got, err)
		}
	}
}

func TestHugeSchemasAndEndlessReferencesAreBounded(t *testing.T) {
	if _, err := compileSchema(json.RawMessage(`{"description":"` + strings.Repeat("x", maxSchema) + `"}`)); err == nil {
		t.Error("a huge schema was compiled")
	}
	if schema, err := compileSchema(json.RawMessage(`{"$ref":"#"}`)); err == nil {
		if _, err := checkDocument(schema, json.RawMessage(`{}`)); err != nil {
			t.Errorf("a schema that refers to itself: %v", err)
		}
	}
}

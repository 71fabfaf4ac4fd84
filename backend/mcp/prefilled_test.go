package mcp

import (
	"encoding/json"
	"testing"
)

// SEP-1034: what the server proposes is in the answer of a person who changes nothing, with all its digits.
func TestPrefilledHasTheDefaults(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"object","properties":{"n":{"type":"integer","default":9007199254740993},"s":{"type":"string"},"b":{"type":"boolean","default":false}}}`: `{"n":9007199254740993,"b":false}`,
		`{"type":"object","properties":{"a":{"type":"array","default":["x"]},"z":{"default":null}}}`:                                                      `{"a":["x"],"z":null}`,
		`{"properties":{"a":true,"b":7}}`: `{}`,
		`{"properties":[]}`:               `{}`,
		``:                                `{}`,
	} {
		if got := string(Ask{Schema: json.RawMessage(schema)}.Prefilled()); got != want {
			t.Errorf("%s: %s, want %s", schema, got, want)
		}
	}
}

package cli

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSamplingIsShownOnTheTerminal(t *testing.T) {
	tests := map[string][]string{
		``: nil,
		`{"messages":[{"role":"user","content":{"type":"text","text":"Sum it up\nplease"}},
		  {"role":"assistant","content":[{"type":"tool_use","name":"look_up","input":{"q":1.50}}]},
		  {"role":"user","content":[{"type":"tool_result","content":[{"type":"text","text":"found"}]},{"type":"image","mimeType":"image/png","data":"AAAABBBB"},{"type":"x"}]}],
		  "systemPrompt":"Be brief","maxTokens":9007199254740993,"temperature":0.10,"stopSequences":["END"],"modelPreferences":{"hints":[{"name":"small"}]}}`: {
			"system: Be brief", "user: Sum it up", "please", `assistant: [called look_up with {"q":1.50}]`, "user: [the tool answered]", "user: found",
			"user: [image, image/png, 6 bytes]", `user: {"type":"x"}`, "(at most 9007199254740993 tokens)", "(temperature 0.10)", "(models small)", "(stops at END)",
		},
		`{"messages":7}`: {`{"messages":7}`},
	}
	for params, want := range tests {
		if diff := cmp.Diff(want, samplingLines([]byte(params))); diff != "" {
			t.Errorf("%s: %s", params, diff)
		}
	}
}

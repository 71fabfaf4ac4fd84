package mcp

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Members in an order of their own, a number beyond 2^53, characters that an encoder for HTML would escape, and a keyword nobody knows.
const oddSchema = `{"x-odd":{"<b>":"&"},"type":"object","properties":{"n":{"type":"integer","maximum":123456789012345678901234567890,"const":1.10}},"required":["n"]}`

func TestToolsAreDescribedInTheShapesOfModels(t *testing.T) {
	tools := []Tool{
		{Name: "a b", Key: "s_a_b_12", Title: "A", Description: "Does <a> & b", InputSchema: json.RawMessage(oddSchema), OutputSchema: json.RawMessage(`{"type":"object"}`)},
		{Name: "bare", Key: "s_bare"},
	}
	for format, want := range map[ToolFormat]string{
		FormatAISDK: `{"s_a_b_12":{"title":"A","description":"Does <a> & b","inputSchema":` + oddSchema + `,"outputSchema":{"type":"object"}},` +
			`"s_bare":{"description":"bare","inputSchema":{"type":"object"}}}`,
		FormatOpenAI: `[{"type":"function","function":{"name":"s_a_b_12","description":"Does <a> & b","parameters":` + oddSchema + `}},` +
			`{"type":"function","function":{"name":"s_bare","description":"bare","parameters":{"type":"object"}}}]`,
		FormatOpenAIResponses: `[{"type":"function","name":"s_a_b_12","description":"Does <a> & b","parameters":` + oddSchema + `,"strict":false},` +
			`{"type":"function","name":"s_bare","description":"bare","parameters":{"type":"object"},"strict":false}]`,
		FormatAnthropic: `[{"name":"s_a_b_12","description":"Does <a> & b","input_schema":` + oddSchema + `},` +
			`{"name":"s_bare","description":"bare","input_schema":{"type":"object"}}]`,
	} {
		got, err := DescribeTools(format, tools)
		if err != nil {
			t.Errorf("%s: %v", format, err)
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("%s: %s", format, diff)
		}
	}
}

func TestNoToolsAreDescribedAsAnEmptyList(t *testing.T) {
	for _, format := range ToolFormats {
		got, err := DescribeTools(format, nil)
		if want := map[bool]string{true: "{}", false: "[]"}[format == FormatAISDK]; err != nil || string(got) != want {
			t.Errorf("%s: %s, %v", format, got, err)
		}
	}
	if _, err := DescribeTools("gemini", []Tool{{Name: "x"}}); code(err) != CodeUsage || !strings.Contains(err.Error(), "gemini") {
		t.Errorf("err = %v", err)
	}
}

// What a model is shown and what it calls go through the Manager: the key leads back to the server and the name.
func TestDescribedToolsLeadBackToTheirServers(t *testing.T) {
	m := shelf(t)
	var tools []Tool
	for _, offer := range m.Tools(Filter{}) {
		tools = append(tools, offer.Item)
	}
	raw, err := DescribeTools(FormatAISDK, tools)
	if err != nil {
		t.Fatal(err)
	}
	var byKey map[string]struct{ InputSchema json.RawMessage }
	if err := json.Unmarshal(raw, &byKey); err != nil || len(byKey) != len(tools) {
		t.Fatalf("%d of %d tools, %v", len(byKey), len(tools), err)
	}
	for key := range byKey {
		server, name, err := m.ToolByKey(key)
		if err != nil || !strings.HasPrefix(key, server+"_") || name == "" || !regexpKey.MatchString(key) {
			t.Errorf("%s is %s of %s, %v", key, name, server, err)
		}
	}
}

package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// ToolFormat is how tools are described to a model.
type ToolFormat string

const (
	FormatAISDK           ToolFormat = "ai-sdk"           // the AI SDK: an object of tools by name, their schemas for jsonSchema()
	FormatOpenAI          ToolFormat = "openai"           // OpenAI, Chat Completions: tools[].function.parameters
	FormatOpenAIResponses ToolFormat = "openai-responses" // OpenAI, Responses: tools[].parameters
	FormatAnthropic       ToolFormat = "anthropic"        // Anthropic, Messages: tools[].input_schema
)

// ToolFormats are all of them.
var ToolFormats = []ToolFormat{FormatAISDK, FormatOpenAI, FormatOpenAIResponses, FormatAnthropic}

// DescribeTools describes tools to a model, under their keys. The schemas are those of the servers, byte for byte: members that no model
// knows and numbers of any size stay as they are.
func DescribeTools(format ToolFormat, tools []Tool) (json.RawMessage, error) {
	var out bytes.Buffer
	opening, closing := byte('['), byte(']')
	if format == FormatAISDK {
		opening, closing = '{', '}'
	}
	out.WriteByte(opening)
	for i, tool := range tools {
		if i > 0 {
			out.WriteByte(',')
		}
		if format == FormatAISDK {
			fmt.Fprintf(&out, "%q:", tool.Key) // a key needs no escaping
		}
		entry, err := describeTool(format, tool)
		if err != nil {
			return nil, err
		}
		out.Write(entry)
	}
	out.WriteByte(closing)
	return out.Bytes(), nil
}

func describeTool(format ToolFormat, tool Tool) (json.RawMessage, error) {
	// A model needs a sentence; a tool without a description has its title or its name to go by.
	text := firstOf(tool.Description, tool.Title, tool.Name)
	input := tool.InputSchema
	if len(input) == 0 {
		input = json.RawMessage(`{"type":"object"}`)
	}
	type function struct {
		Type        string          `json:"type,omitempty"`
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
		Strict      *bool           `json:"strict,omitempty"`
	}
	var entry any
	switch format {
	case FormatAISDK:
		entry = struct {
			Title        string          `json:"title,omitempty"`
			Description  string          `json:"description"`
			InputSchema  json.RawMessage `json:"inputSchema"`
			OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
		}{tool.Title, text, input, tool.OutputSchema}
	case FormatOpenAI:
		entry = struct {
			Type     string   `json:"type"`
			Function function `json:"function"`
		}{"function", function{Name: tool.Key, Description: text, Parameters: input}}
	case FormatOpenAIResponses:
		// Strict is the default there, and refuses most schemas that are not written for it.
		entry = function{Type: "function", Name: tool.Key, Description: text, Parameters: input, Strict: new(false)}
	case FormatAnthropic:
		entry = struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			InputSchema json.RawMessage `json:"input_schema"`
		}{tool.Key, text, input}
	default:
		return nil, fail(CodeUsage, fmt.Sprintf("Tools cannot be described as %q.", format), "Use ai-sdk, openai, openai-responses or anthropic.", nil)
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(entry); err != nil {
		return nil, fmt.Errorf("describing the tool %s: %w", tool.Name, err)
	}
	return bytes.TrimSpace(out.Bytes()), nil
}

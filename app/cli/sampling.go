package cli

import (
	"encoding/json"
	"fmt"
	"strings"
)

// samplingLines are what a server asks of a language model (sampling/createMessage), to be read on a terminal. What is no text is named.
func samplingLines(params json.RawMessage) []string {
	if len(params) == 0 {
		return nil
	}
	var request struct {
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
		SystemPrompt     string
		MaxTokens        json.Number
		Temperature      json.Number
		StopSequences    []string
		ModelPreferences struct{ Hints []struct{ Name string } }
	}
	if err := json.Unmarshal(params, &request); err != nil {
		return []string{string(params)} // it cannot be read as the specification has it; the person may make sense of it
	}
	var lines []string
	say := func(who, text string) {
		for i, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
			if i == 0 {
				line = who + ": " + line
			}
			lines = append(lines, line)
		}
	}
	if request.SystemPrompt != "" {
		say("system", request.SystemPrompt)
	}
	for _, message := range request.Messages {
		for _, text := range contentTexts(message.Content) {
			say(first(message.Role, "somebody"), text)
		}
	}
	var hints []string
	for _, hint := range request.ModelPreferences.Hints {
		hints = append(hints, hint.Name)
	}
	for _, wish := range []struct{ name, value string }{
		{"at most", string(request.MaxTokens)},
		{"temperature", string(request.Temperature)},
		{"models", strings.Join(hints, ", ")},
		{"stops at", strings.Join(request.StopSequences, ", ")},
	} {
		if wish.value == "" {
			continue
		}
		if wish.name == "at most" {
			wish.value += " tokens"
		}
		lines = append(lines, "("+wish.name+" "+wish.value+")")
	}
	return lines
}

// contentTexts shows one block of content, or a list of them.
func contentTexts(raw json.RawMessage) []string {
	var blocks []json.RawMessage
	if json.Unmarshal(raw, &blocks) != nil {
		blocks = []json.RawMessage{raw}
	}
	var texts []string
	for _, block := range blocks {
		var b struct {
			Type, Text, Data, MIMEType, Name string
			Input, Content                   json.RawMessage
		}
		if err := json.Unmarshal(block, &b); err != nil {
			texts = append(texts, string(block))
			continue
		}
		switch b.Type {
		case "text":
			texts = append(texts, b.Text)
		case "image", "audio":
			texts = append(texts, fmt.Sprintf("[%s, %s, %s]", b.Type, first(b.MIMEType, "no type given"), size(int64(len(b.Data)/4*3))))
		case "tool_use":
			texts = append(texts, fmt.Sprintf("[called %s with %s]", b.Name, b.Input))
		case "tool_result":
			texts = append(texts, "[the tool answered]")
			if len(b.Content) > 0 {
				texts = append(texts, contentTexts(b.Content)...)
			}
		default:
			texts = append(texts, string(block))
		}
	}
	return texts
}

package cli

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"jackfield/backend/mcp"
	"jackfield/backend/store"
)

// renderer prints results for a person, each part by its type.
type renderer struct {
	out *output
}

// content is one block of a result, or one of a resource's contents.
type content struct {
	Type     string           `json:"type"`
	Text     *string          `json:"text"`
	Data     string           `json:"data"`
	Blob     *string          `json:"blob"`
	MIMEType string           `json:"mimeType"`
	URI      string           `json:"uri"`
	Name     string           `json:"name"`
	Title    string           `json:"title"`
	Size     *json.Number     `json:"size"`
	Resource *json.RawMessage `json:"resource"`
}

// text prints text as it is. On a terminal characters that would steer it are escaped.
func (r *renderer) text(text string) error {
	if r.out.terminal {
		text = visible(text, true)
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return r.out.write([]byte(text))
}

// named prints a line that stands for something that is not text.
func (r *renderer) named(format string, args ...any) error {
	return r.out.printf("%s\n", r.out.paint(styleDim, visible("["+fmt.Sprintf(format, args...)+"]", false)))
}

// pretty prints JSON with its digits.
func (r *renderer) pretty(raw json.RawMessage) error {
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		return r.text(string(raw)) // a server's text is shown whatever it is
	}
	document := b.Bytes()
	if r.out.terminal {
		document = visibleJSON(document)
	}
	return r.out.write(append(document, '\n'))
}

// tool prints a CallToolResult.
func (r *renderer) tool(call mcp.Call) error {
	var result struct {
		Content    []json.RawMessage `json:"content"`
		Structured json.RawMessage   `json:"structuredContent"`
	}
	if err := json.Unmarshal(call.Result, &result); err != nil {
		return r.pretty(call.Result) // of a shape of its own
	}
	if call.Outcome == store.OutcomeToolError {
		r.out.note("%s reported an error:", call.Name)
	}
	hasStructured := len(result.Structured) > 0 && string(result.Structured) != "null"
	shown := 0
	for _, raw := range result.Content {
		// The specification wants structured content repeated as text for older clients: once is enough here.
		if hasStructured && repeats(raw, result.Structured) {
			continue
		}
		if err := r.block(raw); err != nil {
			return err
		}
		shown++
	}
	if hasStructured {
		return r.pretty(result.Structured)
	}
	if shown == 0 {
		r.out.note("The result is empty.")
	}
	return nil
}

// repeats tells whether a block is the structured content as text.
func repeats(raw, structured json.RawMessage) bool {
	var block content
	if json.Unmarshal(raw, &block) != nil || block.Type != "text" || block.Text == nil {
		return false
	}
	var a, b bytes.Buffer
	return json.Compact(&a, []byte(*block.Text)) == nil && json.Compact(&b, structured) == nil &&
		bytes.Equal(a.Bytes(), b.Bytes())
}

// block prints one content block.
func (r *renderer) block(raw json.RawMessage) error {
	var c content
	if err := json.Unmarshal(raw, &c); err != nil {
		return r.pretty(raw)
	}
	switch {
	case c.Type == "text" && c.Text != nil:
		return r.text(*c.Text)
	case c.Type == "image" || c.Type == "audio":
		return r.named("%s %s, %s", c.Type, c.MIMEType, size(decodedSize(c.Data)))
	case c.Type == "resource_link":
		parts := []string{c.URI}
		if c.MIMEType != "" {
			parts = append(parts, c.MIMEType)
		}
		if c.Size != nil {
			parts = append(parts, c.Size.String()+" bytes")
		}
		return r.named("link to %s: %s", first(c.Title, c.Name, "a resource"), strings.Join(parts, ", "))
	case c.Type == "resource" && c.Resource != nil:
		var embedded content
		if err := json.Unmarshal(*c.Resource, &embedded); err != nil {
			return r.pretty(raw)
		}
		return r.contents(embedded, *c.Resource, true)
	}
	return r.pretty(raw)
}

// contents prints a resource's contents, with a heading where it stands beside others.
func (r *renderer) contents(c content, raw json.RawMessage, heading bool) error {
	switch {
	case c.Text != nil:
		if heading {
			if err := r.named("%s", join(c.URI, c.MIMEType)); err != nil {
				return err
			}
		}
		return r.text(*c.Text)
	case c.Blob != nil:
		return r.named("%s", join(c.URI, c.MIMEType, size(decodedSize(*c.Blob))))
	}
	return r.pretty(raw)
}

// prompt prints a GetPromptResult.
func (r *renderer) prompt(call mcp.Call) error {
	var result struct {
		Description string `json:"description"`
		Messages    []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(call.Result, &result); err != nil {
		return r.pretty(call.Result)
	}
	if result.Description != "" {
		r.out.note("%s", result.Description)
	}
	for _, message := range result.Messages {
		if err := r.out.printf("%s\n", r.out.paint(styleBold, visible(message.Role+":", false))); err != nil {
			return err
		}
		blocks := []json.RawMessage{message.Content}
		if several := []json.RawMessage(nil); json.Unmarshal(message.Content, &several) == nil && several != nil {
			blocks = several
		}
		for _, block := range blocks {
			if err := r.block(block); err != nil {
				return err
			}
		}
	}
	if len(result.Messages) == 0 {
		r.out.note("The prompt has no messages.")
	}
	return nil
}

// resource prints a ReadResourceResult. A single binary one goes to a file or pipe as it is.
func (r *renderer) resource(call mcp.Call) error {
	var result struct {
		Contents []json.RawMessage `json:"contents"`
	}
	if err := json.Unmarshal(call.Result, &result); err != nil {
		return r.pretty(call.Result)
	}
	if len(result.Contents) == 0 {
		r.out.note("The resource is empty.")
	}
	for _, raw := range result.Contents {
		var c content
		if err := json.Unmarshal(raw, &c); err != nil {
			if err := r.pretty(raw); err != nil {
				return err
			}
			continue
		}
		alone := len(result.Contents) == 1
		if alone && c.Blob != nil && !r.out.terminal {
			data, err := base64.StdEncoding.DecodeString(*c.Blob)
			if err != nil {
				return &mcp.Error{Failure: store.Failure{
					Code: mcp.CodeProtocol, Message: "The resource's blob is not base64.", Hint: "--json prints it as it came.",
				}, Cause: err}
			}
			return r.out.write(data)
		}
		if alone && c.Text != nil && !r.out.terminal {
			return r.out.write([]byte(*c.Text))
		}
		if err := r.contents(c, raw, !alone); err != nil {
			return err
		}
	}
	return nil
}

func decodedSize(encoded string) int64 {
	padding := int64(strings.Count(encoded[max(len(encoded)-2, 0):], "="))
	return int64(len(encoded))/4*3 - padding
}

// size is a number of bytes as a person reads it.
func size(n int64) string {
	const unit = 1000
	if n < unit {
		return fmt.Sprintf("%d bytes", n)
	}
	value, units := float64(n)/unit, []string{"kB", "MB", "GB", "TB"}
	i := 0
	for value >= unit && i < len(units)-1 {
		value /= unit
		i++
	}
	return fmt.Sprintf("%.1f %s", value, units[i])
}

package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// note reports what was wrong with a list.
type note func(code, subject, message string)

// listField is where a list's result keeps its entries.
var listField = map[listKind]string{
	listTools: "tools", listPrompts: "prompts", listResources: "resources", listTemplates: "resourceTemplates",
}

// splitPage cuts the raw result of a list into its entries.
func splitPage(raw json.RawMessage, kind listKind) (entries []json.RawMessage, next string, err error) {
	var result map[string]json.RawMessage
	if err := json.Unmarshal(raw, &result); err != nil {
		return nil, "", err
	}
	if list := result[listField[kind]]; list != nil {
		if err := json.Unmarshal(list, &entries); err != nil {
			return nil, "", fmt.Errorf("%q is not an array", listField[kind])
		}
	}
	if cursor := result["nextCursor"]; cursor != nil && !bytes.Equal(cursor, []byte("null")) {
		if err := json.Unmarshal(cursor, &next); err != nil {
			return nil, "", errors.New(`"nextCursor" is not a string`)
		}
	}
	return entries, next, nil
}

// entry is one element of a list; its fields are read one by one, so that a wrong one costs only itself.
type entry map[string]json.RawMessage

func decodeEntry(raw json.RawMessage) entry {
	var e entry
	if json.Unmarshal(raw, &e) != nil {
		return nil
	}
	return e
}

func (e entry) text(field string) string {
	var s string
	if json.Unmarshal(e[field], &s) != nil {
		return ""
	}
	return s
}

func (e entry) flag(field string) *bool {
	var b *bool
	if json.Unmarshal(e[field], &b) != nil {
		return nil
	}
	return b
}

// document returns a field's JSON as it came, nil for null.
func (e entry) document(field string) json.RawMessage {
	if raw := e[field]; !bytes.Equal(raw, []byte("null")) {
		return raw
	}
	return nil
}

// named decodes the entries that have a name under the given field, and sets aside the rest and the doubles.
func named[T any](raw []json.RawMessage, kind, field string, report note, make func(name string, e entry, raw json.RawMessage) T) []T {
	var items []T
	seen := map[string]bool{}
	for i, r := range raw {
		e := decodeEntry(r)
		name := e.text(field)
		switch {
		case bytes.Equal(r, []byte("null")):
			report(kind+"_set_aside", strconv.Itoa(i), fmt.Sprintf("Entry %d of the list is null. It was left out.", i))
		case name == "":
			report(kind+"_set_aside", strconv.Itoa(i), fmt.Sprintf("Entry %d of the list has no usable %q, which is required. It was left out.", i, field))
		case seen[name]:
			report(kind+"_twice", name, "The list has two entries of this name. The second was left out, because a request could not reach it.")
		default:
			seen[name] = true
			items = append(items, make(name, e, r))
		}
	}
	return items
}

func decodeTools(raw []json.RawMessage, report note) []Tool {
	return named(raw, "tool", "name", report, func(name string, e entry, raw json.RawMessage) Tool {
		hints := decodeEntry(e["annotations"])
		t := Tool{
			Name: name, Title: e.text("title"), Description: e.text("description"),
			InputSchema: e.document("inputSchema"), OutputSchema: e.document("outputSchema"),
			Annotations: Annotations{
				ReadOnly: hints.flag("readOnlyHint"), Destructive: hints.flag("destructiveHint"),
				Idempotent: hints.flag("idempotentHint"), OpenWorld: hints.flag("openWorldHint"),
			},
			Raw: raw,
		}
		if t.Title == "" {
			t.Title = hints.text("title") // where revisions before 2025-06-18 have it
		}
		return t
	})
}

func decodePrompts(raw []json.RawMessage, report note) []Prompt {
	return named(raw, "prompt", "name", report, func(name string, e entry, raw json.RawMessage) Prompt {
		p := Prompt{Name: name, Title: e.text("title"), Description: e.text("description"), Raw: raw}
		var arguments []json.RawMessage
		if list := e.document("arguments"); list != nil && json.Unmarshal(list, &arguments) != nil {
			report("prompt_arguments", name, "The prompt's arguments are not an array. They were left out.")
		}
		p.Arguments = named(arguments, "prompt_argument", "name", report, func(name string, e entry, _ json.RawMessage) PromptArgument {
			required := e.flag("required")
			return PromptArgument{
				Name: name, Title: e.text("title"), Description: e.text("description"),
				Required: required != nil && *required,
			}
		})
		return p
	})
}

func decodeResources(raw []json.RawMessage, report note) []Resource {
	return named(raw, "resource", "uri", report, func(uri string, e entry, raw json.RawMessage) Resource {
		r := Resource{
			URI: uri, Name: e.text("name"), Title: e.text("title"), Description: e.text("description"),
			MIMEType: e.text("mimeType"), Size: -1, Raw: raw,
		}
		var size json.Number
		if e["size"] != nil && json.Unmarshal(e["size"], &size) == nil {
			if f, err := size.Float64(); err == nil && f >= 0 && f < 1<<62 {
				r.Size = int64(f)
			}
		}
		return r
	})
}

func decodeTemplates(raw []json.RawMessage, report note) []ResourceTemplate {
	return named(raw, "template", "uriTemplate", report, func(uri string, e entry, raw json.RawMessage) ResourceTemplate {
		return ResourceTemplate{
			URITemplate: uri, Name: e.text("name"), Title: e.text("title"), Description: e.text("description"),
			MIMEType: e.text("mimeType"), Raw: raw,
		}
	})
}

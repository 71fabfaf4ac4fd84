package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// errLeftOut says that an optional field was left empty.
var errLeftOut = errors.New("left out")

// field is one field of an elicitation form: a primitive, one choice, or several.
type field struct {
	name, title, description string
	kind                     string // string, number, integer, boolean, choice, choices, json
	required                 bool
	options                  []option
	fallback                 json.RawMessage // the default
	limits                   string          // "2 to 20 characters"
}

type option struct {
	value json.RawMessage
	label string
}

// parseForm reads a requestedSchema, in its order. What it does not understand is asked for as JSON; the Manager checks
// the whole against the schema.
func parseForm(raw json.RawMessage) []field {
	root, err := parseObject(raw)
	if err != nil {
		return nil
	}
	properties, err := parseObject(root.get("properties"))
	if err != nil {
		return nil
	}
	var required []string
	if value := root.get("required"); value != nil && json.Unmarshal(value, &required) != nil {
		required = nil
	}
	var fields []field
	for _, m := range properties {
		fields = append(fields, newField(m.name, newSchema(m.value), slices.Contains(required, m.name)))
	}
	return fields
}

func newField(name string, s schema, required bool) field {
	f := field{name: name, required: required, fallback: s.node.get("default")}
	f.title, _ = text(s.node.get("title"))
	f.description, _ = text(s.node.get("description"))
	types := slices.DeleteFunc(s.types(), func(t string) bool { return t == "null" })
	f.options = options(s)
	switch {
	case len(f.options) > 0:
		f.kind = "choice"
	case len(types) == 1 && types[0] == "array":
		items := s.items()
		if f.options = options(items); len(f.options) > 0 {
			f.kind = "choices"
			f.limits = bounds(s.node, "minItems", "maxItems", "choices")
		} else {
			f.kind = "json"
		}
	case len(types) == 1 && types[0] == "string":
		f.kind = "string"
		format, _ := text(s.node.get("format"))
		f.limits = join(format, bounds(s.node, "minLength", "maxLength", "characters"))
	case len(types) == 1 && (types[0] == "integer" || types[0] == "number"):
		f.kind = types[0]
		f.limits = bounds(s.node, "minimum", "maximum", "")
	case len(types) == 1 && types[0] == "boolean":
		f.kind = "boolean"
	default:
		f.kind = "json"
	}
	return f
}

// options of a choice: enum with enumNames, or titled constants (SEP-1330).
func options(s schema) []option {
	var list []option
	var values []json.RawMessage
	if raw := s.node.get("enum"); raw != nil && json.Unmarshal(raw, &values) == nil {
		var names []string
		if raw := s.node.get("enumNames"); raw != nil && json.Unmarshal(raw, &names) != nil {
			names = nil
		}
		for i, value := range values {
			label := plainValue(value)
			if i < len(names) {
				label = names[i]
			}
			list = append(list, option{value, label})
		}
		return list
	}
	for _, keyword := range []string{"oneOf", "anyOf"} {
		var titled []struct {
			Const json.RawMessage `json:"const"`
			Title string          `json:"title"`
		}
		raw := s.node.get(keyword)
		if raw == nil || json.Unmarshal(raw, &titled) != nil {
			continue
		}
		for _, one := range titled {
			if one.Const == nil {
				return nil
			}
			label := one.Title
			if label == "" {
				label = plainValue(one.Const)
			}
			list = append(list, option{one.Const, label})
		}
		if len(list) > 0 {
			return list
		}
	}
	return nil
}

// plainValue is a value as a person reads it: text without quotes.
func plainValue(value json.RawMessage) string {
	if s, ok := text(value); ok {
		return s
	}
	return string(value)
}

func bounds(o object, low, high, unit string) string {
	from, to := string(o.get(low)), string(o.get(high))
	switch {
	case from != "" && to != "":
		return strings.TrimSpace(from + " to " + to + " " + unit)
	case from != "":
		return strings.TrimSpace("at least " + from + " " + unit)
	case to != "":
		return strings.TrimSpace("at most " + to + " " + unit)
	}
	return ""
}

func join(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), ", ")
}

// describe is the line that announces a field.
func (f field) describe() string {
	kinds := map[string]string{
		"string": "text", "number": "number", "integer": "whole number", "boolean": "yes or no",
		"choice": "one choice", "choices": "any number of choices", "json": "JSON",
	}
	need := ""
	if f.required {
		need = "required"
	}
	line := f.name + ": " + join(kinds[f.kind], f.limits, need)
	if f.description != "" {
		line += ". " + f.description
	}
	return line
}

// question is the prompt of a field, with what an empty line means.
func (f field) question() string {
	name := f.title
	if name == "" {
		name = f.name
	}
	switch {
	case f.fallback != nil:
		name += " [" + f.shown(f.fallback) + "]"
	case !f.required:
		name += " (optional)"
	}
	return name + ": "
}

// shown is a value as its option or text.
func (f field) shown(value json.RawMessage) string {
	if f.kind == "choices" {
		var list []json.RawMessage
		if json.Unmarshal(value, &list) == nil {
			var labels []string
			for _, one := range list {
				labels = append(labels, f.shown1(one))
			}
			return strings.Join(labels, ", ")
		}
	}
	if f.kind == "boolean" {
		switch string(value) {
		case "true":
			return "yes"
		case "false":
			return "no"
		}
	}
	return f.shown1(value)
}

func (f field) shown1(value json.RawMessage) string {
	for _, o := range f.options {
		if string(o.value) == string(value) {
			return o.label
		}
	}
	return plainValue(value)
}

// parse makes the value of a typed line. An empty line takes the default or leaves the field out; "" is the empty text.
func (f field) parse(line string) (json.RawMessage, error) {
	trimmed := strings.TrimSpace(line)
	if trimmed == "" {
		switch {
		case f.fallback != nil:
			return f.fallback, nil
		case f.required && f.kind == "choices":
			return json.RawMessage("[]"), nil
		case f.required:
			return nil, errors.New("this field is required")
		}
		return nil, errLeftOut
	}
	switch f.kind {
	case "string":
		if trimmed == `""` {
			return quote(""), nil
		}
		return quote(line), nil
	case "number", "integer":
		if !json.Valid([]byte(trimmed)) || typeOf(json.RawMessage(trimmed)) != "number" {
			return nil, fmt.Errorf("%q is not a number", trimmed)
		}
		if f.kind == "integer" && !whole(trimmed) {
			return nil, fmt.Errorf("%s is not a whole number", trimmed)
		}
		return json.RawMessage(trimmed), nil
	case "boolean":
		switch strings.ToLower(trimmed) {
		case "y", "yes", "true":
			return json.RawMessage("true"), nil
		case "n", "no", "false":
			return json.RawMessage("false"), nil
		}
		return nil, errors.New("answer yes or no")
	case "choice":
		return f.option(trimmed)
	case "choices":
		if trimmed == "none" {
			return json.RawMessage("[]"), nil
		}
		var values []json.RawMessage
		for _, word := range strings.Split(trimmed, ",") {
			value, err := f.option(strings.TrimSpace(word))
			if err != nil {
				return nil, err
			}
			values = append(values, value)
		}
		return array(values), nil
	}
	if !json.Valid([]byte(trimmed)) {
		return nil, errors.New("this is not JSON")
	}
	return json.RawMessage(trimmed), nil
}

// option finds a choice by its number, or by its value or label.
func (f field) option(word string) (json.RawMessage, error) {
	if number, err := strconv.Atoi(word); err == nil && number >= 1 && number <= len(f.options) {
		return f.options[number-1].value, nil
	}
	for _, o := range f.options {
		if word == plainValue(o.value) || strings.EqualFold(word, o.label) {
			return o.value, nil
		}
	}
	return nil, fmt.Errorf("%q is not one of them; use a number from 1 to %d", word, len(f.options))
}

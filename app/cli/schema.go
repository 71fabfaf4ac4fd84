package cli

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// schemaDepth bounds how far references and combinations are followed; a schema may refer to itself.
const schemaDepth = 16

// schema is the part of a JSON Schema that decides how text on the command line becomes a value. It is a hint: the
// server checks what it gets.
type schema struct {
	root, node object
}

// newSchema reads a schema; anything that is not an object, such as true, says nothing.
func newSchema(raw json.RawMessage) schema {
	o, err := parseObject(raw)
	if err != nil {
		return schema{}
	}
	return schema{root: o, node: o}.resolve(0)
}

// sub is a schema inside this one.
func (s schema) sub(raw json.RawMessage, depth int) schema {
	o, err := parseObject(raw)
	if err != nil {
		return schema{root: s.root}
	}
	return schema{root: s.root, node: o}.resolve(depth + 1)
}

// resolve follows a local $ref. Others are never fetched.
func (s schema) resolve(depth int) schema {
	reference, ok := text(s.node.get("$ref"))
	if !ok || depth > schemaDepth {
		return s
	}
	pointer, ok := strings.CutPrefix(reference, "#")
	if !ok {
		return s
	}
	raw := s.root.encode()
	for _, part := range strings.Split(pointer, "/")[1:] {
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		if o, err := parseObject(raw); err == nil {
			raw = o.get(part)
			continue
		}
		var list []json.RawMessage
		i, err := strconv.Atoi(part)
		if err != nil || json.Unmarshal(raw, &list) != nil || i < 0 || i >= len(list) {
			return s
		}
		raw = list[i]
	}
	if raw == nil {
		return s
	}
	return s.sub(raw, depth)
}

// alternatives are the schemas of which one, or all, hold as well.
func (s schema) alternatives(depth int) []schema {
	var list []schema
	for _, keyword := range []string{"anyOf", "oneOf", "allOf"} {
		var raw []json.RawMessage
		if value := s.node.get(keyword); value == nil || json.Unmarshal(value, &raw) != nil {
			continue
		}
		for _, one := range raw {
			list = append(list, s.sub(one, depth))
		}
	}
	return list
}

// types returns the JSON types that the schema allows; none means that it does not say.
func (s schema) types() []string { return s.typesAt(0) }

func (s schema) typesAt(depth int) []string {
	if one, ok := text(s.node.get("type")); ok {
		return []string{one}
	}
	var several []string
	if value := s.node.get("type"); value != nil && json.Unmarshal(value, &several) == nil {
		return several
	}
	var values []json.RawMessage
	if value := s.node.get("const"); value != nil {
		values = []json.RawMessage{value}
	} else if value := s.node.get("enum"); value != nil && json.Unmarshal(value, &values) != nil {
		values = nil
	}
	for _, value := range values {
		several = add(several, typeOf(value))
	}
	if depth < schemaDepth {
		for _, one := range s.alternatives(depth) {
			several = add(several, one.typesAt(depth+1)...)
		}
	}
	return several
}

func add(list []string, more ...string) []string {
	for _, one := range more {
		if !slices.Contains(list, one) {
			list = append(list, one)
		}
	}
	return list
}

// typeOf is the JSON Schema type of a value.
func typeOf(value json.RawMessage) string {
	switch strings.TrimLeft(string(value), " \t\r\n")[:1] {
	case `"`:
		return "string"
	case "{":
		return "object"
	case "[":
		return "array"
	case "t", "f":
		return "boolean"
	case "n":
		return "null"
	}
	return "number"
}

// property returns the schema of a member. known tells whether the schema names it; open whether it allows others.
func (s schema) property(name string) (found schema, known, open bool) {
	return s.propertyAt(name, 0)
}

func (s schema) propertyAt(name string, depth int) (found schema, known, open bool) {
	properties, err := parseObject(s.node.get("properties"))
	if err == nil {
		if raw := properties.get(name); raw != nil {
			return s.sub(raw, depth), true, true
		}
	}
	if depth < schemaDepth {
		for _, one := range s.alternatives(depth) {
			if found, known, _ := one.propertyAt(name, depth+1); known {
				return found, true, true
			}
		}
	}
	additional := s.node.get("additionalProperties")
	if string(additional) == "false" {
		return schema{}, false, false
	}
	return s.sub(additional, depth), false, true
}

// names lists the properties that the schema itself names, in its order.
func (s schema) names() []string {
	properties, err := parseObject(s.node.get("properties"))
	if err != nil {
		return nil
	}
	var list []string
	for _, m := range properties {
		list = append(list, m.name)
	}
	return list
}

// items returns the schema of the elements of an array.
func (s schema) items() schema {
	if raw := s.node.get("items"); raw != nil {
		return s.sub(raw, 0)
	}
	for _, one := range s.alternatives(0) {
		if raw := one.node.get("items"); raw != nil {
			return one.sub(raw, 0)
		}
	}
	return schema{}
}

// text decodes a JSON string.
func text(raw json.RawMessage) (string, bool) {
	var s string
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	return s, true
}

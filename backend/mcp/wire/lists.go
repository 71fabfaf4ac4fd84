package wire

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/segmentio/encoding/json"
)

// list describes one of the list methods. go-sdk decodes a list as a whole, so that one bad entry loses all; here each entry
// is decoded alone, in the way of go-sdk, and a bad one is cut out by its byte range. The others keep their bytes.
type list struct {
	key      string       // of the entries in the result
	noun     string       // one entry, and the beginning of its problem codes
	identity string       // the member by which an entry is used
	entry    reflect.Type // go-sdk's
	result   reflect.Type
}

func listOf(method string) (list, bool) {
	switch method {
	case "tools/list":
		return list{"tools", "tool", "name", reflect.TypeFor[sdk.Tool](), reflect.TypeFor[sdk.ListToolsResult]()}, true
	case "prompts/list":
		return list{"prompts", "prompt", "name", reflect.TypeFor[sdk.Prompt](), reflect.TypeFor[sdk.ListPromptsResult]()}, true
	case "resources/list":
		return list{"resources", "resource", "uri", reflect.TypeFor[sdk.Resource](), reflect.TypeFor[sdk.ListResourcesResult]()}, true
	case "resources/templates/list":
		return list{"resourceTemplates", "template", "uriTemplate", reflect.TypeFor[sdk.ResourceTemplate](), reflect.TypeFor[sdk.ListResourceTemplatesResult]()}, true
	}
	return list{}, false
}

// lists returns the result of a list method without what cannot be used, and names that. Any other result it returns as it is.
func (w *Wire) lists(d *draft) []byte {
	l, ok := listOf(d.answers.method)
	if !ok || len(d.Result) == 0 {
		return d.Result
	}
	headers := w.Era() == "modern"
	c := listCheck{list: l, names: jsonNames(l.entry), strict: headers && d.from.only != nil, headers: headers, seen: map[string]bool{}}
	fixed := c.run(d.Result)
	for _, p := range c.problems {
		p.Call = d.call
		w.problem(p)
	}
	if c.changed {
		d.changed = true
		_, depth := skipValue(fixed, 0)
		d.Depth = 1 + depth
		return fixed
	}
	return d.Result
}

// listCheck is the check of one page.
type listCheck struct {
	list
	headers  bool     // x-mcp-header means something: the modern era
	strict   bool     // ... and a client must leave such a tool out: over HTTP (SEP-2243)
	names    []string // of the members that go-sdk knows
	seen     map[string]bool
	changed  bool
	problems []Problem
}

func (c *listCheck) name(code, subject, format string, args ...any) {
	c.problems = append(c.problems, Problem{Code: code, Subject: subject, Message: fmt.Sprintf(format, args...)})
}

func (c *listCheck) run(result []byte) []byte {
	if result[0] == '[' {
		c.changed = true
		c.name("list_shape", c.key, "The result is the bare list, where an object with %q must be. It was read as that list.", c.key)
		return fmt.Appendf(nil, `{%q:%s}`, c.key, c.entries(result))
	}
	if result[0] != '{' {
		return result
	}
	var out bytes.Buffer
	out.WriteByte('{')
	put := func(key, value []byte) {
		if out.Len() > 1 {
			out.WriteByte(',')
		}
		out.Write(key)
		out.WriteByte(':')
		out.Write(value)
	}
	exact := Get(result, c.key) != nil
	for key, value := range Fields(result) {
		text := keyText(key)
		if !exact && strings.EqualFold(text, c.key) {
			c.changed, exact = true, true
			c.name("list_key_case", c.key, "The list is called %q, not %q; keys are case-sensitive. It was read all the same.", text, c.key)
			text, key = c.key, []byte(strconv.Quote(c.key))
		}
		if text != c.key {
			if value, ok := c.field(text, value); ok {
				put(key, value)
			}
			continue
		}
		switch {
		case value[0] == '[':
			put(key, c.entries(value))
		case string(value) == "null":
			put(key, value)
		default:
			c.changed = true
			c.name("list_shape", c.key, "%q is %s, where a list must be. It was taken for an empty one.", c.key, clip(value))
			put(key, []byte("[]"))
		}
	}
	out.WriteByte('}')
	return out.Bytes()
}

// field checks a member beside the list.
func (c *listCheck) field(name string, value []byte) ([]byte, bool) {
	object := fmt.Appendf(nil, `{%q:%s}`, name, value)
	if decode(c.result, object) == nil {
		return value, true
	}
	c.changed = true
	if name == "nextCursor" && value[0] != '{' && value[0] != '[' {
		c.name("list_field", c.key, "nextCursor is %s, where a text must be. It was read as that text.", clip(value))
		return []byte(strconv.Quote(string(value))), true
	}
	c.name("list_field", c.key, "%q is %s, which the specification does not allow. It was left out.", name, clip(value))
	return nil, false
}

// entries checks a list and returns it without the entries that cannot be used.
func (c *listCheck) entries(array []byte) []byte {
	var kept [][]byte
	changed := false
	n := 0
	for entry := range Elements(array) {
		n++
		subject := clip([]byte(keyText(Get(entry, c.identity))))
		if subject == "" {
			subject = "entry " + strconv.Itoa(n)
		}
		fixed, reason := c.entry(subject, entry)
		if reason != "" {
			c.name(c.noun+"_set_aside", subject, "The %s cannot be used: %s. It was left out of the list; the others are there.", c.noun, reason)
			changed = true
			continue
		}
		changed = changed || &fixed[0] != &entry[0]
		kept = append(kept, fixed)
	}
	if !changed {
		return array
	}
	c.changed = true
	return append(append([]byte("["), bytes.Join(kept, []byte(","))...), ']')
}

// entry checks one entry. reason says why it cannot be used.
func (c *listCheck) entry(subject string, entry []byte) (fixed []byte, reason string) {
	if entry[0] != '{' {
		return nil, fmt.Sprintf("it is %s, where an object must be", clip(entry))
	}
	if _, depth := skipValue(entry, 0); depth > maxDepth-2 {
		return nil, fmt.Sprintf("it nests %d levels deep", depth)
	}
	entry = c.entryKeys(subject, entry)
	if err := decode(c.list.entry, entry); err != nil {
		bad := c.badFields(entry)
		if len(bad) == 1 && bad[0] == "icons" {
			c.name(c.noun+"_icons", subject, "The icons of the %s are not as the specification wants them. They were left out.", c.noun)
			return c.check(subject, without(entry, "icons"))
		}
		if len(bad) == 0 {
			return nil, "it is not valid JSON"
		}
		for i, name := range bad {
			bad[i] = fmt.Sprintf("its %q is %s, which the specification does not allow", name, clip(Get(entry, name)))
		}
		return nil, strings.Join(bad, ", and ")
	}
	return c.check(subject, entry)
}

// check looks at what go-sdk decodes but nobody can use.
func (c *listCheck) check(subject string, entry []byte) (fixed []byte, reason string) {
	identity, ok := stringOf(Get(entry, c.identity))
	if !ok || identity == "" {
		return nil, fmt.Sprintf("it has no %s", c.identity)
	}
	if c.seen[identity] {
		return nil, fmt.Sprintf("there is another one with the same %s before it", c.identity)
	}
	if c.noun == "tool" {
		if c.headers {
			if fault := headerFault(Get(entry, "inputSchema")); fault != "" {
				if c.strict {
					return nil, fault + " (SEP-2243)"
				}
				c.name("tool_header", subject, "In the inputSchema of the tool %s. Over this transport that has no effect; over HTTP clients must leave the tool out (SEP-2243).", fault)
			}
		}
		if schema := Get(entry, "inputSchema"); len(schema) == 0 || schema[0] != '{' {
			c.name("tool_schema", subject, "The tool has no inputSchema that is an object, which every tool must have. It takes any arguments.")
		}
	}
	c.seen[identity] = true
	return entry, ""
}

// entryKeys renames members that are right but for their case.
func (c *listCheck) entryKeys(subject string, entry []byte) []byte {
	odd := false
	for key := range Fields(entry) {
		if !slices.ContainsFunc(c.names, func(name string) bool { return keyIs(key, name) }) {
			odd = true
			break
		}
	}
	if !odd {
		return entry
	}
	var wrong []string
	var out bytes.Buffer
	out.WriteByte('{')
	for key, value := range Fields(entry) {
		text := keyText(key)
		for _, name := range c.names {
			if text != name && strings.EqualFold(text, name) && Get(entry, name) == nil {
				wrong = append(wrong, strconv.Quote(text))
				key = []byte(strconv.Quote(name))
			}
		}
		if out.Len() > 1 {
			out.WriteByte(',')
		}
		out.Write(key)
		out.WriteByte(':')
		out.Write(value)
	}
	if len(wrong) == 0 {
		return entry
	}
	out.WriteByte('}')
	c.name(c.noun+"_key_case", subject, "The %s writes %s in another case; keys are case-sensitive. It was read as if they were right.", c.noun, join(wrong))
	return out.Bytes()
}

// badFields returns the members of an entry that fail alone.
func (c *listCheck) badFields(entry []byte) (bad []string) {
	for key, value := range Fields(entry) {
		if decode(c.list.entry, fmt.Appendf(nil, `{%s:%s}`, key, value)) != nil {
			bad = append(bad, keyText(key))
		}
	}
	return bad
}

// headerFault says what is wrong with the x-mcp-header annotations of a schema, "" if nothing. go-sdk drops such tools
// without a word.
func headerFault(schema []byte) string { return headerFaults(schema, "", map[string]bool{}) }

func headerFaults(schema []byte, path string, seen map[string]bool) string {
	for key, property := range Fields(Get(schema, "properties")) {
		at := strings.TrimPrefix(path+"."+keyText(key), ".")
		if annotation := Get(property, "x-mcp-header"); annotation != nil {
			name, _ := stringOf(annotation)
			kind, _ := stringOf(Get(property, "type"))
			lower := strings.ToLower(name)
			switch {
			case kind != "string" && kind != "integer" && kind != "boolean":
				return fmt.Sprintf("the property %q has an x-mcp-header but is no string, integer or boolean", at)
			case !isToken(name):
				return fmt.Sprintf("the property %q has the x-mcp-header %s, which is no header name", at, clip(annotation))
			case seen[lower]:
				return fmt.Sprintf("the property %q has the x-mcp-header %q, which another one has too", at, name)
			}
			seen[lower] = true
		}
		if fault := headerFaults(property, at, seen); fault != "" {
			return fault
		}
	}
	return ""
}

// isToken reports whether a text is a token of RFC 9110, 5.6.2.
func isToken(text string) bool {
	for _, c := range text {
		if c > 127 || !strings.ContainsRune("!#$%&'*+-.^_`|~", c) && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return text != ""
}

// decode decodes in the way of go-sdk, whose decoder is internal: segmentio's, minding the case of keys. Parse and not a
// Decoder, which allocates 64 kB for each value.
func decode(into reflect.Type, value []byte) error {
	if _, err := json.Parse(value, reflect.New(into).Interface(), json.DontMatchCaseInsensitiveStructFields); err != nil {
		return err
	}
	if !json.Valid(value) {
		return errors.New("not valid JSON")
	}
	return nil
}

// jsonNames returns the JSON names of the fields of a struct.
func jsonNames(t reflect.Type) (names []string) {
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			names = append(names, name)
		}
	}
	return names
}

// without returns an object without a member.
func without(object []byte, name string) []byte {
	var out bytes.Buffer
	out.WriteByte('{')
	for key, value := range Fields(object) {
		if keyText(key) == name {
			continue
		}
		if out.Len() > 1 {
			out.WriteByte(',')
		}
		out.Write(key)
		out.WriteByte(':')
		out.Write(value)
	}
	out.WriteByte('}')
	return out.Bytes()
}

package paste

import (
	"fmt"
	"strings"

	"github.com/tailscale/hujson"

	"jackfield/backend/store"
)

// maxDepth is far beyond any configuration; the parser below recurses.
const maxDepth = 64

// containers are the names under which programs keep their servers.
var containers = map[string]bool{
	"mcpServers": true, "servers": true, "context_servers": true, "mcp": true, "mcp_servers": true, "mcp-servers": true,
}

// document is one pasted JSON text. shift counts the bytes that were put in front of its first line.
type document struct {
	text  string
	shift int
	notes []string
}

func parseJSON(text string, shift int) (Result, error) {
	d := &document{text: text, shift: shift}
	if depth(text) > maxDepth {
		return Result{}, &Error{message: "This JSON is nested too deeply to be a list of servers.", hint: whatToPaste}
	}
	value, err := hujson.Parse([]byte(text))
	if err != nil {
		return Result{}, syntax(err)
	}
	servers, problem := d.root(value)
	if problem != nil {
		return Result{}, problem
	}
	return Result{Kind: KindJSON, Servers: servers, Notes: d.notes}, nil
}

// depth is an upper bound of the nesting; brackets in strings count too, which only a hostile text would notice.
func depth(text string) int {
	deepest, now := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '{', '[':
			now++
			deepest = max(deepest, now)
		case '}', ']':
			now--
		}
	}
	return deepest
}

// syntax words a complaint of the JSON parser, which names line and column itself.
func syntax(err error) *Error {
	return &Error{
		message: "This is not valid JSON: " + strings.TrimPrefix(err.Error(), "hujson: ") + ".",
		hint:    "Look for a missing comma, quote or bracket at that place or before it.",
	}
}

func (d *document) at(value hujson.Value, format string, args ...any) *Error {
	before := d.text[:min(value.StartOffset, len(d.text))]
	line := strings.Count(before, "\n") + 1
	column := len([]rune(before[strings.LastIndex(before, "\n")+1:])) + 1
	if line == 1 {
		column = max(1, column-d.shift)
	}
	return &Error{Line: line, Column: column, message: fmt.Sprintf(format, args...), hint: "Correct the text and paste it again."}
}

func (d *document) note(format string, args ...any) {
	d.notes = append(d.notes, fmt.Sprintf(format, args...))
}

// root finds the servers: in a container, as a bare {name: {…}}, as one entry, or as a list of entries.
func (d *document) root(value hujson.Value) ([]store.Server, *Error) {
	switch v := value.Value.(type) {
	case *hujson.Array:
		return d.array(v, value)
	case *hujson.Object:
		for _, m := range v.Members {
			kind := m.Value.Value.Kind()
			if inner, ok := m.Value.Value.(*hujson.Object); ok && isEntry(inner) {
				continue // a server that is called "mcp"
			}
			if containers[key(m)] && (kind == '{' || kind == '[') {
				return d.root(m.Value)
			}
		}
		if isEntry(v) {
			server, err := d.entry("", value)
			return []store.Server{server}, err
		}
		return d.named(v, value)
	}
	return nil, d.at(value, "servers are an object or a list, this is %s.", kindName(value))
}

func (d *document) array(array *hujson.Array, at hujson.Value) ([]store.Server, *Error) {
	var servers []store.Server
	for _, element := range array.Elements {
		server, err := d.entry("", element)
		if err != nil {
			return nil, err
		}
		servers = append(servers, server)
	}
	if len(servers) == 0 {
		return nil, d.at(at, "the list of servers is empty.")
	}
	return servers, nil
}

func (d *document) named(object *hujson.Object, at hujson.Value) ([]store.Server, *Error) {
	var servers []store.Server
	places := map[string]int{}
	for _, m := range object.Members {
		name := key(m)
		if inner, ok := m.Value.Value.(*hujson.Object); !ok || !isEntry(inner) {
			if len(object.Members) > 1 && !ok {
				d.note("%q was left out: it is not a server.", name)
				continue
			}
			return nil, d.at(m.Value, "%q has neither a url nor a command.", name)
		}
		server, err := d.entry(name, m.Value)
		if err != nil {
			return nil, err
		}
		if i, twice := places[name]; twice {
			d.note("%q is there twice: the last one counts.", name)
			servers[i] = server
			continue
		}
		places[name] = len(servers)
		servers = append(servers, server)
	}
	if len(servers) == 0 {
		return nil, d.at(at, "there is no server in it.")
	}
	return servers, nil
}

func isEntry(object *hujson.Object) bool {
	for _, m := range object.Members {
		switch key(m) {
		case "url", "httpUrl", "serverUrl", "uri", "endpoint":
			return m.Value.Value.Kind() == '"'
		case "command":
			return m.Value.Value.Kind() == '"' || m.Value.Value.Kind() == '['
		}
	}
	return false
}

func key(m hujson.ObjectMember) string {
	if literal, ok := m.Name.Value.(hujson.Literal); ok {
		return literal.String()
	}
	return ""
}

func kindName(value hujson.Value) string {
	switch value.Value.Kind() {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "text"
	case 't', 'f':
		return "true or false"
	case 'n':
		return "null"
	}
	return "a number"
}

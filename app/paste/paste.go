// Package paste reads what people paste when they add a server: a URL, a command line, or a block of JSON from another
// program's configuration. It is pure: it opens nothing, runs nothing and expands no variables, so that a value such as
// ${env:TOKEN} is shown to the person as it stands. Its functions are safe for concurrent use.
package paste

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"

	"jackfield/backend/store"
)

// Kinds of a paste.
const (
	KindURL     = "url"
	KindCommand = "command"
	KindJSON    = "json"
)

// maxText bounds the work; a configuration with hundreds of servers is far below.
const maxText = 256 << 10

// Result is what a pasted text means. There is at least one server; they are complete but not stored, and have no id.
type Result struct {
	Kind    string
	Servers []store.Server
	Notes   []string // sentences about what was assumed or left out
}

// Error says why a text means nothing. Line and Column count from 1 and are 0 where there is no position.
type Error struct {
	Line, Column int
	message      string
	hint         string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.message
	}
	return fmt.Sprintf("Line %d, column %d: %s", e.Line, e.Column, e.message)
}

// Hint is the next step.
func (e *Error) Hint() string { return e.hint }

const whatToPaste = "Paste a URL, a command with its arguments, or an mcpServers block of JSON."

var (
	loopback = regexp.MustCompile(`^(?i:localhost|127\.0\.0\.1|\[::1\])(?::[0-9]{1,5})?(?:/\S*)?$`)
	scheme   = regexp.MustCompile(`^(?i:([a-z][a-z0-9+.-]*)://)`)
	member   = regexp.MustCompile(`^"(?:[^"\\]|\\.)*"\s*:\s*\{`)
	fence    = regexp.MustCompile("(?s)^```[A-Za-z0-9_-]*[ \t]*\r?\n(.*?)\r?\n?```$")
)

// Parse reads a pasted text. The error is an *Error.
func Parse(text string) (Result, error) {
	if len(text) > maxText {
		return Result{}, &Error{message: "This text is longer than 256 kB.", hint: "Paste only the part that describes the servers."}
	}
	if !utf8.ValidString(text) {
		return Result{}, &Error{message: "This is not readable text.", hint: whatToPaste}
	}
	text = strings.TrimSpace(strings.TrimPrefix(text, "\uFEFF"))
	if found := fence.FindStringSubmatch(text); found != nil {
		text = strings.TrimSpace(found[1]) // a code block copied from a README
	}
	var result Result
	var err error
	switch {
	case text == "":
		return Result{}, &Error{message: "There is nothing to read.", hint: whatToPaste}
	case strings.HasPrefix(text, "{"), strings.HasPrefix(text, "["), strings.HasPrefix(text, "//"),
		strings.HasPrefix(text, "/*"):
		result, err = parseJSON(text, 0)
	case member.MatchString(text):
		// The inside of an mcpServers block: "name": {…}, …
		result, err = parseJSON("{"+text+"}", 1)
	case !strings.ContainsAny(text, " \t\r\n") && (scheme.MatchString(text) || loopback.MatchString(text)):
		result, err = parseURL(text)
	default:
		result, err = parseCommand(text)
	}
	if err != nil {
		return Result{}, err
	}
	result.Notes = append(result.Notes, inspect(result.Servers)...)
	return result, nil
}

func parseURL(text string) (Result, error) {
	var notes []string
	if !scheme.MatchString(text) {
		text = "http://" + text
		notes = append(notes, "http is used, because the address is on this computer.")
	}
	if err := checkURL(text); err != nil {
		return Result{}, err
	}
	server := blank()
	server.URL, server.Transport = text, store.TransportAuto
	server.Name = nameFromURL(text)
	return Result{Kind: KindURL, Servers: []store.Server{server}, Notes: notes}, nil
}

// checkURL refuses what can not be an MCP endpoint. A URL with a variable in it is let through: the person sees it and a note.
func checkURL(text string) *Error {
	parsed, err := url.Parse(text)
	if err != nil {
		if strings.Contains(text, "${") {
			return nil
		}
		return &Error{message: fmt.Sprintf("%q is not a URL.", text), hint: "A URL looks like https://example.com/mcp."}
	}
	switch strings.ToLower(parsed.Scheme) {
	case "http", "https":
	case "":
		if strings.Contains(text, "${") {
			return nil
		}
		return &Error{message: fmt.Sprintf("%q has no https:// in front.", text), hint: "A URL looks like https://example.com/mcp."}
	default:
		return &Error{
			message: fmt.Sprintf("MCP servers are reached by https or http, not by %s.", parsed.Scheme),
			hint:    "Look in the server's documentation for its https address.",
		}
	}
	if parsed.Host == "" && !strings.Contains(text, "${") {
		return &Error{message: fmt.Sprintf("%q names no host.", text), hint: "A URL looks like https://example.com/mcp."}
	}
	return nil
}

// blank is a server with the defaults of a new one.
func blank() store.Server { return store.Server{Enabled: true, Era: store.EraAuto} }

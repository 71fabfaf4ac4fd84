package paste

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/mattn/go-shellwords"

	"jackfield/backend/store"
)

var (
	assignment   = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*)=(.*)$`)
	continuation = regexp.MustCompile(`[ \t]*[\\^` + "`" + `][ \t]*\r?\n[ \t]*`)
	windowsPath  = regexp.MustCompile(`(?:^|[\s"'=])(?:[A-Za-z]:\\|\\\\)`)
)

// parseCommand reads a command line as a shell would split it, without expanding anything: variables, globs and ~ stay as
// text, and what needs a shell (pipes, redirections, several commands) is refused, since no shell will run it.
func parseCommand(text string) (Result, error) {
	text = continuation.ReplaceAllString(text, " ")
	text = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(text, "$ "), "> "))
	words, err := splitWords(text)
	if err != nil {
		return Result{}, err
	}
	server := blank()
	server.Transport = store.TransportStdio
	for len(words) > 0 {
		found := assignment.FindStringSubmatch(words[0])
		if found == nil {
			break
		}
		server.Env = append(server.Env, store.Variable{Name: found[1], Value: found[2]})
		words = words[1:]
	}
	if len(words) == 0 {
		return Result{}, &Error{message: "There are only variables here, no command.", hint: "Add the program to run."}
	}
	server.Command, server.Args = words[0], words[1:]
	server.Name = nameFromCommand(words)
	return Result{Kind: KindCommand, Servers: []store.Server{server}}, nil
}

func splitWords(text string) ([]string, *Error) {
	if i := strings.IndexAny(text, "\r\n"); i >= 0 && !insideQuotes(text[:i]) {
		return nil, &Error{
			Line: 2, Column: 1, message: "There is a second line.",
			hint: `Paste one command; end a line with \ where it goes on in the next one.`,
		}
	}
	if windowsPath.MatchString(text) {
		// In a path of Windows a backslash separates; only before a quote it can be meant as an escape.
		text = doubleBackslashes(text)
	}
	parser := shellwords.NewParser() // no variables, no backticks: both are off unless asked for
	words, err := parser.Parse(text)
	if err != nil {
		return nil, &Error{
			message: "This command line does not end properly: a quote or a bracket is open.",
			hint:    "Close the quote, or put quotes around the word with the bracket.",
		}
	}
	if parser.Position >= 0 && parser.Position < len([]rune(text)) {
		sign := string([]rune(text)[parser.Position])
		return nil, &Error{
			Line: 1, Column: parser.Position + 1, message: fmt.Sprintf("%q needs a shell, and no shell runs here.", sign),
			hint: "Paste the bare command, or put quotes around the word. For a pipeline write a script and run that.",
		}
	}
	if len(words) == 0 || words[0] == "" {
		return nil, &Error{message: "There is no command here.", hint: whatToPaste}
	}
	return words, nil
}

func insideQuotes(text string) bool {
	var quote rune
	escaped := false
	for _, r := range text {
		switch {
		case escaped:
			escaped = false
		case r == '\\' && quote != '\'':
			escaped = true
		case quote == 0 && (r == '"' || r == '\''):
			quote = r
		case r == quote:
			quote = 0
		}
	}
	return quote != 0
}

func doubleBackslashes(text string) string {
	var out strings.Builder
	runes := []rune(text)
	single := false
	for i, r := range runes {
		if r == '\'' {
			single = !single
		}
		out.WriteRune(r)
		next := i + 1
		if r == '\\' && !single && (next == len(runes) || runes[next] != '"') {
			out.WriteRune('\\')
		}
	}
	return out.String()
}

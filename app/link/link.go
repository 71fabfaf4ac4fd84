// Package link reads jackfield: links. Any program and any web page can send one, so a link is untrusted: the list of actions is closed,
// the text is bounded and decoded once, nothing in it may be invisible, and nothing happens by a link alone. Its functions keep no state.
package link

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"jackfield/app/api"
	"jackfield/backend/mcp"
	"jackfield/backend/store"
)

// Scheme of the links that the operating system hands to this program.
const Scheme = "jackfield"

const (
	maxCallback = 4096
	maxAdd      = 16 << 10

	prefix = Scheme + ":"
)

// Action is what a link asks for.
type Action string

const (
	Callback Action = "oauth/callback" // the end of a sign-in; only the attempt that waits for it can judge it
	Add      Action = "add"            // propose a server
)

// Link is one that can be used. Raw is for Callback, Proposal for Add.
type Link struct {
	Action   Action
	Raw      string
	Proposal api.Link
}

// IsLink says whether a text is meant as a link of ours, in whatever state it is.
func IsLink(text string) bool {
	return len(text) >= len(prefix) && strings.EqualFold(text[:len(prefix)], prefix)
}

// FromArgs returns the link that a start was given: its only argument. A link among other arguments is none, because whoever could add
// an argument could also add a flag.
func FromArgs(args []string) (string, bool) {
	if len(args) == 1 && IsLink(args[0]) {
		return args[0], true
	}
	return "", false
}

// Refused is a link that is not used. Its texts hold nothing of the link.
type Refused struct {
	// Quiet: the link pretends to end a sign-in. Nobody is told, since nobody asked for it.
	Quiet   bool
	Message string
}

func (r *Refused) Error() string { return r.Message }

// Hint makes a Refused an api.Sentence.
func (r *Refused) Hint() string {
	return "Nothing was changed. Add the server by hand, or ask whoever made the link to correct it."
}

func refuse(format string, args ...any) error { return &Refused{Message: fmt.Sprintf(format, args...)} }

// Parse takes a link apart. Its error is a *Refused.
func Parse(raw string) (Link, error) {
	action, query, err := split(raw)
	if err != nil {
		if refused, ok := errors.AsType[*Refused](err); ok {
			refused.Quiet = pretends(raw)
		}
		return Link{}, err
	}
	if action == Callback {
		return Link{Action: Callback, Raw: raw}, nil
	}
	parameters, err := decode(query)
	if err != nil {
		return Link{}, err
	}
	server, notes, err := proposal(parameters)
	if err != nil {
		return Link{}, err
	}
	config := api.DraftOf(server)
	config.Enabled = false
	return Link{Action: Add, Raw: raw, Proposal: api.Link{Config: config, Notes: notes}}, nil
}

// Failed is what the window shows of a link that is not used.
func Failed(err error) api.Link {
	failure := api.FailureOf(err)
	return api.Link{Config: api.DraftOf(store.Server{}), Notes: []string{}, Error: &failure}
}

// pretends says whether a refused link is about signing in.
func pretends(raw string) bool {
	rest := strings.TrimLeft(raw[min(len(prefix), len(raw)):], "/")
	const about = "oauth"
	return len(rest) >= len(about) && strings.EqualFold(rest[:len(about)], about)
}

// split checks the frame of a link: everything but its parameters.
func split(raw string) (Action, string, error) {
	if len(raw) > maxAdd {
		return "", "", refuse("The link is longer than %d bytes.", maxAdd)
	}
	if err := printable(raw, "The link"); err != nil {
		return "", "", err
	}
	if strings.ContainsFunc(raw, unicode.IsSpace) {
		return "", "", refuse("The link holds a blank.")
	}
	if strings.Contains(raw, "#") {
		return "", "", refuse("The link has a fragment.")
	}
	rest, ok := strings.CutPrefix(raw, Scheme+"://")
	if !ok {
		return "", "", refuse("The link does not begin with %s://.", Scheme)
	}
	// Compared as written: nothing in front of the parameters needs to be encoded, and what is encoded there hides something.
	path, query, _ := strings.Cut(rest, "?")
	switch path {
	case string(Callback):
		if len(raw) > maxCallback {
			return "", "", refuse("The link is longer than %d bytes.", maxCallback)
		}
		return Callback, query, nil
	case string(Add), string(Add) + "/": // browsers put the slash there
		return Add, query, nil
	}
	return "", "", refuse("The link asks for something that Jackfield does not do by link.")
}

// printable refuses what cannot be seen, or makes a text look like another one.
func printable(text, what string) error {
	if !utf8.ValidString(text) {
		return refuse("%s is not valid UTF-8.", what)
	}
	for _, r := range text {
		if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) ||
			unicode.Is(unicode.Variation_Selector, r) {
			return refuse("%s holds an invisible character (U+%04X).", what, r)
		}
	}
	return nil
}

// parameter of a link, decoded.
type parameter struct{ name, value string }

// repeats are the parameters that may be there more than once.
var repeats = map[string]bool{"arg": true, "env": true, "header": true}

// decode decodes the parameters, once.
func decode(query string) ([]parameter, error) {
	var list []parameter
	seen := map[string]bool{}
	for pair := range strings.SplitSeq(query, "&") {
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		name, errName := url.QueryUnescape(name)
		value, errValue := url.QueryUnescape(value)
		if errors.Join(errName, errValue) != nil {
			return nil, refuse("A parameter of the link is not encoded properly.")
		}
		for _, text := range []string{name, value} {
			if err := printable(text, "A parameter of the link"); err != nil {
				return nil, err
			}
			// A link in a link would show one thing and do another, once something decodes it again.
			if strings.Contains(strings.ToLower(text), prefix) {
				return nil, refuse("A parameter of the link holds another %s link.", Scheme)
			}
		}
		if seen[name] && !repeats[name] {
			return nil, refuse("The parameter %q is there more than once.", short(name))
		}
		seen[name] = true
		list = append(list, parameter{name, value})
	}
	return list, nil
}

// short bounds a text of the link in a sentence.
func short(text string) string {
	if runes := []rune(text); len(runes) > 40 {
		return string(runes[:39]) + "…"
	}
	return text
}

// Reason is what may be logged of an error about a link: nothing of the link itself.
func Reason(err error) string {
	if refused, ok := errors.AsType[*Refused](err); ok {
		return refused.Message
	}
	if known, ok := errors.AsType[*mcp.Error](err); ok {
		return known.Message
	}
	return err.Error()
}

// Quiet says whether nobody is to be told of a refused link.
func Quiet(err error) bool {
	refused, ok := errors.AsType[*Refused](err)
	return ok && refused.Quiet
}

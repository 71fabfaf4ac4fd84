package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"os"
	"slices"
	"strings"
)

// pair is one k=v of the command line. Forced ones, k:=v, are JSON whatever the schema says.
type pair struct {
	key, value string
	forced     bool
}

// parsePairs reads k=v and k:=JSON.
func parsePairs(args []string) ([]pair, error) {
	var pairs []pair
	for _, arg := range args {
		key, value, ok := strings.Cut(arg, "=")
		if !ok || key == "" || key == ":" {
			return nil, usage("Write arguments as name=value, or name:=JSON.", "%q is not an argument.", arg)
		}
		trimmed, forced := strings.CutSuffix(key, ":")
		pairs = append(pairs, pair{trimmed, value, forced})
	}
	return pairs, nil
}

// readArguments reads --args: JSON, @file, or @- for stdin.
func readArguments(value string, stdin io.Reader) (object, error) {
	text := []byte(value)
	if file, ok := strings.CutPrefix(value, "@"); ok {
		var err error
		if file == "-" {
			text, err = io.ReadAll(stdin)
		} else {
			text, err = os.ReadFile(file)
		}
		if err != nil {
			return nil, usage("", "--args cannot be read: %v.", err)
		}
	}
	o, err := parseObject(text)
	if err != nil {
		return nil, usage("--args takes a JSON object, @file or @- for stdin.", "--args: %v.", err)
	}
	return o, nil
}

// toolArguments makes the arguments of a call. Pairs are typed by the schema and win over the base. The notes name pairs
// that the schema does not know.
func toolArguments(base object, pairs []pair, inputSchema json.RawMessage) (arguments json.RawMessage, notes []string, err error) {
	root := newSchema(inputSchema)
	o := slices.Clone(base)
	for i, p := range pairs {
		if slices.ContainsFunc(pairs[:i], func(q pair) bool { return q.key == p.key }) {
			continue // a repeated key was taken together with its first use
		}
		var values []pair
		for _, q := range pairs {
			if q.key == p.key {
				values = append(values, q)
			}
		}
		property, known, open := root.property(p.key)
		if !known && !p.forced {
			if !open {
				return nil, nil, usage(knownNames(root), "The tool has no argument %q.", p.key)
			}
			if len(root.names()) > 0 {
				notes = append(notes, fmt.Sprintf("The tool's schema does not name %q; it is sent all the same.", p.key))
			}
		}
		value, err := typedAll(p.key, values, property)
		if err != nil {
			return nil, nil, err
		}
		o.set(p.key, value)
	}
	return o.encode(), notes, nil
}

func knownNames(s schema) string {
	if len(s.names()) == 0 {
		return "It takes no arguments. name:=JSON sends one all the same."
	}
	return "It takes: " + strings.Join(s.names(), ", ") + ". name:=JSON sends another one all the same."
}

// typedAll makes one value of all uses of a key: several only for arrays.
func typedAll(key string, pairs []pair, s schema) (json.RawMessage, error) {
	isArray := slices.Contains(s.types(), "array")
	if len(pairs) == 1 {
		p := pairs[0]
		if p.forced {
			return forced(p)
		}
		value, err := typed(key, p.value, s)
		if err == nil || !isArray {
			return value, err
		}
		// A single element of an array need not be wrapped.
		element, elementErr := typed(key, p.value, s.items())
		if elementErr != nil {
			return nil, err
		}
		return array([]json.RawMessage{element}), nil
	}
	if !isArray && len(s.types()) > 0 {
		return nil, usage("Only arrays take several values.", "%q is given %d times.", key, len(pairs))
	}
	var values []json.RawMessage
	for _, p := range pairs {
		if p.forced {
			value, err := forced(p)
			if err != nil {
				return nil, err
			}
			values = append(values, value)
			continue
		}
		value, err := typed(key, p.value, s.items())
		if err != nil {
			return nil, err
		}
		values = append(values, value)
	}
	return array(values), nil
}

func forced(p pair) (json.RawMessage, error) {
	if !json.Valid([]byte(p.value)) {
		return nil, usage("Text needs quotes in JSON; name=value needs none.", "%s:= is followed by something that is not JSON: %s", p.key, p.value)
	}
	return json.RawMessage(p.value), nil
}

// typed makes a value of a text. A schema that allows text gets text, also where it looks like a number; the digits of
// numbers are kept as they were typed.
func typed(key, value string, s schema) (json.RawMessage, error) {
	types := s.types()
	allows := func(name string) bool { return slices.Contains(types, name) }
	isJSON := json.Valid([]byte(value)) && strings.TrimSpace(value) != ""
	kind := ""
	if isJSON {
		kind = typeOf(json.RawMessage(value))
	}
	raw := json.RawMessage(strings.TrimSpace(value))
	switch {
	case len(types) == 0 && isJSON && kind != "string":
		return raw, nil
	case len(types) == 0, allows("string"):
		return quote(value), nil
	case isJSON && allows(kind):
		return raw, nil
	case kind == "number" && allows("integer"):
		if !whole(value) {
			return nil, usage("", "%s: %s is not a whole number.", key, value)
		}
		return raw, nil
	}
	return nil, usage("", "%s: %q is not %s.", key, value, article(types))
}

// whole tells whether a JSON number is an integer; 1e3 and 5.0 are.
func whole(number string) bool {
	number = strings.TrimSpace(number)
	// An exponent of many digits would make an enormous number of it.
	if _, exponent, ok := strings.Cut(strings.ToLower(number), "e"); ok && len(exponent) > 4 {
		return !strings.HasPrefix(exponent, "-")
	}
	rational, ok := new(big.Rat).SetString(number)
	return ok && rational.IsInt()
}

func article(types []string) string {
	names := map[string]string{
		"integer": "a whole number", "number": "a number", "boolean": "true or false", "null": "null",
		"array": "a JSON array", "object": "a JSON object",
	}
	var list []string
	for _, one := range types {
		if name, ok := names[one]; ok {
			list = append(list, name)
		} else {
			list = append(list, one)
		}
	}
	return strings.Join(list, " or ")
}

// promptArguments makes the arguments of a prompt, which are strings.
func promptArguments(base object, pairs []pair) (json.RawMessage, error) {
	o := slices.Clone(base)
	for _, m := range o {
		if _, ok := text(m.value); !ok {
			return nil, usage("Arguments of prompts are texts.", "--args: %q is not a text.", m.name)
		}
	}
	for i, p := range pairs {
		if slices.ContainsFunc(pairs[:i], func(q pair) bool { return q.key == p.key }) {
			return nil, usage("", "%q is given twice.", p.key)
		}
		if p.forced {
			return nil, usage("Arguments of prompts are texts: use name=value.", "%s:= is not possible here.", p.key)
		}
		o.set(p.key, quote(p.value))
	}
	return o.encode(), nil
}

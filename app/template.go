package app

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"jackfield/backend/mcp"
	"jackfield/backend/store"
)

// operator is how one kind of expression of RFC 6570 expands (its appendix A).
type operator struct {
	first, between string
	named          bool // name=value
	reserved       bool // reserved characters and percent-encoded triplets stay
	needed         bool
}

// A variable of a plain or reserved expression is needed, because a URI with a hole in its path names something else; those of
// the other operators may be left out.
var operators = map[string]operator{
	"":  {"", ",", false, false, true},
	"+": {"", ",", false, true, true},
	"#": {"#", ",", false, true, false},
	".": {".", ".", false, false, false},
	"/": {"/", "/", false, false, false},
	";": {";", ";", true, false, false},
	"?": {"?", "&", true, false, false},
	"&": {"&", "&", true, false, false},
}

var (
	expression = regexp.MustCompile(`\{([^{}]*)\}`)
	variable   = regexp.MustCompile(`^((?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})(?:[A-Za-z0-9_.]|%[0-9A-Fa-f]{2})*)(?:\*|:([1-9][0-9]{0,3}))?$`)
	triplet    = regexp.MustCompile(`^%[0-9A-Fa-f]{2}`)
)

const (
	unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
	reserved   = ":/?#[]@!$&'()*+,;="
)

// expand fills in a resource template with text values. It is written here because the library that reads the templates
// encodes characters beyond ASCII by their code points instead of their UTF-8 bytes.
func expand(template string, values map[string]string) (string, error) {
	var names []string
	var failed error
	fail := func(err error) string {
		if failed == nil {
			failed = err
		}
		return ""
	}
	uri := expression.ReplaceAllStringFunc(template, func(found string) string {
		body := found[1 : len(found)-1]
		sign := ""
		if body != "" && strings.ContainsRune("+#./;?&", rune(body[0])) {
			sign, body = body[:1], body[1:]
		}
		op := operators[sign]
		var parts []string
		for _, spec := range strings.Split(body, ",") {
			match := variable.FindStringSubmatch(spec)
			if match == nil {
				return fail(usage("%q in the template %q is not a variable.", "The server has to correct it.", spec, template))
			}
			name := match[1]
			names = append(names, name)
			value := values[name]
			if value == "" {
				if op.needed {
					return fail(fieldFailure(name, "is needed"))
				}
				continue
			}
			if limit, err := strconv.Atoi(match[2]); err == nil {
				value = string([]rune(value)[:min(limit, len([]rune(value)))])
			}
			part := encode(value, op.reserved)
			if op.named {
				part = name + "=" + part
			}
			parts = append(parts, part)
		}
		if len(parts) == 0 {
			return ""
		}
		return op.first + strings.Join(parts, op.between)
	})
	if failed != nil {
		return "", failed
	}
	if strings.ContainsAny(uri, "{}") {
		return "", usage("The template %q has an open bracket.", "The server has to correct it.", template)
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(names, name) {
			return "", fieldFailure(name, "is not a variable of this template")
		}
	}
	return uri, nil
}

func encode(value string, keepReserved bool) string {
	var out strings.Builder
	for i := 0; i < len(value); i++ {
		c := value[i]
		switch {
		case strings.IndexByte(unreserved, c) >= 0, keepReserved && strings.IndexByte(reserved, c) >= 0,
			keepReserved && triplet.MatchString(value[i:]):
			out.WriteByte(c)
		default:
			fmt.Fprintf(&out, "%%%02X", c)
		}
	}
	return out.String()
}

func fieldFailure(name, problem string) error {
	return &mcp.Error{
		Failure: store.Failure{
			Code: mcp.CodeUsage, Message: fmt.Sprintf("%s %s.", name, problem), Hint: "Fill in the variables of the template.",
		},
		Fields: []mcp.FieldError{{Pointer: "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name), Message: "This " + problem + "."}},
	}
}

package wire

import (
	"bytes"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// salvageable returns go-sdk's type of a result in which a wrong member should not fail the whole: without the handshake there
// is no connection at all, and "tools":[] for "tools":{} is what PHP makes of an empty object.
func salvageable(method string) (reflect.Type, bool) {
	switch method {
	case "initialize":
		return reflect.TypeFor[sdk.InitializeResult](), true
	case "server/discover":
		return reflect.TypeFor[sdk.DiscoverResult](), true
	case "completion/complete":
		return reflect.TypeFor[sdk.CompleteResult](), true
	}
	return nil, false
}

// salvage leaves out, or empties, the members of a result that go-sdk cannot decode, and names them.
func (w *Wire) salvage(d *draft) []byte {
	t, ok := salvageable(d.answers.method)
	if !ok || len(d.Result) == 0 || d.Result[0] != '{' || d.Depth > maxDepth || decode(t, d.Result) == nil {
		return d.Result
	}
	var lost []string
	fixed := salvageObject(t, "", d.Result, &lost)
	if len(lost) == 0 || decode(t, fixed) != nil {
		return d.Result
	}
	d.changed = true
	for _, what := range lost {
		path, value, _ := strings.Cut(what, " ")
		w.problem(Problem{Code: "result_field", Subject: path, Call: d.call, Message: fmt.Sprintf("In the answer to %s, %q is %s, "+
			"which the specification does not allow. It was taken for empty.", d.answers.method, path, value)})
	}
	return fixed
}

// salvageObject goes down to the members that are wrong and keeps everything around them.
func salvageObject(t reflect.Type, path string, object []byte, lost *[]string) []byte {
	var out bytes.Buffer
	out.WriteByte('{')
	for key, value := range Fields(object) {
		name := keyText(key)
		if decode(t, fmt.Appendf(nil, `{%s:%s}`, key, value)) != nil {
			at := strings.TrimPrefix(path+"."+name, ".")
			value = salvageValue(memberType(t, name), at, value, lost)
			if value == nil {
				continue
			}
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

// salvageValue returns what can stand in the place of a value that is wrong, nil if nothing can.
func salvageValue(t reflect.Type, path string, value []byte, lost *[]string) []byte {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t != nil && (t.Kind() == reflect.Struct || t.Kind() == reflect.Map) {
		if value[0] == '{' && t.Kind() == reflect.Struct {
			if fixed := salvageObject(t, path, value, lost); decode(t, fixed) == nil {
				return fixed
			}
		}
		if string(value) != "false" { // "tools":false says that there are none
			*lost = append(*lost, path+" "+clip(value))
			return []byte("{}")
		}
	}
	*lost = append(*lost, path+" "+clip(value))
	if t != nil && t.Kind() == reflect.String && value[0] != '{' && value[0] != '[' {
		return []byte(strconv.Quote(string(value)))
	}
	return nil
}

// memberType returns the type of the field with a JSON name, nil if the struct has none.
func memberType(t reflect.Type, name string) reflect.Type {
	if t.Kind() != reflect.Struct {
		return nil
	}
	for _, f := range reflect.VisibleFields(t) {
		if tag, _, _ := strings.Cut(f.Tag.Get("json"), ","); tag == name {
			return f.Type
		}
	}
	return nil
}

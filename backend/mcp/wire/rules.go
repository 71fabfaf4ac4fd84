package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// rule is one way in which servers get the JSON-RPC envelope wrong.
type rule struct {
	code    string
	applies func(*draft) bool
	// fix repairs the draft and says in sentences what was wrong, what the specification says, and what was done.
	fix func(*draft) string
}

// rules in the order of their application: first the keys, so that the parts are there; then which request a response
// answers; then the shape of the error.
var rules = [...]rule{
	{"key_case", func(d *draft) bool { return d.Odd && len(d.otherCase()) > 0 }, (*draft).fixCase},
	{"key_doubled", func(d *draft) bool { return d.Odd && d.doubled() != "" }, func(d *draft) string {
		return fmt.Sprintf("The message has %q twice, which leaves open what is meant (RFC 8259, 4). The last one was used.", d.doubled())
	}},
	{"jsonrpc_missing", func(d *draft) bool { return d.Version == nil }, func(d *draft) string {
		d.Version = []byte(`"2.0"`)
		return `The message lacks "jsonrpc":"2.0", which every message must have. It was read as if it were there.`
	}},
	{"jsonrpc_wrong", func(d *draft) bool { return string(d.Version) != `"2.0"` }, func(d *draft) string {
		wrong := clip(d.Version)
		d.Version = []byte(`"2.0"`)
		return fmt.Sprintf(`The message says "jsonrpc":%s, where only "2.0" is allowed. It was read as 2.0.`, wrong)
	}},
	{"null_member", func(d *draft) bool { return len(d.nulls()) > 0 }, (*draft).dropNulls},
	{"request_id", func(d *draft) bool { return d.Method != nil && d.ID != nil && !plainID(d.ID) }, (*draft).fixRequestID},
	{"id_type", func(d *draft) bool {
		return d.isResponse() && d.pending(canonical(d.ID)) == nil && d.pending(unquoted(canonical(d.ID))) != nil
	}, func(d *draft) string {
		wrong := clip(d.ID)
		d.ID = []byte(unquoted(canonical(d.ID)))
		return fmt.Sprintf("The answer has the id %s, where the request had the number %s; an id must come back as it was. It was taken for the same.", wrong, d.ID)
	}},
	{"id_form", func(d *draft) bool {
		id := canonical(d.ID)
		return d.isResponse() && len(d.ID) > 0 && d.ID[0] != '"' && id != string(d.ID) && d.pending(id) != nil
	}, func(d *draft) string {
		wrong := clip(d.ID)
		d.ID = []byte(canonical(d.ID))
		return fmt.Sprintf("The answer writes the id %s as %s. It was taken for the same.", d.ID, wrong)
	}},
	{"id_missing", func(d *draft) bool {
		return d.isResponse() && (d.ID == nil || string(d.ID) == "null") && d.hasOutcome() && (d.version || d.from.only != nil) && d.lone() != nil
	}, func(d *draft) string {
		d.ID = d.lone().rawID
		return fmt.Sprintf("The answer has no id, or null. Only request %s was waiting, so it was taken for its answer.", d.ID)
	}},
	{"id_wrong", func(d *draft) bool {
		return d.isResponse() && d.from.only != nil && d.hasOutcome() && d.pending(canonical(d.ID)) == nil && d.lone() != nil
	}, func(d *draft) string {
		wrong := clip(d.ID)
		d.ID = d.lone().rawID
		return fmt.Sprintf("The answer has the id %s, but came as the response to request %s. It was taken for its answer.", wrong, d.ID)
	}},
	{"result_and_error", func(d *draft) bool { return d.isResponse() && d.Result != nil && d.Error != nil }, func(d *draft) string {
		d.Result = nil
		return "The answer has a result and an error, of which only one is allowed. The error was used."
	}},
	{"no_result", func(d *draft) bool {
		return d.isResponse() && !d.hasOutcome() && (d.version || d.from.only != nil) && d.pending(canonical(d.ID)) != nil
	}, func(d *draft) string {
		d.fail(jsonrpc.CodeInternalError, "The server's answer has neither a result nor an error.")
		return "The answer has neither a result nor an error, one of which it must have. The request was failed."
	}},
	{"error_text", func(d *draft) bool { return d.isResponse() && d.Error != nil && d.Error[0] != '{' }, (*draft).fixErrorText},
	{"error_nested", func(d *draft) bool { return d.isResponse() && nestedError(d.Error) != nil }, func(d *draft) string {
		d.Error = nestedError(d.Error)
		return "The error object contains another one in place of code and message. The inner one was used."
	}},
	{"error_code", func(d *draft) bool { return d.isResponse() && d.Error != nil && !isInteger(Get(d.Error, "code")) }, (*draft).fixErrorCode},
	{"error_message", func(d *draft) bool {
		return d.isResponse() && d.Error != nil && !isString(Get(d.Error, "message"))
	}, (*draft).fixErrorMessage},
}

func (d *draft) isResponse() bool { return d.Method == nil }
func (d *draft) hasOutcome() bool { return d.Result != nil || d.Error != nil }

// otherCase returns the keys that are members of the envelope but for their case, and whose member is not there.
func (d *draft) otherCase() map[string][]byte {
	found := map[string][]byte{}
	for key, value := range Fields(d.raw) {
		text := keyText(key)
		for _, name := range []string{"jsonrpc", "id", "method", "params", "result", "error"} {
			if strings.EqualFold(text, name) && *d.slot([]byte(strconv.Quote(name))) == nil {
				found[name] = value
			}
		}
	}
	return found
}

func (d *draft) fixCase() string {
	var names []string
	for name, value := range d.otherCase() {
		*d.slot([]byte(strconv.Quote(name))) = value
		names = append(names, strconv.Quote(name))
		d.version = d.version || name == "jsonrpc"
	}
	return fmt.Sprintf("The message writes %s in another case; keys are case-sensitive. It was read as if they were right.", join(names))
}

// doubled returns a member that is there twice, "" if none is.
func (d *draft) doubled() string {
	seen := map[string]bool{}
	for key := range Fields(d.raw) {
		text := keyText(key)
		if d.slot([]byte(strconv.Quote(text))) != nil && seen[text] {
			return text
		}
		seen[text] = true
	}
	return ""
}

// nulls returns the members that are null where they should be absent. "result":null alone is a result.
func (d *draft) nulls() (members []string) {
	null := func(value []byte) bool { return string(value) == "null" }
	if null(d.Method) {
		members = append(members, "method")
	}
	if null(d.Params) {
		members = append(members, "params")
	}
	if null(d.Error) {
		members = append(members, "error")
	}
	request := d.Method != nil && !null(d.Method)
	if null(d.Result) && (request || d.Error != nil && !null(d.Error)) {
		members = append(members, "result")
	}
	return members
}

func (d *draft) dropNulls() string {
	members := d.nulls()
	for i, name := range members {
		members[i] = strconv.Quote(name)
		*d.slot([]byte(members[i])) = nil
	}
	return fmt.Sprintf("The message has %s with the value null, where it must not be there at all. It was left out.", join(members))
}

// fixRequestID gives a server's request an id that go-sdk gives back as it is; the answer gets the original one.
func (d *draft) fixRequestID() string {
	if string(d.ID) == "null" {
		d.ID = nil
		return "The request has the id null, which is not allowed. It was taken for a notification."
	}
	original := d.ID
	d.wire.mu.Lock()
	d.wire.requests.aliased++
	d.ID = []byte(fmt.Sprintf(`"jackfield-%d"`, d.wire.requests.aliased))
	d.wire.requests.aliases[canonical(d.ID)] = original
	d.wire.mu.Unlock()
	return fmt.Sprintf("The request has the id %s; an id is a string or an integer of at most 53 bits. It is answered with that id all the same.", clip(original))
}

func (d *draft) fixErrorText() string {
	text, ok := stringOf(d.Error)
	if !ok {
		text = clip(d.Error)
	}
	d.Error = errorObject(jsonrpc.CodeInternalError, text)
	return "The error is not an object with code and message. Its text was used as the message."
}

func (d *draft) fixErrorCode() string {
	code := Get(d.Error, "code")
	number := int64(jsonrpc.CodeInternalError)
	said := "no code"
	if code != nil {
		said = "the code " + clip(code)
		text, ok := stringOf(code)
		if !ok {
			text = string(code)
		}
		if f, err := strconv.ParseFloat(strings.TrimSpace(text), 64); err == nil && f == math.Trunc(f) && math.Abs(f) <= maxSafe {
			number = int64(f)
		}
	}
	d.Error = withMember(d.Error, "code", strconv.AppendInt(nil, number, 10))
	return fmt.Sprintf("The error has %s, where an integer must be. %d was used.", said, number)
}

func (d *draft) fixErrorMessage() string {
	message := Get(d.Error, "message")
	text := "The server gave no reason."
	if message != nil && string(message) != "null" {
		text = clip(message)
	} else if data, ok := stringOf(Get(d.Error, "data")); ok {
		text = data
	}
	raw, err := json.Marshal(text)
	if err != nil {
		raw = []byte(`""`) // not reached: every string encodes
	}
	d.Error = withMember(d.Error, "message", raw)
	return "The error has no message that is a string, which it must have. A text was put there."
}

// properError reports whether an error object is one that no rule applies to.
func properError(value []byte) bool {
	return value[0] == '{' && nestedError(value) == nil && isInteger(Get(value, "code")) && isString(Get(value, "message"))
}

// nestedError returns the error object inside {"error":{"error":{...}}}, or nil.
func nestedError(value []byte) []byte {
	inner := Get(value, "error")
	if len(inner) == 0 || inner[0] != '{' || Get(value, "code") != nil || Get(value, "message") != nil {
		return nil
	}
	return inner
}

// isInteger reports whether go-sdk decodes the value into an int64.
func isInteger(value []byte) bool {
	_, err := strconv.ParseInt(string(value), 10, 64)
	return err == nil
}

func isString(value []byte) bool {
	_, ok := stringOf(value)
	return ok
}

// withMember sets one member of an object and keeps the others as they are.
func withMember(object []byte, name string, value []byte) []byte {
	var out bytes.Buffer
	out.WriteByte('{')
	for k, v := range Fields(object) {
		if keyText(k) == name {
			continue
		}
		out.Write(k)
		out.WriteByte(':')
		out.Write(v)
		out.WriteByte(',')
	}
	out.WriteString(strconv.Quote(name))
	out.WriteByte(':')
	out.Write(value)
	out.WriteByte('}')
	return out.Bytes()
}

// join writes names as a list.
func join(names []string) string { return strings.Join(names, ", ") }

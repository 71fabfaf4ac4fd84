package wire

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// ask is one elicitation/create or sampling/createMessage of a server that is not answered yet.
type ask struct {
	params json.RawMessage
	call   *Call
	id     string // canonical id of the server's request, as go-sdk sees it
}

// asks is the registry of open elicitations. Guarded by the lock of the Wire.
type asks struct {
	byKey map[string]ask
	last  int
}

func newAsks() asks { return asks{byKey: map[string]ask{}} }

// close removes the ask of a request that was answered or taken back, and says whether there was one.
func (a *asks) close(id string) (found bool) {
	for key, one := range a.byKey {
		if one.id == id {
			delete(a.byKey, key)
			found = true
		}
	}
	return found
}

// keep puts the params of an ask aside and returns the key to them.
func (w *Wire) keep(params []byte, id string, call *Call) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asks.last++
	key := strconv.Itoa(w.asks.last)
	w.asks.byKey[key] = ask{params: params, call: call, id: id}
	return key
}

// keepParams puts the params of a sampling/createMessage aside and shows go-sdk an empty one: it refuses messages with kinds of content that
// it does not know, and a person can look at those all the same.
func (w *Wire) keepParams(params []byte, id string, call *Call) []byte {
	return []byte(`{"messages":[],"maxTokens":1,"_meta":{"` + AskKey + `":"` + w.keep(params, id, call) + `"}}`)
}

// swapSchema takes the schema out of the params of a form elicitation and leaves a key instead. go-sdk checks a schema
// before the handler runs and refuses what it does not know (nested objects, "uuid"), which fails the whole call; without
// a schema it checks nothing, and still minds order, cancellation and the answer. Validation is the Manager's.
func (w *Wire) swapSchema(params []byte, id string, call *Call) []byte {
	// A URL elicitation carries no schema and is passed on: go-sdk wants it empty there.
	if mode, _ := stringOf(Get(params, "mode")); mode == "url" {
		return params
	}
	key := w.keep(params, id, call)
	var out bytes.Buffer
	out.WriteByte('{')
	meta := []byte(`{"` + AskKey + `":"` + key + `"}`)
	for k, v := range Fields(params) {
		switch keyText(k) {
		case "requestedSchema":
			continue
		case "_meta":
			meta = withMember(v, AskKey, []byte(strconv.Quote(key)))
			continue
		}
		out.Write(k)
		out.WriteByte(':')
		out.Write(v)
		out.WriteByte(',')
	}
	out.WriteString(`"_meta":`)
	out.Write(meta)
	out.WriteByte('}')
	return out.Bytes()
}

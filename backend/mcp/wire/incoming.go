package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// source tells what is known about where bytes came from.
type source struct {
	only   *request // the one request that this body or stream answers; nil on a stream that all share
	call   *Call    // the call on whose response they came, if any
	status int      // HTTP
	http   *Exchange
}

// message is one message as go-sdk may see it: decoded without a fault, and as bytes.
type message struct {
	raw     []byte
	decoded jsonrpc.Message
	answers *request // of a response: the request it answers, which is no longer pending
}

// incoming records one message, or one batch, repairs it, settles the request it answers and returns what to show to
// go-sdk: nothing, one message, or several. raw must not be changed afterwards. ok is false if it is no JSON-RPC message;
// then nothing was recorded and the caller says what it was.
func (w *Wire) incoming(raw []byte, from source) (shown []message, ok bool) {
	now := time.Now()
	body := bytes.TrimSpace(bytes.TrimPrefix(raw, bom))
	if len(body) > 0 && body[0] == '[' {
		return w.batch(raw, body, from, now)
	}
	d, ok := w.draft(body, from)
	if !ok {
		return nil, false
	}
	r := w.match(d, now)
	r.Raw = raw
	w.record(r)
	if bytes.HasPrefix(raw, bom) {
		d.name("bom", "message", "The message begins with a byte order mark, which JSON forbids (RFC 8259, 8.1). It was cut off.")
	}
	w.tell(d)
	if one, ok := w.show(d, now); ok {
		shown = append(shown, one)
	}
	return shown, true
}

var bom = []byte("\xef\xbb\xbf")

// batch takes a JSON array apart. Revision 2025-03-26 allowed batches, no other does, and go-sdk reads none.
func (w *Wire) batch(raw, body []byte, from source, now time.Time) (shown []message, ok bool) {
	var drafts []*draft
	for element := range Elements(body) {
		if d, ok := w.draft(element, from); ok {
			drafts = append(drafts, d)
		}
	}
	if len(drafts) == 0 {
		return nil, false
	}
	r := Record{Time: now, Dir: In, Raw: raw, Call: from.call, Status: from.status, HTTP: from.http}
	for _, d := range drafts {
		if one := w.match(d, now); one.Method != "" {
			r.Call, r.Method, r.Took = one.Call, one.Method, one.Took
		}
	}
	w.record(r)
	w.problem(Problem{Code: "batch", Subject: "message", Call: r.Call, Message: "The server sent several messages as one JSON array. " +
		"Only revision 2025-03-26 has batches. They were read one by one."})
	for _, d := range drafts {
		w.tell(d)
		if one, ok := w.show(d, now); ok {
			shown = append(shown, one)
		}
	}
	return shown, true
}

// draft scans one message and runs the repair rules over it.
func (w *Wire) draft(body []byte, from source) (*draft, bool) {
	e, err := Scan(body)
	if err != nil {
		return nil, false
	}
	d := &draft{Envelope: e, raw: body, from: from, wire: w, version: e.Version != nil}
	if !d.clean() {
		d.repair()
	}
	return d, d.isMessage()
}

// match finds the request that a response answers, the call that a message belongs to, and makes the record.
func (w *Wire) match(d *draft, now time.Time) Record {
	r := Record{Time: now, Dir: In, Raw: d.raw, Call: d.from.call, Status: d.from.status, HTTP: d.from.http}
	if d.Method != nil {
		if d.call = d.from.call; string(d.Method) == `"notifications/progress"` {
			if found := w.byToken(canonical(Get(d.Params, "progressToken"))); found != nil {
				d.call = found.call
			}
			d.call.touch(now)
		}
		r.Call = d.call
		return r
	}
	w.mu.Lock()
	d.answers = w.requests.take(canonical(d.ID))
	w.mu.Unlock()
	if d.answers != nil {
		r.Call, r.Method, r.Took = d.answers.call, d.answers.method, now.Sub(d.answers.sent)
		d.call, d.took = d.answers.call, r.Took
		d.call.touch(now)
	}
	return r
}

func (w *Wire) byToken(token string) *request {
	if token == "" {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.requests.byToken[token]
}

// tell names what the rules changed.
func (w *Wire) tell(d *draft) {
	for _, p := range d.problems {
		p.Call = d.call
		if p.Subject == "" {
			p.Subject = d.subject()
		}
		w.problem(p)
	}
	d.problems = nil
}

// show makes what go-sdk may see of a message.
func (w *Wire) show(d *draft, now time.Time) (message, bool) {
	if d.Method != nil {
		return w.showRequest(d)
	}
	if d.answers == nil {
		w.stray(d)
		return message{}, false
	}
	return w.showResponse(d), true
}

// stray names a response that nothing waits for.
func (w *Wire) stray(d *draft) {
	id := canonical(d.ID)
	w.mu.Lock()
	late := w.requests.cancelled[id]
	delete(w.requests.cancelled, id)
	asked := w.requests.asked(id)
	w.mu.Unlock()
	switch {
	case late: // the answer crossed the cancellation on its way, which the specification expects
	case asked:
		w.problem(Problem{Code: "id_doubled", Subject: "response", Message: fmt.Sprintf("The server answered request %s, which was answered before. "+
			"The second answer was ignored.", clip(d.ID))})
	default:
		w.problem(Problem{Code: "id_unknown", Subject: "response", Message: fmt.Sprintf("The server answered request %s, which was never sent. "+
			"The answer was ignored.", clip(d.ID))})
	}
}

// placeholders are valid empty results, for calls whose caller decides from the raw result alone.
func placeholder(method string) string {
	switch method {
	case "tools/call":
		return `{"content":[]}`
	case "prompts/get":
		return `{"messages":[]}`
	case "resources/read":
		return `{"contents":[]}`
	}
	return ""
}

func (w *Wire) showResponse(d *draft) message {
	r := d.answers
	d.ID = r.rawID
	if d.Error == nil || string(d.Error) == "null" {
		d.Error = nil
		d.Result = w.salvage(d)
		d.Result = w.lists(d)
		w.settle(r.method)
	}
	if d.broken == nil {
		r.call.end(r, d.Result, d.Error, d.from.status, d.took)
	} else {
		r.call.end(r, nil, nil, d.from.status, d.took)
		r.call.fail(r, d.broken)
	}
	if _, isList := listOf(r.method); isList && d.Error == nil && Get(d.Result, "ttlMs") != nil {
		// go-sdk would answer from a cache that nothing can empty. How long a list is fresh is for whoever has the call to decide.
		d.Result, d.changed = without(d.Result, "ttlMs"), true
	}
	if empty := placeholder(r.method); r.call != nil && r.call.Placeholder && empty != "" && d.Error == nil {
		if id, err := sdkID(r.id); err == nil {
			d.Result = []byte(empty)
			return message{raw: d.encode(), decoded: &jsonrpc.Response{ID: id, Result: d.Result}, answers: r}
		}
	}
	if d.Depth > maxDepth {
		w.problem(tooDeep(d, "The request failed, the connection goes on."))
		d.Result, d.Error = nil, errorObject(jsonrpc.CodeInternalError,
			fmt.Sprintf("The server's answer nests %d levels deep, more than the %d that can be decoded.", d.Depth, maxDepth))
		d.changed = true
	}
	raw := d.bytes()
	decoded, err := jsonrpc.DecodeMessage(raw)
	if err != nil {
		w.problem(Problem{Code: "invalid_json", Subject: r.method, Call: r.call, Message: fmt.Sprintf("The answer cannot be decoded: %v. "+
			"The request failed, the connection goes on.", err)})
		d.Result, d.Error = nil, errorObject(jsonrpc.CodeParseError, "The server's answer cannot be decoded: "+err.Error())
		raw = d.encode()
		// An answer of our own making always decodes.
		decoded, _ = jsonrpc.DecodeMessage(raw)
	}
	return message{raw: raw, decoded: decoded, answers: r}
}

func (w *Wire) showRequest(d *draft) (message, bool) {
	if d.Depth > maxDepth {
		if d.ID == nil {
			w.problem(tooDeep(d, "It was ignored."))
			return message{}, false
		}
		// Without its params go-sdk answers it as invalid, so that the server does not wait for ever.
		w.problem(tooDeep(d, "It was refused."))
		d.Params, d.changed = nil, true
	}
	if string(d.Method) == `"elicitation/create"` && d.ID != nil {
		d.Params = w.swapSchema(d.Params, canonical(d.ID), d.call)
		d.changed = true
	}
	if string(d.Method) == `"sampling/createMessage"` && d.ID != nil {
		d.Params = w.keepParams(d.Params, canonical(d.ID), d.call)
		d.changed = true
	}
	raw := d.bytes()
	decoded, err := jsonrpc.DecodeMessage(raw)
	if err != nil {
		w.problem(Problem{Code: "invalid_json", Subject: d.subject(), Call: d.call, Message: fmt.Sprintf("A message cannot be decoded: %v. "+
			"It was ignored.", err)})
		return message{}, false
	}
	return message{raw: raw, decoded: decoded}, true
}

// fragment fails the request that a message would have answered which broke off or is no valid JSON, as far as its beginning
// tells. Without that its caller would wait for nothing.
func (w *Wire) fragment(raw []byte) (message, bool) {
	var e Envelope
	c := cursor{b: bytes.TrimPrefix(raw, bom)}
	if !c.open('{') {
		return message{}, false
	}
	for {
		key, value, more := c.field()
		if !more {
			break
		}
		if slot := e.slot(key); slot != nil {
			*slot = value
		}
	}
	if !c.broken && c.end() || e.Version == nil || e.Method != nil {
		return message{}, false
	}
	w.mu.Lock()
	r := w.requests.take(canonical(e.ID))
	w.mu.Unlock()
	if r == nil {
		return message{}, false
	}
	d := &draft{Envelope: Envelope{ID: r.rawID}, answers: r, call: r.call, took: time.Since(r.sent), changed: true}
	d.fail(jsonrpc.CodeParseError, "The server's answer broke off or is not JSON.")
	w.problem(Problem{
		Code: "message_broken", Subject: r.method, Call: r.call,
		Message: "The answer broke off or is not JSON; a message must be one JSON object without raw line ends. The request failed, the connection goes on.",
	})
	return w.showResponse(d), true
}

// maxDepth is how deep go-sdk decodes.
const maxDepth = 1000

func tooDeep(d *draft, done string) Problem {
	return Problem{
		Code: "too_deep", Subject: d.subject(), Call: d.call,
		Message: fmt.Sprintf("A message nests %d levels deep, more than the %d that can be decoded. %s", d.Depth, maxDepth, done),
	}
}

// errorObject makes a JSON-RPC error object.
func errorObject(code int64, text string) []byte {
	raw, err := json.Marshal(&jsonrpc.Error{Code: code, Message: text})
	if err != nil {
		return []byte(`{"code":-32603,"message":"internal error"}`) // not reached: both fields always encode
	}
	return raw
}

// clip shortens untrusted bytes for a sentence.
func clip(b []byte) string {
	const most = 80
	if len(b) > most {
		return string(bytes.ToValidUTF8(b[:most], nil)) + "…"
	}
	return string(b)
}

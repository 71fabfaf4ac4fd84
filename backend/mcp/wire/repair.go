package wire

import (
	"bytes"
	"time"
)

// draft is one message on its way to go-sdk, repaired step by step.
type draft struct {
	Envelope
	raw      []byte // as it came
	changed  bool   // raw no longer says what the Envelope says
	version  bool   // it came with a "jsonrpc" member, whatever that said
	from     source
	wire     *Wire
	problems []Problem

	call    *Call
	answers *request
	broken  *BrokenError // the error is of our own making: the answer says nothing
	took    time.Duration
}

// name notes a problem.
func (d *draft) name(code, subject, message string) {
	d.problems = append(d.problems, Problem{Code: code, Subject: subject, Message: message})
}

// fail gives go-sdk an error in place of an answer that says nothing.
func (d *draft) fail(code int64, text string) {
	d.Error, d.broken = errorObject(code, text), &BrokenError{Text: text}
}

// clean reports whether no rule can apply, which is so for nearly every message. It reads no more than the scan found.
func (d *draft) clean() bool {
	if d.Odd || string(d.Version) != `"2.0"` {
		return false
	}
	if d.Method != nil {
		return string(d.Method) != "null" && d.Result == nil && d.Error == nil && string(d.Params) != "null" && (d.ID == nil || plainID(d.ID))
	}
	if d.Params != nil || d.pending(string(d.ID)) == nil {
		return false
	}
	if d.Error == nil {
		return d.Result != nil
	}
	return d.Result == nil && properError(d.Error)
}

// repair applies every rule, in order: later ones see what earlier ones made.
func (d *draft) repair() {
	for _, r := range rules {
		if r.applies(d) {
			d.name(r.code, "", r.fix(d))
			d.changed = true
		}
	}
}

// isMessage tells a JSON-RPC message from any other JSON object, such as a line of a log on stdout.
func (d *draft) isMessage() bool {
	switch {
	case d.Method != nil:
		return d.version || d.ID != nil || d.from.only != nil || bytes.HasPrefix(d.Method, []byte(`"notifications/`))
	case d.Result == nil && d.Error == nil:
		return d.version && d.ID != nil
	}
	return d.version || d.ID != nil || d.from.only != nil
}

// pending returns the request with a canonical id, if it waits for its answer.
func (d *draft) pending(id string) *request {
	d.wire.mu.Lock()
	defer d.wire.mu.Unlock()
	return d.wire.requests.byID[id]
}

// lone returns the only request that a response without a usable id can answer, or nil.
func (d *draft) lone() *request {
	d.wire.mu.Lock()
	defer d.wire.mu.Unlock()
	if only := d.from.only; only != nil {
		if d.wire.requests.byID[only.id] == only {
			return only
		}
		return nil
	}
	return d.wire.requests.only()
}

// subject names what the message is about: its method, or that of the request it answers.
func (d *draft) subject() string {
	if d.Method != nil {
		method, _ := stringOf(d.Method)
		return method
	}
	if d.answers != nil {
		return d.answers.method
	}
	return "response"
}

// bytes of the message as repaired.
func (d *draft) bytes() []byte {
	if !d.changed {
		return d.raw
	}
	return d.encode()
}

// encode writes an envelope as a message.
func (e *Envelope) encode() []byte {
	var out bytes.Buffer
	out.Grow(64 + len(e.ID) + len(e.Method) + len(e.Params) + len(e.Result) + len(e.Error))
	out.WriteString(`{"jsonrpc":"2.0"`)
	for _, part := range []struct {
		key   string
		value []byte
	}{{"id", e.ID}, {"method", e.Method}, {"params", e.Params}, {"result", e.Result}, {"error", e.Error}} {
		if part.value != nil {
			out.WriteString(`,"` + part.key + `":`)
			out.Write(part.value)
		}
	}
	out.WriteByte('}')
	return out.Bytes()
}

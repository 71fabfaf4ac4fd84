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
	from     source
	wire     *Wire
	problems []Problem

	call    *Call
	answers *request
	took    time.Duration
}

// name notes a problem.
func (d *draft) name(code, subject, message string) {
	d.problems = append(d.problems, Problem{Code: code, Subject: subject, Message: message})
}

// clean reports whether no rule can apply, which is so for nearly every message.
func (d *draft) clean() bool {
	return false
}

func (d *draft) repair() {}

// isMessage tells a JSON-RPC message from any other JSON object, such as a line of a log.
func (d *draft) isMessage() bool {
	return d.Method != nil || d.ID != nil && (d.Result != nil || d.Error != nil)
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

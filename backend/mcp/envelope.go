package mcp

import (
	"encoding/json"

	"jackfield/backend/mcp/wire"
)

// describeEnvelope fills in what the message's own envelope says. It scans and decodes nothing: messages may be large.
func describeEnvelope(m *Message, raw []byte) {
	e, err := wire.Scan(raw)
	if err != nil {
		m.Kind, m.Summary = "noise", summarize(raw)
		return
	}
	m.RPCID = plain(e.ID)
	method := plain(e.Method)
	switch {
	case method != "" && e.ID != nil:
		m.Kind, m.Method, m.Summary = "request", method, summarize(e.Params)
	case method != "":
		m.Kind, m.Method, m.Summary = "notification", method, summarize(e.Params)
	case e.Error != nil && string(e.Error) != "null":
		m.Kind, m.Summary = "error", summarize(e.Error)
	default:
		m.Kind, m.Summary = "response", summarize(e.Result)
	}
}

// plain is a JSON string without its quotes, and every other value as it is written.
func plain(raw json.RawMessage) string {
	var s string
	if len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

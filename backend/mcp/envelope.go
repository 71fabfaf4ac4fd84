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
		m.Kind, m.Method, m.Summary = "request", method, summarizeBody(e.Params)
	case method != "":
		m.Kind, m.Method, m.Summary = "notification", method, summarizeBody(e.Params)
	case e.Error != nil && string(e.Error) != "null":
		m.Kind, m.Summary = "error", summarize(e.Error)
	default:
		m.Kind, m.Summary = "response", summarizeBody(e.Result)
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

// summarizeBody summarizes params or a result by the members that differ from message to message: in the 2026-07-28 revision each begins with
// the same resultType and _meta. Large ones are not walked for that; they begin as they were sent.
func summarizeBody(raw json.RawMessage) string {
	const limit = 64 << 10
	if len(raw) > limit {
		return summarize(raw)
	}
	var told []byte
	for key, value := range wire.Fields(raw) {
		switch string(key) {
		case `"_meta"`, `"resultType"`:
			continue
		}
		told = append(append(append(append(told, ','), key...), ':'), value...)
		if len(told) > 4*summaryLength {
			break
		}
	}
	if told == nil {
		return summarize(raw)
	}
	told[0] = '{'
	return summarize(append(told, '}'))
}

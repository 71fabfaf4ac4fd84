package mcp

import (
	"encoding/json"

	"jackfield/backend/mcp/wire"
)

// resultFields are the fields of a result that decide something. The rest is not decoded.
type resultFields struct {
	IsError       bool
	Type          string          // resultType as it is written; "" if it is missing, which means complete
	InputRequired bool            // MCP 2026-07-28: the server wants answers before it goes on
	RequestState  json.RawMessage // to be echoed as it is; nil if there is none
	InputRequests json.RawMessage // nil if none
	Structured    json.RawMessage // structuredContent, nil if none
}

// readResult looks at the top level of a raw result.
func readResult(raw json.RawMessage) resultFields {
	var r resultFields
	for key, value := range wire.Fields(raw) {
		switch string(key) {
		case `"isError"`:
			// As text, too: servers do that, and a failure must not look like a success.
			r.IsError = string(value) == "true" || string(value) == `"true"`
		case `"resultType"`:
			r.Type = plain(value)
			r.InputRequired = string(value) == `"input_required"`
		case `"requestState"`:
			if string(value) != "null" && json.Valid(value) {
				r.RequestState = value
			}
		case `"inputRequests"`:
			if string(value) != "null" {
				r.InputRequests = value
			}
		case `"structuredContent"`:
			r.Structured = value
		}
	}
	return r
}

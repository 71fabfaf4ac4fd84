package mcp

import (
	"encoding/json"
	"time"

	"jackfield/backend/store"
)

// CallRequest asks for one tools/call, prompts/get or resources/read.
type CallRequest struct {
	ID        string // chosen by the caller for CancelCall; a ULID is made if empty
	ServerID  string
	Kind      store.Kind
	Name      string          // tool name, prompt name or resource URI
	Arguments json.RawMessage // a JSON object, sent byte for byte; for prompts the values are strings
	Idle      time.Duration   // 0: the server's
	Total     time.Duration   // 0: the server's
}

// Call is the row of a call: while it runs, and as it ended.
type Call struct {
	store.Call
	Progress   *Progress
	IdleUntil  time.Time // when the idle limit ends it, unless there is a sign of life before
	TotalUntil time.Time
	Problems   []Problem         // what was worked around during this call
	Violations []FieldError      // of structuredContent against the tool's outputSchema
	Rounds     []json.RawMessage // raw results of earlier rounds (multi-round-trip requests, 2026-07-28)
}

// Progress is the last notifications/progress of a call. Total 0 means unknown.
type Progress struct {
	Progress, Total float64
	Message         string
}

// FieldError points at one place in a JSON document (RFC 6901) and says what is wrong there.
type FieldError struct {
	Pointer string `json:"pointer"`
	Message string `json:"message"`
}

// CompleteRequest asks for completion/complete of one argument.
type CompleteRequest struct {
	ServerID string
	Kind     string // "prompt" or "template"
	Name     string // prompt name or URI template
	Argument string
	Value    string
	Context  map[string]string // arguments that are already known
}

// Completion is its answer.
type Completion struct {
	Values  []string
	Total   int // 0 if unknown
	HasMore bool
}

package store

import (
	"encoding/json"
	"time"
)

// Kind says which request a call was.
type Kind string

const (
	KindTool     Kind = "tool"     // tools/call
	KindPrompt   Kind = "prompt"   // prompts/get
	KindResource Kind = "resource" // resources/read
)

// Outcome is how a call ended.
type Outcome string

const (
	OutcomeRunning   Outcome = "running"   // also what a crash leaves behind until the next start
	OutcomeDone      Outcome = "done"      // a result
	OutcomeToolError Outcome = "error"     // a result with isError
	OutcomeFailed    Outcome = "failed"    // no result: protocol error, lost connection, lost result
	OutcomeTimeout   Outcome = "timeout"   // idle or total limit
	OutcomeCancelled Outcome = "cancelled" // by the person
)

// Call is one tools/call, prompts/get or resources/read in the history.
type Call struct {
	ID        string // unique over all calls: 1 to 64 letters, digits, hyphens, underscores
	ServerID  string
	Kind      Kind
	Name      string          // tool name, prompt name or resource URI
	Arguments json.RawMessage // as sent; numbers keep their digits
	Outcome   Outcome
	StartedAt time.Time
	Duration  time.Duration
	Result    json.RawMessage // the raw result as it was on the wire; nil if there is none, and in a page of the history
	Size      int             // bytes of the raw result, also when it was not kept
	Failure   *Failure        // of failed and timeout
	Asks      []AskOutcome    // what the person answered on the way
	Pinned    bool            // kept for good; PutCalls does not change it
}

// AskOutcome is one answered elicitation: mode form or url; action accept, decline or cancel.
type AskOutcome struct {
	Mode   string `json:"mode"`
	Action string `json:"action"`
}

// CallFilter selects history rows, newest first. Zero fields match everything; Limit 0 means 100.
type CallFilter struct {
	ServerID string
	Kind     Kind
	Name     string
	Text     string // in name, arguments or result (up to 1 MiB)
	Pinned   bool   // only these
	Before   string // the ID of a call: only calls that began earlier, the page after the one that ends with it
	Limit    int
}

package mcp

import (
	"bytes"
	"encoding/json"
	"time"

	"jackfield/backend/mcp/wire"
)

// AskMode is how the person is asked.
type AskMode string

const (
	AskForm AskMode = "form" // elicitation/create with a requestedSchema
	AskURL  AskMode = "url"  // elicitation/create with a URL to open

	AskSampling AskMode = "sampling" // sampling/createMessage: the person writes what a model would
)

// Ask is something that a person must decide before a server can go on. It is open until it is answered, or until
// what it belongs to (call, connection, server) is gone.
type Ask struct {
	ID         string
	ServerID   string
	ServerName string
	Endpoint   string // host of the URL or the command, to tell who asks
	CallID     string // "" where the protocol does not say which call it belongs to
	CallName   string // the tool, when the call is known
	CallEnded  bool   // the call has failed for want of this answer (-32042); it can be made again afterwards
	Arguments  json.RawMessage
	Mode       AskMode
	Message    string
	Schema     json.RawMessage // form: requestedSchema as it was sent; sampling: the form for the answer
	URL        string          // url: the whole URL
	URLID      string          // url: elicitationId (legacy era)
	Sampling   json.RawMessage // sampling: the params of sampling/createMessage as they were sent
	OpenedAt   time.Time

	Closed  bool
	Outcome AskAction // of a closed one; "" if it went away unanswered
	Reason  string    // why it went away: "The call was cancelled."
}

// AskAction is the answer's kind. Decline is an answer of the person, cancel is its absence.
type AskAction string

const (
	ActionAccept  AskAction = "accept"
	ActionDecline AskAction = "decline"
	ActionCancel  AskAction = "cancel"
)

// Answer answers an Ask. Content is a JSON object and belongs to an accepted form, or to an accepted sampling: a CreateMessageResult, of
// which only content is needed, and that may be a text.
type Answer struct {
	Action  AskAction
	Content json.RawMessage
}

// Prefilled is the content of an accepted form in which nobody changed anything: the defaults of its fields (2025-11-25, client/elicitation,
// "Requested Schema"). The values keep their bytes.
func (a Ask) Prefilled() json.RawMessage {
	var content bytes.Buffer
	content.WriteByte('{')
	for name, field := range wire.Fields(wire.Get(a.Schema, "properties")) {
		value := wire.Get(field, "default")
		if value == nil {
			continue
		}
		if content.Len() > 1 {
			content.WriteByte(',')
		}
		content.Write(name)
		content.WriteByte(':')
		content.Write(value)
	}
	content.WriteByte('}')
	return content.Bytes()
}

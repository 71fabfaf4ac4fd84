package mcp

import (
	"time"

	"jackfield/backend/store"
)

// EventType names what happened. Row types carry the whole row; the others are for observers.
type EventType string

const (
	EventServer  EventType = "mcp:client:server"  // Status changed (Server)
	EventRemoved EventType = "mcp:client:removed" // a server is gone (ServerID)
	EventCatalog EventType = "mcp:client:catalog" // the catalog changed (ServerID; fetch it again)
	EventCall    EventType = "mcp:client:call"    // a call began, made progress or ended (Call)
	EventAsk     EventType = "mcp:client:ask"     // an ask opened or closed (Ask)
	EventTrouble EventType = "mcp:client:trouble" // something in the background of this program went wrong, or works again (Trouble)
	EventProblem EventType = "mcp:client:problem" // Problem
	EventTrace   EventType = "mcp:client:trace"   // a message crossed the wire (Message); lossy
	EventLog     EventType = "mcp:client:log"     // notifications/message of a server (Log); lossy
	EventUpdated EventType = "mcp:client:updated" // notifications/resources/updated (URI)

	// Code and Text of these say how it went: both empty, or a code of errors.go and its sentence. State is the state that followed.
	EventConnect   EventType = "mcp:client:connect"   // an attempt ended: done, failed, out of time, given up
	EventDiscover  EventType = "mcp:client:discover"  // a discovery ended likewise, or was skipped, or a list is not there (URI: its method)
	EventAuthorize EventType = "mcp:client:authorize" // the server wants a sign-in
	EventRetry     EventType = "mcp:client:retry"     // the next attempt was scheduled
	EventClose     EventType = "mcp:client:close"     // a connection was closed or lost
)

// Event is one change. Seq rises by one per event over the whole Manager. A listener that lags behind loses lossy events
// (trace, log, progress of a call) and rows that a newer row of the same server supersedes; Dropped counts them in the event that follows.
// So of two events that a listener gets in a row, the second has Seq == first.Seq + 1 + Dropped; anything else means that
// the listener itself missed one and needs a new Snapshot.
type Event struct {
	Seq      uint64
	Dropped  uint64 // events left out for this listener directly before this one
	Type     EventType
	Time     time.Time
	ServerID string

	Server  *Status
	Call    *Call
	Ask     *Ask
	Problem *Problem
	Trouble *Trouble
	Message *Message
	Log     *LogMessage
	URI     string

	State     State           // of the server; of connect, discover, authorize, retry and close only
	Transport store.Transport // the one in use or tried; of the same
	Code      string          // of a failure, for programs
	Text      string          // a sentence for observers; never a secret
}

// LogMessage is a notifications/message of a server.
type LogMessage struct {
	Level, Logger, Text string
}

// tellLocked tells observers what became of a server. failure is nil where it went well.
func (m *Manager) tellLocked(c *conn, event Event, failure *Error) {
	event.ServerID, event.State, event.Transport = c.id, c.factsLocked().state(), c.server.Transport
	if c.link != nil {
		event.Transport = c.link.learned.transport
	}
	if failure != nil {
		event.Code, event.Text = failure.Code, failure.Message
	}
	m.emit(event)
}

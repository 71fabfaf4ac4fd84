package mcp

import "time"

// EventType names what happened. Row types carry the whole row; the others are for observers.
type EventType string

const (
	EventServer  EventType = "mcp:client:server"  // Status changed (Server)
	EventRemoved EventType = "mcp:client:removed" // a server is gone (ServerID)
	EventCatalog EventType = "mcp:client:catalog" // the catalog changed (ServerID; fetch it again)
	EventCall    EventType = "mcp:client:call"    // a call began, made progress or ended (Call)
	EventAsk     EventType = "mcp:client:ask"     // an ask opened or closed (Ask)
	EventProblem EventType = "mcp:client:problem" // Problem
	EventTrace   EventType = "mcp:client:trace"   // a message crossed the wire (Message); lossy
	EventLog     EventType = "mcp:client:log"     // notifications/message of a server (Log); lossy
	EventUpdated EventType = "mcp:client:updated" // notifications/resources/updated (URI)

	EventConnect   EventType = "mcp:client:connect"   // an attempt ended (Text: "" or the error)
	EventDiscover  EventType = "mcp:client:discover"  // a discovery ended
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
	Message *Message
	Log     *LogMessage
	URI     string
	Text    string // a sentence for observers; never a secret
}

// LogMessage is a notifications/message of a server.
type LogMessage struct {
	Level, Logger, Text string
}

package mcp

import (
	"time"

	"jackfield/backend/mcp/wire"
	"jackfield/backend/store"
)

// Direction of a message, seen from this client.
type Direction string

const (
	Out    Direction = "out"
	In     Direction = "in"
	Stderr Direction = "stderr" // a line of a process, not a message
)

// Message describes one message of the trace; TraceBody returns its bytes.
type Message struct {
	N        uint64 // position in the trace of the whole Manager
	ServerID string
	Time     time.Time
	Dir      Direction
	Kind     string // request, response, error, notification, noise, text
	Method   string // of a response: the method it answers
	RPCID    string // JSON-RPC id as text, "" if none
	CallID   string
	Pair     uint64    // of a response: the request it answers; of a request, once it is answered: the response; 0 if none
	Era      store.Era // "" before the handshake has told it
	Summary  string    // the first 200 characters of params, result or line
	Bytes    int
	Latency  time.Duration // of a response, since its request
	HTTP     int           // status of the HTTP response that carried it, 0 if none
	Problem  string        // code, when this message was repaired or set aside
}

// TraceFilter selects messages, oldest first. After is exclusive; Limit 0 means 500, newest kept; a negative one means all.
type TraceFilter struct {
	ServerID string
	CallID   string
	Dir      Direction
	Kind     string
	Method   string // part of it, whatever the case
	Errors   bool   // JSON-RPC errors, results with isError, HTTP statuses from 400, noise, and what had a problem
	Text     string // in the whole message, whatever the case of ASCII letters
	After    uint64
	Limit    int
}

// HTTPHead is an HTTP request and the head of its response, without secrets.
type HTTPHead = wire.Head

// TraceDetail is one message with what was around it.
type TraceDetail struct {
	Message
	Head *HTTPHead // of the HTTP exchange that carried it, without secrets; nil if there was none
}

// TraceFormat is how a trace is exported.
type TraceFormat string

const (
	TraceJSONL TraceFormat = "jsonl" // one object per message, for every transport
	TraceHAR   TraceFormat = "har"   // HTTP Archive 1.2: HTTP exchanges only
)

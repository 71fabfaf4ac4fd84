package mcp

import "time"

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
	Summary  string // the first 200 characters of params, result or line
	Bytes    int
	Latency  time.Duration // of a response, since its request
	HTTP     int           // status of the HTTP response that carried it, 0 if none
	Problem  string        // code, when this message was repaired or set aside
}

// TraceFilter selects messages, oldest first. After is exclusive; Limit 0 means 500, newest kept.
type TraceFilter struct {
	ServerID string
	CallID   string
	Text     string // in the whole message
	After    uint64
	Limit    int
}

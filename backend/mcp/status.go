package mcp

import (
	"time"

	"jackfield/backend/store"
)

// Status is the whole row of one server as it is now: the stored entry, the live state and what was learned from it.
// It is a value: a change makes a new one.
type Status struct {
	Server store.Server
	State  State
	Detail string // a sentence: "Ready", "Retry 2 of 3 in 4 s", "Needs sign-in", "Exited with status 3"

	Generation      uint64 // of the connection; a late result of an older one changes nothing
	Transport       store.Transport
	Era             store.Era // modern or legacy; "" before the first handshake
	ProtocolVersion string
	ServerInfo      Implementation
	Instructions    string
	Capabilities    []string // names as in the handshake, nested with a dot: "tools", "tools.listChanged"
	PID             int      // of a stdio server, else 0
	Latency         time.Duration

	Counts         Counts
	CatalogVersion uint64 // rises when the catalog changes
	Attempts       int    // of the current round of connecting
	MaxAttempts    int    // -1 for ever
	RetryAt        time.Time
	Away           bool           // the connection is kept, but nobody is at the other end at the moment; Failure says more
	Failure        *store.Failure // the last error, also while connected (a failed discovery)
	Problems       []Problem

	SignIn      *store.SignIn  // the running or the last attempt, nil if there was none
	Account     *store.Account // what the server is signed in as, nil if it is not
	NeedsReview bool           // the entry was not typed, and a person has to approve what it would run
}

// Implementation names a program, as clientInfo and serverInfo do.
type Implementation struct {
	Name, Title, Version string
}

// Counts of a catalog.
type Counts struct {
	Tools, Prompts, Resources, Templates int
}

// Problem is a deviation of a server from the protocol that was worked around or refused. Its bytes are in the trace.
type Problem struct {
	Code     string // stable, snake_case: "tool_set_aside", "noise_on_stdout"
	ServerID string
	Subject  string // what it is about: a tool's name, a method, "stdout"
	Message  string // what was wrong, what the specification says, what was done
}

// Snapshot is everything live at one moment. Events with a greater Seq came after it.
type Snapshot struct {
	Seq      uint64
	Servers  []Status // sorted by creation
	Asks     []Ask    // open ones, oldest first
	Calls    []Call   // running ones
	Troubles []Trouble
}

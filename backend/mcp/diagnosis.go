package mcp

import (
	"time"

	"jackfield/backend/store"
)

// StepStatus says how a step of a diagnosis went.
type StepStatus string

const (
	StepOK      StepStatus = "ok"
	StepWarning StepStatus = "warning" // it went well, but something of it had to be worked around
	StepFailed  StepStatus = "failed"
	StepSkipped StepStatus = "skipped" // not reached, or not needed; Detail says which
)

// Names of the steps, in their order. A remote server has no command and no start, a process no name to resolve.
const (
	StepSettings     = "settings"     // the entry can be used: address allowed, command approved, secrets at hand
	StepResolve      = "resolve"      // the host has an address
	StepTCP          = "tcp"          // a connection to it
	StepTLS          = "tls"          // and a trusted certificate
	StepHTTP         = "http"         // an HTTP answer that may be one of MCP
	StepCommand      = "command"      // the program is found, and where
	StepStart        = "start"        // it runs and says something
	StepEra          = "era"          // modern or legacy
	StepAuth         = "auth"         // nothing to sign in to, or signed in
	StepInitialize   = "initialize"   // the handshake of the legacy era
	StepCapabilities = "capabilities" // what the server says it offers
	StepTools        = "tools"
	StepPrompts      = "prompts"
	StepResources    = "resources"
	StepTemplates    = "templates"
)

// Step is one step of a diagnosis.
type Step struct {
	Name   string
	Title  string // what a person calls it: "Name resolution"
	Status StepStatus
	Took   time.Duration // 0 if there was nothing to wait for
	Detail string        // what was found: "127.0.0.1:8000", "HTTP 404, text/html"
	Hint   string        // what to do next, of a failed step
}

// Diagnosis is what a doctor found out about one server.
type Diagnosis struct {
	Server          store.Server
	Steps           []Step
	Transport       store.Transport // that answered, "" if none did
	Era             store.Era
	ProtocolVersion string
	ServerInfo      Implementation
	Counts          Counts
	Failed          string         // name of the first failed step, "" if none
	Failure         *store.Failure // of that step
	Stderr          []string       // last lines of a process, also when all is well
	Problems        []Problem
	Took            time.Duration
}

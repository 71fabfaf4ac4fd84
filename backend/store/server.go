package store

import "time"

// Transport is how a server is reached. The values are stored and cross every edge of the program.
type Transport string

const (
	TransportAuto           Transport = "auto"            // Streamable HTTP, then SSE on 404/405 only
	TransportStreamableHTTP Transport = "streamable-http" // MCP 2025-03-26 and later
	TransportSSE            Transport = "sse"             // HTTP+SSE of MCP 2024-11-05
	TransportStdio          Transport = "stdio"           // a child process
	TransportBuiltin        Transport = "builtin"         // served inside this program: the Playground
)

// Era is a family of protocol revisions: legacy revisions begin with initialize, modern ones are stateless.
type Era string

const (
	EraAuto   Era = "auto"
	EraModern Era = "modern" // 2026-07-28
	EraLegacy Era = "legacy" // 2024-11-05 to 2025-11-25
)

// LogLevel is the least severity that a server is asked to log, by its name in RFC 5424, section 6.2.1. "" asks for nothing: a legacy server
// then logs what it likes, a modern one nothing.
type LogLevel string

// LogLevels are all of them, the most talkative first.
var LogLevels = []LogLevel{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// Server is a stored entry: everything needed to reach a server, and what earlier connections taught.
// It holds no live state.
type Server struct {
	ID        string
	Name      string
	Transport Transport

	URL     string     // auto, streamable-http, sse
	Headers []Variable // sent to the origin of URL only

	Command string // stdio; never passed through a shell
	Args    []string
	Env     []Variable // added to the inherited environment
	Cwd     string

	Era               Era
	Retry             Retry
	Timeouts          Timeouts
	Enabled           bool // enabled servers reconnect on launch
	TrustLocalNetwork bool
	ClientID          string // a pre-registered OAuth client, if any
	SignIn            SignInConfig

	Roots    []string // absolute folders that the server may be told about (MCP, roots); none unless a person chose some
	LogLevel LogLevel

	Source   Source // who made the entry
	Approved string // hash of the command that the person approved, see CommandHash; only asked of entries that are not typed

	Learned   Learned
	LastError *Failure // of the last attempt, nil after a success

	CreatedAt time.Time
	UpdatedAt time.Time
}

// Source says who made an entry. What a person did not type is reviewed by one before it runs.
type Source string

const (
	SourceTyped  Source = ""       // in the window, or on the command line
	SourceLink   Source = "link"   // jackfield://add
	SourceImport Source = "import" // a file
)

// Variable is an HTTP header or an environment variable. The value of a secret one is in Hidden and in the vault, never in Value.
type Variable struct {
	Name   string `json:"name"`
	Value  string `json:"value,omitempty"`
	Secret bool   `json:"secret,omitempty"`
	Hidden Secret `json:"-"`             // of a secret one: a new value; zero means the stored one
	Ref    string `json:"ref,omitempty"` // of a secret one: which row of the vault; set by the store
}

// Retry is the policy after a failed or dropped connection: full jitter between Base and Cap.
// The zero value of a field means its default (3 attempts, 500 ms, 5 s); MaxAttempts -1 means for ever.
type Retry struct {
	MaxAttempts int
	BaseDelay   time.Duration
	MaxDelay    time.Duration
}

// Timeouts of one server. Zero means the default: connect 30 s, discovery 30 s, call idle 60 s, call total 10 min.
type Timeouts struct {
	Connect   time.Duration
	Discovery time.Duration
	CallIdle  time.Duration
	CallTotal time.Duration
}

// Learned is what a successful connection teaches for the next one. It is dropped when the endpoint changes.
type Learned struct {
	Transport       Transport // the one that answered, where auto was asked for
	Era             Era       // modern or legacy
	ProtocolVersion string
}

// Failure is a stored error as a person reads it.
type Failure struct {
	Code     string   `json:"code"`
	Message  string   `json:"message"`
	Hint     string   `json:"hint,omitempty"`
	ExitCode *int     `json:"exitCode,omitempty"`
	Stderr   []string `json:"stderr,omitempty"` // the last lines of a process that ended
}

// Package api holds what crosses to TypeScript: data shapes, event names, error codes. It is the one place for them; the
// front end's types are generated from it. JSON documents of servers (schemas, arguments, results) travel as text, so that
// large numbers keep their digits; 64-bit counters travel as decimal strings, times as RFC 3339 with milliseconds.
package api

// EventChannel is the one Wails event; its payload is a Batch.
const EventChannel = "jackfield"

// Batch is what happened since the last one, at most one frame's worth.
type Batch struct {
	Events  []Event `json:"events"`
	Dropped int     `json:"dropped"`          // lossy events (trace, log) left out since the last batch
	Merged  int     `json:"merged,omitempty"` // rows left out because a later one of this batch replaces them
	Vault   *Vault  `json:"vault,omitempty"`  // the vault changed
	Link    *Link   `json:"link,omitempty"`   // a jackfield://add link was opened: show it for review
}

// Event is one change. A gap in seq that dropped and merged do not explain means: take a new Snapshot.
type Event struct {
	Seq      string      `json:"seq"`
	Type     string      `json:"type"` // mcp:client:server, :removed, :catalog, :call, :ask, :problem, :trace, :log, :updated, …
	ServerID string      `json:"serverId"`
	Server   *Server     `json:"server,omitempty"`
	Call     *Call       `json:"call,omitempty"`
	Ask      *Ask        `json:"ask,omitempty"`
	Message  *Message    `json:"message,omitempty"`
	Log      *LogMessage `json:"log,omitempty"`
	Trouble  *Trouble    `json:"trouble,omitempty"`
	URI      string      `json:"uri,omitempty"`
	Text     string      `json:"text,omitempty"`
}

// Snapshot is everything live at one moment.
type Snapshot struct {
	Seq      string    `json:"seq"`
	Servers  []Server  `json:"servers"`
	Asks     []Ask     `json:"asks"`
	Calls    []Call    `json:"calls"`
	Troubles []Trouble `json:"troubles"`
	Settings Settings  `json:"settings"`
	About    About     `json:"about"`
	Vault    Vault     `json:"vault"`
	Scheme   Scheme    `json:"scheme"`
	Link     *Link     `json:"link,omitempty"` // one that came before the page was there
}

// About says what program this is and where it keeps its data.
type About struct {
	Version  string `json:"version"`
	DataDir  string `json:"dataDir"`
	Platform string `json:"platform"`
}

// Settings of the person. Unknown values read as the default, the first one named.
type Settings struct {
	Theme     string `json:"theme"`     // system, light, dark
	AskWindow string `json:"askWindow"` // window, inline, quiet (do not disturb: only counted)
	Density   string `json:"density"`   // compact, comfortable
}

// Server is the whole row of one server.
type Server struct {
	ID        string   `json:"id"`
	Name      string   `json:"name"`
	Transport string   `json:"transport"` // as configured: auto, streamable-http, sse, stdio, builtin
	URL       string   `json:"url"`
	Command   string   `json:"command"`
	Args      []string `json:"args"`
	Endpoint  string   `json:"endpoint"` // short, for lists: host, command, "built in"
	Enabled   bool     `json:"enabled"`
	UpdatedAt string   `json:"updatedAt"` // of the configuration

	State           string     `json:"state"`
	Detail          string     `json:"detail"` // a sentence
	Generation      string     `json:"generation"`
	ActualTransport string     `json:"actualTransport"`
	Era             string     `json:"era"`
	ProtocolVersion string     `json:"protocolVersion"`
	ServerInfo      ServerInfo `json:"serverInfo"`
	Instructions    string     `json:"instructions"`
	Capabilities    []string   `json:"capabilities"`
	PID             int        `json:"pid"`
	LatencyMs       float64    `json:"latencyMs"`
	Counts          Counts     `json:"counts"`
	CatalogVersion  string     `json:"catalogVersion"`
	Attempts        int        `json:"attempts"`
	MaxAttempts     int        `json:"maxAttempts"`
	RetryAt         string     `json:"retryAt"` // "" if none is due
	Error           *Failure   `json:"error,omitempty"`
	Problems        []Problem  `json:"problems"`

	SignIn  *SignIn  `json:"signIn,omitempty"`  // the running or the last attempt
	Account *Account `json:"account,omitempty"` // what it is signed in as
	Review  *Review  `json:"review,omitempty"`  // the command has to be approved before it runs
}

// ServerInfo names the server program.
type ServerInfo struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Version string `json:"version"`
}

// Counts of a catalog.
type Counts struct {
	Tools     int `json:"tools"`
	Prompts   int `json:"prompts"`
	Resources int `json:"resources"`
	Templates int `json:"templates"`
}

// Failure is an error as a person reads it. Every bound method rejects with the JSON text of one.
type Failure struct {
	Code     string       `json:"code"`
	Message  string       `json:"message"`
	Hint     string       `json:"hint"`
	ExitCode *int         `json:"exitCode,omitempty"`
	Stderr   []string     `json:"stderr,omitempty"`
	Fields   []FieldError `json:"fields,omitempty"`
}

// FieldError points at one place in a JSON document (RFC 6901).
type FieldError struct {
	Pointer string `json:"pointer"`
	Message string `json:"message"`
}

// Problem is a deviation of a server from the protocol.
type Problem struct {
	Code     string `json:"code"`
	ServerID string `json:"serverId"`
	Subject  string `json:"subject"`
	Message  string `json:"message"`
}

// Config is what the add and edit dialog fills in. Secret values come back as "" with hasValue, and "" with hasValue keeps
// the stored one.
type Config struct {
	Name              string     `json:"name"`
	Transport         string     `json:"transport"`
	URL               string     `json:"url"`
	Headers           []Variable `json:"headers"`
	Command           string     `json:"command"`
	Args              []string   `json:"args"`
	Env               []Variable `json:"env"`
	Cwd               string     `json:"cwd"`
	Era               string     `json:"era"`
	Enabled           bool       `json:"enabled"`
	TrustLocalNetwork bool       `json:"trustLocalNetwork"`
	MaxAttempts       int        `json:"maxAttempts"` // 0 default (3), -1 for ever
	ConnectMs         int        `json:"connectMs"`   // 0 default
	DiscoveryMs       int        `json:"discoveryMs"`
	CallIdleMs        int        `json:"callIdleMs"`
	CallTotalMs       int        `json:"callTotalMs"`
	Roots             []string   `json:"roots"`    // full paths of folders that the server may be told about
	LogLevel          string     `json:"logLevel"` // debug to emergency; "" asks for nothing

	SignIn SignInConfig `json:"signIn"`
}

// Variable is a header or an environment variable.
type Variable struct {
	Name     string `json:"name"`
	Value    string `json:"value"`
	Secret   bool   `json:"secret"`
	HasValue bool   `json:"hasValue"`
}

// Parsed is what a pasted text means: one or several servers, or why not.
type Parsed struct {
	Kind    string   `json:"kind"` // url, command, json
	Servers []Config `json:"servers"`
	Notes   []string `json:"notes"` // "A header looks like a token: it is kept as secret."
}

// Catalog is what a server offers.
type Catalog struct {
	ServerID  string     `json:"serverId"`
	Version   string     `json:"version"`
	Tools     []Tool     `json:"tools"`
	Prompts   []Prompt   `json:"prompts"`
	Resources []Resource `json:"resources"`
	Templates []Template `json:"templates"`
}

// Tool of a catalog. Schemas are JSON text, "" if absent. Hints are "", "true" or "false".
type Tool struct {
	Name         string `json:"name"`
	Title        string `json:"title"`
	Description  string `json:"description"`
	Key          string `json:"key"`
	InputSchema  string `json:"inputSchema"`
	OutputSchema string `json:"outputSchema"`
	ReadOnly     string `json:"readOnly"`
	Destructive  string `json:"destructive"`
	Idempotent   string `json:"idempotent"`
	OpenWorld    string `json:"openWorld"`
	Raw          string `json:"raw"`
}

// Prompt of a catalog.
type Prompt struct {
	Name        string           `json:"name"`
	Title       string           `json:"title"`
	Description string           `json:"description"`
	Arguments   []PromptArgument `json:"arguments"`
	Raw         string           `json:"raw"`
}

// PromptArgument of a prompt.
type PromptArgument struct {
	Name        string `json:"name"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Required    bool   `json:"required"`
}

// Resource of a catalog. Size is -1 if unknown.
type Resource struct {
	URI         string `json:"uri"`
	Name        string `json:"name"`
	Title       string `json:"title"`
	Description string `json:"description"`
	MIMEType    string `json:"mimeType"`
	Size        int    `json:"size"`
	Raw         string `json:"raw"`
}

// Template is a resource template; uriTemplate is of RFC 6570 and variables are its names in order.
type Template struct {
	URITemplate string   `json:"uriTemplate"`
	Name        string   `json:"name"`
	Title       string   `json:"title"`
	Description string   `json:"description"`
	MIMEType    string   `json:"mimeType"`
	Variables   []string `json:"variables"`
	Raw         string   `json:"raw"`
}

// CallRequest asks for one call. Arguments is JSON text of an object and is sent byte for byte.
type CallRequest struct {
	ID        string `json:"id"` // made by the front end, for CancelCall
	ServerID  string `json:"serverId"`
	Kind      string `json:"kind"` // tool, prompt, resource
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
	IdleMs    int    `json:"idleMs"`
	TotalMs   int    `json:"totalMs"`
}

// Call is the row of a running or ended call. Result is the raw JSON text, unless it is longer than 256 kB: then it is
// "" and ResultURL is a same-origin address to fetch it from.
type Call struct {
	ID         string       `json:"id"`
	ServerID   string       `json:"serverId"`
	Kind       string       `json:"kind"`
	Name       string       `json:"name"`
	Arguments  string       `json:"arguments"`
	Outcome    string       `json:"outcome"` // running, done, error, failed, timeout, cancelled
	StartedAt  string       `json:"startedAt"`
	DurationMs float64      `json:"durationMs"`
	Progress   *Progress    `json:"progress,omitempty"`
	IdleUntil  string       `json:"idleUntil"`
	TotalUntil string       `json:"totalUntil"`
	Size       int          `json:"size"`
	Result     string       `json:"result"`
	ResultURL  string       `json:"resultUrl"`
	Error      *Failure     `json:"error,omitempty"`
	Problems   []Problem    `json:"problems"`
	Violations []FieldError `json:"violations"` // of structuredContent against the output schema
	Asks       []AskOutcome `json:"asks"`
	Pinned     bool         `json:"pinned"` // kept whatever the limits of the history say
}

// Progress of a call; total 0 means unknown.
type Progress struct {
	Progress float64 `json:"progress"`
	Total    float64 `json:"total"`
	Message  string  `json:"message"`
}

// AskOutcome is one answered ask of a call.
type AskOutcome struct {
	Mode   string `json:"mode"`
	Action string `json:"action"`
}

// HistoryFilter selects calls, newest first.
type HistoryFilter struct {
	ServerID string `json:"serverId"`
	Kind     string `json:"kind"`
	Name     string `json:"name"`
	Text     string `json:"text"`
	Pinned   bool   `json:"pinned"` // only these
	Before   string `json:"before"` // the id of a call
	Limit    int    `json:"limit"`
}

// CompleteRequest asks for completion of one argument. Kind is prompt or template.
type CompleteRequest struct {
	ServerID string            `json:"serverId"`
	Kind     string            `json:"kind"`
	Name     string            `json:"name"`
	Argument string            `json:"argument"`
	Value    string            `json:"value"`
	Context  map[string]string `json:"context"`
}

// Completion is its answer.
type Completion struct {
	Values  []string `json:"values"`
	Total   int      `json:"total"`
	HasMore bool     `json:"hasMore"`
}

// Ask is something a person must decide. A closed one arrives once more with closed true.
type Ask struct {
	ID         string `json:"id"`
	ServerID   string `json:"serverId"`
	ServerName string `json:"serverName"`
	Endpoint   string `json:"endpoint"`
	CallID     string `json:"callId"`
	CallName   string `json:"callName"`
	CallEnded  bool   `json:"callEnded"` // the call has failed for want of this answer, and can be made again afterwards
	Arguments  string `json:"arguments"`
	Mode       string `json:"mode"` // form, url, sampling
	Message    string `json:"message"`
	Schema     string `json:"schema"` // JSON text, form only
	URL        string `json:"url"`
	Host       string `json:"host"`
	Sampling   string `json:"sampling"` // JSON text of the params of sampling/createMessage, sampling only
	OpenedAt   string `json:"openedAt"`
	Closed     bool   `json:"closed"`
	Outcome    string `json:"outcome"`
	Reason     string `json:"reason"`
}

// Answer answers an ask. Content is JSON text of an object, for an accepted form or sampling.
type Answer struct {
	Action  string `json:"action"` // accept, decline, cancel
	Content string `json:"content"`
}

// Prompt window protocol: the child process reads one AskWindow from stdin and writes one Answer to stdout.
type AskWindow struct {
	Ask    Ask    `json:"ask"`
	Behind int    `json:"behind"` // asks that wait after this one
	Theme  string `json:"theme"`
}

// Message is one line of the trace.
type Message struct {
	N         string  `json:"n"`
	ServerID  string  `json:"serverId"`
	Time      string  `json:"time"`
	Dir       string  `json:"dir"`  // out, in, stderr
	Kind      string  `json:"kind"` // request, response, error, notification, noise, text
	Method    string  `json:"method"`
	RPCID     string  `json:"rpcId"`
	CallID    string  `json:"callId"`
	Pair      string  `json:"pair"` // of a response: the number of its request; "0" if none
	Era       string  `json:"era"`
	Summary   string  `json:"summary"`
	Bytes     int     `json:"bytes"`
	LatencyMs float64 `json:"latencyMs"`
	HTTP      int     `json:"http"`
	Problem   string  `json:"problem"`
}

// TraceFilter selects messages, oldest first, newest kept.
type TraceFilter struct {
	ServerID string `json:"serverId"`
	CallID   string `json:"callId"`
	Dir      string `json:"dir"`
	Kind     string `json:"kind"`
	Method   string `json:"method"` // part of it
	Errors   bool   `json:"errors"` // only what went wrong
	Text     string `json:"text"`   // in the whole message
	After    string `json:"after"`
	Limit    int    `json:"limit"`
}

// LogMessage is a notifications/message of a server.
type LogMessage struct {
	Level  string `json:"level"`
	Logger string `json:"logger"`
	Text   string `json:"text"`
}

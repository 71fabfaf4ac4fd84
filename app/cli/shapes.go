package cli

import (
	"encoding/json"
	"math"
	"net/url"
	"time"

	"jackfield/backend/mcp"
	"jackfield/backend/store"
)

// The documents that --json prints. Fields may be added, never renamed. A list is never null. A document whose command
// could not finish carries what is known and an "error" beside it.

type errorDoc struct {
	Code     string           `json:"code"`
	Message  string           `json:"message"`
	Hint     string           `json:"hint"`
	ExitCode *int             `json:"exitCode,omitempty"` // of the server's process
	Stderr   []string         `json:"stderr,omitempty"`
	Fields   []mcp.FieldError `json:"fields,omitempty"`
}

func newError(failure *mcp.Error) *errorDoc {
	if failure == nil {
		return nil
	}
	doc := storedError(&failure.Failure)
	doc.Fields = failure.Fields
	return doc
}

func storedError(failure *store.Failure) *errorDoc {
	if failure == nil {
		return nil
	}
	return &errorDoc{
		Code: failure.Code, Message: failure.Message, Hint: failure.Hint,
		ExitCode: failure.ExitCode, Stderr: failure.Stderr,
	}
}

type problemDoc struct {
	Code     string `json:"code"`
	ServerID string `json:"serverId"`
	Subject  string `json:"subject"`
	Message  string `json:"message"`
}

func newProblems(lists ...[]mcp.Problem) []problemDoc {
	docs := []problemDoc{}
	for _, p := range union(lists...) {
		docs = append(docs, problemDoc(p))
	}
	return docs
}

// endpointDoc is how a server is reached: a URL, or a command with its arguments.
type endpointDoc struct {
	URL     *string   `json:"url,omitempty"`
	Command *string   `json:"command,omitempty"`
	Args    *[]string `json:"args,omitempty"`
}

func newEndpoint(server store.Server) endpointDoc {
	switch server.Transport {
	case store.TransportStdio:
		args := append([]string{}, server.Args...)
		return endpointDoc{Command: &server.Command, Args: &args}
	case store.TransportBuiltin:
		return endpointDoc{}
	}
	address := redacted(server.URL)
	return endpointDoc{URL: &address}
}

// redacted hides a password in a URL.
func redacted(address string) string {
	parsed, err := url.Parse(address)
	if err != nil || parsed.User == nil {
		return address
	}
	return parsed.Redacted()
}

type variableDoc struct {
	Name   string  `json:"name"`
	Value  *string `json:"value"` // null if secret
	Secret bool    `json:"secret"`
}

func newVariables(list []store.Variable) []variableDoc {
	docs := []variableDoc{}
	for _, v := range list {
		doc := variableDoc{Name: v.Name, Secret: v.Secret}
		if !v.Secret {
			doc.Value = &v.Value
		}
		docs = append(docs, doc)
	}
	return docs
}

type serverDoc struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Transport store.Transport `json:"transport"`
	endpointDoc
	Headers           []variableDoc `json:"headers"`
	Env               []variableDoc `json:"env"`
	Cwd               string        `json:"cwd,omitempty"`
	Era               store.Era     `json:"era"`
	ClientID          string        `json:"clientId,omitempty"`
	TrustLocalNetwork bool          `json:"trustLocalNetwork"`
	Roots             []string      `json:"roots"`
	LogLevel          string        `json:"logLevel,omitempty"`
	Enabled           bool          `json:"enabled"`
	LastError         *errorDoc     `json:"lastError"`
}

func newServer(server store.Server) serverDoc {
	return serverDoc{
		ID: server.ID, Name: server.Name, Transport: server.Transport, endpointDoc: newEndpoint(server),
		Headers: newVariables(server.Headers), Env: newVariables(server.Env), Cwd: server.Cwd,
		Era: server.Era, ClientID: server.ClientID, TrustLocalNetwork: server.TrustLocalNetwork,
		Roots: append([]string{}, server.Roots...), LogLevel: string(server.LogLevel),
		Enabled: server.Enabled, LastError: storedError(server.LastError),
	}
}

type infoDoc struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Title   string `json:"title,omitempty"`
}

type countsDoc struct {
	Tools     int `json:"tools"`
	Prompts   int `json:"prompts"`
	Resources int `json:"resources"`
	Templates int `json:"templates"`
}

type statusDoc struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Transport store.Transport `json:"transport"` // the one in use; before the first connection the configured one
	endpointDoc
	Enabled         bool         `json:"enabled"`
	State           mcp.State    `json:"state"`
	Detail          string       `json:"detail"`
	Era             store.Era    `json:"era"`
	ProtocolVersion string       `json:"protocolVersion"`
	ServerInfo      infoDoc      `json:"serverInfo"`
	Counts          countsDoc    `json:"counts"`
	Attempts        int          `json:"attempts"`
	Error           *errorDoc    `json:"error"`
	Problems        []problemDoc `json:"problems"`
}

func newStatus(s mcp.Status) statusDoc {
	transport := s.Transport
	if transport == "" {
		transport = s.Server.Transport
	}
	return statusDoc{
		ID: s.Server.ID, Name: s.Server.Name, Transport: transport, endpointDoc: newEndpoint(s.Server),
		Enabled: s.Server.Enabled, State: s.State, Detail: s.Detail, Era: s.Era, ProtocolVersion: s.ProtocolVersion,
		ServerInfo: infoDoc{Name: s.ServerInfo.Name, Version: s.ServerInfo.Version, Title: s.ServerInfo.Title},
		Counts:     countsDoc(s.Counts), Attempts: s.Attempts, Error: storedError(s.Failure),
		Problems: newProblems(s.Problems),
	}
}

type toolDoc struct {
	ServerID     string          `json:"serverId"`
	Name         string          `json:"name"`
	Key          string          `json:"key"` // unique over all servers, and safe as a function name for AI SDKs
	Title        string          `json:"title"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema"`
	Annotations  json.RawMessage `json:"annotations"`
	Meta         json.RawMessage `json:"_meta"`
}

// extras are parts of a catalog entry that are passed on as the server sent them.
type extras struct {
	Arguments   json.RawMessage `json:"arguments"`
	Annotations json.RawMessage `json:"annotations"`
	Meta        json.RawMessage `json:"_meta"`
}

// newExtras reads them. The Manager already decoded the entry, so that it is a JSON object; a part of a wrong type in it
// is still passed on.
func newExtras(raw json.RawMessage) extras {
	var e extras
	if json.Unmarshal(raw, &e) != nil {
		return extras{}
	}
	return e
}

func newTool(id string, tool mcp.Tool) toolDoc {
	e := newExtras(tool.Raw)
	return toolDoc{
		ServerID: id, Name: tool.Name, Key: tool.Key, Title: tool.Title, Description: tool.Description,
		InputSchema: tool.InputSchema, OutputSchema: tool.OutputSchema, Annotations: e.Annotations, Meta: e.Meta,
	}
}

type promptDoc struct {
	ServerID    string              `json:"serverId"`
	Name        string              `json:"name"`
	Title       string              `json:"title"`
	Description string              `json:"description"`
	Arguments   []promptArgumentDoc `json:"arguments"`
	Meta        json.RawMessage     `json:"_meta"`
}

type promptArgumentDoc struct {
	Name        string `json:"name"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Required    bool   `json:"required"`
}

func newPrompt(id string, prompt mcp.Prompt) promptDoc {
	arguments := []promptArgumentDoc{}
	for _, argument := range prompt.Arguments {
		arguments = append(arguments, promptArgumentDoc(argument))
	}
	return promptDoc{
		ServerID: id, Name: prompt.Name, Title: prompt.Title, Description: prompt.Description,
		Arguments: arguments, Meta: newExtras(prompt.Raw).Meta,
	}
}

type resourceDoc struct {
	ServerID    string          `json:"serverId"`
	URI         string          `json:"uri"`
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	MIMEType    string          `json:"mimeType"`
	Size        *int64          `json:"size"` // null if the server did not say
	Annotations json.RawMessage `json:"annotations"`
	Meta        json.RawMessage `json:"_meta"`
}

func newResource(id string, resource mcp.Resource) resourceDoc {
	e := newExtras(resource.Raw)
	doc := resourceDoc{
		ServerID: id, URI: resource.URI, Name: resource.Name, Title: resource.Title, Description: resource.Description,
		MIMEType: resource.MIMEType, Annotations: e.Annotations, Meta: e.Meta,
	}
	if resource.Size >= 0 {
		doc.Size = &resource.Size
	}
	return doc
}

type templateDoc struct {
	ServerID    string          `json:"serverId"`
	URITemplate string          `json:"uriTemplate"`
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	MIMEType    string          `json:"mimeType"`
	Annotations json.RawMessage `json:"annotations"`
	Meta        json.RawMessage `json:"_meta"`
}

func newTemplate(id string, template mcp.ResourceTemplate) templateDoc {
	e := newExtras(template.Raw)
	return templateDoc{
		ServerID: id, URITemplate: template.URITemplate, Name: template.Name, Title: template.Title,
		Description: template.Description, MIMEType: template.MIMEType, Annotations: e.Annotations, Meta: e.Meta,
	}
}

// callDoc is what call, prompt and read print: exactly one of tool, prompt and uri is there.
type callDoc struct {
	ServerID   string             `json:"serverId"`
	Tool       *string            `json:"tool,omitempty"`
	Prompt     *string            `json:"prompt,omitempty"`
	URI        *string            `json:"uri,omitempty"`
	IsError    *bool              `json:"isError,omitempty"` // of a tool that answered
	DurationMs float64            `json:"durationMs"`
	Result     json.RawMessage    `json:"result,omitempty"` // as it was on the wire; absent if there is none
	Asks       []store.AskOutcome `json:"asks"`
	Problems   []problemDoc       `json:"problems"`
	Violations []mcp.FieldError   `json:"violations,omitempty"` // of structuredContent against the outputSchema
	Error      *errorDoc          `json:"error,omitempty"`
}

func newCall(call mcp.Call, problems []mcp.Problem, failure *mcp.Error) callDoc {
	doc := callDoc{
		ServerID: call.ServerID, DurationMs: milliseconds(call.Duration), Result: call.Result,
		Asks: append([]store.AskOutcome{}, call.Asks...), Problems: newProblems(call.Problems, problems),
		Violations: call.Violations, Error: newError(failure),
	}
	switch call.Kind {
	case store.KindTool:
		doc.Tool = &call.Name
		if failure == nil {
			isError := call.Outcome == store.OutcomeToolError
			doc.IsError = &isError
		}
	case store.KindPrompt:
		doc.Prompt = &call.Name
	case store.KindResource:
		doc.URI = &call.Name
	}
	return doc
}

type historyDoc struct {
	ID         string             `json:"id"`
	ServerID   string             `json:"serverId"`
	Kind       store.Kind         `json:"kind"`
	Name       string             `json:"name"`
	Arguments  json.RawMessage    `json:"arguments"`
	Outcome    store.Outcome      `json:"outcome"`
	StartedAt  string             `json:"startedAt"`
	DurationMs float64            `json:"durationMs"`
	Size       int                `json:"size"`
	Result     json.RawMessage    `json:"result,omitempty"`
	Asks       []store.AskOutcome `json:"asks"`
	Pinned     bool               `json:"pinned"`
	Error      *errorDoc          `json:"error"`
}

func newHistory(call store.Call) historyDoc {
	return historyDoc{
		ID: call.ID, ServerID: call.ServerID, Kind: call.Kind, Name: call.Name, Arguments: call.Arguments,
		Outcome: call.Outcome, StartedAt: timestamp(call.StartedAt), DurationMs: milliseconds(call.Duration),
		Size: call.Size, Result: call.Result, Asks: append([]store.AskOutcome{}, call.Asks...),
		Pinned: call.Pinned, Error: storedError(call.Failure),
	}
}

// milliseconds with the microseconds behind the point.
func milliseconds(d time.Duration) float64 { return math.Round(float64(d)/1e3) / 1e3 }

func timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z07:00") }

package api

import (
	"encoding/json"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/yosida95/uritemplate/v3"

	"jackfield/backend/mcp"
	"jackfield/backend/store"
)

// LargeResult is the length in bytes from which a result travels by URL: text in a binding is copied several times.
const LargeResult = 256 << 10

const timeLayout = "2006-01-02T15:04:05.000Z07:00"

// EventOf is the event as the page sees it.
func EventOf(event mcp.Event) Event {
	out := Event{
		Seq: number(event.Seq), Type: string(event.Type), ServerID: event.ServerID, URI: event.URI, Text: event.Text,
	}
	if event.Server != nil {
		server := ServerOf(*event.Server)
		out.Server = &server
	}
	if event.Call != nil {
		call := CallOf(*event.Call)
		out.Call = &call
	}
	if event.Ask != nil {
		ask := AskOf(*event.Ask)
		out.Ask = &ask
	}
	if event.Message != nil {
		message := MessageOf(*event.Message)
		out.Message = &message
	}
	if event.Log != nil {
		out.Log = &LogMessage{Level: event.Log.Level, Logger: event.Log.Logger, Text: event.Log.Text}
	}
	if event.Trouble != nil {
		trouble := troubleOf(*event.Trouble)
		out.Trouble = &trouble
	}
	if event.Problem != nil && out.Text == "" {
		out.Text = event.Problem.Message
	}
	return out
}

// SnapshotOf is the snapshot as the page sees it; settings, about, vault, scheme and link are the caller's.
func SnapshotOf(snapshot mcp.Snapshot) Snapshot {
	return Snapshot{
		Seq:      number(snapshot.Seq),
		Servers:  each(snapshot.Servers, ServerOf),
		Asks:     each(snapshot.Asks, AskOf),
		Calls:    each(snapshot.Calls, CallOf),
		Troubles: each(snapshot.Troubles, troubleOf),
	}
}

// ServerOf is the whole row of one server.
func ServerOf(status mcp.Status) Server {
	server := status.Server
	row := Server{
		ID: server.ID, Name: server.Name, Transport: string(server.Transport), URL: server.URL, Command: server.Command,
		Args: list(server.Args), Endpoint: Endpoint(server), Enabled: server.Enabled, UpdatedAt: timestamp(server.UpdatedAt),
		State: string(status.State), Detail: status.Detail, Generation: number(status.Generation),
		ActualTransport: string(status.Transport), Era: string(status.Era), ProtocolVersion: status.ProtocolVersion,
		ServerInfo: ServerInfo{
			Name: status.ServerInfo.Name, Title: status.ServerInfo.Title, Version: status.ServerInfo.Version,
		},
		Instructions: status.Instructions, Capabilities: list(status.Capabilities), PID: status.PID,
		LatencyMs: ms(status.Latency),
		Counts: Counts{
			Tools: status.Counts.Tools, Prompts: status.Counts.Prompts,
			Resources: status.Counts.Resources, Templates: status.Counts.Templates,
		},
		CatalogVersion: number(status.CatalogVersion), Attempts: status.Attempts, MaxAttempts: status.MaxAttempts,
		RetryAt: timestamp(status.RetryAt), Error: failure(status.Failure), Problems: each(status.Problems, problem),
		Review: reviewOf(status),
	}
	if status.SignIn != nil {
		attempt := SignInOf(*status.SignIn)
		row.SignIn = &attempt
	}
	if status.Account != nil {
		account := AccountOf(*status.Account)
		row.Account = &account
	}
	return row
}

// Endpoint is the short name of where a server is: host, program, "built in".
func Endpoint(server store.Server) string {
	switch server.Transport {
	case store.TransportBuiltin:
		return "built in"
	case store.TransportStdio:
		// Both separators, because a row may come from a file written on another system.
		return path.Base(strings.ReplaceAll(server.Command, `\`, "/"))
	default:
		if host := hostOf(server.URL); host != "" {
			return host
		}
		return server.URL
	}
}

// CatalogOf is what a server offers.
func CatalogOf(catalog mcp.Catalog) Catalog {
	return Catalog{
		ServerID: catalog.ServerID, Version: number(catalog.Version),
		Tools:     each(catalog.Tools, toolOf),
		Prompts:   each(catalog.Prompts, promptOf),
		Resources: each(catalog.Resources, resourceOf),
		Templates: each(catalog.Templates, templateOf),
	}
}

func toolOf(tool mcp.Tool) Tool {
	hints := tool.Annotations
	return Tool{
		Name: tool.Name, Title: tool.Title, Description: tool.Description, Key: tool.Key,
		InputSchema: string(tool.InputSchema), OutputSchema: string(tool.OutputSchema),
		ReadOnly: hint(hints.ReadOnly), Destructive: hint(hints.Destructive),
		Idempotent: hint(hints.Idempotent), OpenWorld: hint(hints.OpenWorld), Raw: string(tool.Raw),
	}
}

func promptOf(prompt mcp.Prompt) Prompt {
	return Prompt{
		Name: prompt.Name, Title: prompt.Title, Description: prompt.Description,
		Arguments: each(prompt.Arguments, func(a mcp.PromptArgument) PromptArgument { return PromptArgument(a) }),
		Raw:       string(prompt.Raw),
	}
}

func resourceOf(resource mcp.Resource) Resource {
	return Resource{
		URI: resource.URI, Name: resource.Name, Title: resource.Title, Description: resource.Description,
		MIMEType: resource.MIMEType, Size: int(resource.Size), Raw: string(resource.Raw),
	}
}

func templateOf(template mcp.ResourceTemplate) Template {
	var variables []string
	if parsed, err := uritemplate.New(template.URITemplate); err == nil {
		variables = parsed.Varnames()
	} // a template that does not parse has no variables to fill in; ExpandTemplate says what is wrong with it
	return Template{
		URITemplate: template.URITemplate, Name: template.Name, Title: template.Title, Description: template.Description,
		MIMEType: template.MIMEType, Variables: list(variables), Raw: string(template.Raw),
	}
}

// CallOf is the row of a live or just ended call.
func CallOf(call mcp.Call) Call {
	out := StoredCallOf(call.Call)
	if call.Progress != nil {
		out.Progress = &Progress{
			Progress: call.Progress.Progress, Total: call.Progress.Total, Message: call.Progress.Message,
		}
	}
	out.IdleUntil, out.TotalUntil = timestamp(call.IdleUntil), timestamp(call.TotalUntil)
	out.Problems = each(call.Problems, problem)
	out.Violations = each(call.Violations, fieldError)
	return out
}

// StoredCallOf is the row of a call in the history.
func StoredCallOf(call store.Call) Call {
	out := Call{
		ID: call.ID, ServerID: call.ServerID, Kind: string(call.Kind), Name: call.Name,
		Arguments: string(call.Arguments), Outcome: string(call.Outcome), StartedAt: timestamp(call.StartedAt),
		DurationMs: ms(call.Duration), Size: call.Size, Error: failure(call.Failure), Problems: []Problem{},
		Violations: []FieldError{}, Pinned: call.Pinned,
		Asks: each(call.Asks, func(a store.AskOutcome) AskOutcome { return AskOutcome{Mode: a.Mode, Action: a.Action} }),
	}
	switch {
	case len(call.Result) > LargeResult, len(call.Result) == 0 && call.Size > LargeResult:
		out.ResultURL = "/call/" + url.PathEscape(call.ID) + "/result"
	default:
		out.Result = string(call.Result)
	}
	return out
}

// CallRequestOf is the request that a page made.
func CallRequestOf(request CallRequest) mcp.CallRequest {
	return mcp.CallRequest{
		ID: request.ID, ServerID: request.ServerID, Kind: store.Kind(request.Kind), Name: request.Name,
		Arguments: json.RawMessage(request.Arguments), Idle: duration(request.IdleMs), Total: duration(request.TotalMs),
	}
}

// HistoryFilterOf is the filter that a page made.
func HistoryFilterOf(filter HistoryFilter) store.CallFilter {
	return store.CallFilter{
		ServerID: filter.ServerID, Kind: store.Kind(filter.Kind), Name: filter.Name, Text: filter.Text,
		Pinned: filter.Pinned, Before: filter.Before, Limit: filter.Limit,
	}
}

// AskOf is an ask, open or just closed.
func AskOf(ask mcp.Ask) Ask {
	return Ask{
		ID: ask.ID, ServerID: ask.ServerID, ServerName: ask.ServerName, Endpoint: ask.Endpoint, CallID: ask.CallID,
		CallName: ask.CallName, CallEnded: ask.CallEnded, Arguments: string(ask.Arguments), Mode: string(ask.Mode), Message: ask.Message,
		Schema: string(ask.Schema), URL: ask.URL, Host: hostOf(ask.URL), Sampling: string(ask.Sampling), OpenedAt: timestamp(ask.OpenedAt),
		Closed: ask.Closed, Outcome: string(ask.Outcome), Reason: ask.Reason,
	}
}

// AnswerOf is the answer that a page made. Only an accepted form or sampling has content.
func AnswerOf(answer Answer) mcp.Answer {
	out := mcp.Answer{Action: mcp.AskAction(answer.Action)}
	if out.Action == mcp.ActionAccept && answer.Content != "" {
		out.Content = json.RawMessage(answer.Content)
	}
	return out
}

// MessageOf is one line of the trace.
func MessageOf(message mcp.Message) Message {
	return Message{
		N: number(message.N), ServerID: message.ServerID, Time: timestamp(message.Time), Dir: string(message.Dir),
		Kind: message.Kind, Method: message.Method, RPCID: message.RPCID, CallID: message.CallID,
		Pair: number(message.Pair), Era: string(message.Era),
		Summary: message.Summary, Bytes: message.Bytes, LatencyMs: ms(message.Latency), HTTP: message.HTTP,
		Problem: message.Problem,
	}
}

func problem(p mcp.Problem) Problem {
	return Problem{Code: p.Code, ServerID: p.ServerID, Subject: p.Subject, Message: p.Message}
}

func fieldError(f mcp.FieldError) FieldError { return FieldError(f) }

func failure(f *store.Failure) *Failure {
	if f == nil {
		return nil
	}
	return &Failure{Code: f.Code, Message: f.Message, Hint: f.Hint, ExitCode: f.ExitCode, Stderr: f.Stderr}
}

func number(n uint64) string { return strconv.FormatUint(n, 10) }

// ParseNumber reads a counter that went out as a decimal string; "" is 0.
func ParseNumber(text string) (uint64, error) {
	if text == "" {
		return 0, nil
	}
	return strconv.ParseUint(text, 10, 64)
}

func timestamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(timeLayout)
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func duration(ms int) time.Duration { return time.Duration(ms) * time.Millisecond }

func hint(b *bool) string {
	if b == nil {
		return ""
	}
	return strconv.FormatBool(*b)
}

func hostOf(text string) string {
	parsed, err := url.Parse(text)
	if err != nil {
		return "" // nothing can be said about it; the whole text is shown beside
	}
	return parsed.Host
}

// list and each never give nil: null in JSON would break a page that iterates.
func list(in []string) []string {
	if in == nil {
		return []string{}
	}
	return in
}

func each[A, B any](in []A, convert func(A) B) []B {
	out := make([]B, 0, len(in))
	for _, item := range in {
		out = append(out, convert(item))
	}
	return out
}

// Each converts a list; the result is never nil.
func Each[A, B any](in []A, convert func(A) B) []B { return each(in, convert) }

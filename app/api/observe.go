package api

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"jackfield/backend/mcp"
	"jackfield/backend/store"
)

// Diagnosis is what a doctor found out about one server.
type Diagnosis struct {
	ServerID        string    `json:"serverId"`
	Steps           []Step    `json:"steps"`
	Failed          string    `json:"failed"` // the name of the first failed step, "" if none
	Error           *Failure  `json:"error,omitempty"`
	Era             string    `json:"era"`
	ProtocolVersion string    `json:"protocolVersion"`
	Stderr          []string  `json:"stderr"`
	Problems        []Problem `json:"problems"`
	DurationMs      float64   `json:"durationMs"`
}

// Step is one step of a diagnosis.
type Step struct {
	Name       string  `json:"name"`
	Title      string  `json:"title"`
	Status     string  `json:"status"` // ok, warning, failed, skipped
	DurationMs float64 `json:"durationMs"`
	Detail     string  `json:"detail"`
	Hint       string  `json:"hint"`
}

// DiagnosisOf is a diagnosis as the page sees it.
func DiagnosisOf(d mcp.Diagnosis) Diagnosis {
	return Diagnosis{
		ServerID: d.Server.ID, Failed: d.Failed, Error: failure(d.Failure), Era: string(d.Era), ProtocolVersion: d.ProtocolVersion,
		Stderr: list(d.Stderr), Problems: each(d.Problems, problem), DurationMs: ms(d.Took),
		Steps: each(d.Steps, func(s mcp.Step) Step {
			return Step{Name: s.Name, Title: s.Title, Status: string(s.Status), DurationMs: ms(s.Took), Detail: s.Detail, Hint: s.Hint}
		}),
	}
}

// MessageDetail is one message of the trace with the HTTP exchange that carried it.
type MessageDetail struct {
	Message Message   `json:"message"`
	HTTP    *HTTPHead `json:"http,omitempty"`
}

// HTTPHead is an HTTP request and the head of its response, without secrets.
type HTTPHead struct {
	Method          string   `json:"method"`
	URL             string   `json:"url"`
	Protocol        string   `json:"protocol"`
	Status          int      `json:"status"`
	RequestHeaders  []Header `json:"requestHeaders"`
	ResponseHeaders []Header `json:"responseHeaders"`
	WaitMs          float64  `json:"waitMs"`
	Error           string   `json:"error"`
}

// Header is one line of a head.
type Header struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// MessageDetailOf is a message as a dialog shows it.
func MessageDetailOf(d mcp.TraceDetail) MessageDetail {
	out := MessageDetail{Message: MessageOf(d.Message)}
	if d.Head != nil {
		out.HTTP = headOf(*d.Head)
	}
	return out
}

func headOf(h mcp.HTTPHead) *HTTPHead {
	return &HTTPHead{
		Method: h.Method, URL: h.URL, Protocol: h.Proto, Status: h.Status, WaitMs: ms(h.Wait), Error: h.Error,
		RequestHeaders: headersOf(h.RequestHeader), ResponseHeaders: headersOf(h.ResponseHeader),
	}
}

func headersOf(header http.Header) []Header {
	lines := []Header{}
	for name, values := range header {
		for _, value := range values {
			lines = append(lines, Header{name, value})
		}
	}
	slices.SortFunc(lines, func(a, b Header) int { return strings.Compare(a.Name, b.Name) })
	return lines
}

// TraceFilterOf is the filter of the page; after is its After as a number.
func TraceFilterOf(f TraceFilter, after uint64) mcp.TraceFilter {
	return mcp.TraceFilter{
		ServerID: f.ServerID, CallID: f.CallID, Dir: mcp.Direction(f.Dir), Kind: f.Kind, Method: f.Method, Errors: f.Errors,
		Text: f.Text, After: after, Limit: f.Limit,
	}
}

// SavedCall is a call that the person keeps under a name.
type SavedCall struct {
	Name      string `json:"name"`
	ServerID  string `json:"serverId"`
	Kind      string `json:"kind"` // tool, prompt, resource
	Item      string `json:"item"` // tool name, prompt name or URI
	Arguments string `json:"arguments"`
}

// SavedCallOf is a saved call as the page sees it; SavedCallFrom the reverse.
func SavedCallOf(s store.SavedCall) SavedCall {
	return SavedCall{Name: s.Name, ServerID: s.ServerID, Kind: string(s.Kind), Item: s.Item, Arguments: string(s.Arguments)}
}

func SavedCallFrom(s SavedCall) store.SavedCall {
	saved := store.SavedCall{Name: s.Name, ServerID: s.ServerID, Kind: store.Kind(s.Kind), Item: s.Item}
	if s.Arguments != "" {
		saved.Arguments = json.RawMessage(s.Arguments)
	}
	return saved
}

// Retention bounds the history; 0 means no limit.
type Retention struct {
	Calls     int `json:"calls"` // of each server
	Days      int `json:"days"`
	Megabytes int `json:"megabytes"` // of all servers
}

const (
	day      = 24 * time.Hour
	megabyte = 1 << 20
)

// RetentionOf is what bounds the history as the page sees it; RetentionFrom the reverse. What is smaller than a day or a megabyte counts as one.
func RetentionOf(r store.Retention) Retention {
	return Retention{Calls: r.Calls, Days: int((r.Age + day - 1) / day), Megabytes: int((r.Bytes + megabyte - 1) / megabyte)}
}

func RetentionFrom(r Retention) store.Retention {
	return store.Retention{
		Calls: max(r.Calls, 0), Age: time.Duration(min(max(r.Days, 0), 36_500)) * day, Bytes: int64(min(max(r.Megabytes, 0), 1<<30)) * megabyte,
	}
}

// Trouble is something that goes wrong in the background of the program, until it works again.
type Trouble struct {
	Kind    string `json:"kind"`    // history, retention, trace
	Message string `json:"message"` // "" when it is over
	Hint    string `json:"hint"`
	Count   int    `json:"count"`
}

func troubleOf(t mcp.Trouble) Trouble {
	return Trouble{Kind: string(t.Kind), Message: t.Message, Hint: t.Hint, Count: t.Count}
}

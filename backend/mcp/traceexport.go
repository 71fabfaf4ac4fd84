package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
	"unicode/utf8"
)

// shortSecret is a length under which a value is not masked in bodies: it would tear words apart, and guards nothing.
const shortSecret = 8

// hide keeps a value of a server from being exported.
func (r *recorder) hide(serverID, secret string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hideLocked(serverID, secret)
}

func (r *recorder) hideLocked(serverID, secret string) {
	const most = 1000 // tokens change with every renewal
	known := r.secrets[serverID]
	if len(secret) < shortSecret || known[secret] || len(known) >= most {
		return
	}
	if known == nil {
		known = map[string]bool{}
		r.secrets[serverID] = known
	}
	known[secret] = true
}

// maskLocked replaces the secrets of a server in a body. raw itself is not changed.
func (r *recorder) maskLocked(serverID string, raw []byte) []byte {
	for secret := range r.secrets[serverID] {
		// Results often hold JSON as text, and that may hold some again: each time its quotes are escaped once more.
		for written, depth := []byte(secret), 0; depth < 4; depth++ {
			if bytes.Contains(raw, written) {
				raw = bytes.ReplaceAll(raw, written, []byte("***"))
			}
			escaped := inJSON(string(written))
			if bytes.Equal(escaped, written) {
				break
			}
			written = escaped
		}
	}
	return raw
}

// inJSON is a text as it stands in a JSON string.
func inJSON(text string) []byte {
	written, err := json.Marshal(text)
	if err != nil {
		return []byte(text)
	}
	return written[1 : len(written)-1]
}

// exported is the body of an entry as it may leave the program, and whether it is still there.
func (r *recorder) exported(e *traced) (body []byte, kept bool) {
	raw, err := r.read(e)
	if err != nil {
		return nil, false
	}
	r.mu.Lock()
	secrets := make(map[string]bool, len(r.secrets[e.ServerID]))
	for secret := range r.secrets[e.ServerID] {
		secrets[secret] = true
	}
	r.mu.Unlock()
	masking := recorder{secrets: map[string]map[string]bool{e.ServerID: secrets}}
	return masking.maskLocked(e.ServerID, raw), true
}

// export writes the messages that match. It holds no lock while it does.
func (r *recorder) export(w io.Writer, format TraceFormat, filter TraceFilter, creator Implementation) error {
	if filter.Limit == 0 {
		filter.Limit = -1
	}
	entries := r.matching(filter)
	switch format {
	case TraceJSONL:
		return r.exportLines(w, entries)
	case TraceHAR:
		return r.exportHAR(w, entries, creator)
	}
	return fail(CodeUsage, fmt.Sprintf("There is no trace format %q.", format), "Use jsonl or har.", nil)
}

// traceLine is one message in an export. The first four members are those that --trace writes while a command runs.
type traceLine struct {
	T         string    `json:"t"`
	Dir       Direction `json:"dir"`
	ServerID  string    `json:"serverId"`
	Raw       string    `json:"raw"`
	N         uint64    `json:"n"`
	Kind      string    `json:"kind"`
	Method    string    `json:"method,omitempty"`
	ID        string    `json:"id,omitempty"`
	CallID    string    `json:"callId,omitempty"`
	Pair      uint64    `json:"pair,omitempty"`
	Era       string    `json:"era,omitempty"`
	Bytes     int       `json:"bytes"`
	LatencyMs float64   `json:"latencyMs,omitempty"`
	Problem   string    `json:"problem,omitempty"`
	Dropped   bool      `json:"dropped,omitempty"`  // its bytes are no longer kept
	Encoding  string    `json:"encoding,omitempty"` // "base64" if the bytes are no text
	HTTP      *lineHTTP `json:"http,omitempty"`
}

type lineHTTP struct {
	Method          string      `json:"method,omitempty"`
	URL             string      `json:"url,omitempty"`
	Status          int         `json:"status"`
	RequestHeaders  http.Header `json:"requestHeaders,omitempty"`
	ResponseHeaders http.Header `json:"responseHeaders,omitempty"`
	Error           string      `json:"error,omitempty"`
}

func (r *recorder) exportLines(w io.Writer, entries []*traced) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	for _, e := range entries {
		body, kept := r.exported(e)
		line := traceLine{
			T: e.Time.UTC().Format(time.RFC3339Nano), Dir: e.Dir, ServerID: e.ServerID, N: e.N, Kind: e.Kind, Method: e.Method,
			ID: e.RPCID, CallID: e.CallID, Pair: e.Pair, Era: string(e.Era), Bytes: e.Bytes,
			LatencyMs: milliseconds(e.Latency), Problem: e.Problem, Dropped: !kept,
		}
		line.Raw, line.Encoding = textOf(body)
		if e.http != nil {
			head := e.http.Head()
			line.HTTP = &lineHTTP{head.Method, head.URL, head.Status, head.RequestHeader, head.ResponseHeader, head.Error}
		}
		if err := encoder.Encode(line); err != nil {
			return writing(err)
		}
	}
	return nil
}

// textOf is a body as JSON can hold it.
func textOf(body []byte) (text, encoding string) {
	if utf8.Valid(body) {
		return string(body), ""
	}
	encoded, err := json.Marshal(body) // base64 in quotes
	if err != nil || len(encoded) < 2 {
		return "", ""
	}
	return string(encoded[1 : len(encoded)-1]), "base64"
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func writing(err error) error {
	if typed, ok := errors.AsType[*Error](err); ok {
		return typed
	}
	return fail(CodeInternal, "The trace could not be written: "+trimError(err), "Check the place on the disk.", err)
}

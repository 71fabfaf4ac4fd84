package mcp

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"jackfield/backend/mcp/wire"
	"jackfield/backend/store"
)

// hostile is an MCP server over Streamable HTTP that behaves well except where a test puts something else in its place.
type hostile struct {
	*httptest.Server
	modern bool
	done   chan struct{} // closed when the test ends, so that hanging answers do

	mu   sync.Mutex
	on   map[string]answer // by method, by "tools/call NAME", or by GET, POST (all of them) and DELETE
	seen []heard
}

// answer writes what comes for a request. id is its raw JSON-RPC id.
type answer func(w http.ResponseWriter, r *http.Request, id string)

// heard is one request as it came.
type heard struct {
	key    string
	id     string
	header http.Header
	body   []byte
}

func newHostile(t *testing.T, modern bool, on map[string]answer) *hostile {
	t.Helper()
	f := unstarted(t, modern, on)
	f.Start()
	return f
}

func unstarted(t *testing.T, modern bool, on map[string]answer) *hostile {
	t.Helper()
	f := &hostile{modern: modern, on: on, done: make(chan struct{})}
	if f.on == nil {
		f.on = map[string]answer{}
	}
	f.Server = httptest.NewUnstartedServer(f)
	t.Cleanup(func() {
		close(f.done)
		f.CloseClientConnections()
		f.Close()
	})
	return f
}

func (f *hostile) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	key, id := r.Method, ""
	if r.Method == http.MethodPost {
		key, id = plain(wire.Get(body, "method")), string(wire.Get(body, "id"))
		if key == "tools/call" {
			key += " " + plain(wire.Get(wire.Get(body, "params"), "name"))
		}
	}
	f.mu.Lock()
	f.seen = append(f.seen, heard{key, id, r.Header.Clone(), body})
	h := f.on[key]
	if h == nil && r.Method == http.MethodPost {
		h = f.on["POST"]
	}
	f.mu.Unlock()
	if h == nil {
		h = f.good(key)
	}
	h(w, r, id)
}

func (f *hostile) good(key string) answer {
	switch {
	case key == "server/discover" && f.modern:
		return gives(`{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"hostile","version":"1"}}}`)
	case key == "initialize":
		return func(w http.ResponseWriter, r *http.Request, id string) {
			w.Header().Set("Mcp-Session-Id", "s1")
			gives(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true}},"serverInfo":{"name":"hostile","version":"1"}}`)(w, r, id)
		}
	case key == "tools/list":
		return gives(`{"tools":[{"name":"t","inputSchema":{"type":"object"}},{"name":"good","inputSchema":{"type":"object"}}]}`)
	case key == "resources/list":
		return gives(`{"resources":[]}`)
	case key == "resources/templates/list":
		return gives(`{"resourceTemplates":[]}`)
	case key == "resources/subscribe":
		return gives(`{}`)
	case key == "tools/call good":
		return gives(`{"content":[]}`)
	case key == http.MethodGet:
		return says(405, "text/plain", "no")
	case key == http.MethodDelete:
		return says(204, "", "")
	case strings.HasPrefix(key, "notifications/") || key == "":
		return says(202, "", "")
	case key == "subscriptions/listen":
		return f.hang(true)
	}
	return says(200, "application/json", `{"jsonrpc":"2.0","id":ID,"error":{"code":-32601,"message":"method not found"}}`)
}

// says answers with a status and a body in which ID stands for the id of the request.
func says(status int, kind, body string) answer {
	return func(w http.ResponseWriter, _ *http.Request, id string) {
		w.Header()["Content-Type"] = nil
		if kind != "" {
			w.Header().Set("Content-Type", kind)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, strings.ReplaceAll(body, "ID", id))
	}
}

func gives(result string) answer {
	return func(w http.ResponseWriter, _ *http.Request, id string) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
	}
}

// hang accepts a request and never answers, with or without the headers of an event stream.
func (f *hostile) hang(headers bool) answer {
	return func(w http.ResponseWriter, r *http.Request, _ string) {
		if headers {
			event(w, ": open\n\n")
		}
		select {
		case <-r.Context().Done():
		case <-f.done:
		}
	}
}

// event writes to an event stream, and the headers of one before it.
func event(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, text)
	w.(http.Flusher).Flush()
}

func (f *hostile) put(key string, h answer) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.on[key] = h
}

func (f *hostile) heard(key string) (found []heard) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, one := range f.seen {
		if one.key == key {
			found = append(found, one)
		}
	}
	return found
}

// add starts a Manager with the server, connected.
func (f *hostile) add(t *testing.T, options Options, changes ...func(*store.Server)) *Manager {
	t.Helper()
	m := start(t, options, false)
	if _, err := m.Add(t.Context(), f.entry(changes...)); err != nil {
		t.Fatal(err)
	}
	return m
}

func (f *hostile) entry(changes ...func(*store.Server)) store.Server {
	return remote(f.URL, append([]func(*store.Server){func(s *store.Server) { s.Transport = store.TransportStreamableHTTP }}, changes...)...)
}

// stillFine checks that a connection is the one that it was and that it works.
func stillFine(t *testing.T, m *Manager, generation uint64) {
	t.Helper()
	request := callT()
	request.Name = "good"
	if call, err := m.Call(t.Context(), request); err != nil || call.Outcome != store.OutcomeDone {
		t.Errorf("the next call: %+v, %v", call, err)
	}
	if status, err := m.Status("s"); err != nil || status.State != StateReady || status.Generation != generation {
		t.Errorf("state %s, generation %d, before it %d: %v", status.State, status.Generation, generation, err)
	}
}

// inTrace says whether some bytes are in the trace of the server as they came.
func inTrace(m *Manager, raw string) bool {
	return len(m.Trace(TraceFilter{ServerID: "s", Text: raw})) > 0
}

func failureOf(err error) *Error {
	failure, _ := errors.AsType[*Error](err)
	return failure
}

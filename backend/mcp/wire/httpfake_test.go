package wire

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// fakeHTTP is an MCP server over Streamable HTTP that behaves well except where a test puts something else in its place.
type fakeHTTP struct {
	*httptest.Server
	modern  bool
	session string // given out by initialize, "" for none

	mu       sync.Mutex
	handlers map[string]handler // by method, by "tools/call NAME", or GET and DELETE
	seen     []seenRequest
	done     chan struct{} // closed when the test ends, so that hanging handlers do
}

type seenRequest struct {
	key    string
	header http.Header
	body   string
	id     string // raw JSON-RPC id
}

type handler func(w http.ResponseWriter, r *http.Request, id string)

func newFakeHTTP(t testing.TB, modern bool) *fakeHTTP {
	t.Helper()
	f := &fakeHTTP{modern: modern, handlers: map[string]handler{}, done: make(chan struct{})}
	if !modern {
		f.session = "s1"
	}
	f.Server = httptest.NewServer(f)
	t.Cleanup(func() {
		close(f.done)
		f.CloseClientConnections()
		f.Close()
	})
	return f
}

func (f *fakeHTTP) on(key string, h handler) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.handlers[key] = h
}

// forget drops what was seen so far.
func (f *fakeHTTP) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen = nil
}

func (f *fakeHTTP) requests(key string) (found []seenRequest) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, one := range f.seen {
		if one.key == key {
			found = append(found, one)
		}
	}
	return found
}

func (f *fakeHTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	key, id := r.Method, ""
	body, _ := io.ReadAll(r.Body)
	if r.Method == http.MethodPost {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct{ Name string }
		}
		if err := json.Unmarshal(body, &m); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		key, id = m.Method, string(m.ID)
		if m.Method == "tools/call" {
			key += " " + m.Params.Name
		}
	}
	f.mu.Lock()
	f.seen = append(f.seen, seenRequest{key, r.Header.Clone(), string(body), id})
	h := f.handlers[key]
	f.mu.Unlock()
	if h == nil {
		h = f.good(key)
	}
	h(w, r, id)
}

func (f *fakeHTTP) good(key string) handler {
	switch {
	case key == "server/discover" && f.modern:
		return result(`{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"fake","version":"1"}}}`)
	case key == "initialize":
		return func(w http.ResponseWriter, r *http.Request, id string) {
			if f.session != "" {
				w.Header().Set("Mcp-Session-Id", f.session)
			}
			result(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"fake","version":"1"}}`)(w, r, id)
		}
	case key == "tools/list":
		return result(`{"tools":[{"name":"good","inputSchema":{"type":"object"}}]}`)
	case key == "tools/call good":
		return result(`{"content":[{"type":"text","text":"fine"}]}`)
	case key == http.MethodGet:
		return status(http.StatusMethodNotAllowed, "text/plain", "no")
	case key == http.MethodDelete:
		return status(http.StatusOK, "", "")
	case key == "" || strings.HasPrefix(key, "notifications/"):
		return status(http.StatusAccepted, "", "")
	}
	return func(w http.ResponseWriter, _ *http.Request, id string) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`, id)
	}
}

// result answers with a JSON body.
func result(json string) handler {
	return func(w http.ResponseWriter, _ *http.Request, id string) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, json)
	}
}

// status answers with a fixed body, in which ID stands for the id of the request.
func status(code int, contentType, body string) handler {
	return func(w http.ResponseWriter, _ *http.Request, id string) {
		w.Header()["Content-Type"] = nil
		if contentType != "" {
			w.Header().Set("Content-Type", contentType)
		}
		w.WriteHeader(code)
		_, _ = io.WriteString(w, strings.ReplaceAll(body, "ID", id))
	}
}

// hang sends the headers of an event stream, or nothing at all, and then is silent.
func (f *fakeHTTP) hang(headers bool) handler {
	return func(w http.ResponseWriter, r *http.Request, _ string) {
		if headers {
			w.Header().Set("Content-Type", "text/event-stream")
			w.(http.Flusher).Flush()
		}
		select {
		case <-r.Context().Done():
		case <-f.done:
		}
	}
}

// reset breaks the connection after writing some bytes of an answer.
func reset(contentType, some string) handler {
	return func(w http.ResponseWriter, _ *http.Request, id string) {
		if some != "" {
			w.Header().Set("Content-Type", contentType)
			_, _ = io.WriteString(w, strings.ReplaceAll(some, "ID", id))
			w.(http.Flusher).Flush()
		}
		panic(http.ErrAbortHandler)
	}
}

// plug is a connected client.
type plug struct {
	*sdk.ClientSession
	wire    *Wire
	journal *journal
	ctx     context.Context
}

// connect connects a client; it is closed when the test ends.
func connect(t *testing.T, url string, config Config, options *sdk.ClientOptions) (*plug, error) {
	t.Helper()
	p := &plug{journal: &journal{}, ctx: withTimeout(t)}
	renewed, reopened := config.Observer.Renewed, config.Observer.Reopened
	config.Observer = p.journal.observer()
	config.Observer.Renewed, config.Observer.Reopened = renewed, reopened
	p.wire = New(config)
	t.Cleanup(func() {
		if err := p.wire.Close(); err != nil {
			t.Error(err)
		}
	})
	if options == nil {
		options = &sdk.ClientOptions{Capabilities: &sdk.ClientCapabilities{}}
	}
	session, err := sdk.NewClient(&sdk.Implementation{Name: "wire-test", Version: "1"}, options).Connect(p.ctx, p.wire.StreamableHTTP(Endpoint{URL: url}), nil)
	if err != nil {
		return p, err
	}
	p.ClientSession = session
	t.Cleanup(func() { _ = session.Close() })
	return p, nil
}

func mustConnect(t *testing.T, url string, config Config, options *sdk.ClientOptions) *plug {
	t.Helper()
	p, err := connect(t, url, config, options)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// call calls a tool the way the Manager does.
func (p *plug) call(name string) (*Call, error) {
	call := &Call{ID: name, Placeholder: true}
	_, err := p.CallTool(WithCall(p.ctx, call), &sdk.CallToolParams{Name: name})
	return call, err
}

package wire

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// forgetful is a server that can lose its session.
type forgetful struct {
	*fakeHTTP
	mu     sync.Mutex
	valid  string
	opened int
	refuse handler // for a session that is not valid
}

func newForgetful(t *testing.T, refuse handler) *forgetful {
	f := &forgetful{fakeHTTP: newFakeHTTP(t, false), refuse: refuse}
	f.on("initialize", func(w http.ResponseWriter, r *http.Request, id string) {
		f.mu.Lock()
		f.opened++
		f.valid = fmt.Sprintf("s%d", f.opened)
		w.Header().Set("Mcp-Session-Id", f.valid)
		f.mu.Unlock()
		result(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"fake","version":"1"}}`)(w, r, id)
	})
	for _, key := range []string{"tools/call good", "tools/list", "notifications/initialized", "DELETE"} {
		f.on(key, f.guard(f.good(key)))
	}
	f.on("GET", f.guard(f.hang(true)))
	return f
}

// guard lets only requests of the valid session pass.
func (f *forgetful) guard(h handler) handler {
	return func(w http.ResponseWriter, r *http.Request, id string) {
		f.mu.Lock()
		ok := r.Header.Get("Mcp-Session-Id") == f.valid
		f.mu.Unlock()
		if !ok {
			f.refuse(w, r, id)
			return
		}
		h(w, r, id)
	}
}

func (f *forgetful) lose() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.valid = "none"
}

func TestLostSessionIsRenewed(t *testing.T) {
	for name, refuse := range map[string]handler{
		"404 text":             status(404, "text/plain", "no"),
		"404 empty":            status(404, "", ""),
		"404 with -32001":      status(404, "application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"gone"}}`),
		"404 with a string id": status(404, "application/json", `{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Session not found"}}`),
	} {
		t.Run(name, func(t *testing.T) {
			f := newForgetful(t, refuse)
			c := &watcher{}
			p := mustConnect(t, f.URL, c.config(), c.options())
			eventually(t, func() bool { return len(f.requests("GET")) == 1 })
			f.lose()
			call, err := p.call("good")
			if err != nil || !strings.Contains(string(call.Result()), "fine") {
				t.Fatalf("%v, %q", err, call.Result())
			}
			if c.renewed.Load() != 1 {
				t.Errorf("renewed %d times", c.renewed.Load())
			}
			// Nothing of the old session is left: the stream moves over, and what it may have missed is fetched.
			eventually(t, func() bool { return c.gaps.Load() == 1 && c.changes.Load() == 1 })
			gets := f.requests("GET")
			if got := gets[len(gets)-1].header.Get("Mcp-Session-Id"); got != "s2" {
				t.Errorf("the stream is of session %q", got)
			}
			if got := f.requests("notifications/initialized")[1].header.Get("Mcp-Protocol-Version"); got != "2025-11-25" {
				t.Errorf("version header %q", got)
			}
			if _, err := p.ListTools(p.ctx, nil); err != nil {
				t.Error(err)
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
			if got := f.requests("DELETE")[0].header.Get("Mcp-Session-Id"); got != "s2" {
				t.Errorf("session %q was deleted", got)
			}
		})
	}
}

// Everybody who meets the loss gets the one new session.
func TestLostSessionIsRenewedOnce(t *testing.T) {
	f := newForgetful(t, status(404, "text/plain", "no"))
	c := &watcher{}
	p := mustConnect(t, f.URL, c.config(), c.options())
	f.lose()
	var work sync.WaitGroup
	for range 20 {
		work.Go(func() {
			if _, err := p.call("good"); err != nil {
				t.Error(err)
			}
		})
	}
	work.Wait()
	if n := len(f.requests("initialize")); n != 2 {
		t.Errorf("initialize was sent %d times", n)
	}
}

// A 400 that speaks of a session is a guess; it is good enough for a list and not for a tool.
func TestSessionLostByGuess(t *testing.T) {
	f := newForgetful(t, status(400, "application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: No valid session ID provided"}}`))
	c := &watcher{}
	p := mustConnect(t, f.URL, c.config(), c.options())
	f.lose()
	call, err := p.call("good")
	if err == nil {
		t.Errorf("the tool call was repeated: %q", call.Result())
	}
	if n := len(f.requests("tools/call good")); n != 1 {
		t.Errorf("the tool call was sent %d times", n)
	}
	if _, err := p.call("good"); err != nil {
		t.Errorf("the call after it: %v", err)
	}
	f.lose()
	if _, err := p.ListTools(p.ctx, nil); err != nil {
		t.Errorf("the list was not repeated: %v", err)
	}
	if c.renewed.Load() != 2 {
		t.Errorf("renewed %d times", c.renewed.Load())
	}
}

// The stream notices a lost session before any call does.
func TestStreamNoticesTheLostSession(t *testing.T) {
	f := newForgetful(t, status(400, "text/plain", "Invalid session"))
	c := &watcher{}
	p := mustConnect(t, f.URL, c.config(), c.options())
	eventually(t, func() bool { return len(f.requests("GET")) == 1 })
	f.lose()
	f.CloseClientConnections()
	eventually(t, func() bool { return c.renewed.Load() == 1 && c.gaps.Load() == 1 })
	if _, err := p.call("good"); err != nil {
		t.Error(err)
	}
}

// What cannot be renewed ends the connection with its reason, so that a real reconnect follows.
func TestSessionThatCannotBeRenewed(t *testing.T) {
	for name, again := range map[string]handler{
		"initialize is refused":    status(404, "text/plain", "no"),
		"initialize wants sign-in": challenge(401, "Bearer"),
		"initialize is an error":   status(200, "application/json", `{"jsonrpc":"2.0","id":ID,"error":{"code":-32000,"message":"no"}}`),
		"initialize is html":       status(200, "text/html", "<p>"),
		"another version":          result(`{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"fake","version":"1"}}`),
		"other capabilities":       result(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"prompts":{}},"serverInfo":{"name":"fake","version":"1"}}`),
		"the new one is refused":   result(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"fake","version":"1"}}`),
	} {
		t.Run(name, func(t *testing.T) {
			f := newForgetful(t, status(404, "text/plain", "no"))
			p := mustConnect(t, f.URL, Config{}, nil)
			f.lose()
			f.on("initialize", again)
			_, err := p.call("good")
			var auth *AuthRequired
			if !errors.Is(err, ErrSessionLost) && !errors.As(err, &auth) {
				t.Errorf("got %v", err)
			}
			ended := make(chan error, 1)
			go func() { ended <- p.Wait() }()
			select {
			case <-ended:
			case <-p.ctx.Done():
				t.Error("the session did not end")
			}
			if cause := p.wire.Cause(); !errors.Is(cause, ErrSessionLost) && !errors.As(cause, &auth) {
				t.Errorf("cause %v", cause)
			}
			if n := len(f.requests("initialize")); n != 2 {
				t.Errorf("initialize was sent %d times", n)
			}
		})
	}
}

// While the server is away the session is not given up.
func TestRenewalWaitsForTheServer(t *testing.T) {
	f := newForgetful(t, status(404, "text/plain", "no"))
	var n atomic.Int64
	p := mustConnect(t, f.URL, Config{}, nil)
	f.lose()
	again := f.handlers["initialize"]
	f.on("initialize", func(w http.ResponseWriter, r *http.Request, id string) {
		if n.Add(1) == 1 {
			panic(http.ErrAbortHandler)
		}
		again(w, r, id)
	})
	if _, err := p.call("good"); err == nil {
		t.Error("the call succeeded")
	}
	if _, err := p.call("good"); err != nil {
		t.Error(err)
	}
}

// The first caller's impatience does not end what the others wait for.
func TestRenewalOutlivesItsFirstCaller(t *testing.T) {
	f := newForgetful(t, status(404, "text/plain", "no"))
	p := mustConnect(t, f.URL, Config{}, nil)
	f.lose()
	again, entered, let := f.handlers["initialize"], make(chan struct{}), make(chan struct{})
	f.on("initialize", func(w http.ResponseWriter, r *http.Request, id string) {
		close(entered)
		<-let
		again(w, r, id)
	})
	ctx, cancel := context.WithCancel(p.ctx)
	first := make(chan error, 1)
	go func() {
		_, err := p.CallTool(ctx, &sdk.CallToolParams{Name: "good"})
		first <- err
	}()
	<-entered
	cancel()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	close(let)
	if _, err := p.call("good"); err != nil {
		t.Error(err)
	}
	if n := len(f.requests("initialize")); n != 2 {
		t.Errorf("initialize was sent %d times", n)
	}
}

func TestSessionLost(t *testing.T) {
	for _, test := range []struct {
		status int
		body   string
		want   bool
	}{
		{404, "", true},
		{404, "Not Found", true},
		{404, `{"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"Method not found"}}`, false},
		{404, `{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"Unknown tool"}}`, false},
		{404, `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"x"}}`, true},
		{404, `{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Session not found"}}`, true},
		{404, `{"jsonrpc":"2.0","id":3,"error":{"code":-32002,"message":"Resource not found"}}`, false},
		{404, `{"detail":"Not Found"}`, true},
		{400, `{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Bad Request: Missing session ID"}}`, true},
		{400, `{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"session_id is missing"}}`, false},
		{400, "Bad Request: No valid session ID provided", true},
		{400, "Bad Request: Server not initialized", true},
		{400, "Bad arguments", false},
		{401, "session", false},
		{500, "session", false},
	} {
		if got := sessionLost(test.status, []byte(test.body)); got != test.want {
			t.Errorf("%d %q: %v", test.status, test.body, got)
		}
	}
}

// A server that changes the id in the middle does not end the session.
func TestSessionIDThatChanges(t *testing.T) {
	f := newFakeHTTP(t, false)
	f.on("tools/call good", func(w http.ResponseWriter, r *http.Request, id string) {
		w.Header().Set("Mcp-Session-Id", "another")
		f.good("tools/call good")(w, r, id)
	})
	p := mustConnect(t, f.URL, Config{}, nil)
	for range 2 {
		if _, err := p.call("good"); err != nil {
			t.Fatal(err)
		}
	}
}

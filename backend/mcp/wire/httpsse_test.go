package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// fakeSSE is a server of the HTTP+SSE transport; what a POST gets and what the stream says can be replaced.
type fakeSSE struct {
	*httptest.Server
	endpoint string // what the endpoint event names
	before   string // what the stream says before it
	get      handler
	post     map[string]handler // by method or "tools/call NAME"

	mu     sync.Mutex
	stream http.ResponseWriter
	end    chan struct{}
}

func newFakeSSE(t *testing.T) *fakeSSE {
	f := &fakeSSE{endpoint: "/messages?id=1", post: map[string]handler{}, end: make(chan struct{})}
	f.Server = httptest.NewServer(f)
	t.Cleanup(func() {
		f.hangUp()
		f.CloseClientConnections()
		f.Close()
	})
	return f
}

func (f *fakeSSE) hangUp() {
	f.mu.Lock()
	defer f.mu.Unlock()
	select {
	case <-f.end:
	default:
		close(f.end)
	}
}

// say writes to the stream.
func (f *fakeSSE) say(text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, _ = io.WriteString(f.stream, text)
	f.stream.(http.Flusher).Flush()
}

func (f *fakeSSE) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		if f.get != nil {
			f.get(w, r, "")
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		f.mu.Lock()
		f.stream = w
		f.mu.Unlock()
		f.say(f.before + "event: endpoint\r\ndata: " + f.endpoint + "\r\n\r\n")
		select {
		case <-r.Context().Done():
		case <-f.end:
		}
		return
	}
	body, _ := io.ReadAll(r.Body)
	var m struct {
		ID     json.RawMessage
		Method string
		Params struct{ Name string }
	}
	if err := json.Unmarshal(body, &m); err != nil {
		http.Error(w, err.Error(), 400)
		return
	}
	key := m.Method
	if m.Params.Name != "" {
		key += " " + m.Params.Name
	}
	if h := f.post[key]; h != nil {
		h(w, r, string(m.ID))
		return
	}
	switch key {
	case "initialize":
		f.say(fmt.Sprintf("event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"protocolVersion\":\"2024-11-05\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"f\",\"version\":\"1\"}}}\n\n", m.ID))
	case "tools/call good":
		f.say("event: message\ndata: " + strings.ReplaceAll(fine, "ID", string(m.ID)) + "\n\n")
	}
	w.WriteHeader(http.StatusAccepted)
	_, _ = io.WriteString(w, "Accepted")
}

func connectSSE(t *testing.T, f *fakeSSE) (*plug, error) {
	t.Helper()
	p := &plug{journal: &journal{}, ctx: withTimeout(t)}
	p.wire = New(Config{Observer: p.journal.observer()})
	t.Cleanup(func() { _ = p.wire.Close() })
	// The context of Connect ends right after it, as that of the Manager does: the stream must not end with it.
	ctx, cancel := context.WithTimeout(p.ctx, 2*time.Second)
	defer cancel()
	session, err := client().Connect(ctx, p.wire.SSE(Endpoint{URL: f.URL + "/sse"}), &sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		return p, err
	}
	p.ClientSession = session
	t.Cleanup(func() { _ = session.Close() })
	return p, nil
}

func TestSSEAnswers(t *testing.T) {
	asStatus := func(want int) func(error) bool {
		return func(err error) bool {
			var e *StatusError
			return errors.As(err, &e) && e.Status == want
		}
	}
	stream := func(text string) func(*fakeSSE) handler {
		return func(f *fakeSSE) handler {
			return func(w http.ResponseWriter, _ *http.Request, id string) {
				f.say(strings.ReplaceAll(text, "ID", id))
				w.WriteHeader(http.StatusAccepted)
			}
		}
	}
	post := func(h handler) func(*fakeSSE) handler { return func(*fakeSSE) handler { return h } }
	for name, test := range map[string]struct {
		answer  func(*fakeSSE) handler
		fails   func(error) bool
		problem string
	}{
		"on the stream":        {stream("data: " + fine + "\n\n"), nil, ""},
		"with lone CR":         {stream("data: " + fine + "\r\r"), nil, ""},
		"behind noise":         {stream("event: ping\ndata: x\n\ndata:\n\ndata: hello\n\nevent: endpoint\ndata: /x\n\ndata: " + fine + "\n\n"), nil, "stream_noise"},
		"batch":                {stream("data: [" + fine + "]\n\n"), nil, "batch"},
		"in the POST":          {post(status(200, "application/json", fine)), nil, ""},
		"in the POST, refused": {post(status(400, "application/json", `{"jsonrpc":"2.0","id":ID,"error":{"code":-32602,"message":"bad"}}`)), func(err error) bool { return err != nil }, ""},
		"400":                  {post(status(400, "text/plain", "bad")), asStatus(400), ""},
		"404":                  {post(status(404, "text/plain", "gone")), asStatus(404), ""},
		"413":                  {post(status(413, "text/html", "<p>")), asStatus(413), ""},
		"500":                  {post(status(500, "text/plain", "oops")), asStatus(500), ""},
		"401":                  {post(challenge(401, "Bearer")), func(err error) bool { var e *AuthRequired; return errors.As(err, &e) }, ""},
		"reset":                {post(reset("", "")), func(err error) bool { return errors.Is(err, ErrLost) }, ""},
		"moved":                {post(redirect(302, "/x")), func(err error) bool { return asRedirect("/x")(err) == nil }, ""},
		"answered by both means": {func(f *fakeSSE) handler {
			return func(w http.ResponseWriter, r *http.Request, id string) {
				f.say("data: " + strings.ReplaceAll(fine, "ID", id) + "\n\n")
				time.Sleep(20 * time.Millisecond)
				status(200, "application/json", fine)(w, r, id)
			}
		}, nil, "id_doubled"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFakeSSE(t)
			p, err := connectSSE(t, f)
			if err != nil {
				t.Fatal(err)
			}
			f.post["tools/call bad"] = test.answer(f)
			call, err := p.call("bad")
			switch {
			case test.fails == nil && (err != nil || !strings.Contains(string(call.Result()), "fine")):
				t.Errorf("%v, %q", err, call.Result())
			case test.fails != nil && (err == nil || !test.fails(errors.Join(err, call.Err()))):
				t.Errorf("got %v / %v", err, call.Err())
			}
			if test.problem != "" {
				eventually(t, func() bool { return slices.Contains(p.journal.codes(), test.problem) })
			} else if codes := p.journal.codes(); len(codes) > 0 {
				t.Errorf("problems %q", codes)
			}
			if call, err := p.call("good"); err != nil || !strings.Contains(string(call.Result()), "fine") {
				t.Errorf("the session did not live on: %v, %q", err, call.Result())
			}
		})
	}
}

// Raw results go to the call that they answer, although all come on one stream.
func TestSSEKeepsCallsApart(t *testing.T) {
	f := newFakeSSE(t)
	p, err := connectSSE(t, f)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		f.post[fmt.Sprintf("tools/call n%d", i)] = func(w http.ResponseWriter, _ *http.Request, id string) {
			f.say(fmt.Sprintf("data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"content\":[],\"n\":%d}}\n\n", id, i))
			w.WriteHeader(http.StatusAccepted)
		}
	}
	var work sync.WaitGroup
	for i := range 20 {
		work.Go(func() {
			call, err := p.call(fmt.Sprintf("n%d", i))
			if want := fmt.Sprintf(`{"content":[],"n":%d}`, i); err != nil || string(call.Result()) != want {
				t.Errorf("%v, %s, want %s", err, call.Result(), want)
			}
		})
	}
	work.Wait()
}

// The end of the stream is the end of the session, and what waited is lost.
func TestSSEStreamEnds(t *testing.T) {
	f := newFakeSSE(t)
	f.post["tools/call slow"] = func(w http.ResponseWriter, _ *http.Request, _ string) {
		w.WriteHeader(http.StatusAccepted)
		f.hangUp()
	}
	p, err := connectSSE(t, f)
	if err != nil {
		t.Fatal(err)
	}
	call, err := p.call("slow")
	if err == nil || !errors.Is(call.Err(), ErrLost) {
		t.Errorf("%v, %v", err, call.Err())
	}
	ended := make(chan struct{})
	go func() { _ = p.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-p.ctx.Done():
		t.Error("the session did not end")
	}
	if p.wire.Cause() == nil {
		t.Error("no cause")
	}
}

func TestSSEConnect(t *testing.T) {
	statusIs := func(want int) func(error) bool {
		return func(err error) bool {
			var e *StatusError
			return errors.As(err, &e) && e.Status == want
		}
	}
	for name, test := range map[string]struct {
		set func(*fakeSSE)
		is  func(error) bool // nil: it connects
	}{
		"relative address":  {func(f *fakeSSE) { f.endpoint = "messages" }, nil},
		"absolute address":  {func(f *fakeSSE) { f.endpoint = f.URL + "/m" }, nil},
		"noise before it":   {func(f *fakeSSE) { f.before = ": hi\n\nevent: ping\ndata: 1\n\n" }, nil},
		"another origin":    {func(f *fakeSSE) { f.endpoint = "https://evil.example/m" }, isRefusal},
		"another port":      {func(f *fakeSSE) { f.endpoint = "http://127.0.0.1:1/m" }, isRefusal},
		"no web address":    {func(f *fakeSSE) { f.endpoint = "file:///etc/passwd" }, isRefusal},
		"404":               {func(f *fakeSSE) { f.get = status(404, "text/plain", "no") }, statusIs(404)},
		"405":               {func(f *fakeSSE) { f.get = status(405, "text/plain", "no") }, statusIs(405)},
		"500":               {func(f *fakeSSE) { f.get = status(500, "text/plain", "no") }, statusIs(500)},
		"html":              {func(f *fakeSSE) { f.get = status(200, "text/html", "<p>") }, statusIs(200)},
		"401":               {func(f *fakeSSE) { f.get = challenge(401, "Bearer") }, func(err error) bool { var e *AuthRequired; return errors.As(err, &e) }},
		"ends before it":    {func(f *fakeSSE) { f.get = status(200, "text/event-stream", ": hi\n\n") }, func(err error) bool { return errors.Is(err, io.EOF) }},
		"initialize is 401": {func(f *fakeSSE) { f.post["initialize"] = challenge(401, "Bearer") }, func(err error) bool { var e *AuthRequired; return errors.As(err, &e) }},
		"initialize is 500": {func(f *fakeSSE) { f.post["initialize"] = status(500, "text/plain", "no") }, statusIs(500)},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFakeSSE(t)
			test.set(f)
			p, err := connectSSE(t, f)
			switch {
			case test.is == nil && err != nil:
				t.Fatal(err)
			case test.is == nil:
				if _, err := p.call("good"); err != nil {
					t.Error(err)
				}
			case err == nil || !test.is(err):
				t.Errorf("got %v", err)
			case !test.is(p.wire.Cause()):
				t.Errorf("cause %v", p.wire.Cause())
			}
		})
	}
}

// A server that names no address, or sends no headers, holds Connect no longer than its context.
func TestSSEConnectEndsWithItsContext(t *testing.T) {
	for _, headers := range []bool{false, true} {
		f := newFakeSSE(t)
		f.get = func(w http.ResponseWriter, r *http.Request, _ string) {
			if headers {
				writeEvent(w, ": hi\n\n")
			}
			select {
			case <-r.Context().Done():
			case <-f.end:
			}
		}
		w := New(Config{})
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		start := time.Now()
		_, err := client().Connect(ctx, w.SSE(Endpoint{URL: f.URL}), &sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > time.Second {
			t.Errorf("headers %v: %v after %v", headers, err, time.Since(start))
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
}

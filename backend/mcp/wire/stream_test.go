package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const toolsChanged = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`

// watcher counts list changes and re-opened streams.
type watcher struct {
	changes, reopened, gaps, renewed atomic.Int64
}

func (c *watcher) options() *sdk.ClientOptions {
	return &sdk.ClientOptions{
		Capabilities:           &sdk.ClientCapabilities{},
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { c.changes.Add(1) },
	}
}

func (c *watcher) config() Config {
	return Config{Observer: Observer{
		Renewed: func() { c.renewed.Add(1) },
		Reopened: func(gap bool) {
			c.reopened.Add(1)
			if gap {
				c.gaps.Add(1)
			}
		},
	}}
}

func writeEvent(w http.ResponseWriter, event string) {
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = fmt.Fprint(w, event)
	w.(http.Flusher).Flush()
}

// A stream that is dropped at once, again and again, with events on each: go-sdk alone loses the session after six.
func TestDroppedStreamIsOpenedAgain(t *testing.T) {
	for name, modern := range map[string]bool{"GET": false, "subscriptions/listen": true} {
		t.Run(name, func(t *testing.T) {
			f := newFakeHTTP(t, modern)
			f.on(name, func(w http.ResponseWriter, _ *http.Request, id string) {
				writeEvent(w, "retry: 10\n\ndata: "+toolsChanged+"\n\n")
			})
			c := &watcher{}
			p := mustConnect(t, f.URL, c.config(), c.options())
			eventually(t, func() bool { return c.changes.Load() >= 12 && c.reopened.Load() >= 10 })
			if _, err := p.call("good"); err != nil {
				t.Errorf("the session did not live on: %v", err)
			}
			ids := map[string]bool{}
			for _, one := range f.requests(name) {
				if modern && ids[one.id] {
					t.Errorf("the id %s was used twice", one.id)
				}
				ids[one.id] = true
			}
		})
	}
}

// With event ids the stream resumes: the position is sent, and nothing is taken for a gap.
func TestStreamResumesBehindTheLastEvent(t *testing.T) {
	f := newFakeHTTP(t, false)
	var n atomic.Int64
	f.on("GET", func(w http.ResponseWriter, r *http.Request, _ string) {
		i := n.Add(1)
		if want := fmt.Sprintf("e%d", i-1); i > 1 && r.Header.Get("Last-Event-ID") != want {
			t.Errorf("Last-Event-ID %q, want %q", r.Header.Get("Last-Event-ID"), want)
		}
		writeEvent(w, fmt.Sprintf("retry: 10\nid: e%d\ndata: %s\n\n", i, toolsChanged))
	})
	c := &watcher{}
	mustConnect(t, f.URL, c.config(), c.options())
	eventually(t, func() bool { return c.reopened.Load() >= 5 })
	if c.gaps.Load() != 0 {
		t.Errorf("%d gaps", c.gaps.Load())
	}
}

// A change that falls into a gap would be lost: the lists count as changed after it.
func TestGapCountsAsChange(t *testing.T) {
	for name, modern := range map[string]bool{"GET": false, "subscriptions/listen": true} {
		t.Run(name, func(t *testing.T) {
			f := newFakeHTTP(t, modern)
			var n atomic.Int64
			f.on(name, func(w http.ResponseWriter, r *http.Request, id string) {
				writeEvent(w, "retry: 10\n\n")
				if n.Add(1) > 1 {
					f.hang(true)(w, r, id)
				}
			})
			c := &watcher{}
			mustConnect(t, f.URL, c.config(), c.options())
			eventually(t, func() bool { return c.gaps.Load() == 1 && c.changes.Load() == 1 })
		})
	}
}

// A server without a stream is left in peace, and only an unusual way of saying so is a problem.
func TestNoStreamIsOffered(t *testing.T) {
	for name, test := range map[string]struct {
		answer  handler
		problem bool
	}{
		"405":              {status(405, "text/plain", "no"), false},
		"405 event stream": {status(405, "text/event-stream", ""), false},
		"401":              {status(401, "text/plain", "no"), true},
		"403":              {status(403, "text/plain", "no"), true},
		"404":              {status(404, "text/plain", "no"), true},
		"400":              {status(400, "application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: Session required"}}`), true},
		"500":              {status(500, "text/plain", "no"), true},
		"500 event stream": {status(500, "text/event-stream", "data: x\n\n"), true},
		"html":             {status(200, "text/html", "<p>hi"), true},
		"202":              {status(202, "", ""), true},
		"redirect":         {redirect(302, "https://example.com/login"), true},
	} {
		for stream, modern := range map[string]bool{"GET": false, "subscriptions/listen": true} {
			t.Run(name+", "+stream, func(t *testing.T) {
				f := newFakeHTTP(t, modern)
				f.on(stream, test.answer)
				p := mustConnect(t, f.URL, Config{}, (&watcher{}).options())
				eventually(t, func() bool {
					return len(f.requests(stream)) == 1 && slices.Contains(p.journal.codes(), "no_stream") == test.problem
				})
				time.Sleep(50 * time.Millisecond)
				if n := len(f.requests(stream)); n != 1 {
					t.Errorf("asked %d times", n)
				}
				if codes := p.journal.codes(); !test.problem && len(codes) > 0 {
					t.Errorf("problems %q", codes)
				}
				if _, err := p.call("good"); err != nil {
					t.Errorf("the session did not live on: %v", err)
				}
			})
		}
	}
}

// Trouble of the moment is not a refusal.
func TestStreamIsTriedAgainAfterTrouble(t *testing.T) {
	for name, trouble := range map[string]handler{"503": status(503, "text/event-stream", ""), "429": status(429, "", ""), "reset": reset("", "")} {
		t.Run(name, func(t *testing.T) {
			f := newFakeHTTP(t, false)
			var n atomic.Int64
			f.on("GET", func(w http.ResponseWriter, r *http.Request, id string) {
				if n.Add(1) == 1 {
					trouble(w, r, id)
					return
				}
				writeEvent(w, "data: "+toolsChanged+"\n\n")
				f.hang(true)(w, r, id)
			})
			c := &watcher{}
			mustConnect(t, f.URL, c.config(), c.options())
			eventually(t, func() bool { return c.changes.Load() == 1 })
		})
	}
}

// The answer to subscriptions/listen is its graceful end; the stream is opened again.
func TestListenIsOpenedAgainAfterItsAnswer(t *testing.T) {
	f := newFakeHTTP(t, true)
	f.on("subscriptions/listen", func(w http.ResponseWriter, r *http.Request, id string) {
		writeEvent(w, fmt.Sprintf("retry: 10\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{}}\n\n", id))
	})
	c := &watcher{}
	p := mustConnect(t, f.URL, c.config(), c.options())
	eventually(t, func() bool { return c.reopened.Load() >= 3 })
	if _, err := p.call("good"); err != nil {
		t.Error(err)
	}
	if codes := p.journal.codes(); len(codes) > 0 {
		t.Errorf("problems %q", codes)
	}
}

// The gap of a resource subscription counts as an update of that resource.
func TestGapCountsAsUpdate(t *testing.T) {
	f := newFakeHTTP(t, true)
	var n atomic.Int64
	f.on("subscriptions/listen", func(w http.ResponseWriter, r *http.Request, id string) {
		writeEvent(w, "retry: 10\n\n")
		if n.Add(1) > 1 {
			f.hang(true)(w, r, id)
		}
	})
	updated := make(chan string, 1)
	p := mustConnect(t, f.URL, Config{}, &sdk.ClientOptions{
		Capabilities:           &sdk.ClientCapabilities{},
		ResourceUpdatedHandler: func(_ context.Context, r *sdk.ResourceUpdatedNotificationRequest) { updated <- r.Params.URI },
	})
	if err := p.Subscribe(p.ctx, &sdk.SubscribeParams{URI: `file:///a"b`}); err != nil {
		t.Fatal(err)
	}
	select {
	case uri := <-updated:
		if uri != `file:///a"b` {
			t.Errorf("updated %q", uri)
		}
	case <-p.ctx.Done():
		t.Error("no update")
	}
}

// A response stream that breaks resumes with a GET, and the call runs once (2025-11-25, SEP-1699).
func TestBrokenAnswerResumes(t *testing.T) {
	progress := func(i int) string {
		return fmt.Sprintf("id: p%d\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":\"t\",\"progress\":%d}}\n\n", i, i)
	}
	for name, end := range map[string]func(){
		"the stream ends":  func() {},
		"the stream broke": func() { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFakeHTTP(t, false)
			f.on("tools/call slow", func(w http.ResponseWriter, _ *http.Request, id string) {
				f.on("GET", func(w http.ResponseWriter, r *http.Request, _ string) {
					switch position := r.Header.Get("Last-Event-ID"); position {
					case "":
						status(405, "", "")(w, r, "")
					case "p1":
						// 503 in between is not the end.
						f.mu.Lock()
						first := !slices.ContainsFunc(f.seen[:len(f.seen)-1], func(s seenRequest) bool { return s.header.Get("Last-Event-Id") == "p1" })
						f.mu.Unlock()
						if first {
							status(503, "text/plain", "wait")(w, r, "")
							return
						}
						writeEvent(w, progress(2))
					case "p2":
						writeEvent(w, "") // nothing yet
						writeEvent(w, "id: p3\ndata:\n\n")
					case "p3":
						writeEvent(w, "id: p4\ndata: "+strings.ReplaceAll(fine, "ID", id)+"\n\n")
					default:
						t.Errorf("Last-Event-ID %q", position)
					}
					if r.Header.Get("Mcp-Session-Id") != "s1" {
						t.Errorf("session %q", r.Header.Get("Mcp-Session-Id"))
					}
				})
				writeEvent(w, "retry: 10\nid: p0\ndata: \n\n"+progress(1))
				end()
			})
			var seen atomic.Int64
			p := mustConnect(t, f.URL, Config{}, &sdk.ClientOptions{
				Capabilities:                &sdk.ClientCapabilities{},
				ProgressNotificationHandler: func(context.Context, *sdk.ProgressNotificationClientRequest) { seen.Add(1) },
			})
			call, err := p.call("slow")
			if err != nil || !strings.Contains(string(call.Result()), "fine") {
				t.Errorf("%v, %q", err, call.Result())
			}
			eventually(t, func() bool { return seen.Load() == 2 })
			if n := len(f.requests("tools/call slow")); n != 1 {
				t.Errorf("the tool ran %d times", n)
			}
		})
	}
}

// When it cannot be resumed the answer is lost, which is said and not mended by calling again.
func TestLostAnswer(t *testing.T) {
	for name, test := range map[string]struct {
		modern bool
		get    handler
	}{
		"nothing to resume":     {false, status(405, "", "")},
		"gone":                  {false, status(404, "", "")},
		"resumed as html":       {false, status(200, "text/html", "<p>")},
		"no resumption, modern": {true, nil},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFakeHTTP(t, test.modern)
			if test.get != nil {
				f.on("GET", test.get)
			}
			f.on("tools/call slow", status(200, "text/event-stream", "retry: 10\nid: p0\ndata:\n\n"))
			p := mustConnect(t, f.URL, Config{}, nil)
			call, err := p.call("slow")
			if err == nil || !errors.Is(call.Err(), ErrLost) {
				t.Errorf("%v, %v", err, call.Err())
			}
			if n := len(f.requests("tools/call slow")); n != 1 {
				t.Errorf("the tool ran %d times", n)
			}
			if _, err := p.call("good"); err != nil {
				t.Errorf("the session did not live on: %v", err)
			}
		})
	}
}

// A comment is a sign of life of the call on whose stream it comes.
func TestCommentsAreLife(t *testing.T) {
	f := newFakeHTTP(t, false)
	f.on("tools/call slow", func(w http.ResponseWriter, _ *http.Request, id string) {
		for range 5 {
			writeEvent(w, ": keepalive\n\n")
			time.Sleep(10 * time.Millisecond)
		}
		writeEvent(w, "data: "+strings.ReplaceAll(fine, "ID", id)+"\n\n")
	})
	p := mustConnect(t, f.URL, Config{}, nil)
	call := &Call{ID: "1"}
	var n atomic.Int64
	call.OnLife(func() { n.Add(1) })
	if _, err := p.CallTool(WithCall(p.ctx, call), &sdk.CallToolParams{Name: "slow"}); err != nil {
		t.Fatal(err)
	}
	if n.Load() < 5 {
		t.Errorf("%d signs of life", n.Load())
	}
}

// Wire.Close ends what go-sdk left open.
func TestCloseEndsEverything(t *testing.T) {
	f := newFakeHTTP(t, false)
	f.on("GET", f.hang(true))
	f.on("tools/call json", f.hang(false))
	f.on("tools/call stream", f.hang(true))
	p := mustConnect(t, f.URL, Config{}, nil)
	failed := make(chan error, 2)
	for _, name := range []string{"json", "stream"} {
		go func() {
			_, err := p.call(name)
			failed <- err
		}()
	}
	eventually(t, func() bool { return len(f.requests("tools/call json"))+len(f.requests("tools/call stream")) == 2 })
	start := time.Now()
	if err := p.wire.Close(); err != nil {
		t.Error(err)
	}
	for range 2 {
		if err := <-failed; err == nil {
			t.Error("a call without an answer succeeded")
		}
	}
	if took := time.Since(start); took > time.Second {
		t.Errorf("closing took %v", took)
	}
	if err := p.wire.Close(); err != nil {
		t.Errorf("closing twice: %v", err)
	}
}

func TestBackoff(t *testing.T) {
	for failures, most := range []time.Duration{1, 2, 4, 8, 16, 30, 30, 30} {
		most *= time.Second
		for range 100 {
			if got := backoff(failures, 0); got < most/2 || got > most {
				t.Fatalf("after %d failures %v, want within %v and %v", failures, got, most/2, most)
			}
		}
	}
	if got := backoff(7, 5*time.Second); got != 5*time.Second {
		t.Errorf("retry does not win: %v", got)
	}
	// A retry of 10 ms is no licence to ask a hundred times a second for ever.
	for failures, want := range map[int]time.Duration{20: 10 * time.Millisecond, 21: 20 * time.Millisecond, 30: 10240 * time.Millisecond, 1000: 30 * time.Second} {
		if got := backoff(failures, 10*time.Millisecond); got != want {
			t.Errorf("after %d failures %v, want %v", failures, got, want)
		}
	}
	if got := backoff(1000, 5*time.Minute); got != 5*time.Minute {
		t.Errorf("a longer retry does not win: %v", got)
	}
	for field, want := range map[string]time.Duration{"": time.Minute, "x": time.Minute, "-5": time.Minute, "0": 10 * time.Millisecond, "1500": 1500 * time.Millisecond, "999999999": 10 * time.Minute} {
		if got := parseRetry(field, time.Minute); got != want {
			t.Errorf("retry %q: %v, want %v", field, got, want)
		}
	}
}

func TestWithIDKeepsTheMessage(t *testing.T) {
	got, err := withID([]byte(`{"jsonrpc":"2.0","id":2,"method":"m","params":{"n":12345678901234567890}}`), "2-again-1")
	if err != nil {
		t.Fatal(err)
	}
	var m struct {
		ID     string
		Params json.RawMessage
	}
	if err := json.Unmarshal(got, &m); err != nil || m.ID != "2-again-1" || string(m.Params) != `{"n":12345678901234567890}` {
		t.Errorf("%s, %v", got, err)
	}
}

// What a server says on the stream when it hears notifications/initialized is not missed.
func TestStreamIsOpenBeforeInitialized(t *testing.T) {
	f := newFakeHTTP(t, false)
	open := make(chan struct{})
	f.on("GET", func(w http.ResponseWriter, r *http.Request, id string) {
		time.Sleep(20 * time.Millisecond)
		close(open)
		f.hang(true)(w, r, id)
	})
	f.on("notifications/initialized", func(w http.ResponseWriter, r *http.Request, id string) {
		select {
		case <-open:
		default:
			t.Error("the stream was not open")
		}
		status(202, "", "")(w, r, id)
	})
	mustConnect(t, f.URL, Config{}, nil)
}

//go:build soak

package soak

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"jackfield/backend/mcp"
	"jackfield/backend/store"
)

// proxy passes bytes between a client and a server and cuts connections at random offsets, in either direction.
type proxy struct {
	listener net.Listener
	target   string
	whole    atomic.Bool // cut nothing
	cuts     atomic.Int64
	work     sync.WaitGroup

	mu     sync.Mutex
	random *rand.Rand
	open   map[net.Conn]bool
}

func newProxy(t *testing.T, target string, random *rand.Rand) *proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: listener, target: target, random: random, open: map[net.Conn]bool{}}
	p.work.Go(p.accept)
	t.Cleanup(func() {
		p.listener.Close()
		p.mu.Lock()
		for c := range p.open {
			c.Close()
		}
		p.mu.Unlock()
		p.work.Wait()
	})
	return p
}

func (p *proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.target)
		if err != nil {
			client.Close()
			continue
		}
		up, down, abrupt := p.offsets()
		p.mu.Lock()
		p.open[client], p.open[server] = true, true
		p.mu.Unlock()
		end := sync.OnceFunc(func() { p.end(client, server, abrupt) })
		p.work.Go(func() { p.pass(server, client, up, end) })
		p.work.Go(func() { p.pass(client, server, down, end) })
	}
}

// offsets says after how many bytes a connection is cut in each direction, -1 for not at all, and whether by a reset.
func (p *proxy) offsets() (up, down int64, abrupt bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	up, down, abrupt = -1, -1, p.random.IntN(2) == 0
	// Small offsets hit headers, large ones the middle of bodies and of streams.
	offset := func() int64 { return p.random.Int64N(1 << (4 + p.random.IntN(15))) }
	switch p.random.IntN(5) {
	case 0, 1:
		up = offset()
	case 2, 3:
		down = offset()
	}
	return up, down, abrupt
}

func (p *proxy) end(client, server net.Conn, abrupt bool) {
	if tcp, ok := client.(*net.TCPConn); ok && abrupt && !p.whole.Load() {
		_ = tcp.SetLinger(0) // a reset in place of an end
	}
	client.Close()
	server.Close()
	p.mu.Lock()
	delete(p.open, client)
	delete(p.open, server)
	p.mu.Unlock()
}

// pass copies until the offset, or until either side ends.
func (p *proxy) pass(to io.Writer, from io.Reader, offset int64, end func()) {
	defer end()
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if offset >= 0 && !p.whole.Load() && int64(n) >= offset {
			p.cuts.Add(1)
			_, _ = to.Write(buffer[:offset]) // the connection ends here in any case
			return
		}
		offset -= int64(n)
		if offset < 0 {
			offset = -1
		}
		if _, werr := to.Write(buffer[:n]); err != nil || werr != nil {
			return
		}
	}
}

// counter is a real server of go-sdk whose tool counts how often each call ran.
type counter struct {
	mu   sync.Mutex
	runs map[string]int
}

func (c *counter) server() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "counter", Version: "1"}, nil)
	s.AddTool(&sdk.Tool{Name: "count", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		var arguments struct {
			ID    string
			Size  int
			Steps int
		}
		if err := json.Unmarshal(r.Params.Arguments, &arguments); err != nil {
			return nil, err
		}
		c.mu.Lock()
		c.runs[arguments.ID]++
		c.mu.Unlock()
		for i := range arguments.Steps {
			// Its connection may be gone: that is what this test is about.
			_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: float64(i)})
			time.Sleep(10 * time.Millisecond)
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: arguments.ID + ":" + strings.Repeat("x", arguments.Size)}}}, nil
	})
	return s
}

func (c *counter) ran(id string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.runs[id]
}

func TestConnectionsCutAtAnyByte(t *testing.T) {
	for _, test := range []struct {
		name    string
		options *sdk.StreamableHTTPOptions
		era     store.Era
	}{
		{"modern", &sdk.StreamableHTTPOptions{Stateless: true}, store.EraModern},
		{"legacy", &sdk.StreamableHTTPOptions{}, store.EraLegacy},
		{"legacy with replay", &sdk.StreamableHTTPOptions{EventStore: sdk.NewMemoryEventStore(nil)}, store.EraLegacy},
	} {
		t.Run(test.name, func(t *testing.T) {
			random := chance(t)
			c := &counter{runs: map[string]int{}}
			server := c.server()
			web := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, test.options))
			t.Cleanup(func() {
				web.CloseClientConnections()
				web.Close()
			})
			p := newProxy(t, web.Listener.Addr().String(), rand.New(rand.NewPCG(random.Uint64(), 5)))
			m := manager(t)
			entry := store.Server{
				ID: "cut", Transport: store.TransportStreamableHTTP, URL: "http://" + p.listener.Addr().String(), Era: test.era, Enabled: true,
				Retry:    store.Retry{MaxAttempts: -1, BaseDelay: 10 * time.Millisecond, MaxDelay: 200 * time.Millisecond},
				Timeouts: store.Timeouts{Connect: 5 * time.Second, Discovery: 5 * time.Second, CallIdle: 3 * time.Second, CallTotal: callTotal},
			}
			p.whole.Store(true)
			if _, err := m.Add(t.Context(), entry); err != nil {
				t.Fatal(err)
			}
			p.whole.Store(false)
			cutCalls(t, m, c, random)
			if p.cuts.Load() < 20 {
				t.Errorf("only %d connections were cut", p.cuts.Load())
			}
			// The session recovers.
			p.whole.Store(true)
			deadline := time.Now().Add(30 * time.Second)
			for n := 0; ; n++ {
				call, err := m.Call(t.Context(), mcp.CallRequest{ServerID: "cut", Kind: store.KindTool, Name: "count", Arguments: fmt.Appendf(nil, `{"id":"after %d"}`, n)})
				s, _ := m.Status("cut")
				if err == nil && call.Outcome == store.OutcomeDone && s.State == mcp.StateReady {
					break
				}
				if time.Now().After(deadline) {
					t.Fatalf("it does not recover: %s (%s), %v", s.State, s.Detail, err)
				}
				time.Sleep(50 * time.Millisecond)
			}
			t.Logf("%d connections were cut", p.cuts.Load())
		})
	}
}

// cutCalls makes calls through the proxy and checks each against what the server knows.
func cutCalls(t *testing.T, m *mcp.Manager, c *counter, random *rand.Rand) {
	t.Helper()
	count := 400
	if long() {
		count = 2000
	}
	var done, failed, unsent atomic.Int64
	var next atomic.Int64
	var work sync.WaitGroup
	for range 8 {
		choices := rand.New(rand.NewPCG(random.Uint64(), 4))
		work.Go(func() {
			for n := next.Add(1); n <= int64(count); n = next.Add(1) {
				id := fmt.Sprintf("call %d", n)
				size := choices.IntN(1 << (1 + choices.IntN(17)))
				steps := choices.IntN(4)
				begun := time.Now()
				call, err := m.Call(t.Context(), mcp.CallRequest{
					ServerID: "cut", Kind: store.KindTool, Name: "count",
					Arguments: fmt.Appendf(nil, `{"id":%q,"size":%d,"steps":%d,"padding":%q}`, id, size, steps, strings.Repeat("p", choices.IntN(3000))),
				})
				if took := time.Since(begun); took > callTotal+10*time.Second {
					t.Errorf("%s ended after %s: %v", id, took, err)
				}
				runs := c.ran(id)
				switch {
				case runs > 1:
					t.Errorf("%s ran %d times", id, runs)
				case call.Outcome == store.OutcomeDone:
					done.Add(1)
					want := fmt.Sprintf(`"%s:%s"`, id, strings.Repeat("x", size))
					if runs != 1 || !strings.Contains(string(call.Result), want) {
						t.Errorf("%s is done, ran %d times, and its result of %d bytes is not the server's", id, runs, len(call.Result))
					}
				case err == nil || call.Failure == nil || call.Failure.Message == "" || call.Outcome == store.OutcomeRunning:
					t.Errorf("%s has no outcome: %+v, %v", id, call, err)
				case call.Failure.Code == mcp.CodeUnreachable && runs > 0:
					t.Errorf("%s is said not to have reached the server, but ran", id)
				default:
					failed.Add(1)
					if runs == 0 {
						unsent.Add(1)
					}
				}
			}
		})
	}
	work.Wait()
	t.Logf("%d calls done, %d failed (%d of them never ran)", done.Load(), failed.Load(), unsent.Load())
	if done.Load() == 0 || failed.Load() == 0 {
		t.Error("the cuts did not bring about both outcomes")
	}
}

// manager is one over a store of its own.
func manager(t *testing.T) *mcp.Manager {
	t.Helper()
	s, err := store.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := mcp.New(mcp.Options{Store: s, Client: mcp.Implementation{Name: "soak", Version: "1"}})
	if err := m.Start(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if err := errors.Join(m.Close(ctx), s.Close()); err != nil {
			t.Error(err)
		}
	})
	return m
}

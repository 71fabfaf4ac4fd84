//go:build bench

package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync/atomic"
	"testing"
	"time"

	"jackfield/backend/mcp"
	"jackfield/backend/store"
)

const (
	perSecond = 20_000
	flood     = 4 * time.Second
)

// chatty is a server in this process that sends messages as fast as it is told to, beside answering calls.
type chatty struct {
	rate atomic.Int64
	sent atomic.Int64
}

func (c *chatty) serve(ctx context.Context, pipe io.ReadWriteCloser) error {
	out := make(chan string, 64)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		defer cancel()
		for lines := bufio.NewScanner(pipe); lines.Scan(); {
			var m struct {
				ID     json.RawMessage
				Method string
			}
			if json.Unmarshal(lines.Bytes(), &m) != nil || m.ID == nil {
				continue
			}
			result := `{"content":[{"type":"text","text":"42"}]}`
			switch m.Method {
			case "initialize":
				result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"logging":{}},"serverInfo":{"name":"chatty","version":"1"}}`
			case "tools/list":
				result = `{"tools":[{"name":"small","inputSchema":{"type":"object"}}]}`
			}
			select {
			case out <- fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result):
			case <-ctx.Done():
			}
		}
	}()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case m := <-out:
			if _, err := io.WriteString(pipe, m+"\n"); err != nil {
				return nil
			}
		case <-tick.C:
			// In one piece: what a pipe costs at each write is not the trace's.
			var lines []byte
			for range c.rate.Load() / 200 {
				lines = fmt.Appendf(lines, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"line %d of a busy server"}}`+"\n", c.sent.Add(1))
			}
			if _, err := pipe.Write(lines); err != nil {
				return nil
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// trace measures calls of one server while another fills the trace with 20,000 messages a second and somebody reads it.
func trace(t *testing.T, results *table) {
	s, err := store.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	busy, quiet := &chatty{}, &chatty{}
	m := mcp.New(mcp.Options{Store: s, Client: mcp.Implementation{Name: "bench", Version: "1"}, Builtin: map[string]mcp.Serve{"busy": busy.serve, "quiet": quiet.serve}})
	if err := m.Start(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	defer m.Close(context.Background())
	for _, id := range []string{"busy", "quiet"} {
		if _, err := m.Add(t.Context(), store.Server{ID: id, Transport: store.TransportBuiltin, Era: store.EraLegacy, Enabled: true}); err != nil {
			t.Fatal(err)
		}
	}
	calls := func(d time.Duration) []time.Duration {
		var took []time.Duration
		for begun := time.Now(); time.Since(begun) < d; time.Sleep(2 * time.Millisecond) {
			took = append(took, timed(func() {
				if _, err := m.Call(t.Context(), mcp.CallRequest{ServerID: "quiet", Kind: store.KindTool, Name: "small"}); err != nil {
					t.Error(err)
				}
			}))
		}
		return took
	}
	alone := median(calls(time.Second))
	before := busy.sent.Load()
	begun := time.Now()
	busy.rate.Store(perSecond)
	reading, stop := context.WithCancel(t.Context())
	read := make(chan int)
	go func() {
		n := 0
		for ; reading.Err() == nil; time.Sleep(100 * time.Millisecond) {
			m.Trace(mcp.TraceFilter{Text: "line 7 of"})
			n++
		}
		read <- n
	}()
	beside := median(calls(flood))
	busy.rate.Store(0)
	rate := float64(busy.sent.Load()-before) / time.Since(begun).Seconds()
	stop()
	n := <-read
	results.add(fmt.Sprintf("a call beside %.0f messages a second, read %d times", rate, n), "the same call without them", beside, alone, 2.00)
	results.rows = append(results.rows, row{
		"messages a second into the trace", "what the server wanted to send",
		fmt.Sprintf("%.0f", rate), fmt.Sprint(perSecond), perSecond / rate, 1.10,
	})
}

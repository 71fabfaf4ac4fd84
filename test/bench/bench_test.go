//go:build bench

package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"jackfield/backend"
	"jackfield/backend/mcp"
	"jackfield/backend/store"
)

const everything = "../peers/node_modules/@modelcontextprotocol/server-everything/dist/index.js"

func TestBench(t *testing.T) {
	var results table
	for name, measure := range map[string]func(*testing.T, *table){
		"calls": calls, "restore": restore, "command": commandLine, "window": window,
		"parallel": parallel, "sizes": sizes, "trace": trace, "history": history, "grant": grant,
	} {
		t.Run(name, func(t *testing.T) { measure(t, &results) })
	}
	results.print(t)
}

func openBackend(t *testing.T, dir string, restore bool) *backend.Backend {
	t.Helper()
	b, err := backend.Open(t.Context(), backend.Options{DataDir: dir, Restore: restore})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func closeBackend(t *testing.T, b *backend.Backend) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := b.Close(ctx); err != nil {
		t.Error(err)
	}
}

// calls measures one call through the Manager, traced and stored, against a bare go-sdk call on the same server.
func calls(t *testing.T, results *table) {
	url := canned(t, 0)
	b := openBackend(t, t.TempDir(), false)
	defer closeBackend(t, b)
	id, err := b.Manager.Add(t.Context(), store.Server{Name: "canned", Transport: store.TransportStreamableHTTP, URL: url, Era: store.EraLegacy})
	if err != nil {
		t.Fatal(err)
	}
	session, err := sdk.NewClient(&sdk.Implementation{Name: "bare", Version: "1"}, nil).Connect(t.Context(),
		&sdk.StreamableClientTransport{Endpoint: url}, &sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()

	managed := func(name string, n int) func() time.Duration {
		return func() time.Duration {
			return timed(func() {
				for range n {
					call, err := b.Manager.Call(t.Context(), mcp.CallRequest{ServerID: id, Kind: store.KindTool, Name: name, Arguments: json.RawMessage(`{}`)})
					if err != nil || call.Outcome != store.OutcomeDone {
						t.Fatalf("%s: %s %v", name, call.Outcome, err)
					}
				}
			}) / time.Duration(n)
		}
	}
	bare := func(name string, n int) func() time.Duration {
		return func() time.Duration {
			return timed(func() {
				for range n {
					if _, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: name}); err != nil {
						t.Fatal(err)
					}
				}
			}) / time.Duration(n)
		}
	}
	a, f := pairs(t, 7, managed("small", 1000), bare("small", 1000))
	results.add("a small call through the Manager", "a bare go-sdk call", a, f, 1.10)
	a, f = pairs(t, 5, managed("big", 3), bare("big", 3))
	results.add("a 10 MB result through the Manager", "a bare go-sdk call", a, f, 0.50)
}

// restore measures 20, 50 and 500 stored servers until all are ready against one of them alone. Every answer takes 100 ms.
func restore(t *testing.T, results *table) {
	url := canned(t, 100*time.Millisecond)
	stored := func(n int) string {
		dir := t.TempDir()
		b := openBackend(t, dir, false)
		defer closeBackend(t, b)
		for i := range n {
			if _, err := b.Manager.Register(t.Context(), store.Server{Name: fmt.Sprintf("s%d", i), Transport: store.TransportAuto, URL: url, Enabled: true}); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	ready := func(dir string, n int) func() time.Duration {
		return func() time.Duration {
			start := time.Now()
			b := openBackend(t, dir, true)
			defer closeBackend(t, b)
			b.Manager.Wait(t.Context())
			took := time.Since(start)
			count := 0
			for _, s := range b.Manager.Snapshot().Servers {
				if s.State == mcp.StateReady {
					count++
				}
			}
			if count != n+1 { // and the Playground
				t.Fatalf("%d servers are ready, want %d", count, n+1)
			}
			return took
		}
	}
	for _, n := range []int{20, 50, 500} {
		a, f := pairs(t, 5, ready(stored(n), n), ready(stored(1), 1))
		results.add(fmt.Sprintf("%d stored servers until all are ready", n), "one of them alone", a, f, 1.30)
	}
}

// commandLine measures `jackfield tools -- node server-everything stdio` against the server's own start and answer.
func commandLine(t *testing.T, results *table) {
	program, err := filepath.Abs("../../build/bin/jackfield")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	command := func() *exec.Cmd {
		command := exec.Command(program, "--data-dir", dir, "--json", "tools", "--", "node", everything, "stdio")
		command.Stderr = os.Stderr
		return command
	}
	ours := func() time.Duration {
		return timed(func() {
			if err := command().Run(); err != nil {
				t.Fatal(err)
			}
		})
	}
	a, f := pairs(t, 7, ours, func() time.Duration { return timed(func() { handshake(t) }) })
	results.add("jackfield tools -- node server-everything", "the server's own start and answer", a, f, 1.15)
	megabytes := float64(peak(t, command())) / 1024
	results.rows = append(results.rows, row{
		"peak memory of that command", "the design's limit",
		fmt.Sprintf("%.1f MB", megabytes), "40 MB", megabytes / 40, 1,
	})
}

// handshake is the least a client can do: start the server, say initialize, ask for tools, read the answer, end it.
func handshake(t *testing.T) {
	command := exec.Command("node", everything, "stdio")
	stdin, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stdout)
	lines.Buffer(nil, 1<<20)
	send := func(message string) {
		if _, err := fmt.Fprintln(stdin, message); err != nil {
			t.Fatal(err)
		}
	}
	answer := func(id int) {
		for lines.Scan() {
			var message struct {
				ID     *int
				Result json.RawMessage
			}
			if json.Unmarshal(lines.Bytes(), &message) == nil && message.ID != nil && *message.ID == id && message.Result != nil {
				return
			}
		}
		t.Fatalf("no answer to request %d", id)
	}
	send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"floor","version":"1"}}}`)
	answer(1)
	send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	send(`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}`)
	answer(2)
	stdin.Close()
	_ = command.Wait() // how it ends when its input closes is its own business
}

package wire

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if mode := os.Getenv("WIRE_FAKE"); mode != "" {
		fake(mode)
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// self is this test binary as a stdio server of the given mode.
func self(mode string) Command {
	path, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return Command{Path: path, Env: append(os.Environ(), "WIRE_FAKE="+mode)}
}

// journal collects what an Observer is told.
type journal struct {
	mu       sync.Mutex
	records  []Record
	problems []Problem
}

func (l *journal) observer() Observer {
	return Observer{
		Record: func(r Record) {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.records = append(l.records, r)
		},
		Problem: func(p Problem) {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.problems = append(l.problems, p)
		},
	}
}

func (l *journal) codes() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var codes []string
	for _, p := range l.problems {
		codes = append(codes, p.Code)
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

// has reports whether a record with that direction contains text.
func (l *journal) has(dir Direction, text string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.records {
		if r.Dir == dir && strings.Contains(string(r.Raw), text) {
			return true
		}
	}
	return false
}

// grandchild returns the pid that a fake printed to stderr.
func (l *journal) grandchild(t *testing.T) int {
	t.Helper()
	for range 100 {
		l.mu.Lock()
		for _, r := range l.records {
			var pid int
			if _, err := fmt.Sscanf(string(r.Raw), "grandchild %d", &pid); r.Dir == Stderr && err == nil {
				l.mu.Unlock()
				return pid
			}
		}
		l.mu.Unlock()
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("the grandchild did not start")
	return 0
}

// pids returns the processes that said on stderr that they started.
func (l *journal) pids() map[string]bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	found := map[string]bool{}
	for _, r := range l.records {
		if pid, ok := strings.CutPrefix(string(r.Raw), "pid "); ok && r.Dir == Stderr {
			found[pid] = true
		}
	}
	return found
}

func client() *sdk.Client {
	return sdk.NewClient(&sdk.Implementation{Name: "wire-test", Version: "1"}, &sdk.ClientOptions{Capabilities: &sdk.ClientCapabilities{}})
}

func withTimeout(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// digitServer is a well-behaved server of go-sdk.
func digitServer() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "echo", Version: "1"}, nil)
	s.AddTool(&sdk.Tool{Name: "echo", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{
				Content:           []sdk.Content{&sdk.TextContent{Text: string(req.Params.Arguments)}},
				StructuredContent: json.RawMessage(`{"n":9007199254740993}`),
			}, nil
		})
	return s
}

func serveEcho(ctx context.Context, pipe io.ReadWriteCloser) error {
	return digitServer().Run(ctx, &sdk.IOTransport{Reader: pipe, Writer: pipe})
}

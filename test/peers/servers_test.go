//go:build peers

package peers

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"jackfield/backend"
	"jackfield/backend/mcp"
	"jackfield/backend/store"
)

const everything = "node_modules/@modelcontextprotocol/server-everything/dist/index.js"

// Tools of server-everything 2026.8.31 that need nothing from the client, and the ones it adds for what a client
// advertises. It adds them after the handshake and announces that with tools/list_changed.
var (
	everythingBase = []string{
		"echo", "get-annotated-message", "get-env", "get-resource-links", "get-resource-reference",
		"get-structured-content", "get-sum", "get-tiny-image", "gzip-file-as-resource", "simulate-research-query",
		"toggle-simulated-logging", "toggle-subscriber-updates", "trigger-long-running-operation",
	}
	everythingForm = append(slices.Clone(everythingBase), "trigger-elicitation-request")
	everythingBoth = append(slices.Clone(everythingForm), "trigger-url-elicitation")
)

func open(t *testing.T, modes ...mcp.AskMode) *mcp.Manager {
	t.Helper()
	b, err := backend.Open(t.Context(), backend.Options{DataDir: t.TempDir(), Modes: modes})
	if err != nil {
		t.Fatalf("opening the back end: %v", err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if err := b.Close(ctx); err != nil {
			t.Errorf("closing the back end: %v", err)
		}
	})
	return b.Manager
}

// add connects a server and waits until its tools are the expected ones, since servers may announce more after the
// handshake.
func add(t *testing.T, m *mcp.Manager, server store.Server, tools []string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 40*time.Second)
	defer cancel()
	id, err := m.Add(ctx, server)
	if err != nil {
		t.Fatalf("adding %s: %v", server.Name, err)
	}
	want := slices.Sorted(slices.Values(tools))
	var got []string
	for deadline := time.Now().Add(15 * time.Second); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		got = toolNames(t, m, id)
		if slices.Equal(got, want) {
			break
		}
	}
	if !slices.Equal(got, want) {
		t.Fatalf("tools of %s:\n got %q\nwant %q", server.Name, got, want)
	}
	status := status(t, m, id)
	if status.State != mcp.StateReady && status.State != mcp.StateDiscovering {
		t.Fatalf("state of %s is %s (%s)", server.Name, status.State, status.Detail)
	}
	return id
}

func status(t *testing.T, m *mcp.Manager, id string) mcp.Status {
	t.Helper()
	s, err := m.Status(id)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func toolNames(t *testing.T, m *mcp.Manager, id string) []string {
	t.Helper()
	catalog, err := m.Catalog(id)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range catalog.Tools {
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	return names
}

// call runs one call and returns its raw result.
func call(t *testing.T, m *mcp.Manager, id string, kind store.Kind, name, arguments string) json.RawMessage {
	t.Helper()
	got, err := m.Call(t.Context(), mcp.CallRequest{
		ServerID: id, Kind: kind, Name: name, Arguments: json.RawMessage(arguments),
	})
	if err != nil {
		t.Fatalf("%s %s: %v", kind, name, err)
	}
	if got.Outcome != store.OutcomeDone {
		t.Fatalf("%s %s ended as %s: %s", kind, name, got.Outcome, got.Result)
	}
	return got.Result
}

func wantIn(t *testing.T, raw json.RawMessage, want string) {
	t.Helper()
	if !bytes.Contains(raw, []byte(want)) {
		t.Errorf("the result has no %q: %.400s", want, raw)
	}
}

func stdio(name string, args ...string) store.Server {
	return store.Server{Name: name, Transport: store.TransportStdio, Command: "node", Args: absolute(args), Enabled: true}
}

func absolute(args []string) []string {
	args = slices.Clone(args)
	path, err := filepath.Abs(args[0])
	if err != nil {
		panic(err)
	}
	args[0] = path
	return args
}

// startHTTP starts a node server on a free port of the loopback interface and waits until it accepts connections.
func startHTTP(t *testing.T, args ...string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	listener.Close()
	command := exec.Command("node", args...)
	command.Env = append(os.Environ(), "PORT="+strconv.Itoa(port))
	var log bytes.Buffer
	command.Stdout, command.Stderr = &log, &log
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := command.Process.Kill(); err != nil {
			t.Errorf("ending the server: %v", err)
		}
		_ = command.Wait() // it was killed: the status says nothing
	})
	address := fmt.Sprintf("127.0.0.1:%d", port)
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		if conn, err := net.Dial("tcp", address); err == nil {
			conn.Close()
			return "http://" + address
		}
	}
	t.Fatalf("the server never listened on %s:\n%s", address, log.String())
	return ""
}

package mcp

import (
	"context"
	"encoding/json"
	"errors"
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

	"jackfield/backend/store"
)

// helperMode makes the test binary a stdio server instead of a test.
const helperMode = "JACKFIELD_MCP_TEST_SERVER"

func TestMain(m *testing.M) {
	if mode := os.Getenv(helperMode); mode != "" {
		runHelper(mode)
		return
	}
	goleak.VerifyTestMain(m)
}

// runHelper is a process that a test starts as a server.
func runHelper(mode string) {
	if raw, ok := strings.CutPrefix(mode, rawMode); ok {
		runRaw(raw)
		return
	}
	switch mode {
	case "exit":
		fmt.Fprintln(os.Stderr, "config.toml: no such file")
		os.Exit(3)
	case "app":
		if err := runApp(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	case "crash":
		if err := newServer(nil).Run(context.Background(), &sdk.StdioTransport{}); err != nil {
			os.Exit(1)
		}
	default:
		if err := newServer(nil).Run(context.Background(), &sdk.StdioTransport{}); err != nil {
			os.Exit(1)
		}
	}
}

// newServer makes a real go-sdk server with a few tools, a prompt, a resource and a template.
func newServer(options *sdk.ServerOptions) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "fixture", Version: "1"}, options)
	open := json.RawMessage(`{"type":"object"}`)
	s.AddTool(&sdk.Tool{Name: "echo", Title: "Echo", InputSchema: open}, func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(r.Params.Arguments)}}}, nil
	})
	s.AddTool(&sdk.Tool{Name: "fail", InputSchema: open}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: "no"}}}, nil
	})
	s.AddTool(&sdk.Tool{Name: "hang", InputSchema: open}, func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	s.AddTool(&sdk.Tool{Name: "exit", InputSchema: open}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		fmt.Fprintln(os.Stderr, "out of memory")
		os.Exit(7)
		return nil, nil
	})
	s.AddPrompt(&sdk.Prompt{Name: "hello", Arguments: []*sdk.PromptArgument{{Name: "who", Required: true}}}, func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: "Hello " + r.Params.Arguments["who"]}}}}, nil
	})
	read := func(_ context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: r.Params.URI, Text: "text"}}}, nil
	}
	s.AddResource(&sdk.Resource{URI: "fixture://a", Name: "a"}, read)
	s.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: "fixture://t/{id}", Name: "t"}, read)
	return s
}

// serve is a builtin server of a go-sdk server.
func serve(s *sdk.Server) Serve {
	return func(ctx context.Context, pipe io.ReadWriteCloser) error {
		return s.Run(ctx, &sdk.IOTransport{Reader: pipe, Writer: pipe})
	}
}

// memory is a Store without a disk.
type memory struct {
	mu      sync.Mutex
	servers map[string]store.Server
	calls   map[string]store.Call
	secrets map[string]store.Secret
	signIns map[string]store.SignIn
	sealed  error // of Reveal
	broken  error // of every write
}

func newMemory(servers ...store.Server) *memory {
	s := &memory{
		servers: map[string]store.Server{}, calls: map[string]store.Call{},
		secrets: map[string]store.Secret{}, signIns: map[string]store.SignIn{},
	}
	for _, server := range servers {
		s.servers[server.ID] = server
	}
	return s
}

func (s *memory) Servers(context.Context) ([]store.Server, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []store.Server
	for _, server := range s.servers {
		all = append(all, server)
	}
	return all, nil
}

func (s *memory) PutServer(_ context.Context, server store.Server) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	server.Headers, server.Env = s.seal(server.Headers), s.seal(server.Env)
	s.servers[server.ID] = server
	return s.broken
}

// seal puts new secrets aside, as the vault does.
func (s *memory) seal(variables []store.Variable) []store.Variable {
	variables = slices.Clone(variables)
	for i, v := range variables {
		if !v.Hidden.IsZero() {
			ref := fmt.Sprint("secret ", len(s.secrets))
			s.secrets[ref] = v.Hidden
			variables[i] = store.Variable{Name: v.Name, Secret: true, Ref: ref}
		}
	}
	return variables
}

func (s *memory) Server(_ context.Context, id string) (store.Server, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	server, ok := s.servers[id]
	if !ok {
		return server, store.ErrNotFound
	}
	return server, nil
}

func (s *memory) DeleteServer(_ context.Context, id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.servers, id)
	for call, row := range s.calls {
		if row.ServerID == id {
			delete(s.calls, call)
		}
	}
	return s.broken
}

func (s *memory) SetLearned(_ context.Context, id string, learned store.Learned) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if server, ok := s.servers[id]; ok {
		server.Learned = learned
		s.servers[id] = server
	}
	return s.broken
}

func (s *memory) SetLastError(_ context.Context, id string, failure *store.Failure) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if server, ok := s.servers[id]; ok {
		server.LastError = failure
		s.servers[id] = server
	}
	return s.broken
}

func (s *memory) PutCalls(_ context.Context, calls ...store.Call) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, call := range calls {
		s.calls[call.ID] = call
	}
	return s.broken
}

func (s *memory) Calls(_ context.Context, filter store.CallFilter) ([]store.Call, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var rows []store.Call
	for _, call := range s.calls {
		if filter.ServerID == "" || filter.ServerID == call.ServerID {
			rows = append(rows, call)
		}
	}
	slices.SortFunc(rows, func(a, b store.Call) int { return b.StartedAt.Compare(a.StartedAt) })
	return rows, nil
}

func (s *memory) Call(_ context.Context, id string) (store.Call, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	call, ok := s.calls[id]
	if !ok {
		return store.Call{}, errors.New("no such call")
	}
	return call, nil
}

func (s *memory) Reveal(_ context.Context, server store.Server) (store.Server, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sealed != nil {
		return store.Server{}, s.sealed
	}
	open := func(variables []store.Variable) []store.Variable {
		variables = slices.Clone(variables)
		for i, v := range variables {
			if v.Ref != "" {
				variables[i].Hidden = s.secrets[v.Ref]
			}
		}
		return variables
	}
	server.Headers, server.Env = open(server.Headers), open(server.Env)
	return server, nil
}

func (s *memory) SignIn(_ context.Context, id string) (store.SignIn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	row, ok := s.signIns[id]
	if !ok {
		return row, store.ErrNotFound
	}
	return row, nil
}

func (s *memory) PutSignIn(_ context.Context, row store.SignIn) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.signIns[row.ServerID] = row
	return s.broken
}

func (s *memory) server(id string) store.Server {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.servers[id]
}

// start makes a Manager that the test's end closes.
func start(t *testing.T, options Options, restore bool) *Manager {
	t.Helper()
	if options.Store == nil {
		options.Store = newMemory()
	}
	if options.Client.Name == "" {
		options.Client = Implementation{Name: "test", Version: "1"}
	}
	m := New(options)
	if err := m.Start(t.Context(), restore); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := m.Close(ctx); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return m
}

// builtin starts a Manager with one connected server "s".
func builtin(t *testing.T, s *sdk.Server, options Options) *Manager {
	t.Helper()
	options.Builtin = map[string]Serve{"s": serve(s)}
	m := start(t, options, false)
	if _, err := m.Add(t.Context(), store.Server{ID: "s", Transport: store.TransportBuiltin, Enabled: true}); err != nil {
		t.Fatal(err)
	}
	return m
}

// helper is a stored entry whose command is this test binary.
func helper(t *testing.T, mode string) store.Server {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return store.Server{ID: "p", Transport: store.TransportStdio, Command: self, Enabled: true, Env: []store.Variable{{Name: helperMode, Value: mode}}}
}

// code is the code of a failure, "" for none.
func code(err error) string {
	if failure, ok := errors.AsType[*Error](err); ok {
		return failure.Code
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// eventually waits until a condition holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatalf("did not happen: %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// await reads events until one matches.
func await(t *testing.T, events <-chan Event, what string, match func(Event) bool) Event {
	t.Helper()
	timeout := time.After(10 * time.Second)
	for {
		select {
		case e := <-events:
			if match(e) {
				return e
			}
		case <-timeout:
			t.Fatalf("no event: %s", what)
		}
	}
}

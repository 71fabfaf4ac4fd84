package playground

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func openPlayground(t *testing.T, dir string) *Playground {
	t.Helper()
	p, err := Open(t.Context(), dir)
	must(t, err)
	t.Cleanup(func() { must(t, p.Close()) })
	return p
}

// client is a real go-sdk client and what it was told.
type client struct {
	*mcp.ClientSession
	t         *testing.T
	raw       *tap
	progress  chan *mcp.ProgressNotificationParams
	updated   chan string
	lists     chan struct{}
	completed chan string
}

type elicit func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error)

// tap keeps what the server wrote, as it was on the wire.
type tap struct {
	mu   sync.Mutex
	text strings.Builder
}

func (t *tap) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.Write(p)
}

func (t *tap) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.String()
}

type tapTransport struct{ tap *tap }

type tapBody struct {
	io.Reader
	io.Closer
}

func (t tapTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := http.DefaultTransport.RoundTrip(request)
	if err == nil {
		response.Body = tapBody{io.TeeReader(response.Body, t.tap), response.Body}
	}
	return response, err
}

func connect(t *testing.T, p *Playground, transport, version string, caps *mcp.ClientCapabilities, answer elicit) *client {
	t.Helper()
	c := &client{
		t: t, raw: new(tap), progress: make(chan *mcp.ProgressNotificationParams, 100), updated: make(chan string, 100),
		lists: make(chan struct{}, 100), completed: make(chan string, 100),
	}
	if caps == nil {
		caps = &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{
			Form: &mcp.FormElicitationCapabilities{}, URL: &mcp.URLElicitationCapabilities{},
		}}
	}
	options := &mcp.ClientOptions{
		Capabilities: caps,
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			c.progress <- r.Params
		},
		ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) {
			c.updated <- r.Params.URI
		},
		ResourceListChangedHandler: func(context.Context, *mcp.ResourceListChangedRequest) { c.lists <- struct{}{} },
		ElicitationCompleteHandler: func(_ context.Context, r *mcp.ElicitationCompleteNotificationRequest) {
			c.completed <- r.Params.ElicitationID
		},
	}
	if answer != nil {
		options.ElicitationHandler = answer
	}
	var wire mcp.Transport
	switch transport {
	case "pipe":
		near, far := net.Pipe()
		served := make(chan error, 1)
		go func() { served <- p.Serve(context.Background(), far) }()
		t.Cleanup(func() {
			if err := <-served; err != nil {
				t.Errorf("Serve: %v", err)
			}
		})
		wire = &mcp.IOTransport{Reader: tapBody{io.TeeReader(near, c.raw), near}, Writer: near}
	case "http":
		server := httptest.NewServer(p.Handler())
		t.Cleanup(func() {
			server.Close()
			http.DefaultTransport.(*http.Transport).CloseIdleConnections()
		})
		wire = &mcp.StreamableClientTransport{Endpoint: server.URL, HTTPClient: &http.Client{Transport: tapTransport{c.raw}}}
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, options).
		Connect(t.Context(), wire, &mcp.ClientSessionOptions{ProtocolVersion: version})
	must(t, err)
	c.ClientSession = session
	t.Cleanup(func() { must(t, session.Close()) })
	if got := session.InitializeResult().ProtocolVersion; got != version {
		t.Fatalf("the protocol version is %s, want %s", got, version)
	}
	return c
}

func (c *client) call(name string, arguments any) *mcp.CallToolResult {
	c.t.Helper()
	result, err := c.CallTool(c.t.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
	must(c.t, err)
	return result
}

func receive[T any](t *testing.T, from <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(10 * time.Second):
		t.Fatalf("no %s within 10 s", what)
		panic("unreachable")
	}
}

func text(t *testing.T, result *mcp.CallToolResult) string {
	t.Helper()
	if len(result.Content) == 0 {
		t.Fatal("the result has no content")
	}
	content, ok := result.Content[0].(*mcp.TextContent)
	if !ok {
		t.Fatalf("the content begins with %T", result.Content[0])
	}
	return content.Text
}

// everywhere runs a test over each transport in each era.
func everywhere(t *testing.T, test func(t *testing.T, transport, version string)) {
	t.Helper()
	for _, transport := range []string{"pipe", "http"} {
		for _, version := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
			t.Run(transport+" "+version, func(t *testing.T) { test(t, transport, version) })
		}
	}
}

func TestListsAreCompleteAndSchemasKeepTheirOrder(t *testing.T) {
	everywhere(t, func(t *testing.T, transport, version string) {
		c := connect(t, openPlayground(t, t.TempDir()), transport, version, nil, nil)
		tools, err := c.ListTools(t.Context(), nil)
		must(t, err)
		var names []string
		for _, tool := range tools.Tools {
			names = append(names, tool.Name)
			if tool.Title == "" || tool.Description == "" || tool.Annotations == nil || tool.Annotations.Title != tool.Title {
				t.Errorf("%s lacks a title, a description or annotations", tool.Name)
			}
		}
		want := []string{"add", "ask_form", "ask_url", "create_order", "echo", "fail", "show_content", "slow"}
		if diff := cmp.Diff(want, names); diff != "" {
			t.Error(diff)
		}
		raw := c.raw.String()
		last := -1
		for _, property := range []string{`"customer":`, `"items":`, `"delivery":`, `"deliver_on":`, `"call_before":`, `"note":`} {
			at := strings.Index(raw, property)
			if at <= last {
				t.Errorf("%s is not where it was written", property)
			}
			last = at
		}
		prompts, err := c.ListPrompts(t.Context(), nil)
		must(t, err)
		resources, err := c.ListResources(t.Context(), nil)
		must(t, err)
		templates, err := c.ListResourceTemplates(t.Context(), nil)
		must(t, err)
		if len(prompts.Prompts) != 1 || len(resources.Resources) != 2 || len(templates.ResourceTemplates) != 1 {
			t.Errorf("%d prompts, %d resources, %d templates", len(prompts.Prompts), len(resources.Resources), len(templates.ResourceTemplates))
		}
		if !strings.Contains(c.InitializeResult().Instructions, "ask_form") {
			t.Errorf("the instructions are %q", c.InitializeResult().Instructions)
		}
	})
}

func TestEveryToolResultFitsItsOutputSchema(t *testing.T) {
	p := openPlayground(t, t.TempDir())
	c := connect(t, p, "pipe", "2026-07-28", nil, accepting(fullAnswer()))
	for tool, arguments := range map[string]any{
		"add": nil, "show_content": nil, "create_order": json.RawMessage(order), "ask_form": nil, "ask_url": nil,
	} {
		result := c.call(tool, arguments)
		if result.IsError {
			t.Errorf("%s failed: %s", tool, text(t, result))
			continue
		}
		document, err := json.Marshal(result.StructuredContent)
		must(t, err)
		schema := map[string]string{"ask_form": "answer", "ask_url": "answer"}[tool]
		if schema == "" {
			schema = tool
		}
		if err := p.schemas[schema+"_output"].check(document); err != nil {
			t.Errorf("%s: %v", tool, err)
		}
	}
}

func TestEchoSaysItBack(t *testing.T) {
	everywhere(t, func(t *testing.T, transport, version string) {
		c := connect(t, openPlayground(t, t.TempDir()), transport, version, nil, nil)
		if got := text(t, c.call("echo", map[string]any{"text": "Grüße\n\"1\""})); got != "Grüße\n\"1\"" {
			t.Errorf("%q", got)
		}
	})
}

func TestArgumentsThatDoNotFitAreAToolErrorThatNamesThePlace(t *testing.T) {
	c := connect(t, openPlayground(t, t.TempDir()), "pipe", "2025-11-25", nil, nil)
	for _, test := range []struct {
		tool, arguments, want string
	}{
		{"echo", `{}`, "text"},
		{"echo", `{"text":5}`, "/text"},
		{"add", `{"amount":1.5}`, "/amount"},
		{"slow", `{"seconds":1e9}`, "/seconds"},
		{"show_content", `{"kinds":["smell"]}`, "/kinds/0"},
		{"create_order", strings.Replace(order, "ada@example.com", "nobody", 1), "/customer/email"},
		{"create_order", strings.Replace(order, `"quantity": 2`, `"quantity": 0`, 1), "/items/0/quantity"},
		{"create_order", strings.Replace(order, `"pickup"`, `"pigeon"`, 1), "/delivery"},
		{"create_order", strings.Replace(order, "2026-12-24", "24.12.2026", 1), "/deliver_on"},
	} {
		result := c.call(test.tool, json.RawMessage(test.arguments))
		if !result.IsError || !strings.Contains(text(t, result), test.want) {
			t.Errorf("%s %s: isError %v, %q", test.tool, test.arguments, result.IsError, text(t, result))
		}
	}
}

func TestAddIsKeptAndSubscribersAreTold(t *testing.T) {
	everywhere(t, func(t *testing.T, transport, version string) {
		dir := t.TempDir()
		p, err := Open(t.Context(), dir)
		must(t, err)
		must(t, func() error { _, err := p.increase(t.Context(), 40); return err }())
		must(t, p.Close())

		c := connect(t, openPlayground(t, dir), transport, version, nil, nil)
		must(t, c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: counterURI}))
		result := c.call("add", map[string]any{"amount": 2})
		if diff := cmp.Diff(map[string]any{"counter": 42.0}, result.StructuredContent); diff != "" {
			t.Error(diff)
		}
		if uri := receive(t, c.updated, "notifications/resources/updated"); uri != counterURI {
			t.Errorf("updated %s", uri)
		}
		receive(t, c.lists, "notifications/resources/list_changed")
		read, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: counterURI})
		must(t, err)
		if read.Contents[0].Text != `{"counter":42}` {
			t.Errorf("%+v", read.Contents[0])
		}
		if text(t, c.call("add", nil)) != `{"counter":43}` {
			t.Error("add without an amount does not add one")
		}
	})
}

func TestConcurrentAddsAllCount(t *testing.T) {
	p := openPlayground(t, t.TempDir())
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			if _, err := p.increase(context.Background(), 1); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if c, err := p.readCounter(t.Context()); err != nil || c.value != 20 {
		t.Errorf("%d, %v", c.value, err)
	}
}

func TestWhatNeverChangesCannotBeSubscribed(t *testing.T) {
	c := connect(t, openPlayground(t, t.TempDir()), "pipe", "2025-11-25", nil, nil)
	err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: aboutURI})
	var wire *jsonrpc.Error
	if !errors.As(err, &wire) || wire.Code != jsonrpc.CodeInvalidParams {
		t.Errorf("%v", err)
	}
}

func TestSlowReportsProgress(t *testing.T) {
	everywhere(t, func(t *testing.T, transport, version string) {
		c := connect(t, openPlayground(t, t.TempDir()), transport, version, nil, nil)
		params := &mcp.CallToolParams{Name: "slow", Arguments: map[string]any{"seconds": 0.05, "steps": 3}}
		params.SetProgressToken("token")
		_, err := c.CallTool(t.Context(), params)
		must(t, err)
		for step := 1; step <= 3; step++ {
			got := receive(t, c.progress, "progress")
			if got.Progress != float64(step) || got.Total != 3 || got.Message == "" || got.ProgressToken != "token" {
				t.Errorf("step %d: %+v", step, got)
			}
		}
	})
}

func TestSlowStopsWhenCancelled(t *testing.T) {
	everywhere(t, func(t *testing.T, transport, version string) {
		p := openPlayground(t, t.TempDir())
		c := connect(t, p, transport, version, nil, nil)
		ctx, cancel := context.WithCancel(t.Context())
		params := &mcp.CallToolParams{Name: "slow", Arguments: map[string]any{"seconds": 20, "steps": 1000}}
		params.SetProgressToken("token")
		ended := make(chan error, 1)
		go func() {
			_, err := c.CallTool(ctx, params)
			ended <- err
		}()
		receive(t, c.progress, "progress")
		cancel()
		if err := receive(t, ended, "end of the call"); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
		// The session lives on, and progress stops.
		if text(t, c.call("echo", map[string]any{"text": "a"})) != "a" {
			t.Error("no echo")
		}
		for len(c.progress) > 0 {
			<-c.progress
		}
		time.Sleep(150 * time.Millisecond)
		if n := len(c.progress); n > 2 { // one may have been under way
			t.Errorf("%d reports after the cancellation", n)
		}
	})
}

func TestCloseEndsWhatRuns(t *testing.T) {
	for _, transport := range []string{"pipe", "http"} {
		for name, call := range map[string]string{"a slow call": "slow", "an open question": "ask_form"} {
			t.Run(transport+", "+name, func(t *testing.T) {
				p, err := Open(t.Context(), t.TempDir())
				must(t, err)
				asked, release := make(chan struct{}, 1), make(chan struct{})
				defer close(release)
				answer := func(ctx context.Context, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					asked <- struct{}{}
					select {
					case <-ctx.Done():
					case <-release:
					}
					return &mcp.ElicitResult{Action: "cancel"}, nil
				}
				near, far := net.Pipe()
				served := make(chan error, 1)
				var wire mcp.Transport = &mcp.IOTransport{Reader: near, Writer: near}
				if transport == "http" {
					served <- errClosed
					server := httptest.NewServer(p.Handler())
					defer http.DefaultTransport.(*http.Transport).CloseIdleConnections()
					defer server.Close()
					defer server.CloseClientConnections()
					wire = &mcp.StreamableClientTransport{Endpoint: server.URL, MaxRetries: -1}
				} else {
					go func() { served <- p.Serve(context.Background(), far) }()
				}
				session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"},
					&mcp.ClientOptions{ElicitationHandler: answer, ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) {
						select {
						case asked <- struct{}{}:
						default:
						}
					}}).Connect(t.Context(), wire, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
				must(t, err)
				params := &mcp.CallToolParams{Name: call, Arguments: map[string]any{}}
				if call == "slow" {
					params.Arguments = map[string]any{"seconds": 600, "steps": 1000}
				}
				params.SetProgressToken("token")
				ended := make(chan error, 1)
				go func() {
					_, err := session.CallTool(context.Background(), params)
					ended <- err
				}()
				receive(t, asked, "sign of the call")
				closed := make(chan error, 1)
				go func() { closed <- p.Close() }()
				if err := receive(t, closed, "end of Close"); err != nil {
					t.Errorf("Close: %v", err)
				}
				if err := receive(t, served, "end of Serve"); !errors.Is(err, errClosed) {
					t.Errorf("Serve: %v", err)
				}
				if transport == "pipe" {
					if err := receive(t, ended, "end of the call"); err == nil {
						t.Error("the call succeeded")
					}
				}
				_ = session.Close() // the connection is gone already
				must(t, near.Close())
			})
		}
	}
}

func TestServeEndsWithItsContext(t *testing.T) {
	p := openPlayground(t, t.TempDir())
	near, far := net.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- p.Serve(ctx, far) }()
	cancel()
	if err := receive(t, served, "end of Serve"); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if _, err := near.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("the pipe is still open: %v", err)
	}
}

func TestFailSaysWhatToDo(t *testing.T) {
	c := connect(t, openPlayground(t, t.TempDir()), "http", "2025-11-25", nil, nil)
	for _, reason := range []string{"not_found", "quota", "upstream"} {
		result := c.call("fail", map[string]any{"reason": reason})
		if !result.IsError || len(text(t, result)) < 40 {
			t.Errorf("%s: %v %q", reason, result.IsError, text(t, result))
		}
	}
}

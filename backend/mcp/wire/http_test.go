package wire

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func echoServer() *sdk.Server {
	server := sdk.NewServer(&sdk.Implementation{Name: "echo", Version: "1"}, nil)
	type in struct {
		Text string `json:"text"`
	}
	sdk.AddTool(server, &sdk.Tool{Name: "echo"}, func(_ context.Context, _ *sdk.CallToolRequest, in in) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: in.Text}}}, nil, nil
	})
	return server
}

func TestConnectsAndDeliversTheRawResult(t *testing.T) {
	server := echoServer()
	choose := func(*http.Request) *sdk.Server { return server }
	for name, test := range map[string]struct {
		handler http.Handler
		version string
		sse     bool
	}{
		"modern":               {sdk.NewStreamableHTTPHandler(choose, &sdk.StreamableHTTPOptions{Stateless: true}), "", false},
		"legacy event streams": {sdk.NewStreamableHTTPHandler(choose, nil), "2025-11-25", false},
		"legacy JSON":          {sdk.NewStreamableHTTPHandler(choose, &sdk.StreamableHTTPOptions{JSONResponse: true}), "2025-11-25", false},
		"sse":                  {sdk.NewSSEHandler(choose, nil), "2025-11-25", true},
	} {
		t.Run(name, func(t *testing.T) {
			host := httptest.NewServer(test.handler)
			defer host.Close()
			seen := &journal{}
			w := New(Config{Observer: seen.observer()})
			transport := w.StreamableHTTP(Endpoint{URL: host.URL})
			if test.sse {
				transport = w.SSE(Endpoint{URL: host.URL})
			}
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			session, err := client().Connect(ctx, transport, &sdk.ClientSessionOptions{ProtocolVersion: test.version})
			if err != nil {
				t.Fatal(err)
			}
			call := &Call{ID: "1"}
			if _, err := session.CallTool(WithCall(ctx, call), &sdk.CallToolParams{Name: "echo", Arguments: map[string]any{"text": "hello"}}); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(call.Result()), `"hello"`) {
				t.Errorf("raw result is %q", call.Result())
			}
			if codes := seen.codes(); len(codes) > 0 {
				t.Errorf("problems with a good server: %v", codes)
			}
			if err := session.Close(); err != nil {
				t.Error(err)
			}
			if err := w.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

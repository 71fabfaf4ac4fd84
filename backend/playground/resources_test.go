package playground

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const order = `{
	"customer": {"name": "Ada", "email": "ada@example.com", "phone": "+44 20 123456", "company": null},
	"items": [{"product": "jack plug", "quantity": 2, "unit_price": 1.10}, {"product": "headset", "quantity": 1, "unit_price": 0.7, "gift_wrap": true}],
	"delivery": {"method": "pickup", "shop": "Lisbon"},
	"deliver_on": "2026-12-24", "call_before": "2026-12-23T18:00:00+01:00", "labels": {"n": "1"}
}`

func TestOrderIsStoredAndReadBackAfterReopening(t *testing.T) {
	everywhere(t, func(t *testing.T, transport, version string) {
		dir := t.TempDir()
		var created map[string]any
		t.Run("create", func(t *testing.T) {
			c := connect(t, openPlayground(t, dir), transport, version, nil, nil)
			result := c.call("create_order", json.RawMessage(order))
			if result.IsError {
				t.Fatal(text(t, result))
			}
			created = result.StructuredContent.(map[string]any)
		})
		if created["itemCount"] != 3.0 || created["total"] != 2.9 {
			t.Errorf("%v items, %v euros", created["itemCount"], created["total"])
		}
		c := connect(t, openPlayground(t, dir), transport, version, nil, nil)
		read, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: created["uri"].(string)})
		must(t, err)
		var got map[string]any
		must(t, json.Unmarshal([]byte(read.Contents[0].Text), &got))
		if diff := cmp.Diff(created, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestUnknownResourceIsNotFound(t *testing.T) {
	c := connect(t, openPlayground(t, t.TempDir()), "pipe", "2025-11-25", nil, nil)
	for _, uri := range []string{orderPrefix + "7", orderPrefix + "x", orderPrefix + "99999999999999999999", "playground://nothing"} {
		_, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		var wire *jsonrpc.Error
		if !errors.As(err, &wire) {
			t.Errorf("%s: %v", uri, err)
		}
	}
}

func TestAboutIsMarkdown(t *testing.T) {
	c := connect(t, openPlayground(t, t.TempDir()), "http", "2026-07-28", nil, nil)
	read, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: aboutURI})
	must(t, err)
	if got := read.Contents[0]; got.MIMEType != "text/markdown" || !strings.HasPrefix(got.Text, "# The Playground") {
		t.Errorf("%+v", got)
	}
}

func TestCompletion(t *testing.T) {
	p := openPlayground(t, t.TempDir())
	c := connect(t, p, "pipe", "2025-11-25", nil, nil)
	for range 12 {
		c.call("create_order", json.RawMessage(order))
	}
	prompt := &mcp.CompleteReference{Type: "ref/prompt", Name: explain}
	template := &mcp.CompleteReference{Type: "ref/resource", URI: orderTemplate}
	for _, test := range []struct {
		name            string
		ref             *mcp.CompleteReference
		argument, value string
		context         map[string]string
		want            []string
	}{
		{"topic", prompt, "topic", "to", nil, []string{"tools"}},
		{"topic in either case", prompt, "topic", "mc", nil, []string{"MCP"}},
		{"audience of a topic", prompt, "audience", "", map[string]string{"topic": "sampling"}, []string{"a developer", "a researcher"}},
		{"audience of all topics", prompt, "audience", "a d", nil, []string{"a data analyst", "a designer", "a developer"}},
		{"nothing fits", prompt, "topic", "zzz", nil, []string{}},
		{"order", template, "id", "1", nil, []string{"12", "11", "10", "1"}},
		{"no such order", template, "id", "%", nil, []string{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			params := &mcp.CompleteParams{Ref: test.ref, Argument: mcp.CompleteParamsArgument{Name: test.argument, Value: test.value}}
			if test.context != nil {
				params.Context = &mcp.CompleteContext{Arguments: test.context}
			}
			result, err := c.Complete(t.Context(), params)
			must(t, err)
			if diff := cmp.Diff(test.want, result.Completion.Values); diff != "" {
				t.Error(diff)
			}
		})
	}
	_, err := c.Complete(t.Context(), &mcp.CompleteParams{Ref: prompt, Argument: mcp.CompleteParamsArgument{Name: "colour"}})
	var wire *jsonrpc.Error
	if !errors.As(err, &wire) || wire.Code != jsonrpc.CodeInvalidParams {
		t.Errorf("an unknown argument: %v", err)
	}
}

func TestExplainPrompt(t *testing.T) {
	everywhere(t, func(t *testing.T, transport, version string) {
		c := connect(t, openPlayground(t, t.TempDir()), transport, version, nil, nil)
		got, err := c.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: explain, Arguments: map[string]string{"topic": "tools", "audience": "a child"}})
		must(t, err)
		if len(got.Messages) != 3 || !strings.Contains(got.Messages[1].Content.(*mcp.TextContent).Text, "Explain tools") {
			t.Errorf("%+v", got)
		}
		if _, err := c.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: explain}); err == nil {
			t.Error("a prompt without its required argument")
		}
	})
}

func TestRequestsFromElsewhereAreRefused(t *testing.T) {
	handler := openPlayground(t, t.TempDir()).Handler()
	for _, test := range []struct {
		host, origin string
		allowed      bool
	}{
		{"127.0.0.1:8000", "", true},
		{"localhost:8000", "http://localhost:5173", true},
		{"[::1]:8000", "http://[::1]", true},
		{"LOCALHOST", "https://127.0.0.1", true},
		{"evil.example:8000", "", false},
		{"127.0.0.1.evil.example", "", false},
		{"localhost.evil.example:80", "", false},
		{"", "", false},
		{"192.168.1.2:8000", "", false},
		{"127.0.0.1:8000", "https://evil.example", false},
		{"127.0.0.1:8000", "http://localhost.evil.example", false},
		{"127.0.0.1:8000", "null", false},
		{"127.0.0.1:8000", "http://localhost@evil.example", false},
		{"127.0.0.1:8000", "file://localhost", false},
		{"127.0.0.1:8000", "::", false},
	} {
		request := httptest.NewRequest(http.MethodGet, "/", nil)
		request.Host = test.host
		if test.origin != "" {
			request.Header.Set("Origin", test.origin)
		}
		response := httptest.NewRecorder()
		handler.ServeHTTP(response, request)
		if allowed := response.Code != http.StatusForbidden; allowed != test.allowed {
			t.Errorf("host %q, origin %q: status %d", test.host, test.origin, response.Code)
		}
	}
}

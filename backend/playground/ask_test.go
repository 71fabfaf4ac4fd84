package playground

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func fullAnswer() map[string]any {
	return map[string]any{
		"name": "Ada", "email": "ada@example.com", "website": "https://example.com", "birthday": "1815-12-10",
		"meeting": "2026-12-01T10:00:00Z", "ratio": 0.5, "seats": 3.0, "newsletter": false, "size": "large",
		"colour": "#27ae60", "toppings": []any{"olives", "onions"}, "days": []any{"Mon"},
	}
}

func accepting(content map[string]any) elicit {
	return func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		return &mcp.ElicitResult{Action: "accept", Content: content}, nil
	}
}

func answering(action string) elicit {
	return func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		return &mcp.ElicitResult{Action: action}, nil
	}
}

func TestFormAnswerComesBack(t *testing.T) {
	everywhere(t, func(t *testing.T, transport, version string) {
		var asked *mcp.ElicitParams
		c := connect(t, openPlayground(t, t.TempDir()), transport, version, nil,
			func(_ context.Context, request *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				asked = request.Params
				return &mcp.ElicitResult{Action: "accept", Content: fullAnswer()}, nil
			})
		result := c.call("ask_form", nil)
		if result.IsError {
			t.Fatal(text(t, result))
		}
		want := map[string]any{"action": "accept", "content": fullAnswer()}
		if diff := cmp.Diff(want, result.StructuredContent); diff != "" {
			t.Error(diff)
		}
		if asked.Message == "" || asked.RequestedSchema == nil {
			t.Errorf("asked with %+v", asked)
		}
		raw := c.raw.String()
		if name, days := strings.Index(raw, `"name":{"type":"string"`), strings.Index(raw, `"days":{`); name < 0 || days < name {
			t.Error("the form is not in the order in which it was written")
		}
		// A second call asks again.
		asked = nil
		c.call("ask_form", nil)
		if asked == nil {
			t.Error("the second call asked nothing")
		}
	})
}

func TestDeclineAndCancelAreTwoDifferentAnswers(t *testing.T) {
	everywhere(t, func(t *testing.T, transport, version string) {
		for _, tool := range []string{"ask_form", "ask_url"} {
			for _, action := range []string{"decline", "cancel"} {
				c := connect(t, openPlayground(t, t.TempDir()), transport, version, nil, answering(action))
				result := c.call(tool, nil)
				if result.IsError || cmp.Diff(map[string]any{"action": action}, result.StructuredContent) != "" {
					t.Errorf("%s %s: %v %v", tool, action, result.IsError, result.StructuredContent)
				}
			}
		}
	})
}

func TestAnswerThatDoesNotFitTheFormIsRefused(t *testing.T) {
	// A client that checks nothing: it answers the round itself.
	c := connect(t, openPlayground(t, t.TempDir()), "pipe", "2026-07-28", nil, answering("cancel"))
	for name, change := range map[string]any{"email": "nobody", "seats": 9.0, "toppings": []any{}, "colour": "black", "name": "A"} {
		content := fullAnswer()
		content[name] = change
		result, err := c.CallTool(t.Context(), &mcp.CallToolParams{
			Name: "ask_form", InputResponses: mcp.InputResponseMap{question: &mcp.ElicitResult{Action: "accept", Content: content}},
		})
		must(t, err)
		if !result.IsError || !strings.Contains(text(t, result), "/"+name) {
			t.Errorf("%s: isError %v, %s", name, result.IsError, text(t, result))
		}
	}
}

func TestURLIsAskedAndCompletionFollowsInTheLegacyEra(t *testing.T) {
	for _, transport := range []string{"pipe", "http"} {
		for _, version := range []string{"2025-11-25", "2026-07-28"} {
			t.Run(transport+" "+version, func(t *testing.T) {
				var asked *mcp.ElicitParams
				c := connect(t, openPlayground(t, t.TempDir()), transport, version, nil,
					func(_ context.Context, request *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
						asked = request.Params
						return &mcp.ElicitResult{Action: "accept"}, nil
					})
				if result := c.call("ask_url", nil); result.IsError {
					t.Fatal(text(t, result))
				}
				if asked.Mode != "url" || !strings.HasPrefix(asked.URL, "https://example.com/") {
					t.Errorf("asked with %+v", asked)
				}
				if version == "2026-07-28" {
					if asked.ElicitationID != "" {
						t.Error("the modern era has no elicitationId")
					}
					return
				}
				if id := receive(t, c.completed, "notifications/elicitation/complete"); id != asked.ElicitationID || id == "" {
					t.Errorf("completed %q, asked %q", id, asked.ElicitationID)
				}
			})
		}
	}
}

func TestClientThatCannotAskIsToldSo(t *testing.T) {
	formOnly := &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}}}
	urlOnly := &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{URL: &mcp.URLElicitationCapabilities{}}}
	for _, test := range []struct {
		tool string
		caps *mcp.ClientCapabilities
	}{
		{"ask_form", &mcp.ClientCapabilities{}},
		{"ask_form", urlOnly},
		{"ask_url", &mcp.ClientCapabilities{}},
		{"ask_url", formOnly},
	} {
		everywhere(t, func(t *testing.T, transport, version string) {
			c := connect(t, openPlayground(t, t.TempDir()), transport, version, test.caps, nil)
			result, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: test.tool})
			if version == "2026-07-28" {
				var wire *jsonrpc.Error
				if !errors.As(err, &wire) || wire.Code != mcp.CodeMissingRequiredClientCapabilities {
					t.Fatalf("%v", err)
				}
				var data mcp.MissingRequiredClientCapabilityData
				must(t, json.Unmarshal(wire.Data, &data))
				if data.RequiredCapabilities.Elicitation == nil {
					t.Errorf("%s", wire.Data)
				}
				return
			}
			must(t, err)
			if !result.IsError || !strings.Contains(text(t, result), "does not support") {
				t.Errorf("%v %s", result.IsError, text(t, result))
			}
		})
	}
}

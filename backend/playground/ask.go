package playground

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// question is the key of the one thing that an ask tool asks for.
const question = "question"

// firstStateless is the first protocol revision in which a server asks by its result (SEP-2322, multi-round-trip
// requests) instead of a request of its own. go-sdk turns the former into the latter for older clients.
const firstStateless = "2026-07-28"

type noInput struct{}

func (p *Playground) askForm(_ context.Context, request *mcp.CallToolRequest, _ noInput) (*mcp.CallToolResult, error) {
	form := p.schemas["form"]
	answer, answered := request.Params.InputResponses[question].(*mcp.ElicitResult)
	if !answered {
		if err := needs(request, "form"); err != nil {
			return nil, err
		}
		return ask(&mcp.ElicitParams{
			Mode:            "form",
			Message:         "The Playground would like to know a few things. Nothing of it leaves this computer.",
			RequestedSchema: form.text,
		}, ""), nil
	}
	switch answer.Action {
	case "accept":
		content, err := json.Marshal(orEmpty(answer.Content))
		if err != nil {
			return nil, fmt.Errorf("encoding the answer: %w", err)
		}
		// The client has checked it, or should have; in the stateless revisions nobody else does.
		if err := form.check(content); err != nil {
			return nil, fmt.Errorf("the answer does not fit the form:\n%w", err)
		}
		return structured(map[string]any{"action": "accept", "content": json.RawMessage(content)},
			&mcp.TextContent{Text: "You accepted. This is what you filled in:"})
	case "decline":
		return structured(map[string]any{"action": "decline"},
			&mcp.TextContent{Text: "You declined: you said no, and the tool respects it."})
	case "cancel":
		return structured(map[string]any{"action": "cancel"},
			&mcp.TextContent{Text: "You cancelled: you closed the question without an answer, so the tool may ask again another time."})
	default:
		return nil, fmt.Errorf("the client answered with the action %q; it may be accept, decline or cancel", answer.Action)
	}
}

func orEmpty(content map[string]any) map[string]any {
	if content == nil {
		return map[string]any{}
	}
	return content
}

func (p *Playground) askURL(ctx context.Context, request *mcp.CallToolRequest, _ noInput) (*mcp.CallToolResult, error) {
	answer, answered := request.Params.InputResponses[question].(*mcp.ElicitResult)
	if !answered {
		if err := needs(request, "url"); err != nil {
			return nil, err
		}
		id := rand.Text()
		params := &mcp.ElicitParams{
			Mode:    "url",
			Message: "Please open this page. It is an example page that asks nothing of you.",
			URL:     "https://example.com/playground?visit=" + id,
		}
		if isLegacy(request) {
			params.ElicitationID = id // gone in 2026-07-28, with the notification that names it
		}
		return ask(params, id), nil
	}
	switch answer.Action {
	case "accept":
		// go-sdk keeps the state of a legacy call to itself, so that it is the id that was sent.
		if isLegacy(request) {
			err := request.Session.NotifyElicitationComplete(ctx,
				&mcp.ElicitationCompleteParams{ElicitationID: request.Params.RequestState})
			if err != nil {
				return nil, fmt.Errorf("saying that the visit is complete: %w", err)
			}
		}
		return structured(map[string]any{"action": "accept"},
			&mcp.TextContent{Text: "You agreed to open the page. (The Playground does not look whether you did.)"})
	case "decline", "cancel":
		return structured(map[string]any{"action": answer.Action},
			&mcp.TextContent{Text: "The page was not opened; your answer was " + answer.Action + "."})
	default:
		return nil, fmt.Errorf("the client answered with the action %q; it may be accept, decline or cancel", answer.Action)
	}
}

func ask(params *mcp.ElicitParams, state string) *mcp.CallToolResult {
	return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{question: params}, RequestState: state}
}

func isLegacy(request *mcp.CallToolRequest) bool {
	params := request.Session.InitializeParams()
	return params != nil && params.ProtocolVersion < firstStateless
}

// needs returns an error for a client that cannot ask its user in this mode. A client that names no mode can show forms
// (MCP 2025-11-25, Elicitation, Capabilities).
func needs(request *mcp.CallToolRequest, mode string) error {
	var can *mcp.ElicitationCapabilities
	if params := request.Session.InitializeParams(); params != nil && params.Capabilities != nil {
		can = params.Capabilities.Elicitation
	}
	if can != nil && (mode == "url" && can.URL != nil || mode == "form" && (can.Form != nil || can.URL == nil)) {
		return nil
	}
	if isLegacy(request) {
		return fmt.Errorf("this tool asks its user something (elicitation in %s mode), which your client does not support; "+
			"call it from a client that does, as Jackfield", mode)
	}
	required := &mcp.ElicitationCapabilities{}
	if mode == "url" {
		required.URL = &mcp.URLElicitationCapabilities{}
	} else {
		required.Form = &mcp.FormElicitationCapabilities{}
	}
	data, err := json.Marshal(mcp.MissingRequiredClientCapabilityData{
		RequiredCapabilities: &mcp.ClientCapabilities{Elicitation: required},
	})
	if err != nil {
		return errors.Join(errors.New("encoding the missing capability"), err)
	}
	return &jsonrpc.Error{
		Code:    mcp.CodeMissingRequiredClientCapabilities,
		Message: "this tool asks its user something (elicitation in " + mode + " mode), which the client did not declare",
		Data:    data,
	}
}

package playground

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// tool describes one tool; input and output name schemas.
type tool struct {
	name, title, description string
	input, output            string
	hints                    mcp.ToolAnnotations
}

func (p *Playground) addTools() {
	yes, no := true, false
	readOnly := mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &no}

	addTool(p, tool{
		name: "echo", title: "Echo", input: "echo", hints: readOnly,
		description: "Says back what you type. The simplest tool there is.",
	}, p.echo)
	addTool(p, tool{
		name: "add", title: "Add to the counter", input: "add", output: "add_output",
		hints:       mcp.ToolAnnotations{DestructiveHint: &no, OpenWorldHint: &no},
		description: "Adds to a counter that is kept on disk. Whoever subscribed to playground://counter is told.",
	}, p.add)
	addTool(p, tool{
		name: "slow", title: "Work slowly", input: "slow", hints: readOnly,
		description: "Takes its time, reports progress on the way, and stops when you cancel it.",
	}, p.slow)
	addTool(p, tool{
		name: "fail", title: "Fail", input: "fail", hints: readOnly,
		description: "Always fails, with a text that says what to do. This is how a tool reports an error (isError).",
	}, p.fail)
	addTool(p, tool{
		name: "show_content", title: "Show every kind of content", input: "show_content", output: "show_content_output",
		hints:       readOnly,
		description: "Returns text, an image, a sound, a link to a resource, resources themselves, and structured data.",
	}, p.showContent)
	addTool(p, tool{
		name: "create_order", title: "Create an order", input: "create_order", output: "create_order_output",
		hints: mcp.ToolAnnotations{DestructiveHint: &no, OpenWorldHint: &no},
		description: "Stores an order that nobody will ever deliver. Its form has nested parts, a list and a choice. " +
			"Read the order back as playground://orders/{id}.",
	}, p.createOrder)
	addTool(p, tool{
		name: "ask_form", title: "Ask with a form", input: "none", output: "answer_output",
		hints:       readOnly,
		description: "Asks you to fill in a form with every type of field, and says back what you answered.",
	}, p.askForm)
	addTool(p, tool{
		name: "ask_url", title: "Ask for a visit to a page", input: "none", output: "answer_output",
		hints:       mcp.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: &yes},
		description: "Asks you to open a page in your browser (example.com), as a server does that needs a sign-in elsewhere.",
	}, p.askURL)
}

// addTool registers a tool whose arguments are checked against its schema and decoded into In. An error of handle is the
// tool's own failure (isError), which a person or a model can read and mend; a *jsonrpc.Error is one of the protocol.
func addTool[In any](p *Playground, t tool, handle func(context.Context, *mcp.CallToolRequest, In) (*mcp.CallToolResult, error)) {
	input := p.schemas[t.input]
	t.hints.Title = t.title
	described := &mcp.Tool{
		Name: t.name, Title: t.title, Description: t.description, Annotations: &t.hints, InputSchema: input.text,
	}
	if t.output != "" {
		described.OutputSchema = p.schemas[t.output].text
	}
	p.server.AddTool(described, func(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		arguments := request.Params.Arguments
		if len(arguments) == 0 || string(arguments) == "null" {
			arguments = json.RawMessage("{}")
		}
		if err := input.check(arguments); err != nil {
			return failure(fmt.Errorf("the arguments do not fit the input schema:\n%w", err)), nil
		}
		var in In
		if err := json.Unmarshal(arguments, &in); err != nil {
			return failure(fmt.Errorf("reading the arguments: %w", err)), nil
		}
		result, err := handle(ctx, request, in)
		var protocol *jsonrpc.Error
		switch {
		case err == nil:
			return result, nil
		case errors.As(err, &protocol):
			return nil, protocol
		case ctx.Err() != nil: // nobody waits for a result of the tool
			return nil, err
		default:
			return failure(err), nil
		}
	})
}

func failure(err error) *mcp.CallToolResult {
	result := &mcp.CallToolResult{}
	result.SetError(err)
	return result
}

// structured returns a result with structured content, and the same as text for clients that do not read it (MCP
// 2025-11-25, Tools, Structured Content), after anything that reads better.
func structured(value any, content ...mcp.Content) (*mcp.CallToolResult, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("encoding the result: %w", err)
	}
	return &mcp.CallToolResult{
		Content:           append(content, &mcp.TextContent{Text: string(text)}),
		StructuredContent: json.RawMessage(text),
	}, nil
}

package playground

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const explain = "explain"

// maxCompletions is the most that one answer may hold (MCP 2025-11-25, Completion).
const maxCompletions = 100

// topic is something that the prompt can explain, to some audiences better than to others.
type topic struct {
	name      string
	audiences []string
}

func topics() []topic {
	return []topic{
		{"elicitation", []string{"a designer", "a developer", "a newcomer"}},
		{"MCP", []string{"a child", "a developer", "a manager", "a newcomer"}},
		{"prompts", []string{"a newcomer", "a writer"}},
		{"resources", []string{"a developer", "a librarian", "a newcomer"}},
		{"sampling", []string{"a developer", "a researcher"}},
		{"structured output", []string{"a data analyst", "a developer"}},
		{"tools", []string{"a child", "a developer", "a newcomer"}},
		{"transports", []string{"a developer", "a network engineer"}},
	}
}

func (p *Playground) addPrompts() {
	p.server.AddPrompt(&mcp.Prompt{
		Name: explain, Title: "Explain a part of MCP",
		Description: "A prompt that asks a model to explain something. Its arguments complete as you type.",
		Arguments: []*mcp.PromptArgument{
			{Name: "topic", Title: "Topic", Description: "What to explain", Required: true},
			{Name: "audience", Title: "Audience", Description: "For whom; the suggestions depend on the topic"},
		},
	}, explainPrompt)
}

func explainPrompt(_ context.Context, request *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	subject := strings.TrimSpace(request.Params.Arguments["topic"])
	if subject == "" {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the argument topic is required"}
	}
	audience := strings.TrimSpace(request.Params.Arguments["audience"])
	if audience == "" {
		audience = "a newcomer"
	}
	return &mcp.GetPromptResult{
		Description: fmt.Sprintf("Explains %s to %s", subject, audience),
		Messages: []*mcp.PromptMessage{
			{Role: "user", Content: &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{
				URI: aboutURI, MIMEType: "text/markdown", Text: about,
			}}},
			{Role: "user", Content: &mcp.TextContent{Text: fmt.Sprintf(
				"Explain %s in the Model Context Protocol to %s, in at most 150 words. "+
					"Use the Playground server above for one example that can be tried at once.", subject, audience)}},
			{Role: "assistant", Content: &mcp.TextContent{Text: "Here is the short version, with something to try:"}},
		},
	}, nil
}

func (p *Playground) complete(ctx context.Context, request *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	params := request.Params
	var known map[string]string
	if params.Context != nil {
		known = params.Context.Arguments
	}
	switch ref, argument := params.Ref, params.Argument; {
	case ref.Type == "ref/prompt" && ref.Name == explain && argument.Name == "topic":
		return completion(matching(topicNames(), argument.Value)), nil
	case ref.Type == "ref/prompt" && ref.Name == explain && argument.Name == "audience":
		return completion(matching(audiences(known["topic"]), argument.Value)), nil
	case ref.Type == "ref/resource" && ref.URI == orderTemplate && argument.Name == "id":
		ids, total, err := p.orderIDs(ctx, argument.Value, maxCompletions)
		if err != nil {
			return nil, err
		}
		return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{
			Values: ids, Total: total, HasMore: total > len(ids),
		}}, nil
	default:
		return nil, &jsonrpc.Error{
			Code:    jsonrpc.CodeInvalidParams,
			Message: fmt.Sprintf("there is no argument %q of %s %s%s to complete", argument.Name, ref.Type, ref.Name, ref.URI),
		}
	}
}

func completion(values []string) *mcp.CompleteResult {
	return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: values, Total: len(values)}}
}

func topicNames() []string {
	var names []string
	for _, t := range topics() {
		names = append(names, t.name)
	}
	return names
}

// audiences of a topic, or of all of them while it is not known.
func audiences(subject string) []string {
	var all []string
	for _, t := range topics() {
		if t.name == subject {
			return t.audiences
		}
		all = append(all, t.audiences...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// matching keeps what holds the typed text, in either case, with what begins with it first.
func matching(values []string, typed string) []string {
	typed = strings.ToLower(typed)
	first, rest := []string{}, []string{}
	for _, value := range values {
		switch lower := strings.ToLower(value); {
		case strings.HasPrefix(lower, typed):
			first = append(first, value)
		case strings.Contains(lower, typed):
			rest = append(rest, value)
		}
	}
	return append(first, rest...)
}

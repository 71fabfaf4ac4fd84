package playground

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const aboutURI = "playground://about"

const about = `# The Playground

A **jackfield** is the panel of sockets in a telephone exchange. This server is the practice panel:
it runs inside the program, keeps its state in one file, and talks to nobody else.

| Try | and see |
|---|---|
| ` + "`echo`" + ` | the shortest way from a form to a result |
| ` + "`add`" + ` | structured output, and a resource that changes |
| ` + "`slow`" + ` | progress and cancelling |
| ` + "`fail`" + ` | an error that says what to do next |
| ` + "`show_content`" + ` | text, image, sound, links, resources, structured data |
| ` + "`create_order`" + ` | a nested form |
| ` + "`ask_form`, `ask_url`" + ` | a server that asks you something |

Orders that you create can be read back:

` + "```" + `
playground://orders/1
` + "```" + `
`

func (p *Playground) addResources(ctx context.Context) error {
	c, err := p.readCounter(ctx)
	if err != nil {
		return err
	}
	p.addCounter(c)
	p.server.AddResource(&mcp.Resource{
		URI: aboutURI, Name: "about", Title: "About the Playground", MIMEType: "text/markdown", Size: int64(len(about)),
		Description: "What there is to try here.", Annotations: &mcp.Annotations{Audience: []mcp.Role{"user"}, Priority: 1},
	}, func(_ context.Context, request *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{
			URI: request.Params.URI, MIMEType: "text/markdown", Text: about,
		}}}, nil
	})
	p.server.AddResourceTemplate(&mcp.ResourceTemplate{
		URITemplate: orderTemplate, Name: "order", Title: "Order", MIMEType: "application/json",
		Description: "An order that the tool create_order stored.",
	}, p.readOrder)
	return nil
}

func (p *Playground) subscribe(_ context.Context, request *mcp.SubscribeRequest) error {
	if request.Params.URI != counterURI {
		return &jsonrpc.Error{
			Code:    jsonrpc.CodeInvalidParams,
			Message: fmt.Sprintf("only %s ever changes; %s cannot be subscribed to", counterURI, request.Params.URI),
		}
	}
	return nil
}

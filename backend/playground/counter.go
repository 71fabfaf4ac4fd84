package playground

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const counterURI = "playground://counter"

type counter struct {
	value   int64
	changed time.Time // zero if never
}

func (p *Playground) readCounter(ctx context.Context) (counter, error) {
	var value, changed int64
	err := p.db.Read.QueryRowContext(ctx, `SELECT value, changed_at FROM counter`).Scan(&value, &changed)
	if err != nil {
		return counter{}, fmt.Errorf("reading the counter: %w", p.db.Explain(err))
	}
	c := counter{value: value}
	if changed != 0 {
		c.changed = time.UnixMicro(changed).UTC()
	}
	return c, nil
}

type addInput struct {
	Amount *float64 `json:"amount"` // an integer of at most seven digits, but JSON may write one as 1e3
}

func (p *Playground) add(ctx context.Context, _ *mcp.CallToolRequest, in addInput) (*mcp.CallToolResult, error) {
	value, err := p.increase(ctx, int64(orDefault(in.Amount, 1)))
	if err != nil {
		return nil, err
	}
	return structured(map[string]any{"counter": value})
}

func (p *Playground) increase(ctx context.Context, amount int64) (int64, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := counter{changed: time.Now().UTC()}
	err := p.db.Write.QueryRowContext(ctx, `UPDATE counter SET value = value + ?, changed_at = ? RETURNING value`,
		amount, c.changed.UnixMicro()).Scan(&c.value)
	if err != nil {
		return 0, fmt.Errorf("changing the counter: %w", p.db.Explain(err))
	}
	// The list says when the counter changed last, so the list has changed too.
	p.addCounter(c)
	if err := p.server.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: counterURI}); err != nil {
		return 0, fmt.Errorf("telling the subscribers of the counter: %w", err)
	}
	return c.value, nil
}

func (p *Playground) addCounter(c counter) {
	annotations := &mcp.Annotations{Audience: []mcp.Role{"user", "assistant"}, Priority: 0.8}
	if !c.changed.IsZero() {
		annotations.LastModified = c.changed.Format(time.RFC3339)
	}
	p.server.AddResource(&mcp.Resource{
		URI: counterURI, Name: "counter", Title: "Counter", MIMEType: "application/json",
		Description: "The value that the tool add changes. Subscribe to it to be told of each change.",
		Annotations: annotations,
	}, p.readCounterResource)
}

func (p *Playground) readCounterResource(ctx context.Context, request *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	c, err := p.readCounter(ctx)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(map[string]int64{"counter": c.value})
	if err != nil {
		return nil, fmt.Errorf("encoding the counter: %w", err)
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{
		URI: request.Params.URI, MIMEType: "application/json", Text: string(text),
	}}}, nil
}

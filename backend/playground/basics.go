package playground

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type echoInput struct {
	Text string `json:"text"`
}

func (p *Playground) echo(_ context.Context, _ *mcp.CallToolRequest, in echoInput) (*mcp.CallToolResult, error) {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: in.Text}}}, nil
}

type slowInput struct {
	Seconds *float64 `json:"seconds"`
	Steps   *float64 `json:"steps"` // an integer, but JSON may write one as 5.0
}

func (p *Playground) slow(ctx context.Context, request *mcp.CallToolRequest, in slowInput) (*mcp.CallToolResult, error) {
	seconds, steps := orDefault(in.Seconds, 5), int(orDefault(in.Steps, 5))
	token := request.Params.GetProgressToken()
	pause := time.NewTimer(0)
	defer pause.Stop()
	<-pause.C
	for step := 1; step <= steps; step++ {
		pause.Reset(time.Duration(seconds * float64(time.Second) / float64(steps)))
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("cancelled in step %d of %d: %w", step, steps, ctx.Err())
		case <-pause.C:
		}
		if token == nil {
			continue
		}
		err := request.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
			ProgressToken: token, Progress: float64(step), Total: float64(steps),
			Message: fmt.Sprintf("Step %d of %d is done", step, steps),
		})
		if err != nil {
			return nil, fmt.Errorf("reporting progress: %w", err)
		}
	}
	text := fmt.Sprintf("Done: %d steps in %g s.", steps, seconds)
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
}

func orDefault[T any](value *T, fallback T) T {
	if value == nil {
		return fallback
	}
	return *value
}

type failInput struct {
	Reason string `json:"reason"`
}

func (p *Playground) fail(_ context.Context, _ *mcp.CallToolRequest, in failInput) (*mcp.CallToolResult, error) {
	switch in.Reason {
	case "quota":
		return nil, errors.New("the daily limit of 3 calls is used up; try again tomorrow, or ask for a higher limit")
	case "upstream":
		return nil, errors.New("the weather service did not answer within 10 s; it is usually back after a minute, so try again then")
	default:
		return nil, errors.New(`there is no file "report.pdf"; list the files first and use one of their names`)
	}
}

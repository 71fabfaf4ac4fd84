package mcp

import (
	"context"
	"maps"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// subscribe asks for, or stops, notifications about a resource.
func (l *link) subscribe(ctx context.Context, uri string, on bool) error {
	if on {
		return l.session.Subscribe(ctx, &sdk.SubscribeParams{URI: uri})
	}
	return l.session.Unsubscribe(ctx, &sdk.UnsubscribeParams{URI: uri})
}

// resubscribeLocked sets subscriptions up again, which hung on a connection or session that is gone.
func (m *Manager) resubscribeLocked(c *conn) {
	if len(c.subscriptions) == 0 {
		return
	}
	link, uris := c.link, slices.Sorted(maps.Keys(c.subscriptions))
	m.spawnLocked(func() {
		ctx, cancel := context.WithTimeoutCause(link.ctx, defaultConnect, errConnectLimit)
		defer cancel()
		for _, uri := range uris {
			if err := link.subscribe(ctx, uri, true); err != nil && link.ctx.Err() == nil {
				m.mu.Lock()
				if c.link == link {
					m.noteLinkLocked(c, Problem{
						Code: "subscription_lost", ServerID: c.id, Subject: uri,
						Message: "The subscription could not be set up again: " + describe(err, link.wire.Cause()).Message,
					})
				}
				m.mu.Unlock()
			}
		}
	})
}

// Complete asks the server to complete an argument.
func (m *Manager) Complete(ctx context.Context, request CompleteRequest) (Completion, error) {
	_, link, err := m.ready(ctx, request.ServerID)
	if err != nil {
		return Completion{}, err
	}
	if link.caps.Completions == nil {
		return Completion{}, nil
	}
	reference := &sdk.CompleteReference{Type: "ref/prompt", Name: request.Name}
	switch request.Kind {
	case "prompt":
	case "template":
		reference = &sdk.CompleteReference{Type: "ref/resource", URI: request.Name}
	default:
		return Completion{}, fail(CodeUsage, "Only arguments of prompts and templates can be completed.", "Use the kind prompt or template.", nil)
	}
	params := &sdk.CompleteParams{Ref: reference, Argument: sdk.CompleteParamsArgument{Name: request.Argument, Value: request.Value}}
	if len(request.Context) > 0 {
		params.Context = &sdk.CompleteContext{Arguments: request.Context}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, defaultConnect, errIdleLimit)
	defer cancel()
	result, err := link.session.Complete(ctx, params)
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return Completion{}, describe(err, link.wire.Cause())
	}
	return Completion{Values: result.Completion.Values, Total: result.Completion.Total, HasMore: result.Completion.HasMore}, nil
}

package person

import (
	"context"

	"jackfield/backend/mcp"
)

// Accept answers each question of a server at once: it accepts forms as they stand, with their defaults, and declines to open addresses.
// failed gets what goes wrong. It ends when stop is called.
func Accept(ctx context.Context, m *mcp.Manager, failed func(error)) (stop func()) {
	events, unsubscribe := m.Subscribe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for event := range events {
			if event.Ask == nil || event.Ask.Closed {
				continue
			}
			answer := mcp.Answer{Action: mcp.ActionAccept, Content: event.Ask.Prefilled()}
			if event.Ask.Mode != mcp.AskForm {
				answer = mcp.Answer{Action: mcp.ActionDecline}
			}
			if err := m.Answer(ctx, event.Ask.ID, answer); err != nil {
				failed(err)
			}
		}
	}()
	return func() {
		unsubscribe()
		<-done
	}
}

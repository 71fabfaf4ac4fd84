package person

import (
	"jackfield/backend/mcp"
	"jackfield/backend/store"
)

// Agree confirms the authorization server of each sign-in, once per attempt, until stop is called. failed gets what goes wrong.
func Agree(m *mcp.Manager, failed func(error)) (stop func()) {
	events, unsubscribe := m.Subscribe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		confirmed := map[string]bool{}
		for event := range events {
			if event.Server == nil || event.Server.SignIn == nil {
				continue
			}
			row := event.Server.SignIn
			if row.State != store.SignInConfirm || confirmed[row.ID] {
				continue
			}
			confirmed[row.ID] = true
			if err := m.SignInInput(event.ServerID, store.SignInInput{Confirm: true}); err != nil {
				failed(err)
			}
		}
	}()
	return func() {
		unsubscribe()
		<-done
	}
}

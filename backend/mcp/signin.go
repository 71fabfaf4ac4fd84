package mcp

import (
	"context"
	"errors"

	"jackfield/backend/store"
)

var errNotBuilt = errors.New("not built")

// SignIn does one attempt to sign in to a server and, if it succeeds, connects. It returns when both are done; the row's SignIn tells how it
// goes. ctx bounds the wait; ending it, or CancelSignIn, ends the attempt. A second attempt ends the first.
func (m *Manager) SignIn(ctx context.Context, id string, o store.SignInOptions) error {
	return errNotBuilt
}

// SignInInput is what the person says to the running attempt.
func (m *Manager) SignInInput(id string, input store.SignInInput) error { return errNotBuilt }

// CancelSignIn ends the running attempt, as the person.
func (m *Manager) CancelSignIn(id string) error { return errNotBuilt }

// SignInCallback takes a jackfield://oauth/callback link. A link that no attempt waits for changes nothing.
func (m *Manager) SignInCallback(link string) error { return errNotBuilt }

// SignOut revokes the tokens of a server, deletes them and closes its connection.
func (m *Manager) SignOut(ctx context.Context, id string) error { return errNotBuilt }

// ForgetRegistration signs out and deletes what is registered at the server's issuer, so that the next sign-in registers anew.
func (m *Manager) ForgetRegistration(ctx context.Context, id string) error { return errNotBuilt }

// Approve says that a person has seen the whole command of an entry that was not typed, and lets it run. hash is the CommandHash of what
// was shown; anything else is refused.
func (m *Manager) Approve(ctx context.Context, id, hash string) error { return errNotBuilt }

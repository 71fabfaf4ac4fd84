package mcp

import (
	"context"
	"errors"
	"slices"
	"time"

	"jackfield/backend/store"
)

const (
	// How long an authorization server may take to revoke what ends anyway because the entry moves or goes away.
	revokeGrace = 5 * time.Second
	// The same where signing out is all that is asked for.
	revokeLimit = 15 * time.Second
	connectStep = "connect"
)

var errAnotherSignIn = errors.New("another sign-in to the same server was begun")

// signInAttempt is one sign-in that is under way.
type signInAttempt struct {
	cancel context.CancelCauseFunc
}

// end ends an attempt, if there is one.
func (a *signInAttempt) end(reason error) {
	if a != nil {
		a.cancel(reason)
	}
}

// underWay says whether a row is of an attempt that has not ended.
func underWay(s store.SignIn) bool {
	return !slices.Contains([]store.SignInState{store.SignInDone, store.SignInFailed, store.SignInCancelled}, s.State)
}

// SignIn does one attempt to sign in to a server and, if it succeeds, connects. It returns when both are done; the row's SignIn tells how it
// goes. ctx bounds the wait; ending it, or CancelSignIn, ends the attempt. A second attempt ends the first.
func (m *Manager) SignIn(ctx context.Context, id string, o store.SignInOptions) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	a := &signInAttempt{cancel: cancel}
	m.mu.Lock()
	c, err := m.findLocked(id)
	if err == nil {
		err = m.mayAuthorize(c)
	}
	if err != nil {
		m.mu.Unlock()
		return err
	}
	m.wg.Add(1) // not spawnLocked: the caller is the goroutine
	defer m.wg.Done()
	c.attempt.end(errAnotherSignIn)
	c.attempt = a
	server := c.server
	m.publishLocked(c)
	m.mu.Unlock()

	failed := m.options.Authorizer.SignIn(ctx, server, o, func(row store.SignIn) { m.signingIn(c, a, row) })
	if failed != nil {
		return m.endSignIn(ctx, c, a, failed)
	}
	m.account(c)
	if err := m.bindIssuer(ctx, c); err != nil {
		return m.endSignIn(ctx, c, a, err)
	}
	begun := m.clock.Now()
	m.step(c, a, store.SignInStep{Name: connectStep, State: "working", StartedAt: begun})
	connected := m.reconnect(ctx, c)
	step := store.SignInStep{Name: connectStep, State: "done", StartedAt: begun, Took: m.clock.Now().Sub(begun)}
	if connected != nil {
		step.State, step.Detail = "failed", sentenceOf(connected)
	}
	m.step(c, a, step)
	return m.finishSignIn(c, a, connected)
}

// bindIssuer keeps with a client that the person registered beforehand where it was used first: a server that later names another
// authorization server must not get its secret sent there, also after a sign-out.
func (m *Manager) bindIssuer(ctx context.Context, c *conn) error {
	m.mu.Lock()
	server, account := c.server, c.account
	m.mu.Unlock()
	if server.ClientID == "" || server.SignIn.Issuer != "" || account == nil || account.Issuer == "" {
		return nil
	}
	server.SignIn.Issuer = account.Issuer
	stored, err := m.put(ctx, server)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	c.server.SignIn = stored.SignIn
	return nil
}

// mayAuthorize refuses to sign in where there is nothing to sign in to.
func (m *Manager) mayAuthorize(c *conn) error {
	switch {
	case m.options.Authorizer == nil:
		return fail(CodeSignIn, "This program was started without sign-in.", "Give the server a header with a valid token.", nil)
	case !reachable(c.server):
		return fail(CodeUsage, "This server runs on this computer and has no sign-in.", "Give it what it needs as environment variables.", nil)
	case c.adhoc:
		return fail(CodeUsage, "A server that is not stored cannot keep a sign-in.", "Add it first.", nil)
	}
	return nil
}

// signingIn takes over the row of an attempt, unless another one has begun.
func (m *Manager) signingIn(c *conn, a *signInAttempt, row store.SignIn) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c.attempt != a {
		return
	}
	before := c.signIn
	row.Steps = slices.Clone(row.Steps)
	c.signIn = &row
	m.publishLocked(c)
	if before == nil || before.ID != row.ID || before.State != row.State {
		m.tellLocked(c, Event{Type: EventAuthorize, Text: row.Detail}, nil)
	}
}

// step puts a step of the Manager's own into the row.
func (m *Manager) step(c *conn, a *signInAttempt, step store.SignInStep) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c.attempt != a {
		return
	}
	row := store.SignIn{ServerID: c.id, StartedAt: step.StartedAt}
	if c.signIn != nil {
		row = *c.signIn
	}
	row.State, row.Detail, row.URL = store.SignInWorking, "Signed in, connecting", ""
	row.Steps = withStep(row.Steps, step)
	c.signIn = &row
	m.publishLocked(c)
}

// withStep replaces the step of that name, or appends it. The list is a new one: rows that were given away keep theirs.
func withStep(steps []store.SignInStep, step store.SignInStep) []store.SignInStep {
	steps = slices.Clone(steps)
	if i := slices.IndexFunc(steps, func(s store.SignInStep) bool { return s.Name == step.Name }); i >= 0 {
		steps[i] = step
		return steps
	}
	return append(steps, step)
}

// reconnect connects with the new token. A live connection of which nothing is being asked is replaced: its session and its catalog may
// be those of another account, or of fewer rights.
func (m *Manager) reconnect(ctx context.Context, c *conn) error {
	m.mu.Lock()
	if c.link != nil && c.link.busy == 0 {
		m.dropLocked(c, errChanged)
	}
	m.setFailureLocked(c, nil)
	m.publishLocked(c)
	m.mu.Unlock()
	return m.Connect(ctx, c.id)
}

// finishSignIn ends an attempt that came to a grant. That the connection failed then is told by its step, and is the failure of the server.
func (m *Manager) finishSignIn(c *conn, a *signInAttempt, connected error) error {
	m.mu.Lock()
	if c.attempt != a {
		m.mu.Unlock()
		return connected
	}
	c.attempt = nil
	row := *c.signIn
	row.State, row.Detail, row.Deadline = store.SignInDone, "Signed in", time.Time{}
	c.signIn = &row
	m.publishLocked(c)
	m.tellLocked(c, Event{Type: EventAuthorize, Text: row.Detail}, nil)
	m.mu.Unlock()
	m.keepSignIn(row)
	return connected
}

// keepSignIn stores the row for later.
func (m *Manager) keepSignIn(row store.SignIn) {
	row.URL = ""
	m.writer.later(func(ctx context.Context) error { return m.options.Store.PutSignIn(ctx, row) })
}

// endSignIn ends an attempt that came to nothing, and says why.
func (m *Manager) endSignIn(ctx context.Context, c *conn, a *signInAttempt, cause error) error {
	failure := signInFailure(cause, context.Cause(ctx))
	m.mu.Lock()
	defer m.mu.Unlock()
	if c.attempt != a {
		return failure
	}
	c.attempt = nil
	row := store.SignIn{ServerID: c.id, StartedAt: m.clock.Now()}
	if c.signIn != nil {
		row = *c.signIn
	}
	if row.Failure != nil && failure.Code == CodeSignIn {
		failure.Failure = *row.Failure // the one that was told in the row
		failure.Code = CodeSignIn
	}
	if underWay(row) {
		row.State, row.Detail = store.SignInFailed, failure.Message
		if failure.Code == CodeCancelled {
			row.State = store.SignInCancelled
		} else {
			row.Failure = &failure.Failure
		}
		m.keepSignIn(row)
	}
	row.URL, row.Deadline = "", time.Time{}
	c.signIn = &row
	m.publishLocked(c)
	m.tellLocked(c, Event{Type: EventAuthorize, Text: row.Detail}, nil)
	return failure
}

// signInFailure is what a person reads of an attempt that failed. ended is why its context ended, nil if it did not.
func signInFailure(err, ended error) *Error {
	switch {
	case errors.Is(ended, errPerson), errors.Is(ended, context.Canceled):
		return fail(CodeCancelled, "The sign-in was cancelled.", "", err)
	case errors.Is(ended, errAnotherSignIn):
		return fail(CodeCancelled, "Another sign-in to this server was begun.", "", err)
	case errors.Is(ended, context.DeadlineExceeded):
		return fail(CodeSignIn, "The sign-in was not finished in the time allowed for it.", "Sign in again.", err)
	case ended != nil:
		return describe(ended, nil)
	}
	if known, ok := errors.AsType[*Error](err); ok {
		return known
	}
	hint := "The steps of the sign-in show what was sent and received. Sign in again."
	if reason, ok := errors.AsType[authReason](err); ok {
		return fail(CodeSignIn, firstLine(reason.AuthMessage(), 500), firstOf(firstLine(reason.AuthHint(), 500), hint), err)
	}
	return fail(CodeSignIn, trimError(err), hint, err)
}

// SignInInput is what the person says to the running attempt.
func (m *Manager) SignInInput(id string, input store.SignInInput) error {
	m.mu.Lock()
	c, err := m.findLocked(id)
	if err != nil {
		m.mu.Unlock()
		return err
	}
	running := c.attempt != nil
	m.mu.Unlock()
	if !running {
		return fail(CodeUsage, "No sign-in to this server is under way.", "Sign in again.", nil)
	}
	if err := m.options.Authorizer.Input(id, input); err != nil {
		if known, ok := errors.AsType[*Error](err); ok {
			return known
		}
		return fail(CodeUsage, trimError(err), "The sign-in still waits.", err)
	}
	return nil
}

// CancelSignIn ends the running attempt, as the person. An attempt that has ended stays as it is.
func (m *Manager) CancelSignIn(id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	c, err := m.findLocked(id)
	if err != nil {
		return err
	}
	c.attempt.end(errPerson)
	return nil
}

// SignInCallback takes a jackfield://oauth/callback link. A link that no attempt waits for changes nothing.
func (m *Manager) SignInCallback(link string) error {
	if m.options.Authorizer == nil {
		return fail(CodeSignIn, "This program was started without sign-in.", "", nil)
	}
	return m.options.Authorizer.Callback(link)
}

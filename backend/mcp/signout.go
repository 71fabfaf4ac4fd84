package mcp

import (
	"context"
	"errors"
	"time"

	"jackfield/backend/store"
)

// SignOut revokes the tokens of a server, deletes them and closes its connection.
func (m *Manager) SignOut(ctx context.Context, id string) error {
	return m.leave(ctx, id, Authorizer.SignOut)
}

// ForgetRegistration signs out and deletes what is registered at the server's issuer, so that the next sign-in registers anew.
func (m *Manager) ForgetRegistration(ctx context.Context, id string) error {
	return m.leave(ctx, id, Authorizer.ForgetRegistration)
}

// leave closes the connection first: its orderly end needs the token.
func (m *Manager) leave(ctx context.Context, id string, out func(Authorizer, context.Context, store.Server) error) error {
	m.mu.Lock()
	c, err := m.findLocked(id)
	if err == nil {
		err = m.mayAuthorize(c)
	}
	if err != nil {
		m.mu.Unlock()
		return err
	}
	c.attempt.end(errPerson)
	server := c.server
	closed := m.disconnectLocked(c)
	m.mu.Unlock()
	if err := waitFor(ctx, closed); err != nil {
		return err
	}
	within, cancel := context.WithTimeout(ctx, revokeLimit)
	defer cancel()
	err = out(m.options.Authorizer, within, server)
	m.account(c)
	if err == nil || errors.Is(err, store.ErrNotFound) {
		return nil
	}
	m.mu.Lock()
	gone := c.account == nil
	m.mu.Unlock()
	if gone {
		return fail(CodeSignIn, "You are signed out here, but the authorization server did not revoke the tokens: "+trimError(err),
			"They end by themselves. To end them at once, remove this program's access at the authorization server.", err)
	}
	return fail(CodeSignIn, "Signing out failed: "+trimError(err), "Try again.", err)
}

// dropGrant signs out of a server whose entry moves or goes away. It waits for the revocation only shortly, and fails only if the grant is
// still there then.
func (m *Manager) dropGrant(ctx context.Context, c *conn, server store.Server) error {
	a := m.options.Authorizer
	if a == nil || c.adhoc || !reachable(server) {
		return nil
	}
	within, cancel := context.WithTimeout(ctx, revokeGrace)
	defer cancel()
	failed := a.SignOut(within, server)
	if failed == nil || errors.Is(failed, store.ErrNotFound) {
		return nil
	}
	m.log.Warn("signing out", "server", server.ID, "error", failed)
	if _, err := a.Account(ctx, server.ID); !errors.Is(err, store.ErrNotFound) {
		return fail(CodeSignIn, "The sign-in of the old address cannot be deleted: "+trimError(failed), "Sign out first.", errors.Join(failed, err))
	}
	return nil
}

// account reads what a server is signed in as, and shows it.
func (m *Manager) account(c *conn) {
	m.mu.Lock()
	wanted := m.options.Authorizer != nil && !c.adhoc && reachable(c.server)
	m.mu.Unlock()
	if !wanted {
		return
	}
	var row *store.Account
	account, err := m.options.Authorizer.Account(m.ctx, c.id)
	switch {
	case err == nil:
		row = &account
	case !errors.Is(err, store.ErrNotFound):
		if m.ctx.Err() == nil {
			m.log.Warn("the account of a server cannot be read", "server", c.id, "error", err)
		}
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if c.account == nil && row == nil {
		return
	}
	c.account = row
	m.publishLocked(c)
}

// accountLocked does the same in the background.
func (m *Manager) accountLocked(c *conn) {
	if m.options.Authorizer != nil && !c.adhoc && reachable(c.server) {
		m.spawnLocked(func() { m.account(c) })
	}
}

// tokenChanged is told when a connection sends another token than before.
func (m *Manager) tokenChanged(c *conn) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.accountLocked(c)
}

// lastAttempts reads the last attempt to sign in to each server. They only inform, so that no start fails for want of one.
func (m *Manager) lastAttempts(ctx context.Context, servers []store.Server) map[string]*store.SignIn {
	found := map[string]*store.SignIn{}
	for _, server := range servers {
		if !reachable(server) {
			continue
		}
		row, err := m.options.Store.SignIn(ctx, server.ID)
		switch {
		case errors.Is(err, store.ErrNotFound):
		case err != nil:
			m.log.WarnContext(ctx, "the last sign-in to a server cannot be read", "server", server.ID, "error", err)
		default:
			found[server.ID] = interrupted(row)
		}
	}
	return found
}

// interrupted is the row of an attempt of an earlier run, which cannot be under way any more.
func interrupted(row store.SignIn) *store.SignIn {
	if underWay(row) {
		row.State, row.Detail = store.SignInCancelled, "The program ended before the sign-in was complete"
	}
	row.URL, row.Deadline = "", time.Time{}
	return &row
}

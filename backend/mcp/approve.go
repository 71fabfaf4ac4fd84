package mcp

import (
	"context"

	"jackfield/backend/store"
)

// Approve says that a person has seen the whole command of an entry that was not typed, and lets it run. hash is the CommandHash of what
// was shown; anything else is refused.
func (m *Manager) Approve(ctx context.Context, id, hash string) error {
	m.mu.Lock()
	c, err := m.findLocked(id)
	if err != nil {
		m.mu.Unlock()
		return err
	}
	server := c.server
	m.mu.Unlock()
	if hash == "" || hash != store.CommandHash(server) {
		return fail(CodeReview, "The command is not the one that was shown.", "Look at it again before you approve it.", nil)
	}
	server.Approved = hash
	if !c.adhoc {
		if server, err = m.put(ctx, server); err != nil {
			return err
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	c.server.Approved = server.Approved // of a command that was changed meanwhile, this is not the hash
	if c.failure != nil && c.failure.Code == CodeReview {
		m.setFailureLocked(c, nil)
	}
	m.publishLocked(c)
	return nil
}

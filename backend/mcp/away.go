package mcp

import (
	"context"
	"net/http"
	"time"

	"jackfield/backend/mcp/wire"
)

// seekLimit is how long a server that was away may take to show that it is back.
const seekLimit = 5 * time.Second

// awayLocked notes that nobody is at the other end of a live connection: a call could not be sent, or a stream not be opened again. HTTP
// has no connection that would break, so without this the row would go on to say "Ready" of a server that was stopped. The
// connection is kept, for the server may come back and still know the session; calls are sent as ever.
func (m *Manager) awayLocked(c *conn, link *link, failure *Error) {
	if c.link != link || c.away != nil {
		return
	}
	row := failure.Failure
	c.away = &row
	m.spawnLocked(func() { m.seek(c, link) })
	m.publishLocked(c)
}

// hurryLocked looks at once, rather than at the next turn, whether a server that is away has come back.
func (c *conn) hurryLocked() {
	c.link.wire.Retry()
	select {
	case c.link.hurry <- struct{}{}:
	default:
	}
}

// backLocked notes that the server has shown itself.
func (m *Manager) backLocked(c *conn) {
	if c.away == nil {
		return
	}
	c.away = nil
	if c.link != nil {
		c.link.wire.Retry() // what waits for its turn need not wait any more
		m.publishLocked(c)
	}
}

// seek asks until somebody answers, whatever the answer is, or until the connection is not the current one any more.
func (m *Manager) seek(c *conn, link *link) {
	for attempt := 1; ; attempt++ {
		m.mu.Lock()
		policy := retryPolicy(c.server.Retry)
		policy.MaxAttempts = -1
		delay, _ := retryDelay(policy, attempt, m.random())
		m.mu.Unlock()
		select {
		case <-m.clock.After(delay):
		case <-link.hurry:
		case <-link.ctx.Done():
			return
		}
		if !m.missing(c, link) {
			return
		}
		if link.absent() != nil {
			continue
		}
		m.mu.Lock()
		if c.link == link {
			m.backLocked(c)
		}
		m.mu.Unlock()
		return
	}
}

// missing says whether a server is still looked for.
func (m *Manager) missing(c *conn, link *link) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return c.link == link && c.away != nil
}

// suspectLocked looks whether anybody is there, after a call whose connection broke. The next one would find out.
func (m *Manager) suspectLocked(c *conn, link *link) {
	m.spawnLocked(func() {
		failure := link.absent()
		if failure == nil {
			return
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		m.awayLocked(c, link, failure)
	})
}

// absent sends a ping and says how it failed if nobody is there. A modern server does not know pings and says so, which is an answer; a
// gateway may answer in the place of a server that is gone.
func (l *link) absent() *Error {
	ctx, cancel := context.WithTimeout(l.ctx, seekLimit)
	defer cancel()
	call := &wire.Call{ID: "seek"}
	err := l.session.Ping(wire.WithCall(ctx, call), nil)
	switch {
	case err == nil, l.ctx.Err() != nil:
		return nil
	case ctx.Err() != nil:
		return fail(CodeUnreachable, "The server does not answer.", "Check that it is running.", err)
	}
	failure := describe(err, call.Err())
	switch statusOf(err, call.Err()) {
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return failure
	}
	if failure.Code == CodeUnreachable {
		return failure
	}
	return nil
}

package mcp

import (
	"context"
	"errors"
	"fmt"
	"time"

	"jackfield/backend/store"
)

// Connect opens the connection, without retry, and discovers. It is single-flight per server: a second caller gets the
// same result. A server that is ready is left alone. A failed discovery is returned, and the connection stays.
func (m *Manager) Connect(ctx context.Context, id string) error {
	c, err := m.open(ctx, id)
	if err != nil {
		return err
	}
	return m.discover(ctx, c, false)
}

// open waits for the handshake of a server: the one under way, or a new one.
func (m *Manager) open(ctx context.Context, id string) (*conn, error) {
	m.mu.Lock()
	c, err := m.findLocked(id)
	if err != nil {
		m.mu.Unlock()
		return nil, err
	}
	if c.link != nil {
		if c.away != nil {
			c.hurryLocked()
		}
		m.mu.Unlock()
		return c, nil
	}
	if c.dial == nil {
		// Nobody waits for the background's next try: this is it, and the background goes on from its result.
		if c.loop == nil {
			c.attempts, c.maxAttempts = 1, 1
		}
		m.dialLocked(c)
		c.wakeLocked()
	}
	flight := c.dial
	m.mu.Unlock()
	return c, flight.wait(ctx)
}

// dialLocked starts one handshake of a new generation.
func (m *Manager) dialLocked(c *conn) {
	c.gen++
	gen, server := c.gen, c.server
	ctx, cancel := context.WithCancelCause(m.ctx)
	flight := newFlight(cancel)
	c.dial = flight
	c.retryAt = time.Time{}
	c.linkProblems = nil
	started := m.spawnLocked(func() {
		link, err := m.handshake(ctx, c, server, gen)
		m.commit(c, gen, flight, link, err)
	})
	if !started {
		c.dial = nil
		flight.endLocked(ErrClosed)
		return
	}
	m.publishLocked(c)
}

// commit takes over the result of a handshake, unless its generation is no longer the current one.
func (m *Manager) commit(c *conn, gen uint64, flight *flight, link *link, failure *Error) {
	m.mu.Lock()
	if c.gen != gen || m.closed {
		flight.endLocked(fail(CodeClosed, "The connection was closed before it was complete.", "Connect again.", errDisconnected))
		m.mu.Unlock()
		if link != nil {
			link.close(errDisconnected, false)
		}
		return
	}
	defer m.mu.Unlock()
	c.dial = nil
	if failure != nil {
		m.setFailureLocked(c, failure)
		flight.endLocked(failure)
		m.publishLocked(c)
		m.tellLocked(c, Event{Type: EventConnect}, failure)
		if failure.Code == CodeAuthRequired {
			m.tellLocked(c, Event{Type: EventAuthorize}, failure)
		}
		return
	}
	c.link, c.loaded, c.since, c.away = link, false, m.clock.Now(), nil
	m.accountLocked(c) // another process may have signed in
	c.last, c.latency = link.learned, link.latency
	m.setFailureLocked(c, nil)
	m.learnLocked(c)
	m.spawnLocked(func() { m.watch(c, link) })
	m.setUpLocked(c)
	flight.endLocked(nil)
	m.publishLocked(c)
	m.tellLocked(c, Event{Type: EventConnect}, nil)
}

// watch waits for the end of a live connection and decides what follows.
func (m *Manager) watch(c *conn, link *link) {
	err := link.wait()
	m.mu.Lock()
	if c.link != link {
		m.mu.Unlock()
		return
	}
	m.lostLocked(c, brokenConnection(err, link.wire.Cause()))
	m.mu.Unlock()
}

// lostLocked ends a connection that broke by itself and lets the background bring it back.
func (m *Manager) lostLocked(c *conn, failure *Error) {
	stable := m.clock.Now().Sub(c.since) >= stableAfter
	m.dropLocked(c, failure)
	m.setFailureLocked(c, failure)
	m.tellLocked(c, Event{Type: EventClose}, failure)
	switch {
	case !heals(failure.Code) && failure.Code != CodeClosed:
		m.publishLocked(c)
	case stable:
		m.retryLocked(c, 0)
	default:
		m.retryLocked(c, max(c.attempts, 1))
	}
}

// retryLocked starts the background work that connects with retry, after so many attempts that have failed already.
func (m *Manager) retryLocked(c *conn, attempts int) {
	if c.loop != nil || c.link != nil {
		return
	}
	ctx, cancel := context.WithCancelCause(m.ctx)
	loop := &loop{cancel: cancel, wake: make(chan struct{}, 1)}
	c.loop = loop
	c.attempts, c.maxAttempts = attempts, retryPolicy(c.server.Retry).MaxAttempts
	if !m.spawnLocked(func() { m.retry(ctx, c, loop) }) {
		c.loop = nil
		cancel(ErrClosed)
		return
	}
	m.publishLocked(c)
}

// retry is the goroutine of a loop.
func (m *Manager) retry(ctx context.Context, c *conn, loop *loop) {
	defer loop.cancel(nil)
	for {
		if !m.pause(ctx, c, loop) {
			return
		}
		m.mu.Lock()
		if c.loop != loop {
			m.mu.Unlock()
			return
		}
		c.attempts++
		if c.dial == nil && c.link == nil {
			m.dialLocked(c)
		}
		flight := c.dial
		m.mu.Unlock()

		var err error
		if flight != nil {
			err = flight.wait(ctx)
		}
		if err == nil {
			// The failure of a discovery is kept in the row; the connection is there and needs no other attempt.
			_ = m.discover(ctx, c, false)
		}
		m.mu.Lock()
		if c.loop != loop {
			m.mu.Unlock()
			return
		}
		failure, _ := errors.AsType[*Error](err)
		_, again := retryDelay(c.server.Retry, c.attempts, 0)
		if err == nil || failure != nil && !heals(failure.Code) || !again {
			c.loop = nil
			m.publishLocked(c)
			m.mu.Unlock()
			return
		}
		m.mu.Unlock()
	}
}

// pause waits before the next attempt; the first has no wait. It returns false when the loop is over.
func (m *Manager) pause(ctx context.Context, c *conn, loop *loop) bool {
	m.mu.Lock()
	if c.loop != loop {
		m.mu.Unlock()
		return false
	}
	if c.attempts == 0 {
		m.mu.Unlock()
		return true
	}
	delay, ok := retryDelay(c.server.Retry, c.attempts, m.random())
	if !ok {
		c.loop = nil
		m.publishLocked(c)
		m.mu.Unlock()
		return false
	}
	c.retryAt = m.clock.Now().Add(delay)
	m.publishLocked(c)
	m.tellLocked(c, Event{Type: EventRetry, Text: fmt.Sprintf("Attempt %s in %s.",
		attempt(c.attempts+1, c.maxAttempts), delay.Round(time.Millisecond))}, nil)
	m.mu.Unlock()
	select {
	case <-m.clock.After(delay):
	case <-loop.wake:
	case <-ctx.Done():
		return false
	}
	return true
}

// Wake makes every waiting retry try at once, and gives enabled servers that gave up another round: for a computer that
// woke from sleep or changed its network.
func (m *Manager) Wake() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range m.conns {
		switch {
		case c.loop != nil:
			c.wakeLocked()
		case c.link != nil:
			c.hurryLocked()
		case c.server.Enabled && c.link == nil && c.dial == nil && c.failure != nil && heals(c.failure.Code):
			m.retryLocked(c, 0)
		}
	}
}

// SecretsOpened says that the vault can be read now: what failed for want of a secret or of a token is tried again.
func (m *Manager) SecretsOpened() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range m.conns {
		m.accountLocked(c)
		wanting := c.failure != nil && (c.failure.Code == CodeSecret || c.failure.Code == CodeAuthRequired)
		if wanting && c.server.Enabled && c.dial == nil {
			m.retryLocked(c, 0)
		}
	}
}

// wakeLocked ends the wait of the background between two attempts.
func (c *conn) wakeLocked() {
	if c.loop != nil {
		select {
		case c.loop.wake <- struct{}{}:
		default:
		}
	}
}

func (c *conn) stopLoopLocked(reason error) {
	if c.loop != nil {
		c.loop.cancel(reason)
		c.loop = nil
	}
	c.retryAt = time.Time{}
}

// Disconnect closes the connection and keeps the row.
func (m *Manager) Disconnect(ctx context.Context, id string) error {
	m.mu.Lock()
	c, err := m.findLocked(id)
	if err != nil {
		m.mu.Unlock()
		return err
	}
	closed := m.disconnectLocked(c)
	m.mu.Unlock()
	return waitFor(ctx, closed)
}

// DisconnectAll closes every connection, all at the same time, and keeps the rows. One that takes long or fails keeps no other from it.
func (m *Manager) DisconnectAll(ctx context.Context) error {
	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		return ErrClosed
	}
	var all []<-chan struct{}
	for _, c := range m.sortedLocked() {
		all = append(all, m.disconnectLocked(c))
	}
	m.mu.Unlock()
	for _, closed := range all {
		if err := waitFor(ctx, closed); err != nil {
			return err // the rest goes on closing
		}
	}
	return nil
}

// disconnectLocked closes the connection of a server because the person wants it.
func (m *Manager) disconnectLocked(c *conn) <-chan struct{} {
	wasLive := c.link != nil
	closed := m.dropLocked(c, errDisconnected)
	m.setFailureLocked(c, nil)
	m.publishLocked(c)
	if wasLive {
		m.tellLocked(c, Event{Type: EventClose}, nil)
	}
	return closed
}

// dropLocked ends everything live of a server: attempts, discovery, connection, asks. Its calls end by the link's context.
// The returned channel closes when the connection is gone.
func (m *Manager) dropLocked(c *conn, reason error) <-chan struct{} {
	c.stopLoopLocked(reason)
	c.gen++
	ended := fail(CodeClosed, "The connection was closed before it was complete.", "Connect again.", reason)
	if typed, ok := errors.AsType[*Error](reason); ok {
		ended = typed
	}
	dialing, finding := c.dial != nil, c.find != nil
	for _, flight := range []*flight{c.dial, c.find} {
		flight.endLocked(ended)
	}
	c.dial, c.find, c.loaded, c.refetching, c.away = nil, nil, false, false, nil
	clear(c.dirty)
	done := make(chan struct{})
	link := c.link
	c.link = nil
	if dialing {
		m.tellLocked(c, Event{Type: EventConnect}, ended)
	}
	if finding {
		m.tellLocked(c, Event{Type: EventDiscover}, ended)
	}
	if link == nil {
		close(done)
		return done
	}
	cancelled := link.busy > 0
	// The calls first: a server that hears that its question went away may otherwise answer the call all the same.
	for _, call := range m.calls {
		if call.link == link {
			call.cancel(reason)
		}
	}
	link.cancel(reason)
	m.closeAsksLocked(func(a *openAsk) bool { return a.link == link }, sentenceOf(reason))
	// Not spawnLocked: this also has to happen when the Manager closes, and Close waits for it.
	m.wg.Add(1)
	go func() {
		defer m.wg.Done()
		defer close(done)
		link.close(reason, cancelled)
	}()
	return done
}

// sentenceOf says a reason as a sentence.
func sentenceOf(reason error) string {
	if typed, ok := errors.AsType[*Error](reason); ok {
		return typed.Message
	}
	return describe(reason, nil).Message
}

func waitFor(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// setFailureLocked keeps the last error, live and stored.
func (m *Manager) setFailureLocked(c *conn, failure *Error) {
	var row *store.Failure
	if failure != nil {
		copied := failure.Failure
		row = &copied
	}
	if row == nil && c.failure == nil {
		return
	}
	c.failure, c.server.LastError = row, row
	if !c.adhoc {
		id := c.id
		m.writer.later(func(ctx context.Context) error { return m.options.Store.SetLastError(ctx, id, row) })
	}
}

// learnLocked remembers what answered, so that the next connection needs no probe.
func (m *Manager) learnLocked(c *conn) {
	now := store.Learned{Transport: c.last.transport, Era: c.last.era, ProtocolVersion: c.last.protocolVersion}
	if c.server.Learned == now {
		return
	}
	c.server.Learned = now
	if !c.adhoc {
		id := c.id
		m.writer.later(func(ctx context.Context) error { return m.options.Store.SetLearned(ctx, id, now) })
	}
}

package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	defaultDiscovery = 30 * time.Second
	// Servers send bursts of list_changed (one per registered tool); one refetch answers them all.
	refetchDelay = 250 * time.Millisecond
)

// listKind is one of the four lists of a catalog.
type listKind string

const (
	listTools     listKind = "tools/list"
	listPrompts   listKind = "prompts/list"
	listResources listKind = "resources/list"
	listTemplates listKind = "resources/templates/list"
)

var allLists = []listKind{listTools, listPrompts, listResources, listTemplates}

// lists are the raw entries of some lists, as they were sent.
type lists map[listKind][]json.RawMessage

// Discover loads the catalog again. Single-flight per server.
func (m *Manager) Discover(ctx context.Context, id string) error {
	m.mu.Lock()
	c, err := m.findLocked(id)
	m.mu.Unlock()
	if err != nil {
		return err
	}
	return m.discover(ctx, c, true)
}

// discover waits for a discovery: the one under way, or a new one. Without force a loaded catalog is enough.
func (m *Manager) discover(ctx context.Context, c *conn, force bool) error {
	m.mu.Lock()
	if c.link == nil {
		skipped := fail(CodeClosed, "The server is not connected.", "Connect it first.", errDisconnected)
		m.tellLocked(c, Event{Type: EventDiscover}, skipped)
		m.mu.Unlock()
		return skipped
	}
	if c.find == nil {
		if c.loaded && !force {
			m.mu.Unlock()
			return nil
		}
		m.discoverLocked(c, force)
	}
	flight := c.find
	m.mu.Unlock()
	if flight == nil {
		return ErrClosed
	}
	return flight.wait(ctx)
}

// discoverLocked starts a discovery of the live connection. Without force a page that its server calls fresh is not asked for again.
func (m *Manager) discoverLocked(c *conn, force bool) {
	limit := c.server.Timeouts.Discovery
	if limit <= 0 {
		limit = defaultDiscovery
	}
	link := c.link
	ctx, cancel := context.WithCancelCause(link.ctx)
	flight := newFlight(cancel)
	c.find = flight
	clear(c.dirty)
	clear(c.listProblems)
	started := m.spawnLocked(func() {
		ctx, stop := context.WithTimeoutCause(ctx, limit, errDiscoveryLimit)
		defer stop()
		found, err := m.fetch(ctx, c, link, allLists, force)
		m.commitDiscovery(c, link, flight, found, err, limit)
	})
	if !started {
		c.find = nil
		flight.endLocked(ErrClosed)
		return
	}
	m.publishLocked(c)
}

// commitDiscovery takes over a catalog, unless the connection is no longer the current one. A failure leaves the connection
// and the old catalog as they are, and is kept.
func (m *Manager) commitDiscovery(c *conn, link *link, flight *flight, found lists, err error, limit time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c.link != link || c.find != flight {
		flight.endLocked(fail(CodeClosed, "The connection was closed while the catalog was loaded.", "Connect again.", errDisconnected))
		return
	}
	c.find = nil
	if err != nil {
		failure := describe(err, link.wire.Cause())
		if errors.Is(err, errDiscoveryLimit) {
			failure = fail(CodeDiscoveryTime, fmt.Sprintf("Discovery timed out after %s.", limit),
				"The server is connected but does not list what it offers. Load the catalog again, or set a longer limit.", err)
		}
		if failure.Code == CodeAuthRequired {
			m.tellLocked(c, Event{Type: EventDiscover}, failure)
			flight.endLocked(failure)
			m.lostLocked(c, failure)
			m.tellLocked(c, Event{Type: EventAuthorize}, failure)
			return
		}
		// The old catalog stays visible, but it no longer counts as the server's.
		c.loaded = false
		m.setFailureLocked(c, failure)
		flight.endLocked(failure)
		m.publishLocked(c)
		m.tellLocked(c, Event{Type: EventDiscover}, failure)
		return
	}
	c.loaded = true
	m.setFailureLocked(c, nil)
	m.replaceLocked(c, found)
	flight.endLocked(nil)
	m.publishLocked(c)
	m.tellLocked(c, Event{Type: EventDiscover}, nil)
	if len(c.dirty) > 0 {
		m.refetchLocked(c)
	}
}

// replaceLocked puts freshly loaded lists into the catalog, which is a new value: who holds the old one keeps it.
func (m *Manager) replaceLocked(c *conn, found lists) {
	catalog := c.catalog
	catalog.ServerID = c.id
	catalog.Version++
	note := func(kind listKind) func(code, subject, message string) {
		return func(code, subject, message string) {
			m.noteListLocked(c, kind, Problem{Code: code, ServerID: c.id, Subject: subject, Message: message})
		}
	}
	for kind, raw := range found {
		switch kind {
		case listTools:
			catalog.Tools = decodeTools(raw, note(kind))
			m.assignKeysLocked(c.id, catalog.Tools)
		case listPrompts:
			catalog.Prompts = decodePrompts(raw, note(kind))
		case listResources:
			catalog.Resources = decodeResources(raw, note(kind))
		case listTemplates:
			catalog.Templates = decodeTemplates(raw, note(kind))
		}
	}
	c.catalog = catalog
	m.emit(Event{Type: EventCatalog, ServerID: c.id})
}

// listsChanged notes that lists have changed on the server and fetches just these again a little later.
func (m *Manager) listsChanged(c *conn, gen uint64, kinds ...listKind) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c.gen != gen || c.link == nil {
		return
	}
	for _, kind := range kinds {
		if offers(c.link.caps, kind) {
			c.dirty[kind] = true
		}
	}
	// Before the first catalog there is nothing to refresh; during a discovery the refetch follows it, because the list may
	// have been read before the change.
	if c.loaded && c.find == nil {
		m.refetchLocked(c)
	}
}

// refreshLocked fetches again what its server does not call fresh any more. Only a look at the catalog leads to it: ttlMs is no interval
// for polling (MCP 2026-07-28, server/utilities/caching, "Freshness Calculation").
func (m *Manager) refreshLocked(c *conn) {
	if c.link == nil || !c.loaded || c.find != nil || c.refetching {
		return
	}
	for _, kind := range c.link.stale(m.clock.Now()) {
		c.dirty[kind] = true
	}
	m.refetchLocked(c)
}

// refetchLocked starts the goroutine that fetches dirty lists, unless it runs or there is nothing to do.
func (m *Manager) refetchLocked(c *conn) {
	if c.refetching || len(c.dirty) == 0 {
		return
	}
	link := c.link
	c.refetching = m.spawnLocked(func() { m.refetch(c, link) })
}

// refetch tries a list that does not come as often as it would try to connect: the server said that the old one is wrong.
func (m *Manager) refetch(c *conn, link *link) {
	failures := 0
	var delay time.Duration
	for {
		if failures == 0 {
			m.mu.Lock()
			delay = m.unrestLocked(c, link)
			m.mu.Unlock()
		}
		select {
		case <-m.clock.After(delay):
		case <-link.ctx.Done():
			return
		}
		m.mu.Lock()
		if c.link != link {
			m.mu.Unlock()
			return
		}
		var kinds []listKind
		for _, kind := range allLists {
			if c.dirty[kind] {
				kinds = append(kinds, kind)
				delete(c.listProblems, kind)
			}
		}
		clear(c.dirty)
		limit := c.server.Timeouts.Discovery
		m.mu.Unlock()
		if limit <= 0 {
			limit = defaultDiscovery
		}
		ctx, stop := context.WithTimeoutCause(link.ctx, limit, errDiscoveryLimit)
		found, err := m.fetch(ctx, c, link, kinds, true)
		stop()

		m.mu.Lock()
		if c.link != link {
			m.mu.Unlock()
			return
		}
		if err != nil {
			failure := describe(err, link.wire.Cause())
			m.noteListLocked(c, kinds[0], Problem{
				Code: "refetch_failed", ServerID: c.id, Subject: string(kinds[0]),
				Message: "A list that has changed, or is no longer fresh, could not be loaded again: " + failure.Message,
			})
			for _, kind := range kinds {
				c.dirty[kind] = true // also for the next occasion, when there is no other attempt now
			}
			failures++
		} else {
			m.replaceLocked(c, found)
			failures = 0
		}
		again := true
		if failures > 0 {
			delay, again = retryDelay(c.server.Retry, failures, m.random())
			delay = max(delay, refetchDelay)
		}
		if len(c.dirty) == 0 || c.find != nil || !again {
			c.refetching = false
			m.publishLocked(c)
			m.mu.Unlock()
			return
		}
		m.mu.Unlock()
	}
}

// fetch loads lists in parallel. A list that the server does not offer, or answers with "method not found", is empty.
func (m *Manager) fetch(ctx context.Context, c *conn, link *link, kinds []listKind, force bool) (lists, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		found = lists{}
		first error
	)
	for _, kind := range kinds {
		if !offers(link.caps, kind) {
			mu.Lock()
			found[kind] = nil
			mu.Unlock()
			continue
		}
		wg.Go(func() {
			entries, err := m.fetchList(ctx, c, link, kind, force)
			mu.Lock()
			defer mu.Unlock()
			if err != nil && first == nil {
				first = err
				cancel(err) // the others are of no use any more
			}
			found[kind] = entries
		})
	}
	wg.Wait()
	return found, first
}

// offers says whether the server's capabilities include a list.
func offers(caps *sdk.ServerCapabilities, kind listKind) bool {
	switch kind {
	case listTools:
		return caps.Tools != nil
	case listPrompts:
		return caps.Prompts != nil
	}
	return caps.Resources != nil
}

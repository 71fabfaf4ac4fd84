package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"jackfield/backend/mcp/wire"
)

const (
	defaultDiscovery = 30 * time.Second
	maxPages         = 1000
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

type pageKey struct {
	kind   listKind
	cursor string
}

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
		m.mu.Unlock()
		return fail(CodeClosed, "The server is not connected.", "Connect it first.", errDisconnected)
	}
	if c.find == nil {
		if c.loaded && !force {
			m.mu.Unlock()
			return nil
		}
		m.discoverLocked(c)
	}
	flight := c.find
	m.mu.Unlock()
	if flight == nil {
		return ErrClosed
	}
	return flight.wait(ctx)
}

// discoverLocked starts a discovery of the live connection.
func (m *Manager) discoverLocked(c *conn) {
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
		found, err := m.fetch(ctx, c, link, allLists)
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
		m.emit(Event{Type: EventDiscover, ServerID: c.id, Text: failure.Message})
		if failure.Code == CodeAuthRequired {
			flight.endLocked(failure)
			m.lostLocked(c, failure)
			m.emit(Event{Type: EventAuthorize, ServerID: c.id, Text: failure.Message})
			return
		}
		// The old catalog stays visible, but it no longer counts as the server's.
		c.loaded = false
		m.setFailureLocked(c, failure)
		flight.endLocked(failure)
		m.publishLocked(c)
		return
	}
	c.loaded = true
	m.setFailureLocked(c, nil)
	m.replaceLocked(c, found)
	flight.endLocked(nil)
	m.publishLocked(c)
	m.emit(Event{Type: EventDiscover, ServerID: c.id})
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

// refetchLocked starts the goroutine that fetches dirty lists, unless it runs or there is nothing to do.
func (m *Manager) refetchLocked(c *conn) {
	if c.refetching || len(c.dirty) == 0 {
		return
	}
	link := c.link
	c.refetching = m.spawnLocked(func() { m.refetch(c, link) })
}

func (m *Manager) refetch(c *conn, link *link) {
	for {
		select {
		case <-m.clock.After(refetchDelay):
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
		found, err := m.fetch(ctx, c, link, kinds)
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
				Message: "The server said that its lists changed, but they could not be loaded again: " + failure.Message,
			})
		} else {
			m.replaceLocked(c, found)
		}
		if len(c.dirty) == 0 || c.find != nil {
			c.refetching = false
			m.publishLocked(c)
			m.mu.Unlock()
			return
		}
		m.mu.Unlock()
	}
}

// fetch loads lists in parallel. A list that the server does not offer, or answers with "method not found", is empty.
func (m *Manager) fetch(ctx context.Context, c *conn, link *link, kinds []listKind) (lists, error) {
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
			entries, err := m.fetchList(ctx, c, link, kind)
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

// fetchList loads all pages of a list.
func (m *Manager) fetchList(ctx context.Context, c *conn, link *link, kind listKind) ([]json.RawMessage, error) {
	var (
		entries []json.RawMessage
		cursor  string
		seen    = map[string]bool{}
	)
	for page := 1; ; page++ {
		raw, err := link.page(ctx, kind, cursor)
		if err != nil {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if rpc, ok := errors.AsType[*jsonrpc.Error](err); ok && rpc.Code == jsonrpc.CodeMethodNotFound {
				return nil, nil
			}
			return nil, err
		}
		some, next, err := splitPage(raw, kind)
		if err != nil {
			return nil, fail(CodeProtocol, fmt.Sprintf("The answer to %s is not a list: %v", kind, err), "The activity shows it.", err)
		}
		entries = append(entries, some...)
		if next == "" {
			return entries, nil
		}
		// A cursor that comes back would make the client ask for ever.
		if seen[next] || page == maxPages {
			m.mu.Lock()
			if c.link == link {
				problem := Problem{
					Code: "repeated_cursor", ServerID: c.id, Subject: string(kind),
					Message: fmt.Sprintf("The server gave the cursor %q a second time. The list ends there.", firstLine(next, 80)),
				}
				if !seen[next] {
					problem.Code = "endless_list"
					problem.Message = fmt.Sprintf("The list has more than %d pages. The rest was not loaded.", maxPages)
				}
				m.noteListLocked(c, kind, problem)
			}
			m.mu.Unlock()
			return entries, nil
		}
		seen[next] = true
		cursor = next
	}
}

// listCall is the id of the wire call that loads a list, so that its problems find their list.
func listCall(kind listKind) string { return "list:" + string(kind) }

func listOfCall(id string) (listKind, bool) {
	kind, ok := strings.CutPrefix(id, "list:")
	return listKind(kind), ok && slices.Contains(allLists, listKind(kind))
}

// page loads one page and returns its raw result.
func (l *link) page(ctx context.Context, kind listKind, cursor string) (json.RawMessage, error) {
	call := &wire.Call{ID: listCall(kind)}
	ctx = wire.WithCall(ctx, call)
	var err error
	switch kind {
	case listTools:
		_, err = l.session.ListTools(ctx, &sdk.ListToolsParams{Cursor: cursor})
	case listPrompts:
		_, err = l.session.ListPrompts(ctx, &sdk.ListPromptsParams{Cursor: cursor})
	case listResources:
		_, err = l.session.ListResources(ctx, &sdk.ListResourcesParams{Cursor: cursor})
	case listTemplates:
		_, err = l.session.ListResourceTemplates(ctx, &sdk.ListResourceTemplatesParams{Cursor: cursor})
	}
	key := pageKey{kind, cursor}
	l.mu.Lock()
	defer l.mu.Unlock()
	if raw := call.Result(); raw != nil {
		// Also when go-sdk could not decode it: the raw page is what counts.
		l.pages[key] = raw
		return raw, nil
	}
	if err != nil {
		// The wire keeps the type of an error where go-sdk hands on only its text.
		if typed := call.Err(); typed != nil {
			return nil, typed
		}
		return nil, err
	}
	if raw, ok := l.pages[key]; ok {
		return raw, nil
	}
	return nil, fail(CodeProtocol, fmt.Sprintf("%s was answered without a result.", kind), "The activity shows the answer.", nil)
}

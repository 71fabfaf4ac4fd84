package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"jackfield/backend/mcp/wire"
	"jackfield/backend/store"
)

const (
	maxPages = 1000
	// A catalog is looked at often. However short the time is that a server gives it, looking does not ask more often than this.
	leastFresh = 10 * time.Second
	mostFresh  = 24 * time.Hour
)

// pageKey identifies a page as the server's cache hints do (MCP 2026-07-28, server/utilities/caching, "Cache Key").
type pageKey struct {
	kind   listKind
	cursor string
}

// page is one page of a list as it came.
type page struct {
	raw   []byte
	came  time.Time
	fresh time.Duration // from ttlMs; 0: the server gave no time
}

// fetchList loads all pages of a list. A page that is still fresh is not asked for again, unless force is set.
func (m *Manager) fetchList(ctx context.Context, c *conn, link *link, kind listKind, force bool) ([]json.RawMessage, error) {
	var (
		entries []json.RawMessage
		cursor  string
		seen    = map[string]bool{}
	)
	if force {
		link.forget(kind)
	}
	for n := 1; ; n++ {
		raw, err := m.page(ctx, link, pageKey{kind, cursor})
		if err != nil {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if rpc, ok := errors.AsType[*jsonrpc.Error](err); ok && rpc.Code == jsonrpc.CodeMethodNotFound {
				m.mu.Lock()
				m.tellLocked(c, Event{Type: EventDiscover, URI: string(kind)}, fail(CodeServerError,
					fmt.Sprintf("The server does not know %s, so the list is empty.", kind), "", err))
				m.mu.Unlock()
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
		if seen[next] || n == maxPages {
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

// page returns the raw result of one page: the one that is still fresh, or a new one. The wire lets go-sdk keep none, so each request
// goes to the server.
func (m *Manager) page(ctx context.Context, l *link, key pageKey) (json.RawMessage, error) {
	l.mu.Lock()
	kept, ok := l.pages[key]
	l.mu.Unlock()
	if ok && m.clock.Now().Before(kept.came.Add(kept.fresh)) {
		return kept.raw, nil
	}
	call := &wire.Call{ID: listCall(key.kind)}
	ctx = wire.WithCall(ctx, call)
	var err error
	switch key.kind {
	case listTools:
		_, err = l.session.ListTools(ctx, &sdk.ListToolsParams{Cursor: key.cursor})
	case listPrompts:
		_, err = l.session.ListPrompts(ctx, &sdk.ListPromptsParams{Cursor: key.cursor})
	case listResources:
		_, err = l.session.ListResources(ctx, &sdk.ListResourcesParams{Cursor: key.cursor})
	case listTemplates:
		_, err = l.session.ListResourceTemplates(ctx, &sdk.ListResourceTemplatesParams{Cursor: key.cursor})
	}
	if raw := call.Result(); raw != nil {
		// Also when go-sdk could not decode it: the raw page is what counts.
		l.mu.Lock()
		l.pages[key] = page{raw: raw, came: m.clock.Now(), fresh: freshness(raw, l.learned.era)}
		l.mu.Unlock()
		return raw, nil
	}
	if err == nil {
		err = fail(CodeProtocol, fmt.Sprintf("%s was answered without a result.", key.kind), "The activity shows the answer.", nil)
	} else if typed := call.Err(); typed != nil {
		// The wire keeps the type of an error where go-sdk hands on only its text.
		err = typed
	}
	return nil, err
}

// unrest is how often the lists of a server have changed without a pause.
type unrest struct {
	times int
	last  time.Time
}

const (
	// So many changes in a row are an ordinary start of a server with many tools.
	restlessAfter = 8
	calmAfter     = time.Minute
	mostRefetch   = 30 * time.Second
)

// delay counts one more change and returns how long to wait before the lists are fetched again. Some servers say that their lists have
// changed whenever these are asked for, which would go on for ever without a pause.
func (u *unrest) delay(now time.Time) time.Duration {
	if now.Sub(u.last) > calmAfter {
		u.times = 0
	}
	u.last = now
	u.times++
	if u.times <= restlessAfter {
		return refetchDelay
	}
	return min(refetchDelay<<min(u.times-restlessAfter, 10), mostRefetch)
}

// unrestLocked returns how long to wait before changed lists are fetched, and names a server whose lists never rest.
func (m *Manager) unrestLocked(c *conn, link *link) time.Duration {
	delay := link.unrest.delay(m.clock.Now())
	if link.unrest.times == 2*restlessAfter && c.link == link {
		m.noteLinkLocked(c, Problem{
			Code: "lists_restless", ServerID: c.id, Subject: "list_changed",
			Message: fmt.Sprintf("The server says again and again that its lists have changed. They are loaded at most every %s now.", mostRefetch),
		})
	}
	return delay
}

// forget drops the pages of a list.
func (l *link) forget(kind listKind) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for key := range l.pages {
		if key.kind == kind {
			delete(l.pages, key)
		}
	}
}

// stale returns the lists with a page whose time has run out. Lists without one change when the server says so.
func (l *link) stale(now time.Time) (kinds []listKind) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for key, kept := range l.pages {
		if kept.fresh > 0 && !slices.Contains(kinds, key.kind) && now.Sub(kept.came) >= max(kept.fresh, leastFresh) {
			kinds = append(kinds, key.kind)
		}
	}
	return kinds
}

// freshness reads ttlMs, which only the modern era has. What is missing, negative or no number counts as 0.
func freshness(result json.RawMessage, era store.Era) time.Duration {
	var ms float64
	if era != store.EraModern || json.Unmarshal(wire.Get(result, "ttlMs"), &ms) != nil || !(ms > 0) {
		return 0
	}
	return time.Duration(min(ms, float64(mostFresh.Milliseconds()))) * time.Millisecond
}

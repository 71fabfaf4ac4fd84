package mcp

import (
	"context"
	"maps"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"jackfield/backend/store"
)

// A legacy server is told once per session how much to log (logging/setLevel), a modern one with every request, by its _meta
// (MCP 2026-07-28, "Per-request log level").

// setUpLocked sets up what hangs on a connection or session, on a new one: the log level, then the subscriptions.
func (m *Manager) setUpLocked(c *conn) {
	m.setLevelLocked(c)
	m.resubscribeLocked(c)
}

// adjustLocked tells a live connection what an edit changed that needs no new one.
func (m *Manager) adjustLocked(c *conn, old store.Server) {
	link, to := c.link, c.server
	if to.LogLevel != old.LogLevel {
		m.setLevelLocked(c)
	}
	if !slices.Equal(old.Roots, to.Roots) {
		m.spawnLocked(func() { link.moveRoots(old.Roots, to.Roots) })
	}
}

// setLevelLocked asks for the log level of a server. A legacy session cannot be told to go back to its own level; the next one has it.
func (m *Manager) setLevelLocked(c *conn) {
	link, level := c.link, c.server.LogLevel
	link.level.Store(level)
	//lint:ignore SA1019 servers go on sending logs: the feature is deprecated by SEP-2577, not gone
	if level == "" || link.learned.era == store.EraModern || link.caps.Logging == nil {
		return
	}
	m.spawnLocked(func() {
		ctx, cancel := context.WithTimeoutCause(link.ctx, defaultConnect, errConnectLimit)
		defer cancel()
		//lint:ignore SA1019 as above
		err := link.session.SetLoggingLevel(ctx, &sdk.SetLoggingLevelParams{Level: sdk.LoggingLevel(level)})
		if err == nil || link.ctx.Err() != nil {
			return
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		if c.link == link {
			m.noteLinkLocked(c, Problem{
				Code: "log_level_refused", ServerID: c.id, Subject: "logging/setLevel",
				Message: "The server offers logs but does not take the level: " + describe(err, link.wire.Cause()).Message,
			})
		}
	})
}

// askForLogs is a middleware that puts the log level into requests of the modern era. Before the handshake has told the era there is nothing to
// log for.
func (l *link) askForLogs(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, request sdk.Request) (sdk.Result, error) {
		level, _ := l.level.Load().(store.LogLevel)
		if params := request.GetParams(); level != "" && l.modern.Load() && params != nil {
			meta := maps.Clone(params.GetMeta())
			if meta == nil {
				meta = map[string]any{}
			}
			//lint:ignore SA1019 servers go on sending logs: the feature is deprecated by SEP-2577, not gone
			meta[sdk.MetaKeyLogLevel] = string(level)
			params.SetMeta(meta)
		}
		return next(ctx, method, request)
	}
}

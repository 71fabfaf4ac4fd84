package mcp

import (
	"errors"
	"net/http"
	"slices"

	"jackfield/backend/mcp/wire"
	"jackfield/backend/store"
)

// legacyVersion pins the initialize handshake: with it go-sdk sends no server/discover.
const legacyVersion = "2025-11-25"

// modernVersion is the first revision without a handshake.
const modernVersion = "2026-07-28"

// plan is one way to do a handshake.
type plan struct {
	transport store.Transport
	pinned    bool // initialize at once, no probe
}

// firstPlan is where to begin: with what was learned, if the server may choose.
func firstPlan(s store.Server) plan {
	transport := s.Transport
	if transport == store.TransportAuto {
		transport = store.TransportStreamableHTTP
		if s.Learned.Transport == store.TransportSSE {
			transport = store.TransportSSE
		}
	}
	return plan{transport: transport, pinned: pinned(s, transport)}
}

func pinned(s store.Server, transport store.Transport) bool {
	// HTTP+SSE belongs to 2024-11-05: nothing modern is behind it.
	return transport == store.TransportSSE || s.Era == store.EraLegacy ||
		s.Era != store.EraModern && s.Learned.Era == store.EraLegacy && s.Learned.Transport == transport
}

// nextPlan is what to try after a plan has failed, if anything. Only "auto" tries another transport, and only where the
// specification says so: from Streamable HTTP to HTTP+SSE after 404 or 405 (MCP 2025-03-26, "Backwards Compatibility").
// What was only learned, not asked for, is checked again without it.
func nextPlan(s store.Server, tried []plan, failure *Error, cause error) (plan, bool) {
	last := tried[len(tried)-1]
	again := func(p plan) (plan, bool) { return p, !slices.Contains(tried, p) }
	if failure.Code != CodeNoHandshake {
		return plan{}, false
	}
	if last.pinned && s.Era != store.EraLegacy && last.transport != store.TransportSSE {
		return again(plan{transport: last.transport})
	}
	if s.Transport != store.TransportAuto {
		return plan{}, false
	}
	if last.transport == store.TransportSSE {
		// Learned earlier; the server may have moved on.
		return again(plan{transport: store.TransportStreamableHTTP, pinned: s.Era == store.EraLegacy})
	}
	if status := statusOf(failure, cause); status == http.StatusNotFound || status == http.StatusMethodNotAllowed {
		return again(plan{transport: store.TransportSSE, pinned: true})
	}
	return plan{}, false
}

// statusOf is the HTTP status behind a failure, 0 if none.
func statusOf(errs ...error) int {
	for _, err := range errs {
		if status, ok := errors.AsType[*wire.StatusError](err); ok {
			return status.Status
		}
	}
	return 0
}

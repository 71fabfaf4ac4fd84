package mcp

import (
	"encoding/json"
	"slices"

	"jackfield/backend/mcp/wire"
)

// urlElicitationRequired is the JSON-RPC error of MCP 2025-11-25, client/elicitation, "URL Elicitation Required Error": the call did not run,
// because the person has to visit addresses first.
const urlElicitationRequired = "-32042"

// maxVisits bounds the addresses of one error that the person is asked about.
const maxVisits = 8

// visits are the addresses that an error wants the person to visit first; none for any other error.
func visits(raw json.RawMessage) []Ask {
	if plain(wire.Get(raw, "code")) != urlElicitationRequired {
		return nil
	}
	var asks []Ask
	for params := range wire.Elements(wire.Get(wire.Get(raw, "data"), "elicitations")) {
		ask := elicitation(params)
		if ask.Mode == AskURL && ask.URL != "" && len(asks) < maxVisits {
			asks = append(asks, ask)
		}
	}
	return asks
}

// askVisitsLocked asks about the addresses that an ended call needs. Nobody waits for the answers: making the call again is up to the
// person, since only they know whether what it does may be done twice.
func (m *Manager) askVisitsLocked(call *runningCall, asks []Ask) {
	if !slices.Contains(m.options.Modes, AskURL) || call.conn.link != call.link || m.closed {
		return
	}
	for _, ask := range asks {
		known := slices.ContainsFunc(m.asks, func(open *openAsk) bool {
			return open.link == call.link && open.CallEnded && open.URL == ask.URL && open.URLID == ask.URLID
		})
		if known { // the call was made again before the person answered
			continue
		}
		a := m.newAsk(call.conn, call.link, ask)
		a.CallID, a.CallName, a.Arguments, a.CallEnded = call.row.ID, call.row.Name, call.row.Arguments, true
		m.asks = append(m.asks, a)
		m.emitAsk(a)
	}
}

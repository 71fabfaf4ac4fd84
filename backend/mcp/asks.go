package mcp

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/oklog/ulid/v2"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"jackfield/backend/mcp/wire"
	"jackfield/backend/store"
)

// maxVisited bounds the accepted URLs whose completion is awaited, per connection.
const maxVisited = 64

// openAsk is an ask that waits for its answer. Manager.mu guards the row; answered closes once it is closed.
type openAsk struct {
	Ask
	link     *link
	paused   []*runningCall // the calls whose limits stand still meanwhile
	answered chan struct{}
	answer   Answer
	err      error // why it went away without an answer
}

// openAsk shows an ask. call is nil where the protocol does not say which call it belongs to.
func (m *Manager) openAsk(c *conn, l *link, call *runningCall, ask Ask) (*openAsk, error) {
	if !slices.Contains(m.options.Modes, ask.Mode) {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("this client does not support elicitation mode %q", ask.Mode)}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if c.link != l || m.closed {
		return nil, errDisconnected
	}
	a := m.newAsk(c, l, ask)
	var others []*runningCall
	for _, running := range m.calls {
		if running.link == l {
			others = append(others, running)
		}
	}
	// On stdio and on the GET stream nothing says which call an elicitation belongs to. With one call running it can only be that one; with several,
	// none is ended by its limits while the person is asked.
	if call == nil && len(others) == 1 {
		call = others[0]
	}
	if call != nil {
		a.CallID, a.CallName, a.Arguments = call.row.ID, call.row.Name, call.row.Arguments
		others = []*runningCall{call}
	}
	a.paused = others
	for _, running := range others {
		running.dog.pause()
	}
	m.asks = append(m.asks, a)
	m.emitAsk(a)
	m.emitCallsLocked(a.paused) // their limits stand still from now on
	return a, nil
}

func (m *Manager) newAsk(c *conn, l *link, ask Ask) *openAsk {
	a := &openAsk{Ask: ask, link: l, answered: make(chan struct{})}
	a.ID = ulid.Make().String()
	a.ServerID, a.ServerName, a.Endpoint = c.id, c.server.Name, endpointName(c.server)
	a.OpenedAt = m.clock.Now()
	return a
}

// endpointName tells in a word where a server is.
func endpointName(s store.Server) string {
	switch s.Transport {
	case store.TransportStdio:
		return filepath.Base(s.Command)
	case store.TransportBuiltin:
		return "built in"
	}
	if u, err := url.Parse(s.URL); err == nil && u.Host != "" {
		return u.Host
	}
	return s.URL
}

// awaitAnswer waits until the ask is closed, and closes it when ctx ends first.
func (m *Manager) awaitAnswer(ctx context.Context, a *openAsk) (Answer, error) {
	select {
	case <-a.answered:
	case <-ctx.Done():
		m.mu.Lock()
		m.closeAsksLocked(func(other *openAsk) bool { return other == a }, closeReason(context.Cause(ctx)))
		m.mu.Unlock()
		<-a.answered
	}
	return a.answer, a.err
}

// closeReason says why an ask went away, when its request ended.
func closeReason(cause error) string {
	switch cause {
	case context.Canceled:
		return "The server took the question back."
	case errPerson:
		return "The call was cancelled."
	}
	return sentenceOf(cause)
}

// Answer answers an open ask. Content of an accepted form is checked against the schema first: a *Error with
// CodeInvalidAnswer and Fields leaves the ask open.
func (m *Manager) Answer(ctx context.Context, id string, answer Answer) error {
	m.mu.Lock()
	i := slices.IndexFunc(m.asks, func(a *openAsk) bool { return a.ID == id })
	if i < 0 {
		m.mu.Unlock()
		return ErrUnknownAsk
	}
	ask := m.asks[i]
	m.mu.Unlock()
	// The schema of an ask does not change, so it is checked without the lock: that may take a while.
	checked, err := checkAnswer(ask.Mode, ask.Schema, answer)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if ask.Closed {
		return ErrUnknownAsk
	}
	ask.answer = checked
	if call := m.calls[ask.CallID]; call != nil {
		call.row.Asks = append(call.row.Asks, store.AskOutcome{Mode: string(ask.Mode), Action: string(answer.Action)})
	}
	m.closeAskLocked(ask, checked.Action, "")
	if ask.URLID != "" && checked.Action == ActionAccept && len(ask.link.visited) < maxVisited {
		ask.link.visited[ask.URLID] = ask.Ask
	}
	return nil
}

// closeAsksLocked closes asks that went away unanswered.
func (m *Manager) closeAsksLocked(match func(*openAsk) bool, reason string) {
	for _, a := range slices.Clone(m.asks) {
		if match(a) {
			a.err = fmt.Errorf("the question was closed: %w", errDisconnected)
			m.closeAskLocked(a, "", reason)
		}
	}
}

func (m *Manager) closeAskLocked(a *openAsk, outcome AskAction, reason string) {
	m.asks = slices.DeleteFunc(m.asks, func(other *openAsk) bool { return other == a })
	a.Closed, a.Outcome, a.Reason = true, outcome, reason
	for _, call := range a.paused {
		call.dog.resume()
	}
	close(a.answered)
	m.emitAsk(a)
	m.emitCallsLocked(a.paused)
}

// emitCallsLocked tells how the calls are that still run.
func (m *Manager) emitCallsLocked(calls []*runningCall) {
	for _, call := range calls {
		if m.calls[call.row.ID] == call {
			m.emitCall(call.rowLocked())
		}
	}
}

func (m *Manager) emitAsk(a *openAsk) {
	row := a.Ask
	m.emit(Event{Type: EventAsk, ServerID: row.ServerID, Ask: &row})
}

// elicit handles an elicitation/create request of a legacy server.
func (m *Manager) elicit(ctx context.Context, c *conn, l *link, params *sdk.ElicitParams) (*sdk.ElicitResult, error) {
	ask := Ask{Mode: AskMode(params.Mode), Message: params.Message, URL: params.URL, URLID: params.ElicitationID}
	if ask.Mode == "" {
		ask.Mode = AskForm
	}
	var of *wire.Call
	if key, ok := params.Meta[wire.AskKey].(string); ok {
		raw, call, found := l.wire.Ask(key)
		if found {
			ask, of = elicitation(raw), call
		}
	}
	answer, err := m.ask(ctx, c, l, of, ask)
	if err != nil {
		return nil, err
	}
	return elicitResult(answer)
}

// ask shows what a legacy server asked, on behalf of a call if one is known, and waits for the answer.
func (m *Manager) ask(ctx context.Context, c *conn, l *link, of *wire.Call, ask Ask) (Answer, error) {
	var call *runningCall
	if of != nil {
		m.mu.Lock()
		call = m.calls[of.ID]
		m.mu.Unlock()
	}
	a, err := m.openAsk(c, l, call, ask)
	if err != nil {
		return Answer{}, err
	}
	answer, err := m.awaitAnswer(ctx, a)
	if err != nil {
		// The cancellation of the call goes first. Otherwise the server takes this for an answer and ends the call with it.
		select {
		case <-time.After(2 * cancelGrace):
		case <-ctx.Done():
		}
	}
	return answer, err
}

// elicitationComplete is told when the person has finished at a URL (MCP 2025-11-25, notifications/elicitation/complete). Only an
// ask that was accepted on this connection is known here; every other id, and a repeated one, changes nothing. An ask that
// is still open stays open: a server cannot give the person's consent.
func (m *Manager) elicitationComplete(c *conn, l *link, id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	ask, ok := l.visited[id]
	if !ok || c.link != l {
		return
	}
	delete(l.visited, id)
	ask.Reason = "The server says that this is done."
	m.emit(Event{Type: EventAsk, ServerID: c.id, Ask: &ask})
}

package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/oklog/ulid/v2"

	"jackfield/backend/mcp/wire"
	"jackfield/backend/store"
)

const (
	defaultIdle  = 60 * time.Second
	defaultTotal = 10 * time.Minute
)

// runningCall is a call from its start to its end. Manager.mu guards the row.
type runningCall struct {
	row    Call
	conn   *conn
	link   *link
	wire   *wire.Call
	cancel context.CancelCauseFunc
	dog    *watchdog
}

// rowLocked is the row as of now, as a value that does not change.
func (r *runningCall) rowLocked() Call {
	row := r.row
	row.IdleUntil, row.TotalUntil = r.dog.limits()
	row.Problems = slices.Clone(row.Problems)
	row.Asks = slices.Clone(row.Asks)
	if row.Progress != nil {
		progress := *row.Progress
		row.Progress = &progress
	}
	return row
}

func (r *runningCall) noteLocked(p Problem) {
	if len(r.row.Problems) < maxProblems && !slices.Contains(r.row.Problems, p) {
		r.row.Problems = append(r.row.Problems, p)
	}
}

// running says whether a call's row is of a running call.
func running(c Call) bool { return c.Outcome == store.OutcomeRunning }

// Call runs one request and waits for its end. A tool's own error (isError) is an outcome, not an error; when err is a
// *Error the returned Call still says what is known. A server that is not connected is connected first, unless it is disabled.
func (m *Manager) Call(ctx context.Context, request CallRequest) (Call, error) {
	if request.ID == "" {
		request.ID = ulid.Make().String()
	}
	unsent := Call{Call: store.Call{
		ID: request.ID, ServerID: request.ServerID, Kind: request.Kind, Name: request.Name, Arguments: request.Arguments,
		Outcome: store.OutcomeFailed, StartedAt: m.clock.Now(),
	}}
	refuse := func(err error) (Call, error) {
		if known, ok := errors.AsType[*Error](err); ok {
			unsent.Failure = &known.Failure
		}
		return unsent, err
	}
	if err := checkRequest(&request); err != nil {
		return refuse(err)
	}
	unsent.Arguments = request.Arguments
	c, link, err := m.ready(ctx, request.ServerID)
	if err != nil {
		return refuse(err)
	}
	if request.Kind == store.KindTool && link.mirrors() {
		m.awaitTools(ctx, c)
	}
	callCtx, call, err := m.begin(ctx, c, link, request)
	if err != nil {
		return refuse(err)
	}
	stop := context.AfterFunc(link.ctx, func() { call.cancel(context.Cause(link.ctx)) })
	defer stop()
	end := ending{kind: request.Kind, era: link.learned.era, idle: call.dog.idle, total: call.dog.total}
	end.err = m.rounds(callCtx, call, request)
	end.rounds = call.wire.Rounds()
	if callCtx.Err() != nil {
		end.cause = context.Cause(callCtx)
	}
	if end.err != nil {
		if end.wire = call.wire.Err(); end.wire == nil {
			end.wire = link.wire.Cause()
		}
	}
	return m.finish(call, end)
}

// checkRequest refuses what cannot be sent, and fills in empty arguments.
func checkRequest(r *CallRequest) error {
	switch r.Kind {
	case store.KindTool, store.KindPrompt, store.KindResource:
	default:
		return fail(CodeUsage, fmt.Sprintf("There is no kind of call %q.", r.Kind), "Use tool, prompt or resource.", nil)
	}
	if r.Name == "" {
		return fail(CodeUsage, fmt.Sprintf("The %s has no name.", r.Kind), "Choose one from the catalog.", nil)
	}
	if r.Kind == store.KindResource {
		return nil
	}
	if len(bytes.TrimSpace(r.Arguments)) == 0 {
		r.Arguments = json.RawMessage("{}")
	}
	trimmed := bytes.TrimSpace(r.Arguments)
	if !json.Valid(trimmed) || trimmed[0] != '{' {
		return fail(CodeUsage, "The arguments are not a JSON object.", `Write them as {"name": value, …}.`, nil)
	}
	if r.Kind == store.KindPrompt {
		if _, err := promptArguments(r.Arguments); err != nil {
			return err
		}
	}
	return nil
}

// promptArguments decodes the arguments of a prompt, which are strings (MCP, "Getting a Prompt").
func promptArguments(raw json.RawMessage) (map[string]string, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, fail(CodeUsage, "The arguments are not a JSON object.", `Write them as {"name": "value", …}.`, err)
	}
	arguments := make(map[string]string, len(fields))
	for name, value := range fields {
		var s string
		if err := json.Unmarshal(value, &s); err != nil {
			f := fail(CodeUsage, fmt.Sprintf("The prompt's argument %q is not a string.", name), "Arguments of prompts are strings.", err)
			f.Fields = []FieldError{{Pointer: pointer(name), Message: "This has to be a string."}}
			return nil, f
		}
		arguments[name] = s
	}
	return arguments, nil
}

// ready returns the live connection of a server, connecting it first if need be.
func (m *Manager) ready(ctx context.Context, id string) (*conn, *link, error) {
	m.mu.Lock()
	c, err := m.findLocked(id)
	if err != nil {
		m.mu.Unlock()
		return nil, nil, err
	}
	if link := c.link; link != nil {
		m.mu.Unlock()
		return c, link, nil
	}
	enabled := c.server.Enabled || c.adhoc
	m.mu.Unlock()
	if !enabled {
		return nil, nil, fail(CodeClosed, "The server is disabled.", "Enable it, or connect it, and call again.", nil)
	}
	if _, err := m.open(ctx, id); err != nil {
		return nil, nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if c.link == nil {
		return nil, nil, fail(CodeClosed, "The connection was closed again before the request was sent.", "Connect again.", errDisconnected)
	}
	if !c.loaded && c.find == nil {
		m.discoverLocked(c, false) // in the background: the request does not need the catalog
	}
	return c, c.link, nil
}

// begin makes the row of a call and its context.
func (m *Manager) begin(ctx context.Context, c *conn, link *link, request CallRequest) (context.Context, *runningCall, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, nil, ErrClosed
	}
	if c.link != link {
		return nil, nil, fail(CodeClosed, "The connection was closed before the request was sent.", "Call again.", errDisconnected)
	}
	if _, exists := m.calls[request.ID]; exists {
		return nil, nil, fail(CodeUsage, fmt.Sprintf("A call %s is running already.", request.ID), "Choose another id.", nil)
	}
	if err := c.unknownLocked(request); err != nil {
		return nil, nil, err
	}
	idle := cmpOr(request.Idle, c.server.Timeouts.CallIdle, defaultIdle)
	total := cmpOr(request.Total, c.server.Timeouts.CallTotal, defaultTotal)
	call := &runningCall{
		row: Call{Call: store.Call{
			ID: request.ID, ServerID: c.id, Kind: request.Kind, Name: request.Name, Arguments: request.Arguments,
			Outcome: store.OutcomeRunning, StartedAt: m.clock.Now(),
		}},
		conn: c, link: link, dog: newWatchdog(m.clock, idle, total),
		wire: &wire.Call{ID: request.ID, Placeholder: true},
	}
	call.wire.OnLife(call.dog.alive)
	ctx, call.cancel = context.WithCancelCause(ctx)
	dogCtx := ctx
	m.calls[request.ID] = call
	link.calls.Add(1)
	link.busy++
	m.spawnLocked(func() { call.dog.run(dogCtx, call.cancel) })
	m.save(call.row, c.adhoc)
	m.emitCall(call.rowLocked())
	return wire.WithCall(ctx, call.wire), call, nil
}

func cmpOr(durations ...time.Duration) time.Duration {
	for _, d := range durations {
		if d > 0 {
			return d
		}
	}
	return 0
}

// unknownLocked refuses a name that a loaded catalog does not have. Resources are not checked: a template may make them.
func (c *conn) unknownLocked(request CallRequest) error {
	if !c.loaded {
		return nil
	}
	known := true
	switch request.Kind {
	case store.KindTool:
		known = slices.ContainsFunc(c.catalog.Tools, func(t Tool) bool { return t.Name == request.Name })
	case store.KindPrompt:
		known = slices.ContainsFunc(c.catalog.Prompts, func(p Prompt) bool { return p.Name == request.Name })
	}
	if known {
		return nil
	}
	return fail(CodeUnknownItem, fmt.Sprintf("%s has no %s %q.", c.server.Name, request.Kind, request.Name),
		"Load the catalog again if the server has changed.", nil)
}

// send does one round of a call. What a retry carries is put in by the wire.
func (l *link) send(ctx context.Context, request CallRequest) error {
	switch request.Kind {
	case store.KindTool:
		params := &sdk.CallToolParams{Name: request.Name, Arguments: request.Arguments}
		params.SetProgressToken(request.ID)
		_, err := l.session.CallTool(ctx, params)
		return err
	case store.KindPrompt:
		arguments, err := promptArguments(request.Arguments)
		if err != nil {
			return err
		}
		params := &sdk.GetPromptParams{Name: request.Name, Arguments: arguments}
		params.SetProgressToken(request.ID)
		_, err = l.session.GetPrompt(ctx, params)
		return err
	}
	params := &sdk.ReadResourceParams{URI: request.Name}
	params.SetProgressToken(request.ID)
	_, err := l.session.ReadResource(ctx, params)
	return err
}

// finish makes the final row, shows it, stores it and closes what hangs on the call.
func (m *Manager) finish(call *runningCall, end ending) (Call, error) {
	call.cancel(nil)
	outcome, failure := end.outcome()
	rounds, result := end.rounds, end.result()
	var violations []FieldError
	if outcome == store.OutcomeDone && call.row.Kind == store.KindTool {
		violations = m.checkOutput(call, result)
	}

	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.calls, call.row.ID)
	call.link.calls.Done()
	call.link.busy--
	row := &call.row
	row.Outcome, row.Duration = outcome, m.clock.Now().Sub(row.StartedAt)
	row.Progress = nil
	row.Violations = violations
	row.Result, row.Size = result, len(result)
	for i := range rounds {
		if i < len(rounds)-1 && rounds[i].Result != nil {
			row.Rounds = append(row.Rounds, rounds[i].Result)
		}
	}
	if failure != nil {
		row.Failure = &failure.Failure
	}
	if n := len(rounds); n > 0 && rounds[n-1].Took > 0 {
		if call.conn.link == call.link {
			m.backLocked(call.conn) // it answered
		}
		call.conn.latency = rounds[n-1].Took
	}
	reason := "The call has ended."
	if failure != nil {
		reason = failure.Message
	}
	m.closeAsksLocked(func(a *openAsk) bool { return a.CallID == row.ID }, reason)
	m.askVisitsLocked(call, visits(end.last().Error))
	m.save(call.row, call.conn.adhoc)
	final := call.rowLocked()
	final.IdleUntil, final.TotalUntil = time.Time{}, time.Time{}
	m.emitCall(final)
	if failure == nil {
		return final, nil
	}
	switch failure.Code {
	case CodeUnreachable:
		m.awayLocked(call.conn, call.link, failure)
	case CodeLost:
		m.suspectLocked(call.conn, call.link)
	}
	if failure.Code == CodeAuthRequired && call.conn.link == call.link {
		// The sign-in ended in the middle of the session: the whole connection needs a new one.
		m.lostLocked(call.conn, failure)
		m.tellLocked(call.conn, Event{Type: EventAuthorize}, failure)
	}
	return final, failure
}

// save queues the row for the history. The history of an ad-hoc server would have no server to belong to.
func (m *Manager) save(row Call, adhoc bool) {
	if adhoc {
		return
	}
	m.writer.call(row.Call)
}

func (m *Manager) emitCall(row Call) {
	m.emit(Event{Type: EventCall, ServerID: row.ServerID, Call: &row})
}

// progress is a notifications/progress. Its token is the id of the call that asked for it.
func (m *Manager) progress(c *conn, p *sdk.ProgressNotificationParams) {
	id, _ := p.ProgressToken.(string)
	m.mu.Lock()
	defer m.mu.Unlock()
	call := m.calls[id]
	if call == nil || call.conn != c {
		return
	}
	call.dog.alive()
	call.row.Progress = &Progress{Progress: p.Progress, Total: p.Total, Message: p.Message}
	m.emitCall(call.rowLocked())
}

// CancelCall cancels a running call as the person; its asks close.
func (m *Manager) CancelCall(id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	call := m.calls[id]
	if call == nil {
		return fail(CodeUnknownItem, "This call is not running any more.", "", nil)
	}
	call.cancel(errPerson)
	return nil
}

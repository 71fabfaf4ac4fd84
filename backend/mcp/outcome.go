package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"jackfield/backend/mcp/wire"
	"jackfield/backend/store"
)

// ending is everything that decides how a call ended.
type ending struct {
	kind   store.Kind
	era    store.Era
	rounds []wire.Round
	err    error // what go-sdk or the rounds returned
	cause  error // why the call's context ended, nil if it did not
	wire   error // what the wire knows better
	idle   time.Duration
	total  time.Duration
}

// last is the last round; the zero Round if nothing was sent.
func (e ending) last() wire.Round {
	if len(e.rounds) == 0 {
		return wire.Round{}
	}
	return e.rounds[len(e.rounds)-1]
}

// result is the raw result that the call ended with, nil if there is none: that of an unfinished round is not.
func (e ending) result() json.RawMessage {
	raw := e.last().Result
	if raw == nil || readResult(raw).InputRequired {
		return nil
	}
	return raw
}

// outcome decides how a call ended. An answer that arrived counts, whatever else happened at the same moment.
func (e ending) outcome() (store.Outcome, *Error) {
	if raw := e.result(); raw != nil {
		switch {
		case !json.Valid(raw):
			return store.OutcomeFailed, fail(CodeProtocol, "The result is not valid JSON.", "The activity shows it as it came.", nil)
		case raw[0] != '{':
			return store.OutcomeFailed, fail(CodeProtocol, "The result is not a JSON object.", "The activity shows it as it came.", nil)
		}
		fields := readResult(raw)
		switch {
		case e.era == store.EraModern && fields.Type != "" && fields.Type != "complete":
			// MCP 2026-07-28, basic/index: what is missing means complete, and what is neither that nor input_required is invalid.
			return store.OutcomeFailed, fail(CodeProtocol, fmt.Sprintf("The result is of the type %q, which this client does not know.", firstLine(fields.Type, 80)),
				"The result is kept as it came.", nil)
		case e.kind == store.KindTool && fields.IsError:
			return store.OutcomeToolError, nil
		}
		return store.OutcomeDone, nil
	}
	if raw := e.last().Error; raw != nil {
		failure := serverError(raw)
		if e.kind == store.KindResource && resourceNotFound(raw) {
			failure.Code = CodeUnknownItem
		}
		return store.OutcomeFailed, failure
	}
	if e.cause != nil {
		return e.interrupted()
	}
	if e.err == nil {
		return store.OutcomeFailed, fail(CodeProtocol, "The request was answered without a result.", "The activity shows the answer.", nil)
	}
	failure := describe(e.err, e.wire)
	switch {
	case failure.Code == CodeNoHandshake: // an HTTP status in the middle of a session
		failure.Code = CodeProtocol
		failure.Hint = "The connection stays usable; try the call again."
	case failure.Code == CodeAuthRequired, failure.Code == CodeScope, failure.Code == CodeAuthServer:
		failure.Hint = strings.TrimSpace(failure.Hint + " The call did not run; it can be run again then.")
	case failure.Code == CodeClosed && connectionLost(e.err) && !e.last().Sent.IsZero():
		// It left and nothing came back.
		failure = lost(e.err)
	}
	return store.OutcomeFailed, failure
}

// interrupted says why a call ended before its answer.
func (e ending) interrupted() (store.Outcome, *Error) {
	switch {
	case errors.Is(e.cause, errPerson):
		return store.OutcomeCancelled, fail(CodeCancelled, "The call was cancelled.", "", e.cause)
	case errors.Is(e.cause, errIdleLimit):
		return store.OutcomeTimeout, fail(CodeIdleTime, fmt.Sprintf("No sign of life from the server for %s.", e.idle),
			"The server was told to stop. A longer idle limit can be set for the server or the call.", e.cause)
	case errors.Is(e.cause, errTotalLimit):
		return store.OutcomeTimeout, fail(CodeTotalTime, fmt.Sprintf("Not finished after %s.", e.total),
			"The server was told to stop. A longer total limit can be set for the server or the call.", e.cause)
	case errors.Is(e.cause, context.DeadlineExceeded):
		return store.OutcomeTimeout, fail(CodeTotalTime, "The time allowed for this is over.", "Allow more time.", e.cause)
	case errors.Is(e.cause, context.Canceled):
		return store.OutcomeCancelled, fail(CodeCancelled, "The call was cancelled.", "", e.cause)
	}
	failure := describe(e.cause, nil)
	_, broke := errors.AsType[*Error](e.cause) // the reasons of the Manager itself are sentinels
	switch {
	case failure.Code == CodeClosed && broke:
		failure = lost(e.cause)
	case failure.Code == CodeClosed:
		failure = fail(CodeClosed, strings.TrimSuffix(failure.Message, ".")+" before the answer came; the request may have run.",
			"It was not repeated.", e.cause)
	}
	return store.OutcomeFailed, failure
}

// resourceNotFound tells whether an error answers resources/read of a URI that does not exist: -32002 in the legacy
// revisions; invalid params since 2026-07-28, where the URI is the only parameter.
func resourceNotFound(raw json.RawMessage) bool {
	switch plain(wire.Get(raw, "code")) {
	case "-32002", "-32602":
		return true
	}
	return false
}

// serverError is a raw JSON-RPC error of the server.
func serverError(raw json.RawMessage) *Error {
	code, message := plain(wire.Get(raw, "code")), strings.TrimSpace(plain(wire.Get(raw, "message")))
	if message == "" {
		message = firstLine(string(raw), 500)
	}
	f := fail(CodeServerError, strings.TrimSpace(fmt.Sprintf("Error %s: %s", code, message)), "The message comes from the server.", nil)
	var urls []string
	for _, ask := range visits(raw) {
		urls = append(urls, ask.URL)
	}
	if len(urls) > 0 {
		f.Code = CodeVisitRequired
		f.Hint = "The server wants you to visit an address first, and then to make the call again: " + strings.Join(urls, " ")
	}
	return f
}

package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// probe sends server/discover. go-sdk asks it first and goes on to initialize when it gets an error; so everything but a usable answer
// becomes a plain "method not found", also silence. What says nothing about the era (no connection, no sign-in) is passed on, and
// is the answer to the initialize that go-sdk sends next.
func (l *link) probe(request *http.Request, out *outgoing) (*http.Response, error) {
	limit := l.wire.config.Probe
	ctx, cancel := context.WithTimeout(request.Context(), limit)
	defer cancel()
	response, err := l.exchange(request.WithContext(ctx), out)
	var body []byte
	if err == nil {
		// Headers prove nothing: the body has to come within the limit too.
		body, err = io.ReadAll(response.Body)
		response.Body.Close()
	}
	switch {
	case err == nil:
		return rebody(response, body), nil
	case request.Context().Err() != nil:
		return nil, request.Context().Err()
	case saysNothing(err):
		l.mu.Lock()
		l.fatal = err
		l.mu.Unlock()
		l.wire.fail(err)
		return nil, err
	}
	why := err.Error()
	if ctx.Err() != nil {
		why = fmt.Sprintf("no answer within %s", limit)
	}
	answer := Envelope{ID: out.rawID, Error: errorObject(jsonrpc.CodeMethodNotFound, "server/discover: "+shorten(why, 300))}
	return synthetic(&http.Response{Request: request}, []message{{raw: answer.encode()}}), nil
}

// saysNothing tells whether an error leaves the era open.
func saysNothing(err error) bool {
	var auth *AuthRequired
	var redirect *RedirectError
	var unreachable *UnreachableError
	return errors.As(err, &auth) || errors.As(err, &redirect) || errors.As(err, &unreachable)
}

// initialize sends initialize and keeps what a later renewal of the session needs.
func (l *link) initialize(request *http.Request, out *outgoing) (*http.Response, error) {
	l.mu.Lock()
	fatal := l.fatal
	l.fatal = nil
	l.mu.Unlock()
	if fatal != nil {
		l.lost(out, fatal)
		return nil, fatal
	}
	response, err := l.exchange(request, out)
	if err != nil {
		l.wire.fail(err)
		return nil, err
	}
	body, err := io.ReadAll(response.Body)
	response.Body.Close()
	if err != nil {
		return nil, fmt.Errorf("%w (%w)", ErrLost, err)
	}
	if l.session.keepResult(body, isEventStream(response.Header)) {
		l.session.keepRequest(request, out, response.Header.Get(sessionHeader))
	}
	return rebody(response, body), nil
}

// messagesIn returns the messages of a body that this package made.
func messagesIn(body []byte, events bool) (messages [][]byte) {
	if !events {
		return [][]byte{body}
	}
	reader := newEventReader(bytes.NewReader(body), nil)
	for {
		e, err := reader.next()
		if err != nil {
			return messages
		}
		messages = append(messages, e.data)
	}
}

// rebody gives a response whose body was read the same body again.
func rebody(response *http.Response, body []byte) *http.Response {
	response.Body = io.NopCloser(bytes.NewReader(body))
	response.ContentLength = int64(len(body))
	return response
}

package wire

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// answerStream gives go-sdk the event stream of one call, event by event, until its answer has come.
func (l *link) answerStream(request *http.Request, out *outgoing, response *http.Response) *http.Response {
	s := &answerStream{link: l, request: request, out: out}
	s.attach(response)
	shown := synthetic(response, nil)
	shown.Status, shown.StatusCode, shown.ContentLength = "200 OK", http.StatusOK, -1
	shown.Header.Set("Content-Type", "text/event-stream")
	shown.Body = &rewritten{next: s.next, close: s.close}
	return shown
}

// answerStream reads the stream of one call. It is used by one goroutine at a time: the one that reads the body.
type answerStream struct {
	link    *link
	request *http.Request
	out     *outgoing

	response *http.Response // nil between two connections
	events   *eventReader
	position string // of the last event with an id
	retry    time.Duration
	failures int // in a row
	done     bool
}

func (s *answerStream) attach(response *http.Response) {
	s.response = response
	s.events = s.link.events(response.Body, s.out)
}

func (s *answerStream) close() error {
	if !s.done {
		s.done = true
		s.link.wire.forget(s.out.request)
	}
	if s.response == nil {
		return nil
	}
	response := s.response
	s.response = nil
	return response.Body.Close()
}

// next appends the events that go-sdk sees next.
func (s *answerStream) next(b []byte) ([]byte, error) {
	if s.done {
		return b, io.EOF
	}
	if s.response == nil {
		return s.resume(b)
	}
	e, err := s.events.next()
	if err != nil {
		closed := s.response.Body.Close()
		s.response = nil
		if ctx := s.request.Context().Err(); ctx != nil {
			return s.abandon(b, ctx)
		}
		if err == io.EOF {
			err = closed
		}
		if _, large := errors.AsType[*TooLargeError](err); large {
			s.done = true
			return appendEvent(b, s.link.failure(s.out, err).raw), nil
		}
		if s.position == "" || isModern(s.request.Header) {
			return s.lose(b, err)
		}
		return b, nil
	}
	if e.hasID {
		s.position = e.id
	}
	s.retry = parseRetry(e.retry, s.retry)
	messages, answered := s.link.messagesOf(e, s.response.StatusCode, s.out)
	for _, m := range messages {
		b = appendEvent(b, m.raw)
	}
	// The rest of the stream, should there be one, concerns nobody: go-sdk would read it to its end.
	s.done = answered
	return b, nil
}

// resume opens the stream again behind the last event that came (2025-11-25, basic/transports, "Resumability and Redelivery"). It does
// so below go-sdk, to which a refused resumption would be the end of the session.
func (s *answerStream) resume(b []byte) ([]byte, error) {
	ctx := s.request.Context()
	if !sleep(ctx, backoff(s.failures, s.retry)) {
		return s.abandon(b, ctx.Err())
	}
	s.failures++
	get := getLike(s.request, s.position)
	response, err := s.link.session.send(get, &outgoing{})
	var required *AuthRequired
	switch {
	case ctx.Err() != nil:
		return s.abandon(b, ctx.Err())
	case errors.As(err, &required), err != nil && s.failures >= maxResumes:
		return s.lose(b, err)
	case err != nil:
		return b, nil
	}
	if response.StatusCode == http.StatusOK && isEventStream(response.Header) {
		s.failures = min(s.failures, 1)
		s.attach(response)
		return b, nil
	}
	s.link.discard(response, s.out)
	if response.StatusCode/100 == 5 && s.failures < maxResumes {
		return b, nil
	}
	return s.lose(b, &StatusError{Status: response.StatusCode})
}

// maxResumes bounds the attempts in a row that end without a stream. A server that answers each with a stream, even an empty
// one, is polled until the call's own limit ends it.
const maxResumes = 6

// abandon ends the stream of a call that was cancelled or closed.
func (s *answerStream) abandon(b []byte, cause error) ([]byte, error) {
	s.done = true
	s.link.lost(s.out, cause)
	return b, cause
}

// lose ends the stream with an error in place of the answer, which will not come.
func (s *answerStream) lose(b []byte, cause error) ([]byte, error) {
	s.done = true
	err := ErrLost
	if cause != nil {
		err = fmt.Errorf("%w (%w)", ErrLost, cause)
	}
	return appendEvent(b, s.link.failure(s.out, err).raw), nil
}

// getLike returns the GET that belongs to a POST: the same headers, as far as they speak of the session and not of the message.
func getLike(post *http.Request, position string) *http.Request {
	get := post.Clone(post.Context())
	get.Method, get.Body, get.GetBody, get.ContentLength = http.MethodGet, nil, nil, 0
	for name := range get.Header {
		if name == "Content-Type" || name == "Mcp-Method" || name == "Mcp-Name" || strings.HasPrefix(name, "Mcp-Param-") {
			get.Header.Del(name)
		}
	}
	get.Header.Set("Accept", "text/event-stream")
	if position != "" {
		get.Header.Set("Last-Event-ID", position)
	}
	return get
}

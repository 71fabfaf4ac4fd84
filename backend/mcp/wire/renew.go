package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"sync"
	"time"
)

const (
	sessionHeader = "Mcp-Session-Id"
	renewLimit    = 30 * time.Second
)

// ErrSessionLost says that the server gave the session up and that it could not be continued below go-sdk: connect again.
var ErrSessionLost = errors.New("the server has given up this session; connect to it again")

// session keeps the HTTP session of one connection. go-sdk knows the id that the server gave first; when the server loses that
// session, another one takes its place and go-sdk does not see it (2025-11-25, basic/transports, "Session Management").
type session struct {
	link *link
	next http.RoundTripper

	mu      sync.Mutex
	current string        // the id that the server knows; go-sdk knows the first one
	request *http.Request // the initialize that worked
	body    []byte
	result  json.RawMessage // of the first initialize, or of server/discover
	renewal *renewal        // under way
	cause   error           // why the session cannot go on
}

// renewal is one attempt to replace a lost session. Everybody who met the loss waits for the same one.
type renewal struct {
	done chan struct{}
	err  error
}

// broken returns why the session cannot go on, or nil.
func (s *session) broken() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cause
}

// send sends a request under the current session. A request that the server refused
// because its session is gone is sent again, once, under a new one.
func (s *session) send(request *http.Request, out *outgoing) (*http.Response, error) {
	shown := request.Header.Get(sessionHeader)
	if shown == "" {
		response, err := tracedSend(s.next, request)
		if err == nil && out.method != "initialize" {
			// Only initialize opens a session. An id given to the question about the era would go into the initialize that follows.
			response.Header.Del(sessionHeader)
		}
		return response, err
	}
	s.mu.Lock()
	current, cause := s.current, s.cause
	s.mu.Unlock()
	if cause != nil && request.Method != http.MethodDelete {
		return nil, cause
	}
	response, err := s.pass(request, current)
	if err != nil || current == "" || !mayBeLost(request, response) {
		return response, err // what was sent without a session cannot have lost it
	}
	body, isLost := lostIn(response)
	if !isLost {
		return response, nil
	}
	if response.StatusCode != http.StatusNotFound && out.method == "tools/call" {
		// The words of a 400 are a guess, which is not enough to run a tool again. The next call finds a session.
		_ = s.renew(request.Context(), current) // what the server said matters more than why there is no new session
		return response, nil
	}
	s.link.noise(body, response.StatusCode, out)
	response.Body.Close()
	if err := s.renew(request.Context(), current); err != nil {
		return nil, err
	}
	s.mu.Lock()
	current = s.current
	s.mu.Unlock()
	again := request.Clone(request.Context())
	if request.GetBody != nil {
		if again.Body, err = request.GetBody(); err != nil {
			return nil, err
		}
	}
	response, err = s.pass(again, current)
	if err != nil || !mayBeLost(again, response) {
		return response, err
	}
	if _, isLost = lostIn(response); !isLost {
		return response, nil
	}
	response.Body.Close()
	return nil, s.fail(fmt.Errorf("%w: it refused the new session too", ErrSessionLost))
}

// pass sends the request with the session id that the server knows, and hides that id in the answer: go-sdk ends a session whose id changes.
func (s *session) pass(request *http.Request, current string) (*http.Response, error) {
	if request.Header.Get(sessionHeader) != current {
		request = request.Clone(request.Context())
		request.Header.Del(sessionHeader)
		if current != "" {
			request.Header.Set(sessionHeader, current)
		}
	}
	response, err := tracedSend(s.next, request)
	if err == nil {
		response.Header.Del(sessionHeader)
	}
	return response, err
}

// mayBeLost tells whether an answer has to be looked at for a lost session. A server without a stream answers GET with 404 too; that
// only counts when a stream was open before.
func mayBeLost(request *http.Request, response *http.Response) bool {
	switch request.Method {
	case http.MethodPost:
	case http.MethodGet:
		if !openedBefore(request.Context()) {
			return false
		}
	default:
		return false
	}
	return response.StatusCode == http.StatusNotFound || response.StatusCode == http.StatusBadRequest
}

// openedKey marks the context of a GET whose stream was open before.
type openedKey struct{}

func openedBefore(ctx context.Context) bool { return ctx.Value(openedKey{}) != nil }

// renew replaces the lost session, or waits for whoever is doing that.
func (s *session) renew(ctx context.Context, lost string) error {
	s.mu.Lock()
	switch {
	case s.cause != nil:
		defer s.mu.Unlock()
		return s.cause
	case s.current != lost:
		s.mu.Unlock()
		return nil
	case s.request == nil:
		s.mu.Unlock()
		return ErrSessionLost
	}
	attempt := s.renewal
	if attempt == nil {
		attempt = &renewal{done: make(chan struct{})}
		started := s.link.spawn(func() {
			// The attempt belongs to everybody who waits for it, so the first one's impatience does not end it.
			within, cancel := context.WithTimeout(s.link.ctx, renewLimit)
			defer cancel()
			attempt.err = s.replace(within)
			s.mu.Lock()
			s.renewal = nil
			s.mu.Unlock()
			close(attempt.done)
		})
		if !started {
			s.mu.Unlock()
			return s.link.ctx.Err()
		}
		s.renewal = attempt
	}
	s.mu.Unlock()
	select {
	case <-attempt.done:
		return attempt.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// replace does the handshake again.
func (s *session) replace(ctx context.Context) error {
	s.mu.Lock()
	request, body, before := s.request, s.body, s.result
	s.mu.Unlock()
	first := s.link.note(ctx, body)
	fresh := withBody(request.Clone(ctx), first.body)
	fresh.Header.Del(sessionHeader)
	response, err := tracedSend(s.next, fresh)
	var required *AuthRequired
	switch {
	case errors.As(err, &required):
		return s.fail(err)
	case err != nil:
		return fmt.Errorf("%w: %w", ErrSessionLost, err) // the server may be back later: not the end of this connection
	}
	if err := denied(response); err != nil {
		s.link.discard(response, first)
		return s.fail(err)
	}
	id := response.Header.Get(sessionHeader)
	result, err := s.link.readResult(response, first)
	if err != nil {
		return s.fail(fmt.Errorf("%w: initialize: %w", ErrSessionLost, err))
	}
	if !sameServer(before, result) {
		return s.fail(fmt.Errorf("%w: it now speaks another version or offers other capabilities", ErrSessionLost))
	}
	var version struct {
		Version string `json:"protocolVersion"`
	}
	if err := json.Unmarshal(result, &version); err != nil {
		return s.fail(fmt.Errorf("%w: initialize: %w", ErrSessionLost, err))
	}
	ready := s.link.note(ctx, []byte(`{"jsonrpc":"2.0","method":"notifications/initialized","params":{}}`))
	note := withBody(request.Clone(ctx), ready.body)
	note.Header.Set("Mcp-Protocol-Version", version.Version)
	note.Header.Del(sessionHeader)
	if id != "" {
		note.Header.Set(sessionHeader, id)
	}
	response, err = tracedSend(s.next, note)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrSessionLost, err)
	}
	s.link.discard(response, ready)
	s.mu.Lock()
	s.current = id
	s.mu.Unlock()
	s.link.eachStream((*endless).renew)
	if f := s.link.wire.config.Observer.Renewed; f != nil {
		f()
	}
	return nil
}

// fail marks the session as one that cannot go on and makes go-sdk end it, so that a real reconnect follows.
func (s *session) fail(cause error) error {
	s.mu.Lock()
	if s.cause == nil {
		s.cause = cause
	}
	cause = s.cause
	s.mu.Unlock()
	s.link.wire.fail(cause)
	s.link.spawn(func() {
		// The request that found out gets its own error first, which says more than the end of the session.
		sleep(s.link.ctx, 100*time.Millisecond)
		s.link.eachStream(func(stream *endless) { stream.cancel() })
	})
	return cause
}

func (l *link) eachStream(f func(*endless)) {
	l.mu.Lock()
	streams := make([]*endless, 0, len(l.streams))
	for stream := range l.streams {
		streams = append(streams, stream)
	}
	l.mu.Unlock()
	for _, stream := range streams {
		f(stream)
	}
}

// keepRequest keeps the handshake that worked.
func (s *session) keepRequest(request *http.Request, out *outgoing, id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.request, s.body = request.Clone(context.WithoutCancel(request.Context())), out.body
	s.current = id
}

// keepResult keeps the result in a body that go-sdk is going to see; false if there is none.
func (s *session) keepResult(body []byte, events bool) bool {
	for _, message := range messagesIn(body, events) {
		var answer struct {
			Result json.RawMessage `json:"result"`
		}
		if json.Unmarshal(message, &answer) == nil && len(answer.Result) > 0 {
			s.mu.Lock()
			s.result = answer.Result
			s.mu.Unlock()
			return true
		}
	}
	return false
}

// listChanges returns the list_changed notifications that the server declared.
func (s *session) listChanges() [][]byte {
	type list struct {
		ListChanged bool `json:"listChanged"`
	}
	var result struct {
		Capabilities struct {
			Tools, Prompts, Resources list
		} `json:"capabilities"`
	}
	s.mu.Lock()
	raw := s.result
	s.mu.Unlock()
	if len(raw) == 0 || json.Unmarshal(raw, &result) != nil {
		return nil
	}
	c := result.Capabilities
	return listChanged(c.Tools.ListChanged, c.Prompts.ListChanged, c.Resources.ListChanged)
}

// sameServer tells whether two results of initialize promise the same.
func sameServer(before, after json.RawMessage) bool {
	type promise struct {
		Version      string `json:"protocolVersion"`
		Capabilities any    `json:"capabilities"`
	}
	var a, b promise
	if json.Unmarshal(before, &a) != nil || json.Unmarshal(after, &b) != nil {
		return false
	}
	return a.Version == b.Version && reflect.DeepEqual(a.Capabilities, b.Capabilities)
}

// readResult reads the answer to a request of this package's own.
func (l *link) readResult(response *http.Response, out *outgoing) (json.RawMessage, error) {
	var messages []message
	if isEventStream(response.Header) && response.StatusCode/100 == 2 {
		reader := l.events(response.Body, out)
		defer response.Body.Close()
		for answered := false; !answered; {
			e, err := reader.next()
			if err != nil {
				return nil, err
			}
			messages, answered = l.messagesOf(e, response.StatusCode, out)
		}
	} else {
		raw, err := l.readBody(response, out)
		if err != nil {
			return nil, err
		}
		var answered bool
		if messages, answered = l.read(raw, response, out); !answered {
			return nil, statusError(response, raw)
		}
	}
	for _, m := range messages {
		var answer struct {
			Result json.RawMessage `json:"result"`
			Error  *struct {
				Code    int    `json:"code"`
				Message string `json:"message"`
			} `json:"error"`
		}
		if err := json.Unmarshal(m.raw, &answer); err != nil {
			return nil, err
		}
		switch {
		case answer.Error != nil:
			return nil, fmt.Errorf("the server answered with error %d: %s", answer.Error.Code, shorten(answer.Error.Message, 300))
		case len(answer.Result) > 0:
			return answer.Result, nil
		}
	}
	return nil, errors.New("the answer had no result")
}

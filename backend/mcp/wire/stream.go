package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"time"

	"jackfield/backend/egress"
)

const (
	backoffFirst = time.Second
	backoffMost  = 30 * time.Second
	// So often in a row a stream that brings nothing is opened again just when the server said.
	retriesAsAsked = 20
	// A stream that lived this long has done its work; the next failure starts from the first delay again.
	streamSettled = 10 * time.Second
)

// backoff is the delay before the attempt that follows the given number of failures. A retry field of the server is the least (HTML
// standard, "reconnection time"); a stream that ends at once again and again is waited for longer. Without one it is 1 s, and doubles to
// 30 s. Up to half of it is taken off at random, so that many clients do not come back at once.
func backoff(failures int, retry time.Duration) time.Duration {
	if retry > 0 {
		return max(retry, min(retry<<min(max(failures-retriesAsAsked, 0), 12), backoffMost))
	}
	delay := backoffFirst
	for range failures {
		if delay *= 2; delay >= backoffMost {
			delay = backoffMost
			break
		}
	}
	return delay - rand.N(delay/2+1)
}

// parseRetry reads a retry field in milliseconds; one that is not a number leaves the old value.
func parseRetry(field string, old time.Duration) time.Duration {
	ms, err := strconv.ParseUint(field, 10, 31)
	if err != nil {
		return old
	}
	// Zero would make a busy loop.
	return min(max(time.Duration(ms)*time.Millisecond, 10*time.Millisecond), 10*time.Minute)
}

// endless is what go-sdk sees in place of a stream of server messages: a 200 that comes soon and never ends. Below it the real
// stream is opened, and opened again whenever it ends. So Connect does not wait for a server that sends no headers, and a dropped
// stream does not end the session.
type endless struct {
	link    *link
	name    string    // for problems
	out     *outgoing // of the attempt under way; without a request for a GET
	open    func(ctx context.Context, s *endless) (*http.Response, error)
	missed  func() [][]byte // notifications that stand for what a gap may have swallowed
	ctx     context.Context
	cancel  context.CancelFunc
	mu      sync.Mutex
	cut     context.CancelFunc // ends the connection of the moment
	resting bool               // between two attempts
	renewed bool               // the session is another one since this connection was opened

	early *attempt // the first attempt, which began before anybody read

	// Used by the goroutine that reads the body, and before it by the first attempt.
	response *http.Response
	events   *eventReader
	position string
	retry    time.Duration
	attempts int
	failures int
	away     int // attempts in a row at which nobody was there
	opened   int
	since    time.Time
	gap      bool
}

// attempt is one attempt to open the stream.
type attempt struct {
	done     chan struct{} // closed when the rest is set; nil if it is set from the beginning
	response *http.Response
	err      error
	cut      context.CancelFunc
	replay   bool
}

// streamWait is how long the first attempt holds up the handshake. A server may speak on the stream as soon as it hears
// notifications/initialized, which go-sdk sends next: a stream that opens after that misses what was said.
const streamWait = 200 * time.Millisecond

// startEndless returns the response for go-sdk. The stream ends with the request's context.
func (l *link) startEndless(request *http.Request, s *endless) *http.Response {
	s.link = l
	s.ctx, s.cancel = context.WithCancel(request.Context())
	l.mu.Lock()
	l.streams[s] = true
	l.mu.Unlock()
	early := &attempt{done: make(chan struct{})}
	if l.spawn(func() {
		defer close(early.done)
		s.dial(early)
	}) {
		s.early = early
		timer := time.NewTimer(streamWait)
		defer timer.Stop()
		select {
		case <-early.done:
		case <-timer.C:
		case <-s.ctx.Done():
		}
	}
	shown := synthetic(&http.Response{Request: request}, nil)
	shown.Status, shown.StatusCode, shown.ContentLength = "200 OK", http.StatusOK, -1
	shown.Header.Set("Content-Type", "text/event-stream")
	shown.Body = &rewritten{next: s.next, close: s.close}
	return shown
}

func (s *endless) close() error {
	s.cancel()
	if s.early != nil {
		<-s.early.done
		s.response = s.early.response
	}
	s.link.wire.forget(s.out.request)
	s.link.mu.Lock()
	delete(s.link.streams, s)
	s.link.mu.Unlock()
	if s.response != nil {
		return s.response.Body.Close()
	}
	return nil
}

// renew makes the stream leave its connection, which belongs to a session that is gone.
func (s *endless) renew() {
	s.mu.Lock()
	s.renewed = true
	cut := s.cut
	s.mu.Unlock()
	if cut != nil {
		cut()
	}
}

// hurry ends the wait before the next attempt.
func (s *endless) hurry() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.resting {
		s.cut()
	}
}

func (s *endless) next(b []byte) ([]byte, error) {
	if s.response == nil {
		return s.connect(b)
	}
	e, err := s.events.next()
	if err != nil {
		s.disconnect()
		if s.ctx.Err() != nil {
			return s.ended(b)
		}
		return b, nil
	}
	if e.hasID {
		s.position = e.id
	}
	s.retry = parseRetry(e.retry, s.retry)
	if len(e.data) > 0 {
		s.failures = 0
	}
	messages, answered := s.link.messagesOf(e, s.response.StatusCode, s.out)
	if answered {
		// The answer to subscriptions/listen is its end, which go-sdk does not hear of.
		s.disconnect()
		return b, nil
	}
	for _, m := range messages {
		b = appendEvent(b, m.raw)
	}
	return b, nil
}

// ended is how the stream ends for go-sdk: quietly when go-sdk ended it, with a fault that ends the session when the link is broken.
func (s *endless) ended(b []byte) ([]byte, error) {
	if s.link.session.broken() != nil {
		// go-sdk takes a line without a colon for a corrupt stream, and that for the end of the session.
		return append(b, "the session is gone\n"...), io.EOF
	}
	return b, s.ctx.Err()
}

func (s *endless) disconnect() {
	_ = s.response.Body.Close() // it has failed already
	s.response, s.events = nil, nil
	if time.Since(s.since) >= streamSettled {
		s.failures = 0
	} else {
		s.failures++
	}
	s.gap = true
}

// dial makes one attempt.
func (s *endless) dial(o *attempt) {
	ctx, cut := context.WithCancel(s.ctx)
	s.mu.Lock()
	s.cut = cut
	s.mu.Unlock()
	if s.opened > 0 {
		ctx = context.WithValue(ctx, openedKey{}, true)
	}
	s.attempts++
	o.cut, o.replay = cut, s.position != ""
	o.response, o.err = s.open(ctx, s)
}

// rest waits before the next attempt, unless the session is a new one, which begins at once.
func (s *endless) rest() {
	ctx, cut := context.WithCancel(s.ctx)
	defer cut()
	s.mu.Lock()
	s.cut, s.resting = cut, true
	renewed := s.renewed
	s.mu.Unlock()
	if !renewed && s.attempts > 0 {
		sleep(ctx, backoff(s.failures-1, s.retry))
	}
	s.mu.Lock()
	renewed, s.renewed, s.resting = s.renewed, false, false
	s.mu.Unlock()
	if renewed {
		// A position of the old session means nothing to the new one.
		s.position, s.failures = "", 0
	}
}

// connect opens the stream once more, or waits for the end of this one if the server offers none.
func (s *endless) connect(b []byte) ([]byte, error) {
	o := s.early
	if s.early = nil; o != nil {
		<-o.done
	} else {
		o = &attempt{}
		if s.rest(); s.ctx.Err() != nil {
			return s.ended(b)
		}
		s.dial(o)
	}
	response, err := o.response, o.err
	if s.ctx.Err() != nil {
		if err == nil {
			_ = response.Body.Close()
		}
		o.cut()
		return s.ended(b)
	}
	if err == nil && response.StatusCode == http.StatusOK && isEventStream(response.Header) {
		return s.attach(b, response, o.cut, o.replay), nil
	}
	var required *AuthRequired
	if errors.As(err, &required) && s.opened > 0 && required.Status == http.StatusUnauthorized {
		// The sign-in of a living session has ended, and every other request would only hear the same.
		o.cut()
		_ = s.link.session.fail(err)
		<-s.ctx.Done()
		return s.ended(b)
	}
	offered := required == nil && s.opened > 0 || mayOffer(response, err)
	why := describe(response, err)
	if err == nil {
		s.link.discard(response, s.out)
	}
	o.cut()
	if offered {
		s.failures++
		s.gap = s.gap || s.opened > 0
		s.missing(response, err)
		return b, nil
	}
	if err != nil || response.StatusCode != http.StatusMethodNotAllowed {
		s.link.wire.problem(Problem{
			Code: "no_stream", Subject: s.name,
			Message: why + ". Without that stream the server cannot tell of changes.",
		})
	}
	<-s.ctx.Done()
	return s.ended(b)
}

// missing tells, at the second attempt in a row, that nobody is at the address of a stream that was open. One attempt may meet a server
// that is just being started again.
func (s *endless) missing(response *http.Response, err error) {
	var unreachable *UnreachableError
	var unavailable *AuthUnavailable
	switch {
	case errors.As(err, &unavailable): // that is the authorization server
		return
	case errors.As(err, &unreachable):
	case err == nil && response.StatusCode >= 502 && response.StatusCode <= 504:
		err = &StatusError{Status: response.StatusCode} // a gateway says so
	default:
		s.away = 0
		return
	}
	s.away++
	if f := s.link.wire.config.Observer.Away; f != nil && s.away == 2 && s.opened > 0 {
		f(err)
	}
}

func (s *endless) attach(b []byte, response *http.Response, cut context.CancelFunc, replay bool) []byte {
	response.Body = &endingBody{ReadCloser: response.Body, end: cut}
	s.response = response
	s.events = s.link.events(response.Body, s.out)
	s.since = time.Now()
	s.opened++
	s.away = 0
	if !s.gap {
		return b
	}
	s.gap = false
	if !replay {
		for _, message := range s.missed() {
			b = appendEvent(b, message)
		}
	}
	if f := s.link.wire.config.Observer.Reopened; f != nil {
		f(!replay)
	}
	return b
}

// mayOffer tells whether a stream that was never open may be offered later: after trouble of the moment, not after a refusal. Refusals
// are as many as servers: 405 is the one in the specification.
func mayOffer(response *http.Response, err error) bool {
	if err != nil {
		var auth *AuthRequired
		var url *egress.RefusedURL
		var redirect *RedirectError
		return !errors.As(err, &auth) && !errors.As(err, &url) && !errors.As(err, &redirect)
	}
	return response.StatusCode == http.StatusTooManyRequests || response.StatusCode >= 502 && response.StatusCode <= 504
}

func describe(response *http.Response, err error) string {
	if err != nil {
		return "The stream for server messages could not be opened: " + err.Error()
	}
	return fmt.Sprintf("The request for the stream of server messages was answered with HTTP %d and %s", response.StatusCode, bodyKind(response, nil))
}

// standalone answers the GET of the Streamable HTTP transport.
func (l *link) standalone(request *http.Request) (*http.Response, error) {
	return l.startEndless(request, &endless{
		name: "GET",
		out:  &outgoing{method: "GET", http: exchangeFrom(request.Context())},
		open: func(ctx context.Context, s *endless) (*http.Response, error) {
			response, err := l.session.send(getLike(request.WithContext(withExchange(ctx, s.out.http)), s.position), s.out)
			if err != nil {
				return nil, err
			}
			if err := denied(response); err != nil {
				l.discard(response, s.out)
				return nil, err
			}
			return response, nil
		},
		missed: func() [][]byte { return l.session.listChanges() },
	}), nil
}

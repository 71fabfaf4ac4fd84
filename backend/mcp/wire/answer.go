package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"
)

// exchange sends a call and returns what go-sdk may see of the answer. Whatever the server does, only this call can fail by it: go-sdk
// gets either messages that decode, or an error of http.Client, which ends one call and leaves the session alone.
func (l *link) exchange(request *http.Request, out *outgoing) (*http.Response, error) {
	response, err := l.ask(request, out)
	if err != nil {
		l.lost(out, err)
	}
	return response, err
}

func (l *link) ask(request *http.Request, out *outgoing) (*http.Response, error) {
	response, err := l.session.send(withBody(request, out.body), out)
	if err != nil {
		return nil, err
	}
	if err := denied(response); err != nil {
		l.discard(response, out)
		return nil, err
	}
	if response.StatusCode/100 == 2 && isEventStream(response.Header) {
		return l.answerStream(request, out, response), nil
	}
	raw, err := l.readBody(response, out)
	if err != nil {
		if ctx := request.Context().Err(); ctx != nil {
			return nil, ctx
		}
		if _, large := errors.AsType[*TooLargeError](err); large {
			return nil, err
		}
		return nil, fmt.Errorf("%w (%w)", ErrLost, err)
	}
	if out.method == "initialize" && (response.StatusCode == http.StatusNotFound || response.StatusCode == http.StatusMethodNotAllowed) {
		// Whatever the body says: this is no endpoint of Streamable HTTP, and the caller may try HTTP+SSE (2025-11-25, basic/transports,
		// "Backwards Compatibility").
		l.noise(raw, response.StatusCode, out)
		return nil, statusError(response, raw)
	}
	messages, answered := l.read(raw, response, out)
	if !answered {
		return nil, statusError(response, raw)
	}
	return synthetic(response, messages), nil
}

// read turns a whole body into messages and tells whether one of them answers out.
func (l *link) read(raw []byte, response *http.Response, out *outgoing) (messages []message, answered bool) {
	if !looksLikeJSON(raw) {
		if response.StatusCode/100 == 2 {
			l.wire.problem(Problem{
				Code: "no_message", Subject: out.method, Call: out.call,
				Message: fmt.Sprintf("HTTP %d with %s answered a request, where the specification wants a JSON-RPC message or an event stream. The request failed, the connection goes on.", response.StatusCode, bodyKind(response, raw)),
			})
		}
		l.noise(raw, response.StatusCode, out)
		return nil, false
	}
	if kind := mediaType(response.Header); kind != "application/json" && response.StatusCode/100 == 2 {
		l.wire.problem(Problem{
			Code: "content_type", Subject: out.method, Call: out.call,
			Message: fmt.Sprintf("A JSON answer came as %q instead of application/json. It was read as JSON.", response.Header.Get("Content-Type")),
		})
	}
	messages, answered = l.incoming(raw, response.StatusCode, out)
	if answered && response.StatusCode/100 != 2 && out.call.Result() != nil {
		l.wire.problem(Problem{
			Code: "status", Subject: out.method, Call: out.call,
			Message: fmt.Sprintf("A result came with HTTP %d, which means failure. The result was used.", response.StatusCode),
		})
	}
	return messages, answered
}

// tell sends a notification, or the answer to a request of the server. No message is due in return.
func (l *link) tell(request *http.Request, out *outgoing) (*http.Response, error) {
	response, err := l.session.send(withBody(request, out.body), out)
	if err != nil {
		return nil, err
	}
	defer l.discard(response, out)
	if err := denied(response); err != nil {
		return nil, err
	}
	if response.StatusCode >= 400 {
		subject := out.method
		if subject == "" {
			subject = "answer"
		}
		l.wire.problem(Problem{
			Code: "message_refused", Subject: subject, Call: out.call,
			Message: fmt.Sprintf("The server answered %q with HTTP %d. It was taken as received.", subject, response.StatusCode),
		})
	}
	return synthetic(response, nil), nil
}

// discard records a short body that nobody waits for and closes it. A body that hangs or goes on is cut off.
func (l *link) discard(response *http.Response, out *outgoing) {
	defer response.Body.Close()
	if isEventStream(response.Header) || response.ContentLength == 0 {
		return
	}
	raw := readBrief(response.Body)
	l.noise(raw, response.StatusCode, out)
}

// readBrief reads the body of a refusal: what comes of it within a second. That it was cut off then is no fault of its own.
func readBrief(body io.ReadCloser) []byte {
	timer := time.AfterFunc(time.Second, func() { body.Close() })
	defer timer.Stop()
	raw, _ := io.ReadAll(io.LimitReader(body, 64<<10))
	return raw
}

// readBody reads the whole body of an answer and closes it.
func (l *link) readBody(response *http.Response, out *outgoing) ([]byte, error) {
	defer response.Body.Close()
	var buffer bytes.Buffer
	if n := response.ContentLength; n > 0 && n <= l.wire.config.Largest {
		buffer.Grow(int(n) + bytes.MinRead)
	}
	largest := l.wire.config.Largest
	_, err := buffer.ReadFrom(io.LimitReader(&lively{Reader: response.Body, onRead: l.life(out)}, largest+1))
	if err == nil && int64(buffer.Len()) > largest {
		return nil, l.wire.tooLarge(out.method, buffer.Bytes(), out.call)
	}
	return buffer.Bytes(), err
}

// lively reports every read.
type lively struct {
	io.Reader
	onRead func(int)
}

func (r *lively) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if n > 0 {
		r.onRead(n)
	}
	return n, err
}

// synthetic builds the response that go-sdk sees: none for no message, JSON for one, an event stream for several, since go-sdk
// reads only one message from a JSON body.
func synthetic(from *http.Response, messages []message) *http.Response {
	response := &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Request: from.Request,
	}
	if id := from.Header.Get(sessionHeader); id != "" {
		response.Header.Set(sessionHeader, id)
	}
	var body []byte
	switch len(messages) {
	case 0:
		response.Status, response.StatusCode = "202 Accepted", http.StatusAccepted
	case 1:
		response.Header.Set("Content-Type", "application/json")
		body = messages[0].raw
	default:
		response.Header.Set("Content-Type", "text/event-stream")
		for _, m := range messages {
			body = appendEvent(body, m.raw)
		}
	}
	response.ContentLength = int64(len(body))
	response.Body = io.NopCloser(bytes.NewReader(body))
	return response
}

// messagesOf returns the messages of one event, and whether one of them answers out.
func (l *link) messagesOf(e event, status int, out *outgoing) (messages []message, answered bool) {
	switch {
	case len(e.data) == 0: // a priming event (SEP-1699) has an id only
		return nil, false
	case e.cut || e.name != "" && e.name != "message" && e.name != bareEvent || !looksLikeJSON(e.data):
		l.noise(e.data, status, out)
		l.wire.problem(Problem{
			Code: "stream_noise", Subject: out.method, Call: out.call,
			Message: fmt.Sprintf("An event (%q) on a message stream was not a whole JSON-RPC message. It was left out.", shorten(e.name, 40)),
		})
		return nil, false
	case e.name == bareEvent:
		l.wire.problem(Problem{
			Code: "content_type", Subject: out.method, Call: out.call,
			Message: "A JSON answer came as text/event-stream. It was read as JSON.",
		})
	}
	return l.incoming(e.data, status, out)
}

// rewritten is a response body whose bytes come from next, which appends to its argument.
type rewritten struct {
	next  func([]byte) ([]byte, error)
	close func() error
	ready []byte
	err   error
}

func (r *rewritten) Read(p []byte) (int, error) {
	for len(r.ready) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		r.ready, r.err = r.next(nil)
	}
	n := copy(p, r.ready)
	r.ready = r.ready[n:]
	return n, nil
}

func (r *rewritten) Close() error { return r.close() }

func mediaType(header http.Header) string {
	kind, _, _ := strings.Cut(header.Get("Content-Type"), ";")
	if parsed, _, err := mime.ParseMediaType(header.Get("Content-Type")); err == nil {
		kind = parsed
	}
	return strings.ToLower(strings.TrimSpace(kind))
}

func isEventStream(header http.Header) bool { return mediaType(header) == "text/event-stream" }

// looksLikeJSON tells whether a body can hold messages, by its first byte behind white space and a byte order mark.
func looksLikeJSON(raw []byte) bool {
	raw = bytes.TrimLeft(bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf")), " \t\r\n")
	return len(raw) > 0 && (raw[0] == '{' || raw[0] == '[')
}

func bodyKind(response *http.Response, raw []byte) string {
	if len(bytes.TrimSpace(raw)) == 0 {
		return "an empty body"
	}
	if kind := mediaType(response.Header); kind != "" {
		return "a body of " + shorten(kind, 60)
	}
	return "a body of no declared type"
}

func statusError(response *http.Response, raw []byte) *StatusError {
	return &StatusError{Status: response.StatusCode, Body: shorten(strings.TrimSpace(string(raw[:min(len(raw), 1100)])), 1000)}
}

// isModern tells from its headers whether a request is of the stateless protocol, which has no sessions and no resumption.
func isModern(header http.Header) bool { return header.Get("Mcp-Protocol-Version") >= "2026-07-28" }

// sleep waits, or returns false when ctx ends first.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

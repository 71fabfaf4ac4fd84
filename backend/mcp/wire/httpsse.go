package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"jackfield/backend/egress"
)

// openSSE opens the one stream of the HTTP+SSE transport (2024-11-05, basic/transports, "HTTP with SSE") and returns when the server has
// named the address for messages. Unlike the streams of Streamable HTTP this one is not opened again: with it the session ends.
func (l *link) openSSE(request *http.Request) (*http.Response, error) {
	// go-sdk makes this request in the context of Connect, but the stream lives as long as the session: that context counts
	// only until the server has named the address.
	ctx, cancel := context.WithCancel(context.WithoutCancel(request.Context()))
	stopClose := context.AfterFunc(l.ctx, cancel)
	stopConnect := context.AfterFunc(request.Context(), cancel)
	end := func() { stopConnect(); stopClose(); cancel() }
	fail := func(err error) (*http.Response, error) {
		end()
		if request.Context().Err() != nil {
			return nil, request.Context().Err()
		}
		l.wire.fail(err)
		return nil, err
	}
	response, err := l.session.send(request.WithContext(ctx), &outgoing{})
	if err != nil {
		return fail(err)
	}
	if err := denied(response); err != nil {
		l.discard(response, &outgoing{})
		return fail(err)
	}
	if response.StatusCode != http.StatusOK || !isEventStream(response.Header) {
		raw := readBrief(response.Body)
		response.Body.Close()
		l.noise(raw, response.StatusCode, &outgoing{})
		return fail(statusError(response, raw))
	}
	events := l.events(response.Body, &outgoing{method: "GET"})
	target, err := l.awaitEndpoint(request.URL, events)
	if err != nil {
		response.Body.Close()
		return fail(err)
	}
	if !stopConnect() {
		response.Body.Close()
		return fail(context.Canceled)
	}
	mail := newMailbox()
	mail.put(fmt.Appendf(nil, "event: endpoint\ndata: %s\n\n", target))
	l.mu.Lock()
	l.mail = mail
	l.mu.Unlock()
	started := l.spawn(func() {
		defer end()
		defer response.Body.Close()
		l.pump(ctx, events, mail)
	})
	if !started {
		response.Body.Close()
		return fail(l.ctx.Err())
	}
	shown := synthetic(response, nil)
	shown.Status, shown.StatusCode, shown.ContentLength = "200 OK", http.StatusOK, -1
	shown.Header.Set("Content-Type", "text/event-stream")
	shown.Body = &endingBody{ReadCloser: mail, end: cancel}
	return shown, nil
}

// awaitEndpoint reads up to the endpoint event. The address it names must be of the server's own origin, or the headers and whatever the
// user sends would go elsewhere.
func (l *link) awaitEndpoint(base *url.URL, events *eventReader) (*url.URL, error) {
	for {
		e, err := events.next()
		if err != nil {
			return nil, fmt.Errorf("the event stream ended before it named the address for messages: %w", err)
		}
		if e.name != "endpoint" {
			l.noise(e.data, http.StatusOK, &outgoing{})
			continue
		}
		l.noise(e.data, http.StatusOK, &outgoing{})
		target, err := base.Parse(string(bytes.TrimSpace(e.data)))
		if err != nil {
			return nil, fmt.Errorf("the server named an address for messages that cannot be read: %w", err)
		}
		if !egress.SameOrigin(base, target) {
			return nil, &egress.RefusedURL{
				URL:    shorten(target.Redacted(), 500),
				Reason: fmt.Sprintf("%s named it as the address for messages, but it is another origin", base.Redacted()),
			}
		}
		return target, nil
	}
}

// pump moves messages from the stream to go-sdk until the stream ends.
func (l *link) pump(ctx context.Context, events *eventReader, mail *mailbox) {
	for {
		e, err := events.next()
		if err == nil {
			messages, _ := l.messagesOf(e, http.StatusOK, &outgoing{})
			for _, m := range messages {
				mail.put(appendEvent(nil, m.raw))
			}
			continue
		}
		if ctx.Err() == nil {
			cause := errors.New("the server ended the event stream; connect to it again")
			if err != io.EOF {
				cause = fmt.Errorf("the event stream broke off; connect to it again: %w", err)
			}
			l.wire.fail(cause)
			for _, out := range l.waiting() {
				mail.put(appendEvent(nil, l.failure(out, fmt.Errorf("%w (%w)", ErrLost, cause)).raw))
			}
		}
		mail.end(io.EOF)
		return
	}
}

// postSSE sends a message of the HTTP+SSE transport. go-sdk ends the session when this fails, so a failure goes to the caller as the answer
// to his call instead, on the stream.
func (l *link) postSSE(request *http.Request, out *outgoing) (*http.Response, error) {
	response, err := l.session.send(withBody(request, out.body), out)
	if err == nil {
		if err = denied(response); err != nil {
			l.discard(response, out)
		}
	}
	if err == nil {
		err = l.accepted(response, out)
	}
	switch {
	case err == nil:
	case request.Context().Err() != nil:
		return nil, err
	case out.method == "initialize" || out.method == "notifications/initialized":
		// There is no session yet that could be lost, and this way the error keeps its type.
		l.wire.fail(err)
		return nil, err
	case out.request != nil:
		l.deliver(l.failure(out, err))
	default:
		l.wire.problem(Problem{
			Code: "message_refused", Subject: out.method, Call: out.call,
			Message: "A message did not get through: " + err.Error(),
		})
	}
	return synthetic(&http.Response{Request: request}, nil), nil
}

// accepted reads the answer to a POST. A server that answers there and not on the stream is understood all the same.
func (l *link) accepted(response *http.Response, out *outgoing) error {
	if response.StatusCode/100 == 2 && (response.ContentLength == 0 || isEventStream(response.Header)) {
		response.Body.Close()
		return nil
	}
	raw := readBrief(response.Body)
	response.Body.Close()
	if out.request != nil && looksLikeJSON(raw) {
		messages, answered := l.incoming(raw, response.StatusCode, out)
		if answered {
			for _, m := range messages {
				l.deliver(m)
			}
			return nil
		}
	} else {
		l.noise(raw, response.StatusCode, out)
	}
	if response.StatusCode/100 != 2 {
		return statusError(response, raw)
	}
	return nil
}

func (l *link) deliver(m message) {
	l.mu.Lock()
	mail := l.mail
	l.mu.Unlock()
	if mail != nil {
		mail.put(appendEvent(nil, m.raw))
	}
}

// waiting returns the requests whose answers are due.
func (l *link) waiting() (outs []*outgoing) {
	l.wire.mu.Lock()
	defer l.wire.mu.Unlock()
	for _, r := range l.wire.requests.byID {
		outs = append(outs, &outgoing{request: r, method: r.method, call: r.call})
	}
	return outs
}

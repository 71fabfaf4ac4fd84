package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"jackfield/backend/egress"
)

// Endpoint of a remote server.
type Endpoint struct {
	URL               string
	Headers           http.Header       // sent to the origin of URL only
	Auth              auth.OAuthHandler // authorizes every request to that origin; nil: none. See bearer
	TrustLocalNetwork bool              // addresses of private networks are allowed
	Secret            []string          // names of Headers whose values no trace shows; those whose names tell it are masked anyway
}

// StreamableHTTP speaks the Streamable HTTP transport. Its errors reach the caller of go-sdk with their types: *StatusError,
// *AuthRequired, *RedirectError, *egress.RefusedURL, *net.OpError, and ErrLost.
func (w *Wire) StreamableHTTP(endpoint Endpoint) sdk.Transport {
	// The transport itself must stay go-sdk's: wrapped, it would send no Mcp-Protocol-Version and open no stream. So all of this
	// package stands in the http.Client, which has no Timeout: the context of each request is its limit, and a long stream is no fault.
	return &sdk.StreamableClientTransport{Endpoint: endpoint.URL, HTTPClient: w.client(endpoint, false), MaxEventSize: -1}
}

// SSE speaks the HTTP+SSE transport of 2024-11-05. Pass ProtocolVersion "2025-11-25" to Connect with it.
func (w *Wire) SSE(endpoint Endpoint) sdk.Transport {
	return &sdk.SSEClientTransport{Endpoint: endpoint.URL, HTTPClient: w.client(endpoint, true), MaxEventSize: -1}
}

func (w *Wire) client(endpoint Endpoint, sse bool) *http.Client {
	return &http.Client{
		Transport: newLink(w, endpoint, sse),
		// Redirects are followed below, where nothing is lost by it.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// link is the outermost http.RoundTripper. It sees every request that go-sdk makes and decides what go-sdk gets to see of the answer:
// record, repair, session, headers, token, redirects and the address policy follow each other from here inwards.
type link struct {
	wire    *Wire
	session *session
	sse     bool // the transport of 2024-11-05: answers come on the GET stream
	mail    *mailbox

	ctx    context.Context // ends with Wire.Close
	cancel context.CancelFunc
	owned  *http.Transport // to be shut down, nil if it belongs to someone else
	work   sync.WaitGroup  // goroutines of this link

	mu      sync.Mutex
	fatal   error // why server/discover could not even be asked; the initialize that follows at once would only repeat it
	streams map[*endless]bool
}

func newLink(w *Wire, endpoint Endpoint, sse bool) *link {
	l := &link{wire: w, sse: sse, streams: map[*endless]bool{}}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	policy := egress.Policy{TrustLocalNetwork: endpoint.TrustLocalNetwork}
	next := w.config.Roots
	if next == nil {
		l.owned = egress.NewTransport(policy)
		next = l.owned
	}
	origin, err := url.Parse(endpoint.URL)
	if err == nil {
		err = policy.CheckURL(origin)
	}
	masking := &exchanges{secret: map[string]bool{}, next: next}
	for _, name := range endpoint.Secret {
		masking.secret[http.CanonicalHeaderKey(name)] = true
	}
	next = &redirects{next: masking}
	if endpoint.Auth != nil {
		next = &bearer{origin: origin, auth: endpoint.Auth, next: next, refused: func(ctx context.Context, raw []byte, status int) {
			l.noise(raw, status, &outgoing{call: CallFrom(ctx), http: exchangeFrom(ctx)})
		}}
	}
	next = &headers{origin: origin, refused: err, header: endpoint.Headers, next: next}
	l.session = &session{link: l, next: next}
	if !w.onClose(l.close) {
		l.cancel()
	}
	w.mu.Lock()
	w.retries = append(w.retries, func() { l.eachStream((*endless).hurry) })
	w.mu.Unlock()
	return l
}

// spawn runs f in a goroutine that close waits for, or returns false when close has been called. f ends with l.ctx.
func (l *link) spawn(f func()) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ctx.Err() != nil {
		return false
	}
	l.work.Go(f)
	return true
}

func (l *link) close() error {
	l.mu.Lock()
	l.cancel()
	l.mu.Unlock()
	l.work.Wait()
	if l.owned != nil {
		l.owned.CloseIdleConnections()
	}
	return nil
}

func (l *link) RoundTrip(request *http.Request) (*http.Response, error) {
	// Every request ends with its own context or with the link, whichever is first.
	ctx, cancel := context.WithCancel(withExchange(request.Context(), &Exchange{}))
	stop := context.AfterFunc(l.ctx, cancel)
	end := func() { stop(); cancel() }
	response, err := l.dispatch(request.WithContext(ctx))
	if err != nil {
		end()
		return nil, err
	}
	response.Body = &endingBody{ReadCloser: response.Body, end: end}
	return response, nil
}

// endingBody releases what was kept for a response when its body is closed.
type endingBody struct {
	io.ReadCloser
	end func()
}

func (b *endingBody) Close() error {
	err := b.ReadCloser.Close()
	b.end()
	return err
}

func (l *link) dispatch(request *http.Request) (*http.Response, error) {
	switch {
	case request.Method == http.MethodGet && l.sse:
		return l.openSSE(request)
	case request.Method == http.MethodGet:
		return l.standalone(request)
	case request.Method != http.MethodPost || request.Body == nil:
		return l.session.send(request, &outgoing{})
	}
	out, err := l.outgoing(request)
	if err != nil {
		return nil, err
	}
	switch {
	case l.sse:
		return l.postSSE(request, out)
	case out.request == nil:
		return l.tell(request, out)
	case out.method == "server/discover":
		return l.probe(request, out)
	case out.method == "initialize":
		return l.initialize(request, out)
	case out.method == "subscriptions/listen":
		return l.listen(request, out)
	}
	return l.exchange(request, out)
}

// outgoing is a message on its way to the server.
type outgoing struct {
	*request        // nil if no answer is due
	method   string // "" for an answer to a request of the server
	body     []byte
	call     *Call
	http     *Exchange
}

func (l *link) outgoing(request *http.Request) (*outgoing, error) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return nil, err
	}
	if err := request.Body.Close(); err != nil {
		return nil, err
	}
	return l.note(request.Context(), body), nil
}

// note records a message that is about to leave and makes its request pending.
func (l *link) note(ctx context.Context, body []byte) *outgoing {
	out := &outgoing{call: CallFrom(ctx), http: exchangeFrom(ctx)}
	out.body, out.request = l.wire.outgoing(ctx, body)
	if out.request != nil {
		out.method = out.request.method
	} else if method, ok := stringOf(Get(body, "method")); ok {
		out.method = method
	}
	return out
}

// incoming turns one message or batch into what go-sdk sees of it, and tells whether it answers out.
func (l *link) incoming(raw []byte, status int, out *outgoing) (messages []message, answered bool) {
	messages, ok := l.wire.incoming(raw, source{only: out.request, call: out.call, status: status, http: out.http})
	if !ok {
		l.noise(raw, status, out)
		return nil, false
	}
	for _, m := range messages {
		answered = answered || m.answers != nil && m.answers == out.request
	}
	return messages, answered
}

// lost ends a request whose answer will not come.
func (l *link) lost(out *outgoing, err error) {
	l.wire.forget(out.request)
	out.call.fail(out.request, err)
}

// failure is the answer that go-sdk gets to a request whose own answer will not come, where an error of http.Client would end the session.
func (l *link) failure(out *outgoing, err error) message {
	l.lost(out, err)
	return message{raw: (&Envelope{ID: out.rawID, Error: errorObject(codeLocal, err.Error())}).encode()}
}

// codeLocal marks errors of this side in the range that JSON-RPC leaves to implementations.
const codeLocal = -32099

// noise records bytes in a body that are no message.
func (l *link) noise(raw []byte, status int, out *outgoing) {
	if len(raw) > 0 {
		l.wire.record(Record{Time: time.Now(), Dir: In, Raw: raw, Noise: true, Status: status, Call: out.call, HTTP: out.http})
	}
}

// life returns what is called at each read of a body that belongs to out.
func (l *link) life(out *outgoing) func(int) {
	return func(int) {
		l.wire.life()
		out.call.touch(time.Now())
	}
}

// withBody returns a request that posts body, as often as it has to be sent. It shares its header with the one it was made from.
func withBody(request *http.Request, body []byte) *http.Request {
	again := request.WithContext(request.Context())
	again.ContentLength = int64(len(body))
	again.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	again.Body, _ = again.GetBody()
	return again
}

// tracedSend sends a request and says of a failure whether the server may have got the message.
func tracedSend(next http.RoundTripper, request *http.Request) (*http.Response, error) {
	var mu sync.Mutex
	left := false
	trace := &httptrace.ClientTrace{WroteHeaders: func() { mu.Lock(); left = true; mu.Unlock() }}
	response, err := next.RoundTrip(request.WithContext(httptrace.WithClientTrace(request.Context(), trace)))
	if err == nil {
		return response, nil
	}
	mu.Lock()
	defer mu.Unlock()
	var redirect *RedirectError
	var required *AuthRequired
	var unavailable *AuthUnavailable
	switch {
	case request.Context().Err() != nil, errors.As(err, &redirect), errors.As(err, &required):
		return nil, err
	case errors.As(err, &unavailable):
		// If something left before, the server refused it.
		return nil, &UnreachableError{Err: err}
	case left:
		return nil, fmt.Errorf("%w (%w)", ErrLost, err)
	}
	return nil, &UnreachableError{Err: err}
}

// UnreachableError says that no connection came about, so nothing has run. It wraps a *net.OpError, a TLS or certificate error, a
// *RefusedURL, or an *AuthUnavailable.
type UnreachableError struct {
	Err error
}

func (e *UnreachableError) Error() string { return "the server could not be reached: " + e.Err.Error() }
func (e *UnreachableError) Unwrap() error { return e.Err }

// denied returns the *AuthRequired that a response stands for, or nil. A 403 without a challenge is a plain refusal.
func denied(response *http.Response) error {
	challenge := response.Header.Values("WWW-Authenticate")
	if response.StatusCode == http.StatusUnauthorized || response.StatusCode == http.StatusForbidden && len(challenge) > 0 {
		return &AuthRequired{Status: response.StatusCode, Challenge: challenge}
	}
	return nil
}

// headers adds the headers of the endpoint to requests to its origin, and sends none at all to a refused address.
type headers struct {
	origin  *url.URL
	refused error
	header  http.Header
	next    http.RoundTripper
}

func (h *headers) RoundTrip(request *http.Request) (*http.Response, error) {
	if h.refused != nil {
		return nil, h.refused
	}
	if !egress.SameOrigin(request.URL, h.origin) || len(h.header) == 0 {
		return h.next.RoundTrip(request)
	}
	request = request.Clone(request.Context())
	for name, values := range h.header {
		switch name = http.CanonicalHeaderKey(name); {
		case name == "Host" && len(values) > 0:
			request.Host = values[0]
		case name != sessionHeader && len(request.Header.Values(name)) == 0:
			// What the protocol itself sets is not replaced; the session is its own business also before there is one.
			request.Header[name] = values
		}
	}
	return h.next.RoundTrip(request)
}

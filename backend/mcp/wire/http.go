package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Endpoint of a remote server.
type Endpoint struct {
	URL               string
	Headers           http.Header // sent to the origin of URL only
	TrustLocalNetwork bool        // addresses of private networks are allowed
}

// StreamableHTTP speaks the Streamable HTTP transport.
func (w *Wire) StreamableHTTP(endpoint Endpoint) sdk.Transport {
	// Without a limit of its own: the context of each request is the limit, and a long stream is not a fault.
	client := &http.Client{Transport: newLink(w, endpoint, false), CheckRedirect: keepRedirect}
	return &sdk.StreamableClientTransport{Endpoint: endpoint.URL, HTTPClient: client, MaxEventSize: -1}
}

// SSE speaks the HTTP+SSE transport of 2024-11-05. Pass ProtocolVersion "2025-11-25" to Connect with it.
func (w *Wire) SSE(endpoint Endpoint) sdk.Transport {
	client := &http.Client{Transport: newLink(w, endpoint, true), CheckRedirect: keepRedirect}
	return &sdk.SSEClientTransport{Endpoint: endpoint.URL, HTTPClient: client, MaxEventSize: -1}
}

// keepRedirect leaves redirects to the chain below http.Client.
func keepRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// link is the outermost http.RoundTripper: it sees every request that go-sdk makes and decides what go-sdk gets to see of the answer.
type link struct {
	wire *Wire
	next http.RoundTripper
	sse  bool // the transport of 2024-11-05: answers come on the GET stream

	mu      sync.Mutex
	pending map[string]pendingPost // of sse, by id
}

type pendingPost struct {
	call *Call
	head rpcHead
}

func newLink(w *Wire, endpoint Endpoint, sse bool) *link {
	next := w.config.Roots
	if next == nil {
		next = http.DefaultTransport.(*http.Transport).Clone()
	}
	origin, _ := url.Parse(endpoint.URL)
	return &link{wire: w, sse: sse, pending: map[string]pendingPost{}, next: &headers{origin: origin, header: endpoint.Headers, next: next}}
}

func (l *link) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Method == http.MethodPost && request.Body != nil {
		return l.post(request)
	}
	response, err := l.next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	if request.Method == http.MethodGet && isEventStream(response.Header) && response.StatusCode == http.StatusOK {
		l.stream(response, nil, rpcHead{})
	}
	return response, nil
}

// rpcHead is what the chain must know of an outgoing message.
type rpcHead struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	sent   time.Time
}

func (h rpcHead) isCall() bool { return h.Method != "" && len(h.ID) > 0 }

func (l *link) post(request *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(request.Body)
	request.Body.Close()
	if err != nil {
		return nil, err
	}
	call := CallFrom(request.Context())
	var head rpcHead
	if err := json.Unmarshal(body, &head); err != nil {
		return nil, fmt.Errorf("the outgoing message is not JSON: %w", err)
	}
	head.sent = time.Now()
	l.record(Record{Time: head.sent, Dir: Out, Raw: body, Call: call})
	if call != nil && head.isCall() {
		call.mu.Lock()
		call.rounds = append(call.rounds, Round{RPCID: string(head.ID), Sent: head.sent})
		call.mu.Unlock()
	}
	request = request.Clone(request.Context())
	request.Body = io.NopCloser(bytes.NewReader(body))
	request.ContentLength = int64(len(body))
	request.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	if l.sse && head.isCall() {
		l.mu.Lock()
		l.pending[string(head.ID)] = pendingPost{call, head}
		l.mu.Unlock()
	}
	response, err := l.next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode == http.StatusUnauthorized || response.StatusCode == http.StatusForbidden && response.Header.Get("WWW-Authenticate") != "" {
		response.Body.Close()
		return nil, &AuthRequired{Status: response.StatusCode, Challenge: response.Header.Values("WWW-Authenticate")}
	}
	if !head.isCall() || l.sse {
		return response, nil
	}
	if isEventStream(response.Header) && response.StatusCode == http.StatusOK {
		l.stream(response, call, head)
		return response, nil
	}
	raw, err := io.ReadAll(response.Body)
	response.Body.Close()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrLost, err)
	}
	l.arrived(raw, response.StatusCode, call, head)
	if !json.Valid(raw) {
		text := strings.ToValidUTF8(string(raw[:min(len(raw), 1000)]), "\uFFFD")
		return nil, &StatusError{Status: response.StatusCode, Body: text}
	}
	response.Body = io.NopCloser(bytes.NewReader(raw))
	return response, nil
}

// arrived records an incoming message and completes the round that it answers.
func (l *link) arrived(raw []byte, status int, call *Call, head rpcHead) {
	now := time.Now()
	record := Record{Time: now, Dir: In, Raw: raw, Status: status, Call: call}
	var answer struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Result json.RawMessage `json:"result"`
		Error  json.RawMessage `json:"error"`
	}
	decoded := json.Unmarshal(raw, &answer) == nil && answer.Method == ""
	if decoded && l.sse {
		l.mu.Lock()
		if p, ok := l.pending[string(answer.ID)]; ok {
			delete(l.pending, string(answer.ID))
			call, head, record.Call = p.call, p.head, p.call
		}
		l.mu.Unlock()
	}
	if decoded && bytes.Equal(answer.ID, head.ID) {
		record.Method, record.Took = head.Method, now.Sub(head.sent)
		if call != nil {
			call.mu.Lock()
			round := &call.rounds[len(call.rounds)-1]
			round.Took, round.Result, round.Error, round.Status = record.Took, answer.Result, answer.Error, status
			call.mu.Unlock()
		}
	}
	l.record(record)
}

func (l *link) record(record Record) {
	if f := l.wire.config.Observer.Record; f != nil {
		f(record)
	}
}

// stream puts a reader between the event stream and go-sdk that records every message and hands it on in canonical form.
func (l *link) stream(response *http.Response, call *Call, head rpcHead) {
	source := response.Body
	status := response.StatusCode
	reader := newEventReader(source, func(int) {
		if call != nil {
			call.touch(time.Now())
		}
		if f := l.wire.config.Observer.Life; f != nil {
			f()
		}
	})
	response.Body = &rewritten{source: source, next: func(b []byte) ([]byte, error) {
		e, err := reader.next()
		if err != nil {
			return b, err
		}
		switch {
		case e.name == "endpoint":
			return append(append(append(b, "event: endpoint\ndata: "...), e.data...), "\n\n"...), nil
		case len(e.data) == 0 || e.cut || e.name != "" && e.name != "message" && e.name != bareEvent:
			return b, nil
		}
		l.arrived(e.data, status, call, head)
		return appendEvent(b, e.data), nil
	}}
}

// rewritten is a response body whose bytes come from next, which appends to its argument.
type rewritten struct {
	source io.Closer
	next   func([]byte) ([]byte, error)
	ready  []byte
	err    error
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

func (r *rewritten) Close() error { return r.source.Close() }

func isEventStream(header http.Header) bool {
	kind, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	return kind == "text/event-stream"
}

// headers adds the headers of the endpoint to requests to its origin.
type headers struct {
	origin *url.URL
	header http.Header
	next   http.RoundTripper
}

func (h *headers) RoundTrip(request *http.Request) (*http.Response, error) {
	if h.origin == nil || !sameOrigin(request.URL, h.origin) || len(h.header) == 0 {
		return h.next.RoundTrip(request)
	}
	request = request.Clone(request.Context())
	for name, values := range h.header {
		// What the protocol itself sets is not the user's to replace.
		if len(request.Header.Values(name)) == 0 {
			request.Header[http.CanonicalHeaderKey(name)] = values
		}
	}
	return h.next.RoundTrip(request)
}

func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Hostname(), b.Hostname()) && port(a) == port(b)
}

func port(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	if u.Scheme == "https" {
		return "443"
	}
	return "80"
}

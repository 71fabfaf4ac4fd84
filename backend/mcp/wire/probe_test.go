package wire

import (
	"context"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"jackfield/backend/egress"
)

// TestProbeFallsBack answers server/discover in every way that says "not modern"; the handshake of the older era follows, in one Connect.
func TestProbeFallsBack(t *testing.T) {
	for name, answer := range map[string]handler{
		"method not found":           nil,
		"html":                       status(200, "text/html", "<p>hi"),
		"202":                        status(202, "", ""),
		"204":                        status(204, "", ""),
		"empty 200":                  status(200, "application/json", ""),
		"empty object":               status(200, "application/json", "{}"),
		"result without versions":    result(`{}`),
		"result of the wrong type":   result(`[]`),
		"result with older versions": result(`{"supportedVersions":["2025-11-25"],"capabilities":{}}`),
		"error as a string":          status(200, "application/json", `{"error":"bad"}`),
		"error with id null":         status(200, "application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"bad"}}`),
		"error with id null, 400":    status(400, "application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: Server not initialized"}}`),
		"400":                        status(400, "text/plain", "bad"),
		"403":                        status(403, "text/plain", "no"),
		"404":                        status(404, "text/plain", "no"),
		"405":                        status(405, "text/plain", "no"),
		"406":                        status(406, "text/plain", "no"),
		"500":                        status(500, "text/plain", "no"),
		"503":                        status(503, "text/plain", "no"),
		"session of its own": func(w http.ResponseWriter, r *http.Request, id string) {
			w.Header().Set("Mcp-Session-Id", "probe")
			status(200, "application/json", `{"jsonrpc":"2.0","id":ID,"error":{"code":-32601,"message":"no"}}`)(w, r, id)
		},
		"reset":                  reset("", ""),
		"half an answer":         reset("application/json", `{"jsonrpc":"2.0",`),
		"event stream that ends": status(200, "text/event-stream", ": hello\n\n"),
	} {
		t.Run(name, func(t *testing.T) {
			f := newFakeHTTP(t, false)
			if answer != nil {
				f.on("server/discover", answer)
			}
			p := mustConnect(t, f.URL, Config{}, nil)
			if _, err := p.call("good"); err != nil {
				t.Error(err)
			}
			if got := p.wire.Era(); got != "legacy" {
				t.Errorf("era %q", got)
			}
			sent := f.requests("initialize")
			if len(sent) != 1 || sent[0].header.Get("Mcp-Session-Id") != "" {
				t.Errorf("initialize was sent as %v", sent)
			}
			if got := f.requests("tools/call good")[0].header.Get("Mcp-Session-Id"); got != "s1" {
				t.Errorf("the call was made in session %q", got)
			}
		})
	}
}

func TestProbeEndsSilence(t *testing.T) {
	body := func(w http.ResponseWriter, r *http.Request, id string) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"jsonrpc":"2.0",`))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
	for _, name := range []string{"no headers", "headers of a stream", "half a body"} {
		t.Run(name, func(t *testing.T) {
			f := newFakeHTTP(t, false)
			f.on("server/discover", map[string]handler{"no headers": f.hang(false), "headers of a stream": f.hang(true), "half a body": body}[name])
			start := time.Now()
			p := mustConnect(t, f.URL, Config{Probe: 200 * time.Millisecond}, nil)
			if took := time.Since(start); took < 200*time.Millisecond || took > 2*time.Second {
				t.Errorf("took %v", took)
			}
			if got := p.wire.Era(); got != "legacy" {
				t.Errorf("era %q", got)
			}
			if _, err := p.call("good"); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestProbeFindsModern(t *testing.T) {
	plain := newFakeHTTP(t, true)
	stream := newFakeHTTP(t, true)
	stream.on("server/discover", func(w http.ResponseWriter, r *http.Request, id string) {
		rec := httptest.NewRecorder()
		stream.good("server/discover")(rec, r, id)
		// The stream stays open behind the answer: the probe must not wait for its end.
		slowly("text/event-stream", "data: "+rec.Body.String()+"\n\n", time.Minute)(w, r, id)
	})
	for _, f := range []*fakeHTTP{plain, stream} {
		p := mustConnect(t, f.URL, Config{Probe: 2 * time.Second}, nil)
		if got := p.wire.Era(); got != "modern" {
			t.Errorf("era %q", got)
		}
		if n := len(f.requests("initialize")); n != 0 {
			t.Errorf("initialize was sent %d times", n)
		}
		if _, err := p.call("good"); err != nil {
			t.Error(err)
		}
	}
}

// TestConnectKeepsTheType has each way in which connecting fails, and the type that says so.
func TestConnectKeepsTheType(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	defer secure.Close()
	answering := func(h handler) string {
		f := newFakeHTTP(t, false)
		f.on("server/discover", h)
		f.on("initialize", h)
		return f.URL
	}
	statusIs := func(want int) func(error) bool {
		return func(err error) bool {
			var e *StatusError
			return errors.As(err, &e) && e.Status == want
		}
	}
	for name, test := range map[string]struct {
		url string
		is  func(error) bool
	}{
		"refused": {gone.URL, func(err error) bool {
			var op *net.OpError
			var e *UnreachableError
			return errors.As(err, &op) && op.Op == "dial" && errors.As(err, &e)
		}},
		"unknown host": {"http://jackfield-no-such-host.invalid/mcp", func(err error) bool {
			var dns *net.DNSError
			return errors.As(err, &dns)
		}},
		"certificate": {secure.URL, func(err error) bool {
			var e x509.UnknownAuthorityError
			return errors.As(err, &e)
		}},
		"metadata address": {"http://169.254.169.254/mcp", isRefusal},
		"local network":    {"http://192.168.255.254/mcp", isRefusal},
		"not the web":      {"ftp://example.com/mcp", isRefusal},
		"401": {answering(challenge(401, "Bearer")), func(err error) bool {
			var e *AuthRequired
			return errors.As(err, &e) && e.Status == 401 && len(e.Challenge) == 1
		}},
		"404":            {answering(status(404, "text/plain", "no")), statusIs(404)},
		"404 JSON-RPC":   {answering(status(404, "application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"Not found"}}`)), statusIs(404)},
		"405":            {answering(status(405, "text/plain", "no")), statusIs(405)},
		"429":            {answering(status(429, "text/plain", "no")), statusIs(429)},
		"500":            {answering(status(500, "text/plain", "no")), statusIs(500)},
		"html":           {answering(status(200, "text/html", "<p>hi")), statusIs(200)},
		"moved":          {answering(redirect(301, "/other/")), func(err error) bool { return asRedirect("/other/")(err) == nil }},
		"lost handshake": {answering(reset("", "")), func(err error) bool { return errors.Is(err, ErrLost) }},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := connect(t, test.url, Config{}, nil)
			if err == nil {
				t.Fatal("connected")
			}
			if !test.is(err) {
				t.Errorf("wrong error: %v", err)
			}
			if !test.is(p.wire.Cause()) {
				t.Errorf("wrong cause: %v", p.wire.Cause())
			}
		})
	}
}

func isRefusal(err error) bool {
	var refused *egress.RefusedURL
	return errors.As(err, &refused)
}

// A server that cannot be reached, or wants a sign-in, is not asked twice.
func TestProbeIsNotRepeatedByInitialize(t *testing.T) {
	f := newFakeHTTP(t, false)
	f.on("server/discover", challenge(401, "Bearer"))
	if _, err := connect(t, f.URL, Config{}, nil); err == nil {
		t.Fatal("connected")
	}
	if n := len(f.requests("initialize")); n != 0 {
		t.Errorf("initialize was sent %d times", n)
	}
}

// TestConnectEndsWithItsContext hangs every step of connecting.
func TestConnectEndsWithItsContext(t *testing.T) {
	for _, step := range []string{"initialize", "notifications/initialized"} {
		t.Run(step, func(t *testing.T) {
			f := newFakeHTTP(t, false)
			f.on(step, f.hang(false))
			w := New(Config{})
			defer w.Close()
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			start := time.Now()
			_, err := client().Connect(ctx, w.StreamableHTTP(Endpoint{URL: f.URL}), nil)
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v", err)
			}
			if took := time.Since(start); took > time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}

// Streams that never send their headers hold up nobody, neither connecting nor closing.
func TestConnectDoesNotWaitForStreams(t *testing.T) {
	changed := &sdk.ClientOptions{ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) {}}
	for name, modern := range map[string]bool{"GET": false, "subscriptions/listen": true} {
		t.Run(name, func(t *testing.T) {
			f := newFakeHTTP(t, modern)
			f.on(name, f.hang(false))
			start := time.Now()
			p := mustConnect(t, f.URL, Config{}, changed)
			if took := time.Since(start); took > time.Second {
				t.Errorf("connecting took %v", took)
			}
			if _, err := p.call("good"); err != nil {
				t.Error(err)
			}
			eventually(t, func() bool { return len(f.requests(name)) == 1 })
			start = time.Now()
			if err := errors.Join(p.Close(), p.wire.Close()); err != nil {
				t.Error(err)
			}
			if took := time.Since(start); took > time.Second {
				t.Errorf("closing took %v", took)
			}
		})
	}
}

func eventually(t *testing.T, is func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if is() {
			return
		}
	}
	t.Error("it did not happen within 10 s")
}

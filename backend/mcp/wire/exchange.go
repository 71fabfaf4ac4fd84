package wire

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// masked stands for what is not shown.
const masked = "***"

// Head is what a trace keeps of an HTTP request and its response beside their bodies. No secret is in it.
type Head struct {
	Method         string
	URL            string
	Proto          string // of the response: "HTTP/1.1"
	Status         int    // 0: no response (yet)
	RequestHeader  http.Header
	ResponseHeader http.Header
	Sent           time.Time     // zero: it never left
	Wait           time.Duration // until the head of the response
	Times          int           // how often it was sent: a redirect, a renewed sign-in and a resumed stream send again; the last one is described
	Error          string        // why there is no response
}

// Exchange is one HTTP request that carries a message, and its response. It is filled in while it goes on; safe for concurrent use.
type Exchange struct {
	mu      sync.Mutex
	head    Head
	secrets []string
}

// Head is what is known by now. Its maps do not change any more.
func (e *Exchange) Head() Head {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.head
}

// Secrets are the values that were masked, so that they can be masked elsewhere, too. They must not be shown.
func (e *Exchange) Secrets() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.secrets)
}

type exchangeKey struct{}

func withExchange(ctx context.Context, e *Exchange) context.Context {
	return context.WithValue(ctx, exchangeKey{}, e)
}

func exchangeFrom(ctx context.Context) *Exchange {
	e, _ := ctx.Value(exchangeKey{}).(*Exchange)
	return e
}

// exchanges is the innermost layer but the transport itself: what it sees is what is sent.
type exchanges struct {
	secret map[string]bool // canonical names of headers whose values the person keeps secret
	next   http.RoundTripper
}

func (x *exchanges) RoundTrip(request *http.Request) (*http.Response, error) {
	e := exchangeFrom(request.Context())
	if e == nil {
		return x.next.RoundTrip(request)
	}
	header, secrets := x.mask(request.Header)
	e.mu.Lock()
	e.head = Head{Method: request.Method, URL: maskURL(request.URL), RequestHeader: header, Sent: time.Now(), Times: e.head.Times + 1}
	for _, secret := range secrets {
		if !slices.Contains(e.secrets, secret) {
			e.secrets = append(e.secrets, secret)
		}
	}
	e.mu.Unlock()
	response, err := x.next.RoundTrip(request)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.head.Wait = time.Since(e.head.Sent)
	if err != nil {
		e.head.Error = shorten(err.Error(), 300)
		return nil, err
	}
	e.head.Status, e.head.Proto = response.StatusCode, response.Proto
	header, secrets = x.mask(response.Header)
	e.head.ResponseHeader = header
	e.secrets = append(e.secrets, secrets...)
	return response, nil
}

// mask copies a header without its secrets, and returns these.
func (x *exchanges) mask(header http.Header) (shown http.Header, secrets []string) {
	shown = make(http.Header, len(header))
	for name, values := range header {
		shown[name] = slices.Clone(values)
		switch {
		case name == sessionHeader:
			// Whether it is still the same session is worth seeing; the beginning tells that, and opens nothing.
			for i, value := range values {
				shown[name][i] = value[:min(len(value)/2, 6)] + masked
				secrets = append(secrets, value)
			}
		case x.secret[name] || secretHeader(name):
			for i, value := range values {
				scheme, credential, ok := strings.Cut(value, " ")
				if !ok || !strings.HasSuffix(name, "uthorization") {
					scheme, credential = "", value
				}
				shown[name][i] = strings.TrimSpace(scheme + " " + masked)
				secrets = append(secrets, credential)
			}
		}
	}
	return shown, secrets
}

// secretHeader says whether a header's name tells that its value is a secret.
func secretHeader(name string) bool {
	lower := strings.ToLower(name)
	switch lower {
	case "www-authenticate", "proxy-authenticate": // what is asked for, not what is given
		return false
	}
	return secretName(lower)
}

func secretName(lower string) bool {
	for _, part := range []string{"auth", "token", "secret", "key", "passw", "cookie", "credential", "session", "signature", "assertion"} {
		if strings.Contains(lower, part) {
			return true
		}
	}
	return false
}

// maskURL is a URL without its password and without the values of parameters whose names say that they are secrets.
func maskURL(u *url.URL) string {
	shown := *u
	query := shown.Query()
	changed := false
	for name := range query {
		if lower := strings.ToLower(name); secretName(lower) || lower == "code" {
			query[name] = []string{masked}
			changed = true
		}
	}
	if changed {
		shown.RawQuery = strings.ReplaceAll(query.Encode(), url.QueryEscape(masked), masked)
	}
	return shown.Redacted()
}

package oauth

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"time"

	"jackfield/backend/egress"
	"jackfield/backend/store"
	"jackfield/backend/store/vault"
)

const (
	fetchLimit   = 10 * time.Second // of one request with its redirects
	maxBody      = 1 << 20
	maxRedirects = 3

	// protocolVersion goes along with discovery (MCP 2025-03-26, "Authorization", section 2.3.2).
	protocolVersion = "2026-07-28"
)

// fetcher talks to the servers that one MCP server leads to: with the address policy for them, limits of time and size, and every request
// on record.
type fetcher struct {
	client *http.Client
	record func(store.HTTPExchange) // never nil; secrets are masked already
	policy egress.Policy

	clientName, version string
	grantIssuer         string // of the server's grant, "" if it has none
	grantSource         store.RegistrationSource
	registered          func(ctx context.Context, issuer string) (bool, error)
}

// fetcher makes one for a server; close ends its connections. Nothing that the server names may be more private than the server itself
// is: otherwise any server on the internet could have requests sent into the local network.
func (c *Client) fetcher(ctx context.Context, server store.Server, record func(store.HTTPExchange)) (f *fetcher, close func(), err error) {
	address, err := url.Parse(server.URL)
	if err != nil {
		return nil, func() {}, fmt.Errorf("the URL of this server cannot be read: %w", plainError(err))
	}
	looking, cancel := context.WithTimeout(ctx, fetchLimit)
	defer cancel()
	policy := egress.Policy{
		TrustLocalNetwork: server.TrustLocalNetwork,
		Most:              egress.HostClass(looking, address.Hostname(), net.DefaultResolver.LookupNetIP),
	}
	if record == nil {
		record = func(store.HTTPExchange) {}
	}
	f = &fetcher{record: record, policy: policy, clientName: c.options.ClientName, version: c.options.Version}
	if err := f.remember(ctx, c.options.Store, server); err != nil {
		return nil, func() {}, err
	}
	var root http.RoundTripper
	if c.options.Roots != nil {
		root = c.options.Roots(policy)
	} else {
		root = egress.NewTransport(policy)
	}
	// Redirects are followed in send, where each hop is judged and recorded.
	f.client = &http.Client{Transport: root, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	if c.options.Log != nil {
		c.options.Log.Debug("authorization requests of a server may go to", slog.Int("class", int(policy.Most)), slog.String("server", server.ID))
	}
	return f, f.client.CloseIdleConnections, nil
}

// remember takes what earlier sign-ins say about which authorization server is the right one.
func (f *fetcher) remember(ctx context.Context, kept Store, server store.Server) error {
	f.registered = func(context.Context, string) (bool, error) { return false, nil }
	if kept == nil {
		return nil
	}
	f.registered = func(ctx context.Context, issuer string) (bool, error) {
		known, err := kept.Registrations(ctx, issuer, server.ID)
		if sealed := new(vault.SealedError); errors.As(err, &sealed) || errors.Is(err, vault.ErrNoSecret) {
			return true, nil // there is one, though its secret cannot be read now
		}
		if err != nil {
			return false, fmt.Errorf("reading what is registered: %w", err)
		}
		return len(known) > 0, nil
	}
	grant, err := kept.Grant(ctx, server.ID)
	sealed := new(vault.SealedError)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil
	case err != nil && !errors.Is(err, vault.ErrNoSecret) && !errors.As(err, &sealed): // with those two the rest of the row is there
		return fmt.Errorf("reading the sign-in of this server: %w", err)
	}
	f.grantIssuer, f.grantSource = grant.Issuer, grant.Registration.Source
	return nil
}

// outgoing is a request before it is sent.
type outgoing struct {
	method  string
	url     string
	header  http.Header
	body    []byte
	secrets []string // what must not be shown, wherever it turns up
	refused bool     // only the body of a refusal is read: that of a success may be a stream without end
}

// reply is an answer that was read whole.
type reply struct {
	status int
	header http.Header
	body   []byte
	sent   []string // secrets of the request, which the answer may repeat
}

// check says whether a URL from outside may be contacted, or opened in a browser: https, or http to this machine, and allowed by policy.
// This is a closed list; with a list of what is forbidden, the next ms-msdt would be let through.
func (f *fetcher) check(raw string) (*url.URL, error) {
	if len(raw) > maxURL {
		return nil, fmt.Errorf("a URL of %d characters was named, which is too long", len(raw))
	}
	u, err := url.Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("%q is not a URL", maskRaw(raw))
	}
	switch {
	case u.Scheme != "https" && u.Scheme != "http":
		return nil, fmt.Errorf("%q is neither https nor http, and nothing else is opened", inert(maskURL(u), 200))
	case u.Opaque != "" || u.Hostname() == "":
		return nil, fmt.Errorf("%q has no host", inert(maskURL(u), 200))
	case u.User != nil:
		return nil, fmt.Errorf("%q has a user name in it", inert(maskURL(u), 200))
	case u.Fragment != "":
		return nil, fmt.Errorf("%q has a fragment", maskRaw(raw))
	case u.Scheme == "http" && !egress.SaysLoopback(u.Hostname()):
		return nil, fmt.Errorf("%q is not https, so anybody on the way could read what is sent", inert(maskURL(u), 200))
	}
	err = f.policy.CheckURL(u)
	if refused := new(egress.RefusedURL); errors.As(err, &refused) {
		masked := *refused
		masked.URL = maskURL(u)
		return nil, &masked
	}
	return u, err
}

// send sends a request and follows its redirects. What carries a body stays at its origin: a redirect must not carry a code or a secret
// to somebody else.
func (f *fetcher) send(ctx context.Context, r outgoing) (reply, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchLimit)
	defer cancel()
	u, err := f.check(r.url)
	if err != nil {
		f.record(store.HTTPExchange{Method: r.method, URL: maskRaw(r.url), Error: err.Error()})
		return reply{}, err
	}
	for hop := 0; ; hop++ {
		answer, err := f.once(ctx, u, r)
		if err != nil {
			return reply{}, err
		}
		location := answer.header.Get("Location")
		if answer.status < 300 || answer.status > 399 || location == "" {
			answer.sent = r.secrets
			return answer, nil
		}
		if hop == maxRedirects {
			return reply{}, fmt.Errorf("%s redirects more than %d times", u.Host, maxRedirects)
		}
		if u, err = f.redirect(u, location, answer.status, r.method); err != nil {
			// It may lead to an address that is made of what was sent.
			if text := hide(err.Error(), r.secrets); text != err.Error() {
				err = errors.New(text)
			}
			f.record(store.HTTPExchange{Method: r.method, URL: hide(maskRaw(location), r.secrets), Error: err.Error()})
			return reply{}, err
		}
	}
}

func (f *fetcher) redirect(from *url.URL, location string, status int, method string) (*url.URL, error) {
	to, err := from.Parse(location)
	if err != nil {
		return nil, fmt.Errorf("%s redirects to what is not a URL", from.Host)
	}
	to.Fragment, to.RawFragment = "", ""
	if to, err = f.check(to.String()); err != nil {
		return nil, fmt.Errorf("%s redirects: %w", from.Host, err)
	}
	keeps := status == http.StatusTemporaryRedirect || status == http.StatusPermanentRedirect
	switch {
	case from.Scheme == "https" && to.Scheme != "https":
		return nil, fmt.Errorf("%s redirects from https to http, which was not followed", from.Host)
	case method != http.MethodGet && !(keeps && egress.SameOrigin(from, to)):
		return nil, fmt.Errorf("%s redirects a request with secrets to %s, which was not followed", from.Host, to.Host)
	}
	return to, nil
}

// once is one hop, with its record.
func (f *fetcher) once(ctx context.Context, u *url.URL, r outgoing) (reply, error) {
	started := time.Now()
	shown := store.HTTPExchange{Method: r.method, URL: hide(maskURL(u), r.secrets), Sent: maskBody(r.header.Get("Content-Type"), r.body, r.secrets)}
	answer, err := f.roundTrip(ctx, u, r)
	shown.Took, shown.Status = time.Since(started), answer.status
	shown.Received = maskBody(answer.header.Get("Content-Type"), answer.body, r.secrets)
	if err != nil {
		shown.Error = inert(err.Error(), 500)
	}
	f.record(shown)
	return answer, err
}

func (f *fetcher) roundTrip(ctx context.Context, u *url.URL, r outgoing) (reply, error) {
	request, err := http.NewRequestWithContext(ctx, r.method, u.String(), bytes.NewReader(r.body))
	if err != nil {
		return reply{}, plainError(err)
	}
	request.Header = r.header.Clone()
	if request.Header == nil {
		request.Header = http.Header{}
	}
	if request.Header.Get("Accept") == "" {
		request.Header.Set("Accept", "application/json")
	}
	response, err := f.client.Do(request)
	if err != nil {
		return reply{}, fmt.Errorf("%s could not be reached: %w", u.Host, plainError(err))
	}
	defer func() { _ = response.Body.Close() }()
	answer := reply{status: response.StatusCode, header: response.Header}
	if r.refused && response.StatusCode < 400 {
		return answer, nil
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxBody+1))
	if err != nil {
		return answer, fmt.Errorf("the answer of %s broke off: %w", u.Host, plainError(err))
	}
	if len(body) > maxBody {
		return answer, fmt.Errorf("the answer of %s is larger than 1 MiB", u.Host)
	}
	answer.body = body
	return answer, nil
}

// plainError takes the URL off an error of net/http, since its query may be secret.
func plainError(err error) error {
	if wrapped := new(url.Error); errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}

// get fetches a document of discovery.
func (f *fetcher) get(ctx context.Context, raw string) (reply, error) {
	return f.send(ctx, outgoing{method: http.MethodGet, url: raw, header: http.Header{"Mcp-Protocol-Version": {protocolVersion}}})
}

package mcp

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"jackfield/backend/egress"
	"jackfield/backend/store"
)

// Limits of the parts of a diagnosis; the handshake and the lists have those of the server.
const (
	resolveLimit = 10 * time.Second
	dialLimit    = 10 * time.Second
	tlsLimit     = 10 * time.Second
)

// Diagnose finds out how far a connection to a stored server comes: it opens a second one beside whatever is live, through the same
// code, and closes it again. Nothing of the server's row changes. When ctx ends, what is known by then is returned.
func (m *Manager) Diagnose(ctx context.Context, id string) (Diagnosis, error) {
	m.mu.Lock()
	c, err := m.findLocked(id)
	if err != nil {
		m.mu.Unlock()
		return Diagnosis{}, err
	}
	server, adhoc := c.server, c.adhoc
	m.mu.Unlock()
	return m.diagnose(ctx, server, adhoc)
}

// DiagnoseAdhoc is Diagnose for a server that is not stored.
func (m *Manager) DiagnoseAdhoc(ctx context.Context, server store.Server) (Diagnosis, error) {
	if err := checkServer(&server); err != nil {
		return Diagnosis{}, err
	}
	m.mu.Lock()
	if server.ID == "" {
		server.ID = m.freeIDLocked(server.Name)
	}
	m.mu.Unlock()
	return m.diagnose(ctx, server, true)
}

func (m *Manager) diagnose(ctx context.Context, server store.Server, adhoc bool) (Diagnosis, error) {
	// What was learned is not believed here: every step is gone anew.
	server.Learned, server.LastError = store.Learned{}, nil
	d := &doctor{m: m, conn: newConn(server), facts: doctorFacts{server: server, lists: map[listKind]listProbe{}}}
	d.conn.adhoc, d.conn.gen, d.conn.tap = adhoc, 1, &tap{}
	begun := m.clock.Now()

	done := make(chan Diagnosis, 1)
	m.mu.Lock()
	started := m.spawnLocked(func() {
		work, cancel := context.WithCancelCause(m.ctx)
		defer cancel(nil)
		defer context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })()
		link := d.examine(work)
		if ctx.Err() != nil && d.facts.ended == nil {
			d.facts.ended = describe(context.Cause(ctx), nil)
		}
		found := d.diagnosis()
		found.Took = m.clock.Now().Sub(begun)
		done <- found // before the connection is closed, which may take its time
		if link != nil {
			link.close(errDisconnected, false)
		}
		d.release()
	})
	m.mu.Unlock()
	if !started {
		return Diagnosis{}, ErrClosed
	}
	return <-done, nil // examine ends with ctx
}

// doctor is one diagnosis under way. It belongs to one goroutine.
type doctor struct {
	m     *Manager
	conn  *conn // in no list: nobody else connects, calls or removes it
	facts doctorFacts
	close func()
}

func (d *doctor) release() {
	if d.close != nil {
		d.close()
	}
}

// examine goes through the steps, as far as they come. It returns the connection to be closed, if there is one.
func (d *doctor) examine(ctx context.Context) *link {
	f := &d.facts
	f.settings = d.settings()
	if f.settings.failure != nil {
		return nil
	}
	switch {
	case f.remote():
		if !d.network(ctx) {
			return nil
		}
		transport := egress.NewTransport(d.policy())
		d.conn.tap.next, d.close = transport, transport.CloseIdleConnections
	case f.server.Transport == store.TransportStdio:
		if f.command = d.command(ctx); f.command.failure != nil {
			return nil
		}
	}
	f.begun = time.Now()
	link, failure := d.m.handshake(ctx, d.conn, f.server, 1)
	d.read()
	if failure != nil {
		f.failure = failure
		if f.remote() && strings.HasPrefix(f.server.URL, "http:") && !f.said() && f.proxy == "" {
			f.speaksTLS = d.speaksTLS(ctx)
		}
		return nil
	}
	f.connected, f.pid = &link.learned, link.wire.PID()
	d.m.mu.Lock()
	d.conn.link = link // so that the problems of its lists are told
	d.m.mu.Unlock()
	d.load(ctx, link)
	d.read()
	return link
}

// settings are what can be judged without contacting anybody.
func (d *doctor) settings() probe {
	server := d.facts.server
	if !d.facts.remote() {
		if server.Transport == store.TransportStdio && !d.conn.adhoc && server.NeedsReview() {
			return probe{failure: needsReview()}
		}
		if server.Transport == store.TransportBuiltin {
			return probe{ran: true, detail: "Built into this program"}
		}
		return probe{ran: true, detail: strings.Join(append([]string{server.Command}, server.Args...), " ")}
	}
	u, err := url.Parse(server.URL)
	if err != nil {
		return probe{failure: fail(CodeUsage, "The address is not a URL.", "Correct the address of this server.", err)}
	}
	if err := d.policy().CheckURL(u); err != nil {
		return probe{failure: describe(err, nil)}
	}
	return probe{ran: true, detail: u.Redacted()}
}

func (d *doctor) policy() egress.Policy {
	return egress.Policy{TrustLocalNetwork: d.facts.server.TrustLocalNetwork}
}

// network tries name, connection and TLS by themselves. It reports whether all went well.
func (d *doctor) network(ctx context.Context) bool {
	f := &d.facts
	u, err := url.Parse(f.server.URL)
	if err != nil {
		return false // settings has said so
	}
	route, err := egress.RouteTo(u)
	if err != nil {
		f.resolve = probe{failure: fail(CodeUsage, "The proxy of the environment cannot be used: "+trimError(err), "Correct HTTP_PROXY and HTTPS_PROXY.", err)}
		return false
	}
	if route.Proxy != nil {
		f.proxy = route.Proxy.Redacted()
	}
	f.resolve = timed(ctx, resolveLimit, "The name was not resolved", func(ctx context.Context) (string, error) {
		addresses, err := route.Lookup(ctx)
		var texts []string
		for _, address := range addresses {
			texts = append(texts, address.Unmap().String())
		}
		return strings.Join(texts, ", "), err
	})
	if f.resolve.failure != nil {
		return false
	}
	var conn net.Conn
	f.tcp = timed(ctx, dialLimit, "No connection", func(ctx context.Context) (string, error) {
		var err error
		if conn, err = d.policy().Dial(ctx, route); err != nil {
			return "", err
		}
		return conn.RemoteAddr().String(), nil
	})
	if f.tcp.failure != nil {
		return false
	}
	defer func() { _ = conn.Close() }() // it has served
	if f.proxy != "" {
		f.tcp.detail += ", the proxy " + f.proxy
		return true
	}
	if route.TLS {
		f.tls = timed(ctx, tlsLimit, "No TLS handshake", func(ctx context.Context) (string, error) {
			return shakeHands(ctx, conn, &tls.Config{ServerName: u.Hostname(), NextProtos: []string{"h2", "http/1.1"}})
		})
		if f.tls.failure != nil {
			f.tls.detail = certificateOf(f.tls.failure)
		}
	}
	return f.tls.failure == nil
}

// timed tries one thing within a limit.
func timed(ctx context.Context, limit time.Duration, late string, try func(context.Context) (string, error)) probe {
	late = fmt.Sprintf("%s within %s.", late, limit)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	begun := time.Now()
	detail, err := try(ctx)
	p := probe{ran: true, took: time.Since(begun), detail: detail}
	switch {
	case err == nil:
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		p.failure = fail(CodeUnreachable, late, "Check the address and the network.", err)
	case ctx.Err() != nil:
		p.failure = describe(context.Cause(ctx), nil)
	default:
		p.failure = describe(err, nil)
		if p.failure.Code == CodeProtocol { // of an error whose type says nothing
			p.failure = fail(CodeUnreachable, "It failed: "+trimError(err)+".", "Check the address and the network.", err)
		}
	}
	return p
}

// shakeHands does a TLS handshake and says what came of it.
func shakeHands(ctx context.Context, conn net.Conn, config *tls.Config) (string, error) {
	secure := tls.Client(conn, config)
	if err := secure.HandshakeContext(ctx); err != nil {
		return "", err
	}
	state := secure.ConnectionState()
	detail := tls.VersionName(state.Version)
	if len(state.PeerCertificates) > 0 {
		leaf := state.PeerCertificates[0]
		detail += fmt.Sprintf(", certificate of %s until %s", firstOf(leaf.Subject.CommonName, strings.Join(leaf.DNSNames, ", ")), leaf.NotAfter.Format(time.DateOnly))
	}
	return detail, nil
}

// certificateOf tells what is known of a certificate that was not trusted.
func certificateOf(failure *Error) string {
	bad, ok := errors.AsType[*tls.CertificateVerificationError](failure)
	if !ok || len(bad.UnverifiedCertificates) == 0 {
		return ""
	}
	leaf := bad.UnverifiedCertificates[0]
	return fmt.Sprintf("Certificate for %s, issued by %s, valid from %s to %s", firstOf(strings.Join(leaf.DNSNames, ", "), leaf.Subject.String(), "nobody"),
		firstOf(leaf.Issuer.String(), "nobody"), leaf.NotBefore.Format(time.DateOnly), leaf.NotAfter.Format(time.DateOnly))
}

// speaksTLS says whether an http address answers a TLS handshake. Whose certificate it has is of no matter: nothing is sent.
func (d *doctor) speaksTLS(ctx context.Context) bool {
	u, err := url.Parse(d.facts.server.URL)
	if err != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, tlsLimit)
	defer cancel()
	route, err := egress.RouteTo(u)
	if err != nil {
		return false
	}
	conn, err := d.policy().Dial(ctx, route)
	if err != nil {
		return false
	}
	defer func() { _ = conn.Close() }()
	_, err = shakeHands(ctx, conn, &tls.Config{ServerName: u.Hostname(), InsecureSkipVerify: true}) //nolint:gosec // only whether it is TLS
	return err == nil
}

// command finds the program of a process without starting it.
func (d *doctor) command(ctx context.Context) probe {
	begun := time.Now()
	server, failure := d.m.reveal(ctx, d.facts.server, d.conn.adhoc)
	if failure != nil {
		return probe{failure: failure}
	}
	command, failure := resolveCommand(server, d.m.environ(ctx))
	p := probe{ran: true, took: time.Since(begun), detail: command.Path, failure: failure}
	if command.Dir != "" {
		p.detail += ", in " + command.Dir
	}
	return p
}

// load loads each list by itself, at the same time, within the server's limit for a discovery.
func (d *doctor) load(ctx context.Context, link *link) {
	limit := d.facts.server.Timeouts.Discovery
	if limit <= 0 {
		limit = defaultDiscovery
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errDiscoveryLimit)
	defer cancel()
	var wg sync.WaitGroup
	var mu sync.Mutex
	for _, kind := range allLists {
		if !offers(link.caps, kind) {
			continue
		}
		wg.Go(func() {
			p := d.loadList(ctx, link, kind, limit)
			mu.Lock()
			defer mu.Unlock()
			d.facts.lists[kind] = p
		})
	}
	wg.Wait()
}

func (d *doctor) loadList(ctx context.Context, link *link, kind listKind, limit time.Duration) listProbe {
	p := listProbe{offered: true}
	begun := time.Now()
	entries, err := d.m.fetchList(ctx, d.conn, link, kind, true)
	p.ran, p.took = true, time.Since(begun)
	switch {
	case errors.Is(err, errDiscoveryLimit):
		p.failure = fail(CodeDiscoveryTime, fmt.Sprintf("No answer to %s within %s.", kind, limit), "A longer limit can be set for this server.", err)
		return p
	case err != nil:
		p.failure = describe(err, link.wire.Cause())
		return p
	}
	note := func(code, subject, message string) {
		p.problems = append(p.problems, Problem{Code: code, ServerID: d.conn.id, Subject: subject, Message: message})
	}
	switch kind {
	case listTools:
		p.count = len(decodeTools(entries, note))
	case listPrompts:
		p.count = len(decodePrompts(entries, note))
	case listResources:
		p.count = len(decodeResources(entries, note))
	case listTemplates:
		p.count = len(decodeTemplates(entries, note))
	}
	d.m.mu.Lock()
	p.problems = append(p.problems, d.conn.listProblems[kind]...)
	d.m.mu.Unlock()
	return p
}

// read takes over what the tap has seen.
func (d *doctor) read() {
	t := d.conn.tap
	t.mu.Lock()
	defer t.mu.Unlock()
	d.facts.messages, d.facts.exchanges = slices.Clone(t.messages), slices.Clone(t.exchanges)
}

// diagnosis puts the result together.
func (d *doctor) diagnosis() Diagnosis {
	f := d.facts
	l := f.steps()
	found := Diagnosis{Server: f.server, Steps: l.steps, Failed: l.failed}
	if l.failure != nil {
		failure := l.failure.Failure
		found.Failure = &failure
	}
	if f.connected != nil {
		found.Transport, found.Era = f.connected.transport, f.connected.era
		found.ProtocolVersion, found.ServerInfo = f.connected.protocolVersion, f.connected.info
	}
	found.Counts = Counts{
		Tools: f.lists[listTools].count, Prompts: f.lists[listPrompts].count,
		Resources: f.lists[listResources].count, Templates: f.lists[listTemplates].count,
	}
	t := d.conn.tap
	t.mu.Lock()
	found.Stderr = slices.Clone(t.stderr)
	t.mu.Unlock()
	if found.Failure != nil && len(found.Failure.Stderr) > 0 {
		// Of the process that failed alone: another may have been started before it, to ask about the era.
		found.Stderr = found.Failure.Stderr
	}
	d.m.mu.Lock()
	found.Problems = slices.Clone(d.conn.linkProblems)
	d.m.mu.Unlock()
	for _, kind := range allLists {
		found.Problems = append(found.Problems, f.lists[kind].problems...)
	}
	return found
}

func needsReview() *Error {
	return fail(CodeReview, "Review the command first.", "Look at the whole command of this server, and approve it if you trust it.", nil)
}

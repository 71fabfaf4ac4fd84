package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"jackfield/backend/mcp/wire"
	"jackfield/backend/store"
)

const (
	defaultConnect = 30 * time.Second
	// How long an orderly end (DELETE of the session, a process that finishes by itself) may take before it is forced.
	closeGrace = 3 * time.Second
	// How long a cancelled Connect of go-sdk may take to return before its result counts as late.
	lateGrace = 250 * time.Millisecond
	// go-sdk sends notifications/cancelled in the background; closing at once would keep it from a server that still works
	// on a call.
	cancelGrace = 100 * time.Millisecond
)

// link is one connection generation: a go-sdk session and the wire under it. Its fields do not change, except where said.
type link struct {
	gen     uint64
	wire    *wire.Wire
	session *sdk.ClientSession
	// ctx is of everything that hangs on this connection; its cause says why it ended.
	ctx     context.Context
	cancel  context.CancelCauseFunc
	caps    *sdk.ServerCapabilities
	learned learned
	latency time.Duration
	client  *sdk.Client
	level   atomic.Value // store.LogLevel: the one to ask for with each request, in the modern era
	modern  atomic.Bool  // the handshake is done and of the modern era

	calls   sync.WaitGroup // running calls; added to with Manager.mu held while this is the current link
	busy    int            // how many; guarded by Manager.mu
	unrest  unrest         // of its lists; guarded by Manager.mu
	hurry   chan struct{}  // capacity 1: a person does not want to wait for the next look at a server that is away
	visited map[string]Ask // accepted URL asks by elicitationId; guarded by Manager.mu

	mu      sync.Mutex
	pages   map[pageKey]page    // the last page of each list
	schemas map[string]compiled // outputSchemas by tool
}

// handshake connects one generation within the server's limit, trying the plans that are open to it.
func (m *Manager) handshake(ctx context.Context, c *conn, server store.Server, gen uint64) (*link, *Error) {
	limit := server.Timeouts.Connect
	if limit <= 0 {
		limit = defaultConnect
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errConnectLimit)
	defer cancel()
	tried := []plan{firstPlan(server)}
	var first *Error
	for {
		link, failure, cause := m.try(ctx, c, server, gen, tried[len(tried)-1], limit)
		if failure == nil {
			return link, nil
		}
		if first == nil {
			first = failure
		}
		next, ok := nextPlan(server, tried, failure, cause)
		if !ok {
			return nil, worse(first, failure, len(tried))
		}
		tried = append(tried, next)
	}
}

// worse chooses which failure of several plans a person should read: the last, unless that only says that the fallback was not there
// either.
func worse(first, last *Error, plans int) *Error {
	if plans > 1 && last.Code == CodeNoHandshake && first.Code == CodeNoHandshake {
		return first
	}
	return last
}

// try does one handshake. The failure's cause is what the wire knows about it.
func (m *Manager) try(ctx context.Context, c *conn, server store.Server, gen uint64, p plan, limit time.Duration) (*link, *Error, error) {
	config := wire.Config{Observer: m.observer(c, gen)}
	if c.tap != nil && c.tap.next != nil {
		config.Roots = c.tap
	}
	config.Largest = m.options.Largest
	w := wire.New(config)
	transport, failure := m.transport(ctx, w, c, server, p)
	if failure != nil {
		return nil, failure, nil
	}
	l := &link{gen: gen, wire: w, pages: map[pageKey]page{}, schemas: map[string]compiled{}, visited: map[string]Ask{}, hurry: make(chan struct{}, 1)}
	l.ctx, l.cancel = context.WithCancelCause(m.ctx)
	client := m.client(c, l, server)
	l.client = client
	l.level.Store(server.LogLevel)
	options := &sdk.ClientSessionOptions{}
	if p.pinned {
		options.ProtocolVersion = legacyVersion
	}

	type result struct {
		session *sdk.ClientSession
		err     error
	}
	begun := m.clock.Now()
	results := make(chan result, 1)
	m.wg.Add(1) // not spawnLocked: the caller is a counted goroutine
	go func() {
		defer m.wg.Done()
		session, err := client.Connect(ctx, transport, options)
		results <- result{session, err}
	}()
	var r result
	select {
	case r = <-results:
	case <-ctx.Done():
		select {
		case r = <-results:
		case <-time.After(lateGrace):
			// go-sdk may stay in Connect beyond its context. Ending the wire ends that; whatever still comes is closed.
			m.wg.Add(1)
			go func() {
				defer m.wg.Done()
				_ = w.Close()
				if late := <-results; late.session != nil {
					_ = late.session.Close()
				}
			}()
			l.cancel(context.Cause(ctx))
			return nil, failedConnect(context.Cause(ctx), w.Cause(), limit.String()), nil
		}
	}
	if r.err != nil {
		cause := w.Cause()
		if ctx.Err() != nil {
			r.err = context.Cause(ctx)
		}
		l.cancel(r.err)
		m.end(w.Close())
		return nil, failedConnect(r.err, cause, limit.String()), cause
	}
	l.session = r.session
	l.latency = m.clock.Now().Sub(begun)
	l.read(p.transport)
	if server.Era == store.EraModern && l.learned.era != store.EraModern {
		l.close(errDisconnected, false)
		return nil, fail(CodeNoHandshake, fmt.Sprintf("The server speaks MCP %s only.", l.learned.protocolVersion),
			"Set the protocol era of this server to automatic.", nil), nil
	}
	return l, nil, nil
}

// end reports an error of an orderly end, which changes nothing for anybody.
func (m *Manager) end(err error) {
	if err != nil {
		m.log.Debug("closing a connection", "error", err)
	}
}

// read keeps what the handshake told.
func (l *link) read(transport store.Transport) {
	r := l.session.InitializeResult()
	l.caps = r.Capabilities
	if l.caps == nil {
		l.caps = &sdk.ServerCapabilities{}
	}
	l.learned = learned{
		transport: transport, era: store.EraLegacy, protocolVersion: r.ProtocolVersion,
		instructions: r.Instructions, capabilities: capabilityNames(l.caps),
	}
	// Revisions are dates, so they compare as text.
	if r.ProtocolVersion >= modernVersion {
		l.learned.era = store.EraModern
		l.modern.Store(true)
	}
	if info := r.ServerInfo; info != nil {
		l.learned.info = Implementation{Name: info.Name, Title: info.Title, Version: info.Version}
	}
}

// mirrors says whether arguments of tools are sent in headers, too (MCP 2026-07-28, "Custom Headers from Tool Parameters").
func (l *link) mirrors() bool {
	return l.learned.era == store.EraModern && l.learned.transport == store.TransportStreamableHTTP
}

// wait returns when the connection ends by itself, with the reason.
func (l *link) wait() error {
	if err := l.session.Wait(); err != nil {
		return err
	}
	return sdk.ErrConnectionClosed
}

// close ends the connection in order, and by force if that takes too long. It returns when it is gone. cancelled says that calls
// were running.
func (l *link) close(reason error, cancelled bool) {
	l.cancel(reason)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if cancelled {
			l.calls.Wait()
			time.Sleep(cancelGrace)
		}
		// Its error says that the server was not there any more, or did not take the DELETE: nothing is left to do about it.
		_ = l.session.Close()
	}()
	timer := time.NewTimer(closeGrace)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
	_ = l.wire.Close()
	<-done
}

// transport makes the transport of a plan.
func (m *Manager) transport(ctx context.Context, w *wire.Wire, c *conn, server store.Server, p plan) (sdk.Transport, *Error) {
	switch p.transport {
	case store.TransportBuiltin:
		serve := m.options.Builtin[server.ID]
		if serve == nil {
			return nil, fail(CodeNotFound, fmt.Sprintf("This program has no built-in server %q.", server.ID), "Remove the entry.", nil)
		}
		return w.Pipe(serve), nil
	case store.TransportStdio:
		if !c.adhoc && server.NeedsReview() {
			return nil, needsReview()
		}
		server, err := m.reveal(ctx, server, c.adhoc)
		if err != nil {
			return nil, err
		}
		for _, v := range server.Env {
			if v.Secret {
				m.trace.hide(server.ID, valueOf(v))
			}
		}
		command, err := resolveCommand(server, m.environ(ctx))
		if err != nil {
			return nil, err
		}
		return w.Stdio(command), nil
	case store.TransportStreamableHTTP, store.TransportSSE:
		revealed, err := m.reveal(ctx, server, c.adhoc)
		if err != nil {
			return nil, err
		}
		endpoint := wire.Endpoint{URL: server.URL, Headers: http.Header{}, TrustLocalNetwork: server.TrustLocalNetwork}
		for _, h := range revealed.Headers {
			endpoint.Headers.Add(h.Name, valueOf(h))
			if h.Secret {
				endpoint.Secret = append(endpoint.Secret, h.Name)
				m.trace.hide(server.ID, valueOf(h))
			}
		}
		if a := m.options.Authorizer; a != nil {
			if handler := a.Handler(server); handler != nil {
				endpoint.Auth = &watched{OAuthHandler: handler, changed: func() { m.tokenChanged(c) }}
			}
		}
		if p.transport == store.TransportSSE {
			return w.SSE(endpoint), nil
		}
		return w.StreamableHTTP(endpoint), nil
	}
	return nil, fail(CodeUsage, fmt.Sprintf("There is no transport %q.", p.transport), "Use auto, streamable-http, sse or stdio.", nil)
}

// client makes the go-sdk client of one generation, with its handlers.
func (m *Manager) client(c *conn, l *link, server store.Server) *sdk.Client {
	options := &sdk.ClientOptions{
		Capabilities: clientCapabilities(m.options.Modes, server.Roots),
		// The rounds are ours: go-sdk's own loop returns a requestState without inputRequests as a success.
		MultiRoundTrip: &sdk.MultiRoundTripOptions{Disabled: true},
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) {
			m.listsChanged(c, l.gen, listTools)
		},
		PromptListChangedHandler: func(context.Context, *sdk.PromptListChangedRequest) {
			m.listsChanged(c, l.gen, listPrompts)
		},
		ResourceListChangedHandler: func(context.Context, *sdk.ResourceListChangedRequest) {
			m.listsChanged(c, l.gen, listResources, listTemplates)
		},
		ResourceUpdatedHandler: func(_ context.Context, r *sdk.ResourceUpdatedNotificationRequest) {
			m.emit(Event{Type: EventUpdated, ServerID: c.id, URI: r.Params.URI})
		},
		//lint:ignore SA1019 servers go on sending logs: the feature is deprecated by SEP-2577, not gone
		LoggingMessageHandler: func(_ context.Context, r *sdk.LoggingMessageRequest) {
			m.emit(Event{Type: EventLog, ServerID: c.id, Log: logMessage(r.Params)})
		},
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
			m.progress(c, r.Params)
		},
	}
	if options.Capabilities.Elicitation != nil {
		options.ElicitationHandler = func(ctx context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			return m.elicit(ctx, c, l, r.Params)
		}
		options.ElicitationCompleteHandler = func(_ context.Context, r *sdk.ElicitationCompleteNotificationRequest) {
			m.elicitationComplete(c, l, r.Params.ElicitationID)
		}
	}
	//lint:ignore SA1019 servers go on sampling: the feature is deprecated by SEP-2577, not gone
	if options.Capabilities.Sampling != nil {
		//lint:ignore SA1019 as above
		options.CreateMessageWithToolsHandler = func(ctx context.Context, r *sdk.CreateMessageWithToolsRequest) (*sdk.CreateMessageWithToolsResult, error) {
			return m.sample(ctx, c, l, r.Params.Meta)
		}
	}
	name := m.options.Client
	client := sdk.NewClient(&sdk.Implementation{Name: name.Name, Title: name.Title, Version: name.Version}, options)
	//lint:ignore SA1019 servers go on asking for roots: the feature is deprecated by SEP-2577, not gone
	client.AddRoots(rootsOf(server.Roots)...)
	client.AddSendingMiddleware(l.askForLogs)
	return client
}

// observer takes in what the wire sees. The wire calls it without locks, from several goroutines.
func (m *Manager) observer(c *conn, gen uint64) wire.Observer {
	id := c.id
	var era atomic.Value // store.Era, told by the handshake
	return wire.Observer{
		Record: func(record wire.Record) {
			if c.removed.Load() {
				return // the trace of a removed server is deleted; what its end still sends must not come back
			}
			described := messageOf(id, record)
			if described.Kind == "response" && described.Dir == In {
				switch described.Method {
				case "server/discover":
					era.Store(store.EraModern)
				case "initialize":
					era.Store(store.EraLegacy)
				}
			}
			described.Era, _ = era.Load().(store.Era)
			message := m.trace.add(described, record.Raw, record.HTTP)
			if c.tap != nil {
				c.tap.message(message, record)
			}
			m.emit(Event{Type: EventTrace, ServerID: id, Message: &message})
		},
		Problem: func(p wire.Problem) { m.problem(c, gen, p) },
		Renewed: func() { m.renewed(c, gen) },
		Away: func(err error) {
			failure := describe(err, nil)
			m.mu.Lock()
			defer m.mu.Unlock()
			if c.gen == gen && c.link != nil {
				m.awayLocked(c, c.link, failure)
			}
		},
		Reopened: func(gap bool) {
			m.mu.Lock()
			if c.gen == gen {
				m.backLocked(c)
			}
			m.mu.Unlock()
			if gap {
				m.listsChanged(c, gen, allLists...)
			}
		},
	}
}

// renewed sets up again what hung on a lost HTTP session.
func (m *Manager) renewed(c *conn, gen uint64) {
	m.mu.Lock()
	if c.gen == gen && c.link != nil {
		m.setUpLocked(c)
		m.noteLinkLocked(c, Problem{
			Code: "session_renewed", ServerID: c.id, Subject: "session",
			Message: "The server lost the session; a new one was opened, and its subscriptions and its log level were set up again.",
		})
	}
	m.mu.Unlock()
	m.listsChanged(c, gen, allLists...)
}

// problem keeps a problem where it belongs: with the list or the connection, and with the call.
func (m *Manager) problem(c *conn, gen uint64, p wire.Problem) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c.gen != gen {
		return
	}
	problem := Problem{Code: p.Code, ServerID: c.id, Subject: p.Subject, Message: p.Message}
	if p.Call != nil {
		if kind, ok := listOfCall(p.Call.ID); ok {
			m.noteListLocked(c, kind, problem)
			return
		}
		if call := m.calls[p.Call.ID]; call != nil {
			call.noteLocked(problem)
		}
	}
	m.noteLinkLocked(c, problem)
}

func (m *Manager) noteLinkLocked(c *conn, p Problem) {
	if c.noteLocked(&c.linkProblems, p) {
		m.emit(Event{Type: EventProblem, ServerID: p.ServerID, Problem: &p})
		m.publishLocked(c)
	}
}

func (m *Manager) noteListLocked(c *conn, kind listKind, p Problem) {
	list := c.listProblems[kind]
	if c.noteLocked(&list, p) {
		c.listProblems[kind] = list
		m.emit(Event{Type: EventProblem, ServerID: p.ServerID, Problem: &p})
		m.publishLocked(c)
	}
}

// connectionLost says whether an error means that the whole connection is gone.
func connectionLost(err error) bool {
	return errors.Is(err, sdk.ErrConnectionClosed) || errors.Is(err, sdk.ErrSessionMissing)
}

package mcp

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"jackfield/backend/mcp/wire"
	"jackfield/backend/store"
)

// Options of a Manager. Store and Client are required.
type Options struct {
	Store      Store
	Client     Implementation                     // clientInfo
	Authorizer Authorizer                         // signs in; nil: nobody does
	Builtin    map[string]Serve                   // servers inside this program, by server id
	Clock      Clock                              // nil: the real one
	Log        *slog.Logger                       // nil: none
	Modes      []AskMode                          // how the person can be asked, which is what is advertised; empty: not at all
	Largest    int64                              // message of a server, in bytes; 0: the wire's
	Environ    func(ctx context.Context) []string // environment of child processes, asked for once; nil: os.Environ
	Addresses  func() []string                    // of this computer, to notice another network; nil: the system's
	TraceBytes int64                              // memory for the trace; 0: 64 MB
	TraceDir   string                             // where large messages of the trace go while this runs; "": they stay in memory
	TraceDisk  int64                              // bytes of them that are kept there; 0: 512 MB
	Trace      func(Message, []byte)              // sees every message as it crosses the wire, for --trace; may be nil. Calls come one at a time
}

// Manager owns every connection. See the package comment for ownership and concurrency.
type Manager struct {
	options Options
	clock   Clock
	log     *slog.Logger
	random  func() float64
	ctx     context.Context // of everything that runs; ends with Close
	cancel  context.CancelCauseFunc
	wg      sync.WaitGroup
	writer  *writer
	trace   *recorder
	hub     hub
	environ func(context.Context) []string

	addresses func() []string

	mu     sync.Mutex
	closed bool
	// watching says that watchOut runs.
	watching bool
	conns    map[string]*conn
	keys     map[string]toolRef // tool key -> who has it
	calls    map[string]*runningCall
	asks     []*openAsk // oldest first
	trouble  map[TroubleKind]Trouble
	changed  chan struct{}
}

type realClock struct{}

func (realClock) Now() time.Time                         { return time.Now() }
func (realClock) After(d time.Duration) <-chan time.Time { return time.After(d) }

// New loads nothing and connects to nothing; Start does.
func New(options Options) *Manager {
	m := &Manager{
		options: options, clock: options.Clock, log: options.Log, random: rand.Float64,
		trace: newRecorder(options.TraceBytes, options.Trace),
		conns: map[string]*conn{}, keys: map[string]toolRef{}, calls: map[string]*runningCall{},
		trouble: map[TroubleKind]Trouble{},
		changed: make(chan struct{}),
	}
	m.addresses = options.Addresses
	if m.addresses == nil {
		m.addresses = systemAddresses
	}
	if m.clock == nil {
		m.clock = realClock{}
	}
	if m.log == nil {
		m.log = slog.New(slog.DiscardHandler)
	}
	m.environ = cachedEnviron(options.Environ)
	if options.TraceDir != "" {
		m.trace.spill = newSpill(options.TraceDir, options.TraceDisk, m.trace, func(err error) {
			m.log.Warn("the trace on disk", "error", err)
			m.Trouble(TroubleTrace, err)
		})
	}
	m.ctx, m.cancel = context.WithCancelCause(context.Background())
	m.writer = newWriter(options.Store.PutCalls, func(err error) {
		if err != nil {
			m.log.Error("storing failed", "error", err)
		}
		m.Trouble(TroubleHistory, err)
	})
	return m
}

// cachedEnviron asks for the environment once: finding it out may mean to start a login shell.
func cachedEnviron(ask func(context.Context) []string) func(context.Context) []string {
	if ask == nil {
		ask = func(context.Context) []string { return os.Environ() }
	}
	var (
		mu  sync.Mutex
		env []string
	)
	return func(ctx context.Context) []string {
		mu.Lock()
		defer mu.Unlock()
		if env == nil {
			env = ask(ctx)
		}
		return env
	}
}

// Start loads the stored servers. With restore it also connects every enabled one in the background.
func (m *Manager) Start(ctx context.Context, restore bool) error {
	servers, err := m.options.Store.Servers(ctx)
	if err != nil {
		return fail(CodeInternal, "The stored servers cannot be read: "+err.Error(), "Check the data directory.", err)
	}
	if restore {
		if err := wire.Sweep(); err != nil {
			m.log.Warn("processes of an earlier run are left", "error", err)
		}
		if m.options.TraceDir != "" {
			if err := sweepTraces(m.options.TraceDir); err != nil {
				m.log.Warn("the trace of an earlier run is left", "error", err)
			}
		}
	}
	attempts := m.lastAttempts(ctx, servers)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return ErrClosed
	}
	if restore && !m.watching {
		m.watching = m.spawnLocked(m.watchOut)
	}
	for _, server := range servers {
		if _, exists := m.conns[server.ID]; exists {
			continue
		}
		c := newConn(server)
		c.signIn = attempts[server.ID]
		m.conns[server.ID] = c
		m.publishLocked(c)
		if restore {
			m.accountLocked(c)
		}
		if restore && server.Enabled {
			m.retryLocked(c, 0)
		}
	}
	return nil
}

func newConn(server store.Server) *conn {
	return &conn{
		id: server.ID, server: server, failure: server.LastError,
		last: learned{
			transport: server.Learned.Transport, era: server.Learned.Era, protocolVersion: server.Learned.ProtocolVersion,
		},
		listProblems: map[listKind][]Problem{}, dirty: map[listKind]bool{}, subscriptions: map[string]struct{}{},
		maxAttempts: retryPolicy(server.Retry).MaxAttempts,
	}
}

// Close ends every connection and waits, at most until ctx ends; after it nothing of the Manager runs.
func (m *Manager) Close(ctx context.Context) error {
	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		return nil
	}
	m.closed = true
	for _, c := range m.conns {
		c.attempt.end(ErrClosed)
		m.dropLocked(c, ErrClosed)
	}
	for _, call := range m.calls {
		call.cancel(ErrClosed)
	}
	m.mu.Unlock()
	m.cancel(ErrClosed)

	done := make(chan struct{})
	go func() {
		defer close(done)
		m.wg.Wait()
		m.writer.close()
		m.hub.close()
		if err := m.trace.close(); err != nil {
			m.log.Warn("the trace on disk", "error", err)
		}
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("not everything ended in time: %w", context.Cause(ctx))
	}
}

// spawn runs f in a goroutine that Close waits for. After Close began it runs nothing and returns false.
func (m *Manager) spawnLocked(f func()) bool {
	if m.closed {
		return false
	}
	m.wg.Add(1)
	go func() {
		defer m.wg.Done()
		f()
	}()
	return true
}

// Wait blocks until no background work (restore, retry, refetch) of the named servers, or of all, is under way.
// It returns early without error when ctx ends.
func (m *Manager) Wait(ctx context.Context, ids ...string) {
	for {
		m.mu.Lock()
		busy := false
		for id, c := range m.conns {
			if c.busyLocked() && (len(ids) == 0 || slices.Contains(ids, id)) {
				busy = true
			}
		}
		changed := m.changed
		m.mu.Unlock()
		if !busy {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		case <-m.ctx.Done():
			return
		}
	}
}

// Snapshot returns everything live; Status one server; Catalog what it offers.
func (m *Manager) Snapshot() Snapshot {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := Snapshot{Seq: m.hub.last()}
	now := m.clock.Now()
	for _, c := range m.sortedLocked() {
		s.Servers = append(s.Servers, c.statusLocked(now))
	}
	for _, a := range m.asks {
		s.Asks = append(s.Asks, a.Ask)
	}
	for _, id := range slices.Sorted(maps.Keys(m.calls)) {
		s.Calls = append(s.Calls, m.calls[id].rowLocked())
	}
	for _, kind := range slices.Sorted(maps.Keys(m.trouble)) {
		s.Troubles = append(s.Troubles, m.trouble[kind])
	}
	return s
}

func (m *Manager) sortedLocked() []*conn {
	return slices.SortedFunc(maps.Values(m.conns), func(a, b *conn) int {
		if d := a.server.CreatedAt.Compare(b.server.CreatedAt); d != 0 {
			return d
		}
		return strings.Compare(a.id, b.id)
	})
}

func (m *Manager) Status(id string) (Status, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c, err := m.findLocked(id)
	if err != nil {
		return Status{}, err
	}
	return c.statusLocked(m.clock.Now()), nil
}

func (m *Manager) Catalog(id string) (Catalog, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c, err := m.findLocked(id)
	if err != nil {
		return Catalog{}, err
	}
	m.refreshLocked(c)
	return c.catalog, nil
}

func (m *Manager) findLocked(id string) (*conn, error) {
	if m.closed {
		return nil, ErrClosed
	}
	c, ok := m.conns[id]
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrUnknownServer, id)
	}
	return c, nil
}

// Subscribe delivers every later event in order until cancel is called. State and terminal events are never dropped;
// trace, log and progress events are, when the listener lags behind.
func (m *Manager) Subscribe() (events <-chan Event, cancel func()) { return m.hub.subscribe() }

// emit publishes an event of a server.
func (m *Manager) emit(event Event) {
	event.Time = m.clock.Now()
	m.hub.publish(event)
}

// publishLocked sends the whole row of a server and wakes who waits for a change.
func (m *Manager) publishLocked(c *conn) {
	close(m.changed)
	m.changed = make(chan struct{})
	if c.removed.Load() || c.tap != nil {
		return
	}
	status := c.statusLocked(m.clock.Now())
	m.emit(Event{Type: EventServer, ServerID: c.id, Server: &status})
}

// Flush waits until the calls that have ended by now are in the store.
func (m *Manager) Flush(ctx context.Context) error { return m.writer.flush(ctx) }

// History returns stored calls; HistoryCall one with its result.
func (m *Manager) History(ctx context.Context, filter store.CallFilter) ([]store.Call, error) {
	if err := m.writer.flush(ctx); err != nil {
		return nil, err
	}
	return m.options.Store.Calls(ctx, filter)
}

func (m *Manager) HistoryCall(ctx context.Context, id string) (store.Call, error) {
	if err := m.writer.flush(ctx); err != nil {
		return store.Call{}, err
	}
	return m.options.Store.Call(ctx, id)
}

// Trace returns messages without their bytes; TraceBody the bytes of one.
func (m *Manager) Trace(filter TraceFilter) []Message { return m.trace.list(filter) }
func (m *Manager) TraceBody(n uint64) ([]byte, error) { return m.trace.body(n) }

// TraceDetail returns one message with the HTTP exchange that carried it.
func (m *Manager) TraceDetail(n uint64) (TraceDetail, error) {
	entry, err := m.trace.find(n)
	if err != nil {
		return TraceDetail{}, err
	}
	detail := TraceDetail{Message: entry.Message}
	if entry.http != nil {
		head := entry.http.Head()
		detail.Head = &head
	}
	return detail, nil
}

// ExportTrace writes the messages that match, all if the filter has no limit, without the secrets that this program knows: those in
// headers, and the same values wherever else they stand.
func (m *Manager) ExportTrace(w io.Writer, format TraceFormat, filter TraceFilter) error {
	return m.trace.export(w, format, filter, m.options.Client)
}

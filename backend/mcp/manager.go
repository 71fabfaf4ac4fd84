package mcp

import (
	"context"
	"errors"
	"log/slog"

	"jackfield/backend/store"
)

// Options of a Manager. Store and Client are required.
type Options struct {
	Store      Store
	Client     Implementation                     // clientInfo
	Builtin    map[string]Serve                   // servers inside this program, by server id
	Clock      Clock                              // nil: the real one
	Log        *slog.Logger                       // nil: none
	Modes      []AskMode                          // the elicitation modes to advertise; empty: none
	Environ    func(ctx context.Context) []string // environment of child processes; nil: os.Environ
	TraceBytes int64                              // memory for the trace; 0: 64 MB
	Trace      func(Message, []byte)              // sees every message as it crosses the wire, for --trace; may be nil
}

// Manager owns every connection. See the package comment for ownership and concurrency.
type Manager struct{}

var errNotBuilt = errors.New("not built")

// New loads nothing and connects to nothing; Start does.
func New(options Options) *Manager { return &Manager{} }

// Start loads the stored servers. With restore it also connects every enabled one in the background.
func (m *Manager) Start(ctx context.Context, restore bool) error { return errNotBuilt }

// Close ends every connection and waits, at most until ctx ends; after it nothing of the Manager runs.
func (m *Manager) Close(ctx context.Context) error { return errNotBuilt }

// Register stores a new server and makes no request. It returns the id: the given one, or one made from the name.
func (m *Manager) Register(ctx context.Context, server store.Server) (string, error) {
	return "", errNotBuilt
}

// Add registers, connects and discovers. The id is valid also when connecting failed.
func (m *Manager) Add(ctx context.Context, server store.Server) (string, error) {
	return "", errNotBuilt
}

// Adhoc is Add without storing anything: the server lives as long as the Manager.
func (m *Manager) Adhoc(ctx context.Context, server store.Server) (string, error) {
	return "", errNotBuilt
}

// Edit replaces a stored entry. A change of endpoint, command, headers or environment rebuilds a live connection.
func (m *Manager) Edit(ctx context.Context, server store.Server) error { return errNotBuilt }

// Remove closes the connection and deletes the row, its secrets and its history.
func (m *Manager) Remove(ctx context.Context, id string) error { return errNotBuilt }

// SetEnabled stores the switch; disabling closes the connection, enabling connects in the background.
func (m *Manager) SetEnabled(ctx context.Context, id string, enabled bool) error { return errNotBuilt }

// Connect opens the connection, without retry, and discovers. It is single-flight per server: a second caller gets the
// same result.
func (m *Manager) Connect(ctx context.Context, id string) error { return errNotBuilt }

// Discover loads the catalog again. Single-flight per server.
func (m *Manager) Discover(ctx context.Context, id string) error { return errNotBuilt }

// Disconnect closes the connection and keeps the row.
func (m *Manager) Disconnect(ctx context.Context, id string) error { return errNotBuilt }

// Wait blocks until no background work (restore, retry, refetch) of the named servers, or of all, is under way.
// It returns early without error when ctx ends.
func (m *Manager) Wait(ctx context.Context, ids ...string) {}

// Snapshot returns everything live; Status one server; Catalog what it offers.
func (m *Manager) Snapshot() Snapshot                 { return Snapshot{} }
func (m *Manager) Status(id string) (Status, error)   { return Status{}, errNotBuilt }
func (m *Manager) Catalog(id string) (Catalog, error) { return Catalog{}, errNotBuilt }

// Subscribe delivers every later event in order until cancel is called. State and terminal events are never dropped;
// trace, log and progress events are, when the listener lags behind.
func (m *Manager) Subscribe() (events <-chan Event, cancel func()) { return nil, func() {} }

// Call runs one request and waits for its end. A tool's own error (isError) is an outcome, not an error; when err is a
// *Error the returned Call still says what is known.
func (m *Manager) Call(ctx context.Context, request CallRequest) (Call, error) {
	return Call{}, errNotBuilt
}

// CancelCall cancels a running call as the person; its asks close.
func (m *Manager) CancelCall(id string) error { return errNotBuilt }

// Complete asks the server to complete an argument.
func (m *Manager) Complete(ctx context.Context, request CompleteRequest) (Completion, error) {
	return Completion{}, errNotBuilt
}

// SubscribeResource asks the server for notifications/resources/updated of a URI, or stops them.
func (m *Manager) SubscribeResource(ctx context.Context, id, uri string, on bool) error {
	return errNotBuilt
}

// History returns stored calls; HistoryCall one with its result.
func (m *Manager) History(ctx context.Context, filter store.CallFilter) ([]store.Call, error) {
	return nil, errNotBuilt
}
func (m *Manager) HistoryCall(ctx context.Context, id string) (store.Call, error) {
	return store.Call{}, errNotBuilt
}

// Answer answers an open ask. Content of an accepted form is checked against the schema first: a *Error with
// CodeInvalidAnswer and Fields leaves the ask open.
func (m *Manager) Answer(ctx context.Context, id string, answer Answer) error { return errNotBuilt }

// Trace returns messages without their bytes; TraceBody the bytes of one.
func (m *Manager) Trace(filter TraceFilter) []Message { return nil }
func (m *Manager) TraceBody(n uint64) ([]byte, error) { return nil, errNotBuilt }

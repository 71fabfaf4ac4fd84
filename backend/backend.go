// Package backend wires the parts that the window and the command line share: store, Playground, Manager.
package backend

import (
	"context"
	"errors"
	"log/slog"

	"jackfield/backend/mcp"
	"jackfield/backend/playground"
	"jackfield/backend/store"
)

// Version of this program.
const Version = "0.1.0"

// Options of Open.
type Options struct {
	DataDir string // "" for the platform's data directory (JACKFIELD_DATA_DIR overrides it)
	Log     *slog.Logger
	Modes   []mcp.AskMode
	Restore bool // connect the enabled servers in the background
	Trace   func(mcp.Message, []byte)
}

// Backend is the running whole.
type Backend struct {
	Dir        string
	Store      *store.Store
	Playground *playground.Playground
	Manager    *mcp.Manager
}

// Open opens the store (on the very first launch it stores the Playground as a server), and starts the Manager.
func Open(ctx context.Context, options Options) (*Backend, error) {
	return nil, errors.New("not built")
}

// Close ends every connection, at most until ctx ends, then closes the store.
func (b *Backend) Close(ctx context.Context) error { return errors.New("not built") }

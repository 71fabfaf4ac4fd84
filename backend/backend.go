// Package backend wires the parts that the window and the command line share: store, Playground, sign-in, Manager. A Backend owns
// them and ends them in order; it is safe for concurrent use.
package backend

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"jackfield/backend/mcp"
	"jackfield/backend/oauth"
	"jackfield/backend/playground"
	"jackfield/backend/store"
	"jackfield/backend/store/vault"
)

// Version of this program.
const Version = "0.1.0"

// ClientMetadataURL is where the Client ID Metadata Document of this program is, set when the program is linked; "" for none. With it,
// authorization servers that know such documents need no registration.
var ClientMetadataURL = ""

// seeded is the setting that remembers that the Playground was stored once, so that a removed one stays removed.
const seeded = "playground.seeded"

// pruneEvery is how often the history of a program that stays open is bounded.
const pruneEvery = time.Hour

// Options of Open.
type Options struct {
	DataDir string // "" for the platform's data directory (JACKFIELD_DATA_DIR overrides it)
	Log     *slog.Logger
	Modes   []mcp.AskMode
	Restore bool // connect the enabled servers in the background, and prune the history
	Trace   func(mcp.Message, []byte)
	Environ func(context.Context) []string // environment of child processes; nil: os.Environ

	OpenURL func(ctx context.Context, url string) error // starts the system browser for a sign-in; nil: the person opens the URL
	Scheme  func(ctx context.Context) bool              // whether jackfield: links come to this process; nil: they do not
	Keyring vault.Keyring                               // nil: none, secrets last for this run

	// NoKeyring is why there is none, as part of a sentence. vault.System gives both.
	NoKeyring string
}

// Backend is the running whole.
type Backend struct {
	Dir     string
	Store   *store.Store
	Manager *mcp.Manager

	demo   demo
	signIn *oauth.Client
	log    *slog.Logger
	stop   func()         // ends the background work
	work   sync.WaitGroup // pruning, and opening the vault
}

// Open opens the store and, in the background of a window, its vault (on the very first launch it stores the Playground as a server), and starts the Manager.
func Open(ctx context.Context, options Options) (_ *Backend, err error) {
	b := &Backend{Dir: options.DataDir, log: options.Log}
	if b.log == nil {
		b.log = slog.New(slog.DiscardHandler)
	}
	if b.Dir == "" {
		if b.Dir, err = store.DefaultDir(); err != nil {
			return nil, err
		}
	}
	if b.Store, err = store.OpenWith(ctx, b.Dir, options.Keyring, options.NoKeyring); err != nil {
		return nil, err
	}
	b.Dir = b.Store.Dir()
	b.demo.dir = b.Dir
	if err := b.prepare(ctx); err != nil {
		return nil, errors.Join(err, b.Store.Close())
	}
	b.signIn = oauth.New(oauth.Options{
		Store:       b.Store,
		Open:        options.OpenURL,
		Scheme:      options.Scheme,
		ClientName:  "Jackfield",
		Version:     Version,
		MetadataURL: ClientMetadataURL,
		Log:         b.log,
	})
	b.Manager = mcp.New(mcp.Options{
		Store:      b.Store,
		Client:     mcp.Implementation{Name: "jackfield", Title: "Jackfield", Version: Version},
		Authorizer: b.signIn,
		Builtin:    map[string]mcp.Serve{playground.ServerID: b.demo.serve},
		Log:        b.log,
		Modes:      options.Modes,
		Environ:    options.Environ,
		Trace:      options.Trace,
		TraceDir:   filepath.Join(b.Dir, "trace"),
	})
	background, cancel := context.WithCancel(context.Background())
	unsubscribe := b.Store.Vault().Subscribe(func(status vault.Status) {
		if status.State == vault.Open {
			b.Manager.SecretsOpened()
		}
	})
	b.stop = func() { unsubscribe(); cancel() }
	if options.Restore {
		b.work.Go(func() { b.openVault(background) }) // before the first connection, which may need it
	}
	if err := b.Manager.Start(ctx, options.Restore); err != nil {
		return nil, errors.Join(err, b.Close(ctx))
	}
	if options.Restore {
		b.work.Go(func() { b.prune(background) })
	}
	return b, nil
}

// openVault asks for the key of the vault. The answer may take as long as the person needs to unlock the keyring; the command line asks
// only when it needs a secret.
func (b *Backend) openVault(ctx context.Context) {
	status, err := b.Store.Vault().Open(ctx)
	switch {
	case err != nil && ctx.Err() == nil:
		b.log.ErrorContext(ctx, "the vault could not be opened", "error", err)
	case err == nil:
		b.log.InfoContext(ctx, "the vault", "state", status.State)
	}
}

// prepare brings the stored state into order: what a crash left running, and the first launch.
func (b *Backend) prepare(ctx context.Context) error {
	finished, err := b.Store.FinishRunning(ctx)
	if err != nil {
		return err
	}
	if finished > 0 {
		b.log.InfoContext(ctx, "calls of an ended run were marked as failed", "count", finished)
	}
	_, known, err := b.Store.Setting(ctx, seeded)
	if err != nil || known {
		return err
	}
	if err := b.Store.PutServer(ctx, playground.Entry()); err != nil {
		return err
	}
	return b.Store.SetSetting(ctx, seeded, Version)
}

// prune bounds the history. It runs beside the first connections, which must not wait for it, and then again from time to time.
func (b *Backend) prune(ctx context.Context) {
	ticker := time.NewTicker(pruneEvery)
	defer ticker.Stop()
	for {
		if _, err := b.Prune(ctx); err != nil && ctx.Err() == nil {
			b.log.ErrorContext(ctx, "the history could not be pruned", "error", err)
			b.Manager.Trouble(mcp.TroubleRetention, err)
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// Prune bounds the history as the person has set, and returns how many calls that deleted.
func (b *Backend) Prune(ctx context.Context) (int, error) {
	retention, err := b.Store.Retention(ctx)
	if err != nil {
		return 0, err
	}
	deleted, err := b.Store.Prune(ctx, retention)
	if deleted > 0 {
		b.log.InfoContext(ctx, "the history was pruned", "deleted", deleted)
	}
	if err == nil {
		b.Manager.Trouble(mcp.TroubleRetention, nil)
	}
	return deleted, err
}

// Close ends every connection, at most until ctx ends, then what signs in, then closes the store.
func (b *Backend) Close(ctx context.Context) error {
	b.stop()
	err := errors.Join(b.Manager.Close(ctx), b.signIn.Close())
	b.work.Wait()
	return errors.Join(err, b.demo.close(), b.Store.Close())
}

// demo opens the Playground when it is first connected to: most runs of the command line never do.
type demo struct {
	dir string

	mu     sync.Mutex
	opened *playground.Playground
	closed bool
}

func (d *demo) serve(ctx context.Context, pipe io.ReadWriteCloser) error {
	p, err := d.open(ctx)
	if err != nil {
		return errors.Join(err, pipe.Close())
	}
	return p.Serve(ctx, pipe)
}

func (d *demo) open(ctx context.Context) (*playground.Playground, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, mcp.ErrClosed
	}
	if d.opened == nil {
		p, err := playground.Open(ctx, d.dir)
		if err != nil {
			return nil, err
		}
		d.opened = p
	}
	return d.opened, nil
}

func (d *demo) close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	if d.opened == nil {
		return nil
	}
	return d.opened.Close()
}

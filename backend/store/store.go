package store

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/oklog/ulid/v2"

	"jackfield/backend/store/database"
	"jackfield/backend/store/vault"
)

//go:embed migrations/*.sql
var embedded embed.FS

// fileName of the data file in the data directory.
const fileName = "jackfield.db"

// ErrNotFound says that no row has the given id.
var ErrNotFound = errors.New("not found")

// ErrNewer matches the error of Open for a data file of a newer version of the program. The file was not changed.
var ErrNewer = database.ErrNewer

// CorruptError is the error of Open, and of any method, for a damaged or foreign data file. Nothing was overwritten;
// SetAside moves the file away on request.
type CorruptError = database.CorruptError

// Store is one open data file.
type Store struct {
	db    *database.DB
	dir   string
	run   *run
	vault *vault.Vault
	now   func() time.Time
}

// Keyring is the operating system's store of passwords, which keeps the key of the vault; see vault.System.
type Keyring = vault.Keyring

// ErrNoKey is what a Keyring answers for an item that it does not have.
var ErrNoKey = vault.ErrNotFound

// Open opens jackfield.db in dir (see DefaultDir), and makes both if they are missing. A file of an earlier version is
// backed up and migrated. Secrets last for this run only; see OpenWith.
func Open(ctx context.Context, dir string) (*Store, error) {
	return OpenWith(ctx, dir, nil, "")
}

// OpenWith is Open with a keyring for the vault, which is not asked before a secret is needed. Without one, reason says why as part
// of a sentence.
func OpenWith(ctx context.Context, dir string, keyring Keyring, reason string) (*Store, error) {
	if dir == "" {
		return nil, errors.New("opening the data file: no data directory given")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("finding the data directory: %w", err)
	}
	s := &Store{dir: dir, now: time.Now}
	// The run is marked as living before another process can look for dead ones.
	s.db, err = database.Open(ctx, filepath.Join(dir, fileName), migrations(), func() (err error) {
		s.run, err = startRun(dir, ulid.Make().String())
		return err
	})
	if err != nil {
		return nil, err
	}
	s.vault, err = vault.New(ctx, vault.Options{DB: s.db, Dir: dir, Keyring: keyring, Reason: reason, Opened: s.sealPlain})
	if err != nil {
		return nil, errors.Join(err, s.db.Close(), s.run.end())
	}
	return s, nil
}

func migrations() fs.FS {
	sub, err := fs.Sub(embedded, "migrations")
	if err != nil {
		panic(err) // the name is a constant that the embedding guarantees
	}
	return sub
}

// Dir is the data directory.
func (s *Store) Dir() string { return s.dir }

// Close waits for running statements and releases the file.
func (s *Store) Close() error { return errors.Join(s.vault.Close(), s.db.Close(), s.run.end()) }

// Vault keeps the secrets of this file.
func (s *Store) Vault() *vault.Vault { return s.vault }

// fail says what was being done, once, and recognises a damaged file.
func (s *Store) fail(err error, format string, args ...any) error {
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), s.db.Explain(err))
}

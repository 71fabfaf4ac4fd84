package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// readers is how many reading connections may be open; each costs about 100 kB.
const readers = 4

// lockPoll is how often a held lock is tried again.
const lockPoll = 100 * time.Millisecond

// DB is one open SQLite file.
type DB struct {
	Write *sql.DB // one connection; every transaction takes the write lock when it begins
	Read  *sql.DB // cannot write
	path  string
}

// Open opens path, creating it and its directory if they are missing, and applies the migrations (NNNNN_verb.sql at the
// root of migrations) that it lacks. It waits for another process that is doing the same. It returns a *NewerError or a
// *CorruptError for a file that it must not touch. After Open, whileLocked runs before the next process may Open; it may
// be nil.
func Open(ctx context.Context, path string, migrations fs.FS, whileLocked func() error) (_ *DB, err error) {
	path, err = filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("finding %s: %w", path, err)
	}
	if err := secureDir(filepath.Dir(path)); err != nil {
		return nil, err
	}
	unlock, err := Lock(ctx, path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()

	if err := secureFile(path); err != nil {
		return nil, err
	}
	db := &DB{path: path}
	if err := db.open(ctx, migrations); err != nil {
		return nil, errors.Join(explain(path, err), db.Close())
	}
	if whileLocked != nil {
		if err := whileLocked(); err != nil {
			return nil, errors.Join(err, db.Close())
		}
	}
	return db, nil
}

func (d *DB) open(ctx context.Context, migrations fs.FS) error {
	// A newer or a damaged file must stay as it is, and a connection that may write already changes it (recovery,
	// checkpoint), so it is looked at read-only first.
	current, err := inspect(ctx, d.path)
	if err != nil {
		return err
	}
	known, err := newest(migrations)
	if err != nil {
		return err
	}
	if current > known {
		return &NewerError{Path: d.path, Version: current, Known: known}
	}
	if d.Write, err = connect(d.path, writerParams()); err != nil {
		return err
	}
	d.Write.SetMaxOpenConns(1)
	if current < known {
		if current > 0 {
			if err := backup(ctx, d.Write, d.path, current); err != nil {
				return err
			}
		}
		if err := migrate(ctx, d.Write, migrations); err != nil {
			return err
		}
	} else if err := d.Write.PingContext(ctx); err != nil {
		return fmt.Errorf("opening %s: %w", d.path, err)
	}
	if d.Read, err = connect(d.path, readerParams()); err != nil {
		return err
	}
	d.Read.SetMaxOpenConns(readers)
	return nil
}

// Path of the file, absolute.
func (d *DB) Path() string { return d.path }

// Close waits for running statements. The last process to close folds the write-ahead log into the file.
func (d *DB) Close() error {
	var errs []error
	if d.Read != nil {
		errs = append(errs, d.Read.Close())
	}
	if d.Write != nil {
		errs = append(errs, d.Write.Close())
	}
	return errors.Join(errs...)
}

// Lock takes the lock that Open holds while it looks at the file and migrates it. It is held across processes until
// unlock, or until this process ends.
func Lock(ctx context.Context, path string) (unlock func() error, err error) {
	lock := flock.New(path+".lock", flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, lockPoll); err != nil {
		return nil, fmt.Errorf("waiting for %s.lock, which another Jackfield may hold: %w", path, err)
	}
	return lock.Unlock, nil
}

func connect(path string, params url.Values) (*sql.DB, error) {
	db, err := sql.Open("sqlite", dsn(path, params))
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", path, err)
	}
	return db, nil
}

func dsn(path string, params url.Values) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") { // a Windows drive: file:///C:/...
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: params.Encode(), OmitHost: false}).String()
}

// busy_timeout comes first: setting the journal mode already needs a lock.
func writerParams() url.Values {
	return url.Values{
		"_pragma": {"busy_timeout(15000)", "journal_mode(WAL)", "foreign_keys(1)", "synchronous(NORMAL)", "secure_delete(1)"},
		"_txlock": {"immediate"},
	}
}

func readerParams() url.Values {
	return url.Values{"_pragma": {"busy_timeout(15000)", "query_only(1)"}}
}

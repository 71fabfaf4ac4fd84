package database

import (
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// ErrNewer says that a newer program wrote the file. It matches every *NewerError.
var ErrNewer = errors.New("the data file is from a newer version of the program")

// NewerError is a file whose schema this program does not know. The file was not changed.
type NewerError struct {
	Path    string
	Version int64 // of the file
	Known   int64 // the newest that this program knows
}

func (e *NewerError) Error() string {
	return fmt.Sprintf("%s was written by a newer version of Jackfield (data version %d, this one knows up to %d); "+
		"install the newer version or choose another data directory", e.Path, e.Version, e.Known)
}

func (e *NewerError) Is(target error) bool { return target == ErrNewer }

// CorruptError is a file that is damaged, is no SQLite file, or belongs to another program. The file was not changed.
type CorruptError struct {
	Path  string
	Cause error
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("%s cannot be read (%v); restore a copy from the backups folder beside it, "+
		"or set it aside to begin with an empty one", e.Path, e.Cause)
}

func (e *CorruptError) Unwrap() error { return e.Cause }

var (
	errForeign = errors.New("it is a SQLite file of another program")
	errShort   = errors.New("it is too short for a SQLite file")
)

// Explain turns what SQLite reports about a damaged file into a *CorruptError and returns every other error as it is.
func (d *DB) Explain(err error) error { return explain(d.path, err) }

func explain(path string, err error) error {
	var known *CorruptError
	if err == nil || errors.As(err, &known) {
		return err
	}
	if errors.Is(err, errForeign) || errors.Is(err, errShort) {
		return &CorruptError{Path: path, Cause: err}
	}
	var sqliteErr *sqlite.Error
	if errors.As(err, &sqliteErr) {
		// The low byte is the primary code; extended codes say where in the file.
		switch sqliteErr.Code() & 0xff {
		case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
			return &CorruptError{Path: path, Cause: err}
		}
	}
	return err
}

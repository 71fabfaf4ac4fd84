package database

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
)

// smallestPage is the least that a SQLite file with anything in it can measure.
const smallestPage = 512

// inspect returns the schema version of the file, 0 for an empty one, without changing a byte of it or beside it.
func inspect(ctx context.Context, path string) (version int64, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, fmt.Errorf("looking at %s: %w", path, err)
	}
	// SQLite takes a file of a few bytes for an empty one, and would write over it.
	if info.Size() > 0 && info.Size() < smallestPage {
		return 0, errShort
	}
	params, err := inspectParams(path)
	if err != nil {
		return 0, err
	}
	db, err := connect(path, params)
	if err != nil {
		return 0, err
	}
	db.SetMaxOpenConns(1)
	defer func() { err = errors.Join(err, db.Close()) }()

	var tables, versioned int
	err = db.QueryRowContext(ctx, `SELECT count(*), count(*) FILTER (WHERE name = 'goose_db_version')
		FROM sqlite_schema WHERE type = 'table'`).Scan(&tables, &versioned)
	switch {
	case err != nil:
		return 0, fmt.Errorf("reading %s: %w", path, err)
	case tables == 0:
		return 0, nil
	case versioned == 0:
		return 0, errForeign
	}
	err = db.QueryRowContext(ctx,
		`SELECT coalesce(max(version_id), 0) FROM goose_db_version WHERE is_applied`).Scan(&version)
	if err != nil {
		return 0, fmt.Errorf("reading the version of %s: %w", path, err)
	}
	return version, nil
}

// inspectParams chooses how to look. With a write-ahead log its pages count, which needs a read-only connection; it
// never checkpoints. Without one the file alone is the truth, and immutable keeps SQLite from making side files. A
// rollback journal exists only if the very first creation was cut off; SQLite must roll it back to read anything.
func inspectParams(path string) (url.Values, error) {
	hot, err := exists(path + "-journal")
	if err != nil {
		return nil, err
	}
	if hot {
		return url.Values{"_pragma": {"busy_timeout(15000)"}}, nil
	}
	wal, err := exists(path + "-wal")
	if err != nil {
		return nil, err
	}
	if wal {
		return url.Values{"mode": {"ro"}, "_pragma": {"busy_timeout(15000)"}}, nil
	}
	return url.Values{"mode": {"ro"}, "immutable": {"1"}}, nil
}

func exists(path string) (bool, error) {
	_, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("looking for %s: %w", path, err)
	}
	return true, nil
}

package database

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pressly/goose/v3"
)

// backups is how many copies of earlier versions are kept.
const backups = 3

func provider(db *sql.DB, migrations fs.FS) (*goose.Provider, error) {
	p, err := goose.NewProvider(goose.DialectSQLite3, db, migrations, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return nil, fmt.Errorf("reading the migrations: %w", err)
	}
	return p, nil
}

func newest(migrations fs.FS) (int64, error) {
	names, err := fs.Glob(migrations, "*.sql")
	if err != nil {
		return 0, fmt.Errorf("reading the migrations: %w", err)
	}
	var highest int64
	for _, name := range names {
		version, err := goose.NumericComponent(name)
		if err != nil {
			return 0, fmt.Errorf("reading the migrations: %w", err)
		}
		highest = max(highest, version)
	}
	return highest, nil
}

func migrate(ctx context.Context, db *sql.DB, migrations fs.FS) error {
	p, err := provider(db, migrations)
	if err != nil {
		return err
	}
	if _, err := p.Up(ctx); err != nil {
		return fmt.Errorf("bringing the data file to the version of this program: %w", err)
	}
	return nil
}

// backup copies the file as it is before a migration to backups/NAME-v<version>-<time>.db.
func backup(ctx context.Context, db *sql.DB, path string, version int64) error {
	dir := filepath.Join(filepath.Dir(path), "backups")
	if err := secureDir(dir); err != nil {
		return err
	}
	name := strings.TrimSuffix(filepath.Base(path), ".db")
	target := filepath.Join(dir, fmt.Sprintf("%s-v%d-%s.db", name, version, time.Now().UTC().Format("20060102T150405.000Z")))
	// VACUUM INTO accepts an existing empty file, so the copy is never readable by others, not even while it grows. It
	// gets its name only when it is whole and on the disk.
	partial := target + ".partial"
	if err := os.Remove(partial); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("backing up %s: %w", path, err)
	}
	file, err := os.OpenFile(partial, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("backing up %s: %w", path, err)
	}
	_, err = db.ExecContext(ctx, `VACUUM INTO ?`, partial)
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(partial, target)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("backing up %s before migrating it: %w", path, err), os.Remove(partial))
	}
	return dropOldBackups(dir, name)
}

func dropOldBackups(dir, name string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("listing the backups: %w", err)
	}
	var copies []string
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), name+"-v") && strings.HasSuffix(entry.Name(), ".db") {
			copies = append(copies, entry.Name())
		}
	}
	// The time is what follows the last hyphen; it sorts as text, the version does not.
	slices.SortFunc(copies, func(a, b string) int {
		return cmp.Compare(a[strings.LastIndexByte(a, '-'):], b[strings.LastIndexByte(b, '-'):])
	})
	for _, old := range copies[:max(0, len(copies)-backups)] {
		if err := os.Remove(filepath.Join(dir, old)); err != nil {
			return fmt.Errorf("dropping an old backup: %w", err)
		}
	}
	return nil
}

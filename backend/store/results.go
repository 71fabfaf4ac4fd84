package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// resultCap is the largest raw result in bytes that stays in its row; SQLite is slow with larger ones, and they would
// be copied at each backup.
const resultCap = 1 << 20

// resultsDir below the data directory holds <call id>.json for each larger one.
const resultsDir = "results"

// orphanAge is how old a file must be before a sweep may take it for one that no row names: a file is written before
// its row.
const orphanAge = time.Hour

// validID guards the name of a file.
func validID(id string) error {
	if id == "" || len(id) > 64 {
		return errors.New("a call needs an id of 1 to 64 characters")
	}
	for _, r := range id {
		if (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && r != '-' && r != '_' {
			return errors.New("the id of a call may hold ASCII letters, digits, hyphens and underscores only")
		}
	}
	return nil
}

func (s *Store) resultPath(id string) string { return filepath.Join(s.dir, resultsDir, id+".json") }

// writeResult replaces the file at once, so that a reader never sees half of it.
func (s *Store) writeResult(id string, result []byte) error {
	dir := filepath.Join(s.dir, resultsDir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("keeping the result of call %q: %w", id, err)
	}
	// Made by CreateTemp with mode 0600, which the rename keeps.
	file, err := os.CreateTemp(dir, id+".*.partial")
	if err != nil {
		return fmt.Errorf("keeping the result of call %q: %w", id, err)
	}
	_, err = file.Write(result)
	err = errors.Join(err, file.Close())
	if err == nil {
		err = os.Rename(file.Name(), s.resultPath(id))
	}
	if err != nil {
		return errors.Join(fmt.Errorf("keeping the result of call %q: %w", id, err), os.Remove(file.Name()))
	}
	return nil
}

// readResult returns nil for a file that is gone, or cut short by a power failure.
func (s *Store) readResult(id string, size int) ([]byte, error) {
	result, err := os.ReadFile(s.resultPath(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the result of call %q: %w", id, err)
	}
	if len(result) != size {
		return nil, nil
	}
	return result, nil
}

// keptFiles returns the ids of calls whose results are in files.
func (s *Store) keptFiles(ctx context.Context, where string, args ...any) (ids []string, err error) {
	rows, err := s.db.Read.QueryContext(ctx, `SELECT id FROM calls WHERE result_kept = 'file' AND `+where, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}

func (s *Store) removeResults(ids []string) error {
	var errs []error
	for _, id := range ids {
		if err := os.Remove(s.resultPath(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, fmt.Errorf("deleting the result of call %q: %w", id, err))
		}
	}
	return errors.Join(errs...)
}

// deleteCalls deletes rows and their files and returns how many.
func (s *Store) deleteCalls(ctx context.Context, where string, args ...any) (deleted int, err error) {
	rows, err := s.db.Write.QueryContext(ctx, `DELETE FROM calls WHERE `+where+` RETURNING id, result_kept`, args...)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	var files []string
	for rows.Next() {
		var id, kept string
		if err := rows.Scan(&id, &kept); err != nil {
			return deleted, err
		}
		deleted++
		if kept == keptInFile {
			files = append(files, id)
		}
	}
	if err := rows.Err(); err != nil {
		return deleted, err
	}
	return deleted, s.removeResults(files)
}

// sweepResults deletes every old file that no row names: of calls that were replaced, and what a crash left between a
// file and its row.
func (s *Store) sweepResults(ctx context.Context) error {
	entries, err := os.ReadDir(filepath.Join(s.dir, resultsDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("sweeping the kept results: %w", err)
	}
	ids, err := s.keptFiles(ctx, `true`)
	if err != nil {
		return s.fail(err, "sweeping the kept results")
	}
	named := make(map[string]bool, len(ids))
	for _, id := range ids {
		named[id+".json"] = true
	}
	for _, entry := range entries {
		if named[entry.Name()] {
			continue
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("sweeping the kept results: %w", err)
		}
		if s.now().Sub(info.ModTime()) < orphanAge {
			continue
		}
		err = os.Remove(filepath.Join(s.dir, resultsDir, entry.Name()))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("sweeping the kept results: %w", err)
		}
	}
	return nil
}

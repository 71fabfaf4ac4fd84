package database

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// secureDir makes the directory, readable by its owner alone. One that existed is tightened too, unless it is plainly
// not ours alone: somebody may point the program at a home or a shared temporary directory, and closing that for
// everyone else would break their machine. The files in it are closed in every case.
func secureDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("making the data directory: %w", err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("looking at the data directory: %w", err)
	}
	if info.Mode().Perm()&0o077 == 0 || info.Mode()&fs.ModeSticky != 0 || dir == filepath.Dir(dir) {
		return nil
	}
	if home, err := os.UserHomeDir(); err == nil && filepath.Clean(home) == dir {
		return nil
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return fmt.Errorf("closing the data directory to other users: %w", err)
	}
	return nil
}

// secureFile makes the file if it is missing and closes it, and what SQLite keeps beside it, to other users. SQLite
// gives new side files the mode of the main one.
func secureFile(path string) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	switch {
	case err == nil:
		if err := file.Close(); err != nil {
			return fmt.Errorf("making %s: %w", path, err)
		}
	case !errors.Is(err, fs.ErrExist):
		return fmt.Errorf("making %s: %w", path, err)
	}
	for _, name := range []string{path, path + "-wal", path + "-shm", path + "-journal", path + ".lock"} {
		info, err := os.Stat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("looking at %s: %w", name, err)
		}
		if !info.Mode().IsRegular() {
			return fmt.Errorf("%s is not a file; move it away or choose another data directory", name)
		}
		if info.Mode().Perm()&0o077 == 0 {
			continue
		}
		if err := os.Chmod(name, 0o600); err != nil {
			return fmt.Errorf("closing %s to other users: %w", name, err)
		}
	}
	return nil
}

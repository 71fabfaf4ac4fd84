package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/adrg/xdg"

	"jackfield/backend/store/database"
)

// DirVariable names the environment variable that overrides the data directory.
const DirVariable = "JACKFIELD_DATA_DIR"

// DefaultDir is JACKFIELD_DATA_DIR, or else the platform's place for the data of this user.
func DefaultDir() (string, error) {
	dir := os.Getenv(DirVariable)
	if dir == "" {
		dir = platformDir(runtime.GOOS, xdg.DataHome)
		if !filepath.IsAbs(dir) {
			return "", fmt.Errorf("no home directory is known; set %s to a directory for Jackfield's data", DirVariable)
		}
		return dir, nil
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("finding %s: %w", DirVariable, err)
	}
	return dir, nil
}

// platformDir follows the custom of each platform: lower case below XDG_DATA_HOME, a product name elsewhere.
func platformDir(goos, dataHome string) string {
	if dataHome == "" {
		return ""
	}
	if goos == "windows" || goos == "darwin" {
		return filepath.Join(dataHome, "Jackfield")
	}
	return filepath.Join(dataHome, "jackfield")
}

// SetAside renames a data file that cannot be read, with what belongs to it, so that the next Open begins with an empty
// one. It returns the new path of the file. It refuses while another process has the file open.
func SetAside(ctx context.Context, dir string) (string, error) {
	path, err := filepath.Abs(filepath.Join(dir, fileName))
	if err != nil {
		return "", fmt.Errorf("finding the data file: %w", err)
	}
	unlock, err := database.Lock(ctx, path)
	if err != nil {
		return "", err
	}
	aside, err := setAside(filepath.Dir(path), path)
	return aside, errors.Join(err, unlock())
}

func setAside(dir, path string) (string, error) {
	alive, err := liveRuns(dir)
	if err != nil {
		return "", err
	}
	if len(alive) > 0 {
		return "", fmt.Errorf("setting %s aside: another Jackfield has it open; quit it first", path)
	}
	stem := filepath.Join(dir, "jackfield-aside-"+time.Now().UTC().Format("20060102T150405.000Z"))
	aside := stem + ".db"
	if err := os.Rename(path, aside); err != nil {
		return "", fmt.Errorf("setting the data file aside: %w", err)
	}
	// The side files keep the names by which SQLite finds them, so that the whole can still be repaired.
	for from, to := range map[string]string{
		path + "-wal": aside + "-wal", path + "-shm": aside + "-shm", path + "-journal": aside + "-journal",
		filepath.Join(dir, resultsDir): stem + "-results",
	} {
		if err := os.Rename(from, to); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("setting the data file aside: %w", err)
		}
	}
	return aside, nil
}

//go:build unix

package database

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestFilesAreClosedToOtherUsersAlsoIfTheyExistedLooser(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	path := filepath.Join(dir, "a.db")
	closed(t, path, 1, 1)
	must(t, os.Chmod(dir, 0o755))
	for _, name := range []string{path, path + "-wal", path + "-shm", path + ".lock"} {
		file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o666)
		must(t, err)
		must(t, file.Close())
		must(t, os.Chmod(name, 0o666))
	}
	db := open(t, path, 2)
	_, err := db.Write.ExecContext(t.Context(), `INSERT INTO t (v) VALUES ('x')`)
	must(t, err)
	checked := 0
	must(t, filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		checked++
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", name, info.Mode())
		}
		return nil
	}))
	if checked < 6 { // the directory, four files, the backups and one in them
		t.Errorf("only %d entries", checked)
	}
}

func TestSharedDirectoryIsLeftOpenButItsFilesAreClosed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tmp")
	must(t, os.Mkdir(dir, 0o777))
	must(t, os.Chmod(dir, 0o777|fs.ModeSticky))
	home := filepath.Join(t.TempDir(), "home")
	must(t, os.Mkdir(home, 0o755))
	t.Setenv("HOME", home)
	for _, shared := range []string{dir, home} {
		before, err := os.Stat(shared)
		must(t, err)
		open(t, filepath.Join(shared, "a.db"), 1)
		after, err := os.Stat(shared)
		must(t, err)
		if before.Mode() != after.Mode() {
			t.Errorf("%s: %v became %v", shared, before.Mode(), after.Mode())
		}
		info, err := os.Stat(filepath.Join(shared, "a.db"))
		must(t, err)
		if info.Mode().Perm() != 0o600 {
			t.Errorf("the file has mode %v", info.Mode())
		}
	}
}

func TestNamesThatOnlyUnixAllows(t *testing.T) {
	path := filepath.Join(t.TempDir(), `a?b*c"d\e`, "a.db")
	closed(t, path, 1, 3)
	if n := count(t, open(t, path, 3).Read); n != 3 {
		t.Errorf("%d rows", n)
	}
}

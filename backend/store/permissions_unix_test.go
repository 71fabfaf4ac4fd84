//go:build unix

package store

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

func TestEveryFileIsForTheOwnerAlone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	s := openStore(t, dir)
	must(t, s.PutServer(t.Context(), fullServer("a")))
	must(t, s.PutCalls(t.Context(), Call{ID: "c1", ServerID: "a", Result: large(2 << 20)}))
	names := ""
	must(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		names += " " + filepath.Base(path)
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return nil
	}))
	for _, name := range []string{"data", "jackfield.db", "jackfield.db-wal", "jackfield.db-shm", "runs", "results", "c1.json"} {
		if !strings.Contains(names, " "+name) {
			t.Errorf("%s is missing in%s", name, names)
		}
	}
}

package database

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// upTo returns n migrations; the first makes a table, each of the others a column.
func upTo(n int) fs.FS {
	files := fstest.MapFS{"00001_create.sql": {Data: []byte("-- +goose Up\nCREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT) STRICT;\n")}}
	for i := 2; i <= n; i++ {
		files[fmt.Sprintf("%05d_add.sql", i)] = &fstest.MapFile{
			Data: fmt.Appendf(nil, "-- +goose Up\nALTER TABLE t ADD COLUMN c%d TEXT;\n", i),
		}
	}
	return files
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, path string, version int) *DB {
	t.Helper()
	db, err := Open(t.Context(), path, upTo(version), nil)
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	return db
}

// closed makes a file of that version with n rows.
func closed(t *testing.T, path string, version, n int) {
	t.Helper()
	db, err := Open(t.Context(), path, upTo(version), nil)
	must(t, err)
	for range n {
		_, err := db.Write.ExecContext(t.Context(), `INSERT INTO t (v) VALUES ('x')`)
		must(t, err)
	}
	must(t, db.Close())
}

// fingerprint of every file in a directory.
func fingerprint(t *testing.T, dir string) string {
	t.Helper()
	var lines []string
	must(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasSuffix(path, ".lock") || strings.HasSuffix(path, "-shm") {
			return err
		}
		data, err := os.ReadFile(path)
		lines = append(lines, fmt.Sprintf("%s %x", path, sha256.Sum256(data)))
		return err
	}))
	return strings.Join(lines, "\n")
}

func count(t *testing.T, db *sql.DB) int {
	t.Helper()
	var n int
	must(t, db.QueryRowContext(t.Context(), `SELECT count(*) FROM t`).Scan(&n))
	return n
}

func TestPragmasAreSetOnEveryConnection(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "a.db"), 1)
	for pragma, want := range map[string]string{
		"journal_mode": "wal", "foreign_keys": "1", "synchronous": "1", "busy_timeout": "15000",
	} {
		var got string
		must(t, db.Write.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got))
		if got != want {
			t.Errorf("%s is %s, want %s", pragma, got, want)
		}
	}
	if _, err := db.Read.ExecContext(t.Context(), `INSERT INTO t (v) VALUES ('x')`); err == nil {
		t.Error("a reading connection wrote")
	}
}

func TestEveryNameOfADirectoryWorks(t *testing.T) {
	for _, name := range []string{"with space", "100%", "a#b", "a&b=c", "ümläut", "[x]", "a+b", "semi;colon", "%41"} {
		dir := filepath.Join(t.TempDir(), name)
		closed(t, filepath.Join(dir, "a.db"), 1, 3)
		if n := count(t, open(t, filepath.Join(dir, "a.db"), 3).Read); n != 3 {
			t.Errorf("%s: %d rows", name, n)
		}
	}
}

func TestNewerFileIsRefusedAndLeftByteForByte(t *testing.T) {
	for _, test := range []string{"closed cleanly", "with a write-ahead log", "while the newer program runs"} {
		t.Run(test, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "a.db")
			switch test {
			case "closed cleanly":
				closed(t, path, 3, 5)
			case "with a write-ahead log":
				// The upgrade itself is in the log only, as after a crash.
				live := filepath.Join(t.TempDir(), "a.db")
				closed(t, live, 2, 1)
				db := open(t, live, 3)
				for _, suffix := range []string{"", "-wal"} {
					data, err := os.ReadFile(live + suffix)
					must(t, err)
					must(t, os.WriteFile(path+suffix, data, 0o600))
				}
				if n := count(t, db.Read); n != 1 {
					t.Fatal(n)
				}
			default:
				open(t, path, 3)
			}
			before := fingerprint(t, dir)
			_, err := Open(t.Context(), path, upTo(2), nil)
			var newer *NewerError
			if !errors.Is(err, ErrNewer) || !errors.As(err, &newer) {
				t.Fatalf("%v", err)
			}
			if newer.Version != 3 || newer.Known != 2 || newer.Path != path {
				t.Errorf("%+v", newer)
			}
			if after := fingerprint(t, dir); before != after {
				t.Errorf("the files changed:\n%s\n%s", before, after)
			}
		})
	}
}

func TestDamagedOrForeignFileIsRefusedAndLeftByteForByte(t *testing.T) {
	page := func(path string) []byte {
		closed(t, path, 3, 500)
		data, err := os.ReadFile(path)
		must(t, err)
		return data
	}
	for name, content := range map[string]func(path string) []byte{
		"text":         func(string) []byte { return []byte("this is a text file, and not a short one at that\n") },
		"one byte":     func(string) []byte { return []byte("S") },
		"511 bytes":    func(string) []byte { return []byte(strings.Repeat("\x00", 511)) },
		"zeros":        func(string) []byte { return make([]byte, 8192) },
		"cut short":    func(path string) []byte { data := page(path); return data[:len(data)-4096] },
		"header alone": func(path string) []byte { return page(path)[:100] },
		"overwritten": func(path string) []byte {
			data := page(path)
			copy(data[100:4096], strings.Repeat("x", 3996))
			return data
		},
		"schema damaged":    func(path string) []byte { data := page(path); copy(data[3500:4090], make([]byte, 590)); return data },
		"of another format": func(string) []byte { return append([]byte("PK\x03\x04"), make([]byte, 4096)...) },
		"of another program": func(path string) []byte {
			db, err := connect(path, nil)
			must(t, err)
			_, err = db.ExecContext(t.Context(), `CREATE TABLE songs (title TEXT)`)
			must(t, errors.Join(err, db.Close()))
			data, err := os.ReadFile(path)
			must(t, err)
			return data
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "a.db")
			data := content(filepath.Join(t.TempDir(), "source.db"))
			must(t, os.WriteFile(path, data, 0o600))
			before := fingerprint(t, dir)
			_, err := Open(t.Context(), path, upTo(3), nil)
			var corrupt *CorruptError
			if !errors.As(err, &corrupt) || corrupt.Path != path {
				t.Fatalf("%v", err)
			}
			if after := fingerprint(t, dir); before != after {
				t.Errorf("the files changed:\n%s\n%s", before, after)
			}
		})
	}
}

func TestDirectoryInPlaceOfTheFileIsNotCalledDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	must(t, os.Mkdir(path, 0o700))
	_, err := Open(t.Context(), path, upTo(1), nil)
	var corrupt *CorruptError
	if err == nil || errors.As(err, &corrupt) {
		t.Errorf("%v", err)
	}
}

func TestEmptyFileIsANewOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	must(t, os.WriteFile(path, nil, 0o600))
	open(t, path, 2)
}

func TestBackupBeforeEachMigrationKeepsTheLastThree(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.db")
	for version := 1; version <= 6; version++ {
		closed(t, path, version, 1)
	}
	entries, err := os.ReadDir(filepath.Join(dir, "backups"))
	must(t, err)
	var versions []string
	for _, entry := range entries {
		versions = append(versions, strings.Split(entry.Name(), "-")[1])
		name := filepath.Join(dir, "backups", entry.Name())
		copied, err := connect(name, nil)
		must(t, err)
		// A backup of version n was made when n rows were in.
		if n := count(t, copied); fmt.Sprintf("v%d", n) != versions[len(versions)-1] {
			t.Errorf("%s has %d rows", name, n)
		}
		must(t, copied.Close())
	}
	if got := strings.Join(versions, " "); got != "v3 v4 v5" {
		t.Errorf("the backups are of %s", got)
	}
	if n := count(t, open(t, path, 6).Read); n != 6 {
		t.Errorf("%d rows", n)
	}
}

func TestNoBackupWithoutAMigration(t *testing.T) {
	dir := t.TempDir()
	closed(t, filepath.Join(dir, "a.db"), 2, 1)
	closed(t, filepath.Join(dir, "a.db"), 2, 1)
	if _, err := os.Stat(filepath.Join(dir, "backups")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

func TestFailedMigrationChangesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.db")
	closed(t, path, 1, 2)
	broken := fstest.MapFS{
		"00001_create.sql": upTo(1).(fstest.MapFS)["00001_create.sql"],
		"00002_break.sql":  {Data: []byte("-- +goose Up\nDELETE FROM t;\nINSERT INTO nowhere VALUES (1);\n")},
	}
	if _, err := Open(t.Context(), path, broken, nil); err == nil {
		t.Fatal("a migration that fails was accepted")
	}
	if n := count(t, open(t, path, 1).Read); n != 2 {
		t.Errorf("%d rows", n)
	}
}

func TestOpeningAtTheSameTimeMigratesOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	closed(t, path, 1, 1)
	var group sync.WaitGroup
	for range 6 {
		group.Go(func() {
			db, err := Open(context.Background(), path, upTo(5), nil)
			if err != nil {
				t.Error(err)
				return
			}
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	entries, err := os.ReadDir(filepath.Join(filepath.Dir(path), "backups"))
	must(t, err)
	if len(entries) != 1 {
		t.Errorf("%d backups", len(entries))
	}
}

func TestOpenGivesUpOnALockWhenItsContextEnds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	unlock, err := Lock(t.Context(), path)
	must(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 250*time.Millisecond)
	defer cancel()
	if _, err := Open(ctx, path, upTo(1), nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	must(t, unlock())
	open(t, path, 1)
}

func TestDamageThatShowsLaterIsExplained(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	closed(t, path, 1, 3000)
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	must(t, err)
	_, err = file.WriteAt([]byte(strings.Repeat("\xff", 4096)), 4096*6)
	must(t, errors.Join(err, file.Close()))
	db := open(t, path, 1)
	_, err = db.Write.ExecContext(t.Context(), `UPDATE t SET v = v || 'y'`)
	var corrupt *CorruptError
	if !errors.As(db.Explain(fmt.Errorf("changing: %w", err)), &corrupt) {
		t.Errorf("%v", err)
	}
	if err := db.Explain(sql.ErrNoRows); err != sql.ErrNoRows {
		t.Errorf("%v", err)
	}
}

// TestCreationThatWasCutOffIsRolledBack leaves a rollback journal, as a crash does before the file is in WAL mode.
func TestCreationThatWasCutOffIsRolledBack(t *testing.T) {
	source := filepath.Join(t.TempDir(), "source.db")
	closed(t, source, 1, 2000)
	raw, err := connect(source, url.Values{"_pragma": {"journal_mode(DELETE)", "cache_size(1)"}})
	must(t, err)
	raw.SetMaxOpenConns(1)
	_, err = raw.ExecContext(t.Context(), `BEGIN; DELETE FROM goose_db_version; UPDATE t SET v = 'half done' || id`)
	must(t, err)
	path := filepath.Join(t.TempDir(), "a.db")
	for _, suffix := range []string{"", "-journal"} {
		data, err := os.ReadFile(source + suffix)
		must(t, err)
		must(t, os.WriteFile(path+suffix, data, 0o600))
	}
	must(t, raw.Close())
	var changed int
	db := open(t, path, 2)
	must(t, db.Read.QueryRowContext(t.Context(), `SELECT count(*) FROM t WHERE v <> 'x'`).Scan(&changed))
	if n := count(t, db.Read); n != 2000 || changed != 0 {
		t.Errorf("%d rows, %d half done", n, changed)
	}
	// What was half done said that the file has no version; then there would be nothing to back up.
	if entries, err := os.ReadDir(filepath.Join(filepath.Dir(path), "backups")); err != nil || len(entries) != 1 {
		t.Errorf("%d backups, %v", len(entries), err)
	}
}

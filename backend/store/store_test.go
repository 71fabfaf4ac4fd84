package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"golang.org/x/mod/modfile"
)

func TestMain(m *testing.M) {
	if work := os.Getenv(childVariable); work != "" {
		os.Exit(child(work))
	}
	goleak.VerifyTestMain(m)
}

func openStore(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(t.Context(), dir)
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	return s
}

// must turns the error of a step that has to work into the end of the test.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestSettings(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	if value, ok, err := s.Setting(t.Context(), "theme"); value != "" || ok || err != nil {
		t.Errorf("an unset setting: %q %v %v", value, ok, err)
	}
	for _, want := range []string{"dark", "", "läuft\n", "light"} {
		must(t, s.SetSetting(t.Context(), "theme", want))
		if value, ok, err := s.Setting(t.Context(), "theme"); value != want || !ok || err != nil {
			t.Errorf("%q: %q %v %v", want, value, ok, err)
		}
	}
	if err := s.SetSetting(t.Context(), "", "x"); err == nil {
		t.Error("a setting without a key was stored")
	}
	if value, _, err := openStore(t, dir).Setting(t.Context(), "theme"); value != "light" || err != nil {
		t.Errorf("reopened: %q %v", value, err)
	}
}

func TestOpenNeedsADirectory(t *testing.T) {
	if _, err := Open(t.Context(), ""); err == nil {
		t.Error("Open took no directory for one")
	}
}

func TestDefaultDirFollowsVariableAndPlatform(t *testing.T) {
	t.Setenv(DirVariable, filepath.Join("some", "where"))
	dir, err := DefaultDir()
	must(t, err)
	if !filepath.IsAbs(dir) || !strings.HasSuffix(dir, filepath.Join("some", "where")) {
		t.Errorf("%s", dir)
	}
	t.Setenv(DirVariable, "")
	dir, err = DefaultDir()
	must(t, err)
	if !filepath.IsAbs(dir) || !strings.EqualFold(filepath.Base(dir), "jackfield") {
		t.Errorf("%s", dir)
	}
	for goos, want := range map[string]string{"linux": "jackfield", "darwin": "Jackfield", "windows": "Jackfield", "freebsd": "jackfield"} {
		if got := platformDir(goos, "base"); got != filepath.Join("base", want) {
			t.Errorf("%s: %s", goos, got)
		}
	}
	if got := platformDir("linux", ""); got != "" {
		t.Errorf("without a base: %q", got)
	}
}

func TestCorruptFileIsSetAsideOnRequestOnly(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(t.Context(), dir)
	must(t, err)
	must(t, s.PutServer(t.Context(), fullServer("a")))
	must(t, s.PutCalls(t.Context(), Call{ID: "c1", ServerID: "a", Result: large(2 << 20)}))
	must(t, s.Close())
	garbage := bytes.Repeat([]byte("garbage "), 1000)
	must(t, os.WriteFile(filepath.Join(dir, fileName), garbage, 0o600))

	_, err = Open(t.Context(), dir)
	var corrupt *CorruptError
	if !errors.As(err, &corrupt) || corrupt.Path != filepath.Join(dir, fileName) {
		t.Fatalf("%v", err)
	}
	aside, err := SetAside(t.Context(), dir)
	must(t, err)
	if data, err := os.ReadFile(aside); err != nil || !bytes.Equal(data, garbage) {
		t.Errorf("what was set aside differs: %v", err)
	}
	if _, err := os.Stat(strings.TrimSuffix(aside, ".db") + "-results"); err != nil {
		t.Errorf("the results stayed behind: %v", err)
	}
	if servers, err := openStore(t, dir).Servers(t.Context()); err != nil || len(servers) != 0 {
		t.Errorf("%d servers, %v", len(servers), err)
	}
}

func TestSetAsideTakesTheWriteAheadLogAlong(t *testing.T) {
	dir := t.TempDir()
	source := openStore(t, t.TempDir())
	must(t, source.PutServer(t.Context(), fullServer("a")))
	for _, suffix := range []string{"", "-wal"} {
		data, err := os.ReadFile(filepath.Join(source.Dir(), fileName) + suffix)
		must(t, err)
		must(t, os.WriteFile(filepath.Join(dir, fileName)+suffix, data, 0o600))
	}
	aside, err := SetAside(t.Context(), dir)
	must(t, err)
	// Given its name back, the file is whole.
	other := t.TempDir()
	for _, suffix := range []string{"", "-wal"} {
		must(t, os.Rename(aside+suffix, filepath.Join(other, fileName)+suffix))
	}
	if servers, err := openStore(t, other).Servers(t.Context()); err != nil || len(servers) != 1 {
		t.Errorf("%d servers, %v", len(servers), err)
	}
}

func TestSetAsideRefusesWhileTheFileIsOpen(t *testing.T) {
	dir := t.TempDir()
	openStore(t, dir)
	if _, err := SetAside(t.Context(), dir); err == nil {
		t.Error("an open file was set aside")
	}
	if _, err := os.Stat(filepath.Join(dir, fileName)); err != nil {
		t.Error(err)
	}
}

// TestEveryEarlierVersionMigrates makes a file of each version with rows of that version in it.
func TestEveryEarlierVersionMigrates(t *testing.T) {
	names, err := fs.Glob(migrations(), "*.sql")
	must(t, err)
	rows := map[int]string{
		1: `INSERT INTO servers (id, name, transport, url, headers, command, args, env, cwd, era,
			retry_max_attempts, retry_base_delay, retry_max_delay, timeout_connect, timeout_discovery, timeout_call_idle, timeout_call_total,
			enabled, trust_local_network, client_id, learned_transport, learned_era, learned_version, last_error, created_at, updated_at)
			VALUES ('a', 'A', 'stdio', '', '[]', 'cmd', '["x"]', 'null', '', 'auto',
			1, 2, 3, 4, 5, 6, 7, 1, 0, '', '', '', '', NULL, 8, 9)`,
		2: `INSERT INTO calls VALUES ('c', 'a', 'run', 'tool', 'echo', '{"n":9007199254740993}', 'done', 1, 2, 2, 'row', NULL, 'null', '{}')`,
		3: `INSERT INTO settings VALUES ('k', 'v')`,
	}
	for version := 0; version <= len(names); version++ {
		t.Run(fmt.Sprint("from ", version), func(t *testing.T) {
			dir := t.TempDir()
			if version > 0 {
				makeVersion(t, dir, version, rows)
			}
			s := openStore(t, dir)
			if version >= 1 {
				server, err := s.Server(t.Context(), "a")
				if err != nil || server.Command != "cmd" || cmp.Diff([]string{"x"}, server.Args) != "" {
					t.Errorf("%+v %v", server, err)
				}
			}
			if version >= 2 {
				call, err := s.Call(t.Context(), "c")
				if err != nil || string(call.Arguments) != `{"n":9007199254740993}` || string(call.Result) != "{}" {
					t.Errorf("%+v %v", call, err)
				}
			}
			if version >= 3 {
				if value, _, err := s.Setting(t.Context(), "k"); value != "v" || err != nil {
					t.Errorf("%q %v", value, err)
				}
			}
			must(t, s.PutServer(t.Context(), fullServer("new")))
			_, err := os.Stat(filepath.Join(dir, "backups"))
			if migrated := version > 0 && version < len(names); migrated != (err == nil) {
				t.Errorf("a backup: %v", err)
			}
		})
	}
}

// TestLibcIsTheOneThatSQLiteWasMadeWith: another version of libc breaks the translated code in ways that no compiler sees.
func TestLibcIsTheOneThatSQLiteWasMadeWith(t *testing.T) {
	ours := requirements(t, filepath.Join("..", "..", "go.mod"))
	command := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.GoMod}}", "modernc.org/sqlite")
	out, err := command.Output()
	must(t, err)
	theirs := requirements(t, strings.TrimSpace(string(out)))
	if got, want := ours["modernc.org/libc"], theirs["modernc.org/libc"]; got != want || got == "" {
		t.Errorf("go.mod has modernc.org/libc %s, sqlite %s wants %s", got, ours["modernc.org/sqlite"], want)
	}
}

func requirements(t *testing.T, path string) map[string]string {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	file, err := modfile.Parse(path, data, nil)
	must(t, err)
	versions := map[string]string{}
	for _, require := range file.Require {
		versions[require.Mod.Path] = require.Mod.Version
	}
	return versions
}

// large returns a JSON string of about n bytes.
func large(n int) json.RawMessage {
	return json.RawMessage(`"` + strings.Repeat("x", n) + `"`)
}

// earlier returns the migrations up to a version.
func earlier(t *testing.T, version int) fs.FS {
	t.Helper()
	all := migrations()
	names, err := fs.Glob(all, "*.sql")
	must(t, err)
	files := fstest.MapFS{}
	for _, name := range names[:version] {
		data, err := fs.ReadFile(all, name)
		must(t, err)
		files[name] = &fstest.MapFile{Data: data}
	}
	return files
}

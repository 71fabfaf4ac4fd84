package vault

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"jackfield/backend/store/database"
)

// helperMode makes this test binary a program that opens a vault with the system's keyring and says what came of it.
const helperMode = "JACKFIELD_VAULT_HELPER"

func helper() int {
	dir := os.Getenv(helperMode)
	ctx := context.Background()
	keyring, reason := System()
	db, err := database.Open(ctx, filepath.Join(dir, "test.db"), fstest.MapFS{"00001_create.sql": {Data: []byte(tables)}}, nil)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer db.Close()
	if os.Getenv("SPOIL") != "" {
		// Another key takes the place of the right one, as when a keyring of another time was restored.
		var uuid string
		err = db.Read.QueryRowContext(ctx, `SELECT uuid FROM vault`).Scan(&uuid)
		if err == nil {
			err = keyring.Set(ctx, service, item(uuid, 1), encodeKey(newKey()))
		}
		if err != nil {
			fmt.Println(err)
			return 1
		}
	}
	v, err := New(ctx, Options{DB: db, Dir: dir, Keyring: keyring, Reason: reason, Limit: 3 * time.Second})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer v.Close()
	status, err := v.Open(ctx)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println(status.State, status.Detail)
	if os.Getenv("PUT") != "" {
		err = v.Put(ctx, nil, one, NewSecret(os.Getenv("PUT")))
	}
	got, getErr := v.Get(ctx, one)
	fmt.Println("secret", len(got.Reveal()), errors.Join(err, getErr))
	return 0
}

// session is a D-Bus session of its own, with or without a keyring in it.
type session struct {
	t    *testing.T
	home string
	dir  string
}

func newSession(t *testing.T) *session {
	t.Helper()
	for _, program := range []string{"dbus-run-session", "gnome-keyring-daemon"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Fatalf("%s is missing: run make setup", program)
		}
	}
	return &session{t: t, home: t.TempDir(), dir: t.TempDir()}
}

// run runs a script in a fresh session. $TEST is this binary.
func (s *session) run(script string, env ...string) string {
	s.t.Helper()
	self, err := os.Executable()
	must(s.t, err)
	runtime := s.t.TempDir()
	must(s.t, os.Chmod(runtime, 0o700))
	command := exec.CommandContext(s.t.Context(), "dbus-run-session", "--", "bash", "-c", script)
	command.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + s.home, "XDG_RUNTIME_DIR=" + runtime, "TEST=" + self, helperMode + "=" + s.dir,
	}, env...)
	var complaints bytes.Buffer
	command.Stderr = &complaints // the bus has some of its own
	out, err := command.Output()
	if err != nil {
		s.t.Fatalf("%v: %s%s", err, out, complaints.String())
	}
	return string(out)
}

// These start a daemon on the bus, unlocked or locked, and end it by its own pid.
const (
	withUnlocked = `eval "$(printf '\n' | gnome-keyring-daemon --unlock --components=secrets --foreground >/dev/null 2>&1 & echo daemon=$!)"
for i in $(seq 50); do dbus-send --session --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.NameHasOwner string:org.freedesktop.secrets 2>/dev/null | grep -q 'boolean true' && break; sleep 0.1; done
"$TEST"; kill "$daemon" 2>/dev/null; true`
	withLocked = `eval "$(gnome-keyring-daemon --components=secrets --foreground >/dev/null 2>&1 & echo daemon=$!)"
for i in $(seq 50); do dbus-send --session --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.NameHasOwner string:org.freedesktop.secrets 2>/dev/null | grep -q 'boolean true' && break; sleep 0.1; done
"$TEST"; kill "$daemon" 2>/dev/null; true`
)

func TestRealKeyring(t *testing.T) {
	s := newSession(t)
	out := s.run(withUnlocked, "PUT=planted-in-the-vault")
	if !strings.HasPrefix(out, "open ") || !strings.Contains(out, "secret 20") {
		t.Fatalf("first run: %s", out)
	}
	out = s.run(withUnlocked)
	if !strings.HasPrefix(out, "open ") || !strings.Contains(out, "secret 20") {
		t.Errorf("second run: %s", out)
	}
	for _, name := range []string{"test.db", "test.db-wal"} {
		if text, err := os.ReadFile(filepath.Join(s.dir, name)); err == nil && bytes.Contains(text, []byte("planted-in-the-vault")) {
			t.Errorf("%s holds the secret", name)
		}
	}

	t.Run("locked", func(t *testing.T) {
		if out := s.run(withLocked); !strings.HasPrefix(out, "unavailable ") || !strings.Contains(out, "secret 0") {
			t.Errorf("%s", out)
		}
	})
	t.Run("absent", func(t *testing.T) {
		if out := s.run(`"$TEST"`); !strings.HasPrefix(out, "unavailable ") {
			t.Errorf("%s", out)
		}
	})
	t.Run("another keyring", func(t *testing.T) {
		other := *s
		other.home = t.TempDir()
		if out := other.run(withUnlocked); !strings.HasPrefix(out, "key_missing ") {
			t.Errorf("%s", out)
		}
	})
	t.Run("and back", func(t *testing.T) {
		if out := s.run(withUnlocked); !strings.HasPrefix(out, "open ") || !strings.Contains(out, "secret 20") {
			t.Errorf("%s", out)
		}
	})
	t.Run("wrong key", func(t *testing.T) {
		for range 2 { // also the second time, nothing was replaced
			if out := s.run(withUnlocked, "SPOIL=1"); !strings.HasPrefix(out, "mismatch ") || !strings.Contains(out, "secret 0") {
				t.Errorf("%s", out)
			}
		}
	})
}

// A bus that never answers holds up nobody for longer than the limit.
func TestHungKeyring(t *testing.T) {
	s := newSession(t)
	policy := filepath.Join(t.TempDir(), "session.conf")
	must(t, os.WriteFile(policy, []byte(`<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:tmpdir=/tmp</listen><auth>EXTERNAL</auth>
<servicedir>`+filepath.Dir(policy)+`</servicedir>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>`), 0o600))
	must(t, os.WriteFile(filepath.Join(filepath.Dir(policy), "org.freedesktop.secrets.service"),
		[]byte("[D-BUS Service]\nName=org.freedesktop.secrets\nExec=/bin/sleep 20\n"), 0o600))
	self, err := os.Executable()
	must(t, err)
	command := exec.CommandContext(t.Context(), "dbus-run-session", "--config-file="+policy, "--", self)
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.home, "XDG_RUNTIME_DIR=" + t.TempDir(), helperMode + "=" + s.dir}
	command.WaitDelay = time.Second
	begun := time.Now()
	out, err := command.CombinedOutput()
	if !strings.Contains(string(out), "session ") || time.Since(begun) > 12*time.Second {
		t.Errorf("after %s: %v: %s", time.Since(begun), err, out)
	}
}

func TestNoBusMeansThatNoneIsStarted(t *testing.T) {
	for name, c := range map[string]struct {
		address, runtime string
		want             bool
	}{
		"nothing": {"", "", false}, "an empty directory": {"", t.TempDir(), false}, "an address": {"unix:path=/x", "", true},
	} {
		if got := hasBus(c.address, c.runtime); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	self, err := os.Executable()
	must(t, err)
	command := exec.CommandContext(t.Context(), self)
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "XDG_RUNTIME_DIR=" + t.TempDir(), helperMode + "=" + t.TempDir()}
	out, err := command.CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "session ") || !strings.Contains(string(out), "no session bus") {
		t.Errorf("%v: %s", err, out)
	}
}

//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	binary = "../../build/bin/jackfield-desktop"
	shots  = "../../build/shots"
)

func TestPlaygroundCall(t *testing.T)                  { scenario(t, "playground_call") }
func TestAskWindow(t *testing.T)                       { scenario(t, "ask_window") }
func TestKilledAskWindowIsNoAnswer(t *testing.T)       { scenario(t, "ask_crash") }
func TestCancelledCallClosesItsAskWindow(t *testing.T) { scenario(t, "ask_cancelled_call") }
func TestURLOpensOnConsentOnly(t *testing.T)           { scenario(t, "ask_url") }
func TestWindowComesBackWhereItWasLeft(t *testing.T)   { scenario(t, "place") }
func TestServersComeBackAfterRestart(t *testing.T)     { scenario(t, "restart") }
func TestSecondStartRaisesTheFirst(t *testing.T)       { scenario(t, "second_start") }
func TestKillLeavesNothingAfterTheNextStart(t *testing.T) {
	scenario(t, "kill")
}
func TestStates(t *testing.T)                 { scenario(t, "states") }
func TestDamagedDataAreSetAside(t *testing.T) { scenario(t, "damaged") }
func TestNewerDataAreLeftAlone(t *testing.T)  { scenario(t, "newer") }

// scenario runs one scenario with a home, a data directory and a screen of its own.
func scenario(t *testing.T, name string) {
	t.Helper()
	drive(t, "scenarios.py", name)
}

// drive runs one scenario of a script. more is added to its environment.
func drive(t *testing.T, script, name string, more ...string) {
	t.Helper()
	t.Parallel() // each has a screen, a bus and a home of its own, and mostly waits
	absolute := func(path string) string {
		path, err := filepath.Abs(path)
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	if _, err := os.Stat(binary); err != nil {
		t.Fatalf("the program is not built, run make build: %v", err)
	}
	folder := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, "../../build/screen.sh", "/usr/bin/python3", absolute(script), name)
	command.Env = append(os.Environ(), home(t, folder,
		"E2E_FOLDER="+folder, "E2E_BINARY="+absolute(binary), "E2E_SHOTS="+absolute(shots), "PYTHONDONTWRITEBYTECODE=1")...)
	command.Env = append(command.Env, more...)
	// The whole group is ended if time runs out: screen, bus, programs.
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGTERM) }
	command.WaitDelay = 10 * time.Second
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	if err := command.Run(); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
}

// home is an environment in which nothing of the person who runs the test is seen or touched.
func home(t *testing.T, folder string, more ...string) []string {
	t.Helper()
	var env []string
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"} {
		path := filepath.Join(folder, strings.ToLower(name))
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		env = append(env, name+"="+path)
	}
	return append(env, more...)
}

// Without a display the program says so instead of panicking.
func TestNoDisplayIsSaid(t *testing.T) {
	command := exec.Command(binary)
	command.Env = home(t, t.TempDir(), "PATH="+os.Getenv("PATH"))
	out, err := command.CombinedOutput()
	if command.ProcessState.ExitCode() != 1 || !strings.Contains(string(out), "there is no display") || strings.Contains(string(out), "panic") {
		t.Errorf("%v: %s", err, out)
	}
}

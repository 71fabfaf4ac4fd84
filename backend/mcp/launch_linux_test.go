package mcp

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"jackfield/backend/store"
)

// A program that a dock or a menu starts has a PATH without the places where people have node, uv and the like. The script is found all the same,
// in a folder whose name has what shells stumble over, and so is the interpreter that its first line names.
func TestAProgramStartedFromAMenuFindsWhatATerminalFinds(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	node := filepath.Join(home, ".nvm", "versions", "node", "v22", "bin")
	odd := filepath.Join(home, ".local", `my "tools" & 'bin'`)
	for _, folder := range []string{node, odd} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	// Installers write to the one file or to the other.
	files := map[string]string{
		filepath.Join(home, ".bash_profile"): ". ~/.bashrc\nexport PATH=\"$HOME/.local/my \\\"tools\\\" & 'bin':$PATH\"\necho welcome\n",
		filepath.Join(home, ".bashrc"):       "case $- in *i*) ;; *) return;; esac\nexport PATH=\"$HOME/.nvm/versions/node/v22/bin:$PATH\"\n",
		filepath.Join(node, "mynode"):        "#!/bin/sh\nexec '" + self + "'\n",
		filepath.Join(odd, "mynpx"):          "#!/usr/bin/env mynode\n",
	}
	for path, text := range files {
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", home)
	t.Setenv("SHELL", bash)
	t.Setenv("PATH", "/usr/bin:/bin")
	m := start(t, Options{Environ: LoginEnviron}, false)
	for _, command := range []string{"mynpx", filepath.Join(odd, "mynpx"), "~/.local/my \"tools\" & 'bin'/mynpx"} {
		_, err = m.Add(t.Context(), store.Server{Transport: store.TransportStdio, Command: command, Env: []store.Variable{{Name: helperMode, Value: "serve"}}})
		if err != nil {
			t.Errorf("%s: %v", command, err)
		}
	}
}

// wrapper is what npx and uvx are: a program that starts the server and waits for it. This server does not heed the end of its input.
func wrapper(pids string) (store.Server, error) {
	self, err := os.Executable()
	inner := fmt.Sprintf("sh -c 'echo $$ >>%s; trap \"\" TERM HUP; %s; while :; do sleep 0.1; done'", pids, self)
	return store.Server{
		ID: "w", Transport: store.TransportStdio, Command: "sh", Args: []string{"-c", fmt.Sprintf("echo $$ >>%s; %s; true", pids, inner)},
		Env: []store.Variable{{Name: helperMode, Value: "serve"}}, Enabled: true, Retry: store.Retry{MaxAttempts: 1},
	}, err
}

// family returns the wrapper and the server below it.
func family(t *testing.T, file string) []int {
	t.Helper()
	var pids []int
	eventually(t, "both processes run", func() bool {
		text, err := os.ReadFile(file)
		pids = nil
		for word := range strings.FieldsSeq(string(text)) {
			if pid, err := strconv.Atoi(word); err == nil {
				pids = append(pids, pid)
			}
		}
		return err == nil && len(pids) >= 2
	})
	return pids
}

// living says whether a process is there and no zombie.
func living(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	return !strings.HasPrefix(rest, "Z")
}

func noneLeft(t *testing.T, what string, pids []int) {
	t.Helper()
	eventually(t, what, func() bool {
		for _, pid := range pids {
			if living(pid) {
				return false
			}
		}
		return true
	})
}

func TestNothingIsLeftOfAWrapperAndItsServer(t *testing.T) {
	for name, end := range map[string]func(t *testing.T, m *Manager, pids []int){
		"disconnect": func(t *testing.T, m *Manager, _ []int) {
			if err := m.Disconnect(t.Context(), "w"); err != nil {
				t.Error(err)
			}
		},
		"quit": func(t *testing.T, m *Manager, _ []int) {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			if err := m.Close(ctx); err != nil {
				t.Error(err)
			}
		},
		"the wrapper crashes": func(t *testing.T, _ *Manager, pids []int) {
			if err := syscall.Kill(pids[0], syscall.SIGKILL); err != nil {
				t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "pids")
			m := start(t, Options{}, false)
			server, err := wrapper(file)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := m.Add(t.Context(), server); err != nil {
				t.Fatal(err)
			}
			pids := family(t, file)[:2]
			end(t, m, pids)
			noneLeft(t, "both processes are gone", pids)
		})
	}
}

// The program is killed with kill -9, which leaves it no time for anything. The wrapper goes with it; a server below it that heeds nothing goes when
// the program is started again.
func TestNothingIsLeftOfAKilledProgramWhenItStartsAgain(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pids")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	app := exec.Command(self)
	app.Env = append(os.Environ(), helperMode+"=app", "JACKFIELD_MCP_TEST_PIDS="+file)
	out, err := app.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := app.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "connected\n" {
		t.Fatalf("the program: %q %v", line, err)
	}
	pids := family(t, file)
	if err := app.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = app.Wait() // it was killed
	noneLeft(t, "the wrapper is gone", pids[:1])
	start(t, Options{}, true)
	noneLeft(t, "the server is gone", pids)
}

// runApp is the program that is killed.
func runApp() error {
	m := New(Options{Store: newMemory(), Client: Implementation{Name: "app", Version: "1"}})
	if err := m.Start(context.Background(), false); err != nil {
		return err
	}
	server, err := wrapper(os.Getenv("JACKFIELD_MCP_TEST_PIDS"))
	if err != nil {
		return err
	}
	if _, err := m.Add(context.Background(), server); err != nil {
		return err
	}
	fmt.Println("connected")
	select {}
}

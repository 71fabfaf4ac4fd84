//go:build unix

package mcp

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"jackfield/backend/store"
)

func TestCommandIsLookedUpInThePathItWillRunWith(t *testing.T) {
	home, bin, other := t.TempDir(), t.TempDir(), t.TempDir()
	write := func(path string, mode os.FileMode) {
		t.Helper()
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(bin, "tool"), 0o755)
	write(filepath.Join(other, "tool"), 0o755)
	write(filepath.Join(other, "mine"), 0o755)
	write(filepath.Join(home, "script"), 0o755)
	write(filepath.Join(home, "plain"), 0o644)
	write(filepath.Join(bin, "data"), 0o644)
	for name, line := range map[string]string{"orphan": "#!/opt/gone/python", "npx": "#!/usr/bin/env no-such-node"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(line+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(bin, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	env := []string{"HOME=" + home, "PATH=.::" + bin + ":" + other, "A=old"}
	tests := []struct {
		name    string
		server  store.Server
		path    string
		code    string
		message string
	}{
		{"first in PATH", store.Server{Command: "tool"}, filepath.Join(bin, "tool"), "", ""},
		{"its own PATH wins", store.Server{Command: "tool", Env: []store.Variable{{Name: "PATH", Value: other}}}, filepath.Join(other, "tool"), "", ""},
		{"home", store.Server{Command: "~/script"}, filepath.Join(home, "script"), "", ""},
		{"relative to the working directory", store.Server{Command: "./mine", Cwd: other}, filepath.Join(other, "mine"), "", ""},
		{"absolute", store.Server{Command: filepath.Join(other, "mine")}, filepath.Join(other, "mine"), "", ""},
		{"missing", store.Server{Command: "nothing"}, "", CodeNotFound, "nothing"},
		{"missing path", store.Server{Command: "./nothing"}, "", CodeNotFound, "nothing"},
		{"a folder", store.Server{Command: "folder"}, "", CodeNotFound, "folder"},
		{"not executable", store.Server{Command: "~/plain"}, "", CodeNotFound, "not executable"},
		{"the working directory is not in PATH", store.Server{Command: "mine", Cwd: other, Env: []store.Variable{{Name: "PATH", Value: ".:"}}}, "", CodeNotFound, "mine"},
		{"no such directory", store.Server{Command: "tool", Cwd: "/does/not/exist"}, "", CodeNotFound, "/does/not/exist"},
		{"a file as directory", store.Server{Command: "tool", Cwd: "~/script"}, "", CodeNotFound, "not a directory"},
		{"none", store.Server{}, "", CodeUsage, "no command"},
		{"white space around it", store.Server{Command: " tool\t"}, filepath.Join(bin, "tool"), "", ""},
		{"quotes around it", store.Server{Command: `"` + filepath.Join(other, "mine") + `"`}, filepath.Join(other, "mine"), "", ""},
		{"in PATH and not executable", store.Server{Command: "data"}, "", CodeNotFound, filepath.Join(bin, "data") + " is not executable"},
		{"a script whose interpreter is gone", store.Server{Command: "orphan"}, "", CodeNotFound, "a script for /opt/gone/python"},
		{"a script for env whose interpreter is not in PATH", store.Server{Command: "npx"}, "", CodeNotFound, `a script for "no-such-node"`},
	}
	for _, test := range tests {
		command, err := resolveCommand(test.server, env)
		switch {
		case test.code == "" && (err != nil || command.Path != test.path):
			t.Errorf("%s: %q, %v", test.name, command.Path, err)
		case test.code != "" && (err == nil || err.Code != test.code || !strings.Contains(err.Message, test.message)):
			t.Errorf("%s: %v", test.name, err)
		}
	}
	_, err := resolveCommand(store.Server{Command: "nothing"}, env)
	if !strings.Contains(err.Hint, bin+":"+other) {
		t.Errorf("the hint does not name the PATH: %s", err.Hint)
	}
	if _, err := resolveCommand(store.Server{Command: "npx"}, env); !strings.Contains(err.Hint, bin+":"+other) {
		t.Errorf("the hint for a missing interpreter does not name the PATH: %s", err.Hint)
	}
	command, err := resolveCommand(store.Server{Command: "tool", Args: []string{"$HOME", "a b"}, Env: []store.Variable{{Name: "A", Value: "new"}}}, env)
	if err != nil || !slices.Equal(command.Args, []string{"$HOME", "a b"}) || !slices.Contains(command.Env, "A=new") || slices.Contains(command.Env, "A=old") || command.Dir != home {
		t.Errorf("command = %+v, %v", command, err)
	}
	if !slices.Contains(env, "A=old") {
		t.Error("the shared environment was changed")
	}
}

// A service or a container may have no home; its servers start all the same.
func TestCommandStartsWithoutAHome(t *testing.T) {
	for _, env := range [][]string{{"PATH=/bin"}, {"PATH=/bin", "HOME=/does/not/exist"}} {
		command, err := resolveCommand(store.Server{Command: "sh"}, env)
		if err != nil || command.Path != "/bin/sh" || command.Dir != "" {
			t.Errorf("%q: %+v, %v", env, command, err)
		}
	}
}

// CVE-2026-0757: what would mean something to a shell is an argument like any other.
func TestArgumentsAreNoTextForAShell(t *testing.T) {
	marker := filepath.Join(t.TempDir(), "ran")
	args := []string{"; touch " + marker, "$(touch " + marker + ")", "`touch " + marker + "`", "a b\t\"c'", "*", "", "--", "\n"}
	command, failure := resolveCommand(store.Server{Command: "printf", Args: append([]string{"%s\\0"}, args...)}, os.Environ())
	if failure != nil {
		t.Fatal(failure)
	}
	out, err := exec.Command(command.Path, command.Args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"); !slices.Equal(got, args) {
		t.Errorf("the program got %q", got)
	}
	if _, err := os.Stat(marker); err == nil {
		t.Error("a shell read an argument")
	}
}

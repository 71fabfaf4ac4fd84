package mcp

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"jackfield/backend/store"
)

func TestExpandHome(t *testing.T) {
	env := []string{homeVariable() + "=/home/me"}
	for path, want := range map[string]string{"~": "/home/me", "~/x": "/home/me/x", "~other/x": "~other/x", "/a/~": "/a/~", "a~b": "a~b"} {
		if got := filepath.ToSlash(expandHome(path, env)); got != want {
			t.Errorf("%s: %s", path, got)
		}
	}
}

func TestCandidatesOnWindowsFollowPathext(t *testing.T) {
	for _, test := range []struct {
		name, pathext string
		want          []string
	}{
		{`npx`, "", []string{`npx.COM`, `npx.EXE`, `npx.BAT`, `npx.CMD`}},
		{`npx`, ".CMD;.EXE", []string{`npx.CMD`, `npx.EXE`}},
		{`C:\Program Files\nodejs\node.exe`, ".COM;.EXE", []string{`C:\Program Files\nodejs\node.exe`}},
		{`npx.Cmd`, ".EXE;.CMD", []string{`npx.Cmd`}},
		{`python3.11`, ".EXE;.CMD", []string{`python3.11.EXE`, `python3.11.CMD`}}, // its dot is no extension
		{`server.js`, ".EXE", []string{`server.js.EXE`}},
		{`.exe`, ".EXE", []string{`.exe.EXE`}},
		{`tool`, ";; .EXE ;PY;.", []string{`tool.EXE`, `tool.PY`}},
	} {
		if got := candidates("windows", test.name, test.pathext); !slices.Equal(got, test.want) {
			t.Errorf("%s with %q: %q", test.name, test.pathext, got)
		}
	}
	if got := candidates("linux", "npx", ".EXE"); !slices.Equal(got, []string{"npx"}) {
		t.Errorf("elsewhere: %q", got)
	}
}

func TestUnquote(t *testing.T) {
	for command, want := range map[string]string{
		" npx ": "npx", `"C:\Program Files\x.exe"`: `C:\Program Files\x.exe`, "'/opt/my tools/x'": "/opt/my tools/x",
		`it's`: `it's`, `"`: `"`, `""`: "", `"a" b`: `"a" b`, "": "",
	} {
		if got := unquote(command); got != want {
			t.Errorf("%q: %q, want %q", command, got, want)
		}
	}
}

func TestInterpreter(t *testing.T) {
	for start, want := range map[string]struct {
		program string
		byName  bool
	}{
		"#!/bin/sh\nexit":                            {"/bin/sh", false},
		"#! /usr/bin/env node\n":                     {"node", true},
		"#!/usr/bin/env -S NODE_ENV=x node --test\n": {"node", true},
		"#!/usr/bin/env /opt/node\n":                 {"/opt/node", false},
		"#!/usr/bin/env\n":                           {"/usr/bin/env", false},
		"#!" + strings.Repeat("x", 254):              {"", false}, // too long to be read whole
		"\x7fELF":                                    {"", false},
		"":                                           {"", false},
	} {
		if program, byName := interpreter([]byte(start)); program != want.program || byName != want.byName {
			t.Errorf("%q: %q %t", start, program, byName)
		}
	}
}

func TestMissingCommandFailsWithoutRetry(t *testing.T) {
	m := start(t, Options{Store: newMemory(store.Server{
		ID: "s", Transport: store.TransportStdio, Command: "no-such-program-anywhere", Enabled: true,
	})}, true)
	m.Wait(t.Context())
	s, _ := m.Status("s")
	if s.State != StateFailed || s.Failure.Code != CodeNotFound || s.Attempts != 1 {
		t.Errorf("status = %+v", s)
	}
}

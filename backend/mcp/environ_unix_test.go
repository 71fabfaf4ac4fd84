//go:build unix

package mcp

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// shell writes a script that takes the place of a login shell.
func shell(t *testing.T, body string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "shell")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLoginPathIgnoresWhatStartFilesPrint(t *testing.T) {
	path, err := loginPath(t.Context(), shell(t, `echo "PATH=/wrong"; PATH=/from/profile:/usr/bin; export PATH; eval "$4"; echo PATH=/after`))
	if err != nil || path != "/from/profile:/usr/bin" {
		t.Errorf("path = %q, %v", path, err)
	}
}

func TestLoginPathSurvivesFailingStartFile(t *testing.T) {
	path, err := loginPath(t.Context(), shell(t, `PATH=/p; eval "$4"; exit 1`))
	if err != nil || path != "/p" {
		t.Errorf("path = %q, %v", path, err)
	}
}

func TestLoginPathEndsAHangingShell(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	begun := time.Now()
	if path, err := loginPath(ctx, shell(t, "sleep 60")); err == nil {
		t.Errorf("path = %q", path)
	}
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("took %s", took)
	}
}

func TestLoginPathOfAMissingShellIsAnError(t *testing.T) {
	if _, err := loginPath(t.Context(), "/does/not/exist"); err == nil {
		t.Error("no error")
	}
}

func TestMergePath(t *testing.T) {
	if got := mergePath("/a:/b", "/b:/c::/a"); got != "/a:/b:/c" {
		t.Errorf("merged = %q", got)
	}
}

func TestPasswdShell(t *testing.T) {
	file := filepath.Join(t.TempDir(), "passwd")
	if err := os.WriteFile(file, []byte("# comment\nroot:x:0:0::/root:/bin/bash\nme:x:1000:1000:Me,,,:/home/me:/usr/bin/zsh\nno:x:1:1::/:relative\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := passwdShell(file, 1000); err != nil || got != "/usr/bin/zsh" {
		t.Errorf("shell = %q, %v", got, err)
	}
	for _, uid := range []int{1, 5} {
		if got, err := passwdShell(file, uid); err == nil {
			t.Errorf("shell of %d = %q", uid, got)
		}
	}
}

func TestLoginEnvironKeepsTheRestOfTheEnvironment(t *testing.T) {
	t.Setenv("SHELL", shell(t, `PATH=/from/profile; export PATH; OTHER=changed; export OTHER; eval "$4"`))
	t.Setenv("PATH", "/usr/bin:/bin")
	t.Setenv("OTHER", "mine")
	env := LoginEnviron(t.Context())
	if got := getEnv(env, "PATH"); got != "/from/profile:/usr/bin:/bin" {
		t.Errorf("PATH = %q", got)
	}
	if got := getEnv(env, "OTHER"); got != "mine" {
		t.Errorf("OTHER = %q", got)
	}
	if n := strings.Count(strings.Join(env, "\n"), "\nPATH="); n > 1 {
		t.Errorf("%d entries of PATH", n)
	}
}

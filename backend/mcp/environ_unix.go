//go:build unix

package mcp

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// loginShellLimit is how long the start files of a shell may take.
const loginShellLimit = 10 * time.Second

// LoginEnviron returns the environment of this process with the PATH of the person's login shell. A program that is started from
// a dock or a menu gets a minimal PATH, in which npx, uvx and the like are not found; an absolute path to them does not
// help, because their scripts begin with "env node". If the shell cannot be asked, the reason is logged and the environment is returned as it is.
// It may take seconds: pass it as Options.Environ, which asks once and only when a process is started.
func LoginEnviron(ctx context.Context) []string {
	env := os.Environ()
	path, err := loginPath(ctx, loginShell())
	if err != nil {
		slog.WarnContext(ctx, "the PATH of the login shell is not known; programs are looked up in that of this process", "error", err)
		return env
	}
	return setEnv(env, "PATH", mergePath(path, getEnv(env, "PATH")))
}

// loginPath starts an interactive login shell, as a terminal does, and reads its PATH.
func loginPath(ctx context.Context, shell string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, loginShellLimit)
	defer cancel()
	// Start files print things; the random mark tells theirs from ours.
	mark := "jackfield-" + rand.Text()
	// env and echo are understood by every shell, unlike its own syntax for variables.
	cmd := exec.CommandContext(ctx, shell, "-l", "-i", "-c", fmt.Sprintf("echo %s; /usr/bin/env; echo %s", mark, mark))
	// A session of its own: an interactive shell would otherwise take the terminal away from this program.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	output, err := cmd.Output()
	// A shell whose last start file failed still has a PATH, so the output decides.
	if path, ok := pathBetween(output, mark); ok {
		return path, nil
	}
	if ctx.Err() != nil {
		return "", fmt.Errorf("%s did not finish its start files within %s: %w", shell, loginShellLimit, ctx.Err())
	}
	if err != nil {
		return "", fmt.Errorf("%s cannot be asked: %w", shell, err)
	}
	return "", fmt.Errorf("%s did not print its environment", shell)
}

// pathBetween finds the PATH in what env printed between two marks.
func pathBetween(output []byte, mark string) (string, bool) {
	_, rest, _ := bytes.Cut(output, []byte(mark))
	block, _, ok := bytes.Cut(rest, []byte(mark))
	if !ok {
		return "", false
	}
	for line := range strings.Lines(string(block)) {
		if path, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "PATH="); ok && path != "" {
			return path, true
		}
	}
	return "", false
}

// mergePath puts the folders of the second list that the first lacks behind it.
func mergePath(first, second string) string {
	folders := filepath.SplitList(first)
	for _, folder := range filepath.SplitList(second) {
		if folder != "" && !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	}
	return strings.Join(folders, string(os.PathListSeparator))
}

// loginShell is the person's shell: SHELL, or the entry in the password file, or /bin/sh.
func loginShell() string {
	if shell := os.Getenv("SHELL"); filepath.IsAbs(shell) {
		return shell
	}
	if shell, err := passwdShell("/etc/passwd", os.Getuid()); err == nil {
		return shell
	}
	return "/bin/sh"
}

func passwdShell(file string, uid int) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		// name:password:uid:gid:comment:home:shell
		fields := strings.Split(lines.Text(), ":")
		if len(fields) == 7 && fields[2] == strconv.Itoa(uid) && filepath.IsAbs(fields[6]) {
			return fields[6], nil
		}
	}
	return "", errors.Join(lines.Err(), fmt.Errorf("no shell for user %d in %s", uid, file))
}

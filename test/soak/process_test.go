//go:build soak

package soak

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"jackfield/backend/mcp"
)

// piped is a fake inside this process.
type piped struct{ *fake }

// serve is what the Manager calls for each connection.
func (p *piped) serve(ctx context.Context, pipe io.ReadWriteCloser) error {
	if m, _, _ := p.now(); m == refuse {
		return errGone
	}
	return p.serveLines(ctx, pipe, pipe)
}

func (p *piped) apply(mode) error { return nil }
func (p *piped) close() error     { return nil }

// child is a fake that is a process, with a child of its own as wrappers have. A file tells it how to behave.
type child struct {
	*fake
	file string
	pid  func() int // of the process that the Manager runs now
}

const modeFile = "JACKFIELD_SOAK_MODE"

func newChild(f *fake, dir string, m func() *mcp.Manager) (*child, error) {
	c := &child{fake: f, file: filepath.Join(dir, f.id)}
	c.pid = func() int {
		status, err := m().Status(f.id)
		if err != nil {
			return 0
		}
		return status.PID
	}
	return c, c.apply(good)
}

func (c *child) apply(m mode) error {
	_, _, tools := c.now()
	temporary := c.file + ".new"
	if err := os.WriteFile(temporary, fmt.Appendf(nil, "%s %d", m, tools), 0o600); err != nil {
		return err
	}
	if err := os.Rename(temporary, c.file); err != nil {
		return err
	}
	if m != refuse && m != drop {
		return nil
	}
	if pid := c.pid(); pid > 0 {
		process, err := os.FindProcess(pid)
		if err != nil {
			return err
		}
		_ = process.Kill() // it may be gone already
	}
	return nil
}

func (c *child) close() error { return nil }

// serveStdio is the process.
func serveStdio() error {
	f := newFake(filepath.Base(os.Getenv(modeFile)), kindStdio)
	read := func() (m mode, tools int) {
		text, err := os.ReadFile(os.Getenv(modeFile))
		if err != nil {
			return refuse, 1
		}
		name, count, _ := strings.Cut(string(text), " ")
		_, _ = fmt.Sscan(count, &tools)
		return mode(name), tools
	}
	begun := time.Now()
	f.mode, f.tools = read()
	if f.mode == refuse {
		return errGone
	}
	// What a wrapper such as npx leaves when it is killed alone.
	if err := exec.Command("sleep", "1000").Start(); err != nil {
		return err
	}
	go func() {
		for range time.Tick(100 * time.Millisecond) {
			m, tools := read()
			f.mu.Lock()
			if m != f.mode {
				f.mode = m
				close(f.changed)
				f.changed = make(chan struct{})
			}
			f.mu.Unlock()
			if tools != f.tools {
				f.grow(tools)
			}
			if m == drop && time.Since(begun) > 700*time.Millisecond {
				os.Exit(9)
			}
		}
	}()
	return f.serveLines(context.Background(), os.Stdin, os.Stdout)
}

// grow tells a process by its file.
func (c *child) growTo(tools int) error {
	c.mu.Lock()
	c.tools, c.since = tools, time.Now()
	m := c.mode
	c.mu.Unlock()
	if m == refuse || m == drop {
		return nil // the next start reads it
	}
	return c.apply(m)
}

package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Command is a program to run. Env is the whole environment.
type Command struct {
	Path string // resolved
	Args []string
	Env  []string
	Dir  string
}

// Stdio runs a command in a process group of its own.
func (w *Wire) Stdio(command Command) sdk.Transport { return &stdio{w: w, command: command} }

type stdio struct {
	w       *Wire
	command Command
}

// Connect starts the process. Its life does not depend on ctx.
func (s *stdio) Connect(ctx context.Context) (sdk.Connection, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c := newConn(s.w, nil)
	c.prober = &prober{limit: s.w.config.Probe, wake: func() {
		if p, closed := c.current(); !closed {
			p.(*child).interrupt()
		}
	}}
	c.restart = func() (*child, error) { return s.start(c.prober.alive) }
	p, err := c.restart()
	if err != nil {
		s.w.fail(err)
		return nil, err
	}
	c.peer = p
	if !s.w.onClose(c.Close) {
		return nil, errors.Join(errClosed, c.Close())
	}
	return c, nil
}

var errClosed = errors.New("the connection was closed before it was made")

func (s *stdio) start(alive func()) (*child, error) {
	p, err := spawn(s.command, func(line []byte) {
		s.w.life()
		alive()
		s.w.record(Record{Time: time.Now(), Dir: Stderr, Raw: line})
	})
	if err != nil {
		return nil, err
	}
	s.w.mu.Lock()
	s.w.pid = p.group.pid()
	s.w.mu.Unlock()
	return &child{process: p, grace: s.w.config.Grace}, nil
}

// child is a process as a peer.
type child struct {
	*process
	grace time.Duration
}

func (c *child) Read(b []byte) (int, error)         { return c.stdout.Read(b) }
func (c *child) Write(b []byte) (int, error)        { return c.stdin.Write(b) }
func (c *child) SetReadDeadline(t time.Time) error  { return c.stdout.SetReadDeadline(t) }
func (c *child) SetWriteDeadline(t time.Time) error { return c.stdin.SetWriteDeadline(t) }

// interrupt makes a Read that waits return os.ErrDeadlineExceeded. Where pipes have no deadlines (Windows) only the end of
// the process does that.
func (c *child) interrupt() {
	if err := c.stdout.SetReadDeadline(time.Unix(1, 0)); errors.Is(err, os.ErrNoDeadline) {
		c.group.kill()
	}
}

// resume undoes interrupt. The deadline that the end of the process sets must survive it.
func (c *child) resume() {
	_ = c.stdout.SetReadDeadline(time.Time{}) // fails only where interrupt did
	if c.hasExited() {
		_ = c.stdout.SetReadDeadline(time.Now().Add(lastGasp))
	}
}

func (c *child) cause(error) error { return c.process.cause() }
func (c *child) Close() error      { return c.stop(c.grace) }

// noise records bytes on stdout that are no message.
func (w *Wire) noise(raw []byte) {
	w.record(Record{Time: time.Now(), Dir: In, Raw: raw, Noise: true})
	w.problem(Problem{Code: "noise_on_stdout", Subject: "stdout", Message: fmt.Sprintf("The server wrote something to stdout that is not a message: %q. "+
		"The specification reserves stdout for messages and stderr for logs. It was ignored.", clip(raw))})
}

// touchAll is a sign of life of every call that waits.
func (w *Wire) touchAll() {
	now := time.Now()
	w.mu.Lock()
	calls := make([]*Call, 0, len(w.requests.byID))
	for _, r := range w.requests.byID {
		calls = append(calls, r.call)
	}
	w.mu.Unlock()
	for _, c := range calls {
		c.touch(now)
	}
}

var _ io.ReadWriteCloser = (*child)(nil)

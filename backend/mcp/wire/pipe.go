package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Pipe serves in this process: serve gets the server's end of a pipe.
func (w *Wire) Pipe(serve func(ctx context.Context, pipe io.ReadWriteCloser) error) sdk.Transport {
	return &pipe{w: w, serve: serve}
}

type pipe struct {
	w     *Wire
	serve func(ctx context.Context, pipe io.ReadWriteCloser) error
}

// Connect starts serve in a goroutine, which Close waits for.
func (p *pipe) Connect(ctx context.Context) (sdk.Connection, error) {
	ours, theirs := net.Pipe()
	serving, cancel := context.WithCancel(context.WithoutCancel(ctx))
	e := &end{Conn: ours, cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(e.done)
		defer theirs.Close()
		e.err = p.serve(serving, theirs)
	}()
	c := newConn(p.w, e)
	if !p.w.onClose(c.Close) {
		return nil, errors.Join(errClosed, c.Close())
	}
	return c, nil
}

// end is our end of a pipe to a server in this process.
type end struct {
	net.Conn
	cancel context.CancelFunc
	done   chan struct{}
	err    error // of serve, once done is closed
}

func (e *end) cause(err error) error {
	if wait(e.done, lastGasp) && e.err != nil {
		return fmt.Errorf("the built-in server ended: %w", e.err)
	}
	return err
}

// Close ends the server and waits for it, within reason: it is part of this program and must heed its context.
func (e *end) Close() error {
	err := e.Conn.Close()
	e.cancel()
	if !wait(e.done, 5*time.Second) {
		return errors.Join(err, errors.New("the built-in server does not end"))
	}
	return err
}

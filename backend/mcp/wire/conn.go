package wire

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// peer is what a conn talks to: a process, or the end of a pipe.
type peer interface {
	io.ReadWriter
	SetReadDeadline(time.Time) error
	SetWriteDeadline(time.Time) error
	// cause turns the error that ended reading into the one to report.
	cause(error) error
	io.Closer
}

// conn is go-sdk's Connection over a byte stream. It reads in go-sdk's reading goroutine and has none of its own.
type conn struct {
	w     *Wire
	ready []message // read, not yet asked for
	frame *framer

	prober  *prober                // of a process; nil for a pipe
	restart func() (*child, error) // starts the process anew

	writing chan struct{} // holds one token: whoever has it writes
	tail    []byte        // the rest of a message whose writer gave up half way

	mu     sync.Mutex
	peer   peer
	closed bool
}

func newConn(w *Wire, p peer) *conn {
	c := &conn{w: w, peer: p, frame: newFramer(), writing: make(chan struct{}, 1)}
	c.writing <- struct{}{}
	return c
}

// SessionID is empty: there are no sessions on a byte stream.
func (c *conn) SessionID() string { return "" }

func (c *conn) current() (p peer, closed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.peer, c.closed
}

// Read returns the next message that go-sdk can use. What cannot be used is recorded, named and skipped.
func (c *conn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		if len(c.ready) > 0 {
			m := c.ready[0]
			c.ready = c.ready[1:]
			return m.decoded, nil
		}
		p, closed := c.current()
		if closed {
			return nil, io.EOF
		}
		n, err := p.Read(c.frame.space())
		if n > 0 {
			c.w.life()
			if c.prober != nil {
				c.prober.alive()
			}
			c.frame.add(n)
			c.drain()
			if int64(c.frame.open()) > c.w.config.Largest {
				// Where it would end, nobody can tell.
				err := c.w.tooLarge("message", c.frame.buf, nil)
				c.w.fail(err)
				return nil, err
			}
		}
		if err == nil || len(c.ready) > 0 {
			continue
		}
		if err := c.ended(p, err); err != nil {
			return nil, err
		}
	}
}

// gone reports whether a peer is a process that has ended.
func gone(p peer) bool {
	process, ok := p.(*child)
	return ok && process.hasExited()
}

// drain takes every complete frame.
func (c *conn) drain() {
	for {
		piece, ok := c.frame.next()
		if !ok {
			break
		}
		c.take(piece)
	}
	if c.frame.open() >= noiseSize {
		// A large message is on its way. It cannot be told yet which request it answers; one of them it is.
		c.w.touchAll()
	}
}

func (c *conn) take(piece frame) {
	if !piece.noise {
		if shown, ok := c.w.incoming(piece.raw, source{}); ok {
			c.ready = append(c.ready, shown...)
			for _, m := range shown {
				if c.prober != nil && m.answers != nil {
					c.prober.answered(m.answers)
				}
			}
			return
		}
	}
	c.w.noise(piece.raw)
	if m, ok := c.w.fragment(piece.raw); ok {
		c.ready = append(c.ready, m)
	}
}

// ended deals with the end of reading: nil if reading goes on.
func (c *conn) ended(p peer, err error) error {
	if _, closed := c.current(); closed {
		return io.EOF
	}
	interrupted := errors.Is(err, os.ErrDeadlineExceeded) && !gone(p)
	if ok, err := c.handshake(p, !interrupted); ok {
		return err
	}
	if interrupted { // the answer came while the clock ran out
		p.(*child).resume()
		return nil
	}
	if piece, ok := c.frame.rest(); ok {
		c.take(piece)
	}
	if len(c.ready) > 0 {
		return nil // read on to the same end after these
	}
	cause := p.cause(err)
	c.w.fail(cause)
	return cause
}

// Write sends one message. A ctx that ends while the other side does not read fails this message only: what was written
// of it is completed before the next one.
func (c *conn) Write(ctx context.Context, m jsonrpc.Message) error {
	raw, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	raw, r := c.w.outgoing(ctx, raw)
	if c.prober != nil {
		c.prober.sending(r, raw)
	}
	if err := c.send(ctx, raw); err != nil {
		c.w.forget(r)
		return err
	}
	return nil
}

func (c *conn) send(ctx context.Context, raw []byte) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-c.writing:
	}
	defer func() { c.writing <- struct{}{} }()
	p, closed := c.current()
	if closed {
		return io.ErrClosedPipe
	}
	if err := p.SetWriteDeadline(time.Time{}); err != nil && !errors.Is(err, os.ErrNoDeadline) {
		return c.broken(p, err)
	}
	fired := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(fired)
		_ = p.SetWriteDeadline(time.Unix(1, 0))
	})
	defer func() {
		if !stop() {
			<-fired // or it would hit the next writer
		}
	}()
	if len(c.tail) > 0 {
		n, err := p.Write(c.tail)
		c.tail = c.tail[n:]
		if err != nil {
			return c.gaveUp(ctx, p, err)
		}
	}
	line := append(raw, '\n')
	n, err := p.Write(line)
	if err != nil {
		if n > 0 {
			c.tail = line[n:]
		}
		return c.gaveUp(ctx, p, err)
	}
	return nil
}

// gaveUp tells a write that its context ended from one that failed.
func (c *conn) gaveUp(ctx context.Context, p peer, err error) error {
	if ctx.Err() != nil && errors.Is(err, os.ErrDeadlineExceeded) {
		return ctx.Err()
	}
	return c.broken(p, err)
}

func (c *conn) broken(p peer, err error) error {
	if _, closed := c.current(); closed {
		return err
	}
	cause := p.cause(err)
	c.w.fail(cause)
	return cause
}

// Close ends the other side and waits for it. It unblocks Read.
func (c *conn) Close() error {
	c.mu.Lock()
	p, closed := c.peer, c.closed
	c.closed = true
	c.mu.Unlock()
	if closed {
		return nil
	}
	if c.prober != nil {
		c.prober.close()
	}
	return p.Close()
}

package wire

import (
	"fmt"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// prober keeps the handshake of a process from failing on the question about its era. go-sdk asks server/discover first and
// falls back to initialize on any error, but not on silence or death. So:
//
//   - silence: server/discover is answered with -32601 in the server's name, and initialize goes to the same process. A server
//     that only ignores what it does not know, or is still starting, needs no more.
//   - silence again, or death, or the end of its output: the process is replaced, once, and the handshake goes on with the new one.
//
// The clock starts at the first byte on stdout or stderr: a launcher that downloads its package first is not silent, it is
// slow. Without any byte twice the limit must do.
//
// Everything is decided in the goroutine that reads; the timer only wakes it.
type prober struct {
	limit time.Duration
	wake  func()

	mu       sync.Mutex
	stage    stage
	heard    bool
	fired    bool // the timer woke the reader
	replaced bool
	timer    *time.Timer
	waits    *request // the request of the handshake that is not answered yet
	line     []byte   // initialize as it was sent
}

type stage int

const (
	unasked      stage = iota // nothing sent yet, or the version is pinned
	asking                    // server/discover waits
	falling                   // -32601 was shown to go-sdk; initialize is next
	initializing              // initialize waits
	settled
)

// sending notes what is about to leave.
func (p *prober) sending(r *request, raw []byte) {
	if r == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case r.method == "server/discover" && p.stage == unasked:
		p.stage, p.waits = asking, r
		if p.heard {
			p.start(p.limit)
		} else {
			p.start(2 * p.limit)
		}
	case r.method == "initialize" && p.stage == falling:
		p.stage, p.waits, p.line = initializing, r, append([]byte(nil), raw...)
		if !p.replaced {
			p.start(2 * p.limit)
		}
	}
}

// answered notes that a request got its answer.
func (p *prober) answered(r *request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r == p.waits && r != nil {
		p.stage, p.waits, p.line = settled, nil, nil
		p.stop()
	}
}

// alive notes a byte of the process.
func (p *prober) alive() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.heard && p.stage == asking {
		p.start(p.limit)
	}
	p.heard = true
}

// close stops the clock for good.
func (p *prober) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stage = settled
	p.stop()
}

func (p *prober) start(d time.Duration) {
	p.stop()
	var mine *time.Timer
	mine = time.AfterFunc(d, func() {
		p.mu.Lock()
		current := p.timer == mine
		p.fired = p.fired || current
		p.mu.Unlock()
		if current {
			p.wake()
		}
	})
	p.timer = mine
}

func (p *prober) stop() {
	if p.timer != nil {
		p.timer.Stop()
		p.timer = nil
	}
	p.fired = false
}

// verdict is what the reader has to do when reading was interrupted or ended.
type verdict struct {
	fall    *request // the server/discover to answer with -32601
	replace bool     // the process
	resend  []byte   // to the new process
}

// judge decides. ended says that the process gave up its output; otherwise reading was interrupted, perhaps by the timer. ok
// is false if it is not the prober's business.
func (p *prober) judge(ended bool) (v verdict, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !ended && !p.fired {
		return v, false
	}
	p.fired = false
	switch p.stage {
	case asking:
		v.fall, v.replace = p.waits, ended
		p.stage, p.waits = falling, nil
	case falling:
		v.replace = ended
	case initializing:
		v.replace, v.resend = true, p.line
	default:
		return v, false
	}
	if v.replace && p.replaced {
		return verdict{}, false // one try; what ended the second process is the cause
	}
	p.replaced = p.replaced || v.replace
	if v.fall == nil {
		p.stop()
	}
	return v, true
}

// handshake carries out what the prober decides. ok is false if the end of reading is to be reported.
func (c *conn) handshake(p peer, ended bool) (ok bool, err error) {
	if c.prober == nil {
		return false, nil
	}
	v, ok := c.prober.judge(ended)
	if !ok {
		return false, nil
	}
	if v.replace {
		if err := c.replace(p, v); err != nil {
			return true, err
		}
	} else {
		p.(*child).resume()
	}
	if v.fall != nil {
		c.fall(v)
	}
	return true, nil
}

// fall answers server/discover in the name of the server.
func (c *conn) fall(v verdict) {
	c.w.mu.Lock()
	c.w.requests.cancel(v.fall.id)
	c.w.mu.Unlock()
	code, reason := "probe_silent", "The server did not answer server/discover, to which a server that does not know it must answer with an error."
	if v.replace {
		code, reason = "probe_exit", "The server ended when it was asked server/discover, to which a server that does not know it must answer with an error. It was started again."
	}
	c.w.problem(Problem{Code: code, Subject: v.fall.method, Message: reason + " It was taken for a server of an earlier revision."})
	id, err := sdkID(v.fall.id)
	if err != nil {
		return // not reached: the id is one that go-sdk made
	}
	c.ready = append(c.ready, message{decoded: &jsonrpc.Response{ID: id, Error: &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: reason}}})
}

// replace ends the process and starts another one in its place.
func (c *conn) replace(old peer, v verdict) error {
	killed := old.(*child).kill()
	if v.fall == nil {
		c.w.problem(Problem{Code: "probe_stuck", Subject: "initialize", Message: "The server did not answer initialize after it had been asked server/discover. It was started again."})
	}
	if killed != nil {
		return killed
	}
	fresh, err := c.restart()
	if err != nil {
		return fmt.Errorf("start the server again after the probe: %w", err)
	}
	<-c.writing // a writer to the old process fails at once, since that is gone
	defer func() { c.writing <- struct{}{} }()
	c.mu.Lock()
	closed := c.closed
	if !closed {
		c.peer = fresh
	}
	c.mu.Unlock()
	if closed {
		return fresh.kill()
	}
	c.frame, c.tail = newFramer(), nil
	if v.resend != nil {
		if _, err := fresh.Write(append(v.resend, '\n')); err != nil {
			return fresh.cause(err)
		}
	}
	return nil
}

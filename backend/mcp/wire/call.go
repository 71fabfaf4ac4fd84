package wire

import (
	"context"
	"encoding/json"
	"sync"
	"time"
)

// Call travels in the context of one logical request down to the wire and comes back with what happened there.
// A multi-round-trip request has several rounds on one Call. Safe for concurrent use.
type Call struct {
	ID string
	// Placeholder lets the wire show go-sdk an empty result in place of the real one, so that nothing in it can fail
	// or be decoded twice. The caller must then decide from Result alone.
	Placeholder bool

	mu     sync.Mutex
	rounds []Round
	// Of the next round.
	responses, state json.RawMessage
	life             time.Time
	onLife           func()
}

// Round is one JSON-RPC request of a Call and its answer.
type Round struct {
	RPCID  string
	Sent   time.Time
	Took   time.Duration   // until the answer, 0 if there was none
	Result json.RawMessage // raw, valid JSON not guaranteed
	Error  json.RawMessage // the raw JSON-RPC error object
	Status int             // HTTP
	Err    error           // why no answer came, if that is known: wraps ErrLost, *StatusError, *AuthRequired, ...
}

type callKey struct{}

// WithCall returns a context that carries the call.
func WithCall(ctx context.Context, call *Call) context.Context {
	return context.WithValue(ctx, callKey{}, call)
}

// CallFrom returns the call that ctx carries, or nil.
func CallFrom(ctx context.Context) *Call {
	call, _ := ctx.Value(callKey{}).(*Call)
	return call
}

// Rounds returns the rounds so far.
func (c *Call) Rounds() []Round {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Round(nil), c.rounds...)
}

// Result returns the raw result of the last round, nil if it has none.
func (c *Call) Result() json.RawMessage {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.rounds) == 0 {
		return nil
	}
	return c.rounds[len(c.rounds)-1].Result
}

// Err returns why the last round got no answer, or nil. It keeps the type where go-sdk hands on only the text.
func (c *Call) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.rounds) == 0 {
		return nil
	}
	return c.rounds[len(c.rounds)-1].Err
}

// Again makes the next request of this call a retry: with the answers to what the server asked, and with its requestState byte for byte as it
// wrote it (MCP 2026-07-28, basic/patterns/mrtr: a client must not change it). nil: none. go-sdk would leave out an empty state and empty
// content, and write both in its own way.
func (c *Call) Again(responses, state json.RawMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.responses, c.state = responses, state
}

// retry returns the params of a request with what Again said, and whether that is anything.
func (c *Call) retry(params []byte) ([]byte, bool) {
	if c == nil {
		return params, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.responses == nil && c.state == nil {
		return params, false
	}
	if c.responses != nil {
		params = withMember(params, "inputResponses", c.responses)
	}
	if c.state != nil {
		params = withMember(params, "requestState", c.state)
	}
	return params, true
}

// OnLife registers a function that is called at each sign of life of this call: progress, a comment on its stream, bytes of
// its answer. It must not block.
func (c *Call) OnLife(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.onLife = f
}

// begin notes that a request of this call leaves. Nothing to note when there is no call.
func (c *Call) begin(r *request) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	r.round = len(c.rounds)
	c.rounds = append(c.rounds, Round{RPCID: string(r.rawID), Sent: r.sent})
}

// end notes the answer to a request of this call.
func (c *Call) end(r *request, result, failure []byte, status int, took time.Duration) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	round := &c.rounds[r.round]
	round.Result, round.Error, round.Status, round.Took = result, failure, status, took
}

// fail notes why no answer to a request of this call will come.
func (c *Call) fail(r *request, err error) {
	if c == nil || r == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rounds[r.round].Err = err
}

// touch notes a sign of life. Nothing to note when there is no call.
func (c *Call) touch(now time.Time) {
	if c == nil {
		return
	}
	c.mu.Lock()
	c.life = now
	f := c.onLife
	c.mu.Unlock()
	if f != nil {
		f()
	}
}

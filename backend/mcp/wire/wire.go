package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Direction of a record, seen from this client.
type Direction string

const (
	Out    Direction = "out"
	In     Direction = "in"
	Stderr Direction = "stderr"
)

// Record is one message as it was on the wire, one piece of noise, or one line of stderr. Raw must not be changed.
type Record struct {
	Time   time.Time
	Dir    Direction
	Raw    []byte
	Noise  bool          // on a message stream, but not a message
	Status int           // HTTP status of the response that carried it, else 0
	Call   *Call         // the call it belongs to, if that is known
	Method string        // of a response: the method it answers
	Took   time.Duration // of a response: since its request left
	HTTP   *Exchange     // the HTTP request that it left with or came back on, nil if there is none
}

// Problem is a deviation that was repaired or refused.
type Problem struct {
	Code, Subject, Message string
	Call                   *Call // if it happened in a call
}

// Observer is told what happens. Every field may be nil. The functions are called without any lock held, from several
// goroutines, and must not block.
type Observer struct {
	Record   func(Record)
	Problem  func(Problem)
	Renewed  func()         // a lost HTTP session was renewed: subscriptions and log level are gone
	Reopened func(gap bool) // a server-to-client stream is back; gap: messages may have been missed
	Away     func(error)    // a stream that was open cannot be opened again: nobody is there. Reopened takes it back
	Life     func()         // any byte from the server
}

// Config of one connection generation.
type Config struct {
	Observer Observer
	Probe    time.Duration     // limit for the answer to server/discover; 0: 5 s
	Grace    time.Duration     // between the steps that end a process; 0: 2 s
	Largest  int64             // message, in bytes; 0: 512 MiB. A server that never ends one would take all memory
	Roots    http.RoundTripper // the innermost transport; nil: a private *http.Transport
}

// Wire is one connection generation. It makes exactly one transport. Safe for concurrent use.
type Wire struct {
	config Config

	mu       sync.Mutex // never held while the observer is called or bytes are written
	requests requests
	asks     asks
	told     map[string]bool // problems outside of a call, told once each
	closers  []func() error
	retries  []func() // of Retry
	closed   bool
	probed   bool
	era      string
	cause    error
	pid      int
}

// New makes a Wire; nothing runs until its transport connects.
func New(config Config) *Wire {
	if config.Probe == 0 {
		config.Probe = 5 * time.Second
	}
	if config.Grace == 0 {
		config.Grace = 2 * time.Second
	}
	if config.Largest == 0 {
		config.Largest = 512 << 20
	}
	return &Wire{config: config, requests: newRequests(), asks: newAsks(), told: map[string]bool{}}
}

// Close ends everything below go-sdk that its own Close did not end: streams, retries, processes. Idempotent.
func (w *Wire) Close() error {
	w.mu.Lock()
	closers := w.closers
	w.closers = nil
	w.closed = true
	w.mu.Unlock()
	var errs []error
	for _, f := range slices.Backward(closers) {
		errs = append(errs, f())
	}
	return errors.Join(errs...)
}

// onClose registers what Close must end. It reports false, and registers nothing, when the Wire is closed already.
func (w *Wire) onClose(f func() error) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return false
	}
	w.closers = append(w.closers, f)
	return true
}

// Retry makes the streams that wait for their next attempt try at once.
func (w *Wire) Retry() {
	w.mu.Lock()
	retries := slices.Clone(w.retries)
	w.mu.Unlock()
	for _, f := range retries {
		f()
	}
}

// Era tells what the probe found: "modern", "legacy", or "" when there was no probe.
func (w *Wire) Era() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.era
}

// Cause is the typed reason of the failure that ended this connection, or nil: *ExitError, *StatusError, *AuthRequired.
// errors.As on the error that go-sdk returned is tried first; Cause is for the errors whose type go-sdk loses.
func (w *Wire) Cause() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.cause
}

// fail keeps the first cause.
func (w *Wire) fail(cause error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cause == nil {
		w.cause = cause
	}
}

// PID of the process, 0 if there is none.
func (w *Wire) PID() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.pid
}

// Ask returns the original params of an elicitation/create or sampling/createMessage behind the key that go-sdk's params hold under
// Meta[AskKey], and the call it belongs to, when that is known.
func (w *Wire) Ask(key string) (params json.RawMessage, call *Call, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	a, ok := w.asks.byKey[key]
	return a.params, a.call, ok
}

// outgoing notes a message that is about to leave and returns the bytes to send. For a request it also returns the entry
// of the pending map, which lives until the answer came, the request was cancelled, or forget was called.
func (w *Wire) outgoing(ctx context.Context, raw []byte) ([]byte, *request) {
	call := CallFrom(ctx)
	now := time.Now()
	var made *request
	// A message of go-sdk always scans; if it did not, it would still be sent and recorded.
	if e, err := Scan(raw); err == nil {
		switch {
		case e.Method == nil:
			raw = w.answered(raw, e)
		case e.ID != nil:
			if params, again := call.retry(e.Params); again {
				e.Params = params
				raw = e.encode()
			}
			made = newRequest(e, call, now)
			call.begin(made)
			w.mu.Lock()
			w.requests.add(made)
			if made.method == "server/discover" {
				w.probed = true
			}
			w.mu.Unlock()
		case string(e.Method) == `"notifications/cancelled"`:
			w.mu.Lock()
			w.requests.cancel(canonical(Get(e.Params, "requestId")))
			w.mu.Unlock()
		}
	}
	w.record(Record{Time: now, Dir: Out, Raw: raw, Call: call, HTTP: exchangeFrom(ctx)})
	return raw, made
}

// forget takes a request out of the pending map: it never left, or its answer is lost.
func (w *Wire) forget(r *request) {
	if r == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.requests.remove(r)
}

// answered restores, in an answer of ours, the id that the server gave its request, and drops the ask it closes.
func (w *Wire) answered(raw []byte, e Envelope) []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	id := canonical(e.ID)
	changed := false
	if w.asks.close(id) && string(Get(e.Result, "action")) == `"accept"` && Get(e.Result, "content") == nil {
		// go-sdk leaves out content without fields, but a form that was accepted has content.
		e.Result, changed = withMember(e.Result, "content", []byte("{}")), true
	}
	if original, ok := w.requests.aliases[id]; ok {
		delete(w.requests.aliases, id)
		e.ID, changed = original, true
	}
	if !changed {
		return raw
	}
	return e.encode()
}

// settle notes what the handshake tells about the era.
func (w *Wire) settle(method string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case method == "server/discover":
		w.era = "modern"
	case method == "initialize" && w.probed:
		w.era = "legacy"
	}
}

func (w *Wire) record(r Record) {
	if f := w.config.Observer.Record; f != nil {
		f(r)
	}
}

// problem tells the observer. Outside of a call each (code, subject) is told once, so that a server which repeats its
// mistake with every message does not flood anybody.
func (w *Wire) problem(p Problem) {
	if p.Call == nil {
		key := p.Code + "\x00" + p.Subject
		w.mu.Lock()
		known := w.told[key] || len(w.told) >= maxTold
		if !known {
			w.told[key] = true
		}
		w.mu.Unlock()
		if known {
			return
		}
	}
	if f := w.config.Observer.Problem; f != nil {
		f(p)
	}
}

// tooLarge names a message that was given up and returns the error of whoever waits for it. head is how it began.
func (w *Wire) tooLarge(subject string, head []byte, call *Call) error {
	err := &TooLargeError{Limit: w.config.Largest}
	if len(head) > 0 {
		w.record(Record{Time: time.Now(), Dir: In, Raw: bytes.Clone(head[:min(len(head), noiseSize)]), Noise: true, Call: call})
	}
	w.problem(Problem{
		Code: "too_large", Subject: subject, Call: call,
		Message: fmt.Sprintf("A message was larger than %d MB and was given up; the activity has its beginning.", w.config.Largest>>20),
	})
	return err
}

// maxTold bounds the memory of problems already told.
const maxTold = 1024

// life tells the observer that bytes came from the server.
func (w *Wire) life() {
	if f := w.config.Observer.Life; f != nil {
		f()
	}
}

// AskKey is the _meta key under which go-sdk's params of what a server asks carry the key for Wire.Ask.
const AskKey = "jackfield/ask"

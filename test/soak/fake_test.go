//go:build soak

package soak

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"jackfield/backend/store"
)

// mode is how a fake server behaves at the moment.
type mode string

const (
	good   mode = "good"
	slow   mode = "slow"   // answers after a while
	hang   mode = "hang"   // takes requests and answers none
	refuse mode = "refuse" // is not there
	drop   mode = "drop"   // its streams, or its whole connection, break again and again
	sick   mode = "sick"   // answers every request with a failure
)

// kinds of fakes. The era and the transport follow from it.
const (
	kindPipe   = "pipe" // in this process, framed like stdio
	kindStdio  = "stdio"
	kindLegacy = "legacy"
	kindModern = "modern"
	kindSSE    = "sse"
)

// fake is a server that knows how it behaves and what it ran. The parts that differ by transport are in controls.
type fake struct {
	id, kind string
	controls controls

	mu       sync.Mutex
	mode     mode
	since    time.Time     // of the mode
	held     int           // somebody is just switching it off and on
	changed  chan struct{} // closed when the mode changes
	tools    int
	runs     map[string]int // executions by the id that the caller put into the arguments
	sessions map[string]bool
	opened   int // sessions ever
	streams  map[*stream]bool
}

// controls is what only a transport can do.
type controls interface {
	apply(m mode) error // make the world fit the mode
	close() error
}

// stream is an open way to the client for what the server says by itself.
type stream struct {
	say chan string
	cut chan struct{}
}

func newFake(id, kind string) *fake {
	return &fake{
		id: id, kind: kind, mode: good, since: time.Now(), changed: make(chan struct{}), tools: 3,
		runs: map[string]int{}, sessions: map[string]bool{}, streams: map[*stream]bool{},
	}
}

// become changes the mode. What hangs is released, and streams are cut where the new mode has none.
func (f *fake) become(m mode) error {
	f.mu.Lock()
	f.mode, f.since = m, time.Now()
	close(f.changed)
	f.changed = make(chan struct{})
	if m == refuse || m == drop {
		f.cutLocked()
	}
	if m == refuse {
		clear(f.sessions)
	}
	f.mu.Unlock()
	return f.controls.apply(m)
}

// hold keeps the checks away until release: somebody is just switching the server off and on.
func (f *fake) hold() {
	f.mu.Lock()
	f.held++
	f.mu.Unlock()
}

func (f *fake) release() {
	f.mu.Lock()
	f.held--
	f.since = time.Now()
	f.mu.Unlock()
}

func (f *fake) now() (m mode, age time.Duration, tools int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.held > 0 {
		return f.mode, 0, f.tools
	}
	return f.mode, time.Since(f.since), f.tools
}

// grow changes what the server offers and says so.
func (f *fake) grow(tools int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.tools, f.since = tools, time.Now()
	for s := range f.streams {
		select {
		case s.say <- `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{}}`:
		default:
		}
	}
}

func (f *fake) attach() *stream {
	s := &stream{say: make(chan string, 16), cut: make(chan struct{})}
	f.mu.Lock()
	f.streams[s] = true
	f.mu.Unlock()
	return s
}

func (f *fake) detach(s *stream) {
	f.mu.Lock()
	delete(f.streams, s)
	f.mu.Unlock()
}

// cutLocked ends every open stream.
func (f *fake) cutLocked() {
	for s := range f.streams {
		close(s.cut)
		delete(f.streams, s)
	}
}

// forget loses every session, as a server does that was started anew.
func (f *fake) forget() {
	f.mu.Lock()
	clear(f.sessions)
	f.since = time.Now()
	f.mu.Unlock()
}

func (f *fake) executions(id string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.runs[id]
}

var errGone = errors.New("the server is gone")

// behave waits as the mode says, and returns an error when the request gets no answer.
func (f *fake) behave(ctx context.Context) error {
	for {
		f.mu.Lock()
		m, changed := f.mode, f.changed
		f.mu.Unlock()
		switch m {
		case hang:
			select {
			case <-changed:
				continue
			case <-ctx.Done():
				return ctx.Err()
			}
		case slow:
			select {
			case <-time.After(100 * time.Millisecond):
			case <-ctx.Done():
				return ctx.Err()
			}
		case refuse:
			return errGone
		case sick:
			return errors.New("an internal fault")
		}
		return nil
	}
}

type request struct {
	ID     json.RawMessage
	Method string
	Params struct {
		Name      string
		Arguments struct{ Once string }
	}
}

// reply runs a request and returns the answer.
func (f *fake) reply(r request) string {
	done := `,"resultType":"complete"`
	if f.kind != kindModern {
		done = ""
	}
	var result string
	switch {
	case r.Method == "initialize" && f.kind != kindModern:
		result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"` + f.id + `","version":"1"}}`
	case r.Method == "server/discover" && f.kind == kindModern:
		result = `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"` + f.id + `","version":"1"}}` + done + `}`
	case r.Method == "ping":
		result = `{}`
	case r.Method == "tools/list":
		f.mu.Lock()
		names := []string{`{"name":"once","inputSchema":{"type":"object"}}`}
		for i := 1; i < f.tools; i++ {
			names = append(names, fmt.Sprintf(`{"name":"extra-%d","inputSchema":{"type":"object"}}`, i))
		}
		f.mu.Unlock()
		result = `{"tools":[` + strings.Join(names, ",") + `]` + done + `}`
	case r.Method == "tools/call":
		f.mu.Lock()
		f.runs[r.Params.Arguments.Once]++
		f.mu.Unlock()
		result = `{"content":[{"type":"text","text":"` + r.Params.Arguments.Once + `"}]` + done + `}`
	default:
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`, r.ID)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, r.ID, result)
}

// serveLines is a server on a pipe, in this process or as a child.
func (f *fake) serveLines(ctx context.Context, in io.Reader, out io.Writer) error {
	s := f.attach()
	defer f.detach(s)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	requests, broken := make(chan request), make(chan error, 1)
	go func() {
		lines := bufio.NewReader(in)
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				broken <- err
				return
			}
			var r request
			if json.Unmarshal(line, &r) != nil || r.ID == nil || r.Method == "" {
				continue
			}
			select {
			case requests <- r:
			case <-ctx.Done():
				return
			}
		}
	}()
	for {
		select {
		case r := <-requests:
			err := f.behave(ctx)
			answer := f.refusal(r)
			switch {
			case errors.Is(err, errGone) || ctx.Err() != nil:
				return err
			case err == nil:
				answer = f.reply(r)
			}
			if _, err := fmt.Fprintln(out, answer); err != nil {
				return nil // the client has gone
			}
		case m := <-s.say:
			if _, err := fmt.Fprintln(out, m); err != nil {
				return nil
			}
		case <-s.cut:
			return errGone
		case <-broken:
			return nil
		case <-ctx.Done():
			return nil
		}
	}
}

// refusal is the answer of a sick server.
func (f *fake) refusal(r request) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"sick"}}`, r.ID)
}

// entry is how the Manager reaches the fake.
func (f *fake) entry() store.Server {
	s := store.Server{
		ID: f.id, Name: f.id, Enabled: true,
		Retry:    store.Retry{MaxAttempts: -1, BaseDelay: 50 * time.Millisecond, MaxDelay: time.Second},
		Timeouts: store.Timeouts{Connect: 5 * time.Second, Discovery: 20 * time.Second, CallIdle: 2 * time.Second, CallTotal: callTotal},
	}
	switch f.kind {
	case kindPipe:
		s.Transport = store.TransportBuiltin
	case kindLegacy, kindModern:
		s.Transport = store.TransportStreamableHTTP
	case kindSSE:
		s.Transport = store.TransportSSE
	}
	return s
}

const callTotal = 5 * time.Second

//go:build soak

package soak

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"jackfield/backend/mcp"
	"jackfield/backend/store"
)

// settled is how long a server has to behave in one way before its state must say so: longer than any limit and back-off of the entry,
// and than a busy machine needs.
const settled = 20 * time.Second

// troupe is the Manager and the servers that flap under it.
type troupe struct {
	t       *testing.T
	m       *mcp.Manager
	fakes   []*fake
	dir     string
	calls   atomic.Int64
	done    atomic.Int64
	checked atomic.Int64
	flips   atomic.Int64

	refreshes sync.WaitGroup
}

// assemble makes 200 servers of every kind, all good and all ready.
func assemble(t *testing.T) *troupe {
	t.Helper()
	tr := &troupe{t: t, dir: t.TempDir()}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	builtin := map[string]mcp.Serve{}
	var entries []store.Server
	for _, kind := range []struct {
		name  string
		count int
	}{{kindPipe, 40}, {kindStdio, 10}, {kindLegacy, 50}, {kindModern, 50}, {kindSSE, 50}} {
		for i := range kind.count {
			f := newFake(fmt.Sprintf("%s-%d", kind.name, i), kind.name)
			entry := f.entry()
			switch kind.name {
			case kindPipe:
				p := &piped{f}
				f.controls = p
				builtin[f.id] = p.serve
			case kindStdio:
				c, err := newChild(f, tr.dir, func() *mcp.Manager { return tr.m })
				if err != nil {
					t.Fatal(err)
				}
				f.controls = c
				entry.Transport, entry.Command = store.TransportStdio, self
				entry.Env = []store.Variable{{Name: role, Value: "stdio"}, {Name: modeFile, Value: c.file}}
			default:
				w, err := newWeb(f, len(tr.fakes))
				if err != nil {
					t.Fatal(err)
				}
				f.controls = w
				entry.URL = w.url()
			}
			tr.fakes = append(tr.fakes, f)
			entries = append(entries, entry)
		}
	}
	s, err := store.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	tr.m = mcp.New(mcp.Options{Store: s, Client: mcp.Implementation{Name: "soak", Version: "1"}, Builtin: builtin, TraceBytes: 4 << 20})
	for _, entry := range entries {
		if err := s.PutServer(t.Context(), entry); err != nil {
			t.Fatal(err)
		}
	}
	if err := tr.m.Start(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return tr
}

// allReady waits until every server is ready.
func (tr *troupe) allReady(within time.Duration) {
	tr.t.Helper()
	var late []string
	for deadline := time.Now().Add(within); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		late = late[:0]
		for _, s := range tr.m.Snapshot().Servers {
			if s.State == mcp.StateConnected && s.Failure != nil {
				tr.discover(s.Server.ID)
			}
			if s.State != mcp.StateReady {
				late = append(late, fmt.Sprintf("%s: %s (%s)", s.Server.ID, s.State, s.Detail))
			}
		}
		if len(late) == 0 {
			return
		}
	}
	tr.t.Fatalf("%d servers are not ready:\n%s", len(late), strings.Join(late, "\n"))
}

// discover loads a catalog again whose loading has failed.
func (tr *troupe) discover(id string) {
	tr.refreshes.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 25*time.Second)
		defer cancel()
		_ = tr.m.Connect(ctx, id) // the server may be gone again
	})
}

func (tr *troupe) each(f func(*fake) error) {
	tr.t.Helper()
	for _, one := range tr.fakes {
		if err := f(one); err != nil {
			tr.t.Errorf("%s: %v", one.id, err)
		}
	}
}

// call calls a server, whatever it does at the moment, and checks the outcome against what the server knows.
func (tr *troupe) call(ctx context.Context, f *fake, n int64) {
	once := fmt.Sprintf("%s/%d", f.id, n)
	begun := time.Now()
	call, err := tr.m.Call(ctx, mcp.CallRequest{
		ServerID: f.id, Kind: store.KindTool, Name: "once", Arguments: json.RawMessage(fmt.Sprintf(`{"once":%q}`, once)),
	})
	took := time.Since(begun)
	tr.calls.Add(1)
	// Connecting first takes up to 3 s, the call up to callTotal; the rest is for a busy machine.
	if took > callTotal+15*time.Second {
		tr.t.Errorf("call %s ended after %s: %s %v", once, took, call.Outcome, err)
	}
	runs := f.executions(once)
	switch {
	case call.Outcome == store.OutcomeRunning, err != nil && call.Failure == nil && !errors.Is(err, mcp.ErrUnknownServer):
		tr.t.Errorf("call %s has no outcome: %+v, %v", once, call, err)
	case runs > 1:
		tr.t.Errorf("call %s ran %d times", once, runs)
	case call.Outcome == store.OutcomeDone && (runs != 1 && f.kind != kindStdio || !strings.Contains(string(call.Result), once)):
		tr.t.Errorf("call %s is done, ran %d times, and returned %s", once, runs, call.Result)
	}
	if call.Outcome == store.OutcomeDone {
		tr.done.Add(1)
	}
}

// check compares what the Manager shows with what the servers know.
func (tr *troupe) check() {
	before := map[string]mode{}
	tools := map[string]int{}
	for _, f := range tr.fakes {
		if m, age, n := f.now(); age > settled {
			before[f.id], tools[f.id] = m, n
		}
	}
	rows := map[string]mcp.Status{}
	for _, s := range tr.m.Snapshot().Servers {
		rows[s.Server.ID] = s
	}
	for _, f := range tr.fakes {
		m, ok := before[f.id]
		if now, age, _ := f.now(); !ok || now != m || age < settled {
			continue // it changed meanwhile
		}
		tr.checked.Add(1)
		s := rows[f.id]
		live := s.State == mcp.StateReady || s.State == mcp.StateConnected || s.State == mcp.StateDiscovering
		wrong := false
		switch m {
		case good, slow:
			if s.State == mcp.StateConnected && s.Failure != nil {
				// Its catalog did not come while it hung. That is the truth, and a person would try again.
				tr.discover(f.id)
				continue
			}
			// A stream that dropped at once again and again is tried every 30 s only; what changed meanwhile is fetched then.
			_, age, _ := f.now()
			wrong = s.State != mcp.StateReady || s.Counts.Tools != tools[f.id] && age > 40*time.Second || s.Detail != "Ready"
		case refuse:
			wrong = live || s.PID != 0
		case drop:
			// A stream that drops is no reason to give up a session; where it is the whole connection, there is none for long.
			if s.State == mcp.StateConnected && s.Failure != nil {
				tr.discover(f.id)
				continue
			}
			wrong = (f.kind == kindLegacy || f.kind == kindModern) && s.State != mcp.StateReady
		}
		if wrong {
			_, age, n := f.now()
			last := "none"
			if s.Failure != nil {
				last = s.Failure.Message
			}
			tr.t.Errorf("%s has been %s for %s (with %d tools), but its row says %s: %s (%d tools, pid %d, generation %d, last error %s)\n%s",
				f.id, m, age.Round(time.Second), n, s.State, s.Detail, s.Counts.Tools, s.PID, s.Generation, last, tr.trace(f.id))
		}
	}
}

// trace is what crossed the wire of a server lately.
func (tr *troupe) trace(id string) string {
	var text strings.Builder
	for _, m := range tr.m.Trace(mcp.TraceFilter{ServerID: id, Limit: 30}) {
		fmt.Fprintf(&text, "%s %s %s %s %s HTTP %d\n", m.Time.Format("15:04:05.000"), m.Dir, m.Kind, m.Method, m.Summary, m.HTTP)
	}
	return text.String()
}

// flip changes how one server behaves.
func (tr *troupe) flip(ctx context.Context, random *rand.Rand) {
	f := tr.fakes[random.IntN(len(tr.fakes))]
	var err error
	tr.flips.Add(1)
	switch random.IntN(10) {
	case 0:
		f.forget()
	case 1:
		n := 1 + random.IntN(9)
		if c, ok := f.controls.(*child); ok {
			err = c.growTo(n)
		} else {
			f.grow(n)
		}
	case 2:
		f.hold()
		defer f.release()
		// Not with the context of the flapping: what was begun is finished, or the server would stay disabled.
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		err = tr.m.Disconnect(ctx, f.id)
		if err == nil {
			patience, end := context.WithTimeout(ctx, time.Second)
			_ = tr.m.Connect(patience, f.id) // it may be refused, or hang
			end()
			err = tr.m.SetEnabled(ctx, f.id, false)
		}
		if err == nil {
			err = tr.m.SetEnabled(ctx, f.id, true)
		}
	default:
		modes := []mode{good, good, slow, hang, refuse, refuse, drop, sick}
		err = f.become(modes[random.IntN(len(modes))])
	}
	if err != nil && ctx.Err() == nil {
		tr.t.Errorf("%s: %v", f.id, err)
	}
}

func TestTwoHundredFlappingServers(t *testing.T) {
	random := chance(t)
	tr := assemble(t)
	tr.allReady(60 * time.Second)

	// Warm up: pools, caches and the trace are full, and everything has come and gone once.
	ctx := context.Background()
	tr.each(func(f *fake) error { return f.become(refuse) })
	tr.each(func(f *fake) error { return f.become(good) })
	tr.allReady(90 * time.Second)
	var number atomic.Int64
	for _, f := range tr.fakes {
		for range 5 {
			tr.call(ctx, f, number.Add(1)) // one after the other, or the pools of the HTTP clients would hide a leak
		}
	}
	before := measure(t)
	t.Logf("warmed up: %s", before)

	// Flap.
	flapping, stop := context.WithTimeout(ctx, duration())
	defer stop()
	var work sync.WaitGroup
	for range 6 {
		choices := rand.New(rand.NewPCG(random.Uint64(), 2))
		work.Go(func() {
			for flapping.Err() == nil {
				tr.call(ctx, tr.fakes[choices.IntN(len(tr.fakes))], number.Add(1))
			}
		})
	}
	for range 2 {
		choices := rand.New(rand.NewPCG(random.Uint64(), 3))
		work.Go(func() {
			for flapping.Err() == nil {
				tr.flip(flapping, choices)
				// On average each server changes about every 25 s, so that many stay as they are until it counts.
				select {
				case <-time.After(time.Duration(choices.Int64N(int64(500 * time.Millisecond)))):
				case <-flapping.Done():
				}
			}
		})
	}
	for flapping.Err() == nil && !t.Failed() {
		tr.check()
		select {
		case <-time.After(2 * time.Second):
		case <-flapping.Done():
		}
	}
	stop()
	work.Wait()
	tr.refreshes.Wait()

	// Heal, and compare.
	tr.each(func(f *fake) error { return f.become(good) })
	tr.allReady(90 * time.Second)
	t.Logf("%d flips, %d calls, %d of them done, %d states compared", tr.flips.Load(), tr.calls.Load(), tr.done.Load(), tr.checked.Load())
	if tr.checked.Load() == 0 || tr.done.Load() == 0 {
		t.Error("nothing was compared")
	}
	backAt(t, before)

	closing, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	if err := tr.m.Close(closing); err != nil {
		t.Errorf("closing: %v", err)
	}
	tr.each(func(f *fake) error { return f.controls.close() })
	if left := childrenWith(tr.dir); len(left) > 0 {
		t.Errorf("processes %v are left", left)
	}
	// The store closes after this test's Cleanup; its goroutines are not the Manager's.
	nothingRuns(t)
}

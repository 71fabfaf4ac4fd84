package app

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"jackfield/app/api"
	"jackfield/backend/mcp"
	"jackfield/backend/store"
)

// feed is a source whose events the test makes.
type feed struct {
	mu       sync.Mutex
	snapshot mcp.Snapshot
	channels []chan mcp.Event
}

func (f *feed) Snapshot() mcp.Snapshot {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.snapshot
}

func (f *feed) Subscribe() (<-chan mcp.Event, func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	channel := make(chan mcp.Event, 1<<16)
	f.channels = append(f.channels, channel)
	return channel, func() {}
}

func (f *feed) send(events ...mcp.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, event := range events {
		f.snapshot.Seq = event.Seq
		for _, channel := range f.channels {
			channel <- event
		}
	}
}

func server(seq uint64, id string) mcp.Event {
	return mcp.Event{Seq: seq, Type: mcp.EventServer, ServerID: id, Server: &mcp.Status{Server: store.Server{ID: id}}}
}

func trace(seq uint64) mcp.Event {
	return mcp.Event{Seq: seq, Type: mcp.EventTrace, Message: &mcp.Message{N: seq}}
}

func callEvent(seq uint64, id string, outcome store.Outcome) mcp.Event {
	return mcp.Event{Seq: seq, Type: mcp.EventCall, Call: &mcp.Call{Call: store.Call{ID: id, Outcome: outcome}}}
}

func seqs(events []mcp.Event) []uint64 {
	var out []uint64
	for _, event := range events {
		out = append(out, event.Seq)
	}
	return out
}

func TestMerge(t *testing.T) {
	askOpen := mcp.Event{Seq: 7, Type: mcp.EventAsk, Ask: &mcp.Ask{ID: "a"}}
	askClosed := mcp.Event{Seq: 8, Type: mcp.EventAsk, Ask: &mcp.Ask{ID: "a", Closed: true}}
	retry := mcp.Event{Seq: 9, Type: mcp.EventRetry, ServerID: "x"}
	for _, test := range []struct {
		name string
		in   []mcp.Event
		want []uint64
	}{
		{"nothing", nil, nil},
		{"the last row of each server", []mcp.Event{server(1, "x"), server(2, "y"), server(3, "x")}, []uint64{2, 3}},
		{"the end of a call replaces its progress", []mcp.Event{callEvent(1, "c", store.OutcomeRunning), callEvent(2, "d", store.OutcomeRunning), callEvent(3, "c", store.OutcomeDone)}, []uint64{2, 3}},
		{"the last word on an ask", []mcp.Event{askOpen, askClosed}, []uint64{8}},
		{"observers' events all stay", []mcp.Event{retry, {Seq: 10, Type: mcp.EventRetry, ServerID: "x"}}, []uint64{9, 10}},
		{"different kinds do not replace each other", []mcp.Event{server(1, "x"), {Seq: 2, Type: mcp.EventCatalog, ServerID: "x"}}, []uint64{1, 2}},
		{"a row without content stays", []mcp.Event{{Seq: 1, Type: mcp.EventCall}, {Seq: 2, Type: mcp.EventCall}}, []uint64{1, 2}},
	} {
		out, replaced := merge(test.in)
		if got := seqs(out); !slices.Equal(got, test.want) || replaced != len(test.in)-len(test.want) {
			t.Errorf("%s: got %v and %d replaced, want %v", test.name, got, replaced, test.want)
		}
	}
	var flood []mcp.Event
	flood = append(flood, server(1, "x"))
	for i := range uint64(1000) {
		flood = append(flood, trace(i+2))
	}
	got, replaced := merge(flood)
	if replaced != 0 || len(got) != maxLossy+1 || got[0].Seq != 1 || got[len(got)-1].Seq != 1001 {
		t.Errorf("a flood gave %d events, from %d to %d", len(got), got[0].Seq, got[len(got)-1].Seq)
	}
}

// batches runs a stream and collects what it emits.
func batches(t *testing.T, f *feed) (s *stream, read func() []api.Batch) {
	t.Helper()
	var mu sync.Mutex
	var got []api.Batch
	s = newStream(f, func(batch api.Batch) {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, batch)
	})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); s.run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	synctest.Wait()
	return s, func() []api.Batch {
		mu.Lock()
		defer mu.Unlock()
		out := got
		got = nil
		return out
	}
}

func TestNothingIsSentBeforeThePageListens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &feed{}
		s, read := batches(t, f)
		f.send(server(1, "x"), server(2, "y"))
		time.Sleep(time.Second)
		if got := read(); got != nil {
			t.Fatalf("got %+v", got)
		}
		if got := s.resync().Seq; got != 2 {
			t.Fatalf("snapshot of %d", got)
		}
		f.send(server(3, "x"))
		time.Sleep(time.Second)
		got := read()
		if len(got) != 1 || len(got[0].Events) != 1 || got[0].Events[0].Seq != "3" || got[0].Dropped != 0 {
			t.Errorf("got %+v", got)
		}
	})
}

func TestOneBatchPerFrame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &feed{}
		s, read := batches(t, f)
		s.resync()
		time.Sleep(time.Second)
		seq := uint64(0)
		for range 100 { // an event every millisecond
			seq++
			f.send(server(seq, fmt.Sprint(seq)))
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Second)
		got := read()
		if len(got) > 8 {
			t.Errorf("%d batches in 100 ms", len(got))
		}
		checkSeq(t, got, 0, seq)
	})
}

// Every number between two batches is either an event or counted, so a page never mistakes a full frame for a loss.
func checkSeq(t *testing.T, got []api.Batch, from, to uint64) {
	t.Helper()
	last := from
	for _, batch := range got {
		newest, err := strconv.ParseUint(batch.Events[len(batch.Events)-1].Seq, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		if newest-last != uint64(len(batch.Events)+batch.Dropped+batch.Merged) {
			t.Errorf("from %d to %d: %d events, %d dropped, %d merged", last, newest, len(batch.Events), batch.Dropped, batch.Merged)
		}
		last = newest
	}
	if last != to {
		t.Errorf("the last event is %d, want %d", last, to)
	}
}

// The page tells the person about lines that were left out, not about rows that were replaced.
func TestReplacedRowsAreNotCalledDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &feed{}
		s, read := batches(t, f)
		s.resync()
		f.send(server(1, "x"), server(2, "x"), trace(4), server(5, "x"))
		time.Sleep(time.Second)
		got := read()
		if len(got) != 1 || got[0].Merged != 2 || got[0].Dropped != 1 || len(got[0].Events) != 2 {
			t.Errorf("got %+v", got)
		}
	})
}

func TestFloodIsBoundedAndCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &feed{}
		s, read := batches(t, f)
		s.resync()
		f.send(callEvent(1, "c", store.OutcomeDone))
		for i := range uint64(50_000) {
			if i%7 != 0 { // the Manager itself leaves some out
				f.send(trace(i + 2))
			}
		}
		f.send(server(50_002, "x"))
		time.Sleep(time.Second)
		got := read()
		checkSeq(t, got, 0, 50_002)
		count, terminal := 0, false
		for _, batch := range got {
			count += len(batch.Events)
			for _, event := range batch.Events {
				terminal = terminal || event.Call != nil
			}
		}
		if count > 2*maxLossy || !terminal {
			t.Errorf("%d events, the end of the call arrived: %v", count, terminal)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if len(s.pending) != 0 {
			t.Errorf("%d events are left", len(s.pending))
		}
	})
}

func TestSnapshotReplacesWhatIsPending(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &feed{}
		s, read := batches(t, f)
		s.resync()
		f.send(server(1, "x"))
		synctest.Wait()
		s.resync() // the page reloaded: its snapshot has event 1
		f.send(server(2, "y"))
		time.Sleep(time.Second)
		got := read()
		if len(got) != 1 || len(got[0].Events) != 1 || got[0].Events[0].Seq != "2" || got[0].Dropped != 0 {
			t.Errorf("got %+v", got)
		}
	})
}

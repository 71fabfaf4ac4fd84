package app

import (
	"context"
	"sync"
	"time"

	"jackfield/app/api"
	"jackfield/backend/mcp"
)

const (
	frame = 16 * time.Millisecond
	// first is the wait after a snapshot, so that its answer reaches the page before the first batch.
	first = 50 * time.Millisecond
	// maxLossy is how many trace and log lines one batch carries: more than anyone reads in a frame, few enough to draw.
	maxLossy = 256
)

// source is what the stream needs of the Manager.
type source interface {
	Snapshot() mcp.Snapshot
	Subscribe() (events <-chan mcp.Event, cancel func())
}

// stream carries the Manager's events to the page: at most one batch per frame, nothing before the page listens. One goroutine,
// run, owns the subscription and the timer; the fields are guarded by mu.
type stream struct {
	source source
	emit   func(api.Batch)

	mu      sync.Mutex
	ready   bool
	last    uint64 // every event up to here was sent, counted, or is part of the page's snapshot
	pending []mcp.Event
	merged  int // rows of pending that a later one replaced
	wait    time.Duration
	link    *api.Link // came before the page was there
}

func newStream(s source, emit func(api.Batch)) *stream { return &stream{source: s, emit: emit} }

// resync takes a snapshot for the page; the events after it follow.
func (s *stream) resync() mcp.Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	snapshot := s.source.Snapshot()
	s.ready, s.last, s.wait = true, max(s.last, snapshot.Seq), first
	s.pending, s.merged = after(s.pending, s.last), 0
	return snapshot
}

// propose hands a link to the page: now if it listens, else with its first snapshot. Of several the newest counts, which is the one
// that the person opened last.
func (s *stream) propose(link api.Link) {
	s.mu.Lock()
	ready := s.ready
	if !ready {
		s.link = &link
	}
	s.mu.Unlock()
	if ready {
		s.emit(api.Batch{Events: []api.Event{}, Link: &link})
	}
}

// takeLink returns the link that waits for the page, once.
func (s *stream) takeLink() *api.Link {
	s.mu.Lock()
	defer s.mu.Unlock()
	link := s.link
	s.link = nil
	return link
}

// vault tells the page that the vault has changed. A page that does not listen yet has it in its snapshot.
func (s *stream) vault(v api.Vault) {
	s.mu.Lock()
	ready := s.ready
	s.mu.Unlock()
	if ready {
		s.emit(api.Batch{Events: []api.Event{}, Vault: &v})
	}
}

func after(events []mcp.Event, seq uint64) []mcp.Event {
	for i, event := range events {
		if event.Seq > seq {
			return events[i:]
		}
	}
	return nil
}

// run delivers events until ctx ends or the Manager closes.
func (s *stream) run(ctx context.Context) {
	events, cancel := s.source.Subscribe()
	defer cancel()
	var timer <-chan time.Time
	for {
		select {
		case event, ok := <-events:
			if !ok {
				s.flush()
				return
			}
			if wait := s.add(event); wait > 0 && timer == nil {
				timer = time.After(wait)
			}
		case <-timer:
			timer = nil
			s.flush()
		case <-ctx.Done():
			return
		}
	}
}

// add keeps an event for the next batch and says how long that may wait; 0 if the page does not listen yet.
func (s *stream) add(event mcp.Event) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ready || event.Seq <= s.last {
		return 0 // the page's snapshot has it, or will
	}
	s.pending = append(s.pending, event)
	if len(s.pending) >= 4*maxLossy {
		// Between two frames a flood must not grow without bound. What merge leaves out is counted by seq.
		s.mergePending()
	}
	wait := max(s.wait, frame)
	s.wait = 0
	return wait
}

func (s *stream) flush() {
	s.mu.Lock()
	s.mergePending()
	events, merged := s.pending, s.merged
	s.pending, s.merged = nil, 0
	if len(events) == 0 {
		s.mu.Unlock()
		return
	}
	newest := events[len(events)-1].Seq
	// Seq rises by one per event, so whatever is neither in the batch nor merged was left out, here or by the Manager.
	dropped := max(0, int(newest-s.last)-len(events)-merged)
	s.last = newest
	s.mu.Unlock()
	s.emit(api.Batch{Events: api.Each(events, api.EventOf), Dropped: dropped, Merged: merged})
}

func (s *stream) mergePending() {
	events, replaced := merge(s.pending)
	s.pending, s.merged = events, s.merged+replaced
}

// merge leaves out rows that a later event of the same batch replaces, and all but the newest trace and log lines. The newest
// event always stays.
func merge(events []mcp.Event) (out []mcp.Event, replaced int) {
	type key struct {
		kind mcp.EventType
		id   string
	}
	seen := map[key]bool{}
	lossy := 0
	keep := make([]bool, len(events))
	kept := 0
	for i := len(events) - 1; i >= 0; i-- {
		event := events[i]
		k := key{kind: event.Type}
		keep[i] = true
		switch event.Type {
		case mcp.EventServer, mcp.EventCatalog:
			k.id = event.ServerID
		case mcp.EventCall:
			if event.Call != nil {
				k.id = event.Call.ID
			}
		case mcp.EventAsk:
			if event.Ask != nil {
				k.id = event.Ask.ID
			}
		case mcp.EventUpdated:
			k.id = event.ServerID + " " + event.URI
		case mcp.EventTrace, mcp.EventLog:
			lossy++
			keep[i] = lossy <= maxLossy
		}
		if k.id != "" {
			keep[i] = !seen[k]
			if seen[k] {
				replaced++
			}
			seen[k] = true
		}
		if keep[i] {
			kept++
		}
	}
	out = make([]mcp.Event, 0, kept)
	for i, event := range events {
		if keep[i] {
			out = append(out, event)
		}
	}
	return out, replaced
}

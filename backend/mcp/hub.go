package mcp

import (
	"slices"
	"sync"
)

// queueLimit is how many undelivered events a listener may have before the dispensable ones are left out.
const queueLimit = 1024

// hub numbers events and hands them to the listeners. Publishing never blocks: each listener has a queue and a goroutine
// of its own. Its mutex is a leaf: it may be taken with Manager.mu held, never the other way round.
type hub struct {
	mu        sync.Mutex
	seq       uint64
	closed    bool
	listeners map[*listener]struct{}
}

// listener is one subscription. Its queue is guarded by hub.mu.
type listener struct {
	queue  []Event
	missed uint64        // dropped since the last queued event
	wake   chan struct{} // capacity 1
	quit   chan struct{}
	done   chan struct{}
}

// publish gives the event its number and queues it for every listener.
func (h *hub) publish(event Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.seq++
	event.Seq = h.seq
	for l := range h.listeners {
		l.push(event)
		select {
		case l.wake <- struct{}{}:
		default:
		}
	}
}

// last is the number of the newest event.
func (h *hub) last() uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.seq
}

// push queues the event, or counts it as dropped. hub.mu must be held.
func (l *listener) push(event Event) {
	if len(l.queue) >= queueLimit {
		if lossy(event) {
			l.missed++
			return
		}
		// A whole row makes an older row of the same thing worthless; leaving that out keeps the queue bounded by the
		// number of servers and of things that must arrive.
		if i := slices.IndexFunc(l.queue, func(old Event) bool { return lossy(old) || supersedes(event, old) }); i >= 0 {
			left := 1 + l.queue[i].Dropped
			l.queue = slices.Delete(l.queue, i, i+1)
			if i < len(l.queue) {
				l.queue[i].Dropped += left
			} else {
				l.missed += left
			}
		}
	}
	event.Dropped = l.missed
	l.missed = 0
	l.queue = append(l.queue, event)
}

// lossy says whether a listener that lags behind may miss the event.
func lossy(event Event) bool {
	switch event.Type {
	case EventTrace, EventLog:
		return true
	case EventCall:
		return event.Call != nil && event.Call.Progress != nil && running(*event.Call)
	}
	return false
}

// supersedes says whether the newer event makes the older one of no use.
func supersedes(newer, older Event) bool {
	return newer.ServerID == older.ServerID && newer.Type == older.Type && (newer.Type == EventServer || newer.Type == EventCatalog)
}

// subscribe adds a listener. Its channel closes after cancel and when the hub closes.
func (h *hub) subscribe() (<-chan Event, func()) {
	out := make(chan Event)
	l := &listener{wake: make(chan struct{}, 1), quit: make(chan struct{}), done: make(chan struct{})}
	h.mu.Lock()
	if h.closed {
		h.mu.Unlock()
		close(out)
		return out, func() {}
	}
	if h.listeners == nil {
		h.listeners = map[*listener]struct{}{}
	}
	h.listeners[l] = struct{}{}
	h.mu.Unlock()
	go h.deliver(l, out)
	return out, sync.OnceFunc(func() {
		h.mu.Lock()
		_, open := h.listeners[l]
		delete(h.listeners, l)
		h.mu.Unlock()
		if open {
			close(l.quit)
		}
		<-l.done
	})
}

// deliver moves events from the queue to the channel until the listener is cancelled or the hub closed.
func (h *hub) deliver(l *listener, out chan<- Event) {
	defer close(l.done)
	defer close(out)
	for {
		h.mu.Lock()
		batch := l.queue
		l.queue = nil
		h.mu.Unlock()
		for _, event := range batch {
			select {
			case out <- event:
			case <-l.quit:
				return
			}
		}
		if len(batch) > 0 {
			continue
		}
		select {
		case <-l.wake:
		case <-l.quit:
			return
		}
	}
}

// close ends every subscription and waits for their goroutines.
func (h *hub) close() {
	h.mu.Lock()
	listeners := h.listeners
	h.listeners = nil
	h.closed = true
	h.mu.Unlock()
	for l := range listeners {
		close(l.quit)
	}
	for l := range listeners {
		<-l.done
	}
}

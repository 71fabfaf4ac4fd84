package mcp

import (
	"context"
	"sync"
	"time"
)

// watchdog ends a call that shows no sign of life for the idle limit, or takes longer than the total limit. While a person
// is being asked, neither runs: an answer may take as long as it takes.
type watchdog struct {
	clock Clock
	idle  time.Duration
	total time.Duration
	poke  chan struct{} // capacity 1: something changed that makes the next check earlier

	mu     sync.Mutex
	life   time.Time // last sign of life
	end    time.Time // of the total limit
	paused time.Time // since when a person is asked; zero if nobody is
	asks   int
}

func newWatchdog(clock Clock, idle, total time.Duration) *watchdog {
	now := clock.Now()
	return &watchdog{clock: clock, idle: idle, total: total, poke: make(chan struct{}, 1), life: now, end: now.Add(total)}
}

// alive notes a sign of life. It never blocks.
func (w *watchdog) alive() {
	now := w.clock.Now()
	w.mu.Lock()
	w.life = now
	w.mu.Unlock()
}

// pause stops both limits until as many resumes have come.
func (w *watchdog) pause() {
	w.mu.Lock()
	if w.asks == 0 {
		w.paused = w.clock.Now()
	}
	w.asks++
	w.mu.Unlock()
}

func (w *watchdog) resume() {
	w.mu.Lock()
	w.asks--
	if w.asks == 0 {
		now := w.clock.Now()
		w.end = w.end.Add(now.Sub(w.paused))
		w.life, w.paused = now, time.Time{}
	}
	w.mu.Unlock()
	select {
	case w.poke <- struct{}{}:
	default:
	}
}

// limits says when the call ends unless something happens; zero times while a person is asked.
func (w *watchdog) limits() (idle, total time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.asks > 0 {
		return time.Time{}, time.Time{}
	}
	return w.life.Add(w.idle), w.end
}

// run cancels with the limit that was reached, or returns when ctx ends.
func (w *watchdog) run(ctx context.Context, cancel context.CancelCauseFunc) {
	for {
		var wait <-chan time.Time
		if idle, total := w.limits(); !idle.IsZero() {
			now := w.clock.Now()
			switch {
			case !now.Before(total):
				cancel(errTotalLimit)
				return
			case !now.Before(idle):
				cancel(errIdleLimit)
				return
			}
			wait = w.clock.After(min(idle.Sub(now), total.Sub(now)))
		}
		select {
		case <-wait:
		case <-w.poke:
		case <-ctx.Done():
			return
		}
	}
}

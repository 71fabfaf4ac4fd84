package mcp

import (
	"context"
	"errors"
	"sync"
	"time"

	"jackfield/backend/store"
)

// gather is how long rows of calls may wait for each other. A quick call's beginning and end become one write, and the calls of a
// burst one transaction; what a crash within that time loses is a row of a call that began within it.
const gather = 25 * time.Millisecond

// writer keeps the store off everybody's path: it does the writes in order in one goroutine.
type writer struct {
	put    func(context.Context, ...store.Call) error
	failed func(error) // is told a failure that nobody waits for, and nil when writing works again
	broken bool        // a failure was told; belongs to the goroutine

	mu     sync.Mutex
	jobs   []*job
	rows   map[string]*job // the queued row of a call, by its id
	closed bool

	wake  chan struct{} // capacity 1: something is queued
	hurry chan struct{} // capacity 1: somebody waits for it
	done  chan struct{}
}

// job is one write: of a call's row, or any other.
type job struct {
	call  *store.Call
	write func(context.Context) error
	done  chan<- error // nil if nobody waits
}

func newWriter(put func(context.Context, ...store.Call) error, failed func(error)) *writer {
	w := &writer{
		put: put, failed: failed, rows: map[string]*job{},
		wake: make(chan struct{}, 1), hurry: make(chan struct{}, 1), done: make(chan struct{}),
	}
	go w.run()
	return w
}

// call queues a call's row, in place of an older one that still waits.
func (w *writer) call(row store.Call) {
	w.mu.Lock()
	if old := w.rows[row.ID]; old != nil {
		old.call = &row
		w.mu.Unlock()
		return
	}
	w.mu.Unlock()
	w.add(&job{call: &row})
}

// later queues a write that nobody waits for; a failure is reported to the failed function.
func (w *writer) later(write func(context.Context) error) { w.add(&job{write: write}) }

// now queues a write and waits for it, or until ctx ends. Everything queued before it is done then, too.
func (w *writer) now(ctx context.Context, write func(context.Context) error) error {
	done := make(chan error, 1)
	if !w.add(&job{write: write, done: done}) {
		return ErrClosed
	}
	signal(w.hurry)
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// flush waits until everything queued so far is written.
func (w *writer) flush(ctx context.Context) error {
	return w.now(ctx, func(context.Context) error { return nil })
}

func (w *writer) add(j *job) bool {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return false
	}
	w.jobs = append(w.jobs, j)
	if j.call != nil {
		w.rows[j.call.ID] = j
	}
	w.mu.Unlock()
	signal(w.wake)
	return true
}

// close lets the queue drain and waits for it.
func (w *writer) close() {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	signal(w.wake)
	signal(w.hurry)
	<-w.done
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// take empties the queue. Its rows are the writer's own from then on.
func (w *writer) take() (jobs []*job, closed bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	jobs, w.jobs = w.jobs, nil
	clear(w.rows)
	return jobs, w.closed
}

func (w *writer) run() {
	defer close(w.done)
	for {
		jobs, closed := w.take()
		if len(jobs) > 0 {
			w.write(jobs)
			continue
		}
		if closed {
			return
		}
		<-w.wake
		select {
		case <-w.hurry:
		case <-time.After(gather):
		}
	}
}

// write does jobs in order; calls that follow each other are one transaction.
func (w *writer) write(jobs []*job) {
	// A write that has begun is finished also while the program ends: half a history is worse than a late exit.
	ctx := context.Background()
	var calls []store.Call
	put := func() {
		if len(calls) == 0 {
			return
		}
		w.tell(w.put(ctx, calls...))
		calls = calls[:0]
	}
	for _, j := range jobs {
		if j.call != nil {
			calls = append(calls, *j.call)
			continue
		}
		put()
		switch err := j.write(ctx); {
		case j.done != nil:
			j.done <- err
		default:
			w.tell(err)
		}
	}
	put()
}

// tell hands on how a write went. That a server was removed before its last call was stored is no failure.
func (w *writer) tell(err error) {
	switch {
	case errors.Is(err, store.ErrNotFound):
	case err != nil:
		w.broken = true
		w.failed(err)
	case w.broken:
		w.broken = false
		w.failed(nil)
	}
}

package mcp

import (
	"context"
	"sync"

	"jackfield/backend/store"
)

// writer keeps the store off everybody's path: it does the writes in order in one goroutine. Rows of the same call that
// wait together become one write.
type writer struct {
	mu     sync.Mutex
	jobs   []job
	closed bool
	wake   chan struct{} // capacity 1
	done   chan struct{}
	failed func(error)
}

// job is one write: of a call's row, or any other.
type job struct {
	call  *store.Call
	write func(context.Context) error
	done  chan<- error // nil if nobody waits
}

func newWriter(put func(context.Context, store.Call) error, failed func(error)) *writer {
	w := &writer{wake: make(chan struct{}, 1), done: make(chan struct{}), failed: failed}
	go w.run(put)
	return w
}

// call queues a call's row.
func (w *writer) call(row store.Call) {
	w.mu.Lock()
	for i := range w.jobs {
		if old := w.jobs[i].call; old != nil && old.ID == row.ID {
			w.jobs[i].call = &row
			w.mu.Unlock()
			return
		}
	}
	w.mu.Unlock()
	w.add(job{call: &row})
}

// later queues a write that nobody waits for; a failure is reported to the failed function.
func (w *writer) later(write func(context.Context) error) { w.add(job{write: write}) }

// now queues a write and waits for it, or until ctx ends. Everything queued before it is done then, too.
func (w *writer) now(ctx context.Context, write func(context.Context) error) error {
	done := make(chan error, 1)
	if !w.add(job{write: write, done: done}) {
		return ErrClosed
	}
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

func (w *writer) add(j job) bool {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return false
	}
	w.jobs = append(w.jobs, j)
	w.mu.Unlock()
	select {
	case w.wake <- struct{}{}:
	default:
	}
	return true
}

// close lets the queue drain and waits for it.
func (w *writer) close() {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	select {
	case w.wake <- struct{}{}:
	default:
	}
	<-w.done
}

func (w *writer) run(put func(context.Context, store.Call) error) {
	defer close(w.done)
	// A write that has begun is finished also while the program ends: half a history is worse than a late exit.
	ctx := context.Background()
	for {
		w.mu.Lock()
		jobs, closed := w.jobs, w.closed
		w.jobs = nil
		w.mu.Unlock()
		for _, j := range jobs {
			var err error
			if j.call != nil {
				err = put(ctx, *j.call)
			} else {
				err = j.write(ctx)
			}
			switch {
			case j.done != nil:
				j.done <- err
			case err != nil:
				w.failed(err)
			}
		}
		switch {
		case len(jobs) > 0:
		case closed:
			return
		default:
			<-w.wake
		}
	}
}

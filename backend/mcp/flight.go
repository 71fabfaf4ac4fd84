package mcp

import "context"

// flight is work that several callers may wait for and that runs once. Manager.mu guards ended and err until done is closed.
type flight struct {
	done   chan struct{}
	ended  bool
	err    error
	cancel context.CancelCauseFunc
}

func newFlight(cancel context.CancelCauseFunc) *flight {
	return &flight{done: make(chan struct{}), cancel: cancel}
}

// endLocked gives the waiting callers their result. Only the first end counts.
func (f *flight) endLocked(err error) {
	if f == nil || f.ended {
		return
	}
	f.ended, f.err = true, err
	close(f.done)
	f.cancel(err)
}

// wait returns the flight's result, or the reason why the caller's context ended.
func (f *flight) wait(ctx context.Context) error {
	select {
	case <-f.done:
		return f.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

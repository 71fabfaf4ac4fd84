package mcp

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"jackfield/backend/store"
)

// The clock is the test's, so a busy machine cannot spread the rows.
func TestWriterStoresABurstAtOnceAndOnlyTheLastRowOfACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var puts [][]string
		w := newWriter(func(_ context.Context, calls ...store.Call) error {
			var rows []string
			for _, call := range calls {
				rows = append(rows, call.ID+" "+string(call.Outcome))
			}
			puts = append(puts, rows)
			return nil
		}, func(err error) { t.Error(err) })
		synctest.Wait() // it waits for work
		w.call(store.Call{ID: "a", Outcome: store.OutcomeRunning})
		w.call(store.Call{ID: "b", Outcome: store.OutcomeRunning})
		time.Sleep(gather / 2) // a quick call
		w.call(store.Call{ID: "a", Outcome: store.OutcomeDone})
		// What is waited for is done after everything that was queued before it.
		err := w.now(t.Context(), func(context.Context) error {
			if len(puts) != 1 || !slices.Equal(puts[0], []string{"a done", "b running"}) {
				t.Errorf("stored: %q", puts)
			}
			return errors.New("told to who waits")
		})
		if err == nil || err.Error() != "told to who waits" {
			t.Errorf("error = %v", err)
		}
		synctest.Wait()
		w.call(store.Call{ID: "c", Outcome: store.OutcomeDone})
		w.close() // and the end of the program loses nothing
		if len(puts) != 2 || !slices.Equal(puts[1], []string{"c done"}) {
			t.Errorf("stored: %q", puts)
		}
		if err := w.flush(t.Context()); !errors.Is(err, ErrClosed) {
			t.Errorf("a closed writer: %v", err)
		}
	})
}

func TestWriterReportsAFailedRow(t *testing.T) {
	full := errors.New("disk full")
	var reported error
	w := newWriter(func(context.Context, ...store.Call) error { return full }, func(err error) { reported = err })
	w.call(store.Call{ID: "a"})
	w.close()
	if !errors.Is(reported, full) {
		t.Errorf("reported: %v", reported)
	}
}

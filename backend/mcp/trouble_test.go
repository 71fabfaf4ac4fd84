package mcp

import (
	"errors"
	"strings"
	"testing"

	"jackfield/backend/store"
)

// A history that cannot be written is told as a row that stays until it can, not only in a log that nobody reads.
func TestAFailedWriteIsTold(t *testing.T) {
	rows := newMemory()
	m := builtin(t, newServer(nil), Options{Store: rows})
	events, stop := m.Subscribe()
	defer stop()
	breakStore := func(err error) {
		rows.mu.Lock()
		defer rows.mu.Unlock()
		rows.broken = err
	}
	call := func() {
		t.Helper()
		if _, err := m.Call(t.Context(), CallRequest{ServerID: "s", Kind: store.KindTool, Name: "echo"}); err != nil {
			t.Fatal(err)
		}
		if err := m.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	breakStore(errors.New("disk full"))
	call()
	told := await(t, events, "a trouble", func(e Event) bool { return e.Type == EventTrouble }).Trouble
	if told.Kind != TroubleHistory || !strings.Contains(told.Message, "disk full") || told.Hint == "" || told.Since.IsZero() {
		t.Errorf("%+v", told)
	}
	call()
	rowsNow := m.Snapshot().Troubles
	if len(rowsNow) != 1 || rowsNow[0].Count < 2 || rowsNow[0].Since != told.Since {
		t.Errorf("%+v", rowsNow)
	}
	breakStore(store.ErrNotFound) // its server was removed: no trouble
	call()
	breakStore(nil)
	call()
	over := await(t, events, "its end", func(e Event) bool { return e.Type == EventTrouble && e.Trouble.Message == "" })
	if over.Trouble.Kind != TroubleHistory || len(m.Snapshot().Troubles) != 0 {
		t.Errorf("%+v, %+v", over.Trouble, m.Snapshot().Troubles)
	}
}

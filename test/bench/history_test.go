//go:build bench

package bench

import (
	"context"
	"database/sql"
	"encoding/json"
	"flag"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"jackfield/backend/store"
)

var rows = flag.Int("rows", 100_000, "how many calls to write into the history; the design speaks of 1,000,000")

const batch = 1000

func historyCall(i int) store.Call {
	return store.Call{
		ID: fmt.Sprintf("call-%09d", i), ServerID: "s", Kind: store.KindTool, Name: fmt.Sprintf("tool-%d", i%20),
		Arguments: json.RawMessage(fmt.Sprintf(`{"city":"Town %d","days":%d}`, i%5000, i%14)), Outcome: store.OutcomeDone,
		StartedAt: time.Unix(1_700_000_000+int64(i), 0), Duration: 12 * time.Millisecond,
		Result: json.RawMessage(fmt.Sprintf(`{"content":[{"type":"text","text":"It will be sunny in Town %d, with a light wind from the west and %d degrees."}]}`, i%5000, i%40)),
	}
}

// history measures writing and searching of many calls, against the same rows in a bare table of the same SQLite.
func history(t *testing.T, results *table) {
	s, err := store.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.PutServer(t.Context(), store.Server{ID: "s", Name: "S", Transport: store.TransportStdio, Command: "true"}); err != nil {
		t.Fatal(err)
	}
	bare := openBare(t)
	// In turn, so that what else the machine does meets both.
	var ours, floor time.Duration
	for begin := 0; begin < *rows; begin += batch {
		calls := make([]store.Call, batch)
		for i := range calls {
			calls[i] = historyCall(begin + i)
		}
		ours += timed(func() {
			if err := s.PutCalls(t.Context(), calls...); err != nil {
				t.Fatal(err)
			}
		})
		floor += timed(func() { bare.put(t, calls) })
	}
	n := *rows / batch * batch
	results.add(fmt.Sprintf("writing %d calls into the history", n), "the same rows in a bare table", ours, floor, 2.00)

	page := func(filter store.CallFilter, want int) func() time.Duration {
		return func() time.Duration {
			return timed(func() {
				found, err := s.Calls(t.Context(), filter)
				if err != nil || len(found) != want {
					t.Fatalf("%+v: %d calls, %v", filter, len(found), err)
				}
			})
		}
	}
	scan := func(where string, args ...any) func() time.Duration {
		return func() time.Duration {
			return timed(func() { bare.count(t, where, args...) })
		}
	}
	a, f := pairs(t, 3, page(store.CallFilter{Text: "nowhere to be found"}, 0),
		scan(`instr(lower(name), ?1) > 0 OR instr(lower(arguments), ?1) > 0 OR instr(lower(result), ?1) > 0`, "nowhere to be found"))
	results.add("searching all of it for what is not there", "a scan of the bare table", a, f, 1.50)
	a, f = pairs(t, 7, page(store.CallFilter{Text: "Town 17", Limit: 50}, 50), scan(`id > ?1`, fmt.Sprintf("call-%09d", n-batch)))
	results.add("searching it for what is often there", "reading 1000 rows of the bare table", a, f, 100)
	a, f = pairs(t, 7, page(store.CallFilter{ServerID: "s"}, 100), scan(`id > ?1`, fmt.Sprintf("call-%09d", n-101)))
	results.add("the newest page of it", "reading 100 rows of the bare table", a, f, 20)
}

type bareTable struct{ db *sql.DB }

func openBare(t *testing.T) *bareTable {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "bare.db")+"?_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(`CREATE TABLE calls (id TEXT PRIMARY KEY, name TEXT, arguments TEXT, started INTEGER, result TEXT) WITHOUT ROWID`); err != nil {
		t.Fatal(err)
	}
	return &bareTable{db}
}

func (b *bareTable) put(t *testing.T, calls []store.Call) {
	t.Helper()
	tx, err := b.db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	insert, err := tx.Prepare(`INSERT INTO calls VALUES (?, ?, ?, ?, ?)`)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range calls {
		if _, err := insert.ExecContext(context.Background(), c.ID, c.Name, string(c.Arguments), c.StartedAt.UnixMicro(), string(c.Result)); err != nil {
			t.Fatal(err)
		}
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
}

func (b *bareTable) count(t *testing.T, where string, args ...any) {
	t.Helper()
	var n int
	if err := b.db.QueryRow(`SELECT count(result) FROM calls WHERE `+where, args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
}

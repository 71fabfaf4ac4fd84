package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func withServers(t *testing.T, ids ...string) *Store {
	t.Helper()
	s := openStore(t, t.TempDir())
	for _, id := range ids {
		must(t, s.PutServer(t.Context(), Server{ID: id}))
	}
	return s
}

func fullCall(id, server string) Call {
	return Call{
		ID: id, ServerID: server, Kind: KindTool, Name: "create_order",
		Arguments: json.RawMessage(`{"n": 9007199254740993, "f": 1.10, "big": 12345678901234567890}`),
		Outcome:   OutcomeFailed, StartedAt: time.Date(2026, 11, 30, 1, 2, 3, 4000, time.UTC), Duration: 1234567,
		Result: json.RawMessage(`{"structuredContent":{"n":9007199254740993,"e":1E400}}`), Size: 54,
		Failure: &Failure{Code: "result_lost", Message: "m"},
		Asks:    []AskOutcome{{Mode: "form", Action: "accept"}, {Mode: "url", Action: "decline"}},
	}
}

func ids(calls []Call) string {
	var out []string
	for _, call := range calls {
		out = append(out, call.ID)
	}
	return strings.Join(out, " ")
}

func TestCallComesBackDigitForDigit(t *testing.T) {
	s := withServers(t, "a")
	want := fullCall("c1", "a")
	want.Size = len(want.Result)
	must(t, s.PutCalls(t.Context(), want))
	got, err := s.Call(t.Context(), "c1")
	must(t, err)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	bare := Call{ID: "c2", ServerID: "a", StartedAt: want.StartedAt}
	must(t, s.PutCalls(t.Context(), bare))
	got, err = s.Call(t.Context(), "c2")
	must(t, err)
	if diff := cmp.Diff(bare, got); diff != "" {
		t.Error(diff)
	}
}

func TestCallIsReplacedByItsEnd(t *testing.T) {
	s := withServers(t, "a")
	call := Call{ID: "c1", ServerID: "a", Outcome: OutcomeRunning, StartedAt: time.UnixMicro(1).UTC()}
	must(t, s.PutCalls(t.Context(), call))
	call.Outcome, call.Duration, call.Result, call.Size = OutcomeDone, time.Second, json.RawMessage(`{}`), 2
	must(t, s.PutCalls(t.Context(), call))
	got, err := s.Call(t.Context(), "c1")
	must(t, err)
	if diff := cmp.Diff(call, got); diff != "" {
		t.Error(diff)
	}
}

func TestHistoryIsPagedNewestFirstWithoutResults(t *testing.T) {
	s := withServers(t, "a", "b")
	for i := range 250 {
		must(t, s.PutCalls(t.Context(), Call{
			ID: fmt.Sprintf("c%03d", i), ServerID: []string{"a", "b"}[i%2], Kind: []Kind{KindTool, KindPrompt, KindResource}[i%3],
			Name: fmt.Sprint("name", i%5), StartedAt: time.UnixMicro(int64(i / 4)), Result: json.RawMessage(`{"i":` + fmt.Sprint(i) + `}`),
		}))
	}
	page, err := s.Calls(t.Context(), CallFilter{})
	must(t, err)
	if len(page) != 100 || page[0].ID != "c249" || page[99].ID != "c150" || page[0].Result != nil || page[0].Size != 9 {
		t.Errorf("%d calls, first %+v", len(page), page[0])
	}
	seen := 0
	for before := ""; ; {
		page, err := s.Calls(t.Context(), CallFilter{ServerID: "b", Before: before, Limit: 30})
		must(t, err)
		if len(page) == 0 {
			break
		}
		seen, before = seen+len(page), page[len(page)-1].ID
	}
	if seen != 125 {
		t.Errorf("%d calls of server b over all pages", seen)
	}
	page, err = s.Calls(t.Context(), CallFilter{ServerID: "a", Kind: KindPrompt, Name: "name0", Limit: 3})
	must(t, err)
	if got := ids(page); got != "c220 c190 c160" {
		t.Errorf("%s", got)
	}
	if page, err = s.Calls(t.Context(), CallFilter{ServerID: "nobody"}); err != nil || page == nil || len(page) != 0 {
		t.Errorf("%v %v", page, err)
	}
}

func TestHistoryIsInOrderOfTimeWhateverTheIDs(t *testing.T) {
	s := withServers(t, "a")
	for i, id := range []string{"f47ac10b-58cc-4372-a567-0e02b2c3d479", "01JDXXXXXXXXXXXXXXXXXXXXXX", "9", "zz", "0"} {
		must(t, s.PutCalls(t.Context(), Call{ID: id, ServerID: "a", Outcome: OutcomeDone, StartedAt: time.UnixMicro(int64(i))}))
	}
	var got []string
	for before := ""; len(got) < 5; {
		page, err := s.Calls(t.Context(), CallFilter{Before: before, Limit: 1})
		must(t, err)
		if len(page) != 1 {
			t.Fatalf("after %v: %d calls", got, len(page))
		}
		before = page[0].ID
		got = append(got, before)
	}
	want := []string{"0", "zz", "9", "01JDXXXXXXXXXXXXXXXXXXXXXX", "f47ac10b-58cc-4372-a567-0e02b2c3d479"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	_, err := s.Prune(t.Context(), Retention{Calls: 2})
	must(t, err)
	calls, err := s.Calls(t.Context(), CallFilter{})
	if ids(calls) != "0 zz" || err != nil {
		t.Errorf("after pruning to the last two: %s, %v", ids(calls), err)
	}
	if _, err := s.Calls(t.Context(), CallFilter{Before: "9"}); !errors.Is(err, ErrNotFound) {
		t.Errorf("the page after a call that is gone: %v", err)
	}
}

func TestHistoryPageReadsAnIndexAndSortsNothing(t *testing.T) {
	s := withServers(t, "a")
	for _, filter := range []CallFilter{{}, {ServerID: "a"}, {Text: "x"}, {ServerID: "a", Text: "x", Before: "c", Kind: KindTool}} {
		where, args := filter.where(5)
		rows, err := s.db.Read.QueryContext(t.Context(),
			`EXPLAIN QUERY PLAN SELECT `+callColumns+` FROM calls `+where+` ORDER BY started_at DESC, id DESC LIMIT 100`, args...)
		must(t, err)
		var plan string
		for rows.Next() {
			var a, b, c int
			var detail string
			must(t, rows.Scan(&a, &b, &c, &detail))
			plan += detail + "; "
		}
		must(t, errors.Join(rows.Err(), rows.Close()))
		if strings.Contains(plan, "TEMP B-TREE") || !strings.Contains(plan, "INDEX") {
			t.Errorf("%+v: %s", filter, plan)
		}
	}
}

func TestSearchFindsTextHoweverJSONSpellsIt(t *testing.T) {
	s := withServers(t, "a")
	for id, call := range map[string]Call{
		"c1": {Name: "weather_by_city", Arguments: json.RawMessage(`{"city":"Köln"}`)},
		"c2": {Name: "x", Arguments: json.RawMessage(`{"city":"K\u00f6ln"}`)},
		"c3": {Name: "x", Result: json.RawMessage(`{"text":"he said \"hello\"\nand left"}`)},
		"c4": {Name: "x", Result: json.RawMessage(`{"text":"a \u003cb\u003e \u0026 c"}`)},
		"c5": {Name: "x", Result: json.RawMessage(`{"text":"100% of_it C:\\dir"}`)},
		"c6": {Name: "x", Result: json.RawMessage(`{"text":"\ud83d\ude00 and 9007199254740993"}`)},
		"c7": {Name: "100 of it", Failure: &Failure{Message: "m"}},
		"c8": {Name: "x", Result: json.RawMessage(`{"a":1}`)},
	} {
		call.ID, call.ServerID = id, "a"
		must(t, s.PutCalls(t.Context(), call))
	}
	for text, want := range map[string]string{
		"Köln":             "c2 c1",
		"BY_CITY":          "c1",
		"hello":            "c3",
		`said "hello"`:     "c3",
		"\nand":            "c3",
		"<b> & c":          "c4",
		"100%":             "c5",
		"of_it":            "c5",
		`C:\dir`:           "c5",
		"😀":                "c6",
		"9007199254740993": "c6",
		`{"a":1}`:          "c8",
		"nowhere":          "",
		"%":                "c5",
	} {
		calls, err := s.Calls(t.Context(), CallFilter{Text: text})
		must(t, err)
		if got := ids(calls); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if _, err := s.Calls(t.Context(), CallFilter{Text: strings.Repeat("long ", 100_000)}); err != nil {
		t.Errorf("a long text: %v", err)
	}
}

func TestLargeResultIsKeptInAFileAndReadBack(t *testing.T) {
	s := withServers(t, "a", "b")
	for name, size := range map[string]int{"at the cap": resultCap - 2, "over the cap": resultCap - 1} {
		id := strings.ReplaceAll(name, " ", "-")
		result := large(size)
		must(t, s.PutCalls(t.Context(), Call{ID: id, ServerID: "a", Result: result}))
		_, err := os.Stat(s.resultPath(id))
		if inFile := err == nil; inFile != (name == "over the cap") {
			t.Errorf("%s: %v", name, err)
		}
		got, err := s.Call(t.Context(), id)
		must(t, err)
		if string(got.Result) != string(result) || got.Size != len(result) {
			t.Errorf("%s: %d bytes, size %d", name, len(got.Result), got.Size)
		}
	}
	file := s.resultPath("over-the-cap")
	must(t, os.WriteFile(file, []byte(`"xx`), 0o600))
	if got, err := s.Call(t.Context(), "over-the-cap"); err != nil || got.Result != nil || got.Size != resultCap+1 {
		t.Errorf("a file cut short: %d bytes, %v", len(got.Result), err)
	}
	must(t, os.Remove(file))
	if got, err := s.Call(t.Context(), "over-the-cap"); err != nil || got.Result != nil || got.Size != resultCap+1 {
		t.Errorf("a lost file: %d bytes, %v", len(got.Result), err)
	}
	must(t, os.Mkdir(file, 0o700))
	if _, err := s.Call(t.Context(), "over-the-cap"); err == nil {
		t.Error("a file that cannot be read is no error")
	}
}

func TestResultThatWasNotKeptKeepsItsSize(t *testing.T) {
	s := withServers(t, "a")
	must(t, s.PutCalls(t.Context(), Call{ID: "c1", ServerID: "a", Size: 123}))
	if got, err := s.Call(t.Context(), "c1"); err != nil || got.Size != 123 || got.Result != nil {
		t.Errorf("%+v %v", got, err)
	}
}

func TestDeletingAServerDeletesItsHistoryAndItsFiles(t *testing.T) {
	s := withServers(t, "a", "b")
	for _, server := range []string{"a", "b"} {
		must(t, s.PutCalls(t.Context(), Call{ID: server + "1", ServerID: server, Result: large(2 << 20)}))
		must(t, s.PutCalls(t.Context(), Call{ID: server + "2", ServerID: server}))
	}
	must(t, s.DeleteServer(t.Context(), "a"))
	if _, err := s.Call(t.Context(), "a2"); !errors.Is(err, ErrNotFound) {
		t.Errorf("%v", err)
	}
	calls, err := s.Calls(t.Context(), CallFilter{})
	if got := ids(calls); err != nil || got != "b2 b1" {
		t.Errorf("%s %v", got, err)
	}
	if names := files(t, s); names != "b1.json" {
		t.Errorf("the files: %s", names)
	}
	// A call that ends after its server was deleted leaves nothing behind.
	if err := s.PutCalls(t.Context(), Call{ID: "a3", ServerID: "a", Result: large(2 << 20)}); !errors.Is(err, ErrNotFound) {
		t.Errorf("%v", err)
	}
	if names := files(t, s); names != "b1.json" {
		t.Errorf("the files: %s", names)
	}
}

func files(t *testing.T, s *Store) string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(s.dir, resultsDir))
	must(t, err)
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return strings.Join(names, " ")
}

func TestCallIDCannotLeaveItsDirectory(t *testing.T) {
	s := withServers(t, "a")
	for _, id := range []string{"", "../x", "a/b", `a\b`, "a.b", "a b", "é", strings.Repeat("a", 65), "a\x00"} {
		if err := s.PutCalls(t.Context(), Call{ID: id, ServerID: "a", Result: large(2 << 20)}); err == nil {
			t.Errorf("%q was stored", id)
		}
	}
}

func TestPruneByNumberAndAge(t *testing.T) {
	s := withServers(t, "a", "b")
	now := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	s.now = func() time.Time { return now }
	fill := func() {
		for i := range 5 {
			for _, server := range []string{"a", "b"} {
				must(t, s.PutCalls(t.Context(), Call{
					ID: fmt.Sprint(i, server), ServerID: server, Outcome: OutcomeDone, Result: large(resultCap),
					StartedAt: now.Add(-time.Duration(10-i) * time.Hour),
				}))
			}
		}
		must(t, s.PutCalls(t.Context(), Call{ID: "0c", ServerID: "a", Outcome: OutcomeRunning, StartedAt: now.Add(-time.Hour * 99)}))
	}
	for _, test := range []struct {
		name   string
		keep   int
		maxAge time.Duration
		want   string
		gone   int
	}{
		{"no limit", 0, 0, "4b 4a 3b 3a 2b 2a 1b 1a 0b 0a 0c", 0},
		{"number", 2, 0, "4b 4a 3b 3a 0c", 6},
		{"age", 0, 8 * time.Hour, "4b 4a 3b 3a 2b 2a 0c", 4},
		{"both", 1, 8 * time.Hour, "4b 4a 0c", 8},
		{"all", 0, time.Minute, "0c", 10},
	} {
		t.Run(test.name, func(t *testing.T) {
			fill()
			gone, err := s.Prune(t.Context(), Retention{Calls: test.keep, Age: test.maxAge})
			must(t, err)
			calls, err := s.Calls(t.Context(), CallFilter{})
			must(t, err)
			if got := ids(calls); got != test.want || gone != test.gone {
				t.Errorf("%s, %d gone", got, gone)
			}
			if n := len(strings.Fields(files(t, s))); n != len(calls)-1 {
				t.Errorf("%d files for %d calls", n, len(calls)-1)
			}
		})
	}
}

func TestPruneSweepsFilesThatNoRowNames(t *testing.T) {
	s := withServers(t, "a")
	must(t, s.PutCalls(t.Context(), Call{ID: "kept", ServerID: "a", Result: large(resultCap)}))
	for _, name := range []string{"old.json", "new.json", "old.123.partial", "kept.json"} {
		path := filepath.Join(s.dir, resultsDir, name)
		if name != "kept.json" {
			must(t, os.WriteFile(path, []byte("{}"), 0o600))
		}
		if name != "new.json" { // it may be about to get its row
			must(t, os.Chtimes(path, time.Time{}, time.Now().Add(-2*orphanAge)))
		}
	}
	_, err := s.Prune(t.Context(), Retention{})
	must(t, err)
	if got := files(t, s); got != "kept.json new.json" {
		t.Errorf("%s", got)
	}
}

// The Manager stores what waits together at once; a server deleted meanwhile must not cost the other calls their place.
func TestPutCallsStoresWhatItCan(t *testing.T) {
	s := openStore(t, t.TempDir())
	must(t, s.PutServer(t.Context(), Server{ID: "a", Name: "a"}))
	err := s.PutCalls(t.Context(),
		Call{ID: "gone1", ServerID: "gone", Result: large(2 << 20)}, Call{ID: "../x", ServerID: "a"},
		Call{ID: "c1", ServerID: "a", Outcome: OutcomeRunning}, Call{ID: "c2", ServerID: "a"}, Call{ID: "c1", ServerID: "a", Outcome: OutcomeDone})
	if !errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), "gone1") || !strings.Contains(err.Error(), "../x") {
		t.Errorf("error = %v", err)
	}
	stored, err := s.Calls(t.Context(), CallFilter{})
	must(t, err)
	if len(stored) != 2 {
		t.Fatalf("stored = %+v", stored)
	}
	c1, err := s.Call(t.Context(), "c1")
	must(t, err)
	if c1.Outcome != OutcomeDone {
		t.Errorf("the later row did not win: %s", c1.Outcome)
	}
	if names := files(t, s); names != "" {
		t.Errorf("the result of a call that was not stored stays behind: %s", names)
	}
}

package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

func names(saved []SavedCall) string {
	var out []string
	for _, one := range saved {
		out = append(out, one.Name)
	}
	return strings.Join(out, ", ")
}

func TestSavedCallsAreKeptByName(t *testing.T) {
	s := withServers(t, "a", "b")
	arguments := json.RawMessage(`{"n": 9007199254740993, "f": 1.10}`)
	must(t, s.SaveCall(t.Context(), SavedCall{Name: " Sockets ", ServerID: "a", Kind: KindTool, Item: "search", Arguments: arguments}))
	must(t, s.SaveCall(t.Context(), SavedCall{Name: "orders", ServerID: "b", Kind: KindPrompt, Item: "list"}))
	got, err := s.SavedCall(t.Context(), "SOCKETS")
	must(t, err)
	if got.Name != "Sockets" || got.Item != "search" || string(got.Arguments) != string(arguments) || got.UpdatedAt.IsZero() {
		t.Errorf("%+v", got)
	}
	// The same name, whatever its case, is the same call.
	must(t, s.SaveCall(t.Context(), SavedCall{Name: "sockets", ServerID: "b", Kind: KindTool, Item: "other"}))
	for server, want := range map[string]string{"": "orders, sockets", "a": "", "b": "orders, sockets"} {
		list, err := s.SavedCalls(t.Context(), server)
		must(t, err)
		if names(list) != want {
			t.Errorf("of %q: %s, want %s", server, names(list), want)
		}
	}
	must(t, s.DeleteSaved(t.Context(), "Orders"))
	if err := s.DeleteSaved(t.Context(), "orders"); !errors.Is(err, ErrNotFound) {
		t.Errorf("%v", err)
	}
	// They go with their server.
	must(t, s.DeleteServer(t.Context(), "b"))
	if list, err := s.SavedCalls(t.Context(), ""); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
}

func TestSavedCallsAreChecked(t *testing.T) {
	s := withServers(t, "a")
	for name, saved := range map[string]SavedCall{
		"no name":    {ServerID: "a"},
		"blank name": {Name: "  ", ServerID: "a"},
		"long name":  {Name: strings.Repeat("x", 201), ServerID: "a"},
		"NUL":        {Name: "a\x00b", ServerID: "a"},
		"no JSON":    {Name: "x", ServerID: "a", Arguments: json.RawMessage(`{`)},
		"no server":  {Name: "x", ServerID: "gone"},
	} {
		if err := s.SaveCall(t.Context(), saved); err == nil || name == "no server" && !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPinnedCallsStay(t *testing.T) {
	s := withServers(t, "a")
	now := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	s.now = func() time.Time { return now }
	for i := range 5 {
		must(t, s.PutCalls(t.Context(), Call{
			ID: fmt.Sprint(i), ServerID: "a", Outcome: OutcomeDone, StartedAt: now.Add(-time.Duration(10-i) * time.Hour),
			Arguments: json.RawMessage(`{}`), Result: large(98),
		}))
	}
	must(t, s.PinCall(t.Context(), "0", true))
	must(t, s.PinCall(t.Context(), "0", true))
	must(t, s.PinCall(t.Context(), "3", true))
	if err := s.PinCall(t.Context(), "gone", true); !errors.Is(err, ErrNotFound) {
		t.Errorf("%v", err)
	}
	// The row is written again when the call ends: it stays pinned.
	row, err := s.Call(t.Context(), "3")
	must(t, err)
	must(t, s.PutCalls(t.Context(), row))
	pinned, err := s.Calls(t.Context(), CallFilter{Pinned: true})
	must(t, err)
	if ids(pinned) != "3 0" || !pinned[0].Pinned {
		t.Errorf("%+v", pinned)
	}
	each := int64(len(large(98)) + len(`{}`))
	for _, c := range []struct {
		keep Retention
		want string
	}{
		{Retention{Bytes: 3 * each}, "4 3 2 1 0"}, // the pinned ones do not count
		{Retention{Bytes: 3*each - 1}, "4 3 2 0"},
		{Retention{Calls: 1}, "4 3 0"},
		{Retention{Age: time.Minute}, "3 0"},
	} {
		_, err := s.Prune(t.Context(), c.keep)
		must(t, err)
		left, err := s.Calls(t.Context(), CallFilter{})
		must(t, err)
		if ids(left) != c.want {
			t.Errorf("%+v leaves %s, want %s", c.keep, ids(left), c.want)
		}
	}
	must(t, s.PinCall(t.Context(), "3", false))
	gone, err := s.Prune(t.Context(), Retention{Age: time.Minute})
	must(t, err)
	if gone != 1 {
		t.Errorf("%d gone", gone)
	}
	// A call takes its pin along: one that gets its id later is not pinned.
	must(t, s.DeleteServer(t.Context(), "a"))
	must(t, s.PutServer(t.Context(), Server{ID: "a"}))
	must(t, s.PutCalls(t.Context(), Call{ID: "0", ServerID: "a"}))
	if row, err := s.Call(t.Context(), "0"); err != nil || row.Pinned {
		t.Errorf("%+v, %v", row, err)
	}
}

func TestRetentionIsRemembered(t *testing.T) {
	s := withServers(t)
	r, err := s.Retention(t.Context())
	must(t, err)
	if r != defaultRetention {
		t.Errorf("%+v", r)
	}
	must(t, s.SetRetention(t.Context(), Retention{Calls: -1, Age: time.Hour, Bytes: 5}))
	if r, err = s.Retention(t.Context()); err != nil || r != (Retention{Age: time.Hour, Bytes: 5}) {
		t.Errorf("%+v, %v", r, err)
	}
}

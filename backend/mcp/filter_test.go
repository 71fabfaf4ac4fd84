package mcp

import (
	"slices"
	"testing"

	"jackfield/backend/store"
)

// shelf is a Manager with four servers: two of one name that are ready, one that failed and one that was never connected.
func shelf(t *testing.T) *Manager {
	t.Helper()
	m := start(t, Options{Builtin: map[string]Serve{"a-b": serve(newServer(nil)), "ab": serve(newServer(nil))}}, false)
	for _, server := range []store.Server{
		{ID: "a-b", Name: "twin", Transport: store.TransportBuiltin},
		{ID: "ab", Name: "twin", Transport: store.TransportBuiltin},
		{ID: "gone", Name: "gone", Transport: store.TransportBuiltin},
	} {
		if _, err := m.Add(t.Context(), server); err != nil && server.ID != "gone" {
			t.Fatal(err)
		}
	}
	if _, err := m.Register(t.Context(), store.Server{ID: "new", Name: "new", URL: "https://example.com/mcp"}); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestFiltersSelectByIDNameAndStateTogether(t *testing.T) {
	m := shelf(t)
	tests := []struct {
		name   string
		filter Filter
		want   []string
	}{
		{"no filter is everything", Filter{}, []string{"a-b", "ab", "gone", "new"}},
		{"one id", Filter{IDs: []string{"ab"}}, []string{"ab"}},
		{"several ids", Filter{IDs: []string{"new", "ab"}}, []string{"ab", "new"}},
		{"a name that two have", Filter{Names: []string{"twin"}}, []string{"a-b", "ab"}},
		{"several names", Filter{Names: []string{"twin", "gone"}}, []string{"a-b", "ab", "gone"}},
		{"one state", Filter{States: []State{StateFailed}}, []string{"gone"}},
		{"several states", Filter{States: []State{StateReady, StateDisconnected}}, []string{"a-b", "ab", "new"}},
		{"all together", Filter{IDs: []string{"ab", "gone"}, Names: []string{"twin"}, States: []State{StateReady}}, []string{"ab"}},
		{"what excludes each other", Filter{IDs: []string{"ab"}, States: []State{StateFailed}}, nil},
		{"an unknown id", Filter{IDs: []string{"nobody"}}, nil},
		{"an empty list of ids", Filter{IDs: []string{}}, nil},
		{"an empty list of names", Filter{Names: []string{}}, nil},
		{"an empty list of states beside an id", Filter{IDs: []string{"ab"}, States: []State{}}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got, withTools []string
			for _, row := range m.Servers(test.filter) {
				got = append(got, row.Server.ID)
				if row.Counts.Tools > 0 {
					withTools = append(withTools, row.Server.ID)
				}
			}
			slices.Sort(got)
			if !slices.Equal(got, test.want) {
				t.Errorf("servers %v, want %v", got, test.want)
			}
			for what, owners := range map[string][]string{
				"tools": owners(m.Tools(test.filter)), "prompts": owners(m.Prompts(test.filter)),
				"resources": owners(m.Resources(test.filter)), "templates": owners(m.Templates(test.filter)),
			} {
				slices.Sort(withTools)
				if !slices.Equal(owners, withTools) {
					t.Errorf("%s of %v, want %v", what, owners, withTools)
				}
			}
		})
	}
}

func owners[T any](offers []Offer[T]) []string {
	var ids []string
	for _, offer := range offers {
		ids = append(ids, offer.ServerID)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func TestListsThatMatchNothingAreEmptyAndNotNil(t *testing.T) {
	m := start(t, Options{}, false)
	if m.Servers(Filter{}) == nil || m.Tools(Filter{}) == nil {
		t.Error("nothing is nil")
	}
}

// The keys of two servers whose ids differ only in what a function name may not hold would collide if they were made from the safe characters alone.
func TestToolsOfServersWithCollidingIDsAreBothCallable(t *testing.T) {
	m := shelf(t)
	keys := map[string]string{}
	for _, offer := range m.Tools(Filter{Names: []string{"twin"}}) {
		if other, taken := keys[offer.Item.Key]; taken {
			t.Errorf("%s belongs to %s and %s", offer.Item.Key, other, offer.ServerID)
		}
		keys[offer.Item.Key] = offer.ServerID
	}
	for key, server := range keys {
		id, tool, err := m.ToolByKey(key)
		if err != nil || id != server || tool == "" {
			t.Errorf("%s is %s %s, %v; want %s", key, id, tool, err, server)
		}
	}
	if _, _, err := m.ToolByKey("nobody_nothing"); code(err) != CodeUnknownItem {
		t.Errorf("an unknown key: %v", err)
	}
}

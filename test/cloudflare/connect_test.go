//go:build cloudflare

package cloudflare

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"jackfield/backend/mcp"
	"jackfield/backend/store"
)

// answers is a handler that answers everything with a status.
func answers(status int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "sorry", status) })
}

func TestCheck01RegisteringMakesNoRequestAndLasts(t *testing.T) {
	p, dir := tapOf(t, answers(500)), t.TempDir()
	m, shut := manager(t, dir, false)
	if _, err := m.Register(t.Context(), entry("s", p.URL)); err != nil {
		t.Fatal(err)
	}
	shut()
	m, _ = manager(t, dir, false)
	if s := status(t, m, "s"); s.Server.URL != p.URL || s.State != mcp.StateDisconnected {
		t.Errorf("after a restart: %+v", s)
	}
	if n := len(p.all(func(seen) bool { return true })); n != 0 {
		t.Errorf("%d requests", n)
	}
}

func TestCheck02SessionsGoThroughEveryState(t *testing.T) {
	p := tapped(t)
	m, _ := manager(t, t.TempDir(), false)
	events, stop := m.Subscribe()
	defer stop()
	if _, err := m.Add(t.Context(), entry("s", p.URL+"/mcp")); err != nil {
		t.Fatal(err)
	}
	want := []mcp.State{mcp.StateConnecting, mcp.StateConnected, mcp.StateDiscovering, mcp.StateReady}
	for e := range events {
		if e.Type == mcp.EventServer && e.Server.State == want[0] {
			if want = want[1:]; len(want) == 0 {
				break
			}
		}
	}
	s := status(t, m, "s")
	if s.Counts.Tools != 8 || s.Counts.Resources != 1 || s.Counts.Prompts != 1 || s.Era != store.EraLegacy || s.Instructions != "Counts." || s.Transport != store.TransportStreamableHTTP {
		t.Errorf("%+v", s)
	}
	says(t, m, "sum", `{"a":2,"b":40}`, "42")
}

func TestCheck03AutoFallsBackToSSEAndStreamableDoesNot(t *testing.T) {
	p := tapped(t)
	m := connected(t, p.URL+"/sse")
	if s := status(t, m, "s"); s.Transport != store.TransportSSE || s.Counts.Tools != 8 {
		t.Errorf("%+v", s)
	}
	if posts := p.http(http.MethodPost); len(posts) == 0 || posts[0].status != http.StatusNotFound || len(p.http(http.MethodGet)) == 0 {
		t.Errorf("the requests were %+v", posts)
	}
	says(t, m, "sum", `{"a":2,"b":40}`, "42")
	pinned := entry("pinned", p.URL+"/sse")
	pinned.Transport = store.TransportStreamableHTTP
	if _, err := m.Add(t.Context(), pinned); code(err) != mcp.CodeNoHandshake {
		t.Errorf("streamable-http: %v", err)
	}
}

func TestCheck04OtherFailuresDoNotFallBack(t *testing.T) {
	for _, status := range []int{403, 500, 429} {
		p := tapOf(t, answers(status))
		m, _ := manager(t, t.TempDir(), false)
		_, err := m.Add(t.Context(), entry("s", p.URL))
		if err == nil || !strings.Contains(err.Error(), fmt.Sprint(status)) || len(p.http(http.MethodGet)) != 0 {
			t.Errorf("%d: %v, %d GETs", status, err, len(p.http(http.MethodGet)))
		}
		if s, _ := m.Status("s"); s.State != mcp.StateFailed || !strings.Contains(s.Detail, fmt.Sprint(status)) {
			t.Errorf("%d: %s %s", status, s.State, s.Detail)
		}
	}
}

func TestCheck05AnUnknownServerIsATypedError(t *testing.T) {
	m, _ := manager(t, t.TempDir(), false)
	if err := m.Connect(t.Context(), "nobody"); !errors.Is(err, mcp.ErrUnknownServer) {
		t.Error(err)
	}
}

func TestCheck06ThreeConnectsAreOneHandshake(t *testing.T) {
	p := tapped(t)
	m, _ := manager(t, t.TempDir(), false)
	if _, err := m.Register(t.Context(), entry("s", p.URL+"/mcp")); err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() {
			if err := m.Connect(t.Context(), "s"); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if n := len(p.rpc("initialize")); n != 1 {
		t.Errorf("%d handshakes", n)
	}
}

// silent keeps a method without an answer until the client goes.
func silent(method string) func(http.ResponseWriter, *http.Request, seen) bool {
	return func(_ http.ResponseWriter, r *http.Request, s seen) bool {
		if s.rpc != method {
			return false
		}
		<-r.Context().Done()
		return true
	}
}

func TestCheck07AListThatNeverComesEndsTheDiscoveryOnly(t *testing.T) {
	p := tapped(t)
	p.take(silent("tools/list"))
	m, _ := manager(t, t.TempDir(), false)
	server := entry("s", p.URL+"/mcp")
	server.Timeouts.Discovery = 1500 * time.Millisecond
	_, err := m.Add(t.Context(), server)
	if s := status(t, m, "s"); code(err) != mcp.CodeDiscoveryTime || s.State != mcp.StateConnected || !strings.Contains(s.Detail, "1.5s") {
		t.Errorf("%v: %s %s", err, s.State, s.Detail)
	}
}

func TestCheck08ClosingEndsADiscoveryAtOnce(t *testing.T) {
	p := tapped(t)
	p.take(silent("tools/list"))
	m, _ := manager(t, t.TempDir(), false)
	ended := make(chan error, 1)
	go func() {
		_, err := m.Add(t.Context(), entry("s", p.URL+"/mcp"))
		ended <- err
	}()
	eventually(t, "the list is asked for", func() bool { return len(p.rpc("tools/list")) > 0 })
	go func() { _ = m.Disconnect(t.Context(), "s") }() // what it waits for is not the point
	select {
	case err := <-ended:
		if code(err) != mcp.CodeClosed {
			t.Error(err)
		}
	case <-time.After(3 * time.Second):
		t.Error("the discovery goes on")
	}
}

func TestCheck09ListsThatAreAdvertisedAndNotThereAreEmpty(t *testing.T) {
	p := tapped(t)
	p.take(func(w http.ResponseWriter, _ *http.Request, s seen) bool {
		if !slices.Contains([]string{"prompts/list", "resources/list", "resources/templates/list"}, s.rpc) {
			return false
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`, idOf(s.body))
		return true
	})
	m := connected(t, p.URL+"/mcp")
	if s := status(t, m, "s"); s.State != mcp.StateReady || s.Counts.Tools != 8 || s.Counts.Prompts+s.Counts.Resources+s.Counts.Templates != 0 {
		t.Errorf("%s %+v", s.State, s.Counts)
	}
}

func TestCheck10PagesFollowEachOther(t *testing.T) {
	p := tapped(t)
	p.take(func(w http.ResponseWriter, _ *http.Request, s seen) bool {
		if s.rpc != "tools/list" {
			return false
		}
		page := 1 + strings.Count(s.body, "second") + 2*strings.Count(s.body, "third")
		next := []string{`,"nextCursor":"second"`, `,"nextCursor":"third"`, ""}[page-1]
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"page-%d","inputSchema":{"type":"object"}}]%s}}`, idOf(s.body), page, next)
		return true
	})
	m := connected(t, p.URL+"/mcp")
	catalog, err := m.Catalog("s")
	var names []string
	for _, tool := range catalog.Tools {
		names = append(names, tool.Name)
	}
	if err != nil || !slices.Equal(names, []string{"page-1", "page-2", "page-3"}) {
		t.Errorf("%q %v", names, err)
	}
}

// restored stores entries, and starts another Manager on them.
func restored(t *testing.T, modes []mcp.AskMode, entries ...store.Server) *mcp.Manager {
	t.Helper()
	dir := t.TempDir()
	m, shut := manager(t, dir, false, modes...)
	for _, e := range entries {
		if _, err := m.Register(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	shut()
	m, _ = manager(t, dir, true, modes...)
	return m
}

func TestCheck11ARestoredServerIsTriedThreeTimesAndHoldsUpNobody(t *testing.T) {
	p, broken := tapped(t), tapOf(t, answers(500))
	begun := time.Now()
	m := restored(t, nil, entry("broken", broken.URL), entry("fine", p.URL+"/mcp"))
	eventually(t, "the other is ready", func() bool { return status(t, m, "fine").State == mcp.StateReady })
	m.Wait(t.Context())
	s := status(t, m, "broken")
	// Each attempt asks for the era first, and then, since no answer tells of it, tries the handshake of the older one.
	if n := len(broken.rpc("initialize")); n != 3 || s.State != mcp.StateFailed || s.Attempts != 3 {
		t.Errorf("%d handshakes, %s after %d attempts", n, s.State, s.Attempts)
	}
	// The waits are at most 1 s and 2 s.
	if took := time.Since(begun); took > 15*time.Second {
		t.Errorf("took %s", took)
	}
}

func TestCheck12TheRetryPolicyOfTheEntryCounts(t *testing.T) {
	broken := tapOf(t, answers(500))
	server := entry("broken", broken.URL)
	server.Retry = store.Retry{MaxAttempts: 2, BaseDelay: 100 * time.Millisecond, MaxDelay: 200 * time.Millisecond}
	m := restored(t, nil, server)
	m.Wait(t.Context())
	if n := len(broken.rpc("initialize")); n != 2 {
		t.Errorf("%d attempts", n)
	}
}

func TestCheck13WaitHasALimitAndNoError(t *testing.T) {
	hanging := tapOf(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	server := entry("s", hanging.URL)
	server.Timeouts.Connect, server.Retry.MaxAttempts = 1500*time.Millisecond, 1
	m := restored(t, nil, server)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	m.Wait(ctx)
	if s := status(t, m, "s"); s.State != mcp.StateConnecting {
		t.Errorf("after the limit: %s", s.State)
	}
	m.Wait(t.Context())
	if s := status(t, m, "s"); s.State != mcp.StateFailed || s.Failure.Code != mcp.CodeConnectTime {
		t.Errorf("in the end: %s %+v", s.State, s.Failure)
	}
}

func TestCheck14ClosingDeletesTheSessionAndKeepsTheRow(t *testing.T) {
	p := tapped(t)
	m := connected(t, p.URL+"/mcp")
	lists := p.rpc("tools/list")
	if err := m.Disconnect(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	deletes := p.http(http.MethodDelete)
	if len(deletes) != 1 || deletes[0].session == "" || deletes[0].session != lists[0].session {
		t.Errorf("DELETE %+v of session %q", deletes, lists[0].session)
	}
	if s := status(t, m, "s"); s.State != mcp.StateDisconnected {
		t.Errorf("state %s", s.State)
	}
	if err := m.Connect(t.Context(), "s"); err != nil || status(t, m, "s").State != mcp.StateReady {
		t.Errorf("connecting again: %v", err)
	}
}

func TestCheck15ClosingAllIsNotHeldUpByOne(t *testing.T) {
	p := tapped(t)
	p.take(func(_ http.ResponseWriter, r *http.Request, s seen) bool {
		if s.method == http.MethodDelete && strings.HasSuffix(r.URL.RawQuery, "hang") {
			<-r.Context().Done()
			return true
		}
		return false
	})
	m, _ := manager(t, t.TempDir(), false)
	for id, query := range map[string]string{"a": "", "b": "?hang", "c": ""} {
		if _, err := m.Add(t.Context(), entry(id, p.URL+"/mcp"+query)); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 6*time.Second)
	defer cancel()
	if err := m.DisconnectAll(ctx); err != nil {
		t.Errorf("closing all: %v", err)
	}
	for _, id := range []string{"a", "b", "c"} {
		if s := status(t, m, id); s.State != mcp.StateDisconnected {
			t.Errorf("%s is %s", id, s.State)
		}
	}
	if n := len(p.http(http.MethodDelete)); n != 3 {
		t.Errorf("%d sessions were deleted", n)
	}
}

func TestCheck17FiltersAreConditionsThatAllHold(t *testing.T) {
	p := tapped(t)
	m, _ := manager(t, t.TempDir(), false)
	for _, id := range []string{"one", "two"} {
		if _, err := m.Add(t.Context(), entry(id, p.URL+"/v2")); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := m.Register(t.Context(), entry("three", p.URL+"/v2")); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		filter mcp.Filter
		want   int
	}{
		"all":            {mcp.Filter{}, 3},
		"an id":          {mcp.Filter{IDs: []string{"one"}}, 1},
		"two ids":        {mcp.Filter{IDs: []string{"one", "three"}}, 2},
		"a name":         {mcp.Filter{Names: []string{"TWO"}}, 1},
		"a state":        {mcp.Filter{States: []mcp.State{mcp.StateReady}}, 2},
		"id and state":   {mcp.Filter{IDs: []string{"one", "three"}, States: []mcp.State{mcp.StateReady}}, 1},
		"contradictory":  {mcp.Filter{IDs: []string{"one"}, Names: []string{"TWO"}}, 0},
		"an empty list":  {mcp.Filter{IDs: []string{}}, 0},
		"nobody's state": {mcp.Filter{States: []mcp.State{mcp.StateFailed}}, 0},
	} {
		if got := m.Servers(test.filter); len(got) != test.want {
			t.Errorf("%s: %d servers, want %d", name, len(got), test.want)
		}
	}
	if tools := m.Tools(mcp.Filter{IDs: []string{"one"}}); len(tools) < 4 || tools[0].ServerID != "one" {
		t.Errorf("tools: %+v", tools)
	}
}

func TestCheck18IdsThatDifferByAHyphenHaveKeysOfTheirOwn(t *testing.T) {
	p := tapped(t)
	m, _ := manager(t, t.TempDir(), false)
	for _, id := range []string{"a-b", "ab"} {
		if _, err := m.Add(t.Context(), entry(id, p.URL+"/v2")); err != nil {
			t.Fatal(err)
		}
	}
	keys := map[string]string{}
	for _, offer := range m.Tools(mcp.Filter{}) {
		if other, taken := keys[offer.Item.Key]; taken {
			t.Errorf("%s belongs to %s and %s", offer.Item.Key, other, offer.ServerID)
		}
		keys[offer.Item.Key] = offer.ServerID
		if server, tool, err := m.ToolByKey(offer.Item.Key); err != nil || server != offer.ServerID || tool != offer.Item.Name {
			t.Errorf("%s leads to %s of %s: %v", offer.Item.Key, tool, server, err)
		}
	}
	if len(keys) < 8 {
		t.Errorf("%d keys", len(keys))
	}
}

func TestCheck31RedirectsStayWithinTheOrigin(t *testing.T) {
	p, elsewhere := tapped(t), tapOf(t, answers(500))
	p.take(func(w http.ResponseWriter, r *http.Request, _ seen) bool {
		switch r.URL.Path {
		case "/away":
			w.Header().Set("Location", elsewhere.URL+"/mcp")
		case "/moved":
			w.Header().Set("Location", "/v2")
		default:
			return false
		}
		w.WriteHeader(http.StatusTemporaryRedirect)
		return true
	})
	m, _ := manager(t, t.TempDir(), false)
	server := entry("away", p.URL+"/away")
	server.Headers = []store.Variable{{Name: "Authorization", Value: "Bearer secret"}}
	_, err := m.Add(t.Context(), server)
	failure, _ := errors.AsType[*mcp.Error](err)
	if failure == nil || !strings.Contains(failure.Message+failure.Hint, elsewhere.URL) || len(elsewhere.all(func(seen) bool { return true })) != 0 {
		t.Errorf("away: %+v", failure)
	}
	if _, err := m.Add(t.Context(), entry("moved", p.URL+"/moved")); err != nil || status(t, m, "moved").State != mcp.StateReady {
		t.Errorf("moved: %v", err)
	}
}

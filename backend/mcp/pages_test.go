package mcp

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"jackfield/backend/mcp/wire"
	"jackfield/backend/store"
)

// shifted is a clock that a test sets forward.
type shifted struct{ by atomic.Int64 }

func (c *shifted) Now() time.Time                         { return time.Now().Add(time.Duration(c.by.Load())) }
func (c *shifted) After(d time.Duration) <-chan time.Time { return time.After(d) }

// renaming is a modern script whose only tool has another name in each list, and a list is fresh for so many milliseconds.
func renaming(ttl string) *script {
	var n atomic.Int64
	return &script{modern: true, answer: func(method string, _ json.RawMessage) (string, string) {
		if method != "tools/list" {
			return "", ""
		}
		return fmt.Sprintf(`{"resultType":"complete","ttlMs":%s,"cacheScope":"private","tools":[{"name":"t%d","inputSchema":{"type":"object"}}]}`, ttl, n.Add(1)), ""
	}}
}

// The library answers from a cache that nothing can empty while ttlMs runs.
func TestAManualRefreshGoesPastTheCache(t *testing.T) {
	m := connected(t, renaming("3600000"), Options{})
	if err := m.Discover(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	if names := toolNames(t, m); !slices.Equal(names, []string{"t2"}) {
		t.Errorf("tools = %q", names)
	}
}

func TestAListThatChangedIsNotFresh(t *testing.T) {
	s := renaming("3600000")
	s.answer = withHello(s.answer, `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}},"resultType":"complete"}`)
	m := connected(t, s, Options{})
	s.say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	eventually(t, "the new list", func() bool { return slices.Equal(toolNames(t, m), []string{"t2"}) })
}

func withHello(answer func(string, json.RawMessage) (string, string), hello string) func(string, json.RawMessage) (string, string) {
	return func(method string, params json.RawMessage) (string, string) {
		if method == "server/discover" {
			return hello, ""
		}
		return answer(method, params)
	}
}

// "SHOULD re-fetch on next access", and "SHOULD NOT treat TTL as a polling interval".
func TestAStaleCatalogIsFetchedWhenSomebodyLooks(t *testing.T) {
	clock := &shifted{}
	s := renaming("60000")
	m := connected(t, s, Options{Clock: clock})
	if names := toolNames(t, m); !slices.Equal(names, []string{"t1"}) || s.count("tools/list") != 1 {
		t.Errorf("tools = %q after %d requests", names, s.count("tools/list"))
	}
	clock.by.Store(int64(59 * time.Second))
	toolNames(t, m)
	clock.by.Store(int64(2 * time.Minute))
	time.Sleep(2 * refetchDelay) // nobody looks
	if n := s.count("tools/list"); n != 1 {
		t.Errorf("%d requests before anybody looked at the stale list", n)
	}
	eventually(t, "the new list", func() bool { return slices.Equal(toolNames(t, m), []string{"t2"}) })
	if n := s.count("tools/list"); n != 2 {
		t.Errorf("%d requests", n)
	}
	if n := s.count("prompts/list"); n != 1 {
		t.Errorf("a list without a time was asked for %d times", n)
	}
}

// A discovery that failed in one list does not ask again for the pages of another that are still fresh.
func TestFreshPagesAreNotAskedForAgain(t *testing.T) {
	s := renaming("60000")
	inner := s.answer
	var prompts atomic.Int64
	s.answer = func(method string, params json.RawMessage) (string, string) {
		if method == "prompts/list" && prompts.Add(1) == 1 {
			for s.count("tools/list") == 0 {
				time.Sleep(time.Millisecond)
			}
			time.Sleep(50 * time.Millisecond) // the other list is there
			return "", `{"code":-32603,"message":"not yet"}`
		}
		return inner(method, params)
	}
	m := withScript(t, s, Options{})
	if err := m.Connect(t.Context(), "s"); code(err) != CodeServerError {
		t.Fatalf("err = %v", err)
	}
	if err := m.Connect(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	if n := s.count("tools/list"); n != 1 {
		t.Errorf("%d requests for a list that is fresh", n)
	}
}

func TestFreshness(t *testing.T) {
	for raw, want := range map[string]time.Duration{
		`{"ttlMs":1500}`: 1500 * time.Millisecond, `{"ttlMs":1500.0}`: 1500 * time.Millisecond, `{"ttlMs":1e300}`: mostFresh,
		`{"ttlMs":0}`: 0, `{"ttlMs":-5}`: 0, `{"ttlMs":"60"}`: 0, `{}`: 0, `null`: 0,
	} {
		if got := freshness(json.RawMessage(raw), store.EraModern); got != want {
			t.Errorf("%s: %s, want %s", raw, got, want)
		}
	}
	if got := freshness(json.RawMessage(`{"ttlMs":1500}`), store.EraLegacy); got != 0 {
		t.Errorf("an unknown member of the older era was taken for %s", got)
	}
}

// mirroring is a modern server over HTTP whose tool wants an argument in a header, which it checks as the specification has it.
type mirroring struct {
	*web
	header atomic.Value // the name of now
	calls  atomic.Int64
}

func newMirroring(t *testing.T) *mirroring {
	s := &mirroring{}
	s.header.Store("Region")
	s.web = newWeb(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		id, method := string(wire.Get(body, "id")), plain(wire.Get(body, "method"))
		w.Header().Set("Content-Type", "application/json")
		reply := func(kind, body string) { fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"%s":%s}`, id, kind, body) }
		switch method {
		case "server/discover":
			reply("result", `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"resultType":"complete"}`)
		case "tools/list":
			reply("result", fmt.Sprintf(`{"resultType":"complete","ttlMs":3600000,"tools":[{"name":"t","inputSchema":{"type":"object","properties":{"r":{"type":"string","x-mcp-header":%q}}}}]}`, s.header.Load()))
		case "tools/call":
			s.calls.Add(1)
			if r.Header.Get("Mcp-Param-"+s.header.Load().(string)) != "eu" {
				w.WriteHeader(http.StatusBadRequest)
				reply("error", `{"code":-32020,"message":"Header mismatch"}`)
				return
			}
			reply("result", `{"resultType":"complete","content":[]}`)
		default:
			w.WriteHeader(http.StatusNotFound)
			reply("error", `{"code":-32601,"message":"no"}`)
		}
	}))
	return s
}

func (s *mirroring) call(m *Manager, t *testing.T) (Call, error) {
	request := callT()
	request.Arguments = json.RawMessage(`{"r":"eu"}`)
	return m.Call(t.Context(), request)
}

func (s *mirroring) start(t *testing.T) *Manager {
	m := start(t, Options{}, false)
	if _, err := m.Register(t.Context(), store.Server{ID: "s", Transport: store.TransportStreamableHTTP, URL: s.URL, Enabled: true}); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestACallBeforeTheListStillHasItsHeaders(t *testing.T) {
	s := newMirroring(t)
	m := s.start(t)
	if call, err := s.call(m, t); err != nil || call.Outcome != store.OutcomeDone || s.calls.Load() != 1 {
		t.Errorf("call = %+v, %v, sent %d times", call, err, s.calls.Load())
	}
}

func TestACallWithOldHeadersIsSentOnceMoreWithTheNew(t *testing.T) {
	s := newMirroring(t)
	m := s.start(t)
	if err := m.Connect(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	s.header.Store("Zone")
	call, err := s.call(m, t)
	if err != nil || call.Outcome != store.OutcomeDone || s.calls.Load() != 2 {
		t.Errorf("call = %+v, %v, sent %d times", call, err, s.calls.Load())
	}
	if len(call.Problems) != 1 || call.Problems[0].Code != "header_mismatch" {
		t.Errorf("problems = %+v", call.Problems)
	}
	catalog, err := m.Catalog("s")
	if err != nil || !strings.Contains(string(catalog.Tools[0].InputSchema), "Zone") {
		t.Errorf("catalog = %+v, %v", catalog, err)
	}
}

func TestHeadersThatNeverMatchFailTheCall(t *testing.T) {
	s := newMirroring(t)
	m := s.start(t)
	if err := m.Connect(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	request := callT()
	request.Arguments = json.RawMessage(`{"r":"us"}`)
	call, err := m.Call(t.Context(), request)
	if code(err) != CodeServerError || call.Outcome != store.OutcomeFailed || s.calls.Load() != 2 {
		t.Errorf("call = %+v, %v, sent %d times", call, err, s.calls.Load())
	}
}

// What is neither complete nor input_required is invalid; a legacy server may write there what it likes.
func TestAResultOfAnUnknownTypeIsNoSuccess(t *testing.T) {
	for _, modern := range []bool{true, false} {
		s := answering(func(json.RawMessage) (string, string) {
			return `{"resultType":"task","taskId":"7","content":[]}`, ""
		})
		s.modern = modern
		m := connected(t, s, Options{})
		call, err := m.Call(t.Context(), callT())
		if modern && (code(err) != CodeProtocol || call.Outcome != store.OutcomeFailed || !strings.Contains(call.Failure.Message, `"task"`)) || !modern && err != nil {
			t.Errorf("modern %t: call = %+v, %v", modern, call, err)
		}
		if !strings.Contains(string(call.Result), `"taskId":"7"`) {
			t.Errorf("the result is gone: %s", call.Result)
		}
	}
}

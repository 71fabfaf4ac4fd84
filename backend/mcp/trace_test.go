package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"jackfield/backend/mcp/wire"
	"jackfield/backend/store"
	"jackfield/backend/store/vault"
)

// ns are the numbers of messages as text.
func ns(messages []Message) string {
	var list []string
	for _, m := range messages {
		list = append(list, fmt.Sprint(m.N))
	}
	return strings.Join(list, " ")
}

func TestTraceIsFiltered(t *testing.T) {
	r := newRecorder(0, nil)
	add := func(dir wire.Direction, method, raw string, status int) {
		r.add(messageOf("s", wire.Record{Dir: dir, Method: method, Raw: []byte(raw), Status: status}), []byte(raw), nil)
	}
	add(wire.Out, "", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"q":"Zürich"}}`, 0)
	add(wire.In, "tools/call", `{"jsonrpc":"2.0","id":1,"result":{"content":[],"isError":true}}`, 200)
	add(wire.Out, "", `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, 0)
	add(wire.In, "tools/list", `{"jsonrpc":"2.0","id":2,"error":{"code":-1,"message":"no"}}`, 200)
	add(wire.Stderr, "", "a line", 0)
	add(wire.In, "", `{"jsonrpc":"2.0","method":"notifications/progress"}`, 200)
	add(wire.In, "tools/call", `{"jsonrpc":"2.0","id":9,"result":{"content":[]}}`, 200)
	add(wire.In, "", `not found`, 404)
	for name, c := range map[string]struct {
		filter TraceFilter
		want   string
	}{
		"direction":         {TraceFilter{Dir: Out}, "1 3"},
		"lines of stderr":   {TraceFilter{Dir: Stderr}, "5"},
		"kind":              {TraceFilter{Kind: "notification"}, "6"},
		"method":            {TraceFilter{Method: "TOOLS/"}, "1 2 3 4 7"},
		"errors only":       {TraceFilter{Errors: true}, "2 4 8"},
		"text beyond ASCII": {TraceFilter{Text: "zÜRICH"}, "1"},
		"all":               {TraceFilter{Limit: -1}, "1 2 3 4 5 6 7 8"},
	} {
		if got := ns(r.list(c.filter)); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestRequestAndResponseAreLinked(t *testing.T) {
	r := newRecorder(0, nil)
	add := func(server string, dir wire.Direction, raw string) uint64 {
		return r.add(messageOf(server, wire.Record{Dir: dir, Raw: []byte(raw)}), []byte(raw), nil).Pair
	}
	add("a", wire.Out, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	add("b", wire.Out, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	add("a", wire.In, `{"jsonrpc":"2.0","id":1,"method":"elicitation/create"}`) // an id of the server's own
	if n := add("a", wire.In, `{"jsonrpc":"2.0","id":1,"result":{}}`); n != 1 {
		t.Errorf("the response is linked to %d", n)
	}
	if n := add("a", wire.Out, `{"jsonrpc":"2.0","id":1,"result":{}}`); n != 3 {
		t.Errorf("our answer is linked to %d", n)
	}
	if n := add("a", wire.In, `{"jsonrpc":"2.0","id":1,"result":{}}`); n != 0 {
		t.Errorf("a second response is linked to %d", n)
	}
	var pairs []uint64
	for _, m := range r.list(TraceFilter{}) {
		pairs = append(pairs, m.Pair)
	}
	if !slices.Equal(pairs, []uint64{4, 0, 5, 1, 3, 0}) {
		t.Errorf("%v", pairs)
	}
}

func TestContainsFold(t *testing.T) {
	long := strings.Repeat("x", 5000) + "NeedlE" + strings.Repeat("x", 5000)
	for _, c := range []struct {
		text, needle string
		want         bool
	}{
		{"", "", true},
		{"", "a", false},
		{"abc", "abc", true},
		{"ABC", "abc", true},
		{"ab", "abc", false},
		{"aab", "ab", true},
		{"xa", "a", true},
		{long, "needle", true},
		{long, "needles", false},
		{"a1b2", "1b", true},
		{"ÄÖÜ", "äöü", true},
		{"äö", "öä", false},
		{strings.Repeat("é", 1<<20) + "Ü!", "ü!", true},
	} {
		if got := containsFold([]byte(c.text), []byte(c.needle)); got != c.want {
			t.Errorf("%.20q in %.20q: %v", c.needle, c.text, got)
		}
	}
}

// spilling is a recorder whose large bodies go to a directory.
func spillingRecorder(t *testing.T, budget, disk int64) (r *recorder, root string) {
	t.Helper()
	root = filepath.Join(t.TempDir(), "trace")
	r = newRecorder(budget, nil)
	r.spill = newSpill(root, disk, r, func(err error) { t.Errorf("spill: %v", err) })
	t.Cleanup(func() {
		if err := r.close(); err != nil {
			t.Error(err)
		}
		if left, err := filepath.Glob(filepath.Join(root, "*")); err != nil || len(left) != 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	})
	return r, root
}

func placeOf(r *recorder, n uint64) place {
	entry, err := r.find(n)
	if err != nil {
		return notKept
	}
	return entry.place
}

func TestLargeBodiesGoToTheDisk(t *testing.T) {
	const size = spillFrom
	r, root := spillingRecorder(t, 4*messageOverhead+1000, 3*size+100)
	body := func(i int) []byte {
		return append(bytes.Repeat([]byte("x"), size-10), fmt.Appendf(nil, "Mark%06d", i)...)
	}
	for i := 1; i <= 3; i++ {
		r.add(Message{ServerID: "s", Bytes: size}, body(i), nil)
		eventually(t, "on disk", func() bool { return placeOf(r, uint64(i)) == onDisk })
	}
	if raw, err := r.body(2); err != nil || !bytes.Equal(raw, body(2)) {
		t.Fatalf("%d bytes, %v", len(raw), err)
	}
	if got := ns(r.list(TraceFilter{Text: "mark000003"})); got != "3" {
		t.Errorf("found in %q", got)
	}
	info, err := os.Stat(filepath.Dir(r.spill.path(1)))
	if err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	// The oldest body makes way on the disk, its message stays.
	r.add(Message{ServerID: "s", Bytes: size}, body(4), nil)
	eventually(t, "the oldest body is gone", func() bool { return placeOf(r, 1) == notKept && placeOf(r, 4) == onDisk })
	if _, err := r.body(1); code(err) != CodeUnknownItem {
		t.Errorf("%v", err)
	}
	if got := ns(r.list(TraceFilter{})); got != "1 2 3 4" {
		t.Errorf("%s", got)
	}
	// A message that leaves the trace takes its file along, and a removed server all of its own.
	for range 3 {
		r.add(Message{ServerID: "other"}, []byte("x"), nil)
	}
	r.forget("s")
	files := func() int {
		names, err := filepath.Glob(filepath.Join(root, runPrefix+"*", "[0-9]*"))
		if err != nil {
			t.Fatal(err)
		}
		return len(names)
	}
	eventually(t, "no files", func() bool { return files() == 0 })
	r.mu.Lock()
	defer r.mu.Unlock()
	want := int64(0)
	for _, e := range r.entries {
		want += e.cost()
	}
	if r.used != want {
		t.Errorf("used %d, entries cost %d", r.used, want)
	}
}

// What cannot be written stays in memory, within the budget, and that is told.
func TestTraceWithoutADisk(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	told := make(chan error, 10)
	r := newRecorder(3*spillFrom, nil)
	r.spill = newSpill(filepath.Join(file, "trace"), 0, r, func(err error) { told <- err })
	defer func() { _ = r.close() }()
	r.add(Message{}, make([]byte, spillFrom), nil)
	<-told
	if raw, err := r.body(1); err != nil || len(raw) != spillFrom {
		t.Fatalf("%d, %v", len(raw), err)
	}
	for range 5 {
		r.add(Message{}, make([]byte, spillFrom), nil)
	}
	if got := r.list(TraceFilter{}); len(got) != 2 {
		t.Errorf("%d messages over the budget", len(got))
	}
}

// The directory of a run that crashed is swept, that of one that lives is not.
func TestSweepOfTraces(t *testing.T) {
	r, root := spillingRecorder(t, 0, 0)
	crashed := filepath.Join(root, runPrefix+"crashed")
	if err := os.MkdirAll(crashed, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{lockName, "7"} {
		if err := os.WriteFile(filepath.Join(crashed, name), []byte("secret"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r.add(Message{}, make([]byte, spillFrom), nil)
	eventually(t, "on disk", func() bool { return placeOf(r, 1) == onDisk })
	if _, err := os.Stat(crashed); !os.IsNotExist(err) {
		t.Errorf("the crashed run is still there: %v", err)
	}
	if err := sweepTraces(root); err != nil {
		t.Error(err)
	}
	if _, err := r.body(1); err != nil {
		t.Errorf("the sweep took what a live run has: %v", err)
	}
}

// A reader that does not come to an end stops nobody who adds: the lock is not held while the trace is read.
func TestAReaderBlocksNoWriter(t *testing.T) {
	r := newRecorder(0, nil)
	r.add(Message{}, []byte("first"), nil)
	reading, release := make(chan struct{}), make(chan struct{})
	finished := make(chan error, 1)
	go func() {
		finished <- r.export(writerFunc(func(p []byte) (int, error) {
			close(reading)
			<-release
			return len(p), nil
		}), TraceJSONL, TraceFilter{}, Implementation{})
	}()
	<-reading
	for range 1000 {
		r.add(Message{}, []byte("more"), nil) // would hang
	}
	close(release)
	if err := <-finished; err != nil {
		t.Error(err)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// BenchmarkTraceWhileSearched measures adding to a full trace, alone and while somebody searches it all the time.
func BenchmarkTraceWhileSearched(b *testing.B) {
	for _, searched := range []bool{false, true} {
		b.Run(fmt.Sprintf("searched=%v", searched), func(b *testing.B) {
			r := newRecorder(0, nil)
			raw := []byte(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"` + strings.Repeat("x", 400) + `"}]}}`)
			for range 70_000 {
				r.add(Message{ServerID: "s"}, raw, nil)
			}
			stop, stopped := make(chan struct{}), make(chan struct{})
			go func() {
				defer close(stopped)
				for searched {
					select {
					case <-stop:
						return
					default:
						r.list(TraceFilter{Text: "nowhere"})
					}
				}
			}()
			for b.Loop() {
				r.add(Message{ServerID: "s"}, raw, nil)
			}
			close(stop)
			<-stopped
		})
	}
}

// An export over HTTP holds what was sent and answered, in both formats, and none of the secrets: not in headers, not in the address, not
// in a body or on a page that gives them back.
func TestExportsHoldNoSecret(t *testing.T) {
	const token, key, cookie = "tok-0123456789", `k"ey-abcdefgh`, "sid=cookie-value-1"
	s := newServer(nil)
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil)
	f := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Set-Cookie", cookie)
		w.Header().Set("X-Seen", "plain")
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(f.Close) // after the Manager's end, which ends the stream
	var sunk bytes.Buffer
	m := start(t, Options{Trace: func(_ Message, raw []byte) { sunk.Write(raw) }}, false)
	id, err := m.Adhoc(t.Context(), store.Server{
		Name: "x", Transport: store.TransportStreamableHTTP, Era: store.EraLegacy, URL: f.URL + "/mcp?api_key=" + token + "&page=2",
		Headers: []store.Variable{
			{Name: "Authorization", Value: "Bearer " + token},
			{Name: "X-Mine", Secret: true, Hidden: vault.NewSecret(key)},
			{Name: "X-Open", Value: "visible"},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	arguments, err := json.Marshal(map[string]string{"echo": token + " " + key})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Call(t.Context(), CallRequest{ServerID: id, Kind: store.KindTool, Name: "echo", Arguments: arguments}); err != nil {
		t.Fatal(err)
	}
	for _, format := range []TraceFormat{TraceJSONL, TraceHAR} {
		var out bytes.Buffer
		if err := m.ExportTrace(&out, format, TraceFilter{}); err != nil {
			t.Fatal(err)
		}
		text := out.String()
		for _, secret := range []string{token, key, `k\"ey-abcdefgh`, `k\\\"ey-abcdefgh`, `k\\\\\\\"ey`, "ey-abcdefgh", "cookie-value-1"} {
			if strings.Contains(text, secret) {
				t.Errorf("%s holds %q", format, secret)
			}
		}
		for _, shown := range []string{"visible", "plain", "page=2", "tools/call", "Bearer ***"} {
			if !strings.Contains(text, shown) {
				t.Errorf("%s lacks %q", format, shown)
			}
		}
		if format == TraceHAR {
			checkHAR(t, out.Bytes())
			continue
		}
		for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
			var entry traceLine
			if err := json.Unmarshal([]byte(line), &entry); err != nil || entry.T == "" || entry.N == 0 || entry.ServerID != id {
				t.Errorf("%v: %s", err, line)
			}
		}
	}
	messages := m.Trace(TraceFilter{Method: "tools/call"})
	if len(messages) != 2 || messages[0].Pair != messages[1].N || messages[1].Pair != messages[0].N || messages[1].Era != store.EraLegacy {
		t.Fatalf("%+v", messages)
	}
	detail, err := m.TraceDetail(messages[1].N)
	if err != nil || detail.Head == nil || detail.Head.Status != 200 || detail.Head.ResponseHeader.Get("X-Seen") != "plain" || detail.Head.RequestHeader.Get("Authorization") != "Bearer ***" {
		t.Errorf("%+v, %v", detail.Head, err)
	}
	if strings.Contains(sunk.String(), "ey-abcdefgh") {
		t.Error("the sink was shown a secret")
	}
}

// checkHAR checks what HAR 1.2 demands of every entry, member by member.
func checkHAR(t *testing.T, document []byte) {
	t.Helper()
	var har struct {
		Log struct {
			Version string
			Creator map[string]string
			Entries []map[string]any
		}
	}
	if err := json.Unmarshal(document, &har); err != nil {
		t.Fatal(err)
	}
	if har.Log.Version != "1.2" || har.Log.Creator["name"] == "" || har.Log.Creator["version"] == "" || len(har.Log.Entries) < 4 {
		t.Fatalf("%+v", har.Log)
	}
	needs := map[string][]string{
		"":         {"startedDateTime", "time", "request", "response", "cache", "timings"},
		"request":  {"method", "url", "httpVersion", "cookies", "headers", "queryString", "headersSize", "bodySize"},
		"response": {"status", "statusText", "httpVersion", "cookies", "headers", "content", "redirectURL", "headersSize", "bodySize"},
		"timings":  {"send", "wait", "receive"},
	}
	for _, entry := range har.Log.Entries {
		for part, members := range needs {
			object := entry
			if part != "" {
				object = entry[part].(map[string]any)
			}
			for _, member := range members {
				if object[member] == nil {
					t.Errorf("%s lacks %s: %v", part, member, object)
				}
			}
		}
		timings := entry["timings"].(map[string]any)
		if sum := timings["send"].(float64) + timings["wait"].(float64) + timings["receive"].(float64); sum-entry["time"].(float64) > 0.01 || timings["receive"].(float64) < 0 {
			t.Errorf("time %v, timings %v", entry["time"], timings)
		}
	}
}

// HAR has no place for processes: an archive of one is empty, valid, and says what is missing.
func TestHAROfAProcessSaysWhatIsMissing(t *testing.T) {
	m := builtin(t, newServer(nil), Options{})
	var out bytes.Buffer
	if err := m.ExportTrace(&out, TraceHAR, TraceFilter{}); err != nil {
		t.Fatal(err)
	}
	var har struct {
		Log struct {
			Comment string
			Entries []any
		}
	}
	if err := json.Unmarshal(out.Bytes(), &har); err != nil || len(har.Log.Entries) != 0 || !strings.Contains(har.Log.Comment, "did not go over HTTP") {
		t.Errorf("%v: %s", err, out.String())
	}
	if err := m.ExportTrace(io.Discard, "pdf", TraceFilter{}); code(err) != CodeUsage {
		t.Errorf("%v", err)
	}
}

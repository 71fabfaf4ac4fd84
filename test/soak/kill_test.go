//go:build soak

package soak

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"jackfield/backend"
	"jackfield/backend/mcp"
	"jackfield/backend/store"
)

// steady are the entries that no crash may harm.
func steady(url string) []store.Server {
	var servers []store.Server
	for i := range 5 {
		servers = append(servers, store.Server{
			ID: fmt.Sprintf("steady-%d", i), Name: fmt.Sprintf("Steady %d", i), Transport: store.TransportStreamableHTTP, URL: url,
			Headers: []store.Variable{{Name: "X-Steady", Value: fmt.Sprint(i)}}, Enabled: true,
			Timeouts: store.Timeouts{CallIdle: 5 * time.Second},
		})
	}
	return servers
}

// writeHistory is the program that is killed: the real back end, whose history, servers and large results are written from several
// goroutines. It prints "stored ID" for a call when the history has shown it, which is the promise that it will be there later, and
// "named NAME" when an edit has returned.
func writeHistory(dir, url string) error {
	ctx := context.Background()
	b, err := backend.Open(ctx, backend.Options{DataDir: dir, Restore: true})
	if err != nil {
		return err
	}
	var out sync.Mutex
	say := func(format string, args ...any) {
		out.Lock()
		defer out.Unlock()
		fmt.Printf(format+"\n", args...)
	}
	failed := make(chan error)
	for i, server := range steady(url) {
		go func() {
			for n := 0; ; n++ {
				if err := storeOne(ctx, b.Manager, server.ID, n, say); err != nil {
					failed <- fmt.Errorf("goroutine %d: %w", i, err)
					return
				}
			}
		}()
	}
	go func() {
		for n := 0; ; n++ {
			if err := renameOne(ctx, b.Manager, url, n, say); err != nil {
				failed <- fmt.Errorf("editing: %w", err)
				return
			}
		}
	}()
	return <-failed
}

func storeOne(ctx context.Context, m *mcp.Manager, id string, n int, say func(string, ...any)) error {
	size := 100
	if n%7 == 3 {
		size = 1<<20 + 100 // kept as a file beside the data file
	}
	call, err := m.Call(ctx, mcp.CallRequest{ServerID: id, Kind: store.KindTool, Name: "fill", Arguments: fmt.Appendf(nil, `{"size":%d}`, size)})
	if _, known := errors.AsType[*mcp.Error](err); known {
		// On a busy machine a handshake may take longer than its limit. That is not what this is about.
		time.Sleep(50 * time.Millisecond)
		return nil
	}
	if err != nil {
		return err
	}
	if n%3 != 0 {
		return nil // most of the time several calls are on their way to the disk
	}
	if _, err := m.HistoryCall(ctx, call.ID); err != nil {
		return err
	}
	say("stored %s", call.ID)
	return nil
}

func renameOne(ctx context.Context, m *mcp.Manager, url string, n int, say func(string, ...any)) error {
	entry := store.Server{ID: "renamed", Name: fmt.Sprintf("Name %d", n), Transport: store.TransportStreamableHTTP, URL: url}
	if _, err := m.Status(entry.ID); errors.Is(err, mcp.ErrUnknownServer) {
		if _, err := m.Register(ctx, entry); err != nil {
			return err
		}
	} else if err := m.Edit(ctx, entry); err != nil {
		return err
	}
	say("named %s", entry.Name)
	passing, err := m.Register(ctx, store.Server{Name: "Passing", Transport: store.TransportStreamableHTTP, URL: url})
	if err != nil {
		return err
	}
	return m.Remove(ctx, passing)
}

// filler is a modern server whose tool "fill" returns as much text as it is asked for.
func filler(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Arguments struct{ Size int }
			}
		}
		if r.Method != http.MethodPost || json.Unmarshal(body, &m) != nil {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		result := map[string]string{
			"server/discover": `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"filler","version":"1"}}}`,
			"tools/list":      `{"resultType":"complete","tools":[{"name":"fill","inputSchema":{"type":"object"}}]}`,
		}[m.Method]
		if m.Method == "tools/call" {
			result = `{"resultType":"complete","content":[{"type":"text","text":"` + strings.Repeat("x", m.Params.Arguments.Size) + `"}]}`
		}
		w.Header().Set("Content-Type", "application/json")
		if result == "" {
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`, m.ID)
			return
		}
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
	}))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL
}

// killed runs the program once, kills it at a random moment, and returns what it had promised.
func killed(t *testing.T, random *rand.Rand, dir, url string) (stored []string, named string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(self)
	command.Env = append(os.Environ(), role+"=history", "JACKFIELD_SOAK_DIR="+dir, "JACKFIELD_SOAK_URL="+url)
	var complaints bytes.Buffer
	command.Stderr = &complaints
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	// One kill in five comes while the program still opens its file, the others while it writes: counted from its first promise.
	opening := random.IntN(5) == 0
	delay := time.Duration(random.Int64N(int64(500 * time.Millisecond)))
	kill := func() {
		if err := command.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Errorf("killing: %v", err)
		}
	}
	var timer *time.Timer
	if opening {
		timer = time.AfterFunc(delay, kill)
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		what, value, _ := strings.Cut(lines.Text(), " ")
		switch what {
		case "stored":
			stored = append(stored, value)
			if timer == nil {
				timer = time.AfterFunc(delay, kill)
			}
		case "named":
			named = value
		}
	}
	if timer != nil {
		timer.Stop()
	}
	kill()
	var exit *exec.ExitError
	if err := command.Wait(); !errors.As(err, &exit) || exit.Exited() {
		t.Errorf("the program ended by itself: %v\n%s", err, complaints.String())
	}
	return stored, named
}

// verify looks at the file as SQLite sees it, and then as the program does.
func verify(t *testing.T, dir string, stored []string, named, url string) (rows int) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "jackfield.db"))
	if err != nil {
		t.Fatal(err)
	}
	var verdict string
	if err := db.QueryRow("PRAGMA integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
		t.Errorf("integrity_check: %s %v", verdict, err)
	}
	var broken int
	if err := db.QueryRow("SELECT count(*) FROM pragma_foreign_key_check").Scan(&broken); err != nil || broken != 0 {
		t.Errorf("foreign_key_check: %d rows, %v", broken, err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}

	s, err := store.Open(t.Context(), dir)
	if err != nil {
		t.Fatalf("opening after a kill: %v", err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	if _, err := s.FinishRunning(t.Context()); err != nil {
		t.Error(err)
	}
	for _, id := range stored {
		call, err := s.Call(t.Context(), id)
		if err != nil {
			t.Errorf("a call that was stored: %v", err)
			continue
		}
		if call.Outcome != store.OutcomeDone || len(call.Result) != call.Size || !json.Valid(call.Result) {
			t.Errorf("call %s: outcome %s, %d of %d bytes", id, call.Outcome, len(call.Result), call.Size)
		}
	}
	history, err := s.Calls(t.Context(), store.CallFilter{Limit: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	for _, call := range history {
		if call.Outcome == store.OutcomeRunning {
			t.Errorf("call %s of the killed program still counts as running", call.ID)
		}
	}
	checkServers(t, s, named, url)
	return len(history)
}

func checkServers(t *testing.T, s *store.Store, named, url string) {
	t.Helper()
	for _, want := range steady(url) {
		got, err := s.Server(t.Context(), want.ID)
		if err != nil {
			t.Errorf("server %s: %v", want.ID, err)
			continue
		}
		if got.Name != want.Name || got.URL != want.URL || !got.Enabled || got.Timeouts != want.Timeouts ||
			len(got.Headers) != 1 || got.Headers[0] != want.Headers[0] {
			t.Errorf("server %s was changed: %+v", want.ID, got)
		}
	}
	if named == "" {
		return
	}
	// An edit that had returned holds; the next one may have come through as well.
	got, err := s.Server(t.Context(), "renamed")
	var last, now int
	_, _ = fmt.Sscanf(named, "Name %d", &last)
	_, _ = fmt.Sscanf(got.Name, "Name %d", &now)
	if err != nil || now != last && now != last+1 {
		t.Errorf("the edited server is %q after %q had been stored: %v", got.Name, named, err)
	}
}

func TestKillsDuringWritesLoseNothingThatWasStored(t *testing.T) {
	random := chance(t)
	kills := 20
	if long() {
		kills = 100
	}
	dir, url := t.TempDir(), filler(t)
	b, err := backend.Open(t.Context(), backend.Options{DataDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	for _, server := range steady(url) {
		if _, err := b.Manager.Register(t.Context(), server); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	var promised []string
	rows, idle := 0, 0
	for i := range kills {
		stored, named := killed(t, random, dir, url)
		promised = append(promised, stored...)
		if len(stored) == 0 {
			idle++
		}
		now := verify(t, dir, promised, named, url)
		if now < rows+len(stored) {
			t.Errorf("kill %d: %d rows in the history after %d and %d more that were stored", i+1, now, rows, len(stored))
		}
		rows = now
		if t.Failed() {
			t.Fatalf("after kill %d of %d", i+1, kills)
		}
	}
	if len(promised) < kills {
		t.Errorf("only %d calls were stored in %d runs: the kills hit nothing", len(promised), kills)
	}
	t.Logf("%d kills (%d before the first call was stored): %d calls reported as stored, all there; %d rows", kills, idle, len(promised), rows)
}

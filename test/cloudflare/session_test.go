//go:build cloudflare

package cloudflare

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"jackfield/backend"
	"jackfield/backend/mcp"
	"jackfield/backend/store"
)

// idOf is the raw id of a request.
func idOf(body string) string {
	var m struct{ ID json.RawMessage }
	_ = json.Unmarshal([]byte(body), &m) // what has no id is no request
	return string(m.ID)
}

func TestCheck32OnlyWhatCanBeAskedIsAdvertised(t *testing.T) {
	for _, test := range []struct {
		modes []mcp.AskMode
		want  string
	}{
		{nil, ""},
		{[]mcp.AskMode{mcp.AskForm}, `{"form":{}}`},
		{bothModes, `{"form":{},"url":{}}`},
	} {
		p := tapped(t)
		connected(t, p.URL+"/mcp", test.modes...)
		var m struct {
			Params struct{ Capabilities map[string]json.RawMessage }
		}
		if err := json.Unmarshal([]byte(p.rpc("initialize")[0].body), &m); err != nil {
			t.Fatal(err)
		}
		if got := string(m.Params.Capabilities["elicitation"]); got != test.want {
			t.Errorf("%v: %s", test.modes, got)
		}
	}
}

func TestCheck33EveryRestoredConnectionCanAsk(t *testing.T) {
	p := tapped(t)
	m := restored(t, bothModes, entry("a", p.URL+"/mcp"), entry("b", p.URL+"/mcp"), entry("c", p.URL+"/v2"), entry("d", p.URL+"/sse"))
	m.Wait(t.Context())
	for _, s := range m.Snapshot().Servers {
		if s.State != mcp.StateReady || s.Counts.Tools == 0 {
			t.Errorf("%s: %s %s", s.Server.ID, s.State, s.Detail)
		}
	}
	for _, hello := range p.rpc("initialize") {
		if !strings.Contains(hello.body, `"elicitation":{"form":{},"url":{}}`) {
			t.Errorf("%s", hello.body)
		}
	}
}

func TestCheck34AFormIsCheckedAndItsAnswerArrives(t *testing.T) {
	p := tapped(t)
	for _, path := range []string{"/mcp", "/v2", "/sse"} {
		for action, want := range map[mcp.AskAction]string{mcp.ActionAccept: "total ", mcp.ActionDecline: "decline", mcp.ActionCancel: "cancel"} {
			m := connected(t, p.URL+path, bothModes...)
			answer := mcp.Answer{Action: action}
			tries := []mcp.Answer{answer}
			if action == mcp.ActionAccept {
				answer.Content = json.RawMessage(`{"amount":7}`)
				// The marked ones do not fit the schema: text, too much, nothing.
				tries = []mcp.Answer{
					{Action: action, Content: json.RawMessage(`{"amount":"wrong"}`)},
					{Action: action, Content: json.RawMessage(`{"amount":101,"wrong":1}`)},
					{Action: action, Content: json.RawMessage(`{"wrong":1}`)},
					answer,
				}
			}
			asked := answering(t, m, always(tries...))
			says(t, m, "form", `{}`, want)
			if got := asked(); len(got) != 1 || got[0].Mode != mcp.AskForm || got[0].Message != "How much?" || got[0].CallName != "form" {
				t.Errorf("%s: asked %+v", path, got)
			}
		}
	}
}

func TestCheck35AVisitIsShownAndNothingIsFetched(t *testing.T) {
	p := tapped(t)
	m := connected(t, p.URL+"/mcp", bothModes...)
	asked := answering(t, m, always(mcp.Answer{Action: mcp.ActionAccept}))
	says(t, m, "visit", `{}`, "visit: accept")
	got := asked()
	if len(got) != 1 || got[0].Mode != mcp.AskURL || !strings.HasPrefix(got[0].URL, "https://example.com/visit?id=") || got[0].URLID == "" {
		t.Errorf("asked %+v", got)
	}
}

func TestCheck36ARequiredVisitIsOfferedAndTheCallNotRepeated(t *testing.T) {
	p := tapped(t)
	m := connected(t, p.URL+"/mcp", bothModes...)
	got, err := call(t.Context(), m, "blocked", `{}`)
	failure := got.Failure
	if code(err) != mcp.CodeVisitRequired || failure == nil {
		t.Fatalf("%+v %v", got, err)
	}
	eventually(t, "the address is offered", func() bool {
		asks := m.Snapshot().Asks
		return len(asks) == 1 && asks[0].URL == "https://example.com/first" && asks[0].CallEnded
	})
	if n := len(p.all(func(s seen) bool { return s.name == "blocked" })); n != 1 {
		t.Errorf("it was called %d times", n)
	}
	says(t, m, "add", `{"n":1}`, "runs 2") // blocked ran once, this once
}

func TestCheck37RoundsOfAStatelessServer(t *testing.T) {
	p := tapped(t)
	for _, path := range []string{"/v2", "/v2-strict"} {
		m := connected(t, p.URL+path, bothModes...)
		if s := status(t, m, "s"); s.Era != store.EraModern {
			t.Errorf("%s: era %s", path, s.Era)
		}
		answering(t, m, func(ask mcp.Ask) []mcp.Answer {
			if ask.Mode == mcp.AskForm {
				return []mcp.Answer{{Action: mcp.ActionAccept, Content: json.RawMessage(`{"amount":1}`)}}
			}
			return []mcp.Answer{{Action: mcp.ActionAccept}}
		})
		says(t, m, "form", `{}`, "total ")
		says(t, m, "visit", `{}`, "visit: accept")
		visits := p.all(func(s seen) bool { return s.name == "visit" })
		last := visits[len(visits)-2:]
		if idOf(last[0].body) == idOf(last[1].body) {
			t.Error("the second round has the id of the first")
		}
		var second struct {
			Params struct{ RequestState string }
		}
		if err := json.Unmarshal([]byte(last[1].body), &second); err != nil || second.Params.RequestState != "kept \"as it is\" é" {
			t.Errorf("the state came back as %q: %v", second.Params.RequestState, err)
		}
		if got, err := call(t.Context(), m, "endless", `{}`); err == nil || got.Failure == nil {
			t.Errorf("endless rounds: %+v", got)
		}
		if s := status(t, m, "s"); s.State != mcp.StateReady {
			t.Errorf("afterwards: %s", s.State)
		}
	}
}

func TestCheck38ChangesOfACatalogArrive(t *testing.T) {
	p := tapped(t)
	m := connected(t, p.URL+"/mcp")
	says(t, m, "grow", `{"name":"leaf"}`, "grown")
	eventually(t, "the new tool", func() bool { return status(t, m, "s").Counts.Tools == 9 })

	modern, _ := manager(t, t.TempDir(), false)
	if _, err := modern.Add(t.Context(), entry("s", p.URL+"/v2")); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the stream is open", func() bool { return len(p.rpc("subscriptions/listen")) == 1 })
	before := status(t, modern, "s").Counts.Tools
	notify(t, t.Context(), "tools")
	eventually(t, "the new tool of the stateless server", func() bool { return status(t, modern, "s").Counts.Tools == before+1 })
	// The stream drops, and something changes meanwhile.
	p.CloseClientConnections()
	notify(t, t.Context(), "tools")
	eventually(t, "the stream is open again and the list complete", func() bool {
		return len(p.rpc("subscriptions/listen")) >= 2 && status(t, modern, "s").Counts.Tools == before+2
	})
}

// cutter ends the first answer to a call in the middle of its stream.
func cutter(p *tap, tool string, events int) {
	var once sync.Once
	p.take(func(w http.ResponseWriter, r *http.Request, s seen) bool {
		cut := false
		if s.name == tool {
			once.Do(func() { cut = true })
		}
		if !cut {
			return false
		}
		request, err := http.NewRequestWithContext(context.WithoutCancel(r.Context()), r.Method, workers.url+r.URL.Path, strings.NewReader(s.body))
		if err != nil {
			panic(err)
		}
		request.Header = r.Header.Clone()
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			panic(err)
		}
		defer response.Body.Close()
		w.Header().Set("Content-Type", response.Header.Get("Content-Type"))
		buffer := make([]byte, 1)
		var text strings.Builder
		for strings.Count(text.String(), "\n\n") < events {
			n, err := response.Body.Read(buffer)
			if err != nil {
				break
			}
			text.Write(buffer[:n])
			_, _ = w.Write(buffer[:n])
		}
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
}

func TestCheck39ACutStreamIsResumedAndTheToolRunsOnce(t *testing.T) {
	p := tapped(t)
	m := connected(t, p.URL+"/legacy")
	cutter(p, "slow", 3) // the priming event and two of the progress
	events, stop := m.Subscribe()
	defer stop()
	progress := map[float64]int{}
	var mu sync.Mutex
	go func() {
		last := 0.0
		for e := range events {
			if e.Type == mcp.EventCall && e.Call.Progress != nil && e.Call.Progress.Progress != last {
				mu.Lock()
				last = e.Call.Progress.Progress
				progress[last]++
				mu.Unlock()
			}
		}
	}()
	says(t, m, "slow", `{"steps":6,"ms":200}`, "runs 1")
	resumed := p.all(func(s seen) bool { return s.last != "" })
	if len(resumed) == 0 {
		t.Error("no Last-Event-ID was sent")
	}
	if n := len(p.all(func(s seen) bool { return s.name == "slow" })); n != 1 {
		t.Errorf("the tool was called %d times", n)
	}
	mu.Lock()
	defer mu.Unlock()
	for step, n := range progress {
		if n != 1 {
			t.Errorf("progress %v came %d times", step, n)
		}
	}
}

func TestCheck40AKeepaliveIsASignOfLife(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	t.Parallel()
	p := tapped(t)
	m, _ := manager(t, t.TempDir(), false)
	server := entry("s", p.URL+"/mcp")
	server.Timeouts.CallIdle = 27 * time.Second // the comments come every 25 s
	if _, err := m.Add(t.Context(), server); err != nil {
		t.Fatal(err)
	}
	says(t, m, "wait", `{"ms":29000}`, "waited 29000")
}

func TestCheck41ALostSessionIsRenewedAndTheCallRuns(t *testing.T) {
	p := tapped(t)
	m := connected(t, p.URL+"/mcp")
	session := p.rpc("tools/list")[0].session
	request, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, workers.url+"/mcp", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Mcp-Session-Id", session)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	says(t, m, "add", `{"n":5}`, "total 5, runs 1")
	if n := len(p.rpc("initialize")); n != 2 {
		t.Errorf("%d handshakes", n)
	}
}

func TestCheck42AFailedToolIsAnOutcomeAndTheConnectionGoesOn(t *testing.T) {
	p := tapped(t)
	m := connected(t, p.URL+"/mcp")
	got, err := call(t.Context(), m, "fail", `{}`)
	if err != nil || got.Outcome != store.OutcomeToolError || !strings.Contains(string(got.Result), "<b>failed</b>") || status(t, m, "s").State != mcp.StateReady {
		t.Errorf("%+v %v", got, err)
	}
}

func TestCheck43CancellingACallClosesItsAskAndTellsTheServer(t *testing.T) {
	p := tapped(t)
	m := connected(t, p.URL+"/mcp", bothModes...)
	ended := make(chan mcp.Call, 1)
	go func() {
		got, _ := m.Call(t.Context(), mcp.CallRequest{ID: "asking", ServerID: "s", Kind: store.KindTool, Name: "form"})
		ended <- got
	}()
	eventually(t, "the ask", func() bool { return len(m.Snapshot().Asks) == 1 })
	if err := m.CancelCall("asking"); err != nil {
		t.Fatal(err)
	}
	if got := <-ended; got.Outcome != store.OutcomeCancelled || len(m.Snapshot().Asks) != 0 {
		t.Errorf("%+v, %d asks", got, len(m.Snapshot().Asks))
	}
	eventually(t, "the server hears of it", func() bool { return len(p.rpc("notifications/cancelled")) == 1 })
}

// killedRole makes the test binary the program that is killed while it asks.
const killedRole = "JACKFIELD_CLOUDFLARE_KILLED"

func runKilled() error {
	dir, url, _ := strings.Cut(os.Getenv(killedRole), " ")
	ctx := context.Background()
	b, err := backend.Open(ctx, backend.Options{DataDir: dir, Modes: bothModes})
	if err != nil {
		return err
	}
	events, stop := b.Manager.Subscribe()
	defer stop()
	go func() {
		for e := range events {
			if e.Type != mcp.EventAsk {
				continue
			}
			// The row of the call is stored a moment after it began.
			if rows, err := b.Manager.History(ctx, store.CallFilter{}); err == nil && len(rows) == 1 {
				fmt.Println("asking")
			}
		}
	}()
	if _, err := b.Manager.Add(ctx, entry("s", url)); err != nil {
		return err
	}
	_, err = call(ctx, b.Manager, "form", `{}`)
	return err
}

func TestCheck44KilledWhileAskingNothingIsLeftOpenOrRepeated(t *testing.T) {
	p, dir := tapped(t), t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(self)
	command.Env = append(os.Environ(), killedRole+"="+dir+" "+p.URL+"/mcp")
	command.Stderr = os.Stderr
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fscanln(out, new(string)); err != nil {
		t.Fatal(err)
	}
	if err := command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = command.Wait() // it was killed

	b, err := backend.Open(t.Context(), backend.Options{DataDir: dir, Modes: bothModes, Restore: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if err := b.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	b.Manager.Wait(t.Context())
	if s := status(t, b.Manager, "s"); s.State != mcp.StateReady || len(b.Manager.Snapshot().Asks) != 0 {
		t.Errorf("%s, asks %+v", s.State, b.Manager.Snapshot().Asks)
	}
	history, err := b.Manager.History(t.Context(), store.CallFilter{ServerID: "s"})
	if err != nil || len(history) != 1 || history[0].Outcome != store.OutcomeFailed || history[0].Failure == nil {
		t.Errorf("history %+v, %v", history, err)
	}
	if n := len(p.all(func(s seen) bool { return s.name == "form" })); n != 1 {
		t.Errorf("the tool was called %d times", n)
	}
}

package app

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"jackfield/app/api"
	"jackfield/app/appearance"
	"jackfield/app/frames"
	"jackfield/backend"
	"jackfield/backend/mcp"
	"jackfield/backend/playground"
)

// openDesktop is the surface over a real back end with its real Playground, and without a window.
func openDesktop(t *testing.T) (*Desktop, <-chan api.Batch) {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	ctx, cancel := context.WithCancel(context.Background())
	b, err := backend.Open(ctx, backend.Options{
		DataDir: t.TempDir(), Log: log, Modes: []mcp.AskMode{mcp.AskForm, mcp.AskURL, mcp.AskSampling}, Restore: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	batches := make(chan api.Batch, 1<<12)
	d := &Desktop{ctx: ctx, backend: b, log: log, look: appearance.New(ctx, "light"), links: newLinks("/does/not/exist", false)}
	d.stream = newStream(b.Manager, func(batch api.Batch) { batches <- batch })
	d.windows = newAskWindows(b.Manager, []string{"/does/not/exist"}, log, d.answer)
	d.work.Go(func() { d.stream.run(ctx) })
	d.work.Go(func() { d.windows.run(ctx, api.Settings{AskWindow: "inline"}) })
	t.Cleanup(func() {
		cancel()
		closing, stop := context.WithTimeout(context.Background(), 20*time.Second)
		defer stop()
		if err := b.Close(closing); err != nil {
			t.Error(err)
		}
		d.work.Wait()
	})
	eventually(t, "the Playground", func() bool {
		snapshot, err := d.Ready()
		return err == nil && len(snapshot.Servers) == 1 && snapshot.Servers[0].State == string(mcp.StateReady)
	})
	return d, batches
}

func rejection(t *testing.T, err error) api.Failure {
	t.Helper()
	var failure api.Failure
	if err == nil {
		t.Fatal("no error")
	}
	if json.Unmarshal([]byte(err.Error()), &failure) != nil || failure.Message == "" || failure.Hint == "" {
		t.Fatalf("not a failure: %v", err)
	}
	return failure
}

func playgroundCall(id, tool, arguments string) api.CallRequest {
	return api.CallRequest{ID: id, ServerID: playground.ServerID, Kind: "tool", Name: tool, Arguments: arguments}
}

func TestCallThroughTheSurface(t *testing.T) {
	d, batches := openDesktop(t)
	call, err := d.Call(playgroundCall("c-1", "echo", `{"text":"hi"}`))
	if err != nil || call.Outcome != "done" || !strings.Contains(call.Result, "hi") {
		t.Fatalf("got %+v, %v", call, err)
	}
	for end := time.After(10 * time.Second); ; {
		var ended bool
		select {
		case batch := <-batches:
			for _, event := range batch.Events {
				ended = ended || event.Call != nil && event.Call.ID == "c-1" && event.Call.Outcome == "done"
			}
		case <-end:
			t.Fatal("the end of the call did not arrive as an event")
		}
		if ended {
			break
		}
	}
	failed, err := d.Call(playgroundCall("c2", "fail", `{}`))
	if err != nil || failed.Outcome != "error" {
		t.Errorf("a tool's own error: %+v, %v", failed, err)
	}
	rows, err := d.History(api.HistoryFilter{ServerID: playground.ServerID, Name: "echo"})
	if err != nil || len(rows) != 1 {
		t.Fatalf("history: %+v, %v", rows, err)
	}
	row, err := d.HistoryCall("c-1")
	if err != nil || row.Result != call.Result {
		t.Errorf("history call: %+v, %v", row, err)
	}
	if got := rejection(t, func() error { _, err := d.HistoryCall("none"); return err }()); got.Code != mcp.CodeUnknownItem {
		t.Errorf("an unknown call: %+v", got)
	}

	fallback := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	get := func(path string) *httptest.ResponseRecorder {
		recorder := httptest.NewRecorder()
		d.documents(fallback).ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, path, nil))
		if recorder.Header().Get("Content-Security-Policy") != frames.Policy {
			t.Errorf("%s has no policy", path)
		}
		return recorder
	}
	if got := get("/call/c-1/result"); got.Code != http.StatusOK || got.Body.String() != call.Result {
		t.Errorf("the result by URL: %d %s", got.Code, got.Body)
	}
	if got := get("/call/none/result"); got.Code != http.StatusNotFound {
		t.Errorf("an unknown result: %d %s", got.Code, got.Body)
	}
	if got := get("/index.html"); got.Code != http.StatusTeapot {
		t.Errorf("a page: %d", got.Code)
	}
	messages, err := d.Trace(api.TraceFilter{ServerID: playground.ServerID, CallID: "c-1"})
	if err != nil || len(messages) < 2 {
		t.Fatalf("trace: %+v, %v", messages, err)
	}
	body, err := d.TraceBody(messages[0].N)
	if err != nil || !strings.Contains(body, `"tools/call"`) {
		t.Errorf("trace body: %q, %v", body, err)
	}
	if got := get("/trace/" + messages[0].N); got.Body.String() != body {
		t.Errorf("the trace by URL: %d %s", got.Code, got.Body)
	}
	if got := get("/trace/x"); got.Code != http.StatusNotFound {
		t.Errorf("a trace that is no number: %d", got.Code)
	}
}

func TestAskThroughTheSurface(t *testing.T) {
	d, _ := openDesktop(t)
	type outcome struct {
		call api.Call
		err  error
	}
	done := make(chan outcome, 1)
	go func() {
		call, err := d.Call(playgroundCall("ask", "ask_form", `{}`))
		done <- outcome{call, err}
	}()
	var ask api.Ask
	eventually(t, "the ask", func() bool {
		snapshot, err := d.Snapshot()
		if err != nil || len(snapshot.Asks) != 1 {
			return false
		}
		ask = snapshot.Asks[0]
		return true
	})
	got := rejection(t, d.AnswerAsk(ask.ID, api.Answer{Action: "accept", Content: `{"name":"x"}`}))
	if got.Code != mcp.CodeInvalidAnswer || len(got.Fields) == 0 {
		t.Errorf("an answer that does not fit: %+v", got)
	}
	if got := rejection(t, d.AnswerAsk(ask.ID, api.Answer{Action: "maybe"})); got.Code != mcp.CodeUsage {
		t.Errorf("no answer at all: %+v", got)
	}
	if err := d.AnswerAsk(ask.ID, api.Answer{Action: "decline"}); err != nil {
		t.Fatal(err)
	}
	if got := <-done; got.err != nil || got.call.Outcome != "done" || len(got.call.Asks) != 1 || got.call.Asks[0].Action != "decline" {
		t.Errorf("the call: %+v", got)
	}
	if got := rejection(t, d.AnswerAsk(ask.ID, api.Answer{Action: "decline"})); got.Code != api.CodeAskClosed {
		t.Errorf("answering twice: %+v", got)
	}
}

func TestServersThroughTheSurface(t *testing.T) {
	d, _ := openDesktop(t)
	parsed, err := d.ParseServers("TOKEN=s3cr3t /does/not/exist --flag")
	if err != nil || len(parsed.Servers) != 1 || !parsed.Servers[0].Env[0].Secret || len(parsed.Notes) == 0 {
		t.Fatalf("got %+v, %v", parsed, err)
	}
	if got := rejection(t, func() error { _, err := d.ParseServers("a | b"); return err }()); got.Code != mcp.CodeUsage {
		t.Errorf("a pipe: %+v", got)
	}
	config := parsed.Servers[0]
	config.Name = "Broken"
	id, err := d.AddServer(config)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the failure", func() bool {
		snapshot, err := d.Snapshot()
		for _, row := range snapshot.Servers {
			if row.ID == id && row.State == string(mcp.StateFailed) && row.Error != nil && row.Error.Code == mcp.CodeNotFound {
				return err == nil
			}
		}
		return false
	})
	shown, err := d.ServerConfig(id)
	if err != nil || shown.Env[0].Value != "" || !shown.Env[0].HasValue {
		t.Fatalf("a stored secret went out: %+v, %v", shown, err)
	}
	shown.Name = "Renamed"
	if err := d.EditServer(id, shown); err != nil {
		t.Fatal(err)
	}
	status, err := d.backend.Manager.Status(id)
	if err != nil || status.Server.Name != "Renamed" {
		t.Errorf("editing lost something: %+v, %v", status.Server, err)
	}
	if revealed, err := d.backend.Store.Reveal(t.Context(), status.Server); err != nil || revealed.Env[0].Hidden.Reveal() != "s3cr3t" {
		t.Errorf("editing lost the secret: %v", err)
	}
	if err := d.RemoveServer(id); err != nil {
		t.Fatal(err)
	}
	for name, act := range map[string]func() error{
		"Connect": func() error { return d.Connect(id) }, "Refresh": func() error { return d.Refresh(id) },
		"EditServer": func() error { return d.EditServer(id, shown) }, "ServerConfig": func() error { _, err := d.ServerConfig(id); return err },
		"Catalog": func() error { _, err := d.Catalog(id); return err }, "Disconnect": func() error { return d.Disconnect(id) },
		"RemoveServer": func() error { return d.RemoveServer(id) },
		"Call":         func() error { _, err := d.Call(api.CallRequest{ServerID: id, Kind: "tool", Name: "x"}); return err },
	} {
		if got := rejection(t, act()); got.Code != mcp.CodeUnknownServer {
			t.Errorf("%s of a removed server: %+v", name, got)
		}
	}
	if got := rejection(t, d.OpenURL("file:///etc/passwd")); got.Code != mcp.CodeRefusedURL {
		t.Errorf("opening a file: %+v", got)
	}
	if err := d.SaveSettings(api.Settings{Theme: "dark", AskWindow: "inline", Density: "compact"}); err != nil || !d.look.Dark() {
		t.Errorf("saving settings: %v, dark %v", err, d.look.Dark())
	}
	catalog, err := d.Catalog(playground.ServerID)
	if err != nil || len(catalog.Tools) < 8 || len(catalog.Templates) == 0 || len(catalog.Templates[0].Variables) == 0 {
		t.Errorf("the catalog: %+v, %v", catalog, err)
	}
}

package mcp

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"jackfield/backend/store"
)

// step returns a step of a diagnosis.
func step(t *testing.T, d Diagnosis, name string) Step {
	t.Helper()
	for _, s := range d.Steps {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("no step %s in %+v", name, d.Steps)
	return Step{}
}

// words are the steps of a diagnosis in short: "settings ok, resolve failed, tcp skipped".
func words(d Diagnosis) string {
	var list []string
	for _, s := range d.Steps {
		list = append(list, s.Name+" "+string(s.Status))
	}
	return strings.Join(list, ", ")
}

func examine(t *testing.T, server store.Server) Diagnosis {
	t.Helper()
	m := start(t, Options{}, false)
	server.Timeouts.Connect = max(server.Timeouts.Connect, time.Second)
	d, err := m.DiagnoseAdhoc(t.Context(), server)
	if err != nil {
		t.Fatal(err)
	}
	if rows := m.Snapshot().Servers; len(rows) != 0 {
		t.Errorf("the diagnosis left rows: %+v", rows)
	}
	return d
}

// untilGone waits until the client has hung up, which net/http sees only when the body is read.
func untilGone(r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
}

func quietTLS(handler http.Handler) *httptest.Server {
	f := httptest.NewUnstartedServer(handler)
	f.Config.ErrorLog = log.New(io.Discard, "", 0)
	f.StartTLS()
	return f
}

// Each fault of a server on the network is shown at the step where it is, with a sentence and a next step.
func TestDoctorNamesTheFailingStep(t *testing.T) {
	answer := func(status int, contentType, body string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		})
	}
	plain := func(h http.Handler) func(*testing.T) string {
		return func(t *testing.T) string {
			f := httptest.NewServer(h)
			t.Cleanup(f.Close)
			return f.URL + "/mcp"
		}
	}
	unanswered := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { untilGone(r) })
	for name, c := range map[string]struct {
		url          func(*testing.T) string
		failed, code string
		detail, hint string // parts of the failed step
	}{
		"unknown host": {
			func(*testing.T) string { return "https://no-such-host.invalid/mcp" },
			StepResolve, CodeUnreachable, "no-such-host.invalid was not found", "Check the address",
		},
		"metadata service": {
			func(*testing.T) string { return "http://169.254.169.254/mcp" },
			StepSettings, CodeRefusedURL, "was not contacted", "Check the address",
		},
		"refused port": {func(t *testing.T) string {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			address := l.Addr().String()
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			return "http://" + address
		}, StepTCP, CodeUnreachable, "refused", "Start the server"},
		"unknown certificate": {func(t *testing.T) string {
			f := quietTLS(answer(200, "application/json", "{}"))
			t.Cleanup(f.Close)
			return f.URL
		}, StepTLS, CodeUnreachable, "issued by O=Acme Co", "certificate"},
		"no TLS on an https address": {func(t *testing.T) string {
			return strings.Replace(plain(answer(200, "text/html", "hi"))(t), "http:", "https:", 1)
		}, StepTLS, CodeUnreachable, "does not speak TLS", "http://"},
		"TLS on an http address": {func(t *testing.T) string {
			f := quietTLS(answer(200, "application/json", "{}"))
			t.Cleanup(f.Close)
			return strings.Replace(f.URL, "https:", "http:", 1)
		}, StepHTTP, CodeUnreachable, "speaks TLS", "Use https://"},
		"404":      {plain(answer(404, "text/plain", "not here")), StepHTTP, CodeNoHandshake, "HTTP 404 Not Found, text/plain", "/mcp"},
		"500":      {plain(answer(500, "text/plain", "oops")), StepHTTP, CodeNoHandshake, "HTTP 500", "problem of its own"},
		"web page": {plain(answer(200, "text/html; charset=utf-8", "<!doctype html><p>Welcome")), StepHTTP, CodeNoHandshake, "text/html", "web page"},
		"redirect": {plain(http.RedirectHandler("https://other.example/mcp", http.StatusFound)), StepHTTP, CodeNoHandshake, "HTTP 302", "other.example"},
		"401": {plain(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("WWW-Authenticate", `Bearer realm="x"`)
			w.WriteHeader(401)
		})), StepAuth, CodeAuthRequired, "sign-in", ""},
		"no HTTP answer": {plain(unanswered), StepHTTP, CodeConnectTime, "1s", ""},
		"head but no body": {plain(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.(http.Flusher).Flush()
			untilGone(r)
		})), StepInitialize, CodeConnectTime, "1s", ""},
		"every request refused": {plain(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var m struct{ ID json.RawMessage }
			_ = json.NewDecoder(r.Body).Decode(&m)
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"nothing here"}}`, m.ID)
		})), StepInitialize, CodeNoHandshake, "nothing here", "MCP server"},
	} {
		t.Run(name, func(t *testing.T) {
			d := examine(t, store.Server{Name: "x", Transport: store.TransportAuto, URL: c.url(t)})
			if d.Failed != c.failed || d.Failure == nil || d.Failure.Code != c.code {
				t.Fatalf("failed at %q with %+v, want %s, %s; %s", d.Failed, d.Failure, c.failed, c.code, words(d))
			}
			s := step(t, d, c.failed)
			if s.Status != StepFailed || !strings.Contains(s.Detail, c.detail) || !strings.Contains(s.Hint, c.hint) || s.Hint == "" {
				t.Errorf("%+v", s)
			}
			after := false
			for _, s := range d.Steps {
				if after && s.Status != StepSkipped {
					t.Errorf("%s is %s after the failure: %s", s.Name, s.Status, words(d))
				}
				after = after || s.Name == c.failed
			}
		})
	}
}

// A good server of each era passes every step, over HTTP and TLS-less stdio alike.
func TestDoctorOfGoodServers(t *testing.T) {
	over := func(stateless bool) string {
		s := newServer(nil)
		handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, &sdk.StreamableHTTPOptions{Stateless: stateless})
		f := httptest.NewServer(handler)
		t.Cleanup(f.Close)
		return f.URL
	}
	for _, c := range []struct {
		name   string
		server store.Server
		era    store.Era
	}{
		{"modern over HTTP", store.Server{Name: "m", Transport: store.TransportAuto, URL: over(true)}, store.EraModern},
		{"legacy over HTTP", store.Server{Name: "l", Transport: store.TransportAuto, URL: over(false), Era: store.EraLegacy}, store.EraLegacy},
		{"stdio", helper(t, "good"), store.EraModern},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.server.Timeouts.Connect = 20 * time.Second
			d := examine(t, c.server)
			if d.Failure != nil || d.Era != c.era || d.Counts.Tools != 4 || d.Counts.Templates != 1 || d.ServerInfo.Name != "fixture" {
				t.Fatalf("%+v: %s", d, words(d))
			}
			for _, s := range d.Steps {
				if s.Status == StepFailed || s.Status == StepWarning {
					t.Errorf("%+v", s)
				}
			}
			if s := step(t, d, StepInitialize); (s.Status == StepOK) != (c.era == store.EraLegacy) {
				t.Errorf("%+v", s)
			}
			if s := step(t, d, StepTools); s.Detail != "4" || s.Took == 0 {
				t.Errorf("%+v", s)
			}
		})
	}
}

func TestDoctorOfCommands(t *testing.T) {
	dir := t.TempDir()
	plainFile := filepath.Join(dir, "plain")
	if err := os.WriteFile(plainFile, []byte("#!/bin/sh\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	exits := helper(t, "exit")
	exits.Args = []string{"--flag"}
	for name, c := range map[string]struct {
		server       store.Server
		failed, code string
		detail       string
	}{
		"not in PATH":    {store.Server{Command: "no-such-program"}, StepCommand, CodeNotFound, "was not found"},
		"no such file":   {store.Server{Command: filepath.Join(dir, "gone")}, StepCommand, CodeNotFound, "There is no program"},
		"not executable": {store.Server{Command: plainFile}, StepCommand, CodeNotFound, "is not executable"},
		"exits":          {exits, StepStart, CodeExited, "Exited with status 3"},
	} {
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS == "windows" && name == "not executable" {
				t.Skip("every file may be executed there")
			}
			c.server.Name, c.server.Transport = "x", store.TransportStdio
			c.server.Timeouts.Connect = 30 * time.Second
			d := examine(t, c.server)
			if d.Failed != c.failed || d.Failure.Code != c.code || !strings.Contains(step(t, d, c.failed).Detail, c.detail) {
				t.Fatalf("%+v; %s", d.Failure, words(d))
			}
			switch name {
			case "not in PATH":
				if hint := step(t, d, StepCommand).Hint; !strings.Contains(hint, os.Getenv("PATH")) {
					t.Errorf("the PATH is not in %q", hint)
				}
			case "exits":
				if d.Failure.ExitCode == nil || *d.Failure.ExitCode != 3 || len(d.Stderr) == 0 || d.Stderr[0] != "config.toml: no such file" {
					t.Errorf("%+v, %q", d.Failure, d.Stderr)
				}
			}
		})
	}
}

// A list that fails is the failing step, and the others are still loaded and counted.
func TestDoctorGoesOnAfterAFailedList(t *testing.T) {
	s := &script{answer: func(method string, _ json.RawMessage) (string, string) {
		switch method {
		case "tools/list":
			return `{"tools":[{"name":"good","inputSchema":{"type":"object"}},{"title":"nameless"}]}`, ""
		case "prompts/list":
			return "", `{"code":-32603,"message":"the database is away"}`
		}
		return "", ""
	}}
	m := start(t, Options{Builtin: map[string]Serve{"s": s.serve}}, false)
	if _, err := m.Register(t.Context(), store.Server{ID: "s", Transport: store.TransportBuiltin}); err != nil {
		t.Fatal(err)
	}
	d, err := m.Diagnose(t.Context(), "s")
	if err != nil {
		t.Fatal(err)
	}
	if d.Failed != StepPrompts || d.Failure.Code != CodeServerError || !strings.Contains(step(t, d, StepPrompts).Detail, "the database is away") {
		t.Errorf("%s: %+v", d.Failed, d.Failure)
	}
	if s := step(t, d, StepTools); s.Status != StepWarning || !strings.HasPrefix(s.Detail, "1; ") || len(d.Problems) == 0 {
		t.Errorf("%+v, problems %+v", s, d.Problems)
	}
	if s := step(t, d, StepResources); s.Status != StepOK {
		t.Errorf("%+v", s)
	}
	row, err := m.Status("s")
	if err != nil || row.State != StateDisconnected || row.Failure != nil || row.Era != "" {
		t.Errorf("the diagnosis changed the row: %+v, %v", row, err)
	}
}

// A diagnosis opens a connection of its own: the live one is not touched, and nobody is told a state that is not its.
func TestDoctorLeavesALiveConnectionAlone(t *testing.T) {
	m := builtin(t, newServer(nil), Options{})
	events, stop := m.Subscribe()
	defer stop()
	before, err := m.Status("s")
	if err != nil {
		t.Fatal(err)
	}
	if d, err := m.Diagnose(t.Context(), "s"); err != nil || d.Failure != nil {
		t.Fatalf("%+v, %v", d, err)
	}
	after, err := m.Status("s")
	if err != nil || after.Generation != before.Generation || after.State != StateReady {
		t.Errorf("%+v, %v", after, err)
	}
	for {
		select {
		case e := <-events:
			if e.Type == EventServer || e.Type == EventCatalog {
				t.Errorf("told %+v", e)
			}
			continue
		default:
		}
		break
	}
}

// What is not approved is not started, also not by a doctor.
func TestDoctorRunsNothingUnapproved(t *testing.T) {
	server := helper(t, "good")
	server.Source = "import"
	m := start(t, Options{Store: newMemory(server)}, false)
	d, err := m.Diagnose(t.Context(), server.ID)
	if err != nil {
		t.Fatal(err)
	}
	if d.Failed != StepSettings || d.Failure.Code != CodeReview || len(d.Stderr) != 0 {
		t.Errorf("%s: %+v", d.Failed, d.Failure)
	}
}

// A diagnosis that is ended early tells what it knows by then.
func TestDoctorEndsWithItsContext(t *testing.T) {
	reached := make(chan struct{}, 8)
	f := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		reached <- struct{}{}
		untilGone(r)
	}))
	defer f.Close()
	m := start(t, Options{}, false)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-reached; cancel() }()
	d, err := m.DiagnoseAdhoc(ctx, store.Server{Name: "x", Transport: store.TransportStreamableHTTP, URL: f.URL})
	if err != nil {
		t.Fatal(err)
	}
	if step(t, d, StepTCP).Status != StepOK || d.Failed != StepHTTP || d.Failure.Code != CodeCancelled {
		t.Errorf("%s: %+v", words(d), d.Failure)
	}
}

// A port that takes a connection and never says a word of TLS ends at its own limit, which the context can shorten.
func TestDoctorOfASilentTLSPort(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	p := timed(t.Context(), 50*time.Millisecond, "No TLS handshake", func(ctx context.Context) (string, error) {
		conn, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			return "", err
		}
		defer func() { _ = conn.Close() }()
		return shakeHands(ctx, conn, &tls.Config{ServerName: "x"})
	})
	if p.failure == nil || p.failure.Code != CodeUnreachable || !strings.Contains(p.failure.Message, "within 50ms") {
		t.Errorf("%+v", p)
	}
}

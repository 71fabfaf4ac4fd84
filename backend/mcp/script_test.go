package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"jackfield/backend/store"
)

// script is a server that answers what a test says, whatever the protocol says. It counts the requests by method.
type script struct {
	// answer returns the raw result or the raw error of a request. Both empty: no answer.
	answer func(method string, params json.RawMessage) (result, failure string)
	modern bool // answers server/discover

	mu    sync.Mutex
	seen  map[string]int
	pipe  io.Writer
	pipes []io.Closer
	said  []json.RawMessage // what came from the client without a method: its answers to our requests
	notes []string          // notifications by method
	ended bool              // a connection has ended
}

const (
	legacyHello = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"prompts":{},"resources":{"subscribe":true}},"serverInfo":{"name":"script","version":"1"}}`
	modernHello = `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"prompts":{}},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"script","version":"1"}},"resultType":"complete"}`
)

func (s *script) serve(ctx context.Context, pipe io.ReadWriteCloser) error {
	s.mu.Lock()
	s.pipe = pipe
	s.pipes = append(s.pipes, pipe)
	if s.seen == nil {
		s.seen = map[string]int{}
	}
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.ended = true
		s.mu.Unlock()
	}()
	lines := bufio.NewReader(pipe)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return nil
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params json.RawMessage
		}
		if err := json.Unmarshal(line, &m); err != nil {
			return err
		}
		s.mu.Lock()
		switch {
		case m.Method == "":
			s.said = append(s.said, line)
		case m.ID == nil:
			s.notes = append(s.notes, m.Method)
		default:
			s.seen[m.Method]++
		}
		s.mu.Unlock()
		if m.ID == nil || m.Method == "" {
			continue
		}
		go s.reply(pipe, m.ID, m.Method, m.Params)
	}
}

func (s *script) reply(pipe io.Writer, id json.RawMessage, method string, params json.RawMessage) {
	var result, failure string
	if s.answer != nil {
		result, failure = s.answer(method, params)
	}
	if result == "silent" {
		return
	}
	if result == "" && failure == "" {
		switch {
		case method == "server/discover" && s.modern:
			result = modernHello
		case method == "initialize":
			result = legacyHello
		case method == "tools/list":
			result = `{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}`
		case method == "prompts/list":
			result = `{"prompts":[]}`
		case method == "resources/list":
			result = `{"resources":[]}`
		case method == "resources/templates/list":
			result = `{"resourceTemplates":[]}`
		case method == "resources/subscribe", method == "resources/unsubscribe":
			result = `{}`
		case method == "subscriptions/listen":
			return
		default:
			failure = `{"code":-32601,"message":"method not found"}`
		}
	}
	if failure != "" {
		s.send(pipe, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":%s}`, id, failure))
		return
	}
	s.send(pipe, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result))
}

func (s *script) send(pipe io.Writer, message string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	// A pipe that was closed meanwhile has no reader: nothing to tell anybody.
	_, _ = io.WriteString(pipe, message+"\n")
}

// say sends a message to the client that is connected now.
func (s *script) say(message string) {
	s.mu.Lock()
	pipe := s.pipe
	s.mu.Unlock()
	s.send(pipe, message)
}

// hangUp closes the connection from the server's side.
func (s *script) hangUp() {
	s.mu.Lock()
	pipe := s.pipes[len(s.pipes)-1]
	s.mu.Unlock()
	pipe.Close()
}

func (s *script) count(method string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen[method]
}

func (s *script) over() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ended
}

func (s *script) heard(method string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, note := range s.notes {
		if note == method {
			return true
		}
	}
	return false
}

func (s *script) answers() []json.RawMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.said
}

// scripted is the entry of a script under the id "s".
func scripted(changes ...func(*store.Server)) store.Server {
	server := store.Server{ID: "s", Transport: store.TransportBuiltin, Enabled: true, Retry: store.Retry{MaxAttempts: 3, BaseDelay: time.Millisecond, MaxDelay: 2 * time.Millisecond}}
	for _, change := range changes {
		change(&server)
	}
	return server
}

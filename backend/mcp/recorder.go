package mcp

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"jackfield/backend/mcp/wire"
)

const (
	defaultTraceBytes = 64 << 20
	summaryLength     = 200
	defaultTraceLimit = 500
	// What a message costs beside its bytes; without it, a million empty lines would fit into no budget at all.
	messageOverhead = 512
)

// recorder is the trace: the newest messages of all servers, as many as fit into a budget of bytes. Its mutex is a leaf.
type recorder struct {
	mu      sync.Mutex
	budget  int64
	used    int64
	next    uint64
	entries []traced // oldest first
	sink    func(Message, []byte)
}

type traced struct {
	Message
	raw []byte
}

func newRecorder(budget int64, sink func(Message, []byte)) *recorder {
	if budget <= 0 {
		budget = defaultTraceBytes
	}
	return &recorder{budget: budget, next: 1, sink: sink}
}

// add numbers a message, keeps it, shows it to the sink in order, and returns it with its number.
func (r *recorder) add(message Message, raw []byte) Message {
	r.mu.Lock()
	defer r.mu.Unlock()
	message.N = r.next
	r.next++
	r.entries = append(r.entries, traced{message, raw})
	r.used += cost(raw)
	gone := 0
	for r.used > r.budget && gone < len(r.entries)-1 {
		r.used -= cost(r.entries[gone].raw)
		r.entries[gone] = traced{}
		gone++
	}
	r.entries = r.entries[gone:]
	if r.sink != nil {
		r.sink(message, raw)
	}
	return message
}

func cost(raw []byte) int64 { return int64(len(raw)) + messageOverhead }

// list returns the newest messages that match, oldest first.
func (r *recorder) list(filter TraceFilter) []Message {
	limit := filter.Limit
	if limit <= 0 {
		limit = defaultTraceLimit
	}
	needle := []byte(strings.ToLower(filter.Text))
	r.mu.Lock()
	entries := slices.Clone(r.entries)
	r.mu.Unlock()
	var found []Message
	for _, e := range slices.Backward(entries) {
		if e.N <= filter.After || len(found) == limit {
			break
		}
		if filter.ServerID != "" && e.ServerID != filter.ServerID || filter.CallID != "" && e.CallID != filter.CallID {
			continue
		}
		if len(needle) > 0 && !bytes.Contains(bytes.ToLower(e.raw), needle) && !strings.Contains(strings.ToLower(e.Method), string(needle)) {
			continue
		}
		found = append(found, e.Message)
	}
	slices.Reverse(found)
	return found
}

// body returns the bytes of one message. They must not be changed.
func (r *recorder) body(n uint64) ([]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.entries) > 0 && n >= r.entries[0].N && n < r.next {
		return r.entries[n-r.entries[0].N].raw, nil
	}
	return nil, fail(CodeUnknownItem, fmt.Sprintf("Message %d is no longer in the trace.", n), "The trace keeps the newest messages only.", nil)
}

// forget drops the messages of a removed server from the memory. The numbers of the others stay.
func (r *recorder) forget(serverID string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.entries {
		if r.entries[i].ServerID == serverID {
			r.used -= int64(len(r.entries[i].raw))
			r.entries[i].raw = nil
			r.entries[i].Message = Message{N: r.entries[i].N, Time: r.entries[i].Time, Dir: r.entries[i].Dir, Kind: "removed"}
		}
	}
}

// messageOf describes a record of the wire.
func messageOf(serverID string, record wire.Record) Message {
	m := Message{
		ServerID: serverID, Time: record.Time, Dir: Direction(record.Dir), Method: record.Method,
		Bytes: len(record.Raw), Latency: record.Took, HTTP: record.Status,
	}
	if record.Call != nil {
		m.CallID = record.Call.ID
	}
	switch {
	case record.Dir == wire.Stderr:
		m.Kind, m.Summary = "text", summarize(record.Raw)
	case record.Noise:
		m.Kind, m.Summary = "noise", summarize(record.Raw)
	default:
		describeEnvelope(&m, record.Raw)
	}
	return m
}

// summarize is the beginning of some bytes as text on one line.
func summarize(raw []byte) string {
	cut := raw[:min(len(raw), 4*summaryLength)]
	text := strings.Join(strings.Fields(strings.ToValidUTF8(string(cut), "\uFFFD")), " ")
	if utf8.RuneCountInString(text) > summaryLength {
		text = string([]rune(text)[:summaryLength])
	}
	return text
}

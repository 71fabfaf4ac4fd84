package mcp

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"jackfield/backend/mcp/wire"
)

const (
	defaultTraceBytes = 64 << 20
	defaultTraceDisk  = 512 << 20
	summaryLength     = 200
	defaultTraceLimit = 500
	// What a message costs beside its bytes; without it, a million empty lines would fit into no budget at all.
	messageOverhead = 512
	// Bodies from this size on go to the disk, where there is one for them.
	spillFrom = 256 << 10
	// Requests whose answer is still to be linked.
	maxUnanswered = 10_000
)

// recorder is the trace: the newest messages of all servers, as many as fit into a budget of bytes in memory and one of large bodies on
// disk. Its mutex is a leaf, and held for a moment only: entries are values that do not change, so that whoever reads the trace, searches
// it or writes it to a file takes the list of them and lets go.
type recorder struct {
	mu      sync.Mutex
	budget  int64
	used    int64
	next    uint64
	entries []*traced // oldest first, without gaps; replaced, never changed
	sink    func(Message, []byte)
	spill   *spill // nil: everything stays in memory

	unanswered map[pairKey]uint64
	secrets    map[string]map[string]bool // by server: values that no export may show
}

// traced is one entry.
type traced struct {
	Message
	http  *wire.Exchange
	raw   []byte
	place place
}

// place is where the bytes of an entry are.
type place int

const (
	inMemory place = iota
	spilling       // in memory until they are on disk
	onDisk
	notKept
)

type pairKey struct {
	serverID, id string
	dir          Direction // of the request
}

func newRecorder(budget int64, sink func(Message, []byte)) *recorder {
	if budget <= 0 {
		budget = defaultTraceBytes
	}
	return &recorder{
		budget: budget, next: 1, sink: sink,
		unanswered: map[pairKey]uint64{}, secrets: map[string]map[string]bool{},
	}
}

// add numbers a message, keeps it, shows it to the sink in order, and returns it with its number.
func (r *recorder) add(message Message, raw []byte, http *wire.Exchange) Message {
	var secrets []string
	if http != nil && message.Dir == In {
		secrets = http.Secrets()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, secret := range secrets {
		r.hideLocked(message.ServerID, secret)
	}
	message.N = r.next
	r.next++
	message.Pair = r.pairLocked(message)
	entry := &traced{Message: message, http: http, raw: raw}
	if r.spill != nil && len(raw) >= spillFrom && r.spill.take(message.N, len(raw)) {
		entry.place = spilling
	}
	r.entries = append(r.entries, entry)
	r.used += entry.cost()
	dropped := 0
	for r.used > r.budget && dropped < len(r.entries)-1 {
		r.dropLocked(r.entries[dropped])
		r.entries[dropped] = nil
		dropped++
	}
	r.entries = r.entries[dropped:]
	if r.sink != nil {
		r.sink(message, r.maskLocked(message.ServerID, raw))
	}
	return message
}

// cost of an entry in memory. What is on its way to the disk counts there.
func (t *traced) cost() int64 {
	if t.place == inMemory {
		return int64(len(t.raw)) + messageOverhead
	}
	return messageOverhead
}

// dropLocked gives up what an entry takes; it is out of the list, or replaced.
func (r *recorder) dropLocked(t *traced) {
	r.used -= t.cost()
	if r.spill != nil && (t.place == spilling || t.place == onDisk) {
		r.spill.drop(t.N)
	}
	if key, ok := pairOf(t.Message, true); ok && r.unanswered[key] == t.N {
		delete(r.unanswered, key)
	}
}

// pairOf is the key under which a request waits, or a response looks for it.
func pairOf(m Message, request bool) (pairKey, bool) {
	if m.RPCID == "" || (m.Kind == "request") != request {
		return pairKey{}, false
	}
	key := pairKey{m.ServerID, m.RPCID, m.Dir}
	if request {
		return key, true
	}
	switch m.Dir {
	case In:
		key.dir = Out
	case Out:
		key.dir = In
	case Stderr:
		return pairKey{}, false
	}
	return key, m.Kind == "response" || m.Kind == "error"
}

// pairLocked links a response to its request, and remembers a request for its response.
func (r *recorder) pairLocked(m Message) uint64 {
	if key, ok := pairOf(m, true); ok {
		if len(r.unanswered) < maxUnanswered {
			r.unanswered[key] = m.N
		}
		return 0
	}
	key, ok := pairOf(m, false)
	if !ok {
		return 0
	}
	n := r.unanswered[key]
	delete(r.unanswered, key)
	if at, ok := r.indexLocked(n); ok {
		linked := *r.entries[at]
		linked.Pair = m.N
		r.entries[at] = &linked
	}
	return n
}

func (r *recorder) indexLocked(n uint64) (int, bool) {
	if len(r.entries) == 0 || n < r.entries[0].N || n >= r.next {
		return 0, false
	}
	return int(n - r.entries[0].N), true
}

// snapshot is the list of entries as of now.
func (r *recorder) snapshot() []*traced {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.entries)
}

// spilled says that the bytes of a message are on the disk, or that they could not be written: then they stay in memory.
func (r *recorder) spilled(n uint64, written bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	at, ok := r.indexLocked(n)
	if !ok || r.entries[at].place != spilling {
		return
	}
	moved := *r.entries[at]
	r.used -= moved.cost()
	if moved.place = inMemory; written {
		moved.place, moved.raw = onDisk, nil
	}
	r.used += moved.cost()
	r.entries[at] = &moved
}

// lose gives up the body of a message on disk, because newer ones need its place.
func (r *recorder) lose(n uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if at, ok := r.indexLocked(n); ok && r.entries[at].place == onDisk {
		lost := *r.entries[at]
		lost.place = notKept
		r.entries[at] = &lost
	}
}

// find returns an entry.
func (r *recorder) find(n uint64) (*traced, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if at, ok := r.indexLocked(n); ok {
		return r.entries[at], nil
	}
	return nil, fail(CodeUnknownItem, fmt.Sprintf("Message %d is no longer in the trace.", n), "The trace keeps the newest messages only.", nil)
}

// body returns the bytes of one message. They must not be changed.
func (r *recorder) body(n uint64) ([]byte, error) {
	entry, err := r.find(n)
	if err != nil {
		return nil, err
	}
	return r.read(entry)
}

// read returns the bytes of an entry, wherever they are. An entry may be older than the trace: its bytes may have gone to the disk since,
// and from there.
func (r *recorder) read(entry *traced) ([]byte, error) {
	if entry.place == inMemory || entry.place == spilling {
		return entry.raw, nil
	}
	missing := func(cause error) error {
		return fail(CodeUnknownItem, fmt.Sprintf("The %d bytes of message %d are no longer kept.", entry.Bytes, entry.N),
			"The trace keeps the newest large messages only.", cause)
	}
	if entry.place == notKept || r.spill == nil {
		return nil, missing(nil)
	}
	raw, err := os.ReadFile(r.spill.path(entry.N))
	if err != nil {
		return nil, missing(err)
	}
	return raw, nil
}

// forget drops the messages of a removed server from the memory and the disk. The numbers of the others stay.
func (r *recorder) forget(serverID string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, e := range r.entries {
		if e.ServerID == serverID {
			r.dropLocked(e)
			r.entries[i] = &traced{Message: Message{N: e.N, Time: e.Time, Dir: e.Dir, Kind: "removed"}}
			r.used += r.entries[i].cost()
		}
	}
	delete(r.secrets, serverID)
}

// close ends what goes on beside the calls and removes what is on disk.
func (r *recorder) close() error {
	if r.spill == nil {
		return nil
	}
	return r.spill.close()
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

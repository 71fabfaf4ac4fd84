package wire

import (
	"strconv"
	"time"
)

// request is one JSON-RPC request of ours that waits for its answer.
type request struct {
	id     string // canonical
	rawID  []byte
	method string
	token  string // canonical progress token, "" if none
	call   *Call  // nil if nobody asked for it
	round  int    // of the call
	sent   time.Time
}

func newRequest(e Envelope, call *Call, now time.Time) *request {
	method, _ := stringOf(e.Method)
	r := &request{id: canonical(e.ID), rawID: e.ID, method: method, call: call, sent: now}
	if e.Params != nil {
		if meta := Get(e.Params, "_meta"); meta != nil {
			r.token = canonical(Get(meta, "progressToken"))
		}
	}
	return r
}

// requests is the pending map and what is remembered of its past. Guarded by the lock of the Wire.
type requests struct {
	byID      map[string]*request
	byToken   map[string]*request
	cancelled map[string]bool   // an answer to one of these is late, not wrong
	highest   int64             // the greatest integer id sent: everything up to it was once asked
	aliases   map[string][]byte // id shown to go-sdk for a server's request -> the id the server gave
	aliased   int
}

func newRequests() requests {
	return requests{
		byID: map[string]*request{}, byToken: map[string]*request{},
		cancelled: map[string]bool{}, aliases: map[string][]byte{},
	}
}

func (r *requests) add(made *request) {
	r.byID[made.id] = made
	if made.token != "" {
		r.byToken[made.token] = made
	}
	if n, err := strconv.ParseInt(made.id, 10, 64); err == nil {
		r.highest = max(r.highest, n)
	}
}

// take removes and returns the request with that id.
func (r *requests) take(id string) *request {
	found := r.byID[id]
	if found != nil {
		r.remove(found)
	}
	return found
}

func (r *requests) remove(gone *request) {
	if r.byID[gone.id] == gone {
		delete(r.byID, gone.id)
	}
	if gone.token != "" && r.byToken[gone.token] == gone {
		delete(r.byToken, gone.token)
	}
}

// maxCancelled bounds the memory of cancelled requests whose answer never came.
const maxCancelled = 1024

func (r *requests) cancel(id string) {
	if r.take(id) == nil {
		return
	}
	if len(r.cancelled) >= maxCancelled {
		clear(r.cancelled)
	}
	r.cancelled[id] = true
}

// asked reports whether a request with that id was sent before.
func (r *requests) asked(id string) bool {
	n, err := strconv.ParseInt(id, 10, 64)
	return err == nil && n > 0 && n <= r.highest
}

// only returns the one request that an answer without an id can be for, nil if none or several are. The answer to a
// cancelled request may still come.
func (r *requests) only() *request {
	if len(r.byID) != 1 || len(r.cancelled) > 0 {
		return nil
	}
	for _, one := range r.byID {
		return one
	}
	return nil
}

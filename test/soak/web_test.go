//go:build soak

package soak

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// web is a fake behind HTTP. It can be taken off the network and put back at the same address.
type web struct {
	*fake
	address string

	serving sync.Mutex
	server  *http.Server
	done    chan struct{}

	inboxes   sync.Mutex
	mailboxes map[string]*stream // of HTTP+SSE, by session
}

// newWeb listens on an address of its own, whose port no outgoing connection can take meanwhile.
func newWeb(f *fake, number int) (*web, error) {
	w := &web{fake: f, mailboxes: map[string]*stream{}}
	listener, err := net.Listen("tcp", fmt.Sprintf("127.9.%d.%d:0", number/250, number%250+1))
	if err != nil {
		// Only Linux has all of 127/8.
		if listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			return nil, err
		}
	}
	w.address = listener.Addr().String()
	w.serve(listener)
	return w, nil
}

func (w *web) url() string {
	if w.kind == kindSSE {
		return "http://" + w.address + "/sse"
	}
	return "http://" + w.address + "/mcp"
}

func (w *web) serve(listener net.Listener) {
	server := &http.Server{Handler: w, ReadHeaderTimeout: time.Minute}
	done := make(chan struct{})
	w.server, w.done = server, done
	go func() {
		defer close(done)
		_ = server.Serve(listener) // ends with Close
	}()
}

// apply takes the server off the network, or puts it back.
func (w *web) apply(m mode) error {
	w.serving.Lock()
	defer w.serving.Unlock()
	if m == refuse {
		return w.stop()
	}
	if w.server != nil {
		return nil
	}
	listener, err := net.Listen("tcp", w.address)
	if err != nil {
		return err
	}
	w.serve(listener)
	return nil
}

func (w *web) stop() error {
	if w.server == nil {
		return nil
	}
	err := w.server.Close()
	<-w.done
	w.server = nil
	return err
}

func (w *web) close() error {
	w.serving.Lock()
	defer w.serving.Unlock()
	return w.stop()
}

func (w *web) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	switch {
	case r.Method == http.MethodGet && w.kind == kindSSE:
		w.openSSE(rw, r)
	case r.Method == http.MethodGet && w.kind == kindLegacy:
		if !w.known(rw, r) {
			return
		}
		w.stream(rw, r, w.attach(), "")
	case r.Method == http.MethodDelete:
		w.mu.Lock()
		delete(w.sessions, r.Header.Get("Mcp-Session-Id"))
		w.mu.Unlock()
	case r.Method == http.MethodPost:
		var m request
		if json.Unmarshal(body, &m) != nil {
			http.Error(rw, "no JSON", http.StatusBadRequest)
			return
		}
		w.post(rw, r, m)
	default:
		rw.WriteHeader(http.StatusMethodNotAllowed)
	}
}

func (w *web) post(rw http.ResponseWriter, r *http.Request, m request) {
	if err := w.behave(r.Context()); err != nil {
		if errors.Is(err, errGone) || r.Context().Err() != nil {
			panic(http.ErrAbortHandler)
		}
		http.Error(rw, err.Error(), http.StatusInternalServerError)
		return
	}
	switch {
	case w.kind == kindSSE:
		w.inboxes.Lock()
		mail := w.mailboxes[r.URL.Query().Get("session")]
		w.inboxes.Unlock()
		if mail == nil {
			http.Error(rw, "no such session", http.StatusNotFound)
			return
		}
		if m.ID != nil && m.Method != "" {
			select {
			case mail.say <- w.reply(m):
			case <-mail.cut:
			}
		}
		rw.WriteHeader(http.StatusAccepted)
		return
	case w.kind == kindLegacy && m.Method == "initialize":
		w.mu.Lock()
		w.opened++
		session := fmt.Sprintf("%s-%d", w.id, w.opened)
		w.sessions[session] = true
		w.mu.Unlock()
		rw.Header().Set("Mcp-Session-Id", session)
	case w.kind == kindLegacy && m.Method != "server/discover" && !w.known(rw, r):
		return
	case m.Method == "subscriptions/listen" && w.kind == kindModern:
		w.stream(rw, r, w.attach(), fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":%s}}}`, m.ID))
		return
	}
	if m.ID == nil || m.Method == "" {
		rw.WriteHeader(http.StatusAccepted)
		return
	}
	answer := w.reply(m)
	// Every other server answers calls as an event stream.
	if m.Method == "tools/call" && strings.HasSuffix(w.id, "1") {
		rw.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(rw, "data: %s\n\n", answer)
		return
	}
	rw.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(rw, answer) // the client may have gone
}

// known refuses a request of a session that was forgotten.
func (w *web) known(rw http.ResponseWriter, r *http.Request) bool {
	w.mu.Lock()
	known := w.sessions[r.Header.Get("Mcp-Session-Id")]
	w.mu.Unlock()
	if !known {
		http.Error(rw, "Session not found", http.StatusNotFound)
	}
	return known
}

func (w *web) openSSE(rw http.ResponseWriter, r *http.Request) {
	s := w.attach()
	w.inboxes.Lock()
	session := fmt.Sprint(len(w.mailboxes), "-", time.Now().UnixNano())
	w.mailboxes[session] = s
	w.inboxes.Unlock()
	defer func() {
		w.inboxes.Lock()
		delete(w.mailboxes, session)
		w.inboxes.Unlock()
	}()
	w.events(rw, r, s, "event: endpoint\ndata: /messages?session="+session+"\n\n")
}

func (w *web) stream(rw http.ResponseWriter, r *http.Request, s *stream, first string) {
	if first != "" {
		first = "data: " + first + "\n\n"
	}
	w.events(rw, r, s, ": hello\n\n"+first)
}

// events writes to a stream until it is cut or the client goes.
func (w *web) events(rw http.ResponseWriter, r *http.Request, s *stream, first string) {
	defer w.detach(s)
	rw.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(rw, first)
	rw.(http.Flusher).Flush()
	var end <-chan time.Time
	if m, _, _ := w.now(); m == drop {
		end = time.After(300 * time.Millisecond)
	}
	for {
		select {
		case m := <-s.say:
			fmt.Fprintf(rw, "event: message\ndata: %s\n\n", m)
			rw.(http.Flusher).Flush()
		case <-s.cut:
			panic(http.ErrAbortHandler)
		case <-end:
			panic(http.ErrAbortHandler)
		case <-r.Context().Done():
			return
		}
	}
}

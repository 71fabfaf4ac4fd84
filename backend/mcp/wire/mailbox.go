package wire

import (
	"io"
	"sync"
)

// mailbox is a response body that is filled by several goroutines: the one that reads the event stream of the HTTP+SSE transport, and those
// whose POST failed and who put an error in place of the answer. It has no limit: dropping a message would hang a call.
type mailbox struct {
	mu     sync.Mutex
	filled *sync.Cond
	bytes  []byte
	err    error // after the bytes
}

func newMailbox() *mailbox {
	m := &mailbox{}
	m.filled = sync.NewCond(&m.mu)
	return m
}

// put adds bytes; after end they are dropped.
func (m *mailbox) put(b []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err == nil {
		m.bytes = append(m.bytes, b...)
		m.filled.Broadcast()
	}
}

// end makes the body end with err once its bytes have been read.
func (m *mailbox) end(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err == nil {
		m.err = err
		m.filled.Broadcast()
	}
}

func (m *mailbox) Read(p []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for len(m.bytes) == 0 && m.err == nil {
		m.filled.Wait()
	}
	if len(m.bytes) == 0 {
		return 0, m.err
	}
	n := copy(p, m.bytes)
	if m.bytes = m.bytes[n:]; len(m.bytes) == 0 {
		m.bytes = nil
	}
	return n, nil
}

func (m *mailbox) Close() error {
	m.end(io.ErrClosedPipe)
	return nil
}

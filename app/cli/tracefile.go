package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"jackfield/backend/mcp"
)

// traceFile receives every message of --trace as one JSON line, or, if its name ends in .har, the HTTP exchanges of the run at its end.
// Messages may hold secrets of the person that this program does not know as such: the file can be read by its owner only. It is safe for
// concurrent use; a nil one takes nothing.
type traceFile struct {
	archive bool
	mu      sync.Mutex
	file    *os.File
	err     error
}

type traceDoc struct {
	T        string        `json:"t"`
	Dir      mcp.Direction `json:"dir"`
	ServerID string        `json:"serverId"`
	Raw      string        `json:"raw"` // the message as text, as it was on the wire
}

func newTraceFile(path string) (*traceFile, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, usage("", "--trace: %v.", err)
	}
	return &traceFile{file: file, archive: strings.EqualFold(filepath.Ext(path), ".har")}, nil
}

// write writes one line at once, so that the trace is there when the program is killed.
func (t *traceFile) write(message mcp.Message, raw []byte) {
	line, err := json.Marshal(traceDoc{timestamp(message.Time), message.Dir, message.ServerID, string(raw)})
	t.mu.Lock()
	defer t.mu.Unlock()
	if err == nil {
		_, err = t.file.Write(append(line, '\n'))
	}
	t.err = errors.Join(t.err, err)
}

// finish writes what is only known at the end.
func (t *traceFile) finish(m *mcp.Manager) {
	if t == nil || !t.archive {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.err = errors.Join(t.err, m.ExportTrace(t.file, mcp.TraceHAR, mcp.TraceFilter{}))
}

func (t *traceFile) close() error {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := errors.Join(t.err, t.file.Close()); err != nil {
		return fmt.Errorf("writing %s: %w", t.file.Name(), err)
	}
	return nil
}

package wire

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Direction of a record, seen from this client.
type Direction string

const (
	Out    Direction = "out"
	In     Direction = "in"
	Stderr Direction = "stderr"
)

// Record is one message as it was on the wire, one piece of noise, or one line of stderr. Raw must not be changed.
type Record struct {
	Time   time.Time
	Dir    Direction
	Raw    []byte
	Noise  bool          // on a message stream, but not a message
	Status int           // HTTP status of the response that carried it, else 0
	Call   *Call         // the call it belongs to, if that is known
	Method string        // of a response: the method it answers
	Took   time.Duration // of a response: since its request left
}

// Problem is a deviation that was repaired or refused.
type Problem struct {
	Code, Subject, Message string
	Call                   *Call // if it happened in a call
}

// Observer is told what happens. Every field may be nil. The functions are called without any lock held, from several
// goroutines, and must not block.
type Observer struct {
	Record   func(Record)
	Problem  func(Problem)
	Renewed  func()         // a lost HTTP session was renewed: subscriptions and log level are gone
	Reopened func(gap bool) // a server-to-client stream is back; gap: messages may have been missed
	Life     func()         // any byte from the server
}

// Config of one connection generation.
type Config struct {
	Observer Observer
	Probe    time.Duration     // limit for the answer to server/discover; 0: 5 s
	Grace    time.Duration     // between the steps that end a process; 0: 2 s
	Roots    http.RoundTripper // the innermost transport; nil: a private *http.Transport
}

// Wire is one connection generation. It makes exactly one transport. Safe for concurrent use.
type Wire struct {
	config Config
}

func New(config Config) *Wire { return &Wire{config: config} }

// Close ends everything below go-sdk that its own Close did not end: streams, retries, processes. Idempotent.
func (w *Wire) Close() error { return nil }

// Era tells what the probe found: "modern", "legacy", or "" when there was no probe.
func (w *Wire) Era() string { return "" }

// Cause is the typed reason of the failure that ended this connection, or nil: *ExitError, *StatusError, *AuthRequired.
// errors.As on the error that go-sdk returned is tried first; Cause is for the errors whose type go-sdk loses.
func (w *Wire) Cause() error { return nil }

// PID of the process, 0 if there is none.
func (w *Wire) PID() int { return 0 }

// Ask returns the original elicitation/create params behind the key that ElicitParams.Meta[AskKey] holds, and the call it
// belongs to, when that is known.
func (w *Wire) Ask(key string) (params json.RawMessage, call *Call, ok bool) { return nil, nil, false }

// AskKey is the _meta key under which go-sdk's ElicitParams carry the key for Wire.Ask.
const AskKey = "jackfield/ask"

// Command is a program to run. Env is the whole environment.
type Command struct {
	Path string // resolved
	Args []string
	Env  []string
	Dir  string
}

// Stdio runs a command in a process group of its own.
func (w *Wire) Stdio(command Command) sdk.Transport { return nil }

// Pipe serves in this process: serve gets the server's end of a pipe.
func (w *Wire) Pipe(serve func(ctx context.Context, pipe io.ReadWriteCloser) error) sdk.Transport {
	return nil
}

package wire

import (
	"errors"
	"fmt"
	"strings"
)

// ErrLost says that a request left and its answer never came: it may have run. It is never repeated by this package.
var ErrLost = errors.New("the connection broke before the answer came; the request may have run")

// ExitError says how a process ended before it was asked to.
type ExitError struct {
	Code   int      // exit status, -1 after a signal
	Signal string   // "segmentation fault", "" if none
	Stderr []string // its last lines
	Closed bool     // it closed stdout and runs on
}

func (e *ExitError) Error() string {
	switch {
	case e.Closed:
		return "the process closed its output"
	case e.Signal != "":
		return "the process was ended by a signal: " + e.Signal
	}
	return fmt.Sprintf("the process exited with status %d", e.Code)
}

// TooLargeError says that a message was given up while it came, since it was larger than the limit. A request that it would have answered
// has run.
type TooLargeError struct {
	Limit int64
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the server sent a message of more than %d bytes", e.Limit)
}

// BrokenError says that an answer came and says nothing that can be used. The request may have run.
type BrokenError struct{ Text string }

func (e *BrokenError) Error() string { return e.Text }

// StatusError is an HTTP answer that carries no JSON-RPC message.
type StatusError struct {
	Status int
	Body   string // at most 1 kB of text
}

func (e *StatusError) Error() string {
	return strings.TrimSpace(fmt.Sprintf("the server answered HTTP %d: %s", e.Status, e.Body))
}

// AuthRequired is a 401, or a 403 with a challenge, that the endpoint's Auth could not mend.
type AuthRequired struct {
	Status    int
	Challenge []string // WWW-Authenticate
	Err       error    // what Auth said, nil if there is none
}

func (e *AuthRequired) Error() string {
	return fmt.Sprintf("the server wants a sign-in (HTTP %d)", e.Status)
}

func (e *AuthRequired) Unwrap() error { return e.Err }

// AuthUnavailable says that the endpoint's Auth could not tell a token for now; nothing was sent.
type AuthUnavailable struct{ Err error }

func (e *AuthUnavailable) Error() string { return "the sign-in could not be renewed: " + e.Err.Error() }
func (e *AuthUnavailable) Unwrap() error { return e.Err }

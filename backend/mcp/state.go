package mcp

import (
	"fmt"
	"strings"
	"time"

	"jackfield/backend/store"
)

// State is where a server's connection stands. The values are stored, sent to the UI and printed by the command line.
type State string

const (
	StateDisconnected   State = "disconnected"   // a stored row without a live connection
	StateConnecting     State = "connecting"     // an attempt is under way, or the next one is waiting
	StateAuthenticating State = "authenticating" // the person has to sign in, or is doing so
	StateConnected      State = "connected"      // the handshake is done; the catalog is not there (yet, or discovery failed)
	StateDiscovering    State = "discovering"    // the catalog is being loaded
	StateReady          State = "ready"          // connected, catalog loaded
	StateFailed         State = "failed"         // gave up; Status.Failure says why
)

// facts are everything that the state of a server depends on.
type facts struct {
	dialing     bool // a handshake is under way
	retrying    bool // the background keeps trying: between two attempts the server still counts as connecting
	live        bool // a connection is there
	away        bool // but at the moment nobody is at the other end
	discovering bool // its catalog is being loaded for the first time, or again
	loaded      bool // its catalog is there
	signingIn   bool // an attempt to sign in is under way, up to and including its connection
	failure     *store.Failure
}

// state derives the state. There are no stored transitions: whoever changes a fact gets the state that follows from all.
func (f facts) state() State {
	switch {
	case f.live && f.away:
		return StateConnecting
	case f.live && f.discovering:
		return StateDiscovering
	case f.live && f.loaded:
		return StateReady
	case f.live:
		return StateConnected
	case f.signingIn:
		return StateAuthenticating
	case f.dialing || f.retrying:
		return StateConnecting
	case f.failure != nil && f.failure.Code == CodeAuthRequired:
		return StateAuthenticating
	case f.failure != nil:
		return StateFailed
	}
	return StateDisconnected
}

// detail is the sentence beside the state, as of now.
func detail(s Status, now time.Time) string {
	switch s.State {
	case StateReady:
		if s.Failure != nil {
			return sentence(s.Failure.Message)
		}
		return "Ready"
	case StateDiscovering:
		return "Loading the catalog"
	case StateConnected:
		if s.Failure != nil {
			return sentence(s.Failure.Message)
		}
		return "Connected"
	case StateAuthenticating:
		if s.SignIn != nil && underWay(*s.SignIn) && s.SignIn.Detail != "" {
			return sentence(s.SignIn.Detail)
		}
		return "Needs sign-in"
	case StateFailed:
		if s.Failure != nil {
			return sentence(s.Failure.Message)
		}
		return "Failed"
	case StateConnecting:
		switch {
		case s.Away && s.Failure != nil:
			return sentence(s.Failure.Message) + "; trying again"
		case s.RetryAt.After(now):
			return fmt.Sprintf("Retry %s in %d s", attempt(s.Attempts+1, s.MaxAttempts), int((s.RetryAt.Sub(now)+time.Second-1)/time.Second))
		case s.Attempts > 1:
			return fmt.Sprintf("Connecting, attempt %s", attempt(s.Attempts, s.MaxAttempts))
		}
		return "Connecting"
	}
	if !s.Server.Enabled {
		return "Disabled"
	}
	return "Not connected"
}

func attempt(n, limit int) string {
	if limit < 0 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d of %d", n, limit)
}

// sentence takes the first line of a failure and leaves out its final full stop, as the details of rows do.
func sentence(message string) string {
	line, _, _ := strings.Cut(message, "\n")
	return strings.TrimSuffix(line, ".")
}

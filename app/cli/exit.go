package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"jackfield/backend/mcp"
	"jackfield/backend/store"
)

// Exit statuses. Scripts rely on them.
const (
	exitDone         = 0
	exitToolError    = 1 // the tool answered isError, or the server refused the request
	exitUsage        = 2 // the command line, or the data directory it names, cannot be used
	exitUnknown      = 3 // no such server, tool, prompt or resource
	exitNoConnection = 4 // refused, exited, no answer to the handshake, lost
	exitSignIn       = 5
	exitTimeout      = 6
	exitCancelled    = 7
	exitProtocol     = 8 // connected, but broken beyond repair
)

const exitHelp = `Exit status:
  0  done
  1  the tool answered isError, or the server refused the request
  2  usage
  3  unknown server, tool, prompt or resource
  4  no connection: refused, exited, no answer to the handshake
  5  needs sign-in, or the sign-in did not work
  6  a call or the whole command ran out of time
  7  cancelled
  8  connected, but the server broke the protocol beyond repair`

// codeCommandTime is the code of a command that --timeout ended.
const codeCommandTime = "command_timeout"

// Causes with which the context of a run ends.
var (
	errInterrupted = errors.New("interrupted")
	errTimedOut    = errors.New("the command ran out of time")
	errPipe        = errors.New("nobody reads the output")
)

// reported ends a command whose output already tells what happened; only the status is left.
type reported int

func (r reported) Error() string { return fmt.Sprintf("exit status %d", int(r)) }

func usage(hint, format string, args ...any) error {
	return &mcp.Error{Failure: store.Failure{Code: mcp.CodeUsage, Message: fmt.Sprintf(format, args...), Hint: hint}}
}

func unknown(code, hint, format string, args ...any) error {
	return &mcp.Error{Failure: store.Failure{Code: code, Message: fmt.Sprintf(format, args...), Hint: hint}}
}

// exitStatus of a failure's code.
func exitStatus(code string) int {
	switch code {
	case mcp.CodeServerError, mcp.CodeVisitRequired:
		return exitToolError
	case mcp.CodeUsage, mcp.CodeInvalidAnswer, mcp.CodeInternal, mcp.CodeReview, mcp.CodeSecret:
		return exitUsage
	case mcp.CodeUnknownServer, mcp.CodeUnknownItem:
		return exitUnknown
	case mcp.CodeAuthRequired, mcp.CodeScope, mcp.CodeSignIn:
		return exitSignIn
	case mcp.CodeIdleTime, mcp.CodeTotalTime, mcp.CodeDiscoveryTime, codeCommandTime:
		return exitTimeout
	case mcp.CodeCancelled:
		return exitCancelled
	case mcp.CodeProtocol:
		return exitProtocol
	}
	return exitNoConnection // every other code is a way not to have a connection
}

// failureOf turns any error into what is printed. What ended the whole run wins over what it caused further down.
func failureOf(ctx context.Context, err error) *mcp.Error {
	if ctx.Err() != nil {
		switch cause := context.Cause(ctx); {
		case errors.Is(cause, errTimedOut):
			return &mcp.Error{Failure: store.Failure{
				Code: codeCommandTime, Message: "The command ran out of time.",
				Hint: "Give it longer with --timeout, or leave --timeout out.",
			}, Cause: err}
		case errors.Is(cause, errInterrupted):
			return &mcp.Error{Failure: store.Failure{Code: mcp.CodeCancelled, Message: "Cancelled."}, Cause: err}
		}
	}
	var typed *mcp.Error
	switch {
	case errors.As(err, &typed):
		return typed
	case errors.Is(err, mcp.ErrUnknownServer):
		return &mcp.Error{Failure: store.Failure{
			Code: mcp.CodeUnknownServer, Message: sentence(err.Error()), Hint: "See `jackfield servers`.",
		}, Cause: err}
	}
	return &mcp.Error{Failure: store.Failure{Code: mcp.CodeInternal, Message: sentence(err.Error())}, Cause: err}
}

// sentence makes an error text read as one.
func sentence(text string) string {
	if text == "" {
		return text
	}
	text = strings.ToUpper(text[:1]) + text[1:]
	if !strings.HasSuffix(text, ".") {
		text += "."
	}
	return text
}

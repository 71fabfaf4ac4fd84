package mcp

import (
	"errors"

	"jackfield/backend/store"
)

// Sentinels that a caller branches on. Every other failure of the Manager is a *Error.
var (
	ErrUnknownServer = errors.New("no such server")
	ErrUnknownAsk    = errors.New("this question is no longer open")
	ErrClosed        = errors.New("the manager is closed")
)

// Codes of failures, as they are stored, printed and shown.
const (
	CodeUsage         = "invalid_input"
	CodeUnknownServer = "unknown_server"
	CodeUnknownItem   = "unknown_item" // no such tool, prompt, resource
	CodeUnreachable   = "unreachable"  // refused, no such host, TLS
	CodeExited        = "exited"       // the process ended
	CodeNotFound      = "command_not_found"
	CodeNoHandshake   = "no_handshake" // reachable, but it does not speak MCP or did not answer
	CodeAuthRequired  = "auth_required"
	CodeScope         = "insufficient_scope" // signed in, but not for this; the connection goes on
	CodeSignIn        = "sign_in_failed"
	CodeAuthServer    = "auth_server_unavailable" // the token cannot be renewed for now; it is kept
	CodeSecret        = "secret_unavailable"      // a header or variable is in the vault, which is not open, or was not kept
	CodeReview        = "review_required"         // a person has to approve the command first
	CodeConnectTime   = "connect_timeout"
	CodeDiscoveryTime = "discovery_timeout"
	CodeIdleTime      = "call_idle_timeout"
	CodeTotalTime     = "call_total_timeout"
	CodeCancelled     = "cancelled"
	CodeLost          = "result_lost" // the request may have run; it is not repeated
	CodeClosed        = "connection_closed"
	CodeProtocol      = "protocol_error"           // beyond repair
	CodeServerError   = "server_error"             // a JSON-RPC error of the server
	CodeVisitRequired = "url_elicitation_required" // a URL has to be visited first; the call did not run and can be made again then
	CodeInvalidAnswer = "invalid_answer"           // an answer that does not fit the requestedSchema; Fields says where
	CodeRefusedURL    = "refused_url"
	CodeInternal      = "internal"
)

// Error is a failure with a code, a sentence and a next step. It wraps its cause.
type Error struct {
	store.Failure
	Fields []FieldError // of invalid_answer and invalid_input
	Cause  error
}

func (e *Error) Error() string { return e.Message }
func (e *Error) Unwrap() error { return e.Cause }

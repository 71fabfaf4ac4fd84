package mcp

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"jackfield/backend/egress"
	"jackfield/backend/mcp/wire"
	"jackfield/backend/store"
)

// Reasons with which the Manager itself ends what is under way. They travel as causes of contexts.
var (
	errDisconnected   = errors.New("the connection was closed")
	errRemoved        = errors.New("the server was removed")
	errChanged        = errors.New("the server's settings were changed")
	errPerson         = errors.New("cancelled by the person")
	errIdleLimit      = errors.New("no sign of life within the idle limit")
	errTotalLimit     = errors.New("not finished within the total limit")
	errConnectLimit   = errors.New("no handshake within the limit")
	errDiscoveryLimit = errors.New("no catalog within the limit")
)

// fail makes an Error.
func fail(code, message, hint string, cause error) *Error {
	return &Error{Failure: store.Failure{Code: code, Message: message, Hint: hint}, Cause: cause}
}

// describe turns an error of connecting or of the wire into what a person reads. cause is what the wire knows better than
// the error that go-sdk returned; it may be nil.
func describe(err, cause error) *Error {
	if known, ok := errors.AsType[*Error](err); ok {
		return known
	}
	for _, e := range []error{err, cause} {
		if e == nil {
			continue
		}
		if f := describeTyped(e); f != nil {
			f.Cause = err
			return f
		}
	}
	if rpc, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return fail(CodeServerError, fmt.Sprintf("The server answered with error %d: %s", rpc.Code, strings.TrimSpace(rpc.Message)),
			"The message comes from the server; its log may say more.", err)
	}
	if errors.Is(err, sdk.ErrConnectionClosed) || errors.Is(err, errDisconnected) {
		return fail(CodeClosed, "The connection was closed.", "Connect again.", err)
	}
	if errors.Is(err, context.Canceled) {
		return fail(CodeCancelled, "It was cancelled.", "", err)
	}
	return fail(CodeProtocol, "The server's answer could not be understood: "+trimError(err), "The activity shows what was sent and received.", err)
}

// describeTyped knows the errors whose type says what happened. It returns nil for every other.
func describeTyped(err error) *Error {
	// A refusal that comes while the rest of an answer is fetched says nothing of the request: that one may have run.
	if !errors.Is(err, wire.ErrLost) {
		if f := describeAuth(err); f != nil {
			return f
		}
	}
	if exit, ok := errors.AsType[*wire.ExitError](err); ok {
		return exited(exit)
	}
	switch {
	case errors.Is(err, errRemoved):
		return fail(CodeClosed, "The server was removed.", "", err)
	case errors.Is(err, errChanged):
		return fail(CodeClosed, "The server's settings were changed.", "Try again with the new settings.", err)
	case errors.Is(err, ErrClosed):
		return fail(CodeClosed, "The program is closing.", "", err)
	case errors.Is(err, wire.ErrLost):
		return lost(err)
	}
	if refused, ok := errors.AsType[*egress.RefusedURL](err); ok {
		hint := "Check the address."
		if refused.Trust {
			hint = "If the server really is there, turn on “trust local network” for it."
		}
		return fail(CodeRefusedURL, fmt.Sprintf("%s was not contacted: %s.", refused.URL, refused.Reason), hint, err)
	}
	if moved, ok := errors.AsType[*wire.RedirectError](err); ok {
		hint := "Check the address of the server."
		if moved.To != "" {
			hint = "If you trust that address, use it for the server: " + moved.To
		}
		return fail(CodeNoHandshake, fmt.Sprintf("%s answered with a redirect (HTTP %d) that is not followed.", moved.From, moved.Status), hint, err)
	}
	if errors.Is(err, wire.ErrSessionLost) {
		return fail(CodeClosed, "The server has given up the session.", "Connect again.", err)
	}
	if network := describeNetwork(err); network != nil {
		return network
	}
	for _, broken := range []error{io.EOF, io.ErrUnexpectedEOF, io.ErrClosedPipe, net.ErrClosed, syscall.ECONNRESET, syscall.EPIPE} {
		if errors.Is(err, broken) {
			return lost(err)
		}
	}
	if status, ok := errors.AsType[*wire.StatusError](err); ok {
		return httpStatus(status)
	}
	if large, ok := errors.AsType[*wire.TooLargeError](err); ok {
		return fail(CodeProtocol, fmt.Sprintf("The server sent a message of more than %d MB, which was not read to its end. A request that it answers has run.", large.Limit>>20),
			"Ask for less at once.", err)
	}
	if broken, ok := errors.AsType[*wire.BrokenError](err); ok {
		return fail(CodeProtocol, broken.Text, "The request may have run; it was not repeated. The activity shows what came.", err)
	}
	return nil
}

// describeNetwork knows what can go wrong between here and the server.
func describeNetwork(err error) *Error {
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		return fail(CodeUnreachable, fmt.Sprintf("The host %s was not found.", dns.Name), "Check the address and the network.", err)
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return fail(CodeUnreachable, "The server's certificate is not trusted: "+trimError(err), "Check the address, the clock, and the certificate.", err)
	}
	if unknown, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return fail(CodeUnreachable, "The server's certificate is not trusted: "+unknown.Error(), "Check the address and the certificate.", err)
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return fail(CodeUnreachable, "The server does not speak TLS at this address.", "Use http:// if the server is local and without TLS.", err)
	}
	if op, ok := errors.AsType[*net.OpError](err); ok {
		where := "the server"
		if op.Addr != nil {
			where = op.Addr.String()
		}
		switch {
		case errors.Is(err, syscall.ECONNREFUSED):
			return fail(CodeUnreachable, fmt.Sprintf("Connection to %s refused.", where), "Start the server, or check the address and the port.", err)
		case op.Timeout():
			return fail(CodeUnreachable, fmt.Sprintf("%s does not answer.", where), "Check the address and the network.", err)
		case op.Op == "dial":
			return fail(CodeUnreachable, fmt.Sprintf("%s cannot be reached: %s", where, trimError(op.Err)), "Check the address and the network.", err)
		}
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return fail(CodeNotFound, "The command cannot be started: "+trimError(err), "Check the path of the command and its permissions.", err)
	}
	return nil
}

// lost says that a request left and its answer never came.
func lost(err error) *Error {
	return fail(CodeLost, "The connection broke before the answer came; the request may have run.",
		"It was not repeated. Check on the server whether it ran before you call it again.", err)
}

// exited says how a process ended.
func exited(exit *wire.ExitError) *Error {
	f := fail(CodeExited, "", "The last lines of its error output say more.", exit)
	switch {
	case exit.Closed:
		f.Message = "The process closed its output."
	case exit.Signal != "":
		f.Message = fmt.Sprintf("Ended by a signal: %s.", exit.Signal)
	default:
		f.Message = fmt.Sprintf("Exited with status %d.", exit.Code)
		f.ExitCode = &exit.Code
	}
	if len(exit.Stderr) == 0 {
		f.Hint = "It wrote nothing to its error output. Run the command in a terminal to see more."
	}
	f.Stderr = exit.Stderr
	return f
}

// httpStatus says what an HTTP answer without a message of the protocol means.
func httpStatus(status *wire.StatusError) *Error {
	name := http.StatusText(status.Status)
	message := strings.TrimSpace(fmt.Sprintf("The server answered HTTP %d %s", status.Status, name))
	if line := firstLine(status.Body, 200); line != "" {
		message += ": " + line
	}
	hint := "Check the address: it must be the MCP endpoint, often ending in /mcp or /sse."
	switch {
	case status.Status == http.StatusForbidden:
		hint = "The server refuses this client or its token."
	case status.Status == http.StatusTooManyRequests:
		hint = "Wait a while before the next try."
	case status.Status >= 500:
		hint = "The server has a problem of its own; try again later."
	}
	return fail(CodeNoHandshake, message+".", hint, status)
}

// brokenConnection describes how a live connection ended.
func brokenConnection(err, cause error) *Error {
	f := describe(err, cause)
	if f.Code == CodeLost || f.Code == CodeProtocol {
		f = fail(CodeClosed, "The connection broke: "+trimError(err)+".", "It is opened again by itself.", err)
	}
	return f
}

// failedConnect describes the end of an attempt. What says nothing more precise is a missing handshake.
func failedConnect(err, cause error, limit string) *Error {
	if errors.Is(err, errConnectLimit) {
		f := fail(CodeConnectTime, "No answer to the handshake within "+limit+".", "The server may still be starting; a longer limit can be set for it.", err)
		if cause != nil {
			if typed := describeTyped(cause); typed != nil {
				f.Message = "No answer to the handshake within " + limit + ": " + typed.Message
				f.Hint, f.ExitCode, f.Stderr = typed.Hint, typed.ExitCode, typed.Stderr
			}
		}
		return f
	}
	f := describe(err, cause)
	switch f.Code {
	case CodeClosed:
		// By the server, not by the Manager or the person: the next attempt may do better.
		if errors.Is(err, sdk.ErrConnectionClosed) || errors.Is(err, wire.ErrSessionLost) {
			f = fail(CodeNoHandshake, "The server closed the connection during the handshake.", "Check that the address or command is an MCP server.", err)
		}
	case CodeScope:
		// Without these rights there is not even a connection: that is a sign-in like any other.
		f.Code = CodeAuthRequired
	case CodeProtocol, CodeServerError, CodeLost:
		message := strings.TrimPrefix(f.Message, "The server's answer could not be understood: ")
		if f.Code == CodeLost {
			message = "The connection broke during the handshake."
		}
		f = fail(CodeNoHandshake, "The server did not complete the handshake: "+message, "Check that the address or command is an MCP server.", err)
	}
	return f
}

// trimError is the text of an error on one line, without the URL that net/http puts in front: it may hold a token.
func trimError(err error) string {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err
	}
	return firstLine(err.Error(), 500)
}

// firstLine is the first non-empty line, at most limit bytes of it.
func firstLine(text string, limit int) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	line = strings.TrimSpace(line)
	if len(line) > limit {
		line = strings.ToValidUTF8(line[:limit], "") + "…"
	}
	return line
}

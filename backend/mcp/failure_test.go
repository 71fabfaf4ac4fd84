package mcp

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"jackfield/backend/egress"
	"jackfield/backend/mcp/wire"
	"jackfield/backend/store"
)

func TestErrorsBecomeSentencesWithACode(t *testing.T) {
	wrap := func(err error) error { return fmt.Errorf(`calling "initialize": %w`, err) }
	address := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 9}
	tests := []struct {
		name    string
		err     error
		cause   error
		code    string
		message string
	}{
		{"401", wrap(&wire.AuthRequired{Status: 401}), nil, CodeAuthRequired, "The server needs a sign-in (HTTP 401)."},
		{"exit", wrap(&wire.ExitError{Code: 3}), nil, CodeExited, "Exited with status 3."},
		{"exit known to the wire only", wrap(io.EOF), &wire.ExitError{Signal: "killed"}, CodeLost, ""},
		{"signal", &wire.ExitError{Code: -1, Signal: "killed"}, nil, CodeExited, "Ended by a signal: killed."},
		{"closed output", &wire.ExitError{Closed: true}, nil, CodeExited, "The process closed its output."},
		{"lost", wrap(wire.ErrLost), nil, CodeLost, ""},
		{"EOF", wrap(io.EOF), nil, CodeLost, ""},
		{"reset", wrap(&net.OpError{Op: "read", Err: os.NewSyscallError("read", syscall.ECONNRESET)}), nil, CodeLost, ""},
		{"no such host", wrap(&net.DNSError{Name: "nope.example", IsNotFound: true}), nil, CodeUnreachable, "The host nope.example was not found."},
		{"refused", wrap(&net.OpError{Op: "dial", Addr: address, Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}), nil, CodeUnreachable, "Connection to 127.0.0.1:9 refused."},
		{"certificate", wrap(x509.UnknownAuthorityError{}), nil, CodeUnreachable, ""},
		{"status", wrap(&wire.StatusError{Status: 503, Body: "<html>\nmore"}), nil, CodeNoHandshake, "The server answered HTTP 503 Service Unavailable: <html>."},
		{"server error", wrap(&jsonrpc.Error{Code: -32602, Message: "bad"}), nil, CodeServerError, "The server answered with error -32602: bad"},
		{"closed", wrap(sdk.ErrConnectionClosed), nil, CodeClosed, "The connection was closed."},
		{"refused address", wrap(&egress.RefusedURL{URL: "http://169.254.169.254/", Reason: "it is link-local"}), nil, CodeRefusedURL, ""},
		{"not executable", wrap(&os.PathError{Op: "fork/exec", Path: "/x", Err: syscall.EACCES}), nil, CodeNotFound, ""},
		{"anything", errors.New("odd"), nil, CodeProtocol, "The server's answer could not be understood: odd"},
		{"cancelled", context.Canceled, nil, CodeCancelled, "It was cancelled."},
	}
	for _, test := range tests {
		got := describe(test.err, test.cause)
		if got.Code != test.code || test.message != "" && got.Message != test.message {
			t.Errorf("%s: %s %q", test.name, got.Code, got.Message)
		}
		if got.Code != CodeCancelled && got.Hint == "" {
			t.Errorf("%s: no next step", test.name)
		}
		if !errors.Is(got, test.err) {
			t.Errorf("%s: does not wrap its cause", test.name)
		}
	}
}

func TestErrorTextShowsNoURL(t *testing.T) {
	err := &url.Error{Op: "Post", URL: "https://example.com/?token=secret", Err: errors.New("odd")}
	if got := describe(err, nil); strings.Contains(got.Message, "secret") {
		t.Errorf("message = %s", got.Message)
	}
}

func TestEndingPrefersWhatArrived(t *testing.T) {
	rounds := func(r wire.Round) []wire.Round { return []wire.Round{r} }
	tests := []struct {
		name    string
		ending  ending
		outcome store.Outcome
		code    string
	}{
		{"result and cancellation at once", ending{rounds: rounds(wire.Round{Result: []byte(`{}`)}), cause: errPerson, err: context.Canceled}, store.OutcomeDone, ""},
		{"unfinished round and cancellation", ending{rounds: rounds(wire.Round{Result: []byte(`{"resultType":"input_required"}`)}), cause: errPerson}, store.OutcomeCancelled, CodeCancelled},
		{"error of the server and limit", ending{rounds: rounds(wire.Round{Error: []byte(`{"code":1,"message":"m"}`)}), cause: errIdleLimit}, store.OutcomeFailed, CodeServerError},
		{"idle", ending{cause: errIdleLimit}, store.OutcomeTimeout, CodeIdleTime},
		{"total", ending{cause: errTotalLimit}, store.OutcomeTimeout, CodeTotalTime},
		{"removed", ending{cause: errRemoved}, store.OutcomeFailed, CodeClosed},
		{"broke", ending{cause: brokenConnection(io.EOF, nil)}, store.OutcomeFailed, CodeLost},
		{"status in a session", ending{err: &wire.StatusError{Status: 500}}, store.OutcomeFailed, CodeProtocol},
		{"closed after sending", ending{rounds: rounds(wire.Round{Sent: realClock{}.Now()}), err: sdk.ErrConnectionClosed}, store.OutcomeFailed, CodeLost},
		{"closed before sending", ending{err: sdk.ErrConnectionClosed}, store.OutcomeFailed, CodeClosed},
		{"nothing at all", ending{}, store.OutcomeFailed, CodeProtocol},
		{"not JSON", ending{rounds: rounds(wire.Round{Result: []byte(`{"a":}`)})}, store.OutcomeFailed, CodeProtocol},
		{"prompt with isError", ending{kind: store.KindPrompt, rounds: rounds(wire.Round{Result: []byte(`{"isError":true}`)})}, store.OutcomeDone, ""},
		{"tool with isError", ending{kind: store.KindTool, rounds: rounds(wire.Round{Result: []byte(`{"isError":true}`)})}, store.OutcomeToolError, ""},
	}
	for _, test := range tests {
		outcome, failure := test.ending.outcome()
		got := ""
		if failure != nil {
			got = failure.Code
		}
		if outcome != test.outcome || got != test.code {
			t.Errorf("%s: %s %s", test.name, outcome, got)
		}
	}
}

func TestPlans(t *testing.T) {
	notFound := httpStatus(&wire.StatusError{Status: 404})
	server500 := httpStatus(&wire.StatusError{Status: 500})
	sse := plan{store.TransportSSE, true}
	web := plan{store.TransportStreamableHTTP, false}
	webPinned := plan{store.TransportStreamableHTTP, true}
	tests := []struct {
		name    string
		server  store.Server
		failure *Error
		want    []plan
	}{
		{"auto falls back on 404", store.Server{Transport: store.TransportAuto}, notFound, []plan{web, sse}},
		{"auto stays on 500", store.Server{Transport: store.TransportAuto}, server500, []plan{web}},
		{"fixed transport", store.Server{Transport: store.TransportStreamableHTTP}, notFound, []plan{web}},
		{"legacy is pinned", store.Server{Transport: store.TransportStreamableHTTP, Era: store.EraLegacy}, server500, []plan{webPinned}},
		{"learned legacy is checked again", store.Server{Transport: store.TransportStreamableHTTP, Learned: store.Learned{Transport: store.TransportStreamableHTTP, Era: store.EraLegacy}}, server500, []plan{webPinned, web}},
		{"learned sse is checked again", store.Server{Transport: store.TransportAuto, Learned: store.Learned{Transport: store.TransportSSE}}, server500, []plan{sse, web}},
		{"modern is never pinned", store.Server{Transport: store.TransportStdio, Era: store.EraModern, Learned: store.Learned{Transport: store.TransportStdio, Era: store.EraLegacy}}, server500, []plan{{store.TransportStdio, false}}},
		{"a refused port is no reason", store.Server{Transport: store.TransportAuto, Learned: store.Learned{Transport: store.TransportSSE}}, fail(CodeUnreachable, "", "", nil), []plan{sse}},
	}
	for _, test := range tests {
		tried := []plan{firstPlan(test.server)}
		for {
			next, ok := nextPlan(test.server, tried, test.failure, nil)
			if !ok {
				break
			}
			tried = append(tried, next)
		}
		if fmt.Sprint(tried) != fmt.Sprint(test.want) {
			t.Errorf("%s: %v, want %v", test.name, tried, test.want)
		}
	}
}

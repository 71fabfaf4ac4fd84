package mcp

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"golang.org/x/oauth2"

	"jackfield/backend/mcp/wire"
)

// reasonScope is the reason of a refusal that concerns one request (RFC 6750 section 3.1); every other concerns the whole sign-in.
const reasonScope = "insufficient_scope"

// authReason is an error that says why a person has to sign in.
type authReason interface {
	error
	AuthReason() string
	AuthMessage() string
	AuthHint() string
}

// describeAuth knows the errors of requests that were refused, or not sent, for want of a token. It returns nil for every other.
func describeAuth(err error) *Error {
	required, refused := errors.AsType[*wire.AuthRequired](err)
	unavailable, unsent := errors.AsType[*wire.AuthUnavailable](err)
	if !refused && !unsent {
		return nil
	}
	if reason, ok := errors.AsType[authReason](err); ok {
		code := CodeAuthRequired
		if reason.AuthReason() == reasonScope {
			code = CodeScope
		}
		return fail(code, firstLine(reason.AuthMessage(), 500), firstLine(reason.AuthHint(), 500), err)
	}
	switch {
	case unsent:
		return fail(CodeAuthServer, "The sign-in could not be renewed for now: "+trimError(unavailable.Err),
			"Nothing was sent, and the sign-in is kept. Try again in a while.", err)
	case required.Status == http.StatusForbidden && challengedForScope(required.Challenge):
		return fail(CodeScope, "The server refuses this for lack of rights (HTTP 403).", "Sign in again with more rights.", err)
	case required.Err != nil:
		return fail(CodeAuthRequired, fmt.Sprintf("The server needs a sign-in (HTTP %d): %s", required.Status, trimError(required.Err)), "Sign in again.", err)
	}
	return fail(CodeAuthRequired, fmt.Sprintf("The server needs a sign-in (HTTP %d).", required.Status),
		"Sign in, or give the server a header with a valid token.", err)
}

func challengedForScope(challenges []string) bool {
	return slices.ContainsFunc(challenges, func(challenge string) bool { return strings.Contains(challenge, reasonScope) })
}

// watched tells when the tokens of a handler become others, which is when the account of the server has changed. It keeps no token, only
// what it takes to recognise one.
type watched struct {
	auth.OAuthHandler
	changed func() // must not block

	mu   sync.Mutex
	last [sha256.Size]byte
}

func (w *watched) TokenSource(ctx context.Context) (oauth2.TokenSource, error) {
	source, err := w.OAuthHandler.TokenSource(ctx)
	if err != nil || source == nil {
		return source, err
	}
	return watchedSource{source, w}, nil
}

func (w *watched) note(token string) {
	sum := sha256.Sum256([]byte(token))
	w.mu.Lock()
	known := w.last == sum || w.last == [sha256.Size]byte{}
	w.last = sum
	w.mu.Unlock()
	if !known {
		w.changed()
	}
}

type watchedSource struct {
	oauth2.TokenSource
	watched *watched
}

func (s watchedSource) Token() (*oauth2.Token, error) {
	token, err := s.TokenSource.Token()
	if err == nil {
		s.watched.note(token.AccessToken)
	}
	return token, err
}

package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"golang.org/x/oauth2"

	"jackfield/backend/store"
	"jackfield/backend/store/vault"
)

// Handler authorizes the requests of one server's connection; nil when none of them is to be (SignInHeader, stdio, or an Authorization
// header in mode auto). Its TokenSource gives a nil source when there is no usable token, so that the request goes out bare, and an error
// only when the token could not be renewed for now. Its Authorize never waits for a person: nil means that the request may be sent once
// more with another token, a *Required that a person has to sign in.
func (c *Client) Handler(server store.Server) auth.OAuthHandler {
	if !signsIn(server) {
		return nil
	}
	return &handler{client: c, server: server}
}

func signsIn(server store.Server) bool {
	switch server.Transport {
	case store.TransportStdio, store.TransportBuiltin:
		return false
	}
	switch server.SignIn.Mode {
	case store.SignInHeader:
		return false
	case store.SignInAuto, "":
		return !slices.ContainsFunc(server.Headers, func(v store.Variable) bool { return strings.EqualFold(v.Name, "Authorization") })
	}
	return true
}

type handler struct {
	client *Client
	server store.Server
}

// TokenSource reads the grant at every request: another process, or another connection, may have renewed it.
func (h *handler) TokenSource(ctx context.Context) (oauth2.TokenSource, error) {
	grant, err := h.client.options.Store.Grant(ctx, h.server.ID)
	var sealed *vault.SealedError
	switch {
	case errors.Is(err, store.ErrNotFound), errors.Is(err, vault.ErrNoSecret), errors.As(err, &sealed):
		return nil, nil
	case err != nil:
		return nil, err
	case grant.AccessToken.IsZero():
		return nil, nil
	}
	if expired(grant, time.Now()) {
		if !renewable(h.server, grant) {
			return nil, nil
		}
		grant, err = h.client.renew(ctx, h.server, grant.Generation)
		var over *Required
		if errors.As(err, &over) {
			h.client.leaveUntold(h.server.ID, over)
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return oauth2.StaticTokenSource(&oauth2.Token{AccessToken: grant.AccessToken.Reveal(), TokenType: "Bearer"}), nil
}

// early is how long before its end a token counts as expired, so that it does not expire on the way.
const early = 10 * time.Second

// expired says whether a token is to be renewed before it is used. One whose end is not known is used until the server refuses it.
func expired(grant store.Grant, now time.Time) bool {
	if grant.ExpiresAt.IsZero() {
		return false
	}
	// Of a short life a smaller part: a token of eight seconds is to be used, too.
	margin := min(early, grant.ExpiresAt.Sub(grant.UpdatedAt)/4)
	return !now.Before(grant.ExpiresAt.Add(-margin))
}

// renewable says whether a new token can be had without a person.
func renewable(server store.Server, grant store.Grant) bool {
	return !grant.RefreshToken.IsZero() || server.SignIn.Mode == store.SignInClientCredentials
}

// Authorize is told of a refused request.
func (h *handler) Authorize(ctx context.Context, request *http.Request, response *http.Response) error {
	_ = response.Body.Close() // what it says is in the headers
	ch := parseChallenge(response.StatusCode, response.Header.Values("WWW-Authenticate"))
	h.client.note(h.server.ID, ch)
	grant, err := h.client.options.Store.Grant(ctx, h.server.ID)
	var sealed *vault.SealedError
	switch {
	case errors.Is(err, store.ErrNotFound):
		return h.without(ctx)
	case errors.Is(err, vault.ErrNoSecret):
		return required(NotKept)
	case errors.As(err, &sealed):
		e := required(Sealed)
		e.Message, e.Hint = sealed.Status.Detail, sealed.Status.Hint
		return e
	case err != nil:
		return err
	}
	if response.StatusCode == http.StatusForbidden && ch.Error != "invalid_token" {
		return errors.Join(insufficient(ch, grant), h.want(ctx, grant, ch.Scopes))
	}
	used := strings.TrimSpace(strings.TrimPrefix(request.Header.Get("Authorization"), "Bearer"))
	switch {
	case grant.AccessToken.IsZero():
		if over := h.client.takeUntold(h.server.ID); over != nil {
			return over
		}
		return required(Ended)
	case used != grant.AccessToken.Reveal() && !expired(grant, time.Now()):
		return nil // renewed since the request left
	case h.client.tripped(h.server.ID, grant.Generation):
		return required(Rejected)
	case !renewable(h.server, grant):
		if time.Since(grant.UpdatedAt) < freshFor {
			return required(Rejected)
		}
		return required(Ended)
	}
	renewed, err := h.client.renew(ctx, h.server, grant.Generation)
	if err != nil {
		return err
	}
	h.client.arm(h.server.ID, renewed.Generation)
	return nil
}

// want keeps with the grant what the server asks for, so that the next sign-in asks for it, too, also that of another process.
func (h *handler) want(ctx context.Context, grant store.Grant, scopes []string) error {
	wanted := union(grant.ScopesRequested, scopes)
	if len(wanted) == len(grant.ScopesRequested) {
		return nil
	}
	grant.ScopesRequested = wanted
	if _, err := h.client.options.Store.PutGrant(ctx, grant); !errors.Is(err, store.ErrConflict) {
		return err
	}
	return nil // renewed at the same moment; the server will ask again
}

// without is a refused request of a server that has no grant. A client that signs in by itself does so only at an issuer that a person
// has agreed to: the server chooses the authorization server, and must not choose who gets the secret.
func (h *handler) without(ctx context.Context) error {
	if h.server.SignIn.Mode != store.SignInClientCredentials || h.server.SignIn.Issuer == "" {
		return required(NoGrant)
	}
	_, err := h.client.renew(ctx, h.server, 0)
	return err
}

// insufficient says which scopes are missing (RFC 6750 section 3.1). The union with what was granted is made by the next sign-in.
func insufficient(ch challenge, grant store.Grant) *Required {
	e := required(InsufficientScope)
	for _, scope := range ch.Scopes {
		if !slices.Contains(grant.ScopesGranted, scope) {
			e.Scopes = append(e.Scopes, scope)
		}
	}
	switch {
	case len(e.Scopes) > 0:
		e.Message = fmt.Sprintf("The sign-in does not cover this; it needs: %s.", inert(strings.Join(e.Scopes, ", "), 200))
	case ch.Scopes != nil:
		e.Message = "The server refuses this, although every scope that it asks for was granted."
		e.Hint = "Ask who runs the server whether your account may do this."
	}
	return e
}

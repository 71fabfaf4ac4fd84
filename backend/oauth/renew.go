package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"jackfield/backend/store"
)

const (
	renewLimit = 25 * time.Second // of one renewal, and of waiting for its lease
	leaseLimit = 30 * time.Second // after which another process takes over
	// freshFor is how long a token counts as just given. One that is refused meanwhile is no use renewing.
	freshFor = 10 * time.Second
)

// renewal is one under way; who comes second waits for the same result.
type renewal struct {
	done  chan struct{}
	grant store.Grant
	err   error
}

// tripwire remembers the token that replaced a rejected one.
type tripwire struct {
	generation int64
	at         time.Time
}

// arm notes that a generation was made because the one before was rejected; tripped says that it was rejected, too, at once. Then the server
// and its authorization server do not agree about tokens, and asking for more would go on for ever.
func (c *Client) arm(serverID string, generation int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.armed[serverID] = tripwire{generation, time.Now()}
}

func (c *Client) tripped(serverID string, generation int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	wire := c.armed[serverID]
	return wire.generation == generation && time.Since(wire.at) < freshFor
}

// leaveUntold keeps why a renewal ahead of a request ended the grant, for the refusal of that request, which then goes out bare; takeUntold
// returns it once.
func (c *Client) leaveUntold(serverID string, why *Required) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.untold[serverID] = why
}

func (c *Client) takeUntold(serverID string) *Required {
	c.mu.Lock()
	defer c.mu.Unlock()
	why := c.untold[serverID]
	delete(c.untold, serverID)
	return why
}

// renew replaces the tokens of a generation and returns the grant that is current afterwards, whoever made it. Its error is a *Required
// when a person has to sign in; any other one is of the moment, and the grant is kept.
func (c *Client) renew(ctx context.Context, server store.Server, generation int64) (store.Grant, error) {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return store.Grant{}, errClosing
	}
	r := c.renewals[server.ID]
	if r == nil {
		r = &renewal{done: make(chan struct{})}
		c.renewals[server.ID] = r
		// The caller's context bounds how long the caller waits. A refresh token may be used up the moment it is sent, so the answer is
		// waited for even if nobody needs it any more.
		c.work.Go(func() {
			r.grant, r.err = c.renewNow(context.WithoutCancel(ctx), server, generation)
			c.mu.Lock()
			delete(c.renewals, server.ID)
			c.mu.Unlock()
			close(r.done)
		})
	}
	c.mu.Unlock()
	select {
	case <-r.done:
		return r.grant, r.err
	case <-ctx.Done():
		return store.Grant{}, context.Cause(ctx)
	}
}

func (c *Client) renewNow(ctx context.Context, server store.Server, generation int64) (_ store.Grant, err error) {
	lease, release, err := c.lease(ctx, server.ID)
	if err != nil {
		return store.Grant{}, err
	}
	defer release()
	// Not before the lease is there: a refresh token that is sent with no time left for the answer is used up for nothing.
	ctx, cancel := context.WithTimeout(ctx, renewLimit)
	defer cancel()
	grant, err := c.options.Store.Grant(ctx, server.ID)
	if errors.Is(err, store.ErrNotFound) && server.SignIn.Mode == store.SignInClientCredentials {
		grant, err = store.Grant{ServerID: server.ID}, nil
	}
	switch {
	case errors.Is(err, store.ErrNotFound):
		return grant, required(NoGrant)
	case err != nil:
		return grant, err
	case grant.Generation != generation:
		return grant, nil // another one was faster
	}
	if server, err = c.options.Store.Reveal(ctx, server); err != nil {
		return grant, err
	}
	if server.SignIn.Mode == store.SignInClientCredentials {
		return c.fetchAgain(ctx, server)
	}
	if grant.RefreshToken.IsZero() {
		return grant, required(Ended)
	}
	got, err := c.refresh(ctx, server, grant)
	var refused *endpointError
	if errors.As(err, &refused) && definitive(refused) {
		return c.over(ctx, grant, refused, lease.Abandoned)
	}
	if err != nil {
		return grant, err
	}
	return c.keepRenewed(ctx, grant, got)
}

// lease takes the right to change the tokens of a server.
func (c *Client) lease(ctx context.Context, serverID string) (_ *store.Lease, release func(), err error) {
	waiting, cancel := context.WithTimeout(ctx, renewLimit)
	defer cancel()
	lease, err := c.options.Store.Lease(waiting, "refresh/"+serverID, leaseLimit)
	if err != nil {
		return nil, nil, fmt.Errorf("waiting for another process that renews the sign-in: %w", err)
	}
	return lease, func() {
		if released := lease.Release(context.WithoutCancel(ctx)); released != nil {
			c.log.Warn("a lease was not given back", "error", released)
		}
	}, nil
}

// replace stores what change makes of a grant whose refresh token was used, on top of whatever else was changed meanwhile: scopes that a
// server asked for are noted without the lease. If the tokens themselves are others by now, a sign-in was faster, and its grant counts.
func (c *Client) replace(ctx context.Context, grant store.Grant, change func(*store.Grant)) (store.Grant, bool, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaseLimit-renewLimit) // an answer of the last moment is kept, too
	defer cancel()
	for tries := 0; ; tries++ {
		next := grant
		change(&next)
		stored, err := c.options.Store.PutGrant(ctx, next)
		if err == nil {
			return stored, true, nil
		}
		if !errors.Is(err, store.ErrConflict) || tries == 5 {
			return grant, false, err
		}
		current, err := c.options.Store.Grant(ctx, grant.ServerID)
		if errors.Is(err, store.ErrNotFound) {
			return store.Grant{}, false, required(NoGrant)
		}
		if err != nil || !current.RefreshToken.Equal(grant.RefreshToken) {
			return current, false, err
		}
		grant = current
	}
}

// keepRenewed stores the new tokens before anyone uses them: a rotated refresh token that is lost ends the grant.
func (c *Client) keepRenewed(ctx context.Context, grant store.Grant, got tokens) (store.Grant, error) {
	kept, _, err := c.replace(ctx, grant, func(next *store.Grant) {
		next.AccessToken, next.ExpiresAt = got.Access, got.ExpiresAt
		if !got.Refresh.IsZero() { // RFC 6749 section 6: without a new one the old one goes on
			next.RefreshToken = got.Refresh
		}
		if got.Scopes != nil {
			next.ScopesGranted = got.Scopes
		}
	})
	return kept, err
}

// refresh posts the refresh token to the token endpoint of the grant, which belongs to the issuer that gave it.
func (c *Client) refresh(ctx context.Context, server store.Server, grant store.Grant) (tokens, error) {
	note, err := c.options.Store.IssuerNote(ctx, grant.Issuer)
	if err != nil {
		return tokens{}, err
	}
	f, done, err := c.fetcher(ctx, server, nil)
	if err != nil {
		return tokens{}, err
	}
	defer done()
	form := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {grant.RefreshToken.Reveal()}}
	if grant.Resource == "" || note.RefreshWithoutResource {
		return f.token(ctx, grant.TokenEndpoint, grant.Registration, server.SignIn.PrivateKey, form)
	}
	form.Set("resource", grant.Resource)
	got, err := f.token(ctx, grant.TokenEndpoint, grant.Registration, server.SignIn.PrivateKey, form)
	var refused *endpointError
	if !errors.As(err, &refused) || refused.Code != "invalid_request" && refused.Code != "invalid_target" {
		return got, err
	}
	// RFC 8707 section 2.2 has it in refresh requests, too; some authorization servers refuse it there.
	form.Del("resource")
	again, err := f.token(ctx, grant.TokenEndpoint, grant.Registration, server.SignIn.PrivateKey, form)
	if err != nil {
		return tokens{}, err // this answer counts: what is wrong for the moment only must not end the grant
	}
	note.RefreshWithoutResource = true
	if err := c.options.Store.PutIssuerNote(ctx, note); err != nil {
		// The old refresh token is spent: what was learned may be lost, the new one may not.
		c.log.Warn("it was not noted that an authorization server wants no resource in a refresh", "error", err)
	}
	return again, nil
}

// definitive says that asking again gives the same answer.
func definitive(refused *endpointError) bool {
	if refused.Code == "temporarily_unavailable" || refused.Code == "server_error" || refused.Code == "slow_down" {
		return false
	}
	return refused.Code != "" || refused.Status >= 400 && refused.Status < 500 &&
		refused.Status != http.StatusTooManyRequests && refused.Status != http.StatusRequestTimeout
}

// over ends a grant whose refresh was refused for good, unless another process has got a new one meanwhile.
func (c *Client) over(ctx context.Context, grant store.Grant, refused *endpointError, abandoned bool) (store.Grant, error) {
	stored, done, err := c.replace(ctx, grant, func(ended *store.Grant) {
		ended.AccessToken, ended.RefreshToken, ended.ExpiresAt = store.Secret{}, store.Secret{}, time.Time{}
	})
	if err != nil || !done {
		return stored, err
	}
	e := required(Ended)
	if abandoned {
		e = required(Interrupted)
	}
	if refused.Code == "invalid_client" || refused.Code == "unauthorized_client" {
		e.Message = "The authorization server does not know this app any more."
		if grant.Registration.Source == store.FromDynamic {
			if err := c.options.Store.DeleteRegistration(ctx, grant.Registration); err != nil {
				return stored, err
			}
			e.Hint = "Sign in again; the app registers anew."
		}
	}
	return stored, e
}

// fetchAgain gets the next token of a client that signs in by itself: there is no refresh (RFC 6749 section 4.4.3), and no person.
func (c *Client) fetchAgain(ctx context.Context, server store.Server) (store.Grant, error) {
	a := newAttempt(c, server, store.SignInOptions{}, func(store.SignIn) {})
	if err := a.discover(ctx); err != nil {
		return store.Grant{}, err
	}
	defer a.fetch.client.CloseIdleConnections()
	err := a.withoutPerson(ctx)
	var refused *endpointError
	if errors.As(err, &refused) && definitive(refused) {
		e := required(Ended)
		e.Message = sentenceCase(refused.Error()) + "."
		if refused.Description != "" {
			e.Message += fmt.Sprintf(" It says: “%s”.", strings.TrimSuffix(refused.Description, "."))
		}
		e.Hint = "Check the client ID and its secret or key, in the settings of this server."
		return store.Grant{}, e
	}
	if err != nil {
		return store.Grant{}, err
	}
	return c.options.Store.Grant(ctx, server.ID)
}

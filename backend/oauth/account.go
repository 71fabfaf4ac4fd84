package oauth

import (
	"context"
	"errors"
	"fmt"

	"jackfield/backend/store"
)

// Account describes the grant of a server, or returns store.ErrNotFound, also for a grant that has ended.
func (c *Client) Account(ctx context.Context, serverID string) (store.Account, error) {
	grant, err := c.options.Store.Grant(ctx, serverID)
	if err != nil && grant.Issuer == "" {
		return store.Account{}, err
	}
	if err == nil && grant.AccessToken.IsZero() {
		return store.Account{}, store.ErrNotFound
	}
	return store.Account{
		Issuer: grant.Issuer, Resource: grant.Resource, ClientID: grant.Registration.ClientID, Source: grant.Registration.Source,
		Redirect: grant.Redirect, RedirectURI: grant.Registration.RedirectURI, ScopesRequested: grant.ScopesRequested,
		ScopesGranted: grant.ScopesGranted, ExpiresAt: grant.ExpiresAt, Renews: !grant.RefreshToken.IsZero(), Kept: grant.Kept,
		UpdatedAt: grant.UpdatedAt,
	}, nil
}

// SignOut revokes the tokens of a server (RFC 7009) and deletes its grant. The grant is deleted even if revoking failed; the error
// says so.
func (c *Client) SignOut(ctx context.Context, server store.Server) error {
	// A renewal that is under way would bring tokens that nobody revokes, or the grant itself back. If it does not end in time, signing out
	// goes on without it.
	if _, release, err := c.lease(ctx, server.ID); err != nil {
		c.log.Warn("signing out while the sign-in is being renewed", "error", err)
	} else {
		defer release()
	}
	revoked := c.revokeGrant(ctx, server)
	if err := c.options.Store.DeleteGrant(context.WithoutCancel(ctx), server.ID); err != nil {
		return errors.Join(err, revoked)
	}
	c.mu.Lock()
	delete(c.noted, server.ID)
	delete(c.armed, server.ID)
	delete(c.untold, server.ID)
	c.mu.Unlock()
	return revoked
}

func (c *Client) revokeGrant(ctx context.Context, server store.Server) error {
	grant, err := c.grantRow(ctx, server.ID)
	if err != nil || grant.RevocationEndpoint == "" {
		return err
	}
	if server, err = c.options.Store.Reveal(ctx, server); err != nil {
		return err
	}
	f, done, err := c.fetcher(ctx, server, nil)
	if err != nil {
		return err
	}
	defer done()
	var errs []error
	// The refresh token first: with it the authorization server should end the access token, too (RFC 7009 section 2.1).
	for _, token := range []struct {
		value store.Secret
		hint  string
	}{{grant.RefreshToken, "refresh_token"}, {grant.AccessToken, "access_token"}} {
		if !token.value.IsZero() {
			errs = append(errs, f.revoke(ctx, grant.RevocationEndpoint, grant.Registration, server.SignIn.PrivateKey, token.value, token.hint))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("you are signed out here, but the authorization server did not take the tokens back: %w", err)
	}
	return nil
}

// ForgetRegistration deletes what is registered at the issuer of a server's grant or last attempt, and signs out.
func (c *Client) ForgetRegistration(ctx context.Context, server store.Server) error {
	grant, err := c.grantRow(ctx, server.ID)
	if err != nil {
		return err
	}
	issuer := grant.Issuer
	if issuer == "" {
		last, err := c.options.Store.SignIn(ctx, server.ID)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		issuer = last.Issuer
	}
	revoked := c.SignOut(ctx, server)
	registrations, err := c.options.Store.Registrations(ctx, issuer, server.ID)
	if err != nil {
		return errors.Join(err, revoked)
	}
	for _, registration := range registrations {
		if err := c.options.Store.DeleteRegistration(ctx, registration); err != nil {
			return errors.Join(err, revoked)
		}
	}
	return revoked
}

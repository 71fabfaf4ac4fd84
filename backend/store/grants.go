package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"jackfield/backend/store/vault"
)

// ErrConflict says that another process has changed the row since it was read.
var ErrConflict = errors.New("changed by another process")

// grantSecret is what is sealed of a grant, together, so that it changes together.
type grantSecret struct {
	Access  string `json:"access"`
	Refresh string `json:"refresh,omitempty"`
	Client  string `json:"client,omitempty"` // the registration's secret
}

func grantID(serverID, issuer string) vault.ID {
	return vault.ID{Kind: kindGrant, ServerID: serverID, Issuer: issuer}
}

// Grant returns the grant of a server with its tokens: ErrNotFound if there is none, vault.ErrNoSecret if its tokens were not kept, a
// *vault.SealedError if they cannot be read now; in the last two cases the rest of the row is returned, too.
func (s *Store) Grant(ctx context.Context, serverID string) (Grant, error) {
	doing := "reading the sign-in of server " + serverID
	grant, err := scanGrant(s.db.Read.QueryRowContext(ctx, `SELECT server_id, resource, issuer, token_endpoint, revocation_endpoint, redirect,
		registration, scopes_requested, scopes_granted, expires_at, generation, updated_at FROM oauth_grants WHERE server_id = ?`, serverID))
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrNotFound
	}
	if err != nil {
		return Grant{}, s.fail(err, "%s", doing)
	}
	id := grantID(serverID, grant.Issuer)
	sealed, err := s.vault.Get(ctx, id)
	if err != nil {
		return grant, s.fail(err, "%s", doing)
	}
	var secret grantSecret
	if err := json.Unmarshal([]byte(sealed.Reveal()), &secret); err != nil {
		return grant, s.fail(errors.New("its tokens are damaged"), "%s", doing) // not err: it may quote them
	}
	grant.AccessToken, grant.RefreshToken = vault.NewSecret(secret.Access), vault.NewSecret(secret.Refresh)
	grant.Registration.ClientSecret = vault.NewSecret(secret.Client)
	if grant.Kept, err = s.vault.Keeps(ctx, id); err != nil {
		return grant, s.fail(err, "%s", doing)
	}
	return grant, nil
}

func scanGrant(row scanner) (Grant, error) {
	var grant Grant
	var registration, requested, granted string
	var expires *int64
	var updated int64
	err := row.Scan(&grant.ServerID, &grant.Resource, &grant.Issuer, &grant.TokenEndpoint, &grant.RevocationEndpoint, &grant.Redirect,
		&registration, &requested, &granted, &expires, &grant.Generation, &updated)
	if err != nil {
		return Grant{}, err
	}
	grant.ExpiresAt, grant.UpdatedAt = optionalTime(expires), toTime(updated)
	return grant, errors.Join(fromJSON(registration, &grant.Registration), fromJSON(requested, &grant.ScopesRequested),
		fromJSON(granted, &grant.ScopesGranted))
}

// PutGrant inserts a grant, or replaces the one whose generation grant.Generation still is, or returns ErrConflict. It returns the row
// with its new generation. When it returns, the row is on disk.
func (s *Store) PutGrant(ctx context.Context, grant Grant) (Grant, error) {
	doing := "storing the sign-in of server " + grant.ServerID
	secret, err := toJSON(grantSecret{
		Access: grant.AccessToken.Reveal(), Refresh: grant.RefreshToken.Reveal(), Client: grant.Registration.ClientSecret.Reveal(),
	})
	if err != nil {
		return grant, s.fail(err, "%s", doing)
	}
	if err := validText(grant.ServerID, grant.Resource, grant.Issuer, grant.TokenEndpoint, grant.RevocationEndpoint, grant.Registration.ClientID); err != nil {
		return grant, s.fail(err, "%s", doing)
	}
	if err := s.vault.Current(ctx); err != nil {
		return grant, s.fail(err, "%s", doing)
	}
	next := grant
	next.UpdatedAt = s.now().UTC().Truncate(time.Microsecond)
	// Rises also over a grant that was deleted in between, so that nobody takes the new one for the old.
	next.Generation = max(grant.Generation+1, next.UpdatedAt.UnixMicro())
	err = s.durably(ctx, func(tx *sql.Tx) error { return s.putGrant(ctx, tx, grant.Generation, next, vault.NewSecret(secret)) })
	if err != nil {
		return grant, s.fail(err, "%s", doing)
	}
	if next.Kept, err = s.vault.Keeps(ctx, grantID(next.ServerID, next.Issuer)); err != nil {
		return grant, s.fail(err, "%s", doing)
	}
	return next, nil
}

func (s *Store) putGrant(ctx context.Context, tx *sql.Tx, expected int64, grant Grant, secret Secret) error {
	var generation int64
	var issuer string
	err := tx.QueryRowContext(ctx, `SELECT generation, issuer FROM oauth_grants WHERE server_id = ?`, grant.ServerID).Scan(&generation, &issuer)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if generation != expected {
		return ErrConflict
	}
	if issuer != "" && issuer != grant.Issuer {
		if err := s.vault.Delete(ctx, tx, grantID(grant.ServerID, issuer)); err != nil {
			return err
		}
	}
	registration, err := toJSON(grant.Registration)
	if err != nil {
		return err
	}
	requested, err := toJSON(grant.ScopesRequested)
	if err != nil {
		return err
	}
	granted, err := toJSON(grant.ScopesGranted)
	if err != nil {
		return err
	}
	if err := execute(ctx, tx, `INSERT OR REPLACE INTO oauth_grants (server_id, resource, issuer, token_endpoint, revocation_endpoint, redirect,
		registration, scopes_requested, scopes_granted, expires_at, generation, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		grant.ServerID, grant.Resource, grant.Issuer, grant.TokenEndpoint, grant.RevocationEndpoint, grant.Redirect,
		registration, requested, granted, microsOf(grant.ExpiresAt), grant.Generation, grant.UpdatedAt.UnixMicro()); err != nil {
		return err
	}
	return s.vault.Put(ctx, tx, grantID(grant.ServerID, grant.Issuer), secret)
}

// durably runs a transaction that has reached the disk when it returns. Others may be lost with the power, which costs nothing but
// themselves; a rotated refresh token is the only one that there is.
func (s *Store) durably(ctx context.Context, do func(tx *sql.Tx) error) (err error) {
	conn, err := s.db.Write.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if err := execute(ctx, conn, `PRAGMA synchronous = FULL`); err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, execute(context.WithoutCancel(ctx), conn, `PRAGMA synchronous = NORMAL`))
	}()
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // after a commit it does nothing
	if err := do(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// DeleteGrant deletes the grant of a server, if there is one.
func (s *Store) DeleteGrant(ctx context.Context, serverID string) error {
	err := s.sealed(ctx, false, func(tx *sql.Tx) error {
		var issuer string
		err := tx.QueryRowContext(ctx, `DELETE FROM oauth_grants WHERE server_id = ? RETURNING issuer`, serverID).Scan(&issuer)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		return s.vault.Delete(ctx, tx, grantID(serverID, issuer))
	})
	if err != nil {
		return s.fail(err, "deleting the sign-in of server %q", serverID)
	}
	return nil
}

func optionalTime(micros *int64) time.Time {
	if micros == nil {
		return time.Time{}
	}
	return toTime(*micros)
}

func microsOf(t time.Time) *int64 {
	if t.IsZero() {
		return nil
	}
	micros := t.UnixMicro()
	return &micros
}

// SignIn returns the last attempt to sign in to a server, or ErrNotFound.
func (s *Store) SignIn(ctx context.Context, serverID string) (SignIn, error) {
	var text string
	err := s.db.Read.QueryRowContext(ctx, `SELECT attempt FROM sign_ins WHERE server_id = ?`, serverID).Scan(&text)
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrNotFound
	}
	var signIn SignIn
	if err == nil {
		err = fromJSON(text, &signIn)
	}
	if err != nil {
		return SignIn{}, s.fail(err, "reading the last sign-in of server %q", serverID)
	}
	return signIn, nil
}

// PutSignIn stores it, without its URL.
func (s *Store) PutSignIn(ctx context.Context, signIn SignIn) error {
	signIn.URL = ""
	text, err := toJSON(signIn)
	if err != nil {
		return fmt.Errorf("storing the last sign-in of server %q: %w", signIn.ServerID, err)
	}
	err = execute(ctx, s.db.Write, `INSERT OR REPLACE INTO sign_ins (server_id, attempt) VALUES (?, ?)`, signIn.ServerID, text)
	if err != nil {
		return s.fail(err, "storing the last sign-in of server %q", signIn.ServerID)
	}
	return nil
}

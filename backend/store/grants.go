package store

import (
	"context"
	"errors"
	"time"

	"jackfield/backend/store/vault"
)

var errNotBuilt = errors.New("not built")

// ErrConflict says that another process has changed the row since it was read.
var ErrConflict = errors.New("changed by another process")

// Vault keeps the secrets of this file.
func (s *Store) Vault() *vault.Vault { return nil }

// Reveal returns a copy of a server with the values of its secret variables, its client secret and its private key filled in. A value
// that was not kept is vault.ErrNoSecret, with the name of the variable in the text; one that cannot be read now a *vault.SealedError.
func (s *Store) Reveal(ctx context.Context, server Server) (Server, error) { return server, nil }

// Grant returns the grant of a server with its tokens: ErrNotFound if there is none, vault.ErrNoSecret if its tokens were not kept, a
// *vault.SealedError if they cannot be read now; in the last two cases the rest of the row is returned, too.
func (s *Store) Grant(ctx context.Context, serverID string) (Grant, error) {
	return Grant{}, errNotBuilt
}

// PutGrant inserts a grant, or replaces the one whose generation grant.Generation still is, or returns ErrConflict. It returns the row
// with its new generation. When it returns, the row is on disk.
func (s *Store) PutGrant(ctx context.Context, grant Grant) (Grant, error) { return grant, errNotBuilt }

// DeleteGrant deletes the grant of a server, if there is one.
func (s *Store) DeleteGrant(ctx context.Context, serverID string) error { return errNotBuilt }

// Registrations returns what is registered at an issuer for a server: its own first, then those of every server.
func (s *Store) Registrations(ctx context.Context, issuer, serverID string) ([]Registration, error) {
	return nil, errNotBuilt
}

// PutRegistration inserts or replaces the registration for its issuer, kind of redirect and server.
func (s *Store) PutRegistration(ctx context.Context, r Registration) error { return errNotBuilt }

// DeleteRegistration deletes it, if it is there.
func (s *Store) DeleteRegistration(ctx context.Context, r Registration) error { return errNotBuilt }

// IssuerNote returns what is known of an issuer; a row with only the issuer if nothing is.
func (s *Store) IssuerNote(ctx context.Context, issuer string) (IssuerNote, error) {
	return IssuerNote{Issuer: issuer}, errNotBuilt
}

// PutIssuerNote stores it.
func (s *Store) PutIssuerNote(ctx context.Context, note IssuerNote) error { return errNotBuilt }

// SignIn returns the last attempt to sign in to a server, or ErrNotFound.
func (s *Store) SignIn(ctx context.Context, serverID string) (SignIn, error) {
	return SignIn{}, errNotBuilt
}

// PutSignIn stores it, without its URL.
func (s *Store) PutSignIn(ctx context.Context, signIn SignIn) error { return errNotBuilt }

// Lease is a right that one run of the program has at a time.
type Lease struct {
	// Abandoned says that its last holder ended without giving it back: what that one did may be half done.
	Abandoned bool
}

// Lease takes the named lease for at most ttl, waiting until it is free. A holder whose process has ended has lost it.
func (s *Store) Lease(ctx context.Context, name string, ttl time.Duration) (*Lease, error) {
	return nil, errNotBuilt
}

// Release gives it back.
func (l *Lease) Release(ctx context.Context) error { return errNotBuilt }

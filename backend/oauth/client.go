package oauth

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"

	"jackfield/backend/egress"
	"jackfield/backend/store"
)

// Store is what is kept. *store.Store implements it.
type Store interface {
	Reveal(ctx context.Context, server store.Server) (store.Server, error)
	Grant(ctx context.Context, serverID string) (store.Grant, error)
	PutGrant(ctx context.Context, grant store.Grant) (store.Grant, error)
	DeleteGrant(ctx context.Context, serverID string) error
	Registrations(ctx context.Context, issuer, serverID string) ([]store.Registration, error)
	PutRegistration(ctx context.Context, r store.Registration) error
	DeleteRegistration(ctx context.Context, r store.Registration) error
	IssuerNote(ctx context.Context, issuer string) (store.IssuerNote, error)
	PutIssuerNote(ctx context.Context, note store.IssuerNote) error
	SignIn(ctx context.Context, serverID string) (store.SignIn, error)
	PutSignIn(ctx context.Context, signIn store.SignIn) error
	Lease(ctx context.Context, name string, ttl time.Duration) (*store.Lease, error)
}

// Options of a Client. Store is required.
type Options struct {
	Store       Store
	Open        func(ctx context.Context, url string) error // starts the system browser; nil: none, the person opens the URL
	Scheme      func(ctx context.Context) bool              // whether the system hands jackfield:// links to this program; nil: it does not
	ClientName  string                                      // as authorization servers show it
	Version     string                                      // software_version
	MetadataURL string                                      // of a Client ID Metadata Document for this program; "" for none
	Roots       func(egress.Policy) http.RoundTripper       // the innermost transport; nil: egress.NewTransport
	Log         *slog.Logger                                // nil: none
}

// Client signs in. See the package comment.
type Client struct{ options Options }

var errNotBuilt = errors.New("not built")

// New starts nothing.
func New(o Options) *Client { return &Client{options: o} }

// Close ends every flow and waits for it.
func (c *Client) Close() error { return nil }

// Handler authorizes the requests of one server's connection; nil when none of them is to be (SignInHeader, stdio, or an Authorization
// header in mode auto). Its TokenSource gives a nil source when there is no usable token, so that the request goes out bare, and an error
// only when the token could not be renewed for now. Its Authorize never waits for a person: nil means that the request may be sent once
// more with another token, a *Required that a person has to sign in.
func (c *Client) Handler(server store.Server) auth.OAuthHandler { return nil }

// SignIn does one attempt, from discovery to the stored grant, and calls report with the whole row at each change. A second attempt for
// the same server ends the first. It returns nil after the exchange; the step "connect" is the caller's.
func (c *Client) SignIn(ctx context.Context, server store.Server, o store.SignInOptions, report func(store.SignIn)) error {
	return errNotBuilt
}

// Input is what the person says to the running attempt of a server.
func (c *Client) Input(serverID string, input store.SignInInput) error { return errNotBuilt }

// Callback takes a jackfield://oauth/callback link. A link that belongs to no waiting attempt changes nothing; the error says why.
func (c *Client) Callback(link string) error { return errNotBuilt }

// SignOut revokes the tokens of a server (RFC 7009) and deletes its grant. The grant is deleted even if revoking failed; the error
// says so.
func (c *Client) SignOut(ctx context.Context, server store.Server) error { return errNotBuilt }

// ForgetRegistration deletes what is registered at the issuer of a server's grant or last attempt, and signs out.
func (c *Client) ForgetRegistration(ctx context.Context, server store.Server) error {
	return errNotBuilt
}

// Account describes the grant of a server, or returns store.ErrNotFound.
func (c *Client) Account(ctx context.Context, serverID string) (store.Account, error) {
	return store.Account{}, errNotBuilt
}

// Required says that a person has to sign in before the request can succeed.
type Required struct {
	Reason  Reason
	Message string // a sentence
	Hint    string
	Scopes  []string // of InsufficientScope: what is missing
}

func (e *Required) Error() string { return e.Message }

// AuthReason, AuthMessage and AuthHint let a caller read it without knowing this package.
func (e *Required) AuthReason() string  { return string(e.Reason) }
func (e *Required) AuthMessage() string { return e.Message }
func (e *Required) AuthHint() string    { return e.Hint }

// Reason why a sign-in is needed.
type Reason string

const (
	NoGrant           Reason = "no_grant"           // never signed in
	NotKept           Reason = "not_kept"           // the grant was for an earlier run only
	Ended             Reason = "ended"              // the grant is over: invalid_grant, or expired without a refresh token
	Interrupted       Reason = "interrupted"        // the program ended in the middle of a refresh, and the grant is over
	Rejected          Reason = "rejected"           // the server refuses a fresh token
	InsufficientScope Reason = "insufficient_scope" // HTTP 403, RFC 6750 section 3.1; the connection stays
	Sealed            Reason = "sealed"             // the vault is not open
	IssuerChanged     Reason = "issuer_changed"     // the server names another authorization server than the grant's
)

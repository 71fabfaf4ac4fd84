package mcp

import (
	"context"
	"io"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"

	"jackfield/backend/store"
)

// Store is what the Manager keeps beyond its own life. *store.Store implements it.
type Store interface {
	Servers(ctx context.Context) ([]store.Server, error)
	Server(ctx context.Context, id string) (store.Server, error)
	PutServer(ctx context.Context, server store.Server) error // inserts or replaces
	DeleteServer(ctx context.Context, id string) error        // with its history, its secrets and its grant
	Reveal(ctx context.Context, server store.Server) (store.Server, error)
	SignIn(ctx context.Context, serverID string) (store.SignIn, error) // the last attempt
	PutSignIn(ctx context.Context, signIn store.SignIn) error
	SetLearned(ctx context.Context, id string, learned store.Learned) error
	SetLastError(ctx context.Context, id string, failure *store.Failure) error
	PutCalls(ctx context.Context, calls ...store.Call) error // inserts or replaces, in one transaction
	Calls(ctx context.Context, filter store.CallFilter) ([]store.Call, error)
	Call(ctx context.Context, id string) (store.Call, error)
}

// Authorizer signs in. *oauth.Client implements it, and its methods are described there.
type Authorizer interface {
	Handler(server store.Server) auth.OAuthHandler
	SignIn(ctx context.Context, server store.Server, o store.SignInOptions, report func(store.SignIn)) error
	Input(serverID string, input store.SignInInput) error
	Callback(link string) error
	SignOut(ctx context.Context, server store.Server) error
	ForgetRegistration(ctx context.Context, server store.Server) error
	Account(ctx context.Context, serverID string) (store.Account, error)
}

// Clock tells the time and waits; tests replace it.
type Clock interface {
	Now() time.Time
	After(d time.Duration) <-chan time.Time
}

// Serve is a server inside this program: it speaks newline-delimited JSON-RPC on the pipe until the client closes it
// or ctx ends.
type Serve func(ctx context.Context, pipe io.ReadWriteCloser) error

// Package vault keeps secrets: one 256-bit key in the keyring of the operating system (or wrapped by a passphrase), and rows sealed
// with it. It never writes a secret in the clear, never deletes what it could not read, and never replaces a key that it could not
// fetch.
//
// Ownership. A Vault owns the key and the state of opening it; the rows belong to the data file, which it is given. Concurrency. Every
// method is safe for concurrent use. Opening may take until the keyring answers, at most openLimit; whoever needs a secret meanwhile
// waits for it, bounded by its own context. No lock is held while the keyring is asked.
package vault

import (
	"context"
	"errors"
)

// State of a vault. The values cross every edge of the program.
type State string

const (
	Opening     State = "opening"     // the keyring is being asked
	Open        State = "open"        // secrets are kept
	Session     State = "session"     // no keyring: secrets last for this run only
	Locked      State = "locked"      // a passphrase is needed
	Mismatch    State = "mismatch"    // the keyring's key does not open these rows; everything is kept
	KeyMissing  State = "key_missing" // rows are there, their key is not in the keyring; everything is kept
	Unavailable State = "unavailable" // the keyring failed or did not answer though rows are there; secrets of this run are in memory
)

// Mode says where the key is.
type Mode string

const (
	ModeKeyring    Mode = "keyring"
	ModePassphrase Mode = "passphrase"
)

// Status is a Vault as of now.
type Status struct {
	State  State
	Mode   Mode
	Detail string // a sentence
	Hint   string // what to do, "" if nothing
	Sealed int    // rows that are sealed in the file
}

// Keeps says whether a secret that is put now is there after a restart.
func (s Status) Keeps() bool { return s.State == Open }

// ID names one secret. All of it is bound to the row by its encryption, so that rows cannot be swapped.
type ID struct {
	Kind     string // "header", "env", "client_secret", "private_key", "grant", "registration"
	ServerID string // "" for what belongs to an issuer
	Issuer   string // "" for what belongs to a server alone
	Ref      string // tells secrets of one kind apart
}

// ErrNoSecret says that there is no secret with an ID: it was never put, or was put in an earlier run that could not keep it.
var ErrNoSecret = errors.New("no such secret")

// SealedError says that a secret is there and cannot be read now. Status says why.
type SealedError struct{ Status Status }

func (e *SealedError) Error() string { return e.Status.Detail + " " + e.Status.Hint }

// Keyring is the operating system's store of passwords. Get returns ErrNotFound for what is not there, and any other error for
// everything else.
type Keyring interface {
	Get(ctx context.Context, service, user string) (string, error)
	Set(ctx context.Context, service, user, value string) error
	Delete(ctx context.Context, service, user string) error
}

// ErrNotFound says that the keyring answered and has no such item.
var ErrNotFound = errors.New("not in the keyring")

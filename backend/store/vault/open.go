package vault

import (
	"context"
	"errors"

	"jackfield/backend/store/database"
)

var errNotBuilt = errors.New("not built")

// Options of a Vault.
type Options struct {
	DB      *database.DB
	Dir     string  // where the passphrase-wrapped key is
	Keyring Keyring // nil: none, secrets last for this run
}

// Vault is the one owner of the key.
type Vault struct{ options Options }

// New reads what the file says about the vault and asks no keyring; Open does.
func New(ctx context.Context, o Options) (*Vault, error) { return &Vault{options: o}, nil }

// Open asks the keyring, once; who comes second waits for the same answer. It returns when the state is not Opening any more.
func (v *Vault) Open(ctx context.Context) (Status, error) { return v.Status(), nil }

// Status is the state as of now.
func (v *Vault) Status() Status { return Status{State: Session} }

// Subscribe calls f after every change of the status, without any lock held, until cancel is called.
func (v *Vault) Subscribe(f func(Status)) (cancel func()) { return func() {} }

// Retry asks the keyring again after Unavailable, Session, KeyMissing or Mismatch.
func (v *Vault) Retry(ctx context.Context) (Status, error) { return v.Status(), errNotBuilt }

// Unlock opens a vault of mode passphrase.
func (v *Vault) Unlock(ctx context.Context, passphrase Secret) error { return errNotBuilt }

// UsePassphrase wraps the key by a passphrase in a file from now on, in place of the keyring. Secrets of this run are kept with it.
func (v *Vault) UsePassphrase(ctx context.Context, passphrase Secret) error { return errNotBuilt }

// UseKeyring moves the key of an open vault into the keyring.
func (v *Vault) UseKeyring(ctx context.Context) error { return errNotBuilt }

// Rotate seals every row with a new key, in one transaction.
func (v *Vault) Rotate(ctx context.Context) error { return errNotBuilt }

// Forget deletes every sealed row and starts with a new key: the one way out of Mismatch and KeyMissing that loses something.
func (v *Vault) Forget(ctx context.Context) error { return errNotBuilt }

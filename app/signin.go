package app

import (
	"context"
	"errors"

	"jackfield/app/api"
)

var errNotBuilt = errors.New("not built")

// SignIn starts an attempt to sign in to a server in the background; its row tells how it goes. redirect is "" or one kind for this attempt
// only; newClient registers anew.
func (d *Desktop) SignIn(id, redirect string, newClient bool) error {
	return bound0(d, "SignIn", func(context.Context) error { return errNotBuilt })
}

// SignInInput is what the person says to the running attempt of a server.
func (d *Desktop) SignInInput(id string, input api.SignInInput) error {
	return bound0(d, "SignInInput", func(context.Context) error { return errNotBuilt })
}

// CancelSignIn ends the running attempt.
func (d *Desktop) CancelSignIn(id string) error {
	return bound0(d, "CancelSignIn", func(context.Context) error { return errNotBuilt })
}

// SignOut revokes and deletes the tokens of a server.
func (d *Desktop) SignOut(id string) error {
	return bound0(d, "SignOut", func(context.Context) error { return errNotBuilt })
}

// ForgetRegistration signs out and lets the next sign-in register anew.
func (d *Desktop) ForgetRegistration(id string) error {
	return bound0(d, "ForgetRegistration", func(context.Context) error { return errNotBuilt })
}

// Approve lets the command of an entry run that the person did not type. hash is the one of the Review that was shown.
func (d *Desktop) Approve(id, hash string) error {
	return bound0(d, "Approve", func(context.Context) error { return errNotBuilt })
}

// AddLinked stores what a jackfield://add link proposed, as the person changed it. It is disabled and, if it runs a command, not approved.
func (d *Desktop) AddLinked(config api.Config) (string, error) {
	return bound(d, "AddLinked", func(context.Context) (string, error) { return "", errNotBuilt })
}

// RetryVault asks the keyring again.
func (d *Desktop) RetryVault() (api.Vault, error) {
	return bound(d, "RetryVault", func(context.Context) (api.Vault, error) { return api.Vault{}, errNotBuilt })
}

// UnlockVault opens a vault that a passphrase protects.
func (d *Desktop) UnlockVault(passphrase string) (api.Vault, error) {
	return bound(d, "UnlockVault", func(context.Context) (api.Vault, error) { return api.Vault{}, errNotBuilt })
}

// SetVaultMode moves the vault's key: "passphrase" (with one), or "keyring".
func (d *Desktop) SetVaultMode(mode, passphrase string) (api.Vault, error) {
	return bound(d, "SetVaultMode", func(context.Context) (api.Vault, error) { return api.Vault{}, errNotBuilt })
}

// RotateVault seals every secret with a new key.
func (d *Desktop) RotateVault() (api.Vault, error) {
	return bound(d, "RotateVault", func(context.Context) (api.Vault, error) { return api.Vault{}, errNotBuilt })
}

// ForgetVault deletes every sealed secret and starts a new vault.
func (d *Desktop) ForgetVault() (api.Vault, error) {
	return bound(d, "ForgetVault", func(context.Context) (api.Vault, error) { return api.Vault{}, errNotBuilt })
}

// SetScheme registers this program for jackfield:// links, or takes that back.
func (d *Desktop) SetScheme(registered bool) (api.Scheme, error) {
	return bound(d, "SetScheme", func(context.Context) (api.Scheme, error) { return api.Scheme{}, errNotBuilt })
}

package app

import (
	"context"
	"slices"

	"jackfield/app/api"
	"jackfield/backend/mcp"
	"jackfield/backend/store"
	"jackfield/backend/store/vault"
)

// SignIn starts an attempt to sign in to a server in the background; its row tells how it goes. redirect is "" or one kind for this attempt
// only; newClient registers anew.
func (d *Desktop) SignIn(id, redirect string, newClient bool) error {
	options := store.SignInOptions{Redirect: store.RedirectKind(redirect), NewClient: newClient}
	kinds := []store.RedirectKind{store.RedirectAuto, store.RedirectScheme, store.RedirectLoopback, store.RedirectLocalhost}
	if !slices.Contains(kinds, options.Redirect) {
		return bound0(d, "SignIn", func(context.Context) error {
			return usage("%q is no way back from the browser.", "It is scheme, 127.0.0.1 or localhost.", redirect)
		})
	}
	return d.start("SignIn", id, func(m *mcp.Manager, ctx context.Context, id string) error { return m.SignIn(ctx, id, options) })
}

// SignInInput is what the person says to the running attempt of a server.
func (d *Desktop) SignInInput(id string, input api.SignInInput) error {
	return bound0(d, "SignInInput", func(context.Context) error {
		return d.backend.Manager.SignInInput(id, api.SignInInputOf(input))
	})
}

// CancelSignIn ends the running attempt.
func (d *Desktop) CancelSignIn(id string) error {
	return bound0(d, "CancelSignIn", func(context.Context) error { return d.backend.Manager.CancelSignIn(id) })
}

// SignOut revokes and deletes the tokens of a server.
func (d *Desktop) SignOut(id string) error {
	return bound0(d, "SignOut", func(ctx context.Context) error { return d.backend.Manager.SignOut(ctx, id) })
}

// ForgetRegistration signs out and lets the next sign-in register anew.
func (d *Desktop) ForgetRegistration(id string) error {
	return bound0(d, "ForgetRegistration", func(ctx context.Context) error { return d.backend.Manager.ForgetRegistration(ctx, id) })
}

// Approve lets the command of an entry run that the person did not type. hash is the one of the Review that was shown.
func (d *Desktop) Approve(id, hash string) error {
	return bound0(d, "Approve", func(ctx context.Context) error { return d.backend.Manager.Approve(ctx, id, hash) })
}

// AddLinked stores what a jackfield://add link proposed, as the person changed it. It is disabled and, if it runs a command, not approved.
func (d *Desktop) AddLinked(config api.Config) (string, error) {
	return bound(d, "AddLinked", func(ctx context.Context) (string, error) {
		config.Enabled = false
		return d.backend.Manager.Register(ctx, api.ServerFrom(config, store.Server{Source: store.SourceLink}))
	})
}

// RetryVault asks the keyring again.
func (d *Desktop) RetryVault() (api.Vault, error) {
	return d.vault("RetryVault", func(ctx context.Context, v *vault.Vault) error {
		_, err := v.Retry(ctx)
		return err
	})
}

// UnlockVault opens a vault that a passphrase protects.
func (d *Desktop) UnlockVault(passphrase string) (api.Vault, error) {
	return d.vault("UnlockVault", func(ctx context.Context, v *vault.Vault) error {
		return v.Unlock(ctx, vault.NewSecret(passphrase))
	})
}

// SetVaultMode moves the vault's key: "passphrase" (with one), or "keyring".
func (d *Desktop) SetVaultMode(mode, passphrase string) (api.Vault, error) {
	return d.vault("SetVaultMode", func(ctx context.Context, v *vault.Vault) error {
		switch vault.Mode(mode) {
		case vault.ModeKeyring:
			return v.UseKeyring(ctx)
		case vault.ModePassphrase:
			if passphrase == "" {
				return usage("The %s is empty.", "Choose one that is hard to guess.", mode)
			}
			return v.UsePassphrase(ctx, vault.NewSecret(passphrase))
		}
		return usage("%q is no place for the key.", "It is keyring or passphrase.", mode)
	})
}

// RotateVault seals every secret with a new key.
func (d *Desktop) RotateVault() (api.Vault, error) {
	return d.vault("RotateVault", func(ctx context.Context, v *vault.Vault) error { return v.Rotate(ctx) })
}

// ForgetVault deletes every sealed secret and starts a new vault.
func (d *Desktop) ForgetVault() (api.Vault, error) {
	return d.vault("ForgetVault", func(ctx context.Context, v *vault.Vault) error { return v.Forget(ctx) })
}

// vault changes the vault and returns how it is then.
func (d *Desktop) vault(name string, change func(context.Context, *vault.Vault) error) (api.Vault, error) {
	return bound(d, name, func(ctx context.Context) (api.Vault, error) {
		v := d.backend.Store.Vault()
		if err := change(ctx, v); err != nil {
			return api.Vault{}, err
		}
		return api.VaultOf(v.Status()), nil
	})
}

// SetScheme registers this program for jackfield:// links, or takes that back.
func (d *Desktop) SetScheme(registered bool) (api.Scheme, error) {
	return bound(d, "SetScheme", func(ctx context.Context) (api.Scheme, error) {
		return d.links.set(ctx, d.backend.Store, registered)
	})
}

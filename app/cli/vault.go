package cli

import (
	"context"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"jackfield/backend/store"
	"jackfield/backend/store/vault"
)

// passphraseFile is the environment variable that names a file with the passphrase of the vault, for machines without a keyring.
const passphraseFile = "JACKFIELD_PASSPHRASE_FILE"

func (p *program) vaultCommand() *cobra.Command {
	command := &cobra.Command{
		Use:   "vault",
		Short: "Where sign-ins and secrets are kept",
		Long: `Sign-ins, client secrets and secret headers are sealed in the data file. The key is in the keyring of the system. Where there is
none they last for one run, unless a passphrase protects the key. The passphrase is read from the file that
` + passphraseFile + ` names.`,
		Args: cobra.NoArgs,
	}
	command.RunE = p.run(p.vaultAction(func(context.Context, *vault.Vault) error { return nil }))
	var sure bool
	forget := &cobra.Command{
		Use: "forget", Short: "Delete every stored secret and begin with a new key",
		RunE: p.run(func(ctx context.Context, l line) error {
			if !sure {
				return usage("If you want that, run it again with --yes.", "This deletes every stored sign-in and secret.")
			}
			return p.vaultAction(func(ctx context.Context, v *vault.Vault) error { return v.Forget(ctx) })(ctx, l)
		}),
	}
	forget.Flags().BoolVar(&sure, "yes", false, "delete them")
	command.AddCommand(
		forget,
		&cobra.Command{
			Use: "passphrase", Short: "Protect the key by a passphrase, in place of the keyring", Args: cobra.NoArgs,
			RunE: p.run(p.vaultAction(func(ctx context.Context, v *vault.Vault) error {
				passphrase, err := passphraseFrom(os.Getenv(passphraseFile))
				if err != nil {
					return err
				}
				return v.UsePassphrase(ctx, passphrase)
			})),
		},
		&cobra.Command{
			Use: "keyring", Short: "Move the key into the keyring of the system", Args: cobra.NoArgs,
			RunE: p.run(p.vaultAction(func(ctx context.Context, v *vault.Vault) error { return v.UseKeyring(ctx) })),
		},
		&cobra.Command{
			Use: "rotate", Short: "Seal everything with a new key", Args: cobra.NoArgs,
			RunE: p.run(p.vaultAction(func(ctx context.Context, v *vault.Vault) error { return v.Rotate(ctx) })),
		},
	)
	return command
}

// vaultAction changes the vault and prints how it is then.
func (p *program) vaultAction(change func(context.Context, *vault.Vault) error) func(context.Context, line) error {
	return func(ctx context.Context, _ line) error {
		return p.with(ctx, false, func(s *session) error {
			v := s.Store.Vault()
			if _, err := v.Open(ctx); err != nil {
				return err
			}
			if err := change(ctx, v); err != nil {
				return usage(v.Status().Hint, "%s", sentence(err.Error()))
			}
			status := v.Status()
			if p.out.json {
				return p.out.document(struct {
					State  vault.State `json:"state"`
					Mode   vault.Mode  `json:"mode"`
					Detail string      `json:"detail"`
					Hint   string      `json:"hint,omitempty"`
				}{status.State, status.Mode, status.Detail, status.Hint})
			}
			return p.out.printf("%s\n", strings.TrimSpace(status.Detail+" "+status.Hint))
		})
	}
}

func passphraseFrom(path string) (store.Secret, error) {
	if path == "" {
		return store.Secret{}, usage("Put the passphrase into a file that only you can read, and name it in "+passphraseFile+".", "No passphrase was given.")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return store.Secret{}, usage("Check "+passphraseFile+".", "The passphrase cannot be read: %v.", err)
	}
	return vault.NewSecret(strings.TrimRight(string(text), "\r\n")), nil
}

// unlock opens a vault that a passphrase protects, where the environment names one.
func (s *session) unlock(ctx context.Context) error {
	path := os.Getenv(passphraseFile)
	v := s.Store.Vault()
	if path == "" || v.Status().State != vault.Locked {
		return nil
	}
	passphrase, err := passphraseFrom(path)
	if err != nil {
		return err
	}
	if err := v.Unlock(ctx, passphrase); err != nil {
		return usage("Check the file that "+passphraseFile+" names.", "%s", sentence(err.Error()))
	}
	return nil
}

package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/oklog/ulid/v2"

	"jackfield/backend/store/vault"
)

// Kinds of secrets in the vault.
const (
	kindHeader       = "header"
	kindEnv          = "env"
	kindClientSecret = "client_secret"
	kindPrivateKey   = "private_key"
	kindGrant        = "grant"
	kindRegistration = "registration"
)

func headerID(server, ref string) vault.ID {
	return vault.ID{Kind: kindHeader, ServerID: server, Ref: ref}
}

func envID(server, ref string) vault.ID { return vault.ID{Kind: kindEnv, ServerID: server, Ref: ref} }

func clientSecretID(server string) vault.ID {
	return vault.ID{Kind: kindClientSecret, ServerID: server}
}

func privateKeyID(server string) vault.ID {
	return vault.ID{Kind: kindPrivateKey, ServerID: server}
}

// secretChanges is what storing a server changes in the vault.
type secretChanges struct {
	put  map[vault.ID]Secret
	drop []vault.ID
}

func (c secretChanges) store(ctx context.Context, tx vault.Tx, v *vault.Vault) error {
	for _, id := range c.drop {
		if err := v.Delete(ctx, tx, id); err != nil {
			return err
		}
	}
	for id, secret := range c.put {
		if err := v.Put(ctx, tx, id, secret); err != nil {
			return err
		}
	}
	return nil
}

// takeSecrets takes the new secrets out of a server that is to be stored. What is left names them only.
func (s *Store) takeSecrets(ctx context.Context, server Server) (Server, secretChanges, error) {
	old, err := s.Server(ctx, server.ID)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return server, secretChanges{}, err
	}
	changes := secretChanges{put: map[vault.ID]Secret{}}
	if server.Headers, err = changes.variables(server.Headers, old.Headers, func(ref string) vault.ID { return headerID(server.ID, ref) }); err != nil {
		return server, changes, err
	}
	if server.Env, err = changes.variables(server.Env, old.Env, func(ref string) vault.ID { return envID(server.ID, ref) }); err != nil {
		return server, changes, err
	}
	config := &server.SignIn
	config.HasSecret = changes.single(clientSecretID(server.ID), config.ClientSecret, config.HasSecret && old.SignIn.HasSecret, old.SignIn.HasSecret)
	config.HasKey = changes.single(privateKeyID(server.ID), config.PrivateKey, config.HasKey && old.SignIn.HasKey, old.SignIn.HasKey)
	config.ClientSecret, config.PrivateKey = Secret{}, Secret{}
	return server, changes, nil
}

// variables decides about each variable of one list and returns what is to be stored of them.
func (c *secretChanges) variables(variables, stored []Variable, id func(ref string) vault.ID) ([]Variable, error) {
	var gone []string
	for _, old := range stored {
		if old.Ref != "" {
			gone = append(gone, old.Ref)
		}
	}
	var out []Variable
	for _, variable := range variables {
		known := slices.Index(gone, variable.Ref)
		plain := variable.Secret && variable.Ref == "" && variable.Value != "" && variable.Hidden.IsZero()
		if plain && !slices.Contains(stored, variable) {
			variable.Hidden, variable.Value, plain = vault.NewSecret(variable.Value), "", false
		}
		switch {
		case !variable.Secret:
			variable.Ref = ""
		case variable.Ref != "" && known < 0:
			return nil, fmt.Errorf("the secret value of %q belongs to another entry; enter it again", variable.Name)
		case plain:
			// A value of an earlier version of the file, which no key was there to seal. It must not be lost; see sealPlain.
		case variable.Hidden.IsZero():
			if known >= 0 {
				gone = slices.Delete(gone, known, known+1)
			}
		default:
			if known >= 0 {
				gone = slices.Delete(gone, known, known+1)
			} else {
				variable.Ref = ulid.Make().String()
			}
			c.put[id(variable.Ref)] = variable.Hidden
			variable.Value = ""
		}
		variable.Hidden = Secret{}
		out = append(out, variable)
	}
	for _, ref := range gone {
		c.drop = append(c.drop, id(ref))
	}
	return out, nil
}

// single decides about a secret of which a server has one at most, and says whether there is one afterwards.
func (c *secretChanges) single(id vault.ID, value Secret, keep, stored bool) bool {
	switch {
	case !value.IsZero():
		c.put[id] = value
		return true
	case keep:
		return true
	case stored:
		c.drop = append(c.drop, id)
	}
	return false
}

// Reveal returns a copy of a server with the values of its secret variables, its client secret and its private key filled in. A value
// that was not kept is vault.ErrNoSecret, with the name of the variable in the text; one that cannot be read now a *vault.SealedError.
func (s *Store) Reveal(ctx context.Context, server Server) (Server, error) {
	var err error
	if server.Headers, err = s.reveal(ctx, server.Headers, func(ref string) vault.ID { return headerID(server.ID, ref) }); err != nil {
		return server, err
	}
	if server.Env, err = s.reveal(ctx, server.Env, func(ref string) vault.ID { return envID(server.ID, ref) }); err != nil {
		return server, err
	}
	for _, one := range []struct {
		has  bool
		into *Secret
		id   vault.ID
		name string
	}{
		{server.SignIn.HasSecret, &server.SignIn.ClientSecret, clientSecretID(server.ID), "the client secret"},
		{server.SignIn.HasKey, &server.SignIn.PrivateKey, privateKeyID(server.ID), "the private key"},
	} {
		if !one.has || !one.into.IsZero() {
			continue
		}
		if *one.into, err = s.vault.Get(ctx, one.id); err != nil {
			return server, fmt.Errorf("reading %s: %w", one.name, err)
		}
	}
	return server, nil
}

func (s *Store) reveal(ctx context.Context, variables []Variable, id func(ref string) vault.ID) ([]Variable, error) {
	out := slices.Clone(variables)
	for i := range out {
		variable := &out[i]
		switch {
		case !variable.Secret || !variable.Hidden.IsZero():
		case variable.Ref == "":
			variable.Hidden, variable.Value = vault.NewSecret(variable.Value), ""
		default:
			var err error
			if variable.Hidden, err = s.vault.Get(ctx, id(variable.Ref)); err != nil {
				return nil, fmt.Errorf("reading the value of %q: %w", variable.Name, err)
			}
		}
	}
	return out, nil
}

// sealPlain seals the secret values that an earlier version kept in the clear, and wipes them from the file. It runs when the vault has
// opened.
func (s *Store) sealPlain(ctx context.Context) error {
	servers, err := s.Servers(ctx)
	if err != nil {
		return err
	}
	found := false
	for _, server := range servers {
		plain := false
		for _, list := range [][]Variable{server.Headers, server.Env} {
			for i := range list {
				if v := &list[i]; v.Secret && v.Ref == "" && v.Value != "" {
					v.Hidden, v.Value, plain = vault.NewSecret(v.Value), "", true
				}
			}
		}
		if !plain {
			continue
		}
		found = true
		cleaned, changes, err := s.takeSecrets(ctx, server)
		if err != nil {
			return err
		}
		args, err := serverRow(cleaned, s.now())
		if err != nil {
			return err
		}
		// Not sealed: that would wait for the opening that this is part of.
		tx, err := s.db.Write.BeginTx(ctx, nil)
		if err != nil {
			return s.fail(err, "sealing the secrets of server %q", server.ID)
		}
		if err := errors.Join(execute(ctx, tx, putServer, args...), changes.store(ctx, tx, s.vault)); err != nil {
			return errors.Join(s.fail(err, "sealing the secrets of server %q", server.ID), tx.Rollback())
		}
		if err := tx.Commit(); err != nil {
			return s.fail(err, "sealing the secrets of server %q", server.ID)
		}
	}
	if !found {
		return nil
	}
	if err := execute(ctx, s.db.Write, `PRAGMA wal_checkpoint(TRUNCATE)`); err != nil {
		return s.fail(err, "wiping secrets that were kept in the clear")
	}
	return nil
}

type execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

func execute(ctx context.Context, on execer, statement string, args ...any) error {
	_, err := on.ExecContext(ctx, statement, args...)
	return err
}

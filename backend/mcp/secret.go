package mcp

import (
	"context"
	"errors"
	"slices"

	"jackfield/backend/store"
	"jackfield/backend/store/vault"
)

// valueOf is what a header or an environment variable stands for. Only the place that sends it may ask.
func valueOf(v store.Variable) string {
	if !v.Hidden.IsZero() {
		return v.Hidden.Reveal()
	}
	return v.Value
}

// hide puts the values of secret variables where they are not shown. The list is a new one.
func hide(variables []store.Variable) []store.Variable {
	variables = slices.Clone(variables)
	for i, v := range variables {
		switch {
		case !v.Secret:
			variables[i] = store.Variable{Name: v.Name, Value: v.Value}
		case v.Value != "" && v.Hidden.IsZero():
			variables[i] = store.Variable{Name: v.Name, Secret: true, Hidden: vault.NewSecret(v.Value)}
		case v.Value != "":
			variables[i].Value = ""
		}
	}
	return variables
}

// sameVariables says whether two lists send the same. A new value of a secret is a change, whatever it is: the old one is in the vault.
func sameVariables(a, b []store.Variable) bool {
	return slices.EqualFunc(a, b, func(a, b store.Variable) bool {
		return a.Name == b.Name && a.Secret == b.Secret && a.Ref == b.Ref && valueOf(a) == valueOf(b)
	})
}

// hasSecrets says whether something of an entry is in the vault.
func hasSecrets(server store.Server) bool {
	secret := func(v store.Variable) bool { return v.Secret }
	return slices.ContainsFunc(server.Headers, secret) || slices.ContainsFunc(server.Env, secret)
}

// reveal fills in the secret headers and environment variables of an entry. Those of an ad-hoc server were never put anywhere.
func (m *Manager) reveal(ctx context.Context, server store.Server, adhoc bool) (store.Server, *Error) {
	if adhoc || !hasSecrets(server) {
		return server, nil
	}
	revealed, err := m.options.Store.Reveal(ctx, server)
	if err != nil {
		return store.Server{}, secretFailure(err)
	}
	return revealed, nil
}

// secretFailure says why a secret cannot be had.
func secretFailure(err error) *Error {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) || errors.Is(err, errConnectLimit) {
		return fail(CodeSecret, "A secret of this server is in the vault, which is not open yet.", "Answer the question of your keyring, and connect again.", err)
	}
	if sealed, ok := errors.AsType[*vault.SealedError](err); ok {
		return fail(CodeSecret, "A secret of this server cannot be read: "+firstLine(sealed.Status.Detail, 300), firstOf(sealed.Status.Hint, "Open the vault, and connect again."), err)
	}
	if errors.Is(err, vault.ErrNoSecret) {
		return fail(CodeSecret, "A secret of this server was not kept: "+firstLine(err.Error(), 300)+".", "Enter its value again.", err)
	}
	return fail(CodeSecret, "The secrets of this server cannot be read: "+firstLine(err.Error(), 300), "Check the data directory.", err)
}

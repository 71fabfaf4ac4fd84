package api

import (
	"jackfield/backend/store"
	"jackfield/backend/store/vault"
)

// ConfigOf is what the edit dialog shows of a stored server: secret values stay behind.
func ConfigOf(server store.Server) Config {
	config := DraftOf(server)
	config.Headers, config.Env = each(server.Headers, variableOf), each(server.Env, variableOf)
	return config
}

// DraftOf is a server that is not stored yet: its secret values came from the page a moment ago and go back to it.
func DraftOf(server store.Server) Config {
	return Config{
		Name: server.Name, Transport: string(server.Transport), URL: server.URL, Headers: each(server.Headers, draftVariableOf),
		Command: server.Command, Args: list(server.Args), Env: each(server.Env, draftVariableOf), Cwd: server.Cwd,
		Era: string(server.Era), Enabled: server.Enabled, TrustLocalNetwork: server.TrustLocalNetwork,
		MaxAttempts: server.Retry.MaxAttempts,
		ConnectMs:   int(server.Timeouts.Connect.Milliseconds()),
		DiscoveryMs: int(server.Timeouts.Discovery.Milliseconds()),
		CallIdleMs:  int(server.Timeouts.CallIdle.Milliseconds()),
		CallTotalMs: int(server.Timeouts.CallTotal.Milliseconds()),
		Roots:       list(server.Roots), LogLevel: string(server.LogLevel),
		SignIn: signInConfigOf(server),
	}
}

func variableOf(v store.Variable) Variable {
	if v.Secret {
		return Variable{Name: v.Name, Secret: true, HasValue: v.Ref != "" || !v.Hidden.IsZero()}
	}
	return Variable{Name: v.Name, Value: v.Value, HasValue: v.Value != ""}
}

// draftVariableOf shows what is not stored yet, also where it is secret.
func draftVariableOf(v store.Variable) Variable {
	row := variableOf(v)
	if v.Secret {
		row.Value = v.Hidden.Reveal()
	}
	return row
}

// ServerFrom applies what the dialog filled in to a server: the zero one when it is new, the stored one when it is
// edited. What the dialog does not show (id, what was learned, who made the entry) stays.
func ServerFrom(config Config, server store.Server) store.Server {
	server.Name, server.Transport, server.URL = config.Name, store.Transport(config.Transport), config.URL
	server.Headers = variablesFrom(config.Headers, server.Headers)
	server.Command, server.Args, server.Cwd = config.Command, config.Args, config.Cwd
	server.Env = variablesFrom(config.Env, server.Env)
	server.Era, server.Enabled, server.TrustLocalNetwork = store.Era(config.Era), config.Enabled, config.TrustLocalNetwork
	server.Retry.MaxAttempts = config.MaxAttempts
	server.ClientID, server.SignIn = config.SignIn.ClientID, signInConfigFrom(config.SignIn)
	server.Roots, server.LogLevel = config.Roots, store.LogLevel(config.LogLevel)
	server.Timeouts = store.Timeouts{
		Connect: duration(config.ConnectMs), Discovery: duration(config.DiscoveryMs),
		CallIdle: duration(config.CallIdleMs), CallTotal: duration(config.CallTotalMs),
	}
	return server
}

// variablesFrom reads the dialog's rows. An empty secret with hasValue keeps the stored value of that name; names may repeat,
// as HTTP headers do, so each stored value is used once, in order.
func variablesFrom(rows []Variable, stored []store.Variable) []store.Variable {
	rest := append([]store.Variable(nil), stored...)
	out := make([]store.Variable, 0, len(rows))
	for _, row := range rows {
		variable := store.Variable{Name: row.Name, Value: row.Value, Secret: row.Secret}
		if row.Secret {
			variable.Hidden, variable.Value = vault.NewSecret(row.Value), ""
		}
		for i := range rest {
			if rest[i].Name != row.Name {
				continue
			}
			if row.Value == "" && row.HasValue {
				variable = kept(rest[i], row.Secret)
			}
			rest = append(rest[:i], rest[i+1:]...)
			break
		}
		out = append(out, variable)
	}
	return out
}

// kept is a stored variable whose value stays. One that was open and is secret now takes its value along; what is secret stays so.
func kept(stored store.Variable, secret bool) store.Variable {
	if secret && !stored.Secret {
		return store.Variable{Name: stored.Name, Secret: true, Hidden: vault.NewSecret(stored.Value)}
	}
	return stored
}

package api

import (
	"jackfield/backend/store"
)

// ConfigOf is what the edit dialog shows of a stored server: secret values stay behind.
func ConfigOf(server store.Server) Config {
	config := DraftOf(server)
	for _, variables := range [][]Variable{config.Headers, config.Env} {
		for i := range variables {
			if variables[i].Secret {
				variables[i].Value = ""
			}
		}
	}
	return config
}

// DraftOf is a server that is not stored yet: its secret values came from the page a moment ago and go back to it.
func DraftOf(server store.Server) Config {
	return Config{
		Name: server.Name, Transport: string(server.Transport), URL: server.URL, Headers: each(server.Headers, variableOf),
		Command: server.Command, Args: list(server.Args), Env: each(server.Env, variableOf), Cwd: server.Cwd,
		Era: string(server.Era), Enabled: server.Enabled, TrustLocalNetwork: server.TrustLocalNetwork,
		MaxAttempts: server.Retry.MaxAttempts,
		ConnectMs:   int(server.Timeouts.Connect.Milliseconds()),
		DiscoveryMs: int(server.Timeouts.Discovery.Milliseconds()),
		CallIdleMs:  int(server.Timeouts.CallIdle.Milliseconds()),
		CallTotalMs: int(server.Timeouts.CallTotal.Milliseconds()),
	}
}

func variableOf(v store.Variable) Variable {
	return Variable{Name: v.Name, Value: v.Value, Secret: v.Secret, HasValue: v.Value != ""}
}

// ServerFrom applies what the dialog filled in to a server: the zero one when it is new, the stored one when it is
// edited. What the dialog does not show (id, what was learned, the client id) stays.
func ServerFrom(config Config, server store.Server) store.Server {
	server.Name, server.Transport, server.URL = config.Name, store.Transport(config.Transport), config.URL
	server.Headers = variablesFrom(config.Headers, server.Headers)
	server.Command, server.Args, server.Cwd = config.Command, config.Args, config.Cwd
	server.Env = variablesFrom(config.Env, server.Env)
	server.Era, server.Enabled, server.TrustLocalNetwork = store.Era(config.Era), config.Enabled, config.TrustLocalNetwork
	server.Retry.MaxAttempts = config.MaxAttempts
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
		for i := range rest {
			if rest[i].Name != row.Name {
				continue
			}
			if row.Value == "" && row.HasValue {
				variable.Value = rest[i].Value
			}
			rest = append(rest[:i], rest[i+1:]...)
			break
		}
		out = append(out, variable)
	}
	return out
}

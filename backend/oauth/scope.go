package oauth

import (
	"slices"

	"jackfield/backend/store"
)

const offlineAccess = "offline_access"

// requestScopes are the scopes to ask for: those of the challenge, which the server means as they are, else all that its metadata names;
// with what was asked for before, so that a step-up loses nothing (SEP-2350), what the person added, and offline_access where the
// authorization server knows it (SEP-2207). None at all means that the parameter is left out.
func requestScopes(a authority, ch challenge, config store.SignInConfig, earlier []string) []string {
	wanted := ch.Scopes
	if wanted == nil {
		wanted = a.ResourceScopes
	}
	scopes := union(earlier, wanted, config.Scopes)
	if config.NoOffline || config.Mode == store.SignInClientCredentials {
		if !slices.Contains(config.Scopes, offlineAccess) { // the person's own word counts
			scopes = slices.DeleteFunc(scopes, func(s string) bool { return s == offlineAccess })
		}
		return scopes
	}
	if !slices.Contains(a.ScopesSupported, offlineAccess) {
		return scopes
	}
	return union(scopes, []string{offlineAccess})
}

// union keeps the order in which scopes first come.
func union(lists ...[]string) []string {
	var out []string
	for _, list := range lists {
		for _, scope := range list {
			if !slices.Contains(out, scope) {
				out = append(out, scope)
			}
		}
	}
	return out
}

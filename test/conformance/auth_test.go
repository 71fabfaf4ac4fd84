//go:build conformance

package conformance

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// Revisions of the protocol that are scored.
const (
	v1 = "2025-11-25"
	v2 = "2026-07-28"
)

// scored are the scenarios, with the number of checks that succeed by revision. "" is a scenario that belongs to no revision that is
// scored: one of an extension, or of 2025-03-26.
var scored = map[string]map[string]int{
	"auth/metadata-default":                     {v1: 19, v2: 18},
	"auth/metadata-var1":                        {v1: 19, v2: 18},
	"auth/metadata-var2":                        {v1: 19, v2: 18},
	"auth/metadata-var3":                        {v1: 19, v2: 18},
	"auth/basic-cimd":                           {v1: 14, v2: 12},
	"auth/scope-from-www-authenticate":          {v1: 15, v2: 14},
	"auth/scope-from-scopes-supported":          {v1: 15, v2: 14},
	"auth/scope-omitted-when-undefined":         {v1: 15, v2: 14},
	"auth/scope-step-up":                        {v1: 24, v2: 27},
	"auth/scope-retry-limit":                    {v1: 18, v2: 19},
	"auth/token-endpoint-auth-basic":            {v1: 20, v2: 19},
	"auth/token-endpoint-auth-post":             {v1: 20, v2: 19},
	"auth/token-endpoint-auth-none":             {v1: 20, v2: 19},
	"auth/pre-registration":                     {v1: 14, v2: 12},
	"auth/2025-03-26-oauth-metadata-backcompat": {"": 13},
	"auth/2025-03-26-oauth-endpoint-fallback":   {"": 8},
	"auth/resource-mismatch":                    {v2: 2},
	"auth/offline-access-scope":                 {v2: 12},
	"auth/offline-access-not-supported":         {v2: 14},
	"auth/authorization-server-migration":       {v2: 29},
	"auth/iss-supported":                        {v2: 14},
	"auth/iss-not-advertised":                   {v2: 14},
	"auth/iss-supported-missing":                {v2: 8},
	"auth/iss-wrong-issuer":                     {v2: 8},
	"auth/iss-unexpected":                       {v2: 8},
	"auth/iss-normalized":                       {v2: 8},
	"auth/metadata-issuer-mismatch":             {v2: 3},
	"auth/client-credentials-basic":             {"": 9},
	"auth/client-credentials-jwt":               {"": 9},
}

// notBuilt are the scenarios of extensions that this program does not have, with the reason.
var notBuilt = map[string]string{
	"auth/enterprise-managed-authorization": "SEP-990 needs an identity provider of an enterprise",
	"auth/dpop":                             "SEP-1932, tokens that are bound to a key, is no part of a released revision",
	"auth/dpop-nonce":                       "the same",
	"auth/wif-jwt-bearer":                   "SEP-1933, workload identity, is for programs without a person",
}

// Every scenario about authorization that the suite has is either scored or named with the reason why it is not.
func TestNoScenarioIsForgotten(t *testing.T) {
	have := listed(t)
	for _, name := range have {
		_, isScored := scored[name]
		_, isNamed := notBuilt[name]
		if strings.HasPrefix(name, "auth/") && isScored == isNamed {
			t.Errorf("%s has to be either scored or named as not built", name)
		}
	}
	for _, name := range slices.Concat(slices.Collect(maps.Keys(scored)), slices.Collect(maps.Keys(notBuilt))) {
		if !slices.Contains(have, name) {
			t.Errorf("the suite has no scenario %s any more", name)
		}
	}
}

func TestAuthorization(t *testing.T) {
	client := buildClient(t)
	for _, name := range slices.Sorted(maps.Keys(scored)) {
		for _, revision := range slices.Sorted(maps.Keys(scored[name])) {
			want := scored[name][revision]
			t.Run(strings.TrimPrefix(name, "auth/")+"/"+revision, func(t *testing.T) {
				t.Parallel()
				o := runScenario(t, client, name, revision)
				if got := o.count("SUCCESS"); !o.passed || got != want {
					t.Errorf("passed: %t, checks that succeeded: %d, want %d\n%s\n%s", o.passed, got, want, o.complaints(), o.log)
				}
			})
		}
	}
}

// The table tells this client from one that does nothing, also where the suite does not.
func TestAClientThatDoesNothingIsToldApart(t *testing.T) {
	for _, name := range []string{"auth/metadata-default", "auth/resource-mismatch", "auth/scope-retry-limit"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if o := runScenario(t, "/bin/true", name, v2); o.passed && o.count("SUCCESS") == scored[name][v2] {
				t.Errorf("a client that does nothing has all %d checks", scored[name][v2])
			}
		})
	}
}

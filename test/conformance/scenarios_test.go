//go:build conformance

package conformance

import (
	"maps"
	"slices"
	"testing"
)

// Revisions of the protocol that are scored.
const (
	v1 = "2025-11-25"
	v2 = "2026-07-28"
)

// table has the number of checks that succeed, by scenario and revision. "" is a scenario that belongs to no revision that is scored: one
// of an extension, or of 2025-03-26.
type table map[string]map[string]int

// protocol are the scenarios that need no sign-in.
var protocol = table{
	"initialize":                          {v1: 1},
	"tools_call":                          {v1: 2, v2: 2},
	"elicitation-sep1034-client-defaults": {v1: 5},
	"sse-retry":                           {v1: 3},
	"request-metadata":                    {v2: 6},
	"sep-2322-client-request-state":       {v2: 5},
	"http-standard-headers":               {v2: 10},
	"http-custom-headers":                 {v2: 18},
	"http-invalid-tool-headers":           {v2: 12},
	"json-schema-ref-no-deref":            {v2: 1},
	"json-schema-2020-12-preservation":    {v1: 9, v2: 9},
}

// notBuilt are the scenarios of extensions that this program does not have, with the reason.
var notBuilt = map[string]string{
	"auth/enterprise-managed-authorization": "SEP-990 needs an identity provider of an enterprise",
	"auth/dpop":                             "SEP-1932, tokens that are bound to a key, is no part of a released revision",
	"auth/dpop-nonce":                       "the same",
	"auth/wif-jwt-bearer":                   "SEP-1933, workload identity, is for programs without a person",
	"sep-2640-client-no-prefetch":           "SEP-2640, skills, is an extension for agents: this program loads no skill",
	"sep-2640-client-verify-digest":         "the same",
	"sep-2640-client-verify-size":           "the same",
	"sep-2640-client-verify-frontmatter":    "the same",
}

// scored are all scenarios of both tables.
func scored() table {
	all := maps.Clone(protocol)
	maps.Copy(all, authorization)
	return all
}

// Every scenario for clients that the suite has is either scored or named with the reason why it is not, and so it is run at every
// revision that requires it. A scenario with no checks would pass without a client.
func TestNoScenarioIsForgotten(t *testing.T) {
	have, all := listed(t), scored()
	for _, name := range have {
		_, isNamed := notBuilt[name]
		if _, isScored := all[name]; isScored == isNamed {
			t.Errorf("%s has to be either scored or named as not built", name)
		}
	}
	for _, name := range slices.Concat(slices.Collect(maps.Keys(all)), slices.Collect(maps.Keys(notBuilt))) {
		if !slices.Contains(have, name) {
			t.Errorf("the suite has no scenario %s any more", name)
		}
	}
	for name, revisions := range all {
		for revision, checks := range revisions {
			if checks == 0 {
				t.Errorf("%s at %s has no checks, so it proves nothing", name, revision)
			}
		}
	}
	for _, revision := range []string{v1, v2} {
		for _, name := range required(t, revision) {
			if _, ok := all[name][revision]; !ok {
				t.Errorf("%s is required for %s and is not run there", name, revision)
			}
		}
	}
}

func TestProtocol(t *testing.T) { runTable(t, protocol) }

func TestAuthorization(t *testing.T) { runTable(t, authorization) }

// The tables tell this client from one that does nothing, also where the suite does not.
func TestAClientThatDoesNothingIsToldApart(t *testing.T) {
	for _, name := range []string{"auth/metadata-default", "auth/resource-mismatch", "auth/scope-retry-limit", "http-invalid-tool-headers", "http-standard-headers"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if o := runScenario(t, "/bin/true", name, v2); o.passed && o.count("SUCCESS") == scored()[name][v2] {
				t.Errorf("a client that does nothing has all %d checks", scored()[name][v2])
			}
		})
	}
}

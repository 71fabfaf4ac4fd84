//go:build conformance

package conformance

// authorization are the scenarios about signing in.
var authorization = map[string]map[string]int{
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

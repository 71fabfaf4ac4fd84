//go:build oauth

package oauth

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"jackfield/backend"
	"jackfield/backend/store"
)

const (
	schemeRedirect   = "jackfield://oauth/callback"
	loopbackRedirect = "http://127.0.0.1:"
)

// A strict OpenID Provider: registration and a redirect to the custom scheme, then one refresh per expiry, with rotation.
func TestOIDCProvider(t *testing.T) {
	const ttl = 3
	s, url := startOIDC(t, ttl)
	a := install(t, url, true)
	a.needsSignIn(t)
	a.signIn(t)
	a.calls(t, "whoami", `{}`, "signed in as alice")
	if account := a.account(t); account.Redirect != store.RedirectScheme || account.Source != store.FromDynamic || !account.Renews || !account.Kept {
		t.Errorf("the account is %+v", account)
	}
	s.wants(t, 1, "register", schemeRedirect)
	s.wants(t, 1, "authorization_code", "")

	time.Sleep((ttl + 1) * time.Second)
	before := s.count("refresh_token", "")
	a.calls(t, "whoami", `{}`, "signed in as alice")
	if s.count("refresh_token", "") <= before {
		t.Error("the token has expired, and was not refreshed")
	}

	a.restart(t)
	time.Sleep((ttl + 1) * time.Second)
	a.calls(t, "whoami", `{}`, "signed in as alice")
	s.wants(t, 1, "authorize", "")

	if err := a.backend.Manager.SignOut(t.Context(), a.id); err != nil {
		t.Fatalf("signing out: %v", err)
	}
	if s.count("revoke", "") == 0 {
		t.Error("nothing was revoked")
	}
	a.needsSignIn(t)
	a.signIn(t)
	a.calls(t, "whoami", `{}`, "signed in as alice")
	s.wants(t, 1, "register", "") // the registration was kept
	s.wants(t, 0, "refused", "")
}

// Without the custom scheme the same provider sends the browser to the loopback listener.
func TestOIDCProviderOverLoopback(t *testing.T) {
	s, url := startOIDC(t, 60)
	a := install(t, url, false)
	a.signIn(t)
	a.calls(t, "whoami", `{}`, "signed in as alice")
	if account := a.account(t); account.Redirect != store.RedirectLoopback {
		t.Errorf("the account is %+v", account)
	}
	s.wants(t, 1, "register", loopbackRedirect)
	s.wants(t, 1, "authorize", loopbackRedirect)
}

// Nobody can register, but the provider takes the URL of a Client ID Metadata Document as client id.
func TestOIDCProviderWithMetadataDocument(t *testing.T) {
	const document = "https://client.example/jackfield.json"
	backend.ClientMetadataURL = document
	t.Cleanup(func() { backend.ClientMetadataURL = "" })
	s, url := startOIDC(t, 60, "DOCUMENT="+document)
	a := install(t, url, true)
	a.signIn(t)
	a.calls(t, "whoami", `{}`, "signed in as alice")
	if account := a.account(t); account.Source != store.FromMetadata || account.ClientID != document {
		t.Errorf("the account is %+v", account)
	}
	s.wants(t, 0, "register", "")
}

// The library behind many hosted servers refuses the custom scheme: the loopback redirect is tried by itself, and remembered.
func TestWorkersProviderRefusesTheScheme(t *testing.T) {
	port := free(t, 1)[0]
	s := start(t, []string{fmt.Sprintf("PORT=%d", port)}, []int{port}, "--import", "./workers-hooks.mjs", "workers.mjs")
	a := install(t, fmt.Sprintf("http://127.0.0.1:%d/mcp", port), true)
	a.needsSignIn(t)
	a.signIn(t)
	a.calls(t, "whoami", `{}`, "signed in as alice")
	if account := a.account(t); account.Redirect != store.RedirectLoopback || !account.Renews {
		t.Errorf("the account is %+v", account)
	}
	s.wants(t, 1, "register", schemeRedirect)
	s.wants(t, 1, "register", loopbackRedirect)
	s.wants(t, 1, "authorize", "")

	if err := s.command.Process.Signal(syscall.SIGUSR2); err != nil {
		t.Fatal(err)
	}
	s.wants(t, 1, "expired", "")
	a.calls(t, "whoami", `{}`, "signed in as alice")
	s.wants(t, 1, "refresh_token", "")

	a.restart(t)
	a.calls(t, "whoami", `{}`, "signed in as alice")
	if err := a.backend.Manager.SignOut(t.Context(), a.id); err != nil {
		t.Fatalf("signing out: %v", err)
	}
	if s.count("revoke", "") == 0 {
		t.Error("nothing was revoked")
	}
	a.signIn(t)
	a.calls(t, "whoami", `{}`, "signed in as alice")
	s.wants(t, 1, "register", schemeRedirect) // it is not asked again
	s.wants(t, 1, "register", loopbackRedirect)
}

// The demo server of the TypeScript SDK: an issuer with a slash at its end, redirects that are compared exactly, and no refresh tokens.
func TestTypeScriptDemoServer(t *testing.T) {
	ports := free(t, 2)
	env := []string{fmt.Sprintf("MCP_PORT=%d", ports[0]), fmt.Sprintf("MCP_AUTH_PORT=%d", ports[1])}
	start(t, env, ports, "node_modules/@modelcontextprotocol/sdk/dist/esm/examples/server/simpleStreamableHttp.js", "--oauth")
	a := install(t, fmt.Sprintf("http://localhost:%d/mcp", ports[0]), false)
	a.needsSignIn(t)
	a.signIn(t)
	a.calls(t, "greet", `{"name":"Ada"}`, "Hello, Ada")
	if account := a.account(t); account.Renews {
		t.Errorf("the account is %+v", account)
	}
	a.restart(t)
	a.calls(t, "greet", `{"name":"Ada"}`, "Hello, Ada")
	if err := a.backend.Manager.SignOut(t.Context(), a.id); err != nil {
		t.Logf("signing out where nothing can be revoked says: %v", err)
	}
	a.needsSignIn(t)
}

// startOIDC starts the provider and returns the URL of its MCP server.
func startOIDC(t *testing.T, ttl int, env ...string) (*server, string) {
	t.Helper()
	ports := free(t, 2)
	env = append(env, fmt.Sprintf("PORT=%d", ports[0]), fmt.Sprintf("RESOURCE_PORT=%d", ports[1]), fmt.Sprintf("TTL=%d", ttl))
	return start(t, env, ports, "oidc.mjs"), fmt.Sprintf("http://127.0.0.1:%d/mcp", ports[1])
}

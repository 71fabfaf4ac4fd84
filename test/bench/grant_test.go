//go:build bench

package bench

import (
	"encoding/json"
	"testing"
	"time"

	"jackfield/backend/mcp"
	"jackfield/backend/store"
	"jackfield/backend/store/vault"
)

// grant measures what it costs that every request reads its token from the sealed row: another process may have renewed it.
func grant(t *testing.T, results *table) {
	url := canned(t, 0)
	b := openBackend(t, t.TempDir(), false)
	defer closeBackend(t, b)
	if _, err := b.Store.Vault().Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"signed-in", "open"} {
		server := store.Server{ID: id, Name: id, Transport: store.TransportStreamableHTTP, URL: url, Era: store.EraLegacy}
		if id == "open" {
			server.SignIn.Mode = store.SignInHeader // no sign-in at all
		}
		if _, err := b.Manager.Register(t.Context(), server); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.Store.PutGrant(t.Context(), store.Grant{
		ServerID: "signed-in", Resource: url, Issuer: "https://as.example.com", TokenEndpoint: "https://as.example.com/token",
		AccessToken: vault.NewSecret("an access token"), ExpiresAt: time.Now().Add(time.Hour),
	}); err != nil {
		t.Fatal(err)
	}
	run := func(id string) func() time.Duration {
		return func() time.Duration {
			const n = 1000
			return timed(func() {
				for range n {
					if _, err := b.Manager.Call(t.Context(), mcp.CallRequest{ServerID: id, Kind: store.KindTool, Name: "small", Arguments: json.RawMessage(`{}`)}); err != nil {
						t.Fatal(err)
					}
				}
			}) / n
		}
	}
	for _, id := range []string{"signed-in", "open"} {
		if err := b.Manager.Connect(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	a, f := pairs(t, 7, run("signed-in"), run("open"))
	results.add("a small call with a stored sign-in", "the same without one", a, f, 1.50)
}

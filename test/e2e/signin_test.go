//go:build e2e

package e2e

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jackfield/backend/oauth/oauthtest"
)

// landing is the page that the browser begins with: all of it is one link to the authorization server, which a person clicks.
const landing = `<!doctype html><title>Permission</title><a id="go" style="position:fixed;inset:0;font-size:3rem">Allow</a>
<script>document.getElementById("go").href = new URLSearchParams(location.search).get("to")</script>`

func TestSignInComesBackByLink(t *testing.T) {
	f := signIn(t, "by_link")
	wantRedirect(t, f, "jackfield://oauth/callback")
}

func TestSignInWithoutTheSchemeComesBackOverLoopback(t *testing.T) {
	f := signIn(t, "without_scheme")
	wantRedirect(t, f, "http://127.0.0.1:")
}

// signIn runs a scenario against a server of its own.
func signIn(t *testing.T, name string) *oauthtest.Fake {
	t.Helper()
	f := oauthtest.New(t)
	start := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(landing)) // the browser may be gone, which is its own affair
	}))
	t.Cleanup(start.Close)
	server, err := url.Parse(f.MCP)
	if err != nil {
		t.Fatal(err)
	}
	profile := profile(t, start.URL, f.Origin)
	drive(t, "signin.py", name, "E2E_SERVER="+f.MCP, "E2E_NAME="+server.Host, "E2E_START="+start.URL+"/", "E2E_PROFILE="+profile)
	return f
}

// profile of a browser in which pages of these origins may open links of jackfield, as a person allows once.
func profile(t *testing.T, origins ...string) string {
	t.Helper()
	allowed := map[string]map[string]bool{}
	for _, origin := range origins {
		allowed[origin] = map[string]bool{"jackfield": true}
	}
	preferences, err := json.Marshal(map[string]any{"protocol_handler": map[string]any{"allowed_origin_protocol_pairs": allowed}})
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "Default"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "Default", "Preferences"), preferences, 0o600); err != nil {
		t.Fatal(err)
	}
	return folder
}

// wantRedirect checks that there was one authorization, that it asked for such a redirect, and that one code became one token.
func wantRedirect(t *testing.T, f *oauthtest.Fake, prefix string) {
	t.Helper()
	asked := f.Requests("/authorize")
	if len(asked) != 1 || !strings.HasPrefix(asked[0].Query.Get("redirect_uri"), prefix) {
		t.Errorf("authorizations: %d, want one with a redirect to %s", len(asked), prefix)
	}
	if n := len(f.TokenRequests("authorization_code")); n != 1 {
		t.Errorf("%d codes were exchanged, want 1", n)
	}
}

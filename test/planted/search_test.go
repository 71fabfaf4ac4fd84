package planted

import (
	"bytes"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"jackfield/backend/oauth/oauthtest"
)

// secretFields are the parameters of a token request that nobody else may learn.
var secretFields = []string{"code", "code_verifier", "refresh_token", "client_secret", "client_assertion", "token"}

// secretsOf are the secrets that a server was sent, by what they are. A secret that was never sent cannot have been kept by mistake
// anywhere but where it was received, which is why the tests use each of them.
func secretsOf(t *testing.T, f *oauthtest.Fake) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, r := range f.Requests() {
		if token, is := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); is {
			found[token] = "access token"
		}
		if encoded, is := strings.CutPrefix(r.Header.Get("Authorization"), "Basic "); is {
			found[encoded] = "client secret, encoded"
		}
		for _, field := range secretFields {
			if value := r.Form.Get(field); value != "" {
				found[value] = field
			}
		}
	}
	for value := range found {
		if len(value) < 8 {
			t.Fatalf("the %s %q is too short to be looked for", found[value], value)
		}
	}
	return found
}

// kinds of the secrets, to see that a test had them all.
func kinds(secrets map[string]string) []string {
	return slices.Compact(slices.Sorted(maps.Values(secrets)))
}

// leaks are the kinds of secrets that a text has, as they are or as they stand in a URL.
func leaks(content []byte, secrets map[string]string) []string {
	var found []string
	for value, kind := range secrets {
		if bytes.Contains(content, []byte(value)) || bytes.Contains(content, []byte(url.QueryEscape(value))) {
			found = append(found, kind)
		}
	}
	slices.Sort(found)
	return found
}

// clean wants a text without secrets.
func clean(t *testing.T, where string, content []byte, secrets map[string]string) {
	t.Helper()
	if found := leaks(content, secrets); len(found) > 0 {
		t.Errorf("%s has the %s", where, strings.Join(found, ", the "))
	}
}

// cleanFolder looks for secrets in every file below a folder: the database, its write-ahead log, what is written beside it. It returns how many bytes
// there were.
func cleanFolder(t *testing.T, folder string, secrets map[string]string) (size int) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		size += len(content)
		clean(t, filepath.Base(path), content, secrets)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return size
}

// The search itself finds what there is to find.
func TestTheSearchFinds(t *testing.T) {
	secrets := map[string]string{"planted/secret": "client_secret", "another-one": "code"}
	for text, want := range map[string][]string{
		"before planted/secret after": {"client_secret"},
		"?s=planted%2Fsecret&":        {"client_secret"},
		"another-one":                 {"code"},
		"another-planted":             nil,
	} {
		if got := leaks([]byte(text), secrets); !slices.Equal(got, want) {
			t.Errorf("%q: found %q, want %q", text, got, want)
		}
	}
}

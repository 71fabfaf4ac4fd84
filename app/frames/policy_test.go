package frames

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestEveryAnswerHasThePolicy(t *testing.T) {
	handler := Protect(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/missing" {
			http.NotFound(w, r)
		}
	}))
	for _, path := range []string{"/", "/missing"} {
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, path, nil))
		if got := recorder.Header().Get("Content-Security-Policy"); got != Policy {
			t.Errorf("%s: %q", path, got)
		}
	}
}

func TestPolicyAllowsNoForeignScript(t *testing.T) {
	directives := map[string]string{}
	for _, directive := range strings.Split(Policy, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(directive), " ")
		directives[name] = value
	}
	for name, want := range map[string]string{
		"default-src": "'none'", "script-src": "'self'", "frame-src": "'none'", "child-src": "'none'", "object-src": "'none'",
		"base-uri": "'none'", "form-action": "'none'", "connect-src": "'self'",
	} {
		if directives[name] != want {
			t.Errorf("%s is %q, want %q", name, directives[name], want)
		}
	}
}

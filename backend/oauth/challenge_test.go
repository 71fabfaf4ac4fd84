package oauth

import (
	"slices"
	"strings"
	"testing"
	"unicode"
)

func TestParseChallenge(t *testing.T) {
	const prm = "https://example.com/.well-known/oauth-protected-resource"
	for _, test := range []struct {
		name    string
		headers []string
		want    challenge
	}{
		{"none", nil, challenge{}},
		{"bare", []string{"Bearer"}, challenge{}},
		{
			"whole",
			[]string{`Bearer realm="x", error="invalid_token", error_description="The \"token\" is over", scope="a b", resource_metadata="` + prm + `"`},
			challenge{ResourceMetadata: prm, Scopes: []string{"a", "b"}, Error: "invalid_token", Description: `The "token" is over`},
		},
		{"unquoted", []string{"bearer resource_metadata=" + prm + ",scope=a"}, challenge{ResourceMetadata: prm, Scopes: []string{"a"}}},
		{"spaces around =", []string{`BEARER  resource_metadata = "` + prm + `" , scope = "a"`}, challenge{ResourceMetadata: prm, Scopes: []string{"a"}}},
		{"after Basic", []string{`Basic realm="a, Bearer resource_metadata=x", Bearer scope="a"`}, challenge{Scopes: []string{"a"}}},
		{"before Basic", []string{`Bearer scope="a", Basic realm="b", scope="c"`}, challenge{Scopes: []string{"a"}}},
		{"the next scheme's own", []string{`Bearer scope="a", Basic error="b", resource_metadata="https://evil.example"`}, challenge{Scopes: []string{"a"}}},
		{"token68 first", []string{`Negotiate dG9rZW4=, Bearer scope="a"`}, challenge{Scopes: []string{"a"}}},
		{"in another header", []string{`Basic realm="a"`, `Bearer scope="a"`}, challenge{Scopes: []string{"a"}}},
		{
			"the one with metadata",
			[]string{`Bearer scope="a"`, `Bearer scope="b", resource_metadata="` + prm + `"`},
			challenge{ResourceMetadata: prm, Scopes: []string{"b"}},
		},
		{"a parameter of another scheme", []string{`DPoP resource_metadata="https://evil.example", Bearer`}, challenge{}},
		{"twice the same parameter", []string{`Bearer scope="a", scope="b"`}, challenge{Scopes: []string{"a"}}},
		{"without an end", []string{`Bearer scope="a b`}, challenge{Scopes: []string{"a", "b"}}},
		{"empty scope", []string{`Bearer scope="", error=x`}, challenge{Error: "x"}},
		{"a quote where no word is", []string{`"nonsense", Bearer scope="a"`}, challenge{Scopes: []string{"a"}}},
		{"no scheme", []string{`resource_metadata="https://evil.example"`}, challenge{}},
		{"scopes that are none", []string{"Bearer scope=\"a \x01 b\u202e c\""}, challenge{Scopes: []string{"a", "c"}}},
		{"text that turns", []string{"Bearer error_description=\"a\u202eb\r\n\x1b[31mc\""}, challenge{Description: "ab  [31mc"}},
		{
			"too long a URL",
			[]string{`Bearer scope="a", resource_metadata="https://example.com/` + strings.Repeat("a", maxURL) + `"`},
			challenge{Scopes: []string{"a"}},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.want.Status = 401
			got := parseChallenge(401, test.headers)
			if got.ResourceMetadata != test.want.ResourceMetadata || !slices.Equal(got.Scopes, test.want.Scopes) ||
				(got.Scopes == nil) != (test.want.Scopes == nil) ||
				got.Error != test.want.Error || got.Description != test.want.Description || got.Status != 401 {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}

// Whatever a server sends, parsing ends, keeps its bounds and lets nothing through that could act on a terminal or a window.
func FuzzParseChallenge(f *testing.F) {
	for _, seed := range []string{
		"", "Bearer", `Bearer scope="a b", resource_metadata="https://example.com/x"`, `Basic realm="x", Bearer error=invalid_token`, `Bearer a="\"`,
		`Bearer ="x"`,
		`,,, = = "`, `Bearer scope = "a`, "Bearer scope=\"\x00\u202e\"", `Negotiate dG9rZW4==, Bearer x`, "Bearer\tscope=a", `Bearer "a" "b`,
	} {
		f.Add(seed, "")
		f.Add(seed, `Bearer scope="z"`)
	}
	f.Fuzz(func(t *testing.T, first, second string) {
		ch := parseChallenge(401, []string{first, second})
		if len(ch.Scopes) > maxScopes || len(ch.ResourceMetadata) > maxURL || len(ch.Error) > 64+len("…") || len(ch.Description) > 300+len("…") {
			t.Fatalf("out of bounds: %+v", ch)
		}
		if ch.Scopes != nil && len(ch.Scopes) == 0 {
			t.Fatal("no scope is nil")
		}
		for _, scope := range ch.Scopes {
			if !isScope(scope) {
				t.Fatalf("%q is no scope", scope)
			}
		}
		if strings.ContainsFunc(ch.Error+ch.Description, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }) {
			t.Fatalf("text that acts: %q %q", ch.Error, ch.Description)
		}
		if first != "" && second == `Bearer scope="z"` && !strings.Contains(strings.ToLower(first), "bearer") && len(first) < 1000 &&
			!slices.Equal(ch.Scopes, []string{"z"}) {
			t.Fatalf("%q hid the challenge after it: %+v", first, ch)
		}
	})
}

package oauth

import (
	"strings"
)

// challenge is what a server answered to a request it refused.
type challenge struct {
	Status           int // 401 or 403; 0 if nothing was refused yet
	ResourceMetadata string
	Scopes           []string // nil if the challenge names none
	Error            string   // RFC 6750 section 3.1
	Description      string   // text from outside
}

const (
	maxChallenge = 16 << 10 // bytes of all headers that are looked at
	maxURL       = 2048
	maxScopes    = 100
)

// parseChallenge reads WWW-Authenticate headers, of any number and quality: what cannot be read is passed over, so that one odd header of a
// proxy does not hide the server's own. Of several Bearer challenges the first that names resource metadata counts, else the first.
func parseChallenge(status int, values []string) challenge {
	var best map[string]string
	left := maxChallenge
	for _, value := range values {
		value = value[:min(len(value), left)]
		left -= len(value)
		for _, parameters := range bearers(value) {
			if best == nil || best["resource_metadata"] == "" && parameters["resource_metadata"] != "" {
				best = parameters
			}
		}
	}
	found := challenge{
		Status: status, Scopes: scopeTokens(best["scope"]), Error: inert(best["error"], 64),
		Description: inert(best["error_description"], 300),
	}
	if u := best["resource_metadata"]; len(u) <= maxURL {
		found.ResourceMetadata = u
	}
	return found
}

// bearers returns the parameters of every Bearer challenge in one header (RFC 9110 section 11.6.1). A word that no "=" follows begins a
// challenge; a parameter that comes twice keeps its first value.
func bearers(header string) []map[string]string {
	var found []map[string]string
	var current map[string]string
	for rest := header; ; {
		rest = strings.TrimLeft(rest, " \t,=")
		if rest == "" {
			return found
		}
		end := strings.IndexAny(rest, " \t,=\"")
		if end == 0 { // a quote where a word should be
			_, rest = quoted(rest)
			continue
		}
		if end < 0 {
			end = len(rest)
		}
		word := strings.ToLower(rest[:end])
		after := strings.TrimLeft(rest[end:], " \t")
		if !strings.HasPrefix(after, "=") {
			current = nil
			if word == "bearer" {
				current = map[string]string{}
				found = append(found, current)
			}
			rest = rest[end:]
			continue
		}
		var value string
		after = strings.TrimLeft(after[1:], " \t")
		if strings.HasPrefix(after, `"`) {
			value, rest = quoted(after)
		} else {
			end := strings.IndexAny(after, " \t,")
			if end < 0 {
				end = len(after)
			}
			value, rest = after[:end], after[end:]
		}
		if _, twice := current[word]; current != nil && !twice {
			current[word] = value
		}
	}
}

// quoted reads a quoted-string; one that does not end ends with the header.
func quoted(text string) (value, rest string) {
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '"':
			return b.String(), text[i+1:]
		case text[i] == '\\' && i+1 < len(text):
			i++
		}
		b.WriteByte(text[i])
	}
	return b.String(), ""
}

// scopeTokens splits a scope (RFC 6749 section 3.3) and leaves out what is none. It returns nil for none at all.
func scopeTokens(scope string) []string {
	var found []string
	for _, one := range strings.Fields(scope) {
		if len(found) < maxScopes && len(one) <= 256 && isScope(one) {
			found = append(found, one)
		}
	}
	return found
}

func isScope(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool { return r < 0x21 || r > 0x7e || r == '"' || r == '\\' })
}

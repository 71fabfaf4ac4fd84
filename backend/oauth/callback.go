package oauth

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"net/url"
	"strings"

	"jackfield/backend/store"
)

// SchemeRedirect is the redirect URI of this program's own scheme.
const SchemeRedirect = "jackfield://oauth/callback"

const (
	loopbackPath = "/callback"
	maxCallback  = 4096
	stateBytes   = 32
)

// stateLength of what newState makes.
var stateLength = base64.RawURLEncoding.EncodedLen(stateBytes)

// newState makes the value that ties a response to its request. It is independent of the PKCE verifier: it travels in URLs, the verifier
// never does.
func newState() string {
	raw := make([]byte, stateBytes)
	_, _ = rand.Read(raw) // never fails: it ends the program instead
	return base64.RawURLEncoding.EncodeToString(raw)
}

// response is an authorization response (RFC 6749 section 4.1.2, RFC 9207). Everything but State is text from outside.
type response struct {
	State, Code        string
	Iss                string
	HasIss             bool
	Error, Description string
}

// Why a callback is not one. The text names the reason only, never what was received.
var (
	errCallbackForm    = errors.New("it is not a callback of this program")
	errCallbackState   = errors.New("no sign-in waits for it: it is forged, used already, or too late")
	errCallbackTwice   = errors.New("a parameter comes twice")
	errCallbackAddress = errors.New("it is not the address that the browser was to end up at")
)

// parseCallback takes a callback apart. redirect is the redirect URI that it must be for: scheme, host and path have to be the same to the
// letter, and nothing else may be in it but a query in which each parameter comes once.
func parseCallback(raw, redirect string) (response, error) {
	if len(raw) > maxCallback || strings.ContainsFunc(raw, func(r rune) bool { return r < 0x21 || r == 0x7f }) {
		return response{}, errCallbackForm
	}
	address, query, found := strings.Cut(raw, "?")
	if !found || strings.Contains(query, "#") {
		return response{}, errCallbackForm
	}
	// By text, not by a parsed URL: whatever a parser would forgive (user info, ports, encoded slashes) is another address.
	if address != redirect {
		return response{}, errCallbackAddress
	}
	return parseResponse(query)
}

// parseResponse reads the query of a callback.
func parseResponse(query string) (response, error) {
	if len(query) > maxCallback {
		return response{}, errCallbackForm
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return response{}, errCallbackForm
	}
	for _, several := range values {
		if len(several) > 1 {
			return response{}, errCallbackTwice
		}
	}
	r := response{
		State: values.Get("state"), Code: values.Get("code"), Iss: values.Get("iss"), HasIss: values.Has("iss"),
		Error: values.Get("error"), Description: values.Get("error_description"),
	}
	if len(r.State) != stateLength {
		return response{}, errCallbackState
	}
	return r, nil
}

func sameState(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// checkIssuer is the table of RFC 9207 section 2.4 and of MCP 2026-07-28: it comes before anything else of a response is believed, its
// error text included. Nothing is normalised.
func checkIssuer(r response, a authority) error {
	switch {
	case !r.HasIss && a.IssParameter:
		return &issuerError{expected: a.Issuer}
	case r.HasIss && r.Iss != a.Issuer:
		return &issuerError{expected: a.Issuer, got: r.Iss}
	}
	return nil
}

// issuerError says that a response is not the chosen authorization server's.
type issuerError struct{ expected, got string }

func (e *issuerError) Error() string {
	if e.got == "" {
		return "The answer does not say which authorization server it comes from, though " + inert(e.expected, 200) + " promises that. It was not used."
	}
	return "The answer comes from " + inert(e.got, 200) + ", but " + inert(e.expected, 200) + " was asked. It was not used."
}

// redirectOf is the redirect URI for a kind; loopback kinds have a port.
func redirectOf(kind store.RedirectKind, port string) string {
	switch kind {
	case store.RedirectScheme:
		return SchemeRedirect
	case store.RedirectLocalhost:
		return "http://localhost:" + port + loopbackPath
	}
	return "http://127.0.0.1:" + port + loopbackPath
}

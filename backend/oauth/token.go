package oauth

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"jackfield/backend/store"
	"jackfield/backend/store/vault"
)

// tokens is the answer of a token endpoint.
type tokens struct {
	Access, Refresh store.Secret
	Scopes          []string  // nil: as requested (RFC 6749 section 5.1)
	ExpiresAt       time.Time // zero: unknown
}

// endpointError is a refusal of a token or revocation endpoint (RFC 6749 section 5.2). Description is text from outside.
type endpointError struct {
	Status      int
	Code        string // "invalid_grant", …; "" if the answer named none
	Description string
}

func (e *endpointError) Error() string {
	if e.Code == "" {
		return fmt.Sprintf("the authorization server answered HTTP %d", e.Status)
	}
	return fmt.Sprintf("the authorization server answered %q (HTTP %d)", e.Code, e.Status)
}

// maxToken is more than any server takes in a header.
const maxToken = 64 << 10

func newSecret(value string) store.Secret { return vault.NewSecret(value) }

// token posts a form to a token endpoint, with the client's own way of authentication. Its error is an *endpointError, or one of the
// network. Nothing is tried twice: a code or a refresh token may be gone with the first attempt.
func (f *fetcher) token(ctx context.Context, endpoint string, client store.Registration, key store.Secret, form url.Values) (tokens, error) {
	asked := time.Now()
	answer, err := f.post(ctx, endpoint, client, key, form)
	if err != nil {
		return tokens{}, err
	}
	return readTokens(answer, asked)
}

// post sends an authenticated form.
func (f *fetcher) post(ctx context.Context, endpoint string, client store.Registration, key store.Secret, form url.Values) (reply, error) {
	form = maps.Clone(form)
	header := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
	secrets := []string{client.ClientSecret.Reveal()}
	for name, values := range form {
		if secretKey(name) {
			secrets = append(secrets, values...)
		}
	}
	shown, err := authenticate(client, key, form, header)
	if err != nil {
		return reply{}, err
	}
	return f.send(ctx, outgoing{method: http.MethodPost, url: endpoint, header: header, body: []byte(form.Encode()), secrets: append(secrets, shown...)})
}

// authenticate adds what the client proves itself with, in exactly one way: trying one after the other uses up the code, and shows a
// secret where none was wanted. It returns what must not be shown.
func authenticate(client store.Registration, key store.Secret, form url.Values, header http.Header) (secrets []string, err error) {
	switch client.AuthMethod {
	case "", authNone:
		form.Set("client_id", client.ClientID)
	case authBasic:
		// Both parts are form-encoded first (RFC 6749 section 2.3.1).
		credentials := url.QueryEscape(client.ClientID) + ":" + url.QueryEscape(client.ClientSecret.Reveal())
		encoded := base64.StdEncoding.EncodeToString([]byte(credentials))
		header.Set("Authorization", "Basic "+encoded)
		secrets = []string{encoded}
	case authPost:
		form.Set("client_id", client.ClientID)
		form.Set("client_secret", client.ClientSecret.Reveal())
	case authSigned:
		assertion, err := signAssertion(client.Issuer, client.ClientID, key, time.Now())
		if err != nil {
			return nil, err
		}
		form.Set("client_id", client.ClientID)
		form.Set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
		form.Set("client_assertion", assertion)
		secrets = []string{assertion}
	default:
		return nil, fmt.Errorf("%q is no way of client authentication that is known here. Choose another for this server", inert(client.AuthMethod, 64))
	}
	return secrets, nil
}

// readTokens reads an answer of RFC 6749 section 5, in JSON or, as GitHub sends it, as a form; an error may come with HTTP 200.
func readTokens(answer reply, asked time.Time) (tokens, error) {
	d := parseAnswer(answer)
	if answer.status < 200 || answer.status > 299 || len(d["error"]) > 0 && string(d["error"]) != "null" {
		return tokens{}, refusal(answer, d)
	}
	access, refresh := d.text("access_token"), d.text("refresh_token")
	switch kind := d.text("token_type"); {
	case access == "":
		return tokens{}, errors.New("the authorization server answered without an access token. " +
			"Sign in again; if that does not help, tell the people who run it")
	case kind != "" && !strings.EqualFold(kind, "Bearer"):
		return tokens{}, fmt.Errorf("the authorization server gave a token of type %q; only Bearer is spoken here", inert(kind, 64))
	case !headerSafe(access) || !headerSafe(refresh):
		return tokens{}, errors.New("the authorization server gave a token that fits into no header. Tell the people who run it")
	}
	found := tokens{Access: newSecret(access), Refresh: newSecret(refresh), Scopes: d.scopes("scope")}
	if seconds, ok := number(d["expires_in"]); ok && seconds >= 0 {
		found.ExpiresAt = asked.Add(time.Duration(min(seconds, 10*365*24*3600)) * time.Second) // 0: it is over already
	}
	return found, nil
}

// parseAnswer reads JSON, or a form where it says so or is not JSON.
func parseAnswer(answer reply) document {
	kind, _, err := mime.ParseMediaType(answer.header.Get("Content-Type"))
	form := err == nil && kind == "application/x-www-form-urlencoded"
	if d, ok := parseDocument(answer.body); ok && !form {
		return d
	}
	text := strings.TrimSpace(string(answer.body))
	if !form && (!strings.Contains(text, "=") || strings.ContainsAny(text, "<>{}\n ")) {
		return nil
	}
	values, err := url.ParseQuery(text)
	if err != nil {
		return nil
	}
	d := document{}
	for name := range values {
		if encoded, err := json.Marshal(values.Get(name)); err == nil {
			d[name] = encoded
		}
	}
	return d
}

func refusal(answer reply, d document) *endpointError {
	return &endpointError{
		Status: answer.status, Code: inert(hide(d.text("error"), answer.sent), 64),
		Description: inert(hide(d.text("error_description"), answer.sent), 300),
	}
}

// headerSafe tells whether a token can be sent as one word (RFC 6750 section 2.1, read generously).
func headerSafe(token string) bool {
	return len(token) <= maxToken && !strings.ContainsFunc(token, func(r rune) bool { return r < 0x21 || r > 0x7e })
}

// number reads a number, also one in quotes.
func number(raw json.RawMessage) (float64, bool) {
	text := strings.Trim(string(raw), `"`)
	value, err := strconv.ParseFloat(text, 64)
	return value, err == nil && !math.IsNaN(value)
}

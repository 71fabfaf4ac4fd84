package oauth

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"jackfield/backend/store"
)

// authority is where the tokens for a server come from: what discovery found. It is a value.
type authority struct {
	Resource       string   // to be sent as "resource" (RFC 8707): the metadata's own string, or the canonical URI of the server
	ResourceScopes []string // scopes_supported of the protected resource metadata (RFC 9728)

	Issuer                string // exactly as the metadata says it; the key of everything that is kept
	AuthorizationEndpoint string
	TokenEndpoint         string
	RegistrationEndpoint  string // "" if there is none
	RevocationEndpoint    string
	ScopesSupported       []string
	TokenAuthMethods      []string // token_endpoint_auth_methods_supported
	GrantTypes            []string
	IssParameter          bool // authorization_response_iss_parameter_supported (RFC 9207)
	MetadataDocuments     bool // client_id_metadata_document_supported
	OpenID                bool // came from an OpenID Connect document
	Legacy                bool // the origin of the server with the default endpoints (MCP 2025-03-26)
}

// challenge is what a server answered to a request it refused.
type challenge struct {
	Status           int // 401 or 403; 0 if nothing was refused yet
	ResourceMetadata string
	Scopes           []string // nil if the challenge names none
	Error            string   // RFC 6750 section 3.1
	Description      string   // text from outside
}

// parseChallenge reads WWW-Authenticate headers, of any number and quality.
func parseChallenge(status int, values []string) challenge { return challenge{Status: status} }

// fetcher talks to the servers that one MCP server leads to: with the address policy for them, limits of time and size, and every request
// on record.
type fetcher struct {
	client *http.Client
	record func(store.HTTPExchange) // never nil; secrets are masked already
}

// fetcher makes one for a server; close ends its connections.
func (c *Client) fetcher(ctx context.Context, server store.Server, record func(store.HTTPExchange)) (f *fetcher, close func(), err error) {
	return nil, func() {}, errNotBuilt
}

// discover finds the authority of a server. Without a challenge it asks the server first.
func (f *fetcher) discover(ctx context.Context, server store.Server, ch challenge) (authority, error) {
	return authority{}, errNotBuilt
}

// register returns a client for the authority and one redirect: the person's own, a metadata document, or a dynamic registration, in this
// order. *registrationError says that the redirect was refused, or that there is no way to register.
func (f *fetcher) register(ctx context.Context, a authority, server store.Server, metadataURL string, redirect store.RedirectKind, uri string) (store.Registration, error) {
	return store.Registration{}, errNotBuilt
}

// registrationError says why there is no client id.
type registrationError struct {
	Redirect   bool // another kind of redirect may do
	Impossible bool // nothing can be registered: the person has to give a client id
	RetryAfter time.Duration
	Err        error
}

func (e *registrationError) Error() string { return e.Err.Error() }
func (e *registrationError) Unwrap() error { return e.Err }

// tokens is the answer of a token endpoint.
type tokens struct {
	Access, Refresh store.Secret
	Scopes          []string  // nil: as requested (RFC 6749 section 5.1)
	ExpiresAt       time.Time // zero: unknown
}

// token posts a form to a token endpoint, with the client's own way of authentication. Its error is an *endpointError, or one of the network.
func (f *fetcher) token(ctx context.Context, endpoint string, client store.Registration, key store.Secret, form url.Values) (tokens, error) {
	return tokens{}, errNotBuilt
}

// revoke posts to a revocation endpoint (RFC 7009).
func (f *fetcher) revoke(ctx context.Context, endpoint string, client store.Registration, key store.Secret, token store.Secret, hint string) error {
	return errNotBuilt
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

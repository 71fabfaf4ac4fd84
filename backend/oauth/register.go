package oauth

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"jackfield/backend/store"
)

// The ways in which a client authenticates at a token endpoint (RFC 7591 section 2, RFC 7523).
const (
	authNone   = "none"
	authBasic  = "client_secret_basic"
	authPost   = "client_secret_post"
	authSigned = "private_key_jwt"
)

// registrationError says why there is no client id.
type registrationError struct {
	Redirect   bool // another kind of redirect may do
	Impossible bool // nothing can be registered: the person has to give a client id
	RetryAfter time.Duration
	Err        error
}

func (e *registrationError) Error() string { return e.Err.Error() }
func (e *registrationError) Unwrap() error { return e.Err }

// register returns a client for the authority and one redirect: the person's own, a metadata document, or a dynamic registration, in this
// order. *registrationError says that the redirect was refused, or that there is no way to register.
func (f *fetcher) register(
	ctx context.Context, a authority, server store.Server, metadataURL string, redirect store.RedirectKind, uri string,
) (store.Registration, error) {
	client := store.Registration{Issuer: a.Issuer, Redirect: redirect, RedirectURI: uri, CreatedAt: time.Now()}
	switch {
	case server.ClientID != "":
		return f.preregistered(a, server, client)
	case server.SignIn.Mode == store.SignInClientCredentials:
		return store.Registration{}, &registrationError{Impossible: true, Err: errors.New("signing in without a person needs a client that is registered " +
			"beforehand. Enter its client ID, with its secret or private key")}
	case metadataURL != "" && a.MetadataDocuments:
		client.ClientID, client.AuthMethod, client.Source = metadataURL, authNone, store.FromMetadata
		return client, nil
	case a.RegistrationEndpoint != "":
		return f.registerDynamically(ctx, a, client)
	}
	return store.Registration{}, &registrationError{Impossible: true, Err: fmt.Errorf("the authorization server %s registers no programs by itself. "+
		"Register one there by hand, with the redirect %s, and enter its client ID", inert(a.Issuer, 200), uri)}
}

// preregistered is the person's own client. It belongs to one issuer: whoever runs the MCP server chooses the authorization server, and so
// could have the secret sent to one of theirs (CVE-2026-104850, CVE-2026-115563).
func (f *fetcher) preregistered(a authority, server store.Server, client store.Registration) (store.Registration, error) {
	bound := server.SignIn.Issuer
	if bound == "" && f.grantSource == store.FromPerson {
		bound = f.grantIssuer
	}
	if bound != "" && !sameIssuer(bound, a.Issuer) {
		return store.Registration{}, &registrationError{Err: fmt.Errorf("the client ID of this server belongs to the authorization server %s, but "+
			"the server now names %s, so nothing was sent there. If that is right, enter the new issuer and its client", inert(bound, 200), inert(a.Issuer, 200))}
	}
	method, err := authMethod(server.SignIn, a.TokenAuthMethods)
	if err != nil {
		return store.Registration{}, &registrationError{Err: err}
	}
	client.ServerID, client.ClientID, client.ClientSecret = server.ID, server.ClientID, server.SignIn.ClientSecret
	client.AuthMethod, client.Source = method, store.FromPerson
	return client, nil
}

func authMethod(c store.SignInConfig, supported []string) (string, error) {
	switch c.AuthMethod {
	case authNone, authBasic, authPost, authSigned:
		return c.AuthMethod, nil
	case "":
	default:
		return "", fmt.Errorf("%q is no way of client authentication that is known here. "+
			"Choose none, client_secret_basic, client_secret_post or private_key_jwt",
			inert(c.AuthMethod, 64))
	}
	switch {
	case !c.PrivateKey.IsZero():
		return authSigned, nil
	case c.ClientSecret.IsZero():
		return authNone, nil
	case !slices.Contains(supported, authBasic) && slices.Contains(supported, authPost):
		return authPost, nil
	}
	return authBasic, nil // also what is meant where metadata names nothing (RFC 8414 section 2)
}

// clientMetadata is what this program says of itself (RFC 7591 section 2). No scope: an authorization server may take one that it does not
// know for a reason to refuse, and each authorization names its own.
type clientMetadata struct {
	RedirectURIs    []string `json:"redirect_uris"`
	AuthMethod      string   `json:"token_endpoint_auth_method"`
	GrantTypes      []string `json:"grant_types"`
	ResponseTypes   []string `json:"response_types"`
	ApplicationType string   `json:"application_type"`
	ClientName      string   `json:"client_name,omitempty"`
	SoftwareID      string   `json:"software_id"`
	SoftwareVersion string   `json:"software_version,omitempty"`
}

func (f *fetcher) metadataOfClient(a authority, uri string) clientMetadata {
	m := clientMetadata{
		RedirectURIs: []string{uri}, AuthMethod: authNone, GrantTypes: []string{"authorization_code"}, ResponseTypes: []string{"code"},
		ApplicationType: "native", ClientName: f.clientName, SoftwareID: "jackfield", SoftwareVersion: f.version,
	}
	if len(a.GrantTypes) == 0 || slices.Contains(a.GrantTypes, "refresh_token") {
		m.GrantTypes = append(m.GrantTypes, "refresh_token")
	}
	if len(a.TokenAuthMethods) > 0 && !slices.Contains(a.TokenAuthMethods, authNone) {
		for _, method := range []string{authBasic, authPost} {
			if slices.Contains(a.TokenAuthMethods, method) {
				m.AuthMethod = method
				break
			}
		}
	}
	return m
}

func (f *fetcher) registerDynamically(ctx context.Context, a authority, client store.Registration) (store.Registration, error) {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(f.metadataOfClient(a, client.RedirectURI)); err != nil {
		return store.Registration{}, err
	}
	answer, err := f.send(ctx, outgoing{
		method: http.MethodPost, url: a.RegistrationEndpoint, header: http.Header{"Content-Type": {"application/json"}}, body: body.Bytes(),
	})
	if err != nil {
		return store.Registration{}, fmt.Errorf("registering: %w", err)
	}
	if answer.status != http.StatusCreated && answer.status != http.StatusOK {
		return store.Registration{}, refusedRegistration(a.Issuer, answer, client.CreatedAt)
	}
	return readRegistration(a, answer.body, client)
}

// readRegistration obeys the answer, not what was asked for: some authorization servers give a secret to a client that wanted none, and
// then insist on it.
func readRegistration(a authority, body []byte, client store.Registration) (store.Registration, error) {
	d, ok := parseDocument(body)
	client.ClientID = d.text("client_id")
	if !ok || client.ClientID == "" {
		return store.Registration{}, &registrationError{Err: fmt.Errorf("the authorization server %s answered the registration without a client ID. "+
			"Enter one that you registered by hand", inert(a.Issuer, 200)), Impossible: true}
	}
	if kept := d.list("redirect_uris"); len(kept) > 0 && !slices.Contains(kept, client.RedirectURI) {
		return store.Registration{}, &registrationError{
			Redirect: true,
			Err: fmt.Errorf("the authorization server %s left the redirect %s out of the registration",
				inert(a.Issuer, 200), client.RedirectURI),
		}
	}
	secret := d.text("client_secret")
	client.Source, client.ClientSecret, client.AuthMethod = store.FromDynamic, store.Secret{}, d.text("token_endpoint_auth_method")
	if client.AuthMethod == "" {
		client.AuthMethod = authNone
		if secret != "" {
			client.AuthMethod = authBasic // the default of RFC 7591 section 2
			if !slices.Contains(a.TokenAuthMethods, authBasic) && slices.Contains(a.TokenAuthMethods, authPost) {
				client.AuthMethod = authPost
			}
		}
	}
	switch {
	case client.AuthMethod != authNone && client.AuthMethod != authBasic && client.AuthMethod != authPost:
		return store.Registration{}, &registrationError{
			Impossible: true,
			Err: fmt.Errorf("the authorization server %s wants this program to authenticate by %q, "+
				"which it cannot. Enter a client that you registered by hand", inert(a.Issuer, 200), inert(client.AuthMethod, 64)),
		}
	case client.AuthMethod != authNone && secret == "":
		return store.Registration{}, &registrationError{
			Impossible: true,
			Err: fmt.Errorf("the authorization server %s wants a client secret, but gave none. "+
				"Enter a client that you registered by hand", inert(a.Issuer, 200)),
		}
	}
	if secret != "" {
		client.ClientSecret = newSecret(secret)
		client.SecretExpiresAt = unixTime(d["client_secret_expires_at"])
	}
	return client, nil
}

// unixTime reads seconds since 1970; 0, or what is no number, is the zero time.
func unixTime(raw json.RawMessage) time.Time {
	seconds, ok := number(raw)
	if !ok || seconds <= 0 || seconds > 1<<40 {
		return time.Time{}
	}
	return time.Unix(int64(seconds), 0)
}

// refusedRegistration reads RFC 7591 section 3.2.2.
func refusedRegistration(issuer string, answer reply, now time.Time) *registrationError {
	d, _ := parseDocument(answer.body)
	code, description := inert(d.text("error"), 64), inert(d.text("error_description"), 300)
	said := ""
	if description != "" {
		said = fmt.Sprintf(" It says: “%s”.", description)
	} else if code != "" {
		said = fmt.Sprintf(" It says: %s.", code)
	}
	name := inert(issuer, 200)
	aboutRedirect := strings.Contains(strings.ToLower(description), "redirect")
	switch status := answer.status; {
	case status == http.StatusTooManyRequests:
		wait := retryAfter(answer.header.Get("Retry-After"), now)
		return &registrationError{
			RetryAfter: wait,
			Err: fmt.Errorf("the authorization server %s registers no more programs for now (HTTP 429).%s Try again in %s",
				name, said, wait.Round(time.Second)),
		}
	case code == "invalid_redirect_uri", (code == "invalid_client_metadata" || code == "invalid_request") && aboutRedirect:
		return &registrationError{Redirect: true, Err: fmt.Errorf("the authorization server %s refuses this kind of redirect.%s", name, said)}
	case status == 401, status == 403, status == 404, status == 405, status == 501:
		return &registrationError{Impossible: true, Err: fmt.Errorf("the authorization server %s does not let programs register themselves (HTTP %d).%s "+
			"Enter a client ID that you registered there", name, status, said)}
	case status >= 500:
		return &registrationError{Err: fmt.Errorf("the authorization server %s failed while registering (HTTP %d).%s Try again later", name, status, said)}
	}
	return &registrationError{Impossible: true, Err: fmt.Errorf("the authorization server %s refused the registration (HTTP %d).%s "+
		"Enter a client ID that you registered there", name, answer.status, said)}
}

// retryAfter reads seconds or a date (RFC 9110 section 10.2.3). Nothing, or nonsense, is half a minute; nobody waits longer than an hour.
func retryAfter(value string, now time.Time) time.Duration {
	wait := 30 * time.Second
	if seconds, err := strconv.Atoi(strings.TrimSpace(value)); err == nil {
		wait = time.Duration(min(max(seconds, 1), 3600)) * time.Second
	} else if at, err := http.ParseTime(value); err == nil {
		wait = at.Sub(now)
	}
	return min(max(wait, time.Second), time.Hour)
}

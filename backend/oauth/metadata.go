package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// candidate is a place where the metadata of an authorization server may be.
type candidate struct {
	url    string
	openID bool
}

// noAuthorityError says that an authorization server publishes nothing.
type noAuthorityError struct{ issuer string }

func (e *noAuthorityError) Error() string {
	return fmt.Sprintf("the authorization server %s publishes no metadata. Tell the people who run it", inert(e.issuer, 200))
}

// metadataCandidates lists the places in the order of MCP 2026-07-28: RFC 8414, OpenID Connect before the path, and after it. The root of
// the same host comes last, never one of another host. The slash at the end of an issuer is left out: "//" is nowhere a path.
func metadataCandidates(issuer *url.URL) []candidate {
	base, path := origin(issuer), strings.TrimRight(issuer.EscapedPath(), "/")
	const oauth, openID = "/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"
	root := []candidate{{base + oauth, false}, {base + openID, true}}
	if path == "" {
		return root
	}
	return append([]candidate{{base + oauth + path, false}, {base + openID + path, true}, {base + path + openID, true}}, root...)
}

// sameIssuer compares two issuers but for one slash at the end: many servers name themselves with one in one document and without in the
// other. Nothing else is forgiven; RFC 9207 compares the string of the metadata exactly.
func sameIssuer(a, b string) bool { return a == b || a+"/" == b || b+"/" == a }

// mismatchError says that metadata is another issuer's.
type mismatchError struct{ named, stated string }

func (e *mismatchError) Error() string {
	return fmt.Sprintf("the server names the authorization server %s, but that calls itself %s, so it is not used. "+
		"If you know that the second one is right, enter it as the issuer of this server", inert(e.named, 200), inert(e.stated, 200))
}

// metadata fetches what an authorization server says about itself. interactive says that a person will sign in there.
func (f *fetcher) metadata(ctx context.Context, issuer string, interactive bool) (authority, error) {
	u, err := f.check(issuer)
	if err != nil {
		return authority{}, fmt.Errorf("the authorization server cannot be used: %w", err)
	}
	if u.RawQuery != "" {
		return authority{}, fmt.Errorf("the authorization server %s cannot be used: an issuer has no query (RFC 8414 section 2)", inert(maskURL(u), 200))
	}
	var broken error
	for _, place := range metadataCandidates(u) {
		d, err := f.document(ctx, place.url)
		if err == nil {
			var found authority
			if found, err = f.readMetadata(d, issuer, interactive); err == nil {
				found.OpenID = place.openID || speaksOpenID(d)
				return found, nil
			}
		}
		if ctx.Err() != nil {
			return authority{}, ctx.Err()
		}
		if broken == nil && !isAbsent(err) {
			broken = err
		}
	}
	if broken != nil {
		return authority{}, broken
	}
	return authority{}, &noAuthorityError{issuer: issuer}
}

func (f *fetcher) readMetadata(d document, issuer string, interactive bool) (authority, error) {
	a := authority{
		Issuer:                d.text("issuer"),
		AuthorizationEndpoint: d.text("authorization_endpoint"),
		TokenEndpoint:         d.text("token_endpoint"),
		RegistrationEndpoint:  d.text("registration_endpoint"),
		RevocationEndpoint:    d.text("revocation_endpoint"),
		ScopesSupported:       d.scopes("scopes_supported"),
		TokenAuthMethods:      d.list("token_endpoint_auth_methods_supported"),
		GrantTypes:            d.list("grant_types_supported"),
		IssParameter:          d.flag("authorization_response_iss_parameter_supported"),
		MetadataDocuments:     d.flag("client_id_metadata_document_supported"),
	}
	if !sameIssuer(a.Issuer, issuer) {
		return a, &mismatchError{named: issuer, stated: a.Issuer}
	}
	if a.TokenEndpoint == "" || interactive && a.AuthorizationEndpoint == "" {
		return a, fmt.Errorf("the metadata of %s names no authorization or token endpoint. Tell the people who run it", inert(issuer, 200))
	}
	for _, endpoint := range []struct{ name, url string }{
		{"authorization", a.AuthorizationEndpoint},
		{"token", a.TokenEndpoint},
		{"registration", a.RegistrationEndpoint},
		{"revocation", a.RevocationEndpoint},
	} {
		if endpoint.url == "" {
			continue
		}
		if _, err := f.check(endpoint.url); err != nil {
			return a, fmt.Errorf("the %s endpoint of %s cannot be used: %w", endpoint.name, inert(issuer, 200), err)
		}
	}
	if interactive && !slices.Contains(d.list("code_challenge_methods_supported"), "S256") {
		return a, fmt.Errorf("the authorization server %s does not say that it supports PKCE with S256, so a stolen code could be used. "+
			"Tell the people who run it", inert(issuer, 200))
	}
	return a, nil
}

// speaksOpenID tells whether an RFC 8414 document is that of an OpenID Provider: most of them publish the same in both places.
func speaksOpenID(d document) bool {
	return slices.Contains(d.list("scopes_supported"), "openid") || len(d.list("subject_types_supported")) > 0
}

// legacy is the authority of a server of 2025-03-26: its own origin, with the default endpoints if that publishes nothing.
func (f *fetcher) legacy(ctx context.Context, server *url.URL, interactive bool) (authority, error) {
	base := origin(server)
	found, err := f.metadata(ctx, base, interactive)
	if nothing := new(noAuthorityError); !errors.As(err, &nothing) {
		return found, err
	}
	return authority{
		Issuer: base, AuthorizationEndpoint: base + "/authorize", TokenEndpoint: base + "/token", RegistrationEndpoint: base + "/register", Legacy: true,
	}, nil
}

package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"jackfield/backend/store"
)

// discover finds the authority of a server. Without a challenge it asks the server first.
func (f *fetcher) discover(ctx context.Context, server store.Server, ch challenge) (authority, error) {
	address, err := url.Parse(server.URL)
	if err != nil {
		return authority{}, fmt.Errorf("the URL of this server cannot be read: %w", plainError(err))
	}
	if ch.Status == 0 {
		if ch, err = f.probe(ctx, server, address); err != nil {
			return authority{}, err
		}
	}
	interactive := server.SignIn.Mode != store.SignInClientCredentials
	metadata, err := f.resource(ctx, address, ch)
	if errors.Is(err, errNoMetadata) {
		found, err := f.legacy(ctx, address, interactive)
		found.Resource = canonical(address)
		return found, err
	}
	if err != nil {
		return authority{}, err
	}
	found, err := f.choose(ctx, server, metadata.Servers, interactive)
	found.Resource, found.ResourceScopes = metadata.Resource, metadata.Scopes
	return found, err
}

// probe asks the server for its challenge, with a request that carries no credentials. An answer that is no refusal says nothing, and
// neither does none: the well-known places are asked next, of the same host.
func (f *fetcher) probe(ctx context.Context, server store.Server, address *url.URL) (challenge, error) {
	bare := *address
	bare.User, bare.Fragment, bare.RawFragment = nil, "", ""
	r := outgoing{
		method: http.MethodPost, url: bare.String(), refused: true,
		header: http.Header{"Accept": {"application/json, text/event-stream"}, "Content-Type": {"application/json"}},
		body: []byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},` +
			`"clientInfo":{"name":"jackfield","version":"1"}}}`),
	}
	if server.Transport == store.TransportSSE {
		r.method, r.body = http.MethodGet, nil
		r.header.Del("Content-Type")
	}
	answer, err := f.send(ctx, r)
	if ctx.Err() != nil {
		return challenge{}, ctx.Err()
	}
	if err != nil || answer.status != http.StatusUnauthorized && answer.status != http.StatusForbidden {
		return challenge{}, nil
	}
	return parseChallenge(answer.status, answer.header.Values("WWW-Authenticate")), nil
}

// choose takes one of the authorization servers that a server names: the one that the person entered, that of the grant, one where
// something is registered, else the first that can be used. One of the former kinds is not given up for another because it fails.
func (f *fetcher) choose(ctx context.Context, server store.Server, named []string, interactive bool) (authority, error) {
	rank := make(map[string]int, len(named))
	for _, issuer := range named {
		is, err := f.rank(ctx, server, issuer)
		if err != nil {
			return authority{}, err
		}
		rank[issuer] = is
	}
	ordered := slices.Clone(named)
	slices.SortStableFunc(ordered, func(a, b string) int { return rank[b] - rank[a] })
	var first error
	for _, issuer := range ordered {
		found, err := f.metadata(ctx, issuer, interactive)
		if mismatch := new(mismatchError); errors.As(err, &mismatch) && mismatch.stated == server.SignIn.Issuer && mismatch.stated != "" {
			found, err = f.metadata(ctx, mismatch.stated, interactive) // the person says that this one is right
		}
		if err == nil || rank[issuer] > 0 || ctx.Err() != nil {
			return found, err
		}
		if first == nil {
			first = err
		}
	}
	return authority{}, first
}

func (f *fetcher) rank(ctx context.Context, server store.Server, issuer string) (int, error) {
	switch {
	case server.SignIn.Issuer != "" && sameIssuer(server.SignIn.Issuer, issuer):
		return 3, nil
	case f.grantIssuer != "" && sameIssuer(f.grantIssuer, issuer):
		return 2, nil
	}
	// Registrations are kept under what the issuer calls itself, which may differ by a slash.
	for _, spelled := range []string{issuer, strings.TrimSuffix(issuer, "/"), strings.TrimSuffix(issuer, "/") + "/"} {
		known, err := f.registered(ctx, spelled)
		if err != nil {
			return 0, err
		}
		if known {
			return 1, nil
		}
	}
	return 0, nil
}

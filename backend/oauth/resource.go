package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"jackfield/backend/egress"
)

const wellKnownResource = "/.well-known/oauth-protected-resource"

// resourceMetadata is what a server says about itself (RFC 9728).
type resourceMetadata struct {
	Resource string // verbatim
	Servers  []string
	Scopes   []string
}

// errNoMetadata says that a server publishes no resource metadata at all: it is one of 2025-03-26, or needs no sign-in.
var errNoMetadata = errors.New("the server publishes no metadata about signing in")

// resource finds the metadata of a server: where the challenge says, else at the path of the server, else at the root of its host. It
// returns errNoMetadata only if nothing is there: metadata that is wrong must not lead to the rules of 2025-03-26, which trust the server
// more.
func (f *fetcher) resource(ctx context.Context, server *url.URL, ch challenge) (resourceMetadata, error) {
	var broken error
	for _, candidate := range resourceCandidates(server, ch.ResourceMetadata) {
		d, err := f.document(ctx, candidate)
		if err == nil {
			metadata, wrong := readResource(d, server)
			if wrong == nil {
				return metadata, nil
			}
			err = fmt.Errorf("the metadata at %s cannot be used: %w", candidate, wrong)
		}
		if ctx.Err() != nil {
			return resourceMetadata{}, ctx.Err()
		}
		if broken == nil && (!isAbsent(err) || candidate == ch.ResourceMetadata) {
			broken = err
		}
	}
	if broken != nil {
		return resourceMetadata{}, broken
	}
	return resourceMetadata{}, errNoMetadata
}

// resourceCandidates lists where to look, each place once.
func resourceCandidates(server *url.URL, named string) []string {
	var found []string
	if named != "" {
		found = append(found, named)
	}
	root := origin(server) + wellKnownResource
	if path := strings.TrimRight(server.EscapedPath(), "/"); path != "" {
		if at := root + path; at != named {
			found = append(found, at)
		}
	}
	if root != named {
		found = append(found, root)
	}
	return found
}

func readResource(d document, server *url.URL) (resourceMetadata, error) {
	metadata := resourceMetadata{Resource: d.text("resource"), Servers: d.list("authorization_servers"), Scopes: d.scopes("scopes_supported")}
	switch {
	case metadata.Resource == "":
		return metadata, errors.New("it does not say which resource it is for")
	case len(metadata.Resource) > maxURL || !covers(metadata.Resource, server):
		// A token for somebody else's resource is what a server that lies about this is after (CVE-2026-123272).
		return metadata, fmt.Errorf("it is for %q, not for %s. Check the URL of this server", inert(metadata.Resource, 200), canonical(server))
	case len(metadata.Servers) == 0:
		return metadata, errors.New("it names no authorization server. Tell the people who run the server")
	}
	return metadata, nil
}

// covers tells whether a resource identifier is the server's: the same URL but for one slash at its end, or the same origin with a path
// that the server's lies below. It never is one of another origin.
func covers(resource string, server *url.URL) bool {
	r, err := url.Parse(resource)
	if err != nil || r.Hostname() == "" || r.User != nil || r.Fragment != "" || r.Opaque != "" || !egress.SameOrigin(r, server) {
		return false
	}
	if r.RawQuery != "" && r.RawQuery != server.RawQuery {
		return false
	}
	outer, inner := strings.TrimSuffix(r.EscapedPath(), "/"), strings.TrimSuffix(server.EscapedPath(), "/")
	return outer == inner || strings.HasPrefix(inner, outer+"/")
}

func origin(u *url.URL) string { return strings.ToLower(u.Scheme) + "://" + strings.ToLower(u.Host) }

// canonical is the URI of a server as a resource, if no metadata says another: without a query, which may hold a key, and without the
// slash of an empty path.
func canonical(server *url.URL) string {
	path := server.EscapedPath()
	if path == "/" {
		path = ""
	}
	return origin(server) + path
}

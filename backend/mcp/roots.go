package mcp

import (
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"jackfield/backend/store"
)

// Roots are folders that a person chose for a server (MCP, "Roots"). They tell it where to work; they allow and forbid nothing by themselves.
// go-sdk answers roots/list of legacy servers from what its client was given; rounds.go answers those of modern ones.

// checkRoots makes the roots of an entry clean, and refuses what is no folder's path.
func checkRoots(s *store.Server) error {
	var roots []string
	for _, root := range s.Roots {
		if root = strings.TrimSpace(root); root == "" {
			continue
		}
		if !filepath.IsAbs(root) || strings.ContainsRune(root, 0) {
			failure := fail(CodeUsage, fmt.Sprintf("%q is not the full path of a folder.", root), "Write it from the top, like /home/me/project.", nil)
			failure.Fields = []FieldError{{Pointer: "/roots", Message: failure.Message}}
			return failure
		}
		if root = filepath.Clean(root); !slices.Contains(roots, root) {
			roots = append(roots, root)
		}
	}
	s.Roots = roots
	return nil
}

// rootsOf are folders as the protocol has them.
//
//lint:ignore SA1019 servers go on asking for roots: the feature is deprecated by SEP-2577, not gone
func rootsOf(paths []string) []*sdk.Root {
	//lint:ignore SA1019 as above
	roots := []*sdk.Root{}
	for _, p := range paths {
		//lint:ignore SA1019 as above
		roots = append(roots, &sdk.Root{URI: fileURI(p, runtime.GOOS == "windows"), Name: filepath.Base(p)})
	}
	return roots
}

var drive = regexp.MustCompile(`^[A-Za-z]:`)

// fileURI is the file URI of an absolute path (RFC 8089): what a URI cannot hold is percent-encoded, a Windows drive comes behind the third slash,
// and the host of a Windows share is the host of the URI.
func fileURI(name string, windows bool) string {
	u := url.URL{Scheme: "file", Path: name}
	if windows {
		name = strings.ReplaceAll(name, `\`, "/")
		switch long, found := strings.CutPrefix(name, "//?/"); {
		case found && strings.HasPrefix(long, "UNC/"):
			name = "//" + strings.TrimPrefix(long, "UNC/")
		case found:
			name = long
		}
		if share, found := strings.CutPrefix(name, "//"); found {
			u.Host, u.Path, _ = strings.Cut(share, "/")
			u.Path = "/" + u.Path
			return u.String()
		}
		if drive.MatchString(name) {
			name = "/" + name
		}
		u.Path = name
	}
	if clean := path.Clean(u.Path); clean == "/" {
		u.Path = clean
	}
	return u.String()
}

// moveRoots tells a live connection about other folders. go-sdk sends notifications/roots/list_changed to a server that the roots were announced
// to; a modern server asks when it wants to know.
func (l *link) moveRoots(from, to []string) {
	gone := slices.DeleteFunc(slices.Clone(from), func(root string) bool { return slices.Contains(to, root) })
	come := slices.DeleteFunc(slices.Clone(to), func(root string) bool { return slices.Contains(from, root) })
	var uris []string
	for _, root := range rootsOf(gone) {
		uris = append(uris, root.URI)
	}
	//lint:ignore SA1019 servers go on asking for roots: the feature is deprecated by SEP-2577, not gone
	l.client.RemoveRoots(uris...)
	//lint:ignore SA1019 as above
	l.client.AddRoots(rootsOf(come)...)
}

// roots are the folders that a person chose for a server, as of now.
func (m *Manager) roots(c *conn) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return c.server.Roots
}

// rootsResponse answers the roots/list of a modern server.
func rootsResponse(paths []string) (json.RawMessage, error) {
	//lint:ignore SA1019 servers go on asking for roots: the feature is deprecated by SEP-2577, not gone
	return json.Marshal(&sdk.ListRootsResult{Roots: rootsOf(paths)})
}

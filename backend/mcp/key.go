package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// maxKey is how long a function name may be for AI SDKs: ^[a-zA-Z0-9_-]{1,64}$.
const maxKey = 64

// toolRef names a tool of a server.
type toolRef struct{ server, tool string }

func unsafeInKey(r rune) rune {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
		return r
	}
	return '_'
}

var plainServer = regexp.MustCompile(`^[a-zA-Z0-9-]+$`)

// toolKey makes the key of a tool from its names alone, so that it is the same at every start. server_tool is used as it is where that is
// safe and can mean only this tool, which holds when the server's id has no underscore. Everything else gets a hash of both names.
func toolKey(ref toolRef) string {
	plain := ref.server + "_" + ref.tool
	if plainServer.MatchString(ref.server) && strings.Map(unsafeInKey, plain) == plain && len(plain) <= maxKey {
		return plain
	}
	sum := sha256.Sum256([]byte(ref.server + "\x00" + ref.tool))
	return shorten(strings.Map(unsafeInKey, plain), "_"+hex.EncodeToString(sum[:5]))
}

func shorten(key, suffix string) string {
	return key[:min(len(key), maxKey-len(suffix))] + suffix
}

// assignKeysLocked gives every tool of a server its key. A server that names a tool just as the key of another server's tool
// is spelt does not get that key.
func (m *Manager) assignKeysLocked(server string, tools []Tool) {
	m.releaseKeysLocked(server)
	for i := range tools {
		ref := toolRef{server, tools[i].Name}
		key := toolKey(ref)
		for n := 2; ; n++ {
			if _, taken := m.keys[key]; !taken {
				break
			}
			key = shorten(toolKey(ref), "_"+strconv.Itoa(n))
		}
		m.keys[key] = ref
		tools[i].Key = key
	}
}

// ToolByKey says which tool of which server a key means. Keys are looked up, never taken apart: a name may hold whatever joins them.
func (m *Manager) ToolByKey(key string) (server, tool string, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	ref, ok := m.keys[key]
	if !ok {
		return "", "", fail(CodeUnknownItem, fmt.Sprintf("No tool has the key %q.", key), "List the tools again: their server may be gone.", nil)
	}
	return ref.server, ref.tool, nil
}

func (m *Manager) releaseKeysLocked(server string) {
	for key, ref := range m.keys {
		if ref.server == server {
			delete(m.keys, key)
		}
	}
}

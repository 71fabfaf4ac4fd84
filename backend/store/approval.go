package store

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// CommandHash is what an approval of a stdio entry is tied to: command, arguments, environment (names, and values that are not secret)
// and working directory. "" for an entry that runs nothing.
func CommandHash(server Server) string {
	if server.Command == "" {
		return ""
	}
	hash := sha256.New()
	// Each part carries its length: ["a b"] and ["a", "b"] are different commands.
	add := func(parts ...string) {
		_ = binary.Write(hash, binary.BigEndian, uint64(len(parts))) // a hash never fails
		for _, part := range parts {
			_ = binary.Write(hash, binary.BigEndian, uint64(len(part)))
			hash.Write([]byte(part))
		}
	}
	add(server.Command, server.Cwd)
	add(server.Args...)
	for _, variable := range server.Env {
		if variable.Secret {
			add(variable.Name)
		} else {
			add(variable.Name, variable.Value)
		}
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// NeedsReview says that a person has to look at the entry before it may run: it was not typed, and what it would run is not what was
// approved.
func (s Server) NeedsReview() bool {
	return s.Source != SourceTyped && s.Command != "" && s.Approved != CommandHash(s)
}

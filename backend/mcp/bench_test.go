package mcp

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"jackfield/backend/store"
)

// canned is a server in this process whose tools/call always gives the same result.
func canned(result string) *script {
	return answering(func(json.RawMessage) (string, string) { return result, "" })
}

func benchResults() map[string]string {
	return map[string]string{
		"small": `{"content":[{"type":"text","text":"hello"}]}`,
		"10MB":  `{"content":[{"type":"text","text":"` + strings.Repeat(`line of text\n`, 10<<20/14) + `"}]}`,
	}
}

// BenchmarkBare is the floor: the same server, called through go-sdk alone.
func BenchmarkBare(b *testing.B) {
	for name, result := range benchResults() {
		b.Run(name, func(b *testing.B) {
			near, far := net.Pipe()
			go func() { _ = canned(result).serve(b.Context(), far) }()
			client := sdk.NewClient(&sdk.Implementation{Name: "bare"}, nil)
			session, err := client.Connect(b.Context(), &sdk.IOTransport{Reader: io.NopCloser(near), Writer: near, MaxLineLength: -1}, &sdk.ClientSessionOptions{ProtocolVersion: legacyVersion})
			if err != nil {
				b.Fatal(err)
			}
			defer session.Close()
			defer far.Close()
			for b.Loop() {
				if _, err := session.CallTool(b.Context(), &sdk.CallToolParams{Name: "t"}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkManager does the same through the Manager: traced, shown to a listener, stored.
func BenchmarkManager(b *testing.B) {
	for name, result := range benchResults() {
		b.Run(name, func(b *testing.B) {
			m := New(Options{Store: newMemory(), Client: Implementation{Name: "bench"}, Builtin: map[string]Serve{"s": canned(result).serve}})
			defer m.Close(context.Background())
			if _, err := m.Add(b.Context(), scripted(func(s *store.Server) { s.Era = store.EraLegacy })); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := m.Call(b.Context(), callT()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

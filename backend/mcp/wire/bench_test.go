package wire

import (
	"context"
	"os/exec"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// BenchmarkStdio compares one tools/call through bare go-sdk with one through the wire: as it is recorded and repaired ("wire"),
// and with a placeholder shown to go-sdk ("placeholder"), which is how the Manager calls.
func BenchmarkStdio(b *testing.B) {
	for _, size := range []struct{ name, mode string }{{"small", "good"}, {"10MB text", "10 MB text"}, {"10MB objects", "10 MB objects"}} {
		for _, way := range []string{"bare", "wire", "placeholder"} {
			b.Run(size.name+"/"+way, func(b *testing.B) {
				command := self(size.mode)
				records := 0
				w := New(Config{Observer: Observer{Record: func(Record) { records++ }}})
				var transport sdk.Transport
				if way == "bare" {
					cmd := exec.Command(command.Path, command.Args...)
					cmd.Env = command.Env
					transport = &sdk.CommandTransport{Command: cmd}
				} else {
					transport = w.Stdio(command)
				}
				ctx := context.Background()
				session, err := client().Connect(ctx, transport, &sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
				if err != nil {
					b.Fatal(err)
				}
				defer w.Close()
				defer session.Close()
				b.ReportAllocs()
				for b.Loop() {
					call := &Call{Placeholder: way == "placeholder"}
					if _, err := session.CallTool(WithCall(ctx, call), &sdk.CallToolParams{Name: "echo"}); err != nil {
						b.Fatal(err)
					}
					if way != "bare" && len(call.Result()) == 0 {
						b.Fatal("no raw result")
					}
				}
			})
		}
	}
}

// BenchmarkScan is the pass over the envelope alone.
func BenchmarkScan(b *testing.B) {
	for _, size := range []struct{ name, raw string }{
		{"small", good("1", "tools/call")}, {"10MB text", bigText("1")}, {"10MB objects", bigObjects("1")},
	} {
		b.Run(size.name, func(b *testing.B) {
			raw := []byte(size.raw)
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				if _, err := Scan(raw); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

package wire

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// BenchmarkHTTP compares calls through the chain with those of go-sdk alone, against canned answers.
func BenchmarkHTTP(b *testing.B) {
	var objects strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&objects, `{"id":%d,"name":"item \"%d\"","on":true,"x":[1,2.5,null]},`, i, i)
	}
	for name, answer := range map[string]handler{
		"small":      result(`{"content":[{"type":"text","text":"fine"}]}`),
		"10MB, text": result(`{"content":[{"type":"text","text":"` + strings.Repeat(`line \"of\" text\n`, 600_000) + `"}]}`),
		"objects":    result(`{"content":[],"structuredContent":{"items":[` + strings.TrimSuffix(objects.String(), ",") + `]}}`),
		"small, events": func(w http.ResponseWriter, _ *http.Request, id string) {
			writeEvent(w, "data: "+strings.ReplaceAll(fine, "ID", id)+"\n\n")
		},
	} {
		for _, how := range []string{"bare", "wire"} {
			b.Run(name+"/"+how, func(b *testing.B) {
				f := newFakeHTTP(b, false)
				f.on("tools/call bench", answer)
				var transport sdk.Transport = &sdk.StreamableClientTransport{Endpoint: f.URL, MaxEventSize: -1}
				if how == "wire" {
					w := New(Config{Observer: Observer{Record: func(Record) {}}})
					defer w.Close()
					transport = w.StreamableHTTP(Endpoint{URL: f.URL})
				}
				session, err := client().Connect(b.Context(), transport, nil)
				if err != nil {
					b.Fatal(err)
				}
				defer session.Close()
				b.ResetTimer()
				for b.Loop() {
					call := &Call{ID: "1", Placeholder: true}
					if _, err := session.CallTool(WithCall(b.Context(), call), &sdk.CallToolParams{Name: "bench"}); err != nil {
						b.Fatal(err)
					}
					f.forget()
				}
			})
		}
	}
}

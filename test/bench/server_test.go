//go:build bench

package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// canned is a legacy Streamable HTTP server that answers from memory, so that what is measured is the client.
// Every answer waits for delay first.
func canned(t *testing.T, delay time.Duration) string {
	t.Helper()
	text := func(bytes int) string {
		return `{"content":[{"type":"text","text":"` + strings.Repeat(`the quick brown fox\njumps over \"the\" lazy dog, `, bytes/50) + `"}]}`
	}
	results := map[string]string{
		"initialize": `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"canned","version":"1"}}`,
		"tools/list": `{"tools":[{"name":"small","inputSchema":{"type":"object"}},{"name":"big","inputSchema":{"type":"object"}},` +
			`{"name":"1 MB"},{"name":"10 MB"},{"name":"100 MB"}]}`,
		"small":  `{"content":[{"type":"text","text":"42"}]}`,
		"big":    text(10 << 20),
		"1 MB":   text(1 << 20),
		"10 MB":  text(10 << 20),
		"100 MB": text(100 << 20),
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		var request struct {
			ID     json.RawMessage
			Method string
			Params struct{ Name string }
		}
		if json.Unmarshal(body, &request) != nil || request.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		time.Sleep(delay)
		key := request.Method
		if key == "tools/call" {
			key = request.Params.Name
		}
		w.Header().Set("Content-Type", "application/json")
		if result, ok := results[key]; ok {
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, request.ID, result)
		} else {
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`, request.ID)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

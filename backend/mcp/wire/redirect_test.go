package wire

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"jackfield/backend/egress"
)

func TestJudgeRedirect(t *testing.T) {
	from, _ := url.Parse("https://example.com/mcp")
	for _, test := range []struct {
		method   string
		status   int
		location string
		hop      int
		want     string // "" if not followed
	}{
		{"POST", 307, "/mcp/", 0, "https://example.com/mcp/"},
		{"POST", 308, "https://EXAMPLE.com:443/x#frag", 0, "https://EXAMPLE.com:443/x"},
		{"POST", 301, "/mcp/", 0, ""},
		{"POST", 302, "/mcp/", 0, ""},
		{"POST", 303, "/mcp/", 0, ""},
		{"DELETE", 302, "/mcp/", 0, ""},
		{"GET", 301, "/mcp/", 0, "https://example.com/mcp/"},
		{"GET", 307, "/mcp/", 4, "https://example.com/mcp/"},
		{"GET", 307, "/mcp/", 5, ""},
		{"POST", 307, "http://example.com/mcp", 0, ""},
		{"POST", 307, "https://example.com:8443/mcp", 0, ""},
		{"POST", 307, "https://evil.example/mcp", 0, ""},
		{"POST", 307, "//evil.example/mcp", 0, ""},
		{"POST", 307, "javascript:alert(1)", 0, ""},
		{"POST", 307, "", 0, ""},
		{"POST", 307, "http://[bad", 0, ""},
	} {
		got, err := judgeRedirect(test.method, from, test.status, test.location, test.hop)
		switch {
		case test.want == "":
			var refusal *RedirectError
			if !errors.As(err, &refusal) || refusal.Status != test.status || err.Error() == "" {
				t.Errorf("%+v: %v, %v", test, got, err)
			}
		case err != nil || got.String() != test.want:
			t.Errorf("%+v: %v, %v", test, got, err)
		}
	}
}

// Headers of the endpoint go to its origin and nowhere else, and do not replace what the protocol sets.
func TestHeadersStayWithTheirOrigin(t *testing.T) {
	f := newFakeHTTP(t, false)
	f.on("tools/call good", func(w http.ResponseWriter, r *http.Request, id string) {
		if r.URL.Path == "/" {
			redirect(307, "/moved")(w, r, id)
			return
		}
		f.good("tools/call good")(w, r, id)
	})
	w := New(Config{})
	defer w.Close()
	header := http.Header{"x-key": {"secret"}, "Accept": {"nothing"}, "Mcp-Session-Id": {"forged"}, "Host": {"name.example"}}
	session, err := client().Connect(withTimeout(t), w.StreamableHTTP(Endpoint{URL: f.URL, Headers: header}), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if _, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "good"}); err != nil {
		t.Fatal(err)
	}
	calls := f.requests("tools/call good")
	if len(calls) != 2 {
		t.Fatalf("%d requests", len(calls))
	}
	for _, one := range calls {
		if one.header.Get("X-Key") != "secret" || strings.Contains(one.header.Get("Accept"), "nothing") || one.header.Get("Mcp-Session-Id") != "s1" {
			t.Errorf("headers %v", one.header)
		}
	}
	if got := f.requests("initialize")[0].header.Get("Mcp-Session-Id"); got != "" {
		t.Errorf("initialize carries session %q", got)
	}

	elsewhere := make(chan http.Header, 1)
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { elsewhere <- r.Header }))
	defer other.Close()
	origin, _ := url.Parse(f.URL)
	request, _ := http.NewRequest(http.MethodGet, other.URL, nil)
	transport := egress.NewTransport(egress.Policy{})
	defer transport.CloseIdleConnections()
	response, err := (&headers{origin: origin, header: header, next: transport}).RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if got := <-elsewhere; got.Get("X-Key") != "" {
		t.Errorf("headers %v", got)
	}
}

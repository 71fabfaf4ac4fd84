package wire

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestClassify(t *testing.T) {
	for want, addresses := range map[class][]string{
		public: {
			"1.1.1.1", "8.8.8.8", "100.63.255.255", "100.128.0.0", "172.15.0.1", "172.32.0.1", "192.169.0.1", "2606:4700::1111",
			"64:ff9b::8.8.8.8", "2002:808:808::1",
		},
		private:  {"10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fc00::1", "fd12:3456::1"},
		loopback: {"127.0.0.1", "127.255.255.254", "::1"},
		refused: {
			"0.0.0.0", "0.1.2.3", "::", "169.254.169.254", "169.254.0.1", "fe80::1", "fe80::1%eth0", "fec0::1", "100.64.0.1", "100.127.255.255",
			"224.0.0.1", "239.255.255.255", "255.255.255.255", "240.0.0.1", "ff02::1", "192.0.0.1", "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1",
			"::ffff:127.0.0.1", "::ffff:8.8.8.8", "::127.0.0.1", "64:ff9b::127.0.0.1", "64:ff9b::10.0.0.1", "64:ff9b::169.254.169.254", "64:ff9b:1::1",
			"2002:7f00:1::1", "2002:a00:1::1", "2002:a9fe:a9fe::1", "2001:db8::1", "2001::1", "100::1", "3fff::1",
		},
	} {
		for _, address := range addresses {
			if got := classify(netip.MustParseAddr(address)); got != want {
				t.Errorf("%s: %d, want %d", address, got, want)
			}
		}
	}
	if got := classify(netip.Addr{}); got != refused {
		t.Errorf("no address: %d", got)
	}
}

func TestCheckAddress(t *testing.T) {
	for _, test := range []struct {
		host, address string
		trust         bool
		most          class
		allowed, hint bool
	}{
		{"example.com", "8.8.8.8", false, refused, true, false},
		{"localhost", "127.0.0.1", false, refused, true, false},
		{"LOCALHOST.", "::1", false, refused, true, false},
		{"app.localhost", "127.0.0.1", false, refused, true, false},
		{"127.0.0.1", "127.0.0.1", false, refused, true, false},
		{"::1", "::1", false, refused, true, false},
		{"evil.example", "127.0.0.1", false, refused, false, true},
		{"evil.example", "127.0.0.1", true, refused, true, false},
		{"nas.home", "192.168.1.2", false, refused, false, true},
		{"nas.home", "192.168.1.2", true, refused, true, false},
		{"192.168.1.2", "192.168.1.2", false, refused, false, true},
		{"evil.example", "169.254.169.254", true, refused, false, false},
		{"evil.example", "100.64.0.1", true, refused, false, false},
		{"evil.example", "127.0.0.1", true, public, false, false},
		{"evil.example", "10.0.0.1", true, public, false, false},
		{"nas.home", "127.0.0.1", true, private, false, false},
		{"nas.home", "8.8.8.8", true, private, true, false},
	} {
		err := checkAddress(test.host, test.host, netip.MustParseAddr(test.address), test.trust, test.most)
		var refusal *RefusedURL
		if (err == nil) != test.allowed || err != nil && (!errors.As(err, &refusal) || refusal.Trust != test.hint) {
			t.Errorf("%+v: %v", test, err)
		}
	}
}

func TestCheckURL(t *testing.T) {
	for raw, allowed := range map[string]bool{
		"https://example.com/mcp":                     true,
		"http://localhost:3000":                       true,
		"http://127.0.0.1:3000":                       true,
		"http://[::1]:3000":                           true,
		"http://8.8.8.8/mcp":                          true,
		"http://192.168.1.2/mcp":                      false,
		"http://169.254.169.254/latest/meta-data":     false,
		"http://[::]/":                                false,
		"http://0.0.0.0:3000":                         false,
		"http://[::ffff:127.0.0.1]/":                  false,
		"http://100.64.0.1/":                          false,
		"http://metadata.google.internal./":           false,
		"http://METADATA.google.internal/computeMeta": false,
		"file:///etc/passwd":                          false,
		"ftp://example.com":                           false,
		"http:///mcp":                                 false,
		"example.com":                                 false,
	} {
		u, err := url.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		err = checkURL(u, false)
		if (err == nil) != allowed || err != nil && !isRefusal(err) {
			t.Errorf("%s: %v", raw, err)
		}
	}
}

// A password in the URL is not repeated in an error.
func TestRefusalHidesThePassword(t *testing.T) {
	u, _ := url.Parse("http://me:secret@169.254.169.254/")
	if err := checkURL(u, true); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("%v", err)
	}
}

// A name that resolves to this machine is not this machine until the user says so. The address is judged after DNS.
func TestNameThatLeadsBackHereIsRefused(t *testing.T) {
	f := newFakeHTTP(t, false)
	_, port, _ := strings.Cut(strings.TrimPrefix(f.URL, "http://"), ":")
	for _, trust := range []bool{false, true} {
		d := &dialer{trust: trust, most: refused}
		conn, err := d.dialAs(t.Context(), "tcp", "evil.example:"+port, "127.0.0.1:"+port)
		if trust {
			if err != nil {
				t.Fatal(err)
			}
			_ = conn.Close()
			if d.most != loopback {
				t.Errorf("the class is remembered as %d", d.most)
			}
		} else if !isRefusal(err) {
			t.Errorf("got %v", err)
		}
	}
}

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
	transport := newTransport(false)
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

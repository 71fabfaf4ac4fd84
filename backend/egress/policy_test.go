package egress

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
)

func TestClassify(t *testing.T) {
	for want, addresses := range map[Class][]string{
		Public: {
			"1.1.1.1", "8.8.8.8", "100.63.255.255", "100.128.0.0", "172.15.0.1", "172.32.0.1", "192.169.0.1", "2606:4700::1111",
			"64:ff9b::8.8.8.8", "2002:808:808::1",
		},
		Private:  {"10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fc00::1", "fd12:3456::1"},
		Loopback: {"127.0.0.1", "127.255.255.254", "::1"},
		Refused: {
			"0.0.0.0", "0.1.2.3", "::", "169.254.169.254", "169.254.0.1", "fe80::1", "fe80::1%eth0", "fec0::1", "100.64.0.1", "100.127.255.255",
			"224.0.0.1", "239.255.255.255", "255.255.255.255", "240.0.0.1", "ff02::1", "192.0.0.1", "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1",
			"::ffff:127.0.0.1", "::ffff:8.8.8.8", "::127.0.0.1", "64:ff9b::127.0.0.1", "64:ff9b::10.0.0.1", "64:ff9b::169.254.169.254", "64:ff9b:1::1",
			"2002:7f00:1::1", "2002:a00:1::1", "2002:a9fe:a9fe::1", "2001:db8::1", "2001::1", "100::1", "3fff::1",
			"fd00:ec2::254", "fd20:ce::254", "fd00:c1::a9fe:a9fe", "168.63.129.16", "100.100.100.200", "64:ff9b::100.64.0.1", "2002:6440:1::1",
			"64:ff9b::168.63.129.16", "2002:a83f:8110::1",
		},
	} {
		for _, address := range addresses {
			if got := Classify(netip.MustParseAddr(address)); got != want {
				t.Errorf("%s: %d, want %d", address, got, want)
			}
		}
	}
	if got := Classify(netip.Addr{}); got != Refused {
		t.Errorf("no address: %d", got)
	}
}

func TestCheckAddress(t *testing.T) {
	for _, test := range []struct {
		host, address string
		trust         bool
		most          Class
		allowed, hint bool
	}{
		{"example.com", "8.8.8.8", false, Unknown, true, false},
		{"localhost", "127.0.0.1", false, Unknown, true, false},
		{"LOCALHOST.", "::1", false, Unknown, true, false},
		{"app.localhost", "127.0.0.1", false, Unknown, true, false},
		{"127.0.0.1", "127.0.0.1", false, Unknown, true, false},
		{"::1", "::1", false, Unknown, true, false},
		{"evil.example", "127.0.0.1", false, Unknown, false, true},
		{"evil.example", "127.0.0.1", true, Unknown, true, false},
		{"nas.home", "192.168.1.2", false, Unknown, false, true},
		{"nas.home", "192.168.1.2", true, Unknown, true, false},
		{"192.168.1.2", "192.168.1.2", false, Unknown, false, true},
		{"evil.example", "169.254.169.254", true, Unknown, false, false},
		{"evil.example", "100.64.0.1", true, Unknown, false, false},
		{"evil.example", "127.0.0.1", true, Public, false, false},
		{"evil.example", "10.0.0.1", true, Public, false, false},
		{"nas.home", "127.0.0.1", true, Private, false, false},
		{"nas.home", "8.8.8.8", true, Private, true, false},
	} {
		err := Policy{TrustLocalNetwork: test.trust, Most: test.most}.checkAddress(test.host, test.host, netip.MustParseAddr(test.address))
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
		err = Policy{}.CheckURL(u)
		if (err == nil) != allowed || err != nil && !isRefusal(err) {
			t.Errorf("%s: %v", raw, err)
		}
	}
}

// A password in the URL is not repeated in an error.
func TestRefusalHidesThePassword(t *testing.T) {
	u, _ := url.Parse("http://me:secret@169.254.169.254/")
	if err := (Policy{TrustLocalNetwork: true}).CheckURL(u); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("%v", err)
	}
}

// A name that resolves to this machine is not this machine until the user says so. The address is judged after DNS.
func TestNameThatLeadsBackHereIsRefused(t *testing.T) {
	f := httptest.NewServer(http.NotFoundHandler())
	defer f.Close()
	_, port, _ := strings.Cut(strings.TrimPrefix(f.URL, "http://"), ":")
	for _, trust := range []bool{false, true} {
		d := &dialer{policy: Policy{TrustLocalNetwork: trust}}
		conn, err := d.dialAs(t.Context(), "tcp", "evil.example:"+port, "127.0.0.1:"+port)
		if trust {
			if err != nil {
				t.Fatal(err)
			}
			_ = conn.Close()
			if d.most != Loopback {
				t.Errorf("the class is remembered as %d", d.most)
			}
		} else if !isRefusal(err) {
			t.Errorf("got %v", err)
		}
	}
}

func isRefusal(err error) bool {
	var refusal *RefusedURL
	return errors.As(err, &refusal)
}

package egress

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

func TestHostClass(t *testing.T) {
	names := map[string][]string{
		"public.example": {"8.8.8.8"}, "both.example": {"10.0.0.1", "8.8.8.8"}, "turned.example": {"8.8.8.8", "127.0.0.1"}, "nas.home": {"192.168.1.2", "fd00::2"}, "here.example": {"127.0.0.1"},
		"mapped.example": {"::ffff:10.0.0.1"}, "link.example": {"169.254.169.254"}, "odd.example": {"169.254.1.1", "10.0.0.1"}, "empty.example": {},
	}
	lookup := func(_ context.Context, _, host string) ([]netip.Addr, error) {
		known, ok := names[host]
		if !ok {
			return nil, errors.New("no such host")
		}
		var found []netip.Addr
		for _, address := range known {
			found = append(found, netip.MustParseAddr(address))
		}
		return found, nil
	}
	for host, want := range map[string]Class{
		"public.example": Public, "both.example": Public, "turned.example": Public, "nas.home": Private, "here.example": Loopback, "mapped.example": Private, "link.example": Public,
		"odd.example": Private, "empty.example": Public, "gone.example": Public, "localhost": Loopback, "LOCALHOST.": Loopback, "a.localhost": Loopback,
		"127.0.0.1": Loopback, "::1": Loopback, "10.0.0.1": Private, "8.8.8.8": Public, "169.254.169.254": Public, "::ffff:127.0.0.1": Public,
		"fe80::1%eth0": Public,
	} {
		if got := HostClass(t.Context(), host, lookup); got != want {
			t.Errorf("%s: %d, want %d", host, got, want)
		}
	}
}

// Whatever the name resolves to and whoever is trusted: with a limit, nothing more private is contacted.
func TestMostIsAboveTrust(t *testing.T) {
	addresses := map[Class]string{Public: "8.8.8.8", Private: "10.0.0.1", Loopback: "127.0.0.1", Refused: "169.254.169.254"}
	for _, most := range []Class{Public, Private, Loopback} {
		for class, address := range addresses {
			for _, host := range []string{"name.example", address} {
				err := Policy{TrustLocalNetwork: true, Most: most}.checkAddress(host, host, netip.MustParseAddr(address))
				if allowed := class <= most && class != Refused; (err == nil) != allowed {
					t.Errorf("most %d, %s at %s: %v", most, host, address, err)
				}
			}
		}
	}
	for raw, allowed := range map[string]bool{
		"http://localhost/": false, "http://LOCALHOST.:80/": false, "http://x.localhost/": false, "http://127.0.0.1/": false, "http://[::1]/": false,
		"http://10.0.0.1/":                   false,
		"https://metadata.google.internal./": false, "https://example.com./": true, "https://8.8.8.8/": true,
	} {
		u, err := url.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		if err := (Policy{TrustLocalNetwork: true, Most: Public}).CheckURL(u); (err == nil) != allowed {
			t.Errorf("%s from a public server: %v", raw, err)
		}
	}
}

// nameServer answers every question for an address with the next of its answers, and the last one from then on.
type nameServer struct {
	mu      sync.Mutex
	answers []string
	asked   int
}

func (n *nameServer) next() netip.Addr {
	n.mu.Lock()
	defer n.mu.Unlock()
	address := n.answers[min(n.asked, len(n.answers)-1)]
	n.asked++
	return netip.MustParseAddr(address)
}

func (n *nameServer) questions() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.asked
}

// resolver is a real one that asks a real name server, over UDP on this machine.
func (n *nameServer) resolver(t *testing.T) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	go func() {
		buffer := make([]byte, 1500)
		for {
			count, from, err := conn.ReadFrom(buffer)
			if err != nil {
				return
			}
			var message dnsmessage.Message
			if message.Unpack(buffer[:count]) != nil || len(message.Questions) != 1 {
				continue
			}
			question := message.Questions[0]
			message.Response, message.Authoritative, message.Additionals = true, true, nil
			header := dnsmessage.ResourceHeader{Name: question.Name, Type: question.Type, Class: question.Class}
			if question.Type == dnsmessage.TypeA {
				message.Answers = []dnsmessage.Resource{{Header: header, Body: &dnsmessage.AResource{A: n.next().As4()}}}
			}
			packed, err := message.Pack()
			if err != nil {
				continue
			}
			_, _ = conn.WriteTo(packed, from)
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

// DNS rebinding: the name is public when the server is judged, and leads to this machine when it is dialled, even with the local network
// trusted.
func TestNameThatMovesHereIsNotFollowed(t *testing.T) {
	var reached atomic.Int32
	f := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	defer f.Close()
	_, port, _ := strings.Cut(strings.TrimPrefix(f.URL, "http://"), ":")
	for _, inside := range []string{"127.0.0.1", "10.0.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0"} {
		names := &nameServer{answers: []string{"8.8.8.8", inside}}
		resolver := names.resolver(t)
		most := HostClass(t.Context(), "rebind.test", resolver.LookupNetIP)
		if most != Public {
			t.Fatalf("the first answer gives the class %d", most)
		}
		policy := Policy{TrustLocalNetwork: true, Most: most}
		transport := newTransport(&dialer{policy: policy, resolver: resolver, proxies: map[string]bool{}, most: policy.Most})
		transport.Proxy = nil
		response, err := (&http.Client{Transport: transport}).Get("http://rebind.test:" + port)
		if err == nil {
			_ = response.Body.Close()
		}
		if !isRefusal(err) || reached.Load() != 0 || names.questions() < 2 {
			t.Errorf("%s: %v, reached %d times, %d questions", inside, err, reached.Load(), names.questions())
		}
		transport.CloseIdleConnections()
	}
}

// The first connection of a transport without a limit sets one: the server was on the internet, and cannot be on this machine later.
func TestFirstConnectionSetsTheLimit(t *testing.T) {
	f := httptest.NewServer(http.NotFoundHandler())
	defer f.Close()
	_, port, _ := strings.Cut(strings.TrimPrefix(f.URL, "http://"), ":")
	names := &nameServer{answers: []string{"127.0.0.1"}}
	d := &dialer{policy: Policy{TrustLocalNetwork: true}, resolver: names.resolver(t), proxies: map[string]bool{}, most: Public}
	if conn, err := d.dial(t.Context(), "tcp", "moved.test:"+port); !isRefusal(err) {
		t.Errorf("%v, %v", conn, err)
	}
	d.most = Unknown
	conn, err := d.dial(t.Context(), "tcp", "moved.test:"+port)
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
	if d.most != Loopback {
		t.Errorf("the limit is %d", d.most)
	}
}

// Every hop of a redirect is dialled under the same policy.
func TestRedirectsAreJudged(t *testing.T) {
	for _, target := range []string{
		"http://169.254.169.254/latest/meta-data", "http://10.0.0.1/", "http://[fd00:ec2::254]/", "http://100.64.0.1/", "http://evil.test/",
		"http://[64:ff9b::7f00:1]/",
		"http://[2002:7f00:1::1]/", "http://0.0.0.0:1/",
	} {
		f := httptest.NewServer(http.RedirectHandler(target, http.StatusFound))
		names := &nameServer{answers: []string{"127.0.0.1"}}
		transport := newTransport(&dialer{resolver: names.resolver(t), proxies: map[string]bool{}})
		transport.Proxy = nil
		response, err := (&http.Client{Transport: transport}).Get(f.URL)
		if err == nil {
			_ = response.Body.Close()
		}
		if !isRefusal(err) {
			t.Errorf("%s: %v", target, err)
		}
		transport.CloseIdleConnections()
		f.Close()
	}
}

// Whatever the URL: what is let through is http or https, has a host, and is no address that must not be contacted; a limit never allows
// more, and neither do case nor a dot at the end of the name.
func FuzzEgressURL(f *testing.F) {
	for _, seed := range []string{
		"https://example.com/mcp", "http://localhost:3000", "http://127.0.0.1", "http://[::1]:80/", "http://[::ffff:127.0.0.1]/",
		"http://[fe80::1%25eth0]/", "http://169.254.169.254/",
		"http://metadata.google.internal./x", "http://[64:ff9b::10.0.0.1]/", "http://[2002:7f00:1::]/", "http://0x7f.1/", "http://2130706433/",
		"http://me:pw@10.0.0.1/",
		"file:///etc/passwd", "javascript:alert(1)", "http://", "//example.com", "http://a.localhost./", "http://100.64.0.1/", "HTTP://EXAMPLE.COM.",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		u, err := url.Parse(raw)
		if err != nil {
			return
		}
		err = Policy{}.CheckURL(u)
		if err != nil && !isRefusal(err) {
			t.Fatalf("%q: %v is no refusal", raw, err)
		}
		if password, given := u.User.Password(); given && len(password) > 8 && err != nil && strings.Contains(err.Error(), ":"+password+"@") {
			t.Fatalf("%q: the password is in %v", raw, err)
		}
		limited := Policy{TrustLocalNetwork: true, Most: Public}.CheckURL(u)
		host := u.Hostname()
		address, notLiteral := netip.ParseAddr(host)
		if limited == nil && (SaysLoopback(host) || notLiteral == nil && Classify(address) != Public) {
			t.Fatalf("%q is let through for a public server", raw)
		}
		if err != nil {
			return
		}
		if u.Scheme != "http" && u.Scheme != "https" || host == "" {
			t.Fatalf("%q is let through", raw)
		}
		if notLiteral == nil && Classify(address) != Public && Classify(address) != Loopback {
			t.Fatalf("%q is let through: %d", raw, Classify(address))
		}
		if limited != nil && !SaysLoopback(host) {
			t.Fatalf("%q: a limit of public refuses what is public: %v", raw, limited)
		}
		if notLiteral != nil && !strings.HasSuffix(host, ".") && u.Port() == "" && !strings.ContainsAny(u.Host, "[]%") {
			dotted := *u
			dotted.Host = strings.ToUpper(host) + "."
			if (Policy{}).CheckURL(&dotted) != nil {
				t.Fatalf("%q is let through, %q is not", raw, dotted.Host)
			}
		}
	})
}

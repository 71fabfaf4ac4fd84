package egress

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"time"
)

// dialer opens connections to allowed addresses only. The check stands after DNS, on the address that is really dialled, so that a
// name cannot answer the check with one address and the connection with another.
type dialer struct {
	policy   Policy
	resolver *net.Resolver // nil: the system's

	mu      sync.Mutex
	proxies map[string]bool // host:port of proxies that the user configured: not the server's doing, so not judged
	most    Class           // no later address may be more private; Unknown before the first
}

// NewTransport returns the innermost http.RoundTripper. It is the caller's to shut down.
func NewTransport(policy Policy) *http.Transport {
	return newTransport(&dialer{policy: policy, proxies: map[string]bool{}, most: policy.Most})
}

func newTransport(d *dialer) *http.Transport {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DialContext = d.dial
	transport.Proxy = d.proxy
	// Below the 5 s after which Node's HTTP server closes an idle connection: a POST that meets that close cannot be repeated.
	transport.IdleConnTimeout = 4 * time.Second
	return transport
}

func (d *dialer) proxy(request *http.Request) (proxy *url.URL, err error) {
	proxy, err = http.ProxyFromEnvironment(request)
	if proxy == nil || err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.proxies[net.JoinHostPort(proxy.Hostname(), proxyPort(proxy))] = true
	return proxy, nil
}

func proxyPort(proxy *url.URL) string {
	if proxy.Scheme == "socks5" || proxy.Scheme == "socks5h" {
		if p := proxy.Port(); p != "" {
			return p
		}
		return "1080"
	}
	return Port(proxy)
}

func (d *dialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	return d.dialAs(ctx, network, address, address)
}

// dialAs dials target and judges where that leads as if address had been dialled.
func (d *dialer) dialAs(ctx context.Context, network, address, target string) (net.Conn, error) {
	plain := net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second, Resolver: d.resolver}
	d.mu.Lock()
	policy, judged := d.policy, !d.proxies[address]
	policy.Most = d.most
	d.mu.Unlock()
	if !judged {
		return plain.DialContext(ctx, network, target)
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	plain.ControlContext = func(_ context.Context, _, dialled string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(dialled)
		if err != nil {
			return err
		}
		return policy.checkAddress(host, address, to.Addr())
	}
	conn, err := plain.DialContext(ctx, network, target)
	if err != nil {
		return nil, err
	}
	if to, ok := conn.RemoteAddr().(*net.TCPAddr); ok {
		d.mu.Lock()
		if d.most == Unknown {
			d.most = Classify(to.AddrPort().Addr().Unmap())
		}
		d.mu.Unlock()
	}
	return conn, nil
}

// SameOrigin compares scheme, host and port (RFC 6454 section 4).
func SameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Hostname(), b.Hostname()) && Port(a) == Port(b)
}

// Port of a URL, the scheme's own if it names none.
func Port(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	if u.Scheme == "https" {
		return "443"
	}
	return "80"
}

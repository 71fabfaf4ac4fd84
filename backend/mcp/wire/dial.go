package wire

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"sync"
	"syscall"
	"time"
)

// dialer opens connections to allowed addresses only. The check stands after DNS, on the address that is really dialled, so that a
// name cannot answer the check with one address and the connection with another.
type dialer struct {
	trust bool

	mu      sync.Mutex
	proxies map[string]bool // host:port of proxies that the user configured: not the server's doing, so not judged
	most    class           // no later address may be more private
}

// newTransport returns the innermost http.RoundTripper.
func newTransport(trust bool) *http.Transport {
	d := &dialer{trust: trust, proxies: map[string]bool{}, most: refused}
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
	return port(proxy)
}

func (d *dialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	return d.dialAs(ctx, network, address, address)
}

// dialAs dials target and judges where that leads as if address had been dialled.
func (d *dialer) dialAs(ctx context.Context, network, address, target string) (net.Conn, error) {
	plain := net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}
	d.mu.Lock()
	most, judged := d.most, !d.proxies[address]
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
		return checkAddress(host, address, to.Addr(), d.trust, most)
	}
	conn, err := plain.DialContext(ctx, network, target)
	if err != nil {
		return nil, err
	}
	if to, ok := conn.RemoteAddr().(*net.TCPAddr); ok {
		d.mu.Lock()
		// "refused" means not known yet.
		if is := classify(to.AddrPort().Addr().Unmap()); d.most == refused {
			d.most = is
		}
		d.mu.Unlock()
	}
	return conn, nil
}

package egress

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
)

// Route is where a request to a URL is dialled: at the proxy that the environment names for it, else at its own host.
type Route struct {
	Host, Port string
	Proxy      *url.URL // nil: none
	TLS        bool     // the URL is https
}

// RouteTo finds the route of a URL, as a transport of this package does. The error is about the proxy that the environment names.
func RouteTo(u *url.URL) (Route, error) {
	route := Route{Host: u.Hostname(), Port: Port(u), TLS: u.Scheme == "https"}
	proxy, err := http.ProxyFromEnvironment(&http.Request{URL: u})
	if err != nil || proxy == nil {
		return route, err
	}
	route.Host, route.Port, route.Proxy = proxy.Hostname(), proxyPort(proxy), proxy
	return route, nil
}

// Lookup resolves the host of a route. It judges nothing; Dial does, on the address that is dialled.
func (r Route) Lookup(ctx context.Context) ([]netip.Addr, error) {
	if address, err := netip.ParseAddr(r.Host); err == nil {
		return []netip.Addr{address}, nil
	}
	return net.DefaultResolver.LookupNetIP(ctx, "ip", r.Host)
}

// Dial opens a connection to the route with the dialer of a transport under this policy.
func (p Policy) Dial(ctx context.Context, r Route) (net.Conn, error) {
	address := net.JoinHostPort(r.Host, r.Port)
	// A proxy is the person's doing, not the server's, so it is not judged.
	d := &dialer{policy: p, proxies: map[string]bool{address: r.Proxy != nil}, most: p.Most}
	return d.dial(ctx, "tcp", address)
}

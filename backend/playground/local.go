package playground

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// localOnly refuses what a web page in a browser could send here by way of a name that it points at this computer (DNS
// rebinding), and pages of other origins: MCP 2025-11-25, Transports, Security Warning.
func localOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isLoopback(r.Host) {
			http.Error(w, "The Playground answers to localhost only; the Host header names another computer.", http.StatusForbidden)
			return
		}
		for _, origin := range r.Header.Values("Origin") {
			if u, err := url.Parse(origin); err != nil || u.Scheme != "http" && u.Scheme != "https" || !isLoopback(u.Host) {
				http.Error(w, "The Playground does not answer web pages of other origins.", http.StatusForbidden)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// isLoopback takes host or host:port, as in a Host header.
func isLoopback(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if strings.EqualFold(host, "localhost") {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.Unmap().IsLoopback()
}

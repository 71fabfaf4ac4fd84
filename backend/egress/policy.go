// Package egress decides which addresses this program contacts. Everything that a server or an authorization server can make it
// request goes through a Policy: once on the URL, and once more, in the dialer, on the address that is really dialled, so that no name
// can answer a check with one address and the connection with another.
//
// It holds no state but what a transport learns from its first connection. Everything is safe for concurrent use.
package egress

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// RefusedURL says that an address is not one this program talks to.
type RefusedURL struct {
	URL     string // or host and port, when the name was fine and what it resolved to was not
	Address string // the resolved address, "" if the URL itself is refused
	Reason  string
	Trust   bool // the switch TrustLocalNetwork would allow it
}

func (e *RefusedURL) Error() string {
	at := ""
	if e.Address != "" {
		at = " (" + e.Address + ")"
	}
	next := "Check the URL of this server."
	if e.Trust {
		next = "If the server really is there, turn on “trust local network” for it."
	}
	return fmt.Sprintf("%s%s was not contacted: %s. %s", e.URL, at, e.Reason, next)
}

// Policy says what a request may lead to. The zero value is for a URL that the person typed.
type Policy struct {
	TrustLocalNetwork bool  // addresses of private networks are allowed
	Most              Class // no address may be more private; Unknown: not than that of the first connection
}

// Class says how private an address is; a higher one is more private.
type Class int

const (
	Unknown  Class = iota
	Public         // the internet
	Private        // a local network: RFC 1918, RFC 4193
	Loopback       // this machine
	Refused        // nothing that an MCP server is served from
)

// special lists what is neither public nor of another class, from the IANA special-purpose address registries. Link-local
// comes first of all: there the metadata services of cloud machines hand out credentials.
func special() []netip.Prefix {
	return []netip.Prefix{
		netip.MustParsePrefix("0.0.0.0/8"),
		netip.MustParsePrefix("100.64.0.0/10"), // carrier-grade NAT, RFC 6598
		netip.MustParsePrefix("169.254.0.0/16"),
		netip.MustParsePrefix("192.0.0.0/24"),
		netip.MustParsePrefix("192.0.2.0/24"),
		netip.MustParsePrefix("198.18.0.0/15"),
		netip.MustParsePrefix("198.51.100.0/24"),
		netip.MustParsePrefix("203.0.113.0/24"),
		netip.MustParsePrefix("224.0.0.0/4"),
		netip.MustParsePrefix("240.0.0.0/4"),
		netip.MustParsePrefix("::/96"),          // IPv4-compatible, and ::
		netip.MustParsePrefix("64:ff9b:1::/48"), // local-use NAT64, RFC 8215
		netip.MustParsePrefix("100::/64"),
		netip.MustParsePrefix("2001::/23"), // Teredo and other protocol assignments
		netip.MustParsePrefix("2001:db8::/32"),
		netip.MustParsePrefix("3fff::/20"),
		netip.MustParsePrefix("5f00::/16"),
		netip.MustParsePrefix("fe80::/10"),
		netip.MustParsePrefix("fec0::/10"),
		netip.MustParsePrefix("ff00::/8"),
	}
}

// metadataServices lists the addresses of those that are not link-local: trusting the local network must not open them.
func metadataServices() []netip.Addr {
	return []netip.Addr{
		netip.MustParseAddr("fd00:ec2::254"),      // Amazon
		netip.MustParseAddr("fd20:ce::254"),       // Google
		netip.MustParseAddr("fd00:c1::a9fe:a9fe"), // Oracle
		netip.MustParseAddr("168.63.129.16"),      // Azure
	}
}

// Classify judges one address.
func Classify(address netip.Addr) Class {
	switch {
	case !address.IsValid() || address.Is4In6() || address.Zone() != "":
		// An IPv4-mapped literal says in six groups what four numbers say; the only reason to write it so is to get past a check.
		return Refused
	case address.IsLoopback():
		return Loopback
	case slices.Contains(metadataServices(), address):
		return Refused
	case address.IsPrivate():
		return Private
	}
	if inner, ok := embedded(address); ok {
		// NAT64 and 6to4 lead to the IPv4 address inside: only a public one may be reached that way.
		if Classify(inner) != Public {
			return Refused
		}
		return Public
	}
	if slices.ContainsFunc(special(), func(p netip.Prefix) bool { return p.Contains(address) }) {
		return Refused
	}
	return Public
}

// embedded returns the IPv4 address inside a NAT64 (RFC 6052) or 6to4 (RFC 3056) address.
func embedded(address netip.Addr) (netip.Addr, bool) {
	if !address.Is6() {
		return netip.Addr{}, false
	}
	b := address.As16()
	switch {
	case netip.MustParsePrefix("64:ff9b::/96").Contains(address):
		return netip.AddrFrom4([4]byte(b[12:16])), true
	case netip.MustParsePrefix("2002::/16").Contains(address):
		return netip.AddrFrom4([4]byte(b[2:6])), true
	}
	return netip.Addr{}, false
}

// CheckURL judges what can be judged before DNS: the scheme, and a host that is an address or a known metadata service.
func (p Policy) CheckURL(u *url.URL) error {
	if u.Scheme != "http" && u.Scheme != "https" {
		return &RefusedURL{URL: u.Redacted(), Reason: "only http and https are spoken here"}
	}
	host := u.Hostname()
	if host == "" {
		return &RefusedURL{URL: u.Redacted(), Reason: "it has no host"}
	}
	switch bareHost(host) {
	case "metadata.google.internal", "metadata.goog", "instance-data.ec2.internal", "metadata.azure.internal":
		return &RefusedURL{URL: u.Redacted(), Reason: "it is the metadata service of a cloud machine, which hands out credentials"}
	}
	if address, err := netip.ParseAddr(host); err == nil {
		return p.checkAddress(host, u.Redacted(), address)
	}
	if SaysLoopback(host) && p.Most != Unknown && p.Most < Loopback {
		return &RefusedURL{URL: u.Redacted(), Reason: morePrivate}
	}
	return nil
}

const morePrivate = "it leads to a more private network than the server itself, or than when the server was connected"

// checkAddress judges an address that host resolved to. Loopback is fine when the URL itself says so; a name that merely resolves
// there, like every address of a local network, needs trust. No address may be more private than Most, for a transport the class of its
// first connection: otherwise a server could move its name onto this machine afterwards (DNS rebinding).
func (p Policy) checkAddress(host, shown string, address netip.Addr) error {
	is := Classify(address)
	refusal := &RefusedURL{URL: shown, Address: address.String()}
	switch {
	case is == Refused:
		refusal.Reason = "no MCP server is served from such an address (link-local, metadata, multicast or reserved)"
	case p.Most != Unknown && is > p.Most:
		refusal.Reason = morePrivate
	case is == Private && !p.TrustLocalNetwork:
		refusal.Reason, refusal.Trust = "it is on a local network", true
	case is == Loopback && !p.TrustLocalNetwork && !SaysLoopback(host):
		refusal.Reason, refusal.Trust = "its name leads back to this machine", true
	default:
		return nil
	}
	return refusal
}

// SaysLoopback tells whether a host says by itself that it is this machine (RFC 6761 section 6.3).
func SaysLoopback(host string) bool {
	if address, err := netip.ParseAddr(host); err == nil {
		return address.IsLoopback()
	}
	host = bareHost(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

func bareHost(host string) string { return strings.TrimSuffix(strings.ToLower(host), ".") }

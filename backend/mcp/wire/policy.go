package wire

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

// class says how private an address is; a higher one is more private.
type class int

const (
	public   class = iota
	private        // a local network: RFC 1918, RFC 4193
	loopback       // this machine
	refused        // nothing that an MCP server is served from
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

func classify(address netip.Addr) class {
	switch {
	case !address.IsValid() || address.Is4In6() || address.Zone() != "":
		// An IPv4-mapped literal says in six groups what four numbers say; the only reason to write it so is to get past a check.
		return refused
	case address.IsLoopback():
		return loopback
	case address.IsPrivate():
		return private
	}
	if inner, ok := embedded(address); ok {
		// NAT64 and 6to4 lead to the IPv4 address inside: only a public one may be reached that way.
		if classify(inner) != public {
			return refused
		}
		return public
	}
	if slices.ContainsFunc(special(), func(p netip.Prefix) bool { return p.Contains(address) }) {
		return refused
	}
	return public
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

// checkURL judges what can be judged before DNS: the scheme, and a host that is an address or a known metadata service.
func checkURL(u *url.URL, trust bool) error {
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
		return checkAddress(host, u.Redacted(), address, trust, refused)
	}
	return nil
}

// checkAddress judges an address that host resolved to. Loopback is fine when the URL itself says so; a name that merely resolves
// there, like every address of a local network, needs trust. No address may be more private than most, the class of the first
// connection: otherwise a server could move its name onto this machine afterwards (DNS rebinding).
func checkAddress(host, shown string, address netip.Addr, trust bool, most class) error {
	is := classify(address)
	refusal := &RefusedURL{URL: shown, Address: address.String()}
	switch {
	case is == refused:
		refusal.Reason = "no MCP server is served from such an address (link-local, metadata, multicast or reserved)"
	case is > most:
		refusal.Reason = "the name of this server now leads to a more private network than when it was connected"
	case is == private && !trust:
		refusal.Reason, refusal.Trust = "it is on a local network", true
	case is == loopback && !trust && !saysLoopback(host):
		refusal.Reason, refusal.Trust = "its name leads back to this machine", true
	default:
		return nil
	}
	return refusal
}

// saysLoopback tells whether a host says by itself that it is this machine (RFC 6761 section 6.3).
func saysLoopback(host string) bool {
	if address, err := netip.ParseAddr(host); err == nil {
		return address.IsLoopback()
	}
	host = bareHost(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

func bareHost(host string) string { return strings.TrimSuffix(strings.ToLower(host), ".") }

package egress

import (
	"context"
	"net/netip"
)

// HostClass says how private a host is: of its addresses the least private counts, so that a name which also leads into a local network
// opens nothing there. A name that does not resolve counts as public, which allows the least.
func HostClass(ctx context.Context, host string, lookup func(ctx context.Context, network, host string) ([]netip.Addr, error)) Class {
	if address, err := netip.ParseAddr(host); err == nil {
		return atMostLoopback(Classify(address))
	}
	if SaysLoopback(host) {
		return Loopback
	}
	addresses, err := lookup(ctx, "ip", host)
	if err != nil || len(addresses) == 0 {
		return Public
	}
	least := Refused
	for _, address := range addresses {
		least = min(least, Classify(address.Unmap()))
	}
	return atMostLoopback(least)
}

// atMostLoopback counts an address that nothing is served from as public: it is no reason to allow more.
func atMostLoopback(class Class) Class {
	if class == Refused {
		return Public
	}
	return class
}

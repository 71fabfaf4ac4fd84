package mcp

import (
	"net"
	"slices"
	"time"
)

const (
	// wakeInterval is how often the Manager looks whether the computer slept or changed its network.
	wakeInterval = 5 * time.Second
	// wakeSlack is how much later than expected a look may come on a busy computer.
	wakeSlack = 10 * time.Second
)

// lookout notices, between two looks, that the computer slept or that it has a new address. It needs nothing of the system but its clock and
// its list of addresses, so it works everywhere and asks nobody.
type lookout struct {
	last      time.Time // wall clock
	addresses []string
}

// look says whether servers that could not be reached may be reachable now. The wall clock goes on while a computer sleeps, whatever
// timers do. An address that went away makes nothing reachable. A list that cannot be read (nil) changes nothing.
func (l *lookout) look(now time.Time, addresses []string) bool {
	now = now.Round(0) // without the monotonic clock, which stands still on some systems while they sleep
	slept := !l.last.IsZero() && now.Sub(l.last) > wakeInterval+wakeSlack
	l.last = now
	if addresses == nil {
		return slept
	}
	moved := l.addresses != nil && slices.ContainsFunc(addresses, func(a string) bool { return !slices.Contains(l.addresses, a) })
	l.addresses = addresses
	return slept || moved
}

// watchOut tries again what had failed when the computer wakes up or gets another address.
func (m *Manager) watchOut() {
	var l lookout
	for {
		if l.look(m.clock.Now(), m.addresses()) {
			m.log.Info("the computer slept or has a new address: trying again what had failed")
			m.Wake()
		}
		select {
		case <-m.clock.After(wakeInterval):
		case <-m.ctx.Done():
			return
		}
	}
}

// systemAddresses are the addresses by which this computer reaches others; nil if they cannot be read.
func systemAddresses() []string {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return nil
	}
	addresses := []string{}
	for _, a := range all {
		if n, ok := a.(*net.IPNet); ok && n.IP.IsGlobalUnicast() {
			addresses = append(addresses, n.IP.String())
		}
	}
	return addresses
}

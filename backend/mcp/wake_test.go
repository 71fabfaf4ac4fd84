package mcp

import (
	"sync"
	"testing"
	"time"

	"jackfield/backend/store"
)

func TestLookoutNoticesSleepAndNewAddresses(t *testing.T) {
	at := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	type step struct {
		after     time.Duration
		addresses []string
		want      bool
	}
	tests := map[string][]step{
		"nothing":                     {{0, []string{"a"}, false}, {wakeInterval, []string{"a"}, false}, {2 * wakeInterval, []string{"a"}, false}},
		"asleep":                      {{0, []string{"a"}, false}, {time.Hour, []string{"a"}, true}, {wakeInterval, []string{"a"}, false}},
		"another network":             {{0, []string{"a"}, false}, {wakeInterval, []string{"b"}, true}, {wakeInterval, []string{"b"}, false}},
		"one more":                    {{0, []string{"a"}, false}, {wakeInterval, []string{"a", "b"}, true}},
		"one less":                    {{0, []string{"a", "b"}, false}, {wakeInterval, []string{"a"}, false}, {wakeInterval, []string{"a", "b"}, true}},
		"offline and back":            {{0, []string{"a"}, false}, {wakeInterval, []string{}, false}, {wakeInterval, []string{"a"}, true}},
		"a list that cannot be read":  {{0, nil, false}, {wakeInterval, []string{"a"}, false}, {wakeInterval, nil, false}, {wakeInterval, []string{"a"}, false}},
		"the clock was put back":      {{0, nil, false}, {-time.Hour, nil, false}, {wakeInterval, nil, false}},
		"asleep and somewhere else":   {{0, []string{"a"}, false}, {time.Hour, []string{"b"}, true}},
		"asleep without a known list": {{0, nil, false}, {time.Hour, nil, true}},
	}
	for name, steps := range tests {
		t.Run(name, func(t *testing.T) {
			var l lookout
			now := at
			for i, s := range steps {
				now = now.Add(s.after)
				if got := l.look(now, s.addresses); got != s.want {
					t.Errorf("look %d = %v", i, got)
				}
			}
		})
	}
}

// leap is a clock whose wall time a test moves; a look at the world comes soon in it.
type leap struct {
	mu     sync.Mutex
	offset time.Duration
}

func (c *leap) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.offset)
}

func (c *leap) After(d time.Duration) <-chan time.Time {
	if d == wakeInterval {
		d = time.Millisecond
	}
	return time.After(d)
}

func TestComputerThatWakesUpOrMovesTriesAgain(t *testing.T) {
	w := newWeb(t, status(503))
	clock := &leap{}
	var mu sync.Mutex
	addresses := []string{"192.0.2.1"}
	m := start(t, Options{
		Clock: clock,
		Addresses: func() []string {
			mu.Lock()
			defer mu.Unlock()
			return addresses
		},
		Store: newMemory(remote(w.URL, func(s *store.Server) { s.Era, s.Retry.MaxAttempts = store.EraLegacy, 1 })),
	}, true)
	m.Wait(t.Context())
	if n := w.count("initialize"); n != 1 {
		t.Fatalf("%d attempts", n)
	}
	clock.mu.Lock()
	clock.offset = time.Hour
	clock.mu.Unlock()
	eventually(t, "an attempt after the sleep", func() bool { return w.count("initialize") == 2 })
	m.Wait(t.Context())
	mu.Lock()
	addresses = []string{"192.0.2.1", "198.51.100.7"}
	mu.Unlock()
	eventually(t, "an attempt in the new network", func() bool { return w.count("initialize") == 3 })
	m.Wait(t.Context())
}

func TestSystemAddressesLeaveOutLoopback(t *testing.T) {
	for _, a := range systemAddresses() {
		if a == "127.0.0.1" || a == "::1" {
			t.Errorf("%s reaches nobody else", a)
		}
	}
}

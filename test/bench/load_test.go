//go:build bench

package bench

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"jackfield/backend"
	"jackfield/backend/mcp"
	"jackfield/backend/store"
)

// duel is a server called through the Manager and by bare go-sdk.
type duel struct {
	t       *testing.T
	backend *backend.Backend
	id      string
	session *sdk.ClientSession
}

func newDuel(t *testing.T) *duel {
	t.Helper()
	url := canned(t, 0)
	b := openBackend(t, t.TempDir(), false)
	t.Cleanup(func() { closeBackend(t, b) })
	id, err := b.Manager.Add(t.Context(), store.Server{Name: "canned", Transport: store.TransportStreamableHTTP, URL: url, Era: store.EraLegacy})
	if err != nil {
		t.Fatal(err)
	}
	session, err := sdk.NewClient(&sdk.Implementation{Name: "bare", Version: "1"}, nil).Connect(t.Context(),
		&sdk.StreamableClientTransport{Endpoint: url}, &sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return &duel{t: t, backend: b, id: id, session: session}
}

func (d *duel) managed(name string) {
	call, err := d.backend.Manager.Call(d.t.Context(), mcp.CallRequest{ServerID: d.id, Kind: store.KindTool, Name: name, Arguments: json.RawMessage(`{}`)})
	if err != nil || call.Outcome != store.OutcomeDone {
		d.t.Errorf("%s: %s %v", name, call.Outcome, err)
	}
}

func (d *duel) bare(name string) {
	if _, err := d.session.CallTool(d.t.Context(), &sdk.CallToolParams{Name: name}); err != nil {
		d.t.Error(err)
	}
}

// spread makes n calls, so many at a time, and returns how long each took, sorted.
func spread(n, parallel int, call func()) []time.Duration {
	took := make([]time.Duration, n)
	var next atomic.Int64
	var work sync.WaitGroup
	for range parallel {
		work.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				took[i] = timed(call)
			}
		})
	}
	work.Wait()
	slices.Sort(took)
	return took
}

// parallel measures the median and the slowest hundredth of small calls, 1, 8 and 64 at a time.
func parallel(t *testing.T, results *table) {
	d := newDuel(t)
	for _, at := range []int{1, 8, 64} {
		var half, most [2][]time.Duration
		for round := range 6 {
			for i, call := range []func(){func() { d.managed("small") }, func() { d.bare("small") }} {
				took := spread(2000, at, call)
				if round > 0 {
					half[i] = append(half[i], took[len(took)/2])
					most[i] = append(most[i], took[len(took)*99/100])
				}
			}
		}
		results.add(fmt.Sprintf("p50 of a small call, %d at a time", at), "bare go-sdk", median(half[0]), median(half[1]), 1.10)
		results.add(fmt.Sprintf("p99 of a small call, %d at a time", at), "bare go-sdk", median(most[0]), median(most[1]), 1.10)
	}
}

// sizes measures results of 1, 10 and 100 MB.
func sizes(t *testing.T, results *table) {
	d := newDuel(t)
	for _, size := range []struct {
		name string
		runs int
	}{{"1 MB", 9}, {"10 MB", 5}, {"100 MB", 3}} {
		a, f := pairs(t, size.runs, func() time.Duration { return timed(func() { d.managed(size.name) }) },
			func() time.Duration { return timed(func() { d.bare(size.name) }) })
		results.add("a result of "+size.name+" through the Manager", "bare go-sdk", a, f, 0.50)
	}
}

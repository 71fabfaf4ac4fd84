//go:build bench

package bench

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// row is one line of the table: a measurement, its floor, and the ratio the design allows.
type row struct {
	what, floor   string
	figure, least string
	ratio, target float64
}

type table struct{ rows []row }

func (t *table) add(what, floor string, figure, least time.Duration, target float64) {
	t.rows = append(t.rows, row{what, floor, round(figure), round(least), float64(figure) / float64(least), target})
}

func (t *table) print(log testing.TB) {
	var out strings.Builder
	fmt.Fprintf(&out, "\n%-46s %10s   %-40s %10s %7s %8s\n", "measured", "", "floor", "", "ratio", "target")
	slices.SortFunc(t.rows, func(a, b row) int { return strings.Compare(a.what, b.what) })
	for _, r := range t.rows {
		verdict := ""
		if r.ratio > r.target {
			verdict = "  missed"
		}
		fmt.Fprintf(&out, "%-46s %10s   %-40s %10s %7.2f %8.2f%s\n", r.what, r.figure, r.floor, r.least, r.ratio, r.target, verdict)
	}
	log.Log(out.String())
}

func round(d time.Duration) string {
	switch {
	case d > 100*time.Millisecond:
		return d.Round(time.Millisecond).String()
	case d > time.Millisecond:
		return d.Round(10 * time.Microsecond).String()
	}
	return d.Round(100 * time.Nanosecond).String()
}

// pairs runs a and b in turn, after one run of each that does not count, and returns their medians.
func pairs(t *testing.T, runs int, a, b func() time.Duration) (time.Duration, time.Duration) {
	t.Helper()
	var first, second []time.Duration
	for i := range runs + 1 {
		x, y := a(), b()
		if i > 0 {
			first, second = append(first, x), append(second, y)
		}
	}
	return median(first), median(second)
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

// timed is the time that f takes.
func timed(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

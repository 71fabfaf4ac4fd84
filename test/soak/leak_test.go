//go:build soak

package soak

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"strings"
	"testing"
	"time"
)

// level is what a process has in use.
type level struct {
	goroutines, files int
	heap              uint64 // live bytes
}

func (l level) String() string {
	return fmt.Sprintf("%d goroutines, %d files, %.1f MB live", l.goroutines, l.files, float64(l.heap)/1e6)
}

func measure(t *testing.T) level {
	t.Helper()
	runtime.GC()
	runtime.GC() // what the finalizers of the first one released
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	l := level{goroutines: runtime.NumGoroutine(), heap: m.HeapAlloc}
	if entries, err := os.ReadDir("/proc/self/fd"); err == nil {
		l.files = len(entries)
	}
	return l
}

// Margins over the warmed-up start. Connections that rest in the pools of 150 HTTP clients come and go; a leak in one of 200 servers
// that flapped dozens of times is far above them.
const (
	moreGoroutines = 1.10
	moreFiles      = 1.10
	moreHeap       = 1.20
	slackCount     = 30
	slackHeap      = 16 << 20
)

func (l level) within(before level) bool {
	return float64(l.goroutines) <= float64(before.goroutines)*moreGoroutines+slackCount &&
		float64(l.files) <= float64(before.files)*moreFiles+slackCount &&
		float64(l.heap) <= float64(before.heap)*moreHeap+slackHeap
}

// backAt waits until the level of before is reached again.
func backAt(t *testing.T, before level) {
	t.Helper()
	var now level
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(500 * time.Millisecond) {
		if now = measure(t); now.within(before) {
			t.Logf("before: %s; after: %s", before, now)
			return
		}
	}
	t.Errorf("something is left: %s, where %s was in use before\n%s", now, before, stacks(1))
}

func stacks(debug int) string {
	var text bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&text, debug); err != nil {
		return err.Error()
	}
	return text.String()[:min(text.Len(), 20_000)]
}

// nothingRuns waits until no goroutine is in the back end any more.
func nothingRuns(t *testing.T) {
	t.Helper()
	var text string
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		var all bytes.Buffer
		if err := pprof.Lookup("goroutine").WriteTo(&all, 2); err != nil {
			t.Fatal(err)
		}
		text = ""
		for one := range strings.SplitSeq(all.String(), "\n\n") {
			if strings.Contains(one, "jackfield/backend/") {
				text += one + "\n\n"
			}
		}
		if text == "" {
			return
		}
	}
	t.Errorf("goroutines of a closed Manager:\n%.20000s", text)
}

// childrenWith returns the processes whose environment has some text.
func childrenWith(text string) (pids []string) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, entry := range entries {
		if env, err := os.ReadFile("/proc/" + entry.Name() + "/environ"); err == nil && bytes.Contains(env, []byte(text)) && entry.Name() != fmt.Sprint(os.Getpid()) {
			pids = append(pids, entry.Name())
		}
	}
	return pids
}

//go:build bench

package bench

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// window measures first paint of the desktop program, at its second start, against an empty Wails window.
func window(t *testing.T, results *table) {
	empty := filepath.Join(t.TempDir(), "emptywindow")
	build := exec.Command("go", "build", "-tags", "desktop,production,webkit2_41", "-o", empty, "./emptywindow")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the empty window: %v\n%s", err, out)
	}
	desktop, err := filepath.Abs("../../build/bin/jackfield-desktop")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	paint := func(program string) func() time.Duration {
		return func() time.Duration {
			command := exec.Command("../../build/screen.sh", "./firstpaint.py", program)
			command.Env = append(os.Environ(), "JACKFIELD_DATA_DIR="+dir)
			command.Stderr = os.Stderr
			out, err := command.Output()
			if err != nil {
				t.Fatalf("%s: %v", program, err)
			}
			seconds, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
			if err != nil {
				t.Fatal(err)
			}
			return time.Duration(seconds * float64(time.Second))
		}
	}
	a, f := pairs(t, 5, paint(desktop), paint(empty))
	results.add("first paint of the window", "an empty Wails window", a, f, 1.30)
}

//go:build e2e

package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// On Linux any frame of a Wails window can call Go. Each of the two walls must keep every frame out alone, and the page
// itself must still get through. Without a wall frames do get through: else this test would prove nothing.
func TestFramesCanNotCallGo(t *testing.T) {
	program := filepath.Join(t.TempDir(), "frames")
	build := exec.Command("go", "build", "-tags", "e2e,desktop,production,webkit2_41", "-o", program, "./frames")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	through := func(walls ...string) []string {
		t.Helper()
		command := exec.Command("../../build/screen.sh", append([]string{program}, walls...)...)
		command.Env = append(os.Environ(), home(t.TempDir())...)
		command.Stderr = os.Stderr
		out, err := command.Output()
		if err != nil {
			t.Fatalf("%v: %v\n%s", walls, err, out)
		}
		var names []string
		if err := json.Unmarshal(out, &names); err != nil {
			t.Fatalf("%v: %v\n%s", walls, err, out)
		}
		return names
	}
	open := through()
	for _, name := range []string{"srcdoc", "sandboxed srcdoc", "nested", "blob", "page"} {
		if !slices.Contains(open, name) {
			t.Errorf("without a wall %q does not get through; only %q", name, open)
		}
	}
	for _, wall := range []string{"guard", "policy"} {
		if got := through(wall); !slices.Equal(got, []string{"page"}) {
			t.Errorf("behind the %s %q get through", wall, got)
		}
	}
}

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

// On Linux any frame of a Wails window can call Go. Each of the two walls must keep every foreign script out alone, and the page
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
		command.Env = append(os.Environ(), home(t, t.TempDir())...)
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
	for _, name := range []string{"srcdoc", "sandboxed srcdoc", "nested", "blob", "page", "text as a script"} {
		if !slices.Contains(open, name) {
			t.Errorf("without a wall %q does not get through; only %q", name, open)
		}
	}
	for _, test := range []struct {
		walls []string
		want  []string
	}{
		// The guard is about frames only: text that is loaded as a script by the page is the policy's business.
		{[]string{"guard"}, []string{"page", "text as a script"}},
		// A script file of the program itself is no foreign script, also in a frame.
		{[]string{"policy"}, []string{"page", "srcdoc with a file"}},
		{[]string{"guard", "policy"}, []string{"page"}},
	} {
		got := through(test.walls...)
		if !slices.Contains(test.walls, "policy") {
			// A javascript: URL runs in the empty document that a frame begins with, now and then before the guard's script.
			// It is a script of the page's own origin, and the policy's business.
			got = slices.DeleteFunc(got, func(name string) bool { return name == "javascript" })
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("behind %q %q get through, want %q", test.walls, got, test.want)
		}
	}
}

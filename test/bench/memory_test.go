//go:build bench

package bench

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"
	"time"
)

// peak runs a command and returns the most memory that it itself had resident, in kB. The figure that a process's end brings
// would not do: on Linux it is the largest of the process and its children, and here the child is a Node server.
func peak(t *testing.T, command *exec.Cmd) int {
	t.Helper()
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	high := regexp.MustCompile(`VmHWM:\s+(\d+) kB`)
	most := 0
	for {
		if status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", command.Process.Pid)); err == nil {
			if match := high.FindSubmatch(status); match != nil {
				kb, err := strconv.Atoi(string(match[1]))
				if err != nil {
					t.Fatal(err)
				}
				most = max(most, kb)
			}
		}
		select {
		case err := <-ended:
			if err != nil {
				t.Fatal(err)
			}
			return most
		case <-time.After(5 * time.Millisecond):
		}
	}
}

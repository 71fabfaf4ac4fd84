//go:build unix

package app

import (
	"fmt"
	"os"
	"syscall"
)

// restart replaces this process by a fresh one of the same program.
func restart() error {
	self, err := os.Executable()
	if err == nil {
		err = syscall.Exec(self, os.Args, os.Environ())
	}
	return fmt.Errorf("starting again: %w", err)
}

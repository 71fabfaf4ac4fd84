package app

import (
	"fmt"
	"os"
	"os/exec"
)

// restart starts this program once more; this process then ends.
func restart() error {
	self, err := os.Executable()
	if err == nil {
		err = exec.Command(self, os.Args[1:]...).Start()
	}
	if err != nil {
		return fmt.Errorf("starting again: %w", err)
	}
	return nil
}

//go:build unix

package cli

import (
	"os"
	"os/signal"
	"syscall"
)

// catchPipe turns SIGPIPE into EPIPE of the write. signal.Ignore would be inherited by child processes.
func catchPipe() (restore func()) {
	pipes := make(chan os.Signal, 1)
	signal.Notify(pipes, syscall.SIGPIPE)
	return func() { signal.Stop(pipes) }
}

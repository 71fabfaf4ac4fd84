package app

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"time"

	"jackfield/backend/mcp"
)

// SweeperArgument starts this program as the sweeper of another one: a child process that waits for the end of its parent, and ends what
// that one left behind when it was killed. Servers die with the program by themselves, but what they started in turn does not, and
// a program that gets SIGKILL has no time for anything.
const SweeperArgument = "sweep-after"

// sweeper is such a child.
type sweeper struct {
	command *exec.Cmd
	stdin   io.WriteCloser
}

// startSweeper returns nil where there is nothing to do: on Windows the job object ends everything, on macOS processes cannot be found by
// their environment. Without it the next start sweeps.
func startSweeper(log *slog.Logger) *sweeper {
	if !mcp.Sweeps {
		return nil
	}
	command := exec.Command(promptCommand()[0], SweeperArgument)
	command.SysProcAttr = apart() // what is sent to the group of this program is not meant for it
	stdin, err := command.StdinPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		log.Warn("nobody sweeps when this program is killed; its next start does", "error", err)
		return nil
	}
	return &sweeper{command: command, stdin: stdin}
}

// close tells the child that this program ends in order.
func (s *sweeper) close() error {
	if s == nil {
		return nil
	}
	_, err := s.stdin.Write([]byte{'.'})
	return errors.Join(err, s.stdin.Close(), s.command.Wait())
}

// RunSweeper is the life of the child.
func RunSweeper() error {
	parent := os.Getppid()
	if n, _ := os.Stdin.Read(make([]byte, 1)); n > 0 {
		return nil
	}
	// The pipe closes a moment before its owner is gone.
	for range 500 {
		if os.Getppid() != parent {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if err := mcp.Sweep(); err != nil {
		return fmt.Errorf("sweeping after a program that was killed: %w", err)
	}
	return nil
}

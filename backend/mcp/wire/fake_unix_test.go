//go:build unix

package wire

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

func killSelf() { syscall.Kill(os.Getpid(), syscall.SIGKILL) }

// detach gives a command a session of its own.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

func ignoreTerm() { signal.Ignore(syscall.SIGTERM) }

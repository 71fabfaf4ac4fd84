//go:build unix

package browser

import (
	"os/exec"
	"syscall"
)

// Detach lets a program outlive this one and its terminal.
func Detach(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
}

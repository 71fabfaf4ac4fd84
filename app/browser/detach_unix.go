//go:build unix

package browser

import (
	"os/exec"
	"syscall"
)

// detach keeps the browser alive when this program's terminal or process group goes away.
func detach(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
}

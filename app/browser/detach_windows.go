package browser

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// detach keeps the browser alive when this program's console goes away.
func detach(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.DETACHED_PROCESS}
}

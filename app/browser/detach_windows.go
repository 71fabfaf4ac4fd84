package browser

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// Detach lets a program outlive this one and its console.
func Detach(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.DETACHED_PROCESS}
}

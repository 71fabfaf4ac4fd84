//go:build unix && !linux

package wire

import "syscall"

// holdThread has nothing to do: without PDEATHSIG no thread matters.
func holdThread() func() { return func() {} }

func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

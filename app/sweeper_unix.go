//go:build unix

package app

import "syscall"

func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

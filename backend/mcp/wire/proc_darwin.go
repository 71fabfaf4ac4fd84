package wire

import (
	"errors"
	"syscall"
	"unsafe"
)

// awaitExit waits with waitid(2), which can leave the process unreaped; wait4(2), which syscall offers, cannot.
func awaitExit(pid int) {
	const (
		pPID    = 1
		exited  = 0x4
		nowait  = 0x20
		siginfo = 128 // bytes, more than siginfo_t has
	)
	var info [siginfo]byte
	for {
		_, _, errno := syscall.Syscall6(syscall.SYS_WAITID, pPID, uintptr(pid), uintptr(unsafe.Pointer(&info[0])), exited|nowait, 0, 0)
		if !errors.Is(errno, syscall.EINTR) {
			return
		}
	}
}

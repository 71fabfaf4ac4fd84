package wire

import (
	"errors"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// holdThread keeps the calling goroutine on its thread until the returned function is called. PDEATHSIG is sent when the
// thread that forked ends, not when the process does, and the runtime ends a thread whose locked goroutine returns. So the
// goroutine that starts a child stays locked to one thread until the child is reaped.
func holdThread() func() {
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}

// attributes of a child: a group of its own, and SIGKILL when this program dies without having ended it.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

func awaitExit(pid int) {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

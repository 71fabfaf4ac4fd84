//go:build unix

package wire

import (
	"os"
	"os/exec"
	"sync/atomic"
	"syscall"
)

// group is a process group, which its first process leads.
type group struct {
	leader atomic.Int64
	gone   atomic.Bool // reaped: the number may belong to somebody else
}

func (g *group) start(cmd *exec.Cmd) error {
	cmd.SysProcAttr = attributes()
	if err := cmd.Start(); err != nil {
		return err
	}
	g.leader.Store(int64(cmd.Process.Pid))
	return nil
}

func (g *group) pid() int { return int(g.leader.Load()) }

// await blocks until the leader has ended, and leaves it unreaped.
func (g *group) await(cmd *exec.Cmd) { awaitExit(cmd.Process.Pid) }

func (g *group) terminate() { g.signal(syscall.SIGTERM) }
func (g *group) kill()      { g.signal(syscall.SIGKILL) }

// signal sends to the whole group. ESRCH, nobody there, is what is wanted.
func (g *group) signal(s syscall.Signal) {
	if !g.gone.Load() {
		_ = syscall.Kill(-g.pid(), s)
	}
}

func (g *group) close() { g.gone.Store(true) }

// exitOf tells status and signal apart.
func exitOf(state *os.ProcessState, _ error) (code int, signal string) {
	if state == nil {
		return -1, ""
	}
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return -1, status.Signal().String()
	}
	return state.ExitCode(), ""
}

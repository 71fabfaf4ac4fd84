package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// Sweeps says whether Sweep can find anything on this system.
const Sweeps = true

// Sweep ends the processes that an earlier run of this program started and could not end because it was killed. It leaves
// alone what belongs to a program that still runs, and what made a session of its own (setsid): that left on purpose, such as a
// browser that a server opened.
//
// A direct child dies with this program (PDEATHSIG), so that mostly grandchildren are found. On Windows the job object does
// all that. On macOS a server sees the end of its stdin and nothing more is done.
func Sweep() error {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return fmt.Errorf("list processes: %w", err)
	}
	var errs []error
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		if !orphaned(pid) {
			continue
		}
		// The handle is opened first and the question asked again: between the two the number may have changed hands.
		process, err := os.FindProcess(pid)
		if err != nil || !orphaned(pid) {
			continue
		}
		if err := process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			errs = append(errs, fmt.Errorf("end process %d, which an earlier run left behind: %w", pid, err))
		}
		_ = process.Release()
	}
	return errors.Join(errs...)
}

// orphaned reports whether a process carries the mark of an owner that is gone. Processes of other users cannot be read.
func orphaned(pid int) bool {
	env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil {
		return false
	}
	for entry := range bytes.SplitSeq(env, []byte{0}) {
		mark, ok := strings.CutPrefix(string(entry), ownerKey+"=")
		if !ok {
			continue
		}
		owner, session, ok := parseMark(mark)
		if !ok {
			return false
		}
		own, err := statOf(pid)
		return err == nil && own.session == session && !owner.runs()
	}
	return false
}

// procStat is what identifies a process: its number and the moment of its start, in ticks since the machine booted.
type procStat struct {
	pid, session int
	started      string
	dead         bool // a zombie: it has ended, and nobody has asked how
}

func (p procStat) runs() bool {
	now, err := statOf(p.pid)
	// Unreadable counts as running: when in doubt nothing is ended.
	return err == nil && now.started == p.started && !now.dead || err != nil && !errors.Is(err, fs.ErrNotExist)
}

// statOf reads /proc/PID/stat, see proc(5). The name in it may contain anything, so that counting begins behind it.
func statOf(pid int) (procStat, error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return procStat{}, err
	}
	fields := strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:]))
	const state, session, started = 0, 3, 19 // fields 3, 6 and 22 of the file
	if len(fields) <= started {
		return procStat{}, fmt.Errorf("/proc/%d/stat has %d fields", pid, len(fields))
	}
	sid, err := strconv.Atoi(fields[session])
	if err != nil {
		return procStat{}, err
	}
	return procStat{pid: pid, session: sid, started: fields[started], dead: fields[state] == "Z" || fields[state] == "X"}, nil
}

// ownMark tells this process: its number, start and session. No process outlives a boot, so that the boot need not be in it.
func ownMark() string {
	own, err := statOf(os.Getpid())
	if err != nil {
		return "" // without /proc there is nothing that Sweep could read either
	}
	return fmt.Sprintf("%d.%s.%d", own.pid, own.started, own.session)
}

func parseMark(mark string) (owner procStat, session int, ok bool) {
	parts := strings.Split(mark, ".")
	if len(parts) != 3 {
		return procStat{}, 0, false
	}
	pid, err1 := strconv.Atoi(parts[0])
	session, err2 := strconv.Atoi(parts[2])
	return procStat{pid: pid, started: parts[1]}, session, err1 == nil && err2 == nil
}

package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"jackfield/app/browser"
	"jackfield/backend/mcp"
	"jackfield/backend/store"
)

const (
	windowProgram = "jackfield-desktop"
	// settling is how long the window's program is watched: one that cannot open its window ends within it.
	settling = 700 * time.Millisecond
)

// openWindow starts the program of the window and leaves it running.
func (p *program) openWindow(ctx context.Context, l line) error {
	if l.dashed || len(l.args) > 0 {
		return usage("See `jackfield help`.", "Which command?")
	}
	path, err := findWindow()
	if err != nil {
		return err
	}
	command := exec.Command(path)
	command.Env = os.Environ()
	if p.dataDir != "" {
		absolute, err := filepath.Abs(p.dataDir)
		if err != nil {
			return usage("", "--data-dir: %v.", err)
		}
		command.Env = append(command.Env, "JACKFIELD_DATA_DIR="+absolute)
	}
	browser.Detach(command)
	if err := command.Start(); err != nil {
		return windowError(err, "%s cannot be started: %v.", path, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }() // ends with the window's program or with this one
	timer := time.NewTimer(settling)
	defer timer.Stop()
	select {
	case err := <-ended:
		if err != nil {
			return windowError(err, "%s ended at once: %v.", path, err)
		}
	case <-timer.C:
	case <-ctx.Done():
	}
	return nil
}

// findWindow looks beside this program first: both are installed together.
func findWindow() (string, error) {
	name := windowProgram
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if self, err := os.Executable(); err == nil {
		if resolved, err := filepath.EvalSymlinks(self); err == nil {
			self = resolved
		}
		beside := filepath.Join(filepath.Dir(self), name)
		if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() {
			return beside, nil
		}
	}
	path, err := exec.LookPath(windowProgram)
	if err != nil {
		return "", windowError(err, "The window's program, %s, is neither beside this one nor on PATH.", windowProgram)
	}
	return path, nil
}

func windowError(cause error, format string, args ...any) error {
	return &mcp.Error{Failure: store.Failure{
		Code: mcp.CodeNotFound, Message: fmt.Sprintf(format, args...),
		Hint: "Install the desktop package, or use the commands: see `jackfield help`.",
	}, Cause: cause}
}

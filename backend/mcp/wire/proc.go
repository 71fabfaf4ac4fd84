package wire

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"time"
)

const (
	stderrLines = 200
	stderrLine  = 4 << 10
	lastGasp    = 250 * time.Millisecond // for output that is still on its way when the process has ended
)

// process is one running command in a process group (a job on Windows) of its own.
//
// Two goroutines belong to it: one starts it, waits for it, ends its group and reaps it; one reads its stderr. Both are
// over when done is closed.
type process struct {
	command       Command
	stdin, stdout *os.File // our ends
	group         group
	done          chan struct{} // reaped, and nothing of its group left
	drained       chan struct{} // stderr read to its end

	mu     sync.Mutex
	lines  [][]byte // the last lines of stderr
	exited bool
	exit   ExitError
}

// spawn starts a command. stderr gets each line of it.
func spawn(command Command, stderr func(line []byte)) (*process, error) {
	childIn, stdin, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe: %w", err)
	}
	stdout, childOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("make a pipe: %w", err), childIn.Close(), stdin.Close())
	}
	errIn, childErr, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("make a pipe: %w", err), childIn.Close(), stdin.Close(), stdout.Close(), childOut.Close())
	}
	p := &process{command: command, stdin: stdin, stdout: stdout, done: make(chan struct{}), drained: make(chan struct{})}
	cmd := &exec.Cmd{
		Path: command.Path, Args: append([]string{command.Path}, command.Args...), Env: marked(command.Env), Dir: command.Dir,
		// Files, not readers and writers: exec then needs no goroutines of its own, and a grandchild that holds the other end
		// cannot delay Wait.
		Stdin: childIn, Stdout: childOut, Stderr: childErr,
	}
	started := make(chan error, 1)
	go p.attend(cmd, errIn, started)
	err = <-started
	closing := errors.Join(childIn.Close(), childOut.Close(), childErr.Close())
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", command.Path, err), closing, stdin.Close(), stdout.Close(), errIn.Close())
	}
	go p.drain(errIn, stderr)
	return p, nil
}

// attend starts the process, waits for its end, ends what is left of its group, and reaps it, in this order: until it is
// reaped, its number and that of its group cannot belong to anybody else.
func (p *process) attend(cmd *exec.Cmd, errIn *os.File, started chan<- error) {
	release := holdThread()
	defer release()
	if err := p.group.start(cmd); err != nil {
		started <- err
		return
	}
	started <- nil
	p.group.await(cmd)
	p.group.kill()
	err := cmd.Wait()
	p.group.close()

	p.mu.Lock()
	p.exit.Code, p.exit.Signal = exitOf(cmd.ProcessState, err)
	p.exited = true
	p.mu.Unlock()
	// A grandchild that left the group may hold the other ends open for ever. Where deadlines are not supported (Windows) the
	// job has ended it.
	soon := time.Now().Add(lastGasp)
	_ = p.stdout.SetReadDeadline(soon)
	_ = errIn.SetReadDeadline(soon)
	close(p.done)
}

// drain reads stderr to its end: a full pipe would block the process.
func (p *process) drain(errIn *os.File, stderr func(line []byte)) {
	defer close(p.drained)
	defer errIn.Close()
	var line []byte
	flush := func() {
		if len(line) == 0 {
			return
		}
		kept := bytes.Clone(bytes.TrimRight(line, "\r"))
		line = line[:0]
		p.mu.Lock()
		p.lines = append(p.lines, kept)
		if len(p.lines) > stderrLines {
			p.lines = append(p.lines[:0], p.lines[1:]...)
		}
		p.mu.Unlock()
		stderr(kept)
	}
	buf := make([]byte, 16<<10)
	for {
		n, err := errIn.Read(buf)
		for rest := buf[:n]; len(rest) > 0; {
			part, after, ended := bytes.Cut(rest, []byte("\n"))
			line = append(line, part[:min(len(part), stderrLine-len(line))]...)
			if ended {
				flush()
			}
			rest = after
		}
		if err != nil {
			flush()
			return
		}
	}
}

func (p *process) hasExited() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.exited
}

// tail returns the last lines of stderr.
func (p *process) tail() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	lines := make([]string, len(p.lines))
	for i, line := range p.lines {
		lines[i] = string(bytes.ToValidUTF8(line, []byte("\uFFFD")))
	}
	return lines
}

// cause says why the output of the process ended. It waits a moment for the process to follow its output.
func (p *process) cause() *ExitError {
	wait(p.done, 2*lastGasp)
	wait(p.drained, lastGasp)
	p.mu.Lock()
	exit := p.exit
	exit.Closed = !p.exited
	p.mu.Unlock()
	exit.Stderr = p.tail()
	return &exit
}

// stop ends the process and its group: it closes stdin, which the specification asks a server to take as the end, then
// asks with a signal, then kills; grace passes between the steps.
func (p *process) stop(grace time.Duration) error {
	_ = p.stdin.Close() // it may be closed already
	if !wait(p.done, grace) {
		p.group.terminate()
		if !wait(p.done, grace) {
			p.group.kill()
		}
	}
	return p.finish()
}

// kill ends the process and its group at once.
func (p *process) kill() error {
	_ = p.stdin.Close()
	p.group.kill()
	return p.finish()
}

// finish waits for what was killed and closes the pipes.
func (p *process) finish() error {
	if !wait(p.done, 5*time.Second) {
		return fmt.Errorf("process %d does not end, although it was killed", p.group.pid())
	}
	<-p.drained // bounded: the process is gone and the read has a deadline
	_ = p.stdout.Close()
	return nil
}

// wait reports whether done was closed within d.
func wait(done <-chan struct{}, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}

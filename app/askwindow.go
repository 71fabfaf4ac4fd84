package app

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"sync"
	"time"

	"jackfield/app/api"
)

const (
	// windowGrace is how long a prompt window has to close by itself before it is killed.
	windowGrace = 2 * time.Second
	// maxAnswer bounds one answer; a form with a file in it can be large.
	maxAnswer = 16 << 20
)

// askWindow is one prompt window: a child process. Its goroutines end with the process.
type askWindow struct {
	command *exec.Cmd
	stdin   io.WriteCloser
	writing sync.Mutex    // one line at a time
	answers chan struct{} // held while an answer is on its way, until its reply was written
	log     *slog.Logger
	done    chan struct{} // closed when the process has ended
}

// openWindow starts a prompt window. answer is called for each answer that the person gives, one at a time; its error goes back
// to the window, which then stays open. ended is called once, when the process is gone. Nothing here waits for the process.
func openWindow(argv []string, show api.AskWindow, answer func(api.Answer) error, ended func(), log *slog.Logger) (*askWindow, error) {
	command := exec.Command(argv[0], argv[1:]...)
	command.Stderr = os.Stderr
	stdin, err := command.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("opening a prompt window: %w", err)
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("opening a prompt window: %w", err)
	}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("opening a prompt window: %w", err)
	}
	w := &askWindow{command: command, stdin: stdin, answers: make(chan struct{}, 1), log: log, done: make(chan struct{})}
	read := make(chan struct{})
	w.writing.Lock() // nothing goes before the question
	go func() {
		defer close(read)
		w.write(show)
		w.writing.Unlock()
		w.read(stdout, answer)
	}()
	go func() {
		// Helpers of the web view inherit stdout and may live a moment longer, so the process is waited for, not the pipe.
		if _, err := command.Process.Wait(); err != nil {
			log.Warn("a prompt window was not waited for", "error", err)
		}
		w.hangUp()
		_ = stdout.Close() // ends the reader; the pipe may be closed already
		<-read
		close(w.done)
		ended()
	}()
	return w, nil
}

// read takes answers, one JSON document a line, and leaves out lines that are something else.
func (w *askWindow) read(stdout io.Reader, answer func(api.Answer) error) {
	scanner := bufio.NewScanner(stdout)
	scanner.Buffer(nil, maxAnswer)
	for scanner.Scan() {
		var given api.Answer
		if err := json.Unmarshal(scanner.Bytes(), &given); err != nil || given.Action == "" {
			w.log.Warn("a prompt window wrote something that is no answer", "bytes", len(scanner.Bytes()))
			continue
		}
		w.answers <- struct{}{}
		said := reply{Accepted: true}
		if err := answer(given); err != nil {
			failure := api.FailureOf(err)
			said = reply{Failure: &failure}
		}
		w.writing.Lock()
		w.write(said)
		w.writing.Unlock()
		<-w.answers
	}
	if err := scanner.Err(); err != nil && !errors.Is(err, os.ErrClosed) {
		w.log.Warn("a prompt window was not read to its end", "error", err)
		w.hangUp() // it can not answer any more
	}
}

// write sends one line; the caller holds writing. That a window is gone is reported by the process.
func (w *askWindow) write(value any) {
	if err := json.NewEncoder(w.stdin).Encode(value); err != nil {
		w.log.Debug("a prompt window did not read", "error", err)
	}
}

// raise brings the window to the front. One that is busy being opened comes to the front by itself.
func (w *askWindow) raise() {
	if w.writing.TryLock() {
		defer w.writing.Unlock()
		w.write(reply{Raise: true})
	}
}

// hangUp closes stdin, which closes the window.
func (w *askWindow) hangUp() {
	_ = w.stdin.Close() // it may be closed already, by either side
}

// close closes the window and waits until the process is gone. A window whose answer closed its ask hears of that first.
func (w *askWindow) close() {
	grace := time.After(windowGrace)
	select {
	case w.answers <- struct{}{}:
		<-w.answers
	case <-w.done:
	case <-grace:
	}
	w.hangUp()
	select {
	case <-w.done:
		return
	case <-grace:
	}
	if err := w.command.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		w.log.Warn("a prompt window was not ended", "error", err)
	}
	<-w.done
}

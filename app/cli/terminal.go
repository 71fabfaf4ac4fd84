package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"jackfield/backend/mcp"
)

// terminal is a conversation with the person, beside stdout and stderr, which may lead elsewhere. Reading takes a
// goroutine, since a question can go away while it waits; closing the terminal ends it.
type terminal struct {
	file  io.ReadWriteCloser
	lines chan string
	ended chan struct{}
}

// openTerminal returns nil without a person: when stdin is not a terminal.
func openTerminal(stdin *os.File) (*terminal, error) {
	if !term.IsTerminal(int(stdin.Fd())) {
		return nil, nil
	}
	file, err := openConsole()
	if err != nil {
		return nil, fmt.Errorf("opening the terminal: %w", err)
	}
	return newTerminal(file), nil
}

func newTerminal(file io.ReadWriteCloser) *terminal {
	t := &terminal{file: file, lines: make(chan string), ended: make(chan struct{})}
	go t.read()
	return t
}

func (t *terminal) read() {
	defer close(t.lines)
	reader := bufio.NewReader(t.file)
	for {
		line, err := reader.ReadString('\n')
		if err != nil {
			return
		}
		select {
		case t.lines <- strings.TrimRight(line, "\r\n"):
		case <-t.ended:
			return
		}
	}
}

// close gives the terminal back. What was typed and not read is lost.
func (t *terminal) close() {
	close(t.ended)
	if err := t.file.Close(); err != nil {
		t.say("closing the terminal: %v", err)
	}
}

// say prints a line. Text of servers is escaped. A terminal that cannot be written to has no one to tell it.
func (t *terminal) say(format string, args ...any) {
	_, _ = fmt.Fprintln(t.file, visible(fmt.Sprintf(format, args...), true))
}

// ask reads one line.
func (t *terminal) ask(ctx context.Context, question string) (string, error) {
	_, _ = fmt.Fprint(t.file, visible(question, true))
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case line, ok := <-t.lines:
		if !ok {
			return "", io.EOF
		}
		return line, nil
	}
}

// choose asks for one of the three actions.
func (t *terminal) choose(ctx context.Context, question string) (mcp.AskAction, error) {
	for {
		line, err := t.ask(ctx, question)
		if err != nil {
			return "", err
		}
		switch strings.ToLower(strings.TrimSpace(line)) {
		case "a", "accept", "o", "open", "y", "yes":
			return mcp.ActionAccept, nil
		case "d", "decline", "n", "no":
			return mcp.ActionDecline, nil
		case "c", "cancel":
			return mcp.ActionCancel, nil
		}
	}
}

// fill asks for one field until it fits or is left out.
func (t *terminal) fill(ctx context.Context, f field, values *object) error {
	for i, option := range f.options {
		t.say("  %d) %s", i+1, option.label)
	}
	for {
		line, err := t.ask(ctx, f.question())
		if err != nil {
			return err
		}
		value, err := f.parse(line)
		if errors.Is(err, errLeftOut) {
			values.remove(f.name)
			return nil
		}
		if err != nil {
			t.say("  %s", sentence(err.Error()))
			continue
		}
		values.set(f.name, value)
		return nil
	}
}

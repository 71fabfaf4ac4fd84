package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"golang.org/x/term"

	"jackfield/backend/mcp"
)

// style of a piece of human output.
type style int

const (
	stylePlain style = iota
	styleDim
	styleBold
	styleGood
	styleBusy
	styleBad
)

// painter colours a text, or leaves it as it is.
type painter func(style, string) string

func noPaint(_ style, text string) string { return text }

func paint(s style, text string) string {
	codes := [...]string{"", "2", "1", "32", "33", "31"}
	if s == stylePlain || text == "" {
		return text
	}
	return "\x1b[" + codes[s] + "m" + text + "\x1b[0m"
}

// output is where a command writes. Only what the person asked for goes to out.
type output struct {
	out, err io.Writer
	json     bool
	quiet    bool
	terminal bool // out is a terminal
	width    int  // of that terminal, 0 if there is none
	paint    painter
	errPaint painter
	// errTerminal: err is a terminal, errWidth cells wide.
	errTerminal bool
	errWidth    int
	gone        func() // told when nobody reads out any more
}

func newOutput(stdout, stderr *os.File) *output {
	o := &output{out: stdout, err: stderr, paint: noPaint, errPaint: noPaint, gone: func() {}}
	if term.IsTerminal(int(stdout.Fd())) {
		o.terminal = true
		if width, _, err := term.GetSize(int(stdout.Fd())); err == nil {
			o.width = width
		}
		if colourful(stdout) {
			o.paint = paint
		}
	}
	if term.IsTerminal(int(stderr.Fd())) {
		o.errTerminal = true
		if width, _, err := term.GetSize(int(stderr.Fd())); err == nil {
			o.errWidth = width
		}
		if colourful(stderr) {
			o.errPaint = paint
		}
	}
	return o
}

// colourful follows no-color.org: NO_COLOR with any value but the empty one turns colour off.
func colourful(file *os.File) bool {
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && enableColour(file)
}

// write writes to out. A reader that went away, as `head` does, ends the run quietly.
func (o *output) write(p []byte) error {
	_, err := o.out.Write(p)
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) {
		o.gone()
		return errPipe
	}
	if err != nil {
		return fmt.Errorf("writing the output: %w", err)
	}
	return nil
}

// Write makes an output an io.Writer for stdout.
func (o *output) Write(p []byte) (int, error) {
	if err := o.write(p); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (o *output) printf(format string, args ...any) error {
	return o.write(fmt.Appendf(nil, format, args...))
}

// document prints one JSON document on one line. Raw parts keep their digits and are not escaped for HTML.
func (o *output) document(value any) error {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return fmt.Errorf("encoding the output: %w", err)
	}
	document := b.Bytes()
	if o.terminal {
		document = visibleJSON(document)
	}
	return o.write(document)
}

// table prints rows on out.
func (o *output) table(t *table) error { return t.write(o, o.paint, o.width) }

// note tells the person something beside the result; --quiet leaves it out.
func (o *output) note(format string, args ...any) {
	if !o.quiet {
		o.complain(format, args...)
	}
}

// complain writes to stderr. There is nowhere left to report that stderr cannot be written.
func (o *output) complain(format string, args ...any) {
	text := strings.TrimRight(fmt.Sprintf(format, args...), "\n")
	_, _ = fmt.Fprintln(o.err, visible(text, true))
}

// problems lists what was worked around. With --json they are in the document already.
func (o *output) problems(list []mcp.Problem) {
	if o.json {
		return
	}
	for _, p := range list {
		o.note("problem with %s, %s: %s", p.ServerID, p.Subject, p.Message)
	}
}

// failure prints why a command failed: as a document with --json, else as sentences.
func (o *output) failure(failure *mcp.Error) {
	if o.json {
		if err := o.document(struct {
			Error *errorDoc `json:"error"`
		}{newError(failure)}); err != nil && !errors.Is(err, errPipe) {
			o.complain("jackfield: %v", err)
		}
		return
	}
	o.explain(failure)
}

// explain prints a failure for a person.
func (o *output) explain(failure *mcp.Error) {
	text := o.errPaint(styleBad, "jackfield:") + " " + visible(failure.Message, true)
	for _, field := range failure.Fields {
		text += "\n  " + visible(strings.TrimSpace(field.Pointer+" "+field.Message), false)
	}
	if len(failure.Stderr) > 0 {
		text += "\nIts last lines on stderr:"
		for _, line := range failure.Stderr {
			text += "\n  " + visible(line, false)
		}
	}
	if failure.Hint != "" {
		text += "\n" + visible(failure.Hint, true)
	}
	_, _ = fmt.Fprintln(o.err, text)
}

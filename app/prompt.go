package app

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
	"github.com/wailsapp/wails/v2/pkg/runtime"

	"jackfield/app/api"
	"jackfield/app/appearance"
	"jackfield/app/frames"
	"jackfield/backend/mcp"
)

// PromptArgument makes the desktop program a prompt window: a process of its own for one ask. Its first line on stdin is an
// api.AskWindow; each line that it writes to stdout is an api.Answer, and each further line on stdin is a reply. When stdin
// ends, so does the window: the main process is gone or needs it no more.
const PromptArgument = "--prompt"

const (
	promptWidth, promptHeight = 520, 560
	// promptPatience is how long a closing window waits for its Cancel to arrive.
	promptPatience = 2 * time.Second
)

// reply is what the main process says to a prompt window.
type reply struct {
	Accepted bool         `json:"accepted,omitempty"`
	Failure  *api.Failure `json:"failure,omitempty"`
	Raise    bool         `json:"raise,omitempty"`
}

// Prompt is the only thing bound to a prompt window: it shows one ask and takes one answer.
type Prompt struct {
	window api.AskWindow
	out    io.Writer
	quit   func() // closes the window
	raise  func()

	replies chan reply    // closed when the main process hangs up
	gone    chan struct{} // the same, for selects that must not take a reply
	mu      sync.Mutex    // one answer at a time
	done    bool          // an answer was accepted; guarded by mu
}

func newPrompt(window api.AskWindow, in *bufio.Reader, out io.Writer, quit, raise func()) *Prompt {
	p := &Prompt{
		window: window, out: out, quit: quit, raise: raise, replies: make(chan reply, 1), gone: make(chan struct{}),
	}
	go p.listen(in) // ends with stdin, which the main process always closes
	return p
}

func (p *Prompt) listen(in *bufio.Reader) {
	defer p.quit()
	defer close(p.gone)
	defer close(p.replies)
	decoder := json.NewDecoder(in)
	for {
		var r reply
		if err := decoder.Decode(&r); err != nil {
			return // the end, or nonsense: without a main process the form has no purpose
		}
		if r.Raise {
			p.raise()
			continue
		}
		p.replies <- r
	}
}

// Ask returns what the window shows.
func (p *Prompt) Ask() (api.AskWindow, error) { return p.window, nil }

// Answer hands the answer to the main process. A form that does not fit rejects with code invalid_answer and its fields;
// the window stays open.
func (p *Prompt) Answer(answer api.Answer) (err error) {
	defer func() {
		if x := recover(); x != nil {
			slog.Error("a bound method panicked", "method", "Answer", "panic", x, "stack", string(debug.Stack()))
			err = panicked(x)
		}
	}()
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.send(answer); err != nil {
		return err
	}
	p.done = true
	p.quit()
	return nil
}

var hungUp = api.Failure{
	Code: mcp.CodeClosed, Message: "Jackfield has quit, so nobody takes this answer any more.", Hint: "Close this window and start it again.",
}

// send writes one answer and waits for its reply.
func (p *Prompt) send(answer api.Answer) error {
	if err := json.NewEncoder(p.out).Encode(answer); err != nil {
		return &api.Reject{Failure: hungUp}
	}
	r, ok := <-p.replies
	switch {
	case !ok:
		return &api.Reject{Failure: hungUp}
	case r.Failure != nil:
		return &api.Reject{Failure: *r.Failure}
	}
	return nil
}

// closing runs before the window closes: without an answer that is Cancel.
func (p *Prompt) closing(context.Context) (prevent bool) {
	cancelled := make(chan struct{})
	go func() {
		defer close(cancelled)
		p.mu.Lock()
		defer p.mu.Unlock()
		if !p.done {
			if err := p.send(api.Answer{Action: string(mcp.ActionCancel)}); err != nil {
				slog.Warn("the window closes, but its cancel was not taken", "error", err)
			}
			p.done = true
		}
	}()
	select {
	case <-cancelled:
	case <-p.gone:
	case <-time.After(promptPatience):
	}
	return false
}

// RunPrompt is the whole life of a prompt window.
func RunPrompt(assets fs.FS, icon []byte) error {
	in := bufio.NewReader(os.Stdin)
	line, err := in.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("reading the question: %w", err)
	}
	var window api.AskWindow
	if err := json.Unmarshal(line, &window); err != nil {
		return fmt.Errorf("reading the question: %w", err)
	}
	// The answers have stdout to themselves; what libraries print goes to stderr.
	out := os.Stdout
	os.Stdout = os.Stderr

	started := newLater()
	prompt := newPrompt(window, in, out,
		func() {
			// A window that can not close must not outlive the main process.
			time.AfterFunc(promptPatience+time.Second, func() { os.Exit(0) })
			runtime.Quit(started.wait())
		},
		func() { raise(started.wait()) },
	)
	look := appearance.New(context.Background(), window.Theme)
	err = wails.Run(&options.App{
		Title: "Jackfield: " + windowTitle(window.Ask), Width: promptWidth, Height: promptHeight,
		MinWidth: 400, MinHeight: 320, AlwaysOnTop: true, StartHidden: true, BackgroundColour: background(look.Dark()),
		AssetServer: &assetserver.Options{Assets: pageFS{assets, "prompt.html"}, Middleware: frames.Protect},
		Logger:      wailsLog{slog.Default()},
		OnStartup: func(ctx context.Context) {
			frames.Guard()
			go look.Run(ctx) // as long as the window, which is this process
			started.set(ctx)
		},
		OnDomReady:    func(ctx context.Context) { raise(ctx); runtime.WindowCenter(ctx) },
		OnBeforeClose: prompt.closing,
		Bind:          []any{prompt},
		Linux:         linuxOptions(icon),
		Windows:       windowsOptions(window.Theme),
		Mac:           macOptions(window.Theme, nil),
	})
	if err != nil {
		return fmt.Errorf("opening the window: %w", err)
	}
	return nil
}

func windowTitle(ask api.Ask) string {
	if ask.ServerName == "" {
		return "a server asks"
	}
	return printable(ask.ServerName) + " asks"
}

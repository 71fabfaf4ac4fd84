package app

import (
	"context"
	"log/slog"
	"slices"
	"sync"

	"jackfield/app/api"
	"jackfield/backend/mcp"
)

// maxWindows bounds how many prompt windows open by themselves; each is a process with a web view.
const maxWindows = 3

// askWindows opens a window of its own for what servers ask, one at a time per server, in order. One goroutine, run, owns the
// state; the methods send it messages. Its windows have ended when run returns.
type askWindows struct {
	source source
	answer func(ctx context.Context, id string, answer api.Answer) error
	argv   []string // how to start a prompt window
	log    *slog.Logger

	messages chan func(*askState)
	stopped  chan struct{} // closed when no message is taken any more
	closing  sync.WaitGroup
}

// askState is what is known. It belongs to the goroutine of run.
type askState struct {
	open     []mcp.Ask // in the order in which they came
	windows  map[string]*askWindow
	left     map[string]bool // their windows ended without an answer: they wait in the inbox
	wanted   map[string]bool // the person asked for their windows
	settings api.Settings
}

func newAskWindows(s source, argv []string, log *slog.Logger, answer func(context.Context, string, api.Answer) error) *askWindows {
	return &askWindows{
		source: s, answer: answer, argv: argv, log: log, messages: make(chan func(*askState)), stopped: make(chan struct{}),
	}
}

// run opens and closes windows until ctx ends.
func (w *askWindows) run(ctx context.Context, settings api.Settings) {
	events, cancel := w.source.Subscribe()
	defer cancel()
	state := &askState{
		open: w.source.Snapshot().Asks, windows: map[string]*askWindow{}, left: map[string]bool{}, wanted: map[string]bool{},
		settings: settings,
	}
	for done := false; !done; {
		w.openDue(ctx, state)
		select {
		case event, ok := <-events:
			if !ok {
				done = true
			} else if event.Type == mcp.EventAsk && event.Ask != nil {
				w.changed(state, *event.Ask)
			}
		case message := <-w.messages:
			message(state)
		case <-ctx.Done():
			done = true
		}
	}
	close(w.stopped)
	for _, window := range state.windows {
		w.closing.Go(window.close)
	}
	w.closing.Wait()
}

// changed notes an ask that opened or closed.
func (w *askWindows) changed(state *askState, ask mcp.Ask) {
	at := slices.IndexFunc(state.open, func(a mcp.Ask) bool { return a.ID == ask.ID })
	switch {
	case !ask.Closed && at < 0:
		state.open = append(state.open, ask)
	case !ask.Closed:
		state.open[at] = ask
	default:
		if at >= 0 {
			state.open = slices.Delete(state.open, at, at+1)
		}
		delete(state.left, ask.ID)
		delete(state.wanted, ask.ID)
		if window := state.windows[ask.ID]; window != nil {
			w.closing.Go(window.close) // its end arrives as a message
		}
	}
}

// due lists the asks whose windows are to be opened now.
func due(state *askState) []mcp.Ask {
	busy := map[string]bool{}
	count := len(state.windows)
	for _, ask := range state.open {
		if state.windows[ask.ID] != nil {
			busy[ask.ServerID] = true
		}
	}
	var out []mcp.Ask
	for _, ask := range state.open {
		if state.windows[ask.ID] != nil {
			continue
		}
		byItself := state.settings.AskWindow == "window" && !state.left[ask.ID] && !busy[ask.ServerID] && count < maxWindows
		if byItself || state.wanted[ask.ID] {
			busy[ask.ServerID] = true
			count++
			out = append(out, ask)
		}
	}
	return out
}

// behind counts the asks of the same server that wait after this one.
func behind(open []mcp.Ask, ask mcp.Ask) int {
	count, passed := 0, false
	for _, other := range open {
		switch {
		case other.ID == ask.ID:
			passed = true
		case passed && other.ServerID == ask.ServerID:
			count++
		}
	}
	return count
}

func (w *askWindows) openDue(ctx context.Context, state *askState) {
	for _, ask := range due(state) {
		delete(state.wanted, ask.ID)
		show := api.AskWindow{Ask: api.AskOf(ask), Behind: behind(state.open, ask), Theme: state.settings.Theme}
		window, err := openWindow(w.argv, show,
			func(answer api.Answer) error { return w.answer(ctx, ask.ID, answer) },
			func() {
				w.send(func(state *askState) {
					delete(state.windows, ask.ID)
					// A crash is no answer: the ask goes back to the inbox. After an answer it closes and this is forgotten.
					state.left[ask.ID] = slices.ContainsFunc(state.open, func(a mcp.Ask) bool { return a.ID == ask.ID })
				})
			}, w.log)
		if err != nil {
			w.log.Error("a question stays in the inbox", "ask", ask.ID, "error", err)
			state.left[ask.ID] = true
			continue
		}
		state.windows[ask.ID] = window
	}
}

// send gives run a message, unless it has ended.
func (w *askWindows) send(message func(*askState)) bool {
	select {
	case w.messages <- message:
		return true
	case <-w.stopped:
		return false
	}
}

// show brings the window of an ask to the front, or opens it.
func (w *askWindows) show(ctx context.Context, id string) error {
	result := make(chan error, 1)
	sent := w.send(func(state *askState) {
		window := state.windows[id]
		switch {
		case window != nil:
			window.raise()
		case slices.ContainsFunc(state.open, func(a mcp.Ask) bool { return a.ID == id }):
			state.wanted[id] = true
		default:
			result <- mcp.ErrUnknownAsk
			return
		}
		result <- nil
	})
	if !sent {
		return mcp.ErrClosed
	}
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// setSettings applies to the windows that open from now on.
func (w *askWindows) setSettings(settings api.Settings) {
	w.send(func(state *askState) { state.settings = settings })
}

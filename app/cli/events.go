package cli

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"jackfield/backend/mcp"
	"jackfield/backend/store"
)

// listener hands the Manager's events on for the time of one command: questions to the asker, progress and log messages
// to the person.
type listener struct {
	program *program
	asker   *asker
	end     func() // ends the asker
	done    chan struct{}
	ended   sync.WaitGroup
	line    bool // a progress line stands on the terminal; owned by the goroutine
}

// listen starts it. Without an asker every question is declined.
func (p *program) listen(ctx context.Context, s *session, asker *asker) *listener {
	if asker == nil {
		asker = newAsker(p, s.Manager, nil)
	}
	events, unsubscribe := s.Manager.Subscribe()
	ctx, end := context.WithCancel(ctx)
	l := &listener{program: p, asker: asker, end: end, done: make(chan struct{})}
	l.ended.Go(func() {
		defer unsubscribe()
		l.run(events)
	})
	l.ended.Go(func() { asker.run(ctx) })
	return l
}

// stop ends it and waits for it.
func (l *listener) stop() {
	close(l.done)
	l.end()
	l.ended.Wait()
}

func (l *listener) run(events <-chan mcp.Event) {
	defer l.clear()
	for {
		select {
		case <-l.done:
			return
		case event, ok := <-events:
			if !ok {
				return
			}
			l.handle(event)
		}
	}
}

func (l *listener) handle(event mcp.Event) {
	switch event.Type {
	case mcp.EventAsk:
		l.clear()
		l.asker.notify(*event.Ask)
	case mcp.EventCall:
		l.progress(*event.Call)
	case mcp.EventLog:
		l.clear()
		l.program.out.note("%s %s: %s", event.ServerID, strings.TrimSpace(event.Log.Level+" "+event.Log.Logger), event.Log.Text)
	}
}

// progress shows the last progress of a call on one line of the terminal, which the next one replaces.
func (l *listener) progress(call mcp.Call) {
	out := l.program.out
	if out.quiet || !out.errTerminal || call.Progress == nil || call.Outcome != store.OutcomeRunning {
		return
	}
	text := fmt.Sprintf("%v", call.Progress.Progress)
	if call.Progress.Total > 0 {
		text = fmt.Sprintf("%v of %v", call.Progress.Progress, call.Progress.Total)
	}
	text = visible(strings.TrimSpace(text+" "+call.Progress.Message), false)
	l.line = true
	_, _ = fmt.Fprintf(out.err, "\r\x1b[K%s", shorten(text, max(out.errWidth-1, 20)))
}

func (l *listener) clear() {
	if l.line {
		l.line = false
		_, _ = fmt.Fprint(l.program.out.err, "\r\x1b[K")
	}
}

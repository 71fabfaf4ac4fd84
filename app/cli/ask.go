package cli

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"sync"

	"jackfield/app/browser"
	"jackfield/backend/mcp"
)

// answerer is the part of the Manager that the asker needs.
type answerer interface {
	Answer(ctx context.Context, id string, answer mcp.Answer) error
	Snapshot() mcp.Snapshot
}

// asker answers the questions of servers: from --answer in order, else on the terminal, else by declining. The Manager
// owns the questions; the asker looks at its open ones whenever one is told, one at a time.
type asker struct {
	out     *output
	manager answerer
	open    func() (*terminal, error)           // nil without a terminal
	browse  func(context.Context, string) error // opens a URL in the browser

	wake chan struct{} // a question came or went

	mu      sync.Mutex
	answers []mcp.Answer // not used yet
	wrong   error        // an --answer that did not fit
	current string       // the question on the terminal
	abandon func()       // gives it up

	seen   map[string]bool // questions that were handled; owned by run, as the terminal is
	screen *terminal       // opened for the first question, closed with the last: typing ahead is not lost
}

func newAsker(p *program, manager answerer, answers []mcp.Answer) *asker {
	return &asker{
		out: p.out, manager: manager, answers: answers, browse: browser.Open,
		open: func() (*terminal, error) { return openTerminal(p.stdin) },
		wake: make(chan struct{}, 1), seen: map[string]bool{},
	}
}

// parseAnswers reads --answer.
func parseAnswers(list []string) ([]mcp.Answer, error) {
	var answers []mcp.Answer
	for _, text := range list {
		action, content, hasContent := strings.Cut(text, "=")
		answer := mcp.Answer{Action: mcp.AskAction(action)}
		switch answer.Action {
		case mcp.ActionAccept:
			if hasContent {
				o, err := parseObject([]byte(content))
				if err != nil {
					return nil, usage("Write accept={\"name\":\"value\"}.", "--answer: %v.", err)
				}
				answer.Content = o.encode()
			}
		case mcp.ActionDecline, mcp.ActionCancel:
			if hasContent {
				return nil, usage("Only accept has content.", "--answer %s takes nothing.", action)
			}
		default:
			return nil, usage("It is accept=JSON, accept, decline or cancel.", "--answer %q does not exist.", action)
		}
		answers = append(answers, answer)
	}
	return answers, nil
}

// notify tells that a question came or went.
func (a *asker) notify(ask mcp.Ask) {
	a.mu.Lock()
	if ask.Closed && ask.ID == a.current {
		a.abandon()
	}
	a.mu.Unlock()
	select {
	case a.wake <- struct{}{}:
	default: // it looks again anyway
	}
}

// failure is the usage error of an --answer that did not fit what was asked.
func (a *asker) failure() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.wrong
}

// run answers until ctx ends; a question that is on the terminal then is given up.
func (a *asker) run(ctx context.Context) {
	defer func() {
		if a.screen != nil {
			a.screen.close()
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return
		case <-a.wake:
		}
		for ask, ok := a.next(); ok; ask, ok = a.next() {
			a.handle(ctx, ask)
		}
	}
}

// next is the oldest open question that was not handled yet.
func (a *asker) next() (mcp.Ask, bool) {
	for _, ask := range a.manager.Snapshot().Asks {
		if !ask.Closed && !a.seen[ask.ID] {
			a.seen[ask.ID] = true
			return ask, true
		}
	}
	return mcp.Ask{}, false
}

// handle answers one question. A question that went away meanwhile needs no answer.
func (a *asker) handle(ctx context.Context, ask mcp.Ask) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	a.mu.Lock()
	a.current, a.abandon = ask.ID, cancel
	a.mu.Unlock()
	defer func() {
		a.mu.Lock()
		a.current = ""
		a.mu.Unlock()
	}()
	err := a.answer(ctx, ask)
	if err != nil && !errors.Is(err, mcp.ErrUnknownAsk) && ctx.Err() == nil {
		a.out.complain("The question of %s could not be answered: %v", ask.ServerName, err)
	}
}

func (a *asker) answer(ctx context.Context, ask mcp.Ask) error {
	if answer, ok := a.prepared(); ok {
		return a.givePrepared(ctx, ask, answer)
	}
	if a.screen == nil {
		var err error
		if a.screen, err = a.open(); err != nil {
			a.out.note("The terminal cannot be used: %v", err)
		}
	}
	if a.screen == nil {
		a.out.note("%s asked: %s\nIt was declined, since there is no terminal; --answer gives an answer beforehand.", who(ask), ask.Message)
		return a.manager.Answer(ctx, ask.ID, mcp.Answer{Action: mcp.ActionDecline})
	}
	return a.converse(ctx, a.screen, ask)
}

func (a *asker) prepared() (mcp.Answer, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.answers) == 0 {
		return mcp.Answer{}, false
	}
	answer := a.answers[0]
	a.answers = a.answers[1:]
	return answer, true
}

// givePrepared gives an --answer. One that does not fit cancels the question, and the command fails as used wrongly.
func (a *asker) givePrepared(ctx context.Context, ask mcp.Ask, answer mcp.Answer) error {
	if ask.Mode == mcp.AskURL {
		if answer.Content != nil {
			return a.refuse(ctx, ask, usage("Use --answer accept.", "%s asks to open an address, which has no content.", who(ask)))
		}
		if answer.Action == mcp.ActionAccept {
			a.out.note("%s asks to open %s", who(ask), ask.URL)
		}
	} else if answer.Action == mcp.ActionAccept && answer.Content == nil {
		answer.Content = ask.Prefilled()
	}
	err := a.manager.Answer(ctx, ask.ID, answer)
	var failure *mcp.Error
	if errors.As(err, &failure) && failure.Code == mcp.CodeInvalidAnswer {
		return a.refuse(ctx, ask, failure)
	}
	return err
}

func (a *asker) refuse(ctx context.Context, ask mcp.Ask, failure error) error {
	a.mu.Lock()
	a.wrong = errors.Join(a.wrong, failure)
	a.mu.Unlock()
	return a.manager.Answer(ctx, ask.ID, mcp.Answer{Action: mcp.ActionCancel})
}

// who names the server that asks, and the tool if it is known.
func who(ask mcp.Ask) string {
	name := ask.ServerName
	if ask.Endpoint != "" && ask.Endpoint != name {
		name += " (" + ask.Endpoint + ")"
	}
	if ask.CallName != "" {
		name += ", " + ask.CallName + ","
	}
	return name
}

// converse asks on the terminal.
func (a *asker) converse(ctx context.Context, screen *terminal, ask mcp.Ask) error {
	screen.say("")
	screen.say("%s asks: %s", who(ask), ask.Message)
	give := func(answer mcp.Answer) error { return a.manager.Answer(ctx, ask.ID, answer) }
	if ask.Mode == mcp.AskURL {
		return a.converseURL(ctx, screen, ask, give)
	}
	for _, line := range samplingLines(ask.Sampling) {
		screen.say("  %s", line)
	}
	fields := parseForm(ask.Schema)
	for _, f := range fields {
		screen.say("  %s", f.describe())
	}
	action, err := screen.choose(ctx, "Accept, decline or cancel? [a/d/c] ")
	if err != nil || action != mcp.ActionAccept {
		return a.leave(ctx, screen, action, err, give)
	}
	values := object{}
	wanted := fields
	for {
		for _, f := range wanted {
			if err := screen.fill(ctx, f, &values); err != nil {
				return a.leave(ctx, screen, "", err, give)
			}
		}
		err := give(mcp.Answer{Action: mcp.ActionAccept, Content: values.encode()})
		var failure *mcp.Error
		if !errors.As(err, &failure) || failure.Code != mcp.CodeInvalidAnswer {
			return err
		}
		for _, wrong := range failure.Fields {
			screen.say("%s: %s", strings.TrimPrefix(wrong.Pointer, "/"), wrong.Message)
		}
		if len(failure.Fields) == 0 {
			screen.say("%s", failure.Message)
		}
		if wanted = concerned(fields, failure.Fields); len(wanted) == 0 {
			wanted = fields
		}
	}
}

func (a *asker) converseURL(ctx context.Context, screen *terminal, ask mcp.Ask, give func(mcp.Answer) error) error {
	host := ask.URL
	if parsed, err := url.Parse(ask.URL); err == nil {
		host = parsed.Host
	}
	screen.say("It wants you to open an address at %s:\n  %s", host, ask.URL)
	if _, err := browser.Check(ask.URL); err != nil {
		screen.say("%s", sentence(err.Error()))
		return give(mcp.Answer{Action: mcp.ActionDecline})
	}
	action, err := screen.choose(ctx, "Open it in the browser, decline or cancel? [o/d/c] ")
	if err != nil || action != mcp.ActionAccept {
		return a.leave(ctx, screen, action, err, give)
	}
	if err := a.browse(ctx, ask.URL); err != nil {
		screen.say("%s", sentence(err.Error()))
	}
	return give(mcp.Answer{Action: mcp.ActionAccept})
}

// leave gives an answer other than accept. The end of the terminal's input is the absence of an answer.
func (a *asker) leave(ctx context.Context, screen *terminal, action mcp.AskAction, err error, give func(mcp.Answer) error) error {
	if ctx.Err() != nil {
		screen.say("\nThe question was withdrawn.")
		return nil
	}
	if err != nil {
		screen.say("")
		action = mcp.ActionCancel
	}
	return give(mcp.Answer{Action: action})
}

// concerned are the fields that the errors are about.
func concerned(fields []field, wrong []mcp.FieldError) []field {
	var list []field
	for _, f := range fields {
		escaped := "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(f.name)
		for _, w := range wrong {
			if w.Pointer == escaped || strings.HasPrefix(w.Pointer, escaped+"/") {
				list = append(list, f)
				break
			}
		}
	}
	return list
}

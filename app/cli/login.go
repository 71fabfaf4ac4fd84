package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"jackfield/backend/mcp"
	"jackfield/backend/store"
)

// loginFlags of login.
type loginFlags struct {
	noBrowser bool
	yes       bool
	newClient bool
	redirect  string
}

func (p *program) loginCommand() *cobra.Command {
	var flags loginFlags
	command := &cobra.Command{
		Use:   "login ID",
		Short: "Sign in to a stored server with your browser",
		Long: `Signs in to a stored server: your browser opens the page of whoever signs you in, and comes back to this command over a
loopback address. With --no-browser the address is printed instead; what you end up at can be pasted on a terminal.`,
		Example: "  jackfield login docs\n  jackfield login docs --no-browser",
	}
	f := command.Flags()
	f.BoolVar(&flags.noBrowser, "no-browser", false, "print the address instead of opening it")
	f.BoolVar(&flags.yes, "yes", false, "go on although another host signs you in")
	f.BoolVar(&flags.newClient, "register", false, "register this program anew")
	f.StringVar(&flags.redirect, "redirect", "", "the way back from the browser: 127.0.0.1 or localhost")
	command.RunE = p.run(noDash(func(ctx context.Context, args []string) error {
		if len(args) != 1 {
			return usage("Write `jackfield login ID`.", "Which server?")
		}
		kinds := []store.RedirectKind{store.RedirectAuto, store.RedirectLoopback, store.RedirectLocalhost}
		if !slices.Contains(kinds, store.RedirectKind(flags.redirect)) {
			return usage("It is 127.0.0.1 or localhost.", "--redirect %q does not exist.", flags.redirect)
		}
		return p.with(ctx, false, func(s *session) error {
			id, err := s.find(ctx, args[0])
			if err != nil {
				return err
			}
			return p.login(ctx, s, id, flags)
		})
	}))
	return command
}

func (p *program) login(ctx context.Context, s *session, id string, flags loginFlags) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	terminal, err := openTerminal(p.stdin)
	if err != nil {
		return err
	}
	if terminal != nil {
		defer terminal.close()
	}
	events, stop := s.Manager.Subscribe()
	watching := make(chan struct{})
	watch := loginWatch{program: p, session: s, id: id, flags: flags, terminal: terminal, cancel: cancel, begun: time.Now()}
	go func() {
		defer close(watching)
		watch.run(ctx, events)
	}()
	err = s.Manager.SignIn(ctx, id, store.SignInOptions{
		NoBrowser: flags.noBrowser, NoScheme: true, NewClient: flags.newClient, Redirect: store.RedirectKind(flags.redirect),
	})
	stop()
	cancel(nil)
	<-watching
	if watch.refused != nil {
		err = watch.refused
	}
	if err == nil {
		if status := s.Store.Vault().Status(); !status.Keeps() {
			p.out.note("%s %s", status.Detail, status.Hint)
		}
	}
	done := ""
	if err == nil {
		done = "Signed in to " + id
	}
	return p.reportServer(ctx, s, id, done, true, err)
}

// loginWatch tells the person how a sign-in goes, and hands on what the person says.
type loginWatch struct {
	program  *program
	session  *session
	id       string
	flags    loginFlags
	terminal *terminal
	cancel   context.CancelCauseFunc
	begun    time.Time
	refused  error // why it was given up here; read when run has returned

	told string // of the last row
	url  string
}

func (w *loginWatch) run(ctx context.Context, events <-chan mcp.Event) {
	var typed <-chan string
	if w.terminal != nil {
		typed = w.terminal.lines
	}
	for {
		select {
		case event, ok := <-events:
			if !ok {
				return
			}
			if event.Type == mcp.EventServer && event.ServerID == w.id && event.Server.SignIn != nil {
				w.row(*event.Server.SignIn)
			}
		case line, ok := <-typed:
			if !ok {
				typed = nil
				continue
			}
			w.typed(line)
		case <-ctx.Done():
			return
		}
	}
}

// row tells what is new in a row.
func (w *loginWatch) row(row store.SignIn) {
	if row.StartedAt.Before(w.begun) {
		return // of an earlier attempt
	}
	out := w.program.out
	if row.Detail != w.told {
		w.told = row.Detail
		out.note("%s.", strings.TrimSuffix(row.Detail, "."))
		switch row.State {
		case store.SignInConfirm:
			w.confirm()
		case store.SignInClient:
			w.giveUp(usage(fmt.Sprintf("Register a client there with the redirect %s, and store its ID: jackfield edit %s --client-id ID", row.RedirectURI, w.id),
				"The authorization server registers no programs by itself."))
		}
	}
	if row.State == store.SignInWaiting && row.URL != w.url {
		w.url = row.URL
		if !row.Opened {
			out.note("Open this address in a browser:\n%s", row.URL)
		}
		if w.terminal != nil {
			out.note("If the browser does not come back, paste here the address that it ended up at. Until %s.", row.Deadline.Local().Format(time.TimeOnly))
		}
	}
}

func (w *loginWatch) confirm() {
	switch {
	case w.flags.yes:
		w.say(store.SignInInput{Confirm: true})
	case w.terminal != nil:
		w.terminal.say("Go on? Type yes.")
	default:
		w.giveUp(&mcp.Error{Failure: store.Failure{
			Code: mcp.CodeSignIn, Message: w.told + ", which is another host.", Hint: "If you expect that, run it again with --yes.",
		}})
	}
}

// typed is a line of the person's: an agreement, or an address.
func (w *loginWatch) typed(line string) {
	line = strings.TrimSpace(line)
	switch {
	case line == "":
	case strings.EqualFold(line, "yes"):
		w.say(store.SignInInput{Confirm: true})
	case strings.EqualFold(line, "no"):
		w.cancel(errInterrupted)
	default:
		w.say(store.SignInInput{Address: line})
	}
}

func (w *loginWatch) say(input store.SignInInput) {
	if err := w.session.Manager.SignInInput(w.id, input); err != nil {
		w.program.out.note("%v", err)
	}
}

func (w *loginWatch) giveUp(err error) {
	w.refused = err
	w.cancel(err)
}

func (p *program) logoutCommand() *cobra.Command {
	return &cobra.Command{
		Use: "logout ID", Short: "Sign out of a stored server: revoke and delete its tokens",
		RunE: p.run(noDash(func(ctx context.Context, args []string) error {
			if len(args) != 1 {
				return usage("Write `jackfield logout ID`.", "Which server?")
			}
			return p.with(ctx, false, func(s *session) error {
				id, err := s.find(ctx, args[0])
				if err != nil {
					return err
				}
				err = s.Manager.SignOut(ctx, id)
				var known *mcp.Error
				if err != nil && !errors.As(err, &known) {
					return err
				}
				return p.reportServer(ctx, s, id, "Signed out of "+id, false, err)
			})
		})),
	}
}

package app

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"

	"jackfield/app/api"
	"jackfield/app/link"
	"jackfield/app/scheme"
)

// linksKey is the setting that remembers whether this program is registered for links.
const linksKey = "desktop.links"

// links is what this program has to do with jackfield: links.
type links struct {
	registrar *scheme.Registrar
	// usual: this program works on the data directory that a start without arguments works on, as that of a link is. Otherwise links
	// reach another instance.
	usual bool
}

func newLinks(program string, usual bool) *links {
	return &links{registrar: scheme.New(program), usual: usual}
}

// sameDir compares two directories that may not exist yet.
func sameDir(a, b string) bool {
	if a == b {
		return true
	}
	absoluteA, errA := filepath.Abs(a)
	absoluteB, errB := filepath.Abs(b)
	return errA == nil && errB == nil && absoluteA == absoluteB
}

// state is what the settings show.
func (l *links) state(ctx context.Context) (api.Scheme, error) {
	state, err := l.registrar.State(ctx)
	if err != nil {
		return api.Scheme{}, err
	}
	if !l.usual {
		return api.Scheme{Detail: "This Jackfield was started with a data directory of its own; links open the usual one."}, nil
	}
	return api.Scheme{Registered: state.Registered, Supported: state.Supported, Detail: state.Detail}, nil
}

// arrive says whether a link comes to this process, as of now. What cannot be found out is no.
func (l *links) arrive(ctx context.Context) bool {
	state, err := l.state(ctx)
	return err == nil && state.Registered
}

// launch registers at the first launch, and again after the program was moved.
func (l *links) launch(ctx context.Context, k keeper, log *slog.Logger) {
	if !l.usual {
		return
	}
	var wish scheme.Wish
	if err := load(ctx, k, linksKey, &wish); err != nil {
		log.Warn("the choice about links was not read", "error", err)
		return
	}
	after, err := l.registrar.Launch(ctx, wish)
	if err == nil && after != wish {
		err = save(ctx, k, linksKey, after)
	}
	if err != nil {
		log.Warn("registering for links", "error", err)
	}
}

// set does what the person says, and remembers it.
func (l *links) set(ctx context.Context, k keeper, on bool) (api.Scheme, error) {
	if !l.usual {
		return api.Scheme{}, usage("Links open the Jackfield with the usual data directory.", "Start Jackfield without --data-dir to change that.")
	}
	wish, change := scheme.Off, l.registrar.Unregister
	if on {
		wish, change = scheme.On, l.registrar.Register
	}
	if err := change(ctx); err != nil {
		return api.Scheme{}, err
	}
	if err := save(ctx, k, linksKey, wish); err != nil {
		return api.Scheme{}, fmt.Errorf("remembering the choice about links: %w", err)
	}
	return l.state(ctx)
}

// follow does what a link asks for. It says whether the person should see the window: not for a callback that nobody waits for, which
// anybody can send.
func (d *Desktop) follow(raw string) bool {
	parsed, err := link.Parse(raw)
	if err == nil && parsed.Action == link.Callback {
		err = d.backend.Manager.SignInCallback(raw)
		if err != nil {
			d.log.Info("a sign-in link was ignored", "reason", link.Reason(err))
		}
		return err == nil
	}
	if err != nil {
		d.log.Info("a link was refused", "reason", link.Reason(err))
		if link.Quiet(err) {
			return false
		}
		d.stream.propose(link.Failed(err))
		return true
	}
	d.stream.propose(parsed.Proposal)
	return true
}

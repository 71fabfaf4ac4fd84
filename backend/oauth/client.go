package oauth

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"jackfield/backend/egress"
	"jackfield/backend/store"
)

// Store is what is kept. *store.Store implements it.
type Store interface {
	Reveal(ctx context.Context, server store.Server) (store.Server, error)
	Grant(ctx context.Context, serverID string) (store.Grant, error)
	PutGrant(ctx context.Context, grant store.Grant) (store.Grant, error)
	DeleteGrant(ctx context.Context, serverID string) error
	Registrations(ctx context.Context, issuer, serverID string) ([]store.Registration, error)
	PutRegistration(ctx context.Context, r store.Registration) error
	DeleteRegistration(ctx context.Context, r store.Registration) error
	IssuerNote(ctx context.Context, issuer string) (store.IssuerNote, error)
	PutIssuerNote(ctx context.Context, note store.IssuerNote) error
	SignIn(ctx context.Context, serverID string) (store.SignIn, error)
	PutSignIn(ctx context.Context, signIn store.SignIn) error
	Lease(ctx context.Context, name string, ttl time.Duration) (*store.Lease, error)
}

// Options of a Client. Store is required.
type Options struct {
	Store       Store
	Open        func(ctx context.Context, url string) error // starts the system browser; nil: none, the person opens the URL
	Scheme      func(ctx context.Context) bool              // whether the system hands jackfield:// links to this program; nil: it does not
	ClientName  string                                      // as authorization servers show it
	Version     string                                      // software_version
	MetadataURL string                                      // of a Client ID Metadata Document for this program; "" for none
	Roots       func(egress.Policy) http.RoundTripper       // the innermost transport; nil: egress.NewTransport
	Patience    time.Duration                               // for the browser to come back; 0: 10 minutes
	Log         *slog.Logger                                // nil: none
}

// Client signs in. See the package comment.
type Client struct {
	options Options
	log     *slog.Logger
	work    sync.WaitGroup

	mu       sync.Mutex
	closed   bool
	attempts map[string]*running  // by server
	noted    map[string]challenge // the last one of each server
	renewals map[string]*renewal  // under way, by server
	armed    map[string]tripwire  // by server
	untold   map[string]*Required // why a grant ended, where nobody has been told yet; by server
}

// running is an attempt and the way to end it.
type running struct {
	*attempt
	cancel context.CancelCauseFunc
}

// New starts nothing.
func New(o Options) *Client {
	c := &Client{
		options: o, log: o.Log,
		attempts: map[string]*running{}, noted: map[string]challenge{}, renewals: map[string]*renewal{}, armed: map[string]tripwire{},
		untold: map[string]*Required{},
	}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	return c
}

func (c *Client) patience() time.Duration {
	if c.options.Patience > 0 {
		return c.options.Patience
	}
	return waitLimit
}

// Close ends every attempt and waits for it.
func (c *Client) Close() error {
	c.mu.Lock()
	c.closed = true
	for _, r := range c.attempts {
		r.cancel(errClosing)
	}
	c.mu.Unlock()
	c.work.Wait()
	return nil
}

// note remembers what a server answered to a request that it refused; noticed returns the last one.
func (c *Client) note(serverID string, ch challenge) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.noted[serverID] = ch
}

func (c *Client) noticed(serverID string) challenge {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.noted[serverID]
}

// SignIn does one attempt, from discovery to the stored grant, and calls report with the whole row at each change. A second attempt for
// the same server ends the first. It returns nil after the exchange; the step "connect" is the caller's.
func (c *Client) SignIn(ctx context.Context, server store.Server, o store.SignInOptions, report func(store.SignIn)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	revealed, err := c.options.Store.Reveal(ctx, server)
	if err != nil {
		return err
	}
	r := &running{newAttempt(c, revealed, o, report), cancel}
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return errClosing
	}
	if earlier := c.attempts[server.ID]; earlier != nil {
		earlier.cancel(errReplaced)
	}
	c.attempts[server.ID] = r
	c.work.Add(1)
	c.mu.Unlock()
	defer c.work.Done()
	defer func() {
		c.mu.Lock()
		if c.attempts[server.ID] == r {
			delete(c.attempts, server.ID)
		}
		c.mu.Unlock()
	}()
	err = r.run(ctx)
	if err != nil && ctx.Err() != nil { // a grant that is stored is stored, whatever ended the attempt then
		err = context.Cause(ctx)
	}
	r.finish(err)
	// The attempt is kept also when ctx is what ended it.
	kept, stop := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer stop()
	if stored := c.options.Store.PutSignIn(kept, r.snapshot()); stored != nil {
		c.log.Warn("the steps of a sign-in were not stored", "error", stored)
	}
	return err
}

// finish gives the row its last state. After a success, connecting is still to come.
func (a *attempt) finish(err error) {
	a.change(func(row *store.SignIn) {
		row.URL, row.Deadline = "", time.Time{}
		if err == nil {
			row.State, row.Detail = store.SignInDone, "Signed in"
			return
		}
		row.State, row.Detail = store.SignInFailed, "Sign-in failed"
		state := stepFailed
		if errors.Is(err, context.Canceled) || errors.Is(err, errReplaced) || errors.Is(err, errClosing) {
			row.State, row.Detail, state = store.SignInCancelled, "Sign-in cancelled", stepSkipped
		} else {
			row.Failure = describe(err)
		}
		for i := range row.Steps {
			s := &row.Steps[i]
			if s.State == stepWorking || s.Name == a.current && s.State == stepWaiting {
				s.State, s.Took = state, time.Since(s.StartedAt)
				if row.Failure != nil {
					s.Detail = row.Failure.Message
				}
			}
		}
	})
}

// Input is what the person says to the running attempt of a server.
func (c *Client) Input(serverID string, input store.SignInInput) error {
	c.mu.Lock()
	r := c.attempts[serverID]
	c.mu.Unlock()
	if r == nil {
		return errors.New("no sign-in of this server is under way")
	}
	if input.Address != "" {
		return r.paste(input.Address)
	}
	if !ready(r.snapshot().State, input) {
		return errNoWait
	}
	select {
	case r.inputs <- input:
		return nil
	case <-time.After(2 * time.Second):
		return errNoWait
	}
}

// paste takes the address at which the browser ended up, for a callback that never arrived.
func (a *attempt) paste(address string) error {
	a.mu.Lock()
	w := a.wait
	a.mu.Unlock()
	if w == nil {
		return errNoWait
	}
	r, err := parseCallback(strings.TrimSpace(address), w.redirect)
	if err != nil {
		return err
	}
	_, err = a.deliver(r, w.kind)
	return err
}

// Callback takes a jackfield://oauth/callback link. A link that belongs to no waiting attempt changes nothing; the error says why.
func (c *Client) Callback(link string) error {
	r, err := parseCallback(link, SchemeRedirect)
	if err != nil {
		return err
	}
	c.mu.Lock()
	all := make([]*running, 0, len(c.attempts))
	for _, one := range c.attempts {
		all = append(all, one)
	}
	c.mu.Unlock()
	for _, one := range all {
		if _, err = one.deliver(r, store.RedirectScheme); !errors.Is(err, errCallbackState) {
			return err
		}
	}
	return errCallbackState
}

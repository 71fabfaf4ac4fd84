package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"jackfield/backend/store"
	"jackfield/backend/store/vault"
)

// waitLimit is how long the browser may take.
const waitLimit = 10 * time.Minute

var (
	errReplaced  = errors.New("another sign-in was started")
	errClosing   = errors.New("the program is closing")
	errWaitLimit = errors.New("the browser did not come back in time")
	errNoWait    = errors.New("the sign-in does not wait for that now")
)

// attempt is one sign-in, from discovery to the stored grant. Its goroutine is the caller of SignIn; inputs and callbacks come from others.
type attempt struct {
	client  *Client
	server  store.Server // with its secrets
	options store.SignInOptions
	report  func(store.SignIn)
	inputs  chan store.SignInInput

	fetch *fetcher
	found authority
	note  store.IssuerNote
	grant store.Grant // of before, the zero one if there is none

	mu      sync.Mutex
	row     store.SignIn
	current string   // the step under way
	wait    *waiting // for the browser; nil when it is not
	taken   string   // the state that a response was taken for
	result  chan outcome
}

// waiting is one authorization request that is out.
type waiting struct {
	state, verifier string
	redirect        string
	kind            store.RedirectKind
	deadline        time.Time
	arrived         chan arrival  // has room for the one response that is taken
	empty           chan struct{} // has room for the news that the browser came back without an answer
}

// arrival is a response that belongs to the authorization request that is out.
type arrival struct {
	response response
	done     chan outcome
}

func newAttempt(c *Client, server store.Server, o store.SignInOptions, report func(store.SignIn)) *attempt {
	return &attempt{
		client: c, server: server, options: o, report: report,
		inputs: make(chan store.SignInInput),
		row: store.SignIn{
			ID: ulid.Make().String(), ServerID: server.ID, State: store.SignInWorking, StartedAt: time.Now(), Steps: newSteps(),
			Detail: "Finding who signs you in",
		},
		current: stepDiscover,
	}
}

func (a *attempt) run(ctx context.Context) error {
	if err := a.discover(ctx); err != nil {
		return err
	}
	defer func() { a.fetch.client.CloseIdleConnections() }()
	if a.server.SignIn.Mode == store.SignInClientCredentials {
		if a.server.SignIn.Issuer == "" {
			// The server chose this authorization server: the secret goes there only if the person agrees.
			if err := a.confirm(ctx); err != nil {
				return err
			}
		}
		return a.withoutPerson(ctx)
	}
	if err := a.confirm(ctx); err != nil {
		return err
	}
	return a.withBrowser(ctx)
}

func (a *attempt) discover(ctx context.Context) error {
	a.begin(stepDiscover, "Finding who signs you in")
	var err error
	a.fetch, _, err = a.client.fetcher(ctx, a.server, a.record)
	if err != nil {
		return err
	}
	a.found, err = a.fetch.discover(ctx, a.server, a.client.noticed(a.server.ID))
	if err != nil {
		return err
	}
	if a.note, err = a.client.options.Store.IssuerNote(ctx, a.found.Issuer); err != nil {
		return err
	}
	if a.grant, err = a.client.grantRow(ctx, a.server.ID); err != nil {
		return err
	}
	a.change(func(row *store.SignIn) { row.Issuer, row.Host = a.found.Issuer, hostOf(a.signInURL()) })
	detail := "resource metadata → " + hostOf(a.found.Issuer)
	if a.found.Legacy {
		detail = "no metadata; the server itself, as in MCP 2025-03-26"
	}
	a.end(stepDiscover, stepDone, detail)
	return nil
}

// confirm lets the person see that another host signs them in, unless they have agreed to this one before.
func (a *attempt) confirm(ctx context.Context) error {
	if hostname(a.signInURL()) == hostname(a.server.URL) || a.grant.Issuer == a.found.Issuer {
		return nil
	}
	last, err := a.client.options.Store.SignIn(ctx, a.server.ID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if last.State == store.SignInDone && last.Issuer == a.found.Issuer {
		return nil
	}
	host := hostOf(a.signInURL())
	a.change(func(row *store.SignIn) {
		row.State, row.Detail = store.SignInConfirm, fmt.Sprintf("%s will sign you in to %s", host, hostOf(a.server.URL))
	})
	for {
		input, err := a.input(ctx)
		if err != nil {
			return err
		}
		if input.Confirm {
			return nil
		}
	}
}

// signInURL is where the person, or the client by itself, signs in.
func (a *attempt) signInURL() string {
	if a.server.SignIn.Mode == store.SignInClientCredentials {
		return a.found.TokenEndpoint
	}
	return a.found.AuthorizationEndpoint
}

func (a *attempt) input(ctx context.Context) (store.SignInInput, error) {
	select {
	case input := <-a.inputs:
		return input, nil
	case <-ctx.Done():
		return store.SignInInput{}, context.Cause(ctx)
	}
}

// withBrowser tries one kind of redirect after the other.
func (a *attempt) withBrowser(ctx context.Context) error {
	pinned := a.server.SignIn.Redirect
	if a.options.Redirect != store.RedirectAuto {
		pinned = a.options.Redirect
	}
	scheme := pinned == store.RedirectScheme || !a.options.NoScheme && a.client.options.Scheme != nil && a.client.options.Scheme(ctx)
	kinds := redirectKinds(pinned, a.note, scheme)
	var refusals []string
	var last error
	for _, kind := range kinds {
		err := a.try(ctx, kind, a.options.NewClient)
		var refused *registrationError
		var turned *browserError
		switch {
		case errors.As(err, &turned):
			// Nobody knows why the browser shows an error. A stored registration that the other side has forgotten looks just like this.
			if turned.stored {
				err = a.try(ctx, kind, true)
			}
			if !errors.As(err, &turned) && !(errors.As(err, &refused) && refused.Redirect) {
				return err
			}
			refusals = append(refusals, redirectName(kind)+" led to an error in the browser")
		case errors.As(err, &refused) && refused.Redirect:
			refusals = append(refusals, redirectName(kind)+" refused")
		default:
			return err
		}
		last = err
		a.note = noteRefused(a.note, kind)
		if err := a.client.options.Store.PutIssuerNote(ctx, a.note); err != nil {
			return err
		}
		a.end(stepRegister, stepWorking, strings.Join(refusals, ", "))
	}
	var refused *registrationError
	if errors.As(last, &refused) {
		return a.byHand(ctx, kinds[len(kinds)-1], refused)
	}
	return &signInError{
		message: "The browser showed an error for every way back to Jackfield.",
		hint:    "Register a client at the authorization server by hand, enter its client ID for this server, and sign in again.",
	}
}

// browserError is what the person said: the browser shows an error, so no callback will come.
type browserError struct{ stored bool }

func (e *browserError) Error() string { return "the browser showed an error" }

// try does one authorization with one kind of redirect.
func (a *attempt) try(ctx context.Context, kind store.RedirectKind, anew bool) error {
	a.begin(stepRegister, "Registering this app")
	client, stored, way, err := a.register(ctx, kind, anew)
	defer way.close()
	var refused *registrationError
	if errors.As(err, &refused) && refused.Impossible {
		return a.byHand(ctx, kind, refused)
	}
	if err != nil {
		return err
	}
	detail := redirectName(kind) + " registered"
	switch {
	case client.Source == store.FromMetadata:
		detail = redirectName(kind) + ", by the metadata document of this app"
	case client.Source == store.FromPerson:
		detail = redirectName(kind) + ", with your client ID"
	case stored:
		detail = redirectName(kind) + ", registered before"
	}
	a.end(stepRegister, stepDone, detail)
	return a.authorize(ctx, kind, client, stored, way.redirect)
}

// way is how the browser comes back: a loopback listener, or this program's scheme.
type way struct {
	redirect string
	listener *listener
}

func (w way) close() {
	if w.listener != nil {
		w.listener.close()
	}
}

// open makes the way for a kind. It is there before anything is registered or opened, so that no browser ever comes back to nothing.
func (a *attempt) open(ctx context.Context, kind store.RedirectKind, port string) (way, error) {
	if kind == store.RedirectScheme {
		return way{redirect: SchemeRedirect}, nil
	}
	l, err := listen(ctx, kind, port)
	if err != nil {
		return way{}, err
	}
	l.deliver = func(r response) (<-chan outcome, error) { return a.deliver(r, kind) }
	return way{redirect: l.redirect, listener: l}, nil
}

// register returns the client to use with a kind of redirect: the stored one, or a new one.
func (a *attempt) register(ctx context.Context, kind store.RedirectKind, anew bool) (client store.Registration, stored bool, w way, err error) {
	if !anew {
		if client, w, stored, err = a.known(ctx, kind); stored || err != nil {
			return client, stored, w, err
		}
	}
	if w, err = a.open(ctx, kind, "0"); err != nil {
		return client, false, w, err
	}
	client, err = a.fetch.register(ctx, a.found, a.server, a.client.options.MetadataURL, kind, w.redirect)
	if err != nil {
		return client, false, w, err
	}
	return client, false, w, a.client.options.Store.PutRegistration(ctx, client)
}

// known returns what is registered already, if it can be used: not expired, of the person's own client if there is one, and with a redirect
// whose port is free. The port stays the same as long as it can, since not every authorization server accepts another one (RFC 8252
// section 7.3).
func (a *attempt) known(ctx context.Context, kind store.RedirectKind) (store.Registration, way, bool, error) {
	registrations, err := a.client.options.Store.Registrations(ctx, a.found.Issuer, a.server.ID)
	if err != nil {
		return store.Registration{}, way{}, false, err
	}
	for _, client := range registrations {
		expired := !client.SecretExpiresAt.IsZero() && client.SecretExpiresAt.Before(time.Now())
		foreign := a.server.ClientID != "" && client.ClientID != a.server.ClientID
		if client.Redirect != kind || expired || foreign {
			continue
		}
		if client.Source == store.FromMetadata && (client.ClientID != a.client.options.MetadataURL || !a.found.MetadataDocuments) {
			continue
		}
		if client.Source == store.FromPerson && a.server.ClientID != "" {
			// The person may have changed its secret or its way of authentication since.
			current, err := a.fetch.register(ctx, a.found, a.server, "", kind, client.RedirectURI)
			if err != nil {
				return client, way{}, false, err
			}
			client = current
		}
		w, err := a.open(ctx, kind, portOf(client.RedirectURI))
		if err == nil {
			return client, w, true, nil
		}
		if client.Source == store.FromDynamic {
			continue // the port is taken: a new registration has a new one
		}
		if w, err = a.open(ctx, kind, "0"); err != nil {
			return client, w, false, err
		}
		client.RedirectURI = w.redirect
		return client, w, true, nil
	}
	return store.Registration{}, way{}, false, nil
}

// byHand asks the person for a client ID, and shows the redirect to register. The port stays bound meanwhile, so that it is still free when
// the person comes back.
func (a *attempt) byHand(ctx context.Context, kind store.RedirectKind, why *registrationError) error {
	if a.server.ClientID != "" {
		return why // the person's own client is what was refused
	}
	w, err := a.open(ctx, kind, "0")
	if err != nil {
		return err
	}
	defer w.close()
	a.end(stepRegister, stepWorking, why.Error())
	a.change(func(row *store.SignIn) {
		row.State, row.Detail = store.SignInClient, "A client ID is needed"
		row.Redirect, row.RedirectURI = kind, w.redirect
	})
	for {
		input, err := a.input(ctx)
		if err != nil {
			return err
		}
		if strings.TrimSpace(input.ClientID) == "" {
			continue
		}
		own := a.server
		own.ClientID, own.SignIn.ClientSecret, own.SignIn.Issuer = strings.TrimSpace(input.ClientID), input.ClientSecret, a.found.Issuer
		client, err := a.fetch.register(ctx, a.found, own, "", kind, w.redirect)
		if err != nil {
			return err
		}
		if err := a.client.options.Store.PutRegistration(ctx, client); err != nil {
			return err
		}
		a.end(stepRegister, stepDone, redirectName(kind)+", with your client ID")
		return a.authorize(ctx, kind, client, true, w.redirect)
	}
}

// withoutPerson gets a grant by client credentials.
func (a *attempt) withoutPerson(ctx context.Context) error {
	a.begin(stepRegister, "Using your client ID")
	client, err := a.fetch.register(ctx, a.found, a.server, "", store.RedirectAuto, "")
	if err != nil {
		return err
	}
	a.end(stepRegister, stepDone, "your client ID")
	a.end(stepAuthorize, stepSkipped, "not needed: this client signs in by itself")
	a.begin(stepExchange, "Getting a token")
	scopes := requestScopes(a.found, a.client.noticed(a.server.ID), a.server.SignIn, a.earlierScopes())
	a.change(func(row *store.SignIn) { row.Scopes = scopes })
	got, err := a.fetch.token(ctx, a.found.TokenEndpoint, client, a.server.SignIn.PrivateKey, a.form(url.Values{"grant_type": {"client_credentials"}}, scopes))
	if err != nil {
		return err
	}
	return a.keep(ctx, client, got, scopes)
}

// earlierScopes is what was asked for before of the same authorization server. Another one may not even know the words.
func (a *attempt) earlierScopes() []string {
	if a.grant.Issuer != a.found.Issuer {
		return nil
	}
	return a.grant.ScopesRequested
}

// form adds what every request for a token has.
func (a *attempt) form(form url.Values, scopes []string) url.Values {
	if resource := a.resource(); resource != "" {
		form.Set("resource", resource)
	}
	if len(scopes) > 0 {
		form.Set("scope", strings.Join(scopes, " "))
	}
	return form
}

// resource is the value of RFC 8707, "" where the person switched it off.
func (a *attempt) resource() string {
	switch config := a.server.SignIn; {
	case config.OmitResource:
		return ""
	case config.Resource != "":
		return config.Resource
	}
	return a.found.Resource
}

// keep stores the grant, with what it took to get it.
func (a *attempt) keep(ctx context.Context, client store.Registration, got tokens, scopes []string) error {
	granted := got.Scopes
	if granted == nil {
		granted = scopes
	}
	grant := store.Grant{
		ServerID: a.server.ID, Resource: a.resource(), Issuer: a.found.Issuer,
		TokenEndpoint: a.found.TokenEndpoint, RevocationEndpoint: a.found.RevocationEndpoint,
		Redirect: client.Redirect, Registration: client, ScopesRequested: scopes, ScopesGranted: granted,
		AccessToken: got.Access, RefreshToken: got.Refresh, ExpiresAt: got.ExpiresAt,
	}
	for tries := 0; ; tries++ {
		before, err := a.client.grantRow(ctx, a.server.ID)
		if err != nil {
			return err
		}
		grant.Generation = before.Generation
		if _, err = a.client.options.Store.PutGrant(ctx, grant); !errors.Is(err, store.ErrConflict) || tries == 3 {
			if err != nil {
				return err
			}
			break
		}
	}
	a.client.takeUntold(a.server.ID)
	a.end(stepExchange, stepDone, scopeText(granted))
	if client.Redirect != store.RedirectAuto {
		return a.client.options.Store.PutIssuerNote(ctx, noteWon(a.note, client.Redirect))
	}
	return nil
}

func scopeText(scopes []string) string {
	if len(scopes) == 0 {
		return "no scopes named"
	}
	return inert(strings.Join(scopes, ", "), 300)
}

// grantRow is the grant of a server as far as it can be read; the zero one if there is none.
func (c *Client) grantRow(ctx context.Context, serverID string) (store.Grant, error) {
	grant, err := c.options.Store.Grant(ctx, serverID)
	var sealed *vault.SealedError
	switch {
	case errors.Is(err, store.ErrNotFound):
		return store.Grant{}, nil
	case errors.Is(err, vault.ErrNoSecret), errors.As(err, &sealed):
		return grant, nil
	}
	return grant, err
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return inert(u.Host, 200)
}

func hostname(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}

func portOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Port() == "" {
		return "0"
	}
	return u.Port()
}

// ready says whether an input makes sense in a state.
func ready(state store.SignInState, input store.SignInInput) bool {
	switch {
	case input.Confirm:
		return state == store.SignInConfirm
	case input.ClientID != "":
		return state == store.SignInClient
	}
	return state == store.SignInWaiting && (input.BrowserError || input.OpenAgain)
}

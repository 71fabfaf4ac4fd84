package oauth

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"jackfield/backend/oauth/oauthtest"
	"jackfield/backend/store"
)

// person signs in to a fake, with the real store.
type person struct {
	t      *testing.T
	fake   *oauthtest.Fake
	store  *store.Store
	client *Client
	server store.Server

	mu      sync.Mutex
	rows    []store.SignIn
	opened  []string
	landing []oauthtest.Landing
	pages   sync.WaitGroup
}

// newPerson has a browser that follows redirects, like one in which the person agrees to everything. browse replaces it.
func newPerson(t *testing.T, set func(*oauthtest.Switches), change ...func(*person, *Options)) *person {
	t.Helper()
	if set == nil {
		set = func(*oauthtest.Switches) {}
	}
	p := &person{t: t, fake: oauthtest.New(t, set)}
	var err error
	if p.store, err = store.Open(t.Context(), t.TempDir()); err != nil {
		t.Fatal(err)
	}
	p.server = store.Server{ID: "s", Name: "S", Transport: store.TransportStreamableHTTP, URL: p.fake.MCP}
	options := Options{Store: p.store, ClientName: "Jackfield", Version: "1", Open: p.browse}
	for _, c := range change {
		c(p, &options)
	}
	if err := p.store.PutServer(t.Context(), p.server); err != nil {
		t.Fatal(err)
	}
	p.client = New(options)
	t.Cleanup(func() {
		if err := errors.Join(p.client.Close(), p.store.Close()); err != nil {
			t.Error(err)
		}
		p.pages.Wait()
	})
	return p
}

func (p *person) browse(_ context.Context, address string) error {
	p.mu.Lock()
	p.opened = append(p.opened, address)
	p.mu.Unlock()
	p.pages.Go(func() {
		landing, err := oauthtest.Browse(context.Background(), address)
		if err != nil && landing.URL == "" {
			return
		}
		p.mu.Lock()
		p.landing = append(p.landing, landing)
		p.mu.Unlock()
		if strings.HasPrefix(landing.URL, "jackfield:") {
			_ = p.client.Callback(landing.URL)
		}
	})
	return nil
}

func (p *person) report(row store.SignIn) {
	p.mu.Lock()
	p.rows = append(p.rows, row)
	p.mu.Unlock()
}

func (p *person) last() store.SignIn {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.rows) == 0 {
		return store.SignIn{}
	}
	return p.rows[len(p.rows)-1]
}

func (p *person) signIn(o store.SignInOptions) error {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), 20*time.Second)
	defer cancel()
	err := p.client.SignIn(ctx, p.server, o, p.report)
	p.pages.Wait()
	return err
}

// begin signs in beside the test and returns what it ends with.
func (p *person) begin(o store.SignInOptions) <-chan error {
	done := make(chan error, 1)
	go func() { done <- p.client.SignIn(p.t.Context(), p.server, o, p.report) }()
	return done
}

func (p *person) until(state store.SignInState) store.SignIn {
	p.t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for time.Now().Before(deadline) {
		if row := p.last(); row.State == state {
			return row
		}
		time.Sleep(2 * time.Millisecond)
	}
	p.t.Fatalf("never %s: %+v", state, p.last())
	return store.SignIn{}
}

func (p *person) grant() store.Grant {
	p.t.Helper()
	grant, err := p.store.Grant(p.t.Context(), "s")
	if err != nil {
		p.t.Fatal(err)
	}
	return grant
}

// ask makes one request with the handler, as the wire does, and returns the status that comes out.
func (p *person) ask() (int, error) {
	h := p.client.Handler(p.server)
	send := func() (*http.Response, *http.Request, error) {
		request, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, p.fake.MCP, strings.NewReader(
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`))
		if err != nil {
			return nil, nil, err
		}
		request.Header.Set("Accept", "application/json, text/event-stream")
		request.Header.Set("Content-Type", "application/json")
		source, err := h.TokenSource(p.t.Context())
		if err != nil {
			return nil, nil, err
		}
		if source != nil {
			token, err := source.Token()
			if err != nil {
				return nil, nil, err
			}
			request.Header.Set("Authorization", "Bearer "+token.AccessToken)
		}
		transport := &http.Transport{DisableKeepAlives: true}
		response, err := transport.RoundTrip(request)
		return response, request, err
	}
	response, request, err := send()
	if err != nil {
		return 0, err
	}
	if response.StatusCode != http.StatusUnauthorized && response.StatusCode != http.StatusForbidden {
		return response.StatusCode, response.Body.Close()
	}
	if err := h.Authorize(p.t.Context(), request, response); err != nil {
		return response.StatusCode, err
	}
	if response, _, err = send(); err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}

func reasonOf(err error) Reason {
	var r *Required
	if errors.As(err, &r) {
		return r.Reason
	}
	return ""
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestSignInEndsInARequestThatIsAnswered(t *testing.T) {
	p := newPerson(t, nil)
	if status, err := p.ask(); reasonOf(err) != NoGrant {
		t.Fatalf("before: %d, %v", status, err)
	}
	if len(p.opened) != 0 {
		t.Fatal("a request opened the browser")
	}
	must(t, p.signIn(store.SignInOptions{}))
	if status, err := p.ask(); status != 200 || err != nil {
		t.Errorf("after: %d, %v", status, err)
	}
	row := p.last()
	if row.State != store.SignInDone || row.URL != "" {
		t.Errorf("%+v", row)
	}
	for i, want := range []string{stepDone, stepDone, stepDone, stepDone, stepWaiting} {
		if row.Steps[i].State != want {
			t.Errorf("step %s is %s, want %s", row.Steps[i].Name, row.Steps[i].State, want)
		}
	}
	if !strings.Contains(p.landing[0].Body, "You are signed in") {
		t.Errorf("the page says %q", p.landing[0].Body)
	}
	kept, err := p.store.SignIn(t.Context(), "s")
	if err != nil || kept.State != store.SignInDone || kept.URL != "" || len(kept.Steps) != 5 || len(kept.Steps[0].Exchanges) == 0 {
		t.Errorf("kept %+v, %v", kept, err)
	}
	account, err := p.client.Account(t.Context(), "s")
	if err != nil || account.Issuer != p.fake.Issuer() || account.Redirect != store.RedirectLoopback || !account.Renews || account.Kept {
		t.Errorf("account %+v, %v", account, err)
	}
}

// No secret of the whole exchange is in any row that was reported.
func TestRowsHoldNoSecret(t *testing.T) {
	p := newPerson(t, func(s *oauthtest.Switches) { s.GivesSecret = authBasic })
	must(t, p.signIn(store.SignInOptions{}))
	grant := p.grant()
	secrets := []string{grant.AccessToken.Reveal(), grant.RefreshToken.Reveal(), grant.Registration.ClientSecret.Reveal()}
	for _, r := range p.fake.TokenRequests("authorization_code") {
		secrets = append(secrets, r.Form.Get("code"), r.Form.Get("code_verifier"))
	}
	for _, row := range p.rows {
		row.URL = "" // the challenge and the state are not secret to the person who opens it
		for _, s := range row.Steps {
			for _, e := range s.Exchanges {
				for _, secret := range secrets {
					if secret == "" {
						t.Fatal("nothing to look for")
					}
					if strings.Contains(e.Sent+e.Received+e.URL+e.Error, secret) {
						t.Fatalf("step %s shows a secret: %+v", s.Name, e)
					}
				}
			}
		}
	}
}

func TestRow17SchemeIsTriedFirstAndFallsBackToLoopback(t *testing.T) {
	scheme := func(_ *person, o *Options) { o.Scheme = func(context.Context) bool { return true } }
	t.Run("accepted", func(t *testing.T) {
		p := newPerson(t, nil, scheme)
		must(t, p.signIn(store.SignInOptions{}))
		if got := p.grant(); got.Redirect != store.RedirectScheme || got.Registration.RedirectURI != SchemeRedirect {
			t.Errorf("%+v", got)
		}
	})
	t.Run("refused", func(t *testing.T) {
		p := newPerson(t, func(s *oauthtest.Switches) { s.RefuseSchemes = true }, scheme)
		must(t, p.signIn(store.SignInOptions{}))
		if got := p.grant().Redirect; got != store.RedirectLoopback {
			t.Errorf("%s", got)
		}
		for _, client := range p.fake.Clients() {
			if len(client.RedirectURIs) > 1 {
				t.Errorf("kinds were mixed: %v", client.RedirectURIs)
			}
		}
		note, err := p.store.IssuerNote(t.Context(), p.fake.Issuer())
		if err != nil || note.Redirect != store.RedirectLoopback || !slices.Contains(note.Refused, store.RedirectScheme) {
			t.Errorf("%+v, %v", note, err)
		}
		before := p.fake.Count("/register")
		must(t, p.signIn(store.SignInOptions{}))
		if got := p.fake.Count("/register"); got != before {
			t.Errorf("registered again: %d, %d", before, got)
		}
	})
	t.Run("not the system's", func(t *testing.T) {
		p := newPerson(t, nil)
		must(t, p.signIn(store.SignInOptions{}))
		if got := p.grant().Redirect; got != store.RedirectLoopback {
			t.Errorf("%s", got)
		}
	})
}

func TestRow18LocalhostWhereTheAddressIsRefused(t *testing.T) {
	p := newPerson(t, func(s *oauthtest.Switches) { s.LocalhostOnly = true })
	must(t, p.signIn(store.SignInOptions{}))
	if got := p.grant().Redirect; got != store.RedirectLocalhost {
		t.Errorf("%s", got)
	}
	pinned := newPerson(t, nil)
	must(t, pinned.signIn(store.SignInOptions{Redirect: store.RedirectLocalhost}))
	if got := pinned.grant().Redirect; got != store.RedirectLocalhost {
		t.Errorf("pinned: %s", got)
	}
}

func TestRow19BusyPortIsANewRegistration(t *testing.T) {
	p := newPerson(t, nil)
	must(t, p.signIn(store.SignInOptions{}))
	first := p.grant().Registration
	busy, err := listen(t.Context(), store.RedirectLoopback, portOf(first.RedirectURI))
	must(t, err)
	defer busy.close()
	must(t, p.signIn(store.SignInOptions{}))
	second := p.grant().Registration
	if second.RedirectURI == first.RedirectURI || second.ClientID == first.ClientID {
		t.Errorf("%+v, %+v", first, second)
	}
	if len(p.opened) != 2 {
		t.Errorf("%d pages", len(p.opened))
	}
}

func TestRow20PortIsSticky(t *testing.T) {
	p := newPerson(t, func(s *oauthtest.Switches) { s.ExactPort = true })
	must(t, p.signIn(store.SignInOptions{}))
	first := p.grant().Registration
	must(t, p.signIn(store.SignInOptions{}))
	if second := p.grant().Registration; second.RedirectURI != first.RedirectURI || second.ClientID != first.ClientID {
		t.Errorf("%+v, %+v", first, second)
	}
}

// Row 4 and row 16: an error page sends no callback; the person says so.
func TestErrorPageGoesOnToTheNextWay(t *testing.T) {
	p := newPerson(t, func(s *oauthtest.Switches) { s.SchemePage = true }, func(_ *person, o *Options) {
		o.Scheme = func(context.Context) bool { return true }
	})
	done := p.begin(store.SignInOptions{})
	p.until(store.SignInWaiting)
	must(t, p.client.Input("s", store.SignInInput{BrowserError: true}))
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if got := p.grant().Redirect; got != store.RedirectLoopback {
		t.Errorf("%s", got)
	}
}

func TestRow4ForgottenClientIsRegisteredAnewWhenThePersonSaysSo(t *testing.T) {
	p := newPerson(t, nil)
	must(t, p.signIn(store.SignInOptions{}))
	first := p.grant().Registration.ClientID
	p.fake.ForgetClients()
	done := p.begin(store.SignInOptions{})
	p.until(store.SignInWaiting)
	must(t, p.client.Input("s", store.SignInInput{BrowserError: true}))
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if second := p.grant().Registration.ClientID; second == first {
		t.Error("the forgotten client was used again")
	}
}

func TestRow16ClientIDFormShowsTheExactRedirect(t *testing.T) {
	p := newPerson(t, func(s *oauthtest.Switches) { s.NoRegistration = true })
	done := p.begin(store.SignInOptions{})
	row := p.until(store.SignInClient)
	if !strings.HasPrefix(row.RedirectURI, "http://127.0.0.1:") || !strings.HasSuffix(row.RedirectURI, "/callback") {
		t.Errorf("redirect %q", row.RedirectURI)
	}
	p.fake.AddClient(oauthtest.Client{ID: "mine", RedirectURIs: []string{row.RedirectURI}})
	must(t, p.client.Input("s", store.SignInInput{ClientID: " mine "}))
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if got := p.grant().Registration; got.ClientID != "mine" || got.Source != store.FromPerson || got.ServerID != "s" {
		t.Errorf("%+v", got)
	}
	// It is remembered, and nothing is asked again.
	must(t, p.signIn(store.SignInOptions{}))
}

func TestOtherHostIsShownBeforeTheBrowserOpens(t *testing.T) {
	p := newPerson(t, nil, func(p *person, _ *Options) {
		p.server.URL = strings.Replace(p.fake.MCP, "127.0.0.1", "localhost", 1)
		p.fake.Set(func(s *oauthtest.Switches) { s.Resource = p.server.URL })
	})
	done := p.begin(store.SignInOptions{})
	row := p.until(store.SignInConfirm)
	if len(p.opened) != 0 || !strings.Contains(row.Detail, "will sign you in to localhost") {
		t.Errorf("%+v, opened %v", row, p.opened)
	}
	must(t, p.client.Input("s", store.SignInInput{Confirm: true}))
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	must(t, p.signIn(store.SignInOptions{})) // not asked again
}

func TestRow29DeniedConsentEndsTheAttempt(t *testing.T) {
	p := newPerson(t, func(s *oauthtest.Switches) { s.Consent = oauthtest.Denies })
	err := p.signIn(store.SignInOptions{})
	if err == nil || len(p.opened) != 1 || p.last().State != store.SignInFailed || !strings.Contains(p.last().Failure.Message, "declined") {
		t.Errorf("%v, %d pages, %+v", err, len(p.opened), p.last())
	}
	if strings.Contains(p.landing[0].Body, "You are signed in") {
		t.Error("the page says that it worked")
	}
}

func TestWrongIssuerIsNeverSentTheCode(t *testing.T) {
	for mode, works := range map[oauthtest.IssMode]bool{
		oauthtest.IssSent: true, oauthtest.IssNone: true, oauthtest.IssUnadvertised: true,
		oauthtest.IssMissing: false, oauthtest.IssWrong: false, oauthtest.IssSlash: false,
	} {
		t.Run(string(mode), func(t *testing.T) {
			p := newPerson(t, func(s *oauthtest.Switches) { s.Iss = mode })
			err := p.signIn(store.SignInOptions{})
			if (err == nil) != works {
				t.Errorf("%v", err)
			}
			if n := len(p.fake.TokenRequests("authorization_code")); (n == 1) != works {
				t.Errorf("%d token requests", n)
			}
		})
	}
}

// The error text of a response from the wrong issuer is not shown either.
func TestWrongIssuerErrorTextIsNotShown(t *testing.T) {
	p := newPerson(t, func(s *oauthtest.Switches) { s.Iss, s.Consent = oauthtest.IssWrong, oauthtest.Denies })
	if err := p.signIn(store.SignInOptions{}); err == nil || strings.Contains(p.last().Failure.Message, "declined") {
		t.Errorf("%v, %+v", err, p.last().Failure)
	}
}

func TestRow6AndRow7OfflineAccessAndConsent(t *testing.T) {
	openID := func(s *oauthtest.Switches) {
		s.Documents = []string{oauthtest.OpenIDInserted}
		s.NeedOffline, s.NeedConsent = true, true
		s.Metadata = map[string]any{"scopes_supported": []string{"openid", "offline_access"}}
	}
	p := newPerson(t, openID)
	must(t, p.signIn(store.SignInOptions{}))
	if p.grant().RefreshToken.IsZero() || !strings.Contains(p.opened[0], "prompt=consent") {
		t.Errorf("no refresh token; %s", p.opened[0])
	}
	plain := newPerson(t, func(s *oauthtest.Switches) {
		s.RefusePrompt = true
		s.Metadata = map[string]any{"scopes_supported": []string{"offline_access"}}
	})
	must(t, plain.signIn(store.SignInOptions{}))
	if strings.Contains(plain.opened[0], "prompt=") {
		t.Error("prompt was sent to an authorization server that is no OpenID Provider")
	}
	off := newPerson(t, openID, func(p *person, _ *Options) { p.server.SignIn = store.SignInConfig{NoConsent: true, NoOffline: true} })
	must(t, off.signIn(store.SignInOptions{}))
	if strings.Contains(off.opened[0], "prompt=") || strings.Contains(off.opened[0], "offline_access") {
		t.Errorf("%s", off.opened[0])
	}
}

func TestRow8ResourceCanBeLeftOut(t *testing.T) {
	p := newPerson(t, func(s *oauthtest.Switches) { s.RefuseResource = true })
	if err := p.signIn(store.SignInOptions{}); err == nil || !strings.Contains(p.last().Failure.Hint, "resource") {
		t.Fatalf("%v, %+v", err, p.last().Failure)
	}
	p.server.SignIn.OmitResource = true
	must(t, p.signIn(store.SignInOptions{}))
	if p.grant().Resource != "" {
		t.Errorf("%+v", p.grant())
	}
}

func TestRow23ScopesAreAUnion(t *testing.T) {
	p := newPerson(t, func(s *oauthtest.Switches) { s.ResourceScopes = []string{"read"} })
	must(t, p.signIn(store.SignInOptions{}))
	p.client.note("s", challenge{Status: 403, Error: "insufficient_scope", Scopes: []string{"admin"}})
	must(t, p.signIn(store.SignInOptions{}))
	if got := p.grant().ScopesRequested; !slices.Equal(got, []string{"read", "admin"}) {
		t.Errorf("%v", got)
	}
	if n := len(p.fake.TokenRequests("refresh_token")); n != 0 { // row 22
		t.Errorf("a step-up was a refresh: %d", n)
	}
}

func TestCancelAndReplace(t *testing.T) {
	p := newPerson(t, func(s *oauthtest.Switches) { s.Consent = oauthtest.ErrorPage })
	first := p.begin(store.SignInOptions{})
	p.until(store.SignInWaiting)
	second := p.begin(store.SignInOptions{})
	if err := <-first; !errors.Is(err, errReplaced) {
		t.Errorf("%v", err)
	}
	p.until(store.SignInWaiting)
	must(t, p.client.Close())
	if err := <-second; !errors.Is(err, errClosing) {
		t.Errorf("%v", err)
	}
	if row := p.last(); row.State != store.SignInCancelled {
		t.Errorf("%+v", row)
	}
}

func TestWaitHasALimit(t *testing.T) {
	p := newPerson(t, func(s *oauthtest.Switches) { s.Consent = oauthtest.ErrorPage }, func(_ *person, o *Options) { o.Patience = 50 * time.Millisecond })
	if err := p.signIn(store.SignInOptions{}); !errors.Is(err, errWaitLimit) || p.last().Failure.Hint == "" {
		t.Errorf("%v, %+v", err, p.last())
	}
}

func TestClientCredentials(t *testing.T) {
	p := newPerson(t, nil, func(p *person, _ *Options) {
		p.server.ClientID = "robot"
		p.server.SignIn = store.SignInConfig{Mode: store.SignInClientCredentials, ClientSecret: newSecret("hush"), HasSecret: true}
	})
	p.fake.AddClient(oauthtest.Client{ID: "robot", Secret: "hush", AuthMethod: authBasic})
	if _, err := p.ask(); reasonOf(err) != NoGrant || len(p.fake.TokenRequests("client_credentials")) != 0 {
		t.Errorf("the secret was sent before a person agreed to the issuer: %v", err)
	}
	must(t, p.signIn(store.SignInOptions{}))
	if status, err := p.ask(); status != 200 || err != nil || len(p.opened) != 0 {
		t.Errorf("%d, %v, opened %v", status, err, p.opened)
	}
	p.fake.ExpireAccess()
	if status, err := p.ask(); status != 200 || err != nil {
		t.Errorf("after the token ended: %d, %v", status, err)
	}
}

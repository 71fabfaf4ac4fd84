package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"golang.org/x/oauth2"

	"jackfield/backend/oauth/oauthtest"
	"jackfield/backend/store"
)

// refusal is what an Authorizer says of a request that cannot be mended.
type refusal struct{ reason string }

func (r *refusal) Error() string       { return "refused: " + r.reason }
func (r *refusal) AuthReason() string  { return r.reason }
func (r *refusal) AuthMessage() string { return "The sign-in is over: " + r.reason + "." }
func (r *refusal) AuthHint() string    { return "Sign in again." }

// desk is an Authorizer without a browser: the test says how it goes on.
type desk struct {
	fake *oauthtest.Fake

	mu        sync.Mutex
	token     string
	renew     func() string // "" cannot be renewed
	down      error         // of TokenSource
	refused   int           // how often Authorize was asked
	out       []string      // servers that were signed out of
	outFails  error         // of SignOut, which then keeps the grant
	deadline  time.Time     // of the last SignOut
	inputs    chan store.SignInInput
	callbacks []string
}

func newDesk(t *testing.T, set ...func(*oauthtest.Switches)) *desk {
	t.Helper()
	return &desk{fake: oauthtest.New(t, set...), inputs: make(chan store.SignInInput, 1)}
}

func (d *desk) set(change func(*desk)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change(d)
}

func (d *desk) issue() string {
	access, _ := d.fake.Issue("mcp")
	return access
}

func (d *desk) Handler(store.Server) auth.OAuthHandler { return d }

func (d *desk) TokenSource(context.Context) (oauth2.TokenSource, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.down != nil || d.token == "" {
		return nil, d.down
	}
	return oauth2.StaticTokenSource(&oauth2.Token{AccessToken: d.token}), nil
}

func (d *desk) Authorize(_ context.Context, _ *http.Request, response *http.Response) error {
	if err := response.Body.Close(); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.refused++
	switch {
	case response.StatusCode == http.StatusForbidden:
		return &refusal{reasonScope}
	case d.token == "":
		return &refusal{"no_grant"}
	case d.renew == nil:
		return &refusal{"ended"}
	}
	d.token = d.renew()
	return nil
}

func (d *desk) SignIn(ctx context.Context, server store.Server, _ store.SignInOptions, report func(store.SignIn)) error {
	row := store.SignIn{
		ID: fmt.Sprint(time.Now().UnixNano()), ServerID: server.ID, State: store.SignInWaiting, Detail: "Waiting for your browser",
		StartedAt: time.Now(), Deadline: time.Now().Add(time.Minute), URL: "https://as.example/authorize?state=planted-state",
		Steps: []store.SignInStep{{Name: "authorize", State: "working"}},
	}
	report(row)
	select {
	case input := <-d.inputs:
		if input.BrowserError {
			row.State, row.Detail, row.URL = store.SignInFailed, "The browser showed an error.", ""
			row.Failure = &store.Failure{Code: CodeSignIn, Message: "The browser showed an error.", Hint: "Sign in again."}
			report(row)
			return errors.New("an error page")
		}
	case <-ctx.Done():
		row.State, row.Detail, row.URL = store.SignInCancelled, "Cancelled", ""
		report(row)
		return ctx.Err()
	}
	token := d.issue()
	d.mu.Lock()
	d.token = token
	d.mu.Unlock()
	row.State, row.Detail, row.URL = store.SignInDone, "Signed in", ""
	row.Steps = []store.SignInStep{{Name: "authorize", State: "done"}, {Name: "connect", State: "waiting"}}
	report(row)
	return nil
}

func (d *desk) Input(_ string, input store.SignInInput) error {
	d.inputs <- input
	return nil
}

func (d *desk) Callback(link string) error {
	d.set(func(d *desk) { d.callbacks = append(d.callbacks, link) })
	return nil
}

func (d *desk) SignOut(ctx context.Context, server store.Server) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.out = append(d.out, server.ID)
	d.deadline, _ = ctx.Deadline()
	if d.outFails == nil {
		d.token = ""
	}
	return d.outFails
}

func (d *desk) ForgetRegistration(ctx context.Context, server store.Server) error {
	return d.SignOut(ctx, server)
}

func (d *desk) Account(context.Context, string) (store.Account, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.token == "" {
		return store.Account{}, store.ErrNotFound
	}
	return store.Account{Issuer: d.fake.Issuer(), ClientID: "client"}, nil
}

// signedInTo starts a Manager with one server "s", signed in and ready.
func signedInTo(t *testing.T, d *desk, memory *memory) *Manager {
	t.Helper()
	d.set(func(d *desk) { d.token = d.issue() })
	m := start(t, Options{Authorizer: d, Store: memory}, false)
	if _, err := m.Add(t.Context(), remote(d.fake.MCP)); err != nil {
		t.Fatal(err)
	}
	return m
}

func signInState(m *Manager) store.SignInState {
	s, err := m.Status("s")
	if err != nil || s.SignIn == nil {
		return ""
	}
	return s.SignIn.State
}

func echo(t *testing.T, m *Manager) error {
	t.Helper()
	_, err := m.Call(t.Context(), CallRequest{ServerID: "s", Kind: store.KindTool, Name: "echo", Arguments: json.RawMessage(`{"text":"x"}`)})
	return err
}

func TestFromTheFirst401ToReady(t *testing.T) {
	d, memory := newDesk(t), newMemory()
	m := start(t, Options{Authorizer: d, Store: memory}, false)
	events, cancel := m.Subscribe()
	defer cancel()
	if _, err := m.Add(t.Context(), remote(d.fake.MCP)); code(err) != CodeAuthRequired {
		t.Fatalf("Add: %v", err)
	}
	if s, _ := m.Status("s"); s.State != StateAuthenticating || s.Detail != "Needs sign-in" || s.Account != nil {
		t.Errorf("before: %+v", s)
	}
	done := make(chan error, 1)
	go func() { done <- m.SignIn(t.Context(), "s", store.SignInOptions{}) }()
	row := await(t, events, "the waiting row", func(e Event) bool {
		return e.Type == EventServer && e.Server.SignIn != nil && e.Server.SignIn.State == store.SignInWaiting
	})
	if s := row.Server; s.State != StateAuthenticating || s.Detail != "Waiting for your browser" || s.SignIn.URL == "" {
		t.Errorf("waiting: %s, %q, %+v", s.State, s.Detail, s.SignIn)
	}
	await(t, events, "authorize", func(e Event) bool { return e.Type == EventAuthorize && e.Text == "Waiting for your browser" })
	if err := m.SignInInput("s", store.SignInInput{Confirm: true}); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	s, _ := m.Status("s")
	if s.State != StateReady || s.Account == nil || s.Account.ClientID != "client" || s.Failure != nil {
		t.Errorf("after: %s, %+v, %+v", s.State, s.Account, s.Failure)
	}
	if s.SignIn.State != store.SignInDone || s.SignIn.URL != "" || len(s.SignIn.Steps) != 2 || s.SignIn.Steps[1].Name != "connect" || s.SignIn.Steps[1].State != "done" {
		t.Errorf("the row: %+v", s.SignIn)
	}
	if err := echo(t, m); err != nil {
		t.Error(err)
	}
	if err := m.writer.flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if kept, err := memory.SignIn(t.Context(), "s"); err != nil || kept.State != store.SignInDone || kept.URL != "" || len(kept.Steps) != 2 {
		t.Errorf("kept: %+v, %v", kept, err)
	}
}

func TestACancelledSignInLeavesTheServerAsItWas(t *testing.T) {
	d := newDesk(t)
	m := start(t, Options{Authorizer: d}, false)
	if _, err := m.Add(t.Context(), remote(d.fake.MCP)); code(err) != CodeAuthRequired {
		t.Fatalf("Add: %v", err)
	}
	done := make(chan error, 1)
	go func() { done <- m.SignIn(t.Context(), "s", store.SignInOptions{}) }()
	eventually(t, "waiting", func() bool { return signInState(m) == store.SignInWaiting })
	if err := m.CancelSignIn("s"); err != nil {
		t.Fatal(err)
	}
	if err := <-done; code(err) != CodeCancelled {
		t.Errorf("SignIn: %v", err)
	}
	if s, _ := m.Status("s"); s.State != StateAuthenticating || s.Detail != "Needs sign-in" || s.SignIn.State != store.SignInCancelled || s.SignIn.URL != "" {
		t.Errorf("after: %s, %q, %+v", s.State, s.Detail, s.SignIn)
	}
	if err := m.SignInInput("s", store.SignInInput{OpenAgain: true}); code(err) != CodeUsage {
		t.Errorf("an input to nobody: %v", err)
	}
	if err := m.CancelSignIn("s"); err != nil {
		t.Errorf("cancelled twice: %v", err)
	}
}

func TestAFailedSignInIsTold(t *testing.T) {
	d := newDesk(t)
	m := start(t, Options{Authorizer: d}, false)
	if _, err := m.Register(t.Context(), remote(d.fake.MCP)); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- m.SignIn(t.Context(), "s", store.SignInOptions{}) }()
	eventually(t, "waiting", func() bool { return signInState(m) == store.SignInWaiting })
	if err := m.SignInInput("s", store.SignInInput{BrowserError: true}); err != nil {
		t.Fatal(err)
	}
	err := <-done
	failure, _ := errors.AsType[*Error](err)
	if failure == nil || failure.Code != CodeSignIn || failure.Message != "The browser showed an error." || failure.Hint == "" {
		t.Errorf("SignIn: %+v", err)
	}
	if s, _ := m.Status("s"); s.SignIn.State != store.SignInFailed || s.SignIn.Failure == nil || s.State != StateDisconnected {
		t.Errorf("after: %s, %+v", s.State, s.SignIn)
	}
}

func TestASecondSignInEndsTheFirst(t *testing.T) {
	d := newDesk(t)
	m := start(t, Options{Authorizer: d}, false)
	if _, err := m.Register(t.Context(), remote(d.fake.MCP)); err != nil {
		t.Fatal(err)
	}
	first, second := make(chan error, 1), make(chan error, 1)
	go func() { first <- m.SignIn(t.Context(), "s", store.SignInOptions{}) }()
	eventually(t, "waiting", func() bool { return signInState(m) == store.SignInWaiting })
	go func() { second <- m.SignIn(t.Context(), "s", store.SignInOptions{}) }()
	if err := <-first; code(err) != CodeCancelled {
		t.Errorf("the first: %v", err)
	}
	eventually(t, "waiting again", func() bool { return signInState(m) == store.SignInWaiting })
	if err := m.SignInInput("s", store.SignInInput{Confirm: true}); err != nil {
		t.Fatal(err)
	}
	if err := <-second; err != nil {
		t.Errorf("the second: %v", err)
	}
	if s, _ := m.Status("s"); s.State != StateReady {
		t.Errorf("state = %s", s.State)
	}
}

func TestAConnectionThatFailsAfterTheSignInIsAStep(t *testing.T) {
	d := newDesk(t)
	m := start(t, Options{Authorizer: d}, false)
	if _, err := m.Register(t.Context(), remote(d.fake.MCP)); err != nil {
		t.Fatal(err)
	}
	d.fake.Set(func(s *oauthtest.Switches) { s.Reject = true })
	d.inputs <- store.SignInInput{Confirm: true}
	if err := m.SignIn(t.Context(), "s", store.SignInOptions{}); code(err) != CodeAuthRequired {
		t.Errorf("SignIn: %v", err)
	}
	s, _ := m.Status("s")
	last := s.SignIn.Steps[len(s.SignIn.Steps)-1]
	if s.SignIn.State != store.SignInDone || last.Name != "connect" || last.State != "failed" || last.Detail != "The sign-in is over: ended." || s.State != StateAuthenticating {
		t.Errorf("%s, %+v", s.State, s.SignIn)
	}
}

func TestATokenThatEndsInTheMiddleIsRenewed(t *testing.T) {
	d := newDesk(t)
	m := signedInTo(t, d, newMemory())
	before, _ := m.Status("s")
	d.set(func(d *desk) { d.renew = d.issue })
	d.fake.ExpireAccess()
	if err := echo(t, m); err != nil {
		t.Fatal(err)
	}
	if after, _ := m.Status("s"); after.Generation != before.Generation || after.State != StateReady {
		t.Errorf("%+v", after)
	}
}

func TestASignInThatEndsInTheMiddleIsToldAndTheCallCanBeRunAgain(t *testing.T) {
	d := newDesk(t)
	m := signedInTo(t, d, newMemory())
	d.fake.EndGrants()
	err := echo(t, m)
	failure, _ := errors.AsType[*Error](err)
	if failure == nil || failure.Code != CodeAuthRequired || failure.Message != "The sign-in is over: ended." || !strings.Contains(failure.Hint, "can be run again") {
		t.Fatalf("the call: %+v", err)
	}
	if s, _ := m.Status("s"); s.State != StateAuthenticating {
		t.Errorf("state = %s", s.State)
	}
	d.inputs <- store.SignInInput{Confirm: true}
	if err := m.SignIn(t.Context(), "s", store.SignInOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := echo(t, m); err != nil {
		t.Errorf("the same call again: %v", err)
	}
}

func TestAnAuthorizationServerThatIsDownLeavesTheConnection(t *testing.T) {
	d := newDesk(t)
	m := signedInTo(t, d, newMemory())
	before := d.fake.Count("/mcp")
	d.set(func(d *desk) { d.down = errors.New("HTTP 503") })
	err := echo(t, m)
	failure, _ := errors.AsType[*Error](err)
	if failure == nil || failure.Code != CodeAuthServer || !heals(failure.Code) || !strings.Contains(failure.Message, "HTTP 503") {
		t.Errorf("the call: %+v", err)
	}
	if sent := d.fake.Count("/mcp") - before; sent != 0 {
		t.Errorf("%d requests were sent", sent)
	}
	if s, _ := m.Status("s"); s.State != StateReady {
		t.Errorf("state = %s", s.State)
	}
	d.set(func(d *desk) { d.down = nil })
	if err := echo(t, m); err != nil {
		t.Error(err)
	}
}

func TestACallThatNeedsMoreRightsLeavesTheConnection(t *testing.T) {
	d := newDesk(t)
	m := signedInTo(t, d, newMemory())
	_, err := m.Call(t.Context(), CallRequest{ServerID: "s", Kind: store.KindTool, Name: "admin", Arguments: json.RawMessage(`{"text":"x"}`)})
	if code(err) != CodeScope {
		t.Errorf("the call: %v", err)
	}
	if s, _ := m.Status("s"); s.State != StateReady {
		t.Errorf("state = %s", s.State)
	}
	if err := echo(t, m); err != nil {
		t.Error(err)
	}
}

func TestAFreshTokenThatIsRefusedMakesNoStorm(t *testing.T) {
	d := newDesk(t)
	m := signedInTo(t, d, newMemory())
	d.set(func(d *desk) { d.renew = d.issue })
	d.fake.Set(func(s *oauthtest.Switches) { s.Reject = true })
	if err := echo(t, m); code(err) != CodeAuthRequired {
		t.Errorf("the call: %v", err)
	}
	m.Wait(t.Context(), "s")
	time.Sleep(300 * time.Millisecond) // the session is ended meanwhile, too
	before := d.fake.Count("/mcp")
	time.Sleep(300 * time.Millisecond)
	if s, _ := m.Status("s"); s.State != StateAuthenticating || d.fake.Count("/mcp") != before {
		t.Errorf("state = %s, and %d requests more", s.State, d.fake.Count("/mcp")-before)
	}
	if d.mu.Lock(); d.refused > 8 {
		t.Errorf("Authorize was asked %d times", d.refused)
	}
	d.mu.Unlock()
}

func TestASignInOfAnotherProcessCounts(t *testing.T) {
	d := newDesk(t)
	m := start(t, Options{Authorizer: d}, false)
	if _, err := m.Add(t.Context(), remote(d.fake.MCP)); code(err) != CodeAuthRequired {
		t.Fatalf("Add: %v", err)
	}
	d.set(func(d *desk) { d.token = d.issue() })
	if err := m.Connect(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the account", func() bool { s, _ := m.Status("s"); return s.State == StateReady && s.Account != nil })
}

func TestSigningOutClosesTheConnectionWhileItHasItsToken(t *testing.T) {
	d := newDesk(t)
	m := signedInTo(t, d, newMemory())
	eventually(t, "the account", func() bool { s, _ := m.Status("s"); return s.Account != nil })
	if err := m.SignOut(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	if s, _ := m.Status("s"); s.State != StateDisconnected || s.Account != nil || s.Failure != nil {
		t.Errorf("after: %s, %+v, %+v", s.State, s.Account, s.Failure)
	}
	for _, r := range d.fake.Requests("/mcp") {
		if r.Method == http.MethodDelete && r.Header.Get("Authorization") == "" {
			t.Error("the session was ended without a token")
		}
	}
	if err := m.Connect(t.Context(), "s"); code(err) != CodeAuthRequired {
		t.Errorf("Connect: %v", err)
	}
	d.set(func(d *desk) { d.outFails = errors.New("HTTP 500 from the authorization server") })
	if err := m.ForgetRegistration(t.Context(), "s"); code(err) != CodeSignIn || !strings.Contains(err.Error(), "signed out here") {
		t.Errorf("revoking failed: %v", err)
	}
}

func TestATokenDoesNotMoveToAnotherOrigin(t *testing.T) {
	d, memory := newDesk(t), newMemory()
	m := signedInTo(t, d, memory)
	s, _ := m.Status("s")
	same := s.Server
	same.URL += "?x=1"
	if err := m.Edit(t.Context(), same); err != nil || len(d.out) != 0 {
		t.Errorf("within the origin: %v, %v", err, d.out)
	}
	moved := same
	moved.URL, moved.Enabled = d.fake.Origin+"/mcp", false
	d.set(func(d *desk) { d.outFails = errors.New("the disk is full") })
	if err := m.Edit(t.Context(), moved); code(err) != CodeSignIn || memory.server("s").URL != same.URL {
		t.Errorf("a grant that cannot be deleted: %v, %s", err, memory.server("s").URL)
	}
	d.set(func(d *desk) { d.outFails = nil })
	if err := m.Edit(t.Context(), moved); err != nil {
		t.Fatal(err)
	}
	m.Wait(t.Context(), "s")
	if after, _ := m.Status("s"); after.Account != nil || after.SignIn != nil || len(d.out) != 2 {
		t.Errorf("after: %+v, %v", after, d.out)
	}
	for _, r := range d.fake.Requests() {
		if r.Authority && r.Header.Get("Authorization") != "" {
			t.Errorf("the new origin got %q", r.Header.Get("Authorization"))
		}
	}
}

func TestRemovingSignsOut(t *testing.T) {
	d := newDesk(t)
	m := signedInTo(t, d, newMemory())
	if err := m.Remove(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	if within := time.Until(d.deadline); !slices.Equal(d.out, []string{"s"}) || within > revokeGrace {
		t.Errorf("signed out of %v within %s", d.out, within)
	}
}

func TestAnAttemptOfAnEarlierRunIsOver(t *testing.T) {
	d := newDesk(t)
	memory := newMemory(remote(d.fake.MCP))
	memory.signIns["s"] = store.SignIn{ServerID: "s", State: store.SignInWaiting, Steps: []store.SignInStep{{Name: "discover", State: "done"}}}
	m := start(t, Options{Authorizer: d, Store: memory}, false)
	if s, _ := m.Status("s"); s.SignIn == nil || s.SignIn.State != store.SignInCancelled || len(s.SignIn.Steps) != 1 || s.State != StateDisconnected {
		t.Errorf("%+v", s)
	}
}

func TestThereIsNoSignInToWhatIsNotRemote(t *testing.T) {
	d := newDesk(t)
	m := builtin(t, newServer(nil), Options{Authorizer: d})
	if err := m.SignIn(t.Context(), "s", store.SignInOptions{}); code(err) != CodeUsage {
		t.Errorf("builtin: %v", err)
	}
	if err := m.SignOut(t.Context(), "nobody"); !errors.Is(err, ErrUnknownServer) {
		t.Errorf("unknown: %v", err)
	}
	if err := m.SignInCallback("jackfield://oauth/callback?state=x"); err != nil || len(d.callbacks) != 1 {
		t.Errorf("callback: %v", err)
	}
	without := start(t, Options{}, false)
	if _, err := without.Register(t.Context(), remote(d.fake.MCP)); err != nil {
		t.Fatal(err)
	}
	if err := without.SignIn(t.Context(), "s", store.SignInOptions{}); code(err) != CodeSignIn {
		t.Errorf("without an Authorizer: %v", err)
	}
}

func TestClosingEndsASignIn(t *testing.T) {
	d := newDesk(t)
	m := start(t, Options{Authorizer: d}, false)
	if _, err := m.Register(t.Context(), remote(d.fake.MCP)); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- m.SignIn(t.Context(), "s", store.SignInOptions{}) }()
	eventually(t, "waiting", func() bool { return signInState(m) == store.SignInWaiting })
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := m.Close(ctx); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-done:
		if err == nil {
			t.Error("it succeeded")
		}
	case <-time.After(time.Second):
		t.Error("it goes on")
	}
}

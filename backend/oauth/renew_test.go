package oauth

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"jackfield/backend/oauth/oauthtest"
	"jackfield/backend/store"
)

func signedIn(t *testing.T, set func(*oauthtest.Switches)) *person {
	t.Helper()
	p := newPerson(t, set)
	must(t, p.signIn(store.SignInOptions{}))
	return p
}

func TestRefreshAfterARefusal(t *testing.T) {
	p := signedIn(t, nil)
	before := p.grant()
	p.fake.ExpireAccess()
	if status, err := p.ask(); status != 200 || err != nil {
		t.Fatalf("%d, %v", status, err)
	}
	after := p.grant()
	if after.Generation <= before.Generation || after.RefreshToken.Equal(before.RefreshToken) {
		t.Errorf("%+v, %+v", before, after)
	}
	r := p.fake.TokenRequests("refresh_token")[0]
	if r.Form.Get("resource") != p.fake.MCP || r.Form.Has("scope") { // row 3 of section 2.3
		t.Errorf("%v", r.Form)
	}
}

func TestRow1ParallelRefusalsAreOneRefresh(t *testing.T) {
	p := signedIn(t, nil)
	p.fake.ExpireAccess()
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if status, err := p.ask(); status != 200 || err != nil {
				t.Errorf("%d, %v", status, err)
			}
		})
	}
	all.Wait()
	if n := len(p.fake.TokenRequests("refresh_token")); n != 1 {
		t.Errorf("%d refreshes", n)
	}
}

func TestRow2RefreshWithoutANewRefreshTokenKeepsTheOld(t *testing.T) {
	p := signedIn(t, func(s *oauthtest.Switches) { s.OmitRefresh = true })
	for range 2 {
		p.fake.ExpireAccess()
		p.client.arm("s", 0)
		if status, err := p.ask(); status != 200 || err != nil {
			t.Fatalf("%d, %v", status, err)
		}
	}
}

func TestRow3RefusedRefreshNeedsAPersonAndDoesNotLoop(t *testing.T) {
	for _, code := range []string{"invalid_grant", "invalid_request", "unauthorized_client"} {
		t.Run(code, func(t *testing.T) {
			p := signedIn(t, nil)
			p.fake.Set(func(s *oauthtest.Switches) { s.RefreshError = code })
			p.fake.ExpireAccess()
			for range 3 {
				if _, err := p.ask(); reasonOf(err) != Ended {
					t.Fatalf("%v", err)
				}
			}
			if n := len(p.fake.TokenRequests("refresh_token")); n > 2 { // one, and one without resource
				t.Errorf("%d refreshes", n)
			}
			if _, err := p.client.Account(t.Context(), "s"); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("%v", err)
			}
			p.fake.Set(func(s *oauthtest.Switches) { s.RefreshError = "" })
			must(t, p.signIn(store.SignInOptions{}))
			if status, err := p.ask(); status != 200 || err != nil {
				t.Errorf("after signing in again: %d, %v", status, err)
			}
		})
	}
}

func TestTroubleOfTheMomentKeepsTheGrant(t *testing.T) {
	p := signedIn(t, nil)
	p.fake.Set(func(s *oauthtest.Switches) { s.RefreshError, s.RefreshStatus = "server_error", 503 })
	p.fake.ExpireAccess()
	if _, err := p.ask(); err == nil || reasonOf(err) != "" {
		t.Fatalf("%v", err)
	}
	p.fake.Set(func(s *oauthtest.Switches) { s.RefreshError, s.RefreshStatus = "", 0 })
	if status, err := p.ask(); status != 200 || err != nil {
		t.Errorf("%d, %v", status, err)
	}
}

func TestRow4ForgottenClientIsForgottenHereToo(t *testing.T) {
	p := signedIn(t, nil)
	first := p.grant().Registration.ClientID
	p.fake.ForgetClients()
	p.fake.ExpireAccess()
	if _, err := p.ask(); reasonOf(err) != Ended {
		t.Fatalf("%v", err)
	}
	must(t, p.signIn(store.SignInOptions{}))
	if p.grant().Registration.ClientID == first {
		t.Error("the client was used again")
	}
}

func TestRow5TokenOfAnotherProcessIsUsed(t *testing.T) {
	p := signedIn(t, nil)
	h := p.client.Handler(p.server)
	grant := p.grant()
	access, refresh := p.fake.Issue("")
	grant.AccessToken, grant.RefreshToken = newSecret(access), newSecret(refresh)
	if _, err := p.store.PutGrant(t.Context(), grant); err != nil {
		t.Fatal(err)
	}
	source, err := h.TokenSource(t.Context())
	must(t, err)
	token, err := source.Token()
	if err != nil || token.AccessToken != access {
		t.Errorf("%v", err)
	}
}

func TestRow9RefreshWithoutResourceIsRemembered(t *testing.T) {
	p := signedIn(t, func(s *oauthtest.Switches) { s.RefuseRefreshResource = true })
	p.fake.ExpireAccess()
	if status, err := p.ask(); status != 200 || err != nil {
		t.Fatalf("%d, %v", status, err)
	}
	p.client.arm("s", 0)
	p.fake.ExpireAccess()
	if status, err := p.ask(); status != 200 || err != nil {
		t.Fatalf("%d, %v", status, err)
	}
	if n := len(p.fake.TokenRequests("refresh_token")); n != 3 {
		t.Errorf("%d refreshes, want with, without, without", n)
	}
}

func TestRow24FreshTokenThatIsRefusedStopsTheStorm(t *testing.T) {
	p := signedIn(t, func(s *oauthtest.Switches) { s.Reject = true })
	var last error
	for range 50 {
		_, last = p.ask()
	}
	if reasonOf(last) != Rejected {
		t.Errorf("%v", last)
	}
	if n := len(p.fake.TokenRequests("refresh_token")); n > 2 {
		t.Errorf("%d token requests", n)
	}
}

func TestRow22InsufficientScopeIsNoRefresh(t *testing.T) {
	p := signedIn(t, nil)
	e := insufficient(challenge{Status: 403, Error: "insufficient_scope", Scopes: []string{"admin"}}, p.grant())
	if e.Reason != InsufficientScope || len(e.Scopes) != 1 || !strings.Contains(e.Message, "admin") {
		t.Errorf("%+v", e)
	}
}

func TestExpiry(t *testing.T) { // row 30
	now := time.Now()
	for name, c := range map[string]struct {
		life time.Duration
		age  time.Duration
		want bool
	}{
		"young":             {time.Hour, time.Minute, false},
		"over":              {time.Hour, time.Hour + time.Second, true},
		"nearly over":       {time.Hour, time.Hour - 5*time.Second, true},
		"short and young":   {8 * time.Second, 2 * time.Second, false},
		"no life at all":    {0, 0, true},
		"short, about over": {8 * time.Second, 7 * time.Second, true},
	} {
		grant := store.Grant{UpdatedAt: now.Add(-c.age), ExpiresAt: now.Add(c.life - c.age)}
		if got := expired(grant, now); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if expired(store.Grant{}, now) {
		t.Error("an unknown end counts as expired")
	}
}

func TestExpiredTokenIsRenewedBeforeItIsSent(t *testing.T) {
	p := signedIn(t, func(s *oauthtest.Switches) { s.ExpiresIn = "1" })
	time.Sleep(time.Second)
	refused := p.fake.Count("/mcp")
	if status, err := p.ask(); status != 200 || err != nil {
		t.Fatalf("%d, %v", status, err)
	}
	if n := p.fake.Count("/mcp") - refused; n != 1 {
		t.Errorf("%d requests to the server", n)
	}
}

func TestSignOutRevokes(t *testing.T) {
	p := signedIn(t, nil)
	grant := p.grant()
	must(t, p.client.SignOut(t.Context(), p.server))
	if p.fake.Live(grant.AccessToken.Reveal()) || p.fake.Live(grant.RefreshToken.Reveal()) {
		t.Error("a token is still good")
	}
	if _, err := p.store.Grant(t.Context(), "s"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("%v", err)
	}
	must(t, p.signIn(store.SignInOptions{}))
	if n := p.fake.Count("/register"); n != 1 {
		t.Errorf("registered %d times", n) // row 34
	}
	must(t, p.client.ForgetRegistration(t.Context(), p.server))
	must(t, p.signIn(store.SignInOptions{}))
	if n := p.fake.Count("/register"); n != 2 {
		t.Errorf("registered %d times", n)
	}
}

func TestGrantOfAnEarlierRunThatWasNotKept(t *testing.T) {
	p := signedIn(t, nil)
	again, err := store.Open(t.Context(), p.store.Dir())
	must(t, err)
	defer again.Close()
	other := &person{t: t, fake: p.fake, store: again, server: p.server}
	other.client = New(Options{Store: again})
	if _, err := other.ask(); reasonOf(err) != NotKept {
		t.Errorf("%v", err)
	}
}

// helperMode makes this test binary a program of its own: "renew DIR URL".
const helperMode = "JACKFIELD_OAUTH_HELPER"

// helper renews the grant of a data directory as another process would, and prints what came of it.
func helper(mode string) int {
	fields := strings.Fields(mode)
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	s, err := store.OpenWith(ctx, fields[1], fileKeyring{fields[1] + "/test-keyring"}, "")
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer s.Close()
	server, err := s.Server(ctx, "s")
	if err != nil {
		fmt.Println(err)
		return 1
	}
	grant, err := s.Grant(ctx, "s")
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("read")
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil { // until whoever started this lets go
		fmt.Println(err)
		return 1
	}
	c := New(Options{Store: s})
	defer c.Close()
	if fields[0] == "renew" {
		if _, err = c.renew(ctx, server, grant.Generation); err != nil {
			fmt.Println(reasonOf(err), err)
			return 1
		}
	}
	fmt.Println("ok")
	return 0
}

// fileKeyring is a keyring that several processes of a test share.
type fileKeyring struct{ path string }

func (k fileKeyring) file(user string) string { return k.path + strings.ReplaceAll(user, "/", "_") }

func (k fileKeyring) Get(_ context.Context, _, user string) (string, error) {
	text, err := os.ReadFile(k.file(user))
	if errors.Is(err, os.ErrNotExist) {
		return "", store.ErrNoKey
	}
	return string(text), err
}

func (k fileKeyring) Set(_ context.Context, _, user, value string) error {
	return os.WriteFile(k.file(user), []byte(value), 0o600)
}

func (k fileKeyring) Delete(_ context.Context, _, user string) error { return os.Remove(k.file(user)) }

// shared is a person whose data directory other processes open, too.
func shared(t *testing.T, set func(*oauthtest.Switches)) (*person, string) {
	t.Helper()
	dir := t.TempDir()
	s, err := store.OpenWith(t.Context(), dir, fileKeyring{dir + "/test-keyring"}, "")
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	p := newPerson(t, set, func(p *person, o *Options) {
		must(t, p.store.Close())
		p.store, o.Store = s, s
	})
	must(t, p.signIn(store.SignInOptions{}))
	return p, dir
}

func process(t *testing.T, mode, dir string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	command := exec.CommandContext(t.Context(), self)
	command.Env = append(os.Environ(), helperMode+"="+mode+" "+dir)
	return command
}

func TestFiveProcessesRefreshOnce(t *testing.T) {
	p, dir := shared(t, nil)
	p.fake.ExpireAccess()
	before := p.grant()
	// All of them read the same grant before the first renews it, however long each takes to start.
	type other struct {
		command *exec.Cmd
		let     io.Closer
		says    *bufio.Reader
	}
	var others []other
	for range 5 {
		command := process(t, "renew", dir)
		in, err := command.StdinPipe()
		must(t, err)
		out, err := command.StdoutPipe()
		must(t, err)
		must(t, command.Start())
		others = append(others, other{command, in, bufio.NewReader(out)})
	}
	for _, o := range others {
		if line, err := o.says.ReadString('\n'); err != nil || line != "read\n" {
			t.Errorf("%v: %s", err, line)
		}
	}
	for _, o := range others {
		must(t, o.let.Close())
	}
	for _, o := range others {
		said, err := io.ReadAll(o.says)
		if err := errors.Join(err, o.command.Wait()); err != nil || string(said) != "ok\n" {
			t.Errorf("%v: %s", err, said)
		}
	}
	if n := len(p.fake.TokenRequests("refresh_token")); n != 1 {
		t.Errorf("%d refreshes", n)
	}
	if after := p.grant(); after.Generation == before.Generation || !p.fake.Live(after.AccessToken.Reveal()) {
		t.Errorf("%+v", after)
	}
}

// killRenewal ends another process between the answer of the token endpoint and the commit.
func killRenewal(t *testing.T, p *person, dir string) {
	t.Helper()
	answering := make(chan struct{})
	kill := make(chan struct{})
	p.fake.Set(func(s *oauthtest.Switches) {
		s.TokenDelay = sync.OnceFunc(func() { close(answering); <-kill })
	})
	command := process(t, "renew", dir)
	must(t, command.Start())
	<-answering // the refresh token is used up
	must(t, command.Process.Kill())
	_ = command.Wait()
	close(kill)
}

func TestKilledBetweenTokenAndCommit(t *testing.T) {
	p, dir := shared(t, nil)
	p.fake.ExpireAccess()
	killRenewal(t, p, dir)
	for i, want := range []Reason{Interrupted, Ended, Ended} {
		if _, err := p.ask(); reasonOf(err) != want {
			t.Errorf("request %d: %v", i, err)
		}
	}
	if n := len(p.fake.TokenRequests("refresh_token")); n != 2 {
		t.Errorf("%d refreshes", n)
	}
	must(t, p.signIn(store.SignInOptions{}))
	if status, err := p.ask(); status != 200 || err != nil {
		t.Errorf("%d, %v", status, err)
	}
}

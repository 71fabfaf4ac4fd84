package oauth

import (
	"context"
	"errors"
	"net/url"
	"testing"
	"time"

	"jackfield/backend/oauth/oauthtest"
	"jackfield/backend/store"
)

// ends waits for an attempt, and fails instead of waiting for ever.
func ends(t *testing.T, done <-chan error) error {
	t.Helper()
	select {
	case err := <-done:
		return err
	case <-time.After(15 * time.Second):
		t.Fatal("the attempt hangs")
		return nil
	}
}

// An answer without a code, and then the genuine one, both while the browser is still being started.
func TestNoCodeThenTheCodeBeforeTheBrowserHasStarted(t *testing.T) {
	p := newPerson(t, nil, func(p *person, o *Options) {
		o.Open = func(ctx context.Context, address string) error {
			landing, err := oauthtest.Browse(ctx, address)
			if err != nil {
				return err
			}
			u, err := url.Parse(landing.URL)
			if err != nil {
				return err
			}
			if err := p.client.Callback(SchemeRedirect + "?state=" + u.Query().Get("state")); err == nil {
				return errors.New("an answer without a code was taken")
			}
			return p.client.Callback(landing.URL)
		}
	})
	must(t, ends(t, p.begin(store.SignInOptions{Redirect: store.RedirectScheme})))
}

// The person says that the browser shows an error at the moment at which it comes back: the answer belongs to the request that is out, and
// is never put together with the verifier of the next one.
func TestAnswerThatMeetsABrowserError(t *testing.T) {
	for range 6 {
		block := make(chan struct{})
		opens := 0
		p := newPerson(t, nil, func(_ *person, o *Options) {
			o.Open = func(context.Context, string) error {
				if opens++; opens == 2 {
					<-block
				}
				return nil
			}
		})
		done := p.begin(store.SignInOptions{Redirect: store.RedirectScheme})
		row := p.until(store.SignInWaiting)
		must(t, p.client.Input("s", store.SignInInput{OpenAgain: true}))
		landing, err := oauthtest.Browse(t.Context(), row.URL)
		must(t, err)
		must(t, p.client.Callback(landing.URL))
		said := make(chan error, 1)
		go func() { said <- p.client.Input("s", store.SignInInput{BrowserError: true}) }()
		time.Sleep(20 * time.Millisecond) // until it waits for the attempt
		close(block)
		must(t, ends(t, done))
		<-said // taken, or too late
	}
}

// Who is told that a renewal was interrupted does not depend on whether the token was known to have expired.
func TestKilledRenewalOfATokenThatIsKnownToHaveExpired(t *testing.T) {
	p, dir := shared(t, func(s *oauthtest.Switches) { s.ExpiresIn = "1" })
	time.Sleep(1100 * time.Millisecond)
	killRenewal(t, p, dir)
	for i, want := range []Reason{Interrupted, Ended} {
		if _, err := p.ask(); reasonOf(err) != want {
			t.Errorf("request %d: %v", i, err)
		}
	}
}

// forgetful cannot keep what it learns about issuers.
type forgetful struct{ Store }

func (forgetful) PutIssuerNote(context.Context, store.IssuerNote) error {
	return errors.New("the disk is full")
}

// A note that cannot be kept does not cost the grant: the old refresh token is spent by then.
func TestRotatedTokenIsKeptThoughItsNoteIsNot(t *testing.T) {
	p := signedIn(t, nil)
	p.fake.Set(func(s *oauthtest.Switches) { s.RefuseRefreshResource = true })
	p.fake.ExpireAccess()
	must(t, p.client.Close())
	p.client = New(Options{Store: forgetful{p.store}})
	if status, err := p.ask(); status != 200 || err != nil {
		t.Fatalf("%d, %v", status, err)
	}
	if grant := p.grant(); !p.fake.Live(grant.RefreshToken.Reveal()) {
		t.Error("the stored refresh token is the spent one")
	}
}

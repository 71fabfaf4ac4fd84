package oauth

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"jackfield/backend/oauth/oauthtest"
	"jackfield/backend/store"
)

// A server asks for another scope (403) while the tokens are being renewed: noting that must not cost the rotated refresh token.
func TestScopeThatIsNotedDuringARefreshLosesNoToken(t *testing.T) {
	p := signedIn(t, nil)
	noted := make(chan error, 1)
	p.fake.Set(func(s *oauthtest.Switches) {
		s.TokenDelay = sync.OnceFunc(func() {
			h := &handler{client: p.client, server: p.server}
			grant, err := p.store.Grant(context.Background(), "s")
			noted <- errors.Join(err, h.want(context.Background(), grant, []string{"admin"}))
		})
	})
	before := p.grant()
	for range 2 { // the second refresh needs what the first one gave
		p.fake.ExpireAccess()
		p.client.arm("s", 0)
		if status, err := p.ask(); status != 200 || err != nil {
			t.Fatalf("%d, %v", status, err)
		}
	}
	must(t, <-noted)
	after := p.grant()
	if after.RefreshToken.Equal(before.RefreshToken) || !slices.Contains(after.ScopesRequested, "admin") {
		t.Errorf("%+v", after)
	}
}

// The same, and the refresh is refused for good: the grant has ended all the same.
func TestScopeThatIsNotedDuringARefusedRefreshDoesNotHideTheEnd(t *testing.T) {
	p := signedIn(t, nil)
	p.fake.Set(func(s *oauthtest.Switches) {
		s.RefreshError = "invalid_grant"
		s.TokenDelay = sync.OnceFunc(func() {
			h := &handler{client: p.client, server: p.server}
			grant, err := p.store.Grant(context.Background(), "s")
			if err := errors.Join(err, h.want(context.Background(), grant, []string{"admin"})); err != nil {
				t.Error(err)
			}
		})
	})
	p.fake.ExpireAccess()
	if _, err := p.ask(); reasonOf(err) != Ended {
		t.Errorf("%v", err)
	}
	if grant := p.grant(); !grant.RefreshToken.IsZero() {
		t.Error("the refresh token that is over is still there")
	}
}

// A sign-in during a refresh is the newer one of the two.
func TestSignInDuringARefreshCounts(t *testing.T) {
	p := signedIn(t, nil)
	signed := make(chan error, 1)
	p.fake.Set(func(s *oauthtest.Switches) {
		s.TokenDelay = sync.OnceFunc(func() { signed <- p.client.SignIn(context.Background(), p.server, store.SignInOptions{}, p.report) })
	})
	renewed, err := p.client.renew(t.Context(), p.server, p.grant().Generation)
	must(t, errors.Join(err, <-signed))
	if grant := p.grant(); grant.Generation != renewed.Generation || !p.fake.Live(grant.RefreshToken.Reveal()) {
		t.Errorf("%+v, %+v", grant, renewed)
	}
}

// Row 9 with trouble: without the resource the answer is one of the moment, which must not end the grant.
func TestRow9TroubleOfTheSecondTryKeepsTheGrant(t *testing.T) {
	p := signedIn(t, func(s *oauthtest.Switches) { s.RefuseRefreshResource = true })
	calls := 0
	p.fake.Set(func(s *oauthtest.Switches) {
		s.TokenDelay = func() {
			if calls++; calls == 1 {
				p.fake.Set(func(s *oauthtest.Switches) { s.TokenStatus = http.StatusServiceUnavailable })
			}
		}
	})
	p.fake.ExpireAccess()
	if _, err := p.ask(); err == nil || reasonOf(err) != "" {
		t.Fatalf("%v", err)
	}
	p.fake.Set(func(s *oauthtest.Switches) { s.TokenStatus = 0 })
	if status, err := p.ask(); status != 200 || err != nil {
		t.Errorf("%d, %v", status, err)
	}
}

// faultyStore breaks what a test names.
type faultyStore struct {
	*store.Store
	wait time.Duration // before each lease
	left []time.Duration
}

func (s *faultyStore) Lease(ctx context.Context, name string, ttl time.Duration) (*store.Lease, error) {
	time.Sleep(s.wait)
	return s.Store.Lease(ctx, name, ttl)
}

func (s *faultyStore) IssuerNote(ctx context.Context, issuer string) (store.IssuerNote, error) {
	if end, ok := ctx.Deadline(); ok {
		s.left = append(s.left, time.Until(end))
	}
	return s.Store.IssuerNote(ctx, issuer)
}

func withFaults(t *testing.T, set func(*oauthtest.Switches)) (*person, *faultyStore) {
	t.Helper()
	faulty := new(faultyStore)
	p := newPerson(t, set, func(p *person, o *Options) { faulty.Store, o.Store = p.store, faulty })
	must(t, p.signIn(store.SignInOptions{}))
	return p, faulty
}

// Waiting for the lease takes nothing from the time for the answer: a refresh token that is sent too late to hear it is used up for nothing.
func TestWaitingForTheLeaseLeavesTimeForTheAnswer(t *testing.T) {
	p, faulty := withFaults(t, nil)
	faulty.wait, faulty.left = time.Second, nil
	p.fake.ExpireAccess()
	if status, err := p.ask(); status != 200 || err != nil {
		t.Fatalf("%d, %v", status, err)
	}
	if len(faulty.left) != 1 || faulty.left[0] < renewLimit-500*time.Millisecond {
		t.Errorf("%v left", faulty.left)
	}
}

// Signing out waits for a refresh that is under way, so that the tokens it brings are revoked, too.
func TestSignOutDuringARefreshRevokesWhatItBrings(t *testing.T) {
	p := signedIn(t, nil)
	out := make(chan error, 1)
	p.fake.Set(func(s *oauthtest.Switches) {
		s.TokenDelay = sync.OnceFunc(func() {
			go func() { out <- p.client.SignOut(context.Background(), p.server) }()
			time.Sleep(300 * time.Millisecond)
		})
	})
	renewed, err := p.client.renew(t.Context(), p.server, p.grant().Generation)
	must(t, errors.Join(err, <-out))
	if _, err := p.store.Grant(t.Context(), "s"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("%v", err)
	}
	for _, token := range []store.Secret{renewed.AccessToken, renewed.RefreshToken} {
		if p.fake.Live(token.Reveal()) {
			t.Error("a token is still good")
		}
	}
}

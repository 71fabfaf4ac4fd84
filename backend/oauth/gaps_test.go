package oauth

import (
	"context"
	"net"
	"slices"
	"strings"
	"testing"

	"jackfield/backend/oauth/oauthtest"
	"jackfield/backend/store"
)

// endingStore ends something after the last thing that a sign-in stores.
type endingStore struct {
	*store.Store
	end func()
}

func (s *endingStore) PutIssuerNote(ctx context.Context, note store.IssuerNote) error {
	defer s.end()
	return s.Store.PutIssuerNote(ctx, note)
}

// A cancel that comes when everything is stored does not make a success a failure.
func TestCancelAfterTheGrantIsKeptIsTooLate(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p := newPerson(t, nil, func(p *person, o *Options) { o.Store = &endingStore{p.store, cancel} })
	must(t, p.client.SignIn(ctx, p.server, store.SignInOptions{}, p.report))
	kept, err := p.store.SignIn(t.Context(), "s")
	if err != nil || kept.State != store.SignInDone || ctx.Err() == nil {
		t.Errorf("%+v, %v, %v", kept, err, ctx.Err())
	}
}

// Row 21: the browser takes either half of localhost, so a port that somebody else has on one of them is a busy one.
func TestRow21BothHalvesOfLocalhost(t *testing.T) {
	var config net.ListenConfig
	other, err := config.Listen(t.Context(), "tcp6", "[::1]:0")
	if err != nil { // a machine without IPv6 has one half
		l, err := listen(t.Context(), store.RedirectLocalhost, "0")
		must(t, err)
		l.close()
		return
	}
	defer other.Close()
	if l, err := listen(t.Context(), store.RedirectLocalhost, portOf("http://"+other.Addr().String())); err == nil {
		l.close()
		t.Error("the other half belongs to somebody else")
	}
	p := newPerson(t, nil)
	done := p.begin(store.SignInOptions{NoBrowser: true, Redirect: store.RedirectLocalhost})
	row := p.until(store.SignInWaiting)
	for _, half := range []string{"127.0.0.1", "[::1]"} {
		address := strings.Replace(row.RedirectURI, "localhost", half, 1)
		if status, _, _ := get(t, "GET", address+"?state=x", ""); status != 400 {
			t.Errorf("%s: %d", address, status)
		}
	}
	if status, _, _ := get(t, "GET", strings.Replace(row.RedirectURI, "/callback", "/%63allback", 1), ""); status != 404 {
		t.Errorf("another spelling of the path: %d", status)
	}
	must(t, p.client.Close())
	<-done
}

// What one authorization server was asked for is not asked of another.
func TestScopesDoNotMoveToAnotherIssuer(t *testing.T) {
	p := signedIn(t, func(s *oauthtest.Switches) { s.ResourceScopes = []string{"read"} })
	other := oauthtest.New(t)
	p.fake.Set(func(s *oauthtest.Switches) {
		s.ResourceScopes, s.AuthorizationServers = []string{"write"}, []string{other.Issuer()}
	})
	must(t, p.signIn(store.SignInOptions{}))
	if grant := p.grant(); grant.Issuer != other.Issuer() || !slices.Equal(grant.ScopesRequested, []string{"write"}) {
		t.Errorf("%+v", grant)
	}
}

// A client ID of blanks is none: the form goes on waiting.
func TestBlankClientIDIsNone(t *testing.T) {
	p := newPerson(t, func(s *oauthtest.Switches) { s.NoRegistration = true })
	done := p.begin(store.SignInOptions{NoBrowser: true})
	row := p.until(store.SignInClient)
	must(t, p.client.Input("s", store.SignInInput{ClientID: "  "}))
	p.fake.AddClient(oauthtest.Client{ID: "mine", RedirectURIs: []string{row.RedirectURI}})
	must(t, p.client.Input("s", store.SignInInput{ClientID: " mine "}))
	if row := p.until(store.SignInWaiting); !strings.Contains(row.URL, "client_id=mine&") {
		t.Errorf("%s", row.URL)
	}
	must(t, p.client.Close())
	<-done
}

package oauth

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"jackfield/backend/oauth/oauthtest"
	"jackfield/backend/store"
)

func TestParseCallback(t *testing.T) {
	state := newState()
	good := SchemeRedirect + "?code=c&state=" + state
	for raw, want := range map[string]error{
		good:                     nil,
		good + "&iss=x&extra=1":  nil,
		good + "&code=d":         errCallbackTwice,
		good + "&state=" + state: errCallbackTwice,
		good + "#frag":           errCallbackForm,
		good + "\n":              errCallbackForm,
		good + " ":               errCallbackForm,
		good + "&x=%zz":          errCallbackForm,
		good + "&" + strings.Repeat("x", maxCallback):           errCallbackForm,
		"JACKFIELD://oauth/callback?code=c&state=" + state:      errCallbackAddress,
		"jackfield://user@oauth/callback?code=c&state=" + state: errCallbackAddress,
		"jackfield://oauth:1/callback?code=c&state=" + state:    errCallbackAddress,
		"jackfield://oauth/callback/?code=c&state=" + state:     errCallbackAddress,
		"jackfield://oauth/%63allback?code=c&state=" + state:    errCallbackAddress,
		"jackfield:oauth/callback?code=c&state=" + state:        errCallbackAddress,
		SchemeRedirect:                                  errCallbackForm,
		SchemeRedirect + "?code=c":                      errCallbackState,
		SchemeRedirect + "?code=c&state=short":          errCallbackState,
		SchemeRedirect + "?code=c&state=" + state + "x": errCallbackState,
	} {
		if _, err := parseCallback(raw, SchemeRedirect); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", raw, err, want)
		}
	}
}

func TestStateIsNotTheVerifier(t *testing.T) { // CVE-2026-34511
	p := newPerson(t, nil)
	must(t, p.signIn(store.SignInOptions{}))
	r := p.fake.TokenRequests("authorization_code")[0]
	if verifier := r.Form.Get("code_verifier"); verifier == "" || strings.Contains(p.opened[0], verifier) {
		t.Errorf("the verifier %q travelled in %s", verifier, p.opened[0])
	}
}

// waitingPerson waits for a browser that does nothing.
func waitingPerson(t *testing.T, o store.SignInOptions) (*person, store.SignIn, <-chan error) {
	t.Helper()
	p := newPerson(t, nil)
	o.NoBrowser = true
	done := p.begin(o)
	return p, p.until(store.SignInWaiting), done
}

func get(t *testing.T, method, address, host string) (int, string, http.Header) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, address, nil)
	must(t, err)
	if host != "" {
		request.Host = host
	}
	transport := &http.Transport{DisableKeepAlives: true}
	response, err := transport.RoundTrip(request)
	must(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	must(t, err)
	return response.StatusCode, string(body), response.Header
}

func TestListenerServesTheCallbackOnly(t *testing.T) {
	p, row, done := waitingPerson(t, store.SignInOptions{})
	base := strings.TrimSuffix(row.RedirectURI, loopbackPath)
	for _, c := range []struct {
		method, address, host string
		want                  int
	}{
		{"GET", base + "/", "", 404},
		{"GET", base + "/callback/", "", 404},
		{"GET", base + "/callback/../callback", "", 404},
		{"POST", row.RedirectURI + "?state=x", "", 405},
		{"GET", row.RedirectURI, "evil.example", 403},
		{"GET", row.RedirectURI, "127.0.0.1", 403},
		{"GET", row.RedirectURI, "", 400},
		{"GET", row.RedirectURI + "?code=c&state=" + newState(), "", 400}, // forged
		{"GET", row.RedirectURI + "?code=c&error=%3Cscript%3E&state=" + newState(), "", 400},
	} {
		status, body, header := get(t, c.method, c.address, c.host)
		if status != c.want || strings.Contains(body, "<script") || header.Get("Referrer-Policy") != "no-referrer" ||
			!strings.HasPrefix(header.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("%+v: %d %v %s", c, status, header, body)
		}
	}
	if got := p.last().State; got != store.SignInWaiting {
		t.Errorf("a forged callback changed the attempt: %s", got)
	}
	landing, err := oauthtest.Browse(t.Context(), row.URL)
	if err != nil || !strings.Contains(landing.Body, "You are signed in") {
		t.Errorf("%+v, %v", landing, err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if _, err := http.Get(row.RedirectURI); err == nil {
		t.Error("the listener is still there")
	}
}

// Row 21: the browser may take either address for localhost, and gets the whole page although the listener closes at once.
func TestRow21LocalhostAnswersOnBothAddresses(t *testing.T) {
	p := newPerson(t, nil)
	done := p.begin(store.SignInOptions{NoBrowser: true, Redirect: store.RedirectLocalhost})
	row := p.until(store.SignInWaiting)
	port := portOf(row.RedirectURI)
	hosts := []string{"127.0.0.1"}
	if probe, err := net.Listen("tcp6", "[::1]:0"); err == nil { // a machine without IPv6 has one address
		hosts = append(hosts, "[::1]")
		must(t, probe.Close())
	}
	for _, host := range hosts {
		if status, _, _ := get(t, "GET", "http://"+host+":"+port+loopbackPath, "localhost:"+port); status != 400 {
			t.Errorf("%s: %d", host, status)
		}
	}
	landing, err := oauthtest.Browse(t.Context(), row.URL)
	if err != nil || !strings.Contains(landing.Body, "You are signed in") || !strings.HasSuffix(strings.TrimSpace(landing.Body), "</html>") {
		t.Errorf("%+v, %v", landing, err)
	}
	must(t, <-done)
}

func TestRow28ForgedThenGenuine(t *testing.T) {
	p, row, done := waitingPerson(t, store.SignInOptions{})
	if err := p.client.Input("s", store.SignInInput{Address: row.RedirectURI + "?error=access_denied&state=" + newState()}); !errors.Is(err, errCallbackState) {
		t.Errorf("forged: %v", err)
	}
	if _, err := oauthtest.Browse(t.Context(), row.URL); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

func TestNoCodeKeepsWaiting(t *testing.T) {
	p, row, done := waitingPerson(t, store.SignInOptions{})
	state := stateOf(t, row.URL)
	status, _, _ := get(t, "GET", fmt.Sprintf("%s?state=%s", row.RedirectURI, state), "")
	if status != 400 {
		t.Errorf("%d", status)
	}
	p.until(store.SignInWaiting)
	if _, err := oauthtest.Browse(t.Context(), row.URL); err != nil { // the genuine one still works
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

func stateOf(t *testing.T, address string) string {
	t.Helper()
	request, err := http.NewRequest(http.MethodGet, address, nil)
	must(t, err)
	return request.URL.Query().Get("state")
}

// Row 32: the address is pasted, where the callback never arrived.
func TestRow32PastedAddress(t *testing.T) {
	p := newPerson(t, nil)
	done := p.begin(store.SignInOptions{NoBrowser: true, Redirect: store.RedirectScheme})
	row := p.until(store.SignInWaiting)
	landing, err := oauthtest.Browse(t.Context(), row.URL)
	must(t, err)
	for _, wrong := range []string{"https://example.com/?code=1", "nonsense", strings.Replace(landing.URL, "jackfield:", "http:", 1)} {
		if err := p.client.Input("s", store.SignInInput{Address: wrong}); err == nil {
			t.Errorf("%s was taken", wrong)
		}
	}
	must(t, p.client.Input("s", store.SignInInput{Address: "  " + landing.URL + "\n"}))
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

func TestDuplicateAndLateCallbacks(t *testing.T) {
	p := newPerson(t, nil)
	done := p.begin(store.SignInOptions{NoBrowser: true, Redirect: store.RedirectScheme})
	row := p.until(store.SignInWaiting)
	landing, err := oauthtest.Browse(t.Context(), row.URL)
	must(t, err)
	must(t, p.client.Callback(landing.URL))
	if err := p.client.Callback(landing.URL); err != nil && !errors.Is(err, errCallbackState) {
		t.Errorf("duplicate: %v", err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if n := len(p.fake.TokenRequests("authorization_code")); n != 1 {
		t.Errorf("the code was exchanged %d times", n)
	}
	if err := p.client.Callback(landing.URL); !errors.Is(err, errCallbackState) {
		t.Errorf("late: %v", err)
	}
}

// Also row 27: each server has a token of its own, though the issuer is the same.
func TestRow27TwoServersOfOneIssuerKeepTheirOwnTokens(t *testing.T) {
	p := newPerson(t, nil)
	other := p.server
	other.ID = "t"
	must(t, p.store.PutServer(t.Context(), other))
	rows := make(chan store.SignIn, 100)
	second := make(chan error, 1)
	go func() {
		second <- p.client.SignIn(t.Context(), other, store.SignInOptions{NoBrowser: true, Redirect: store.RedirectScheme}, func(r store.SignIn) {
			if r.State == store.SignInWaiting {
				rows <- r
			}
		})
	}()
	one := <-rows
	first := p.begin(store.SignInOptions{NoBrowser: true, Redirect: store.RedirectScheme})
	two := p.until(store.SignInWaiting)
	for _, address := range []string{two.URL, one.URL} {
		landing, err := oauthtest.Browse(t.Context(), address)
		must(t, err)
		must(t, p.client.Callback(landing.URL))
	}
	must(t, errors.Join(<-first, <-second))
	a, err := p.store.Grant(t.Context(), "t")
	if b := p.grant(); err != nil || a.AccessToken.Equal(b.AccessToken) { // row 27: a token of its own for each server
		t.Errorf("%v", err)
	}
}

// A loopback attempt does not take what comes by the scheme.
func TestKindsAreNotMixed(t *testing.T) {
	p, row, done := waitingPerson(t, store.SignInOptions{})
	if err := p.client.Callback(SchemeRedirect + "?code=c&state=" + stateOf(t, row.URL)); !errors.Is(err, errCallbackState) {
		t.Errorf("%v", err)
	}
	must(t, p.client.Close())
	<-done
}

func FuzzCallback(f *testing.F) {
	state := newState()
	f.Add(SchemeRedirect+"?code=c&state="+state, SchemeRedirect)
	f.Add("http://127.0.0.1:1/callback?error=x&state="+state, "http://127.0.0.1:1/callback")
	f.Add("jackfield://oauth/callback?state=%00", SchemeRedirect)
	f.Fuzz(func(t *testing.T, raw, redirect string) {
		r, err := parseCallback(raw, redirect)
		if err != nil {
			return
		}
		if !strings.HasPrefix(raw, redirect+"?") || len(r.State) != stateLength || len(raw) > maxCallback {
			t.Errorf("%q was taken for %q: %+v", raw, redirect, r)
		}
	})
}

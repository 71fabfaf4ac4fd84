package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"jackfield/backend/store"
)

// authorize sends the person's browser to the authorization server, waits for it to come back, and exchanges the code.
func (a *attempt) authorize(ctx context.Context, kind store.RedirectKind, client store.Registration, stored bool, redirect string) error {
	a.begin(stepAuthorize, "Waiting for your browser")
	scopes := requestScopes(a.found, a.client.noticed(a.server.ID), a.server.SignIn, a.earlierScopes())
	w := &waiting{state: newState(), verifier: oauth2.GenerateVerifier(), redirect: redirect, kind: kind, deadline: time.Now().Add(a.client.patience())}
	w.arrived, w.empty = make(chan arrival, 1), make(chan struct{}, 1)
	address, err := a.request(client, w, scopes)
	if err != nil {
		return err
	}
	// What is recorded before the browser goes: state, verifier, issuer and redirect belong together from here on.
	a.mu.Lock()
	a.wait = w
	a.mu.Unlock()
	defer a.waited(w)
	opened := a.start(ctx, address)
	a.change(func(row *store.SignIn) {
		row.State, row.Detail, row.Deadline = store.SignInWaiting, "Waiting for your browser", w.deadline
		row.URL, row.Opened, row.Redirect, row.RedirectURI, row.Scopes = address, opened, kind, redirect, scopes
	})
	defer a.change(func(row *store.SignIn) { row.URL, row.Deadline = "", time.Time{} })

	timer := time.NewTimer(time.Until(w.deadline))
	defer timer.Stop()
	for {
		select {
		case arrived := <-w.arrived:
			return a.arrival(ctx, client, w, scopes, arrived)
		case <-w.empty:
			a.change(func(row *store.SignIn) {
				row.Detail = "The browser came back without an answer. Finish signing in there."
			})
		case input := <-a.inputs:
			switch {
			case input.BrowserError:
				select {
				case arrived := <-w.arrived: // it came back after all
					return a.arrival(ctx, client, w, scopes, arrived)
				default:
				}
				return &browserError{stored: stored && client.Source == store.FromDynamic}
			case input.OpenAgain:
				opened := a.start(ctx, address)
				a.change(func(row *store.SignIn) { row.Opened = opened })
			}
		case <-timer.C:
			return &signInError{
				message: fmt.Sprintf("The browser did not come back within %s.", shortDuration(a.client.patience())),
				hint:    "Sign in again. If the browser showed an error, choose “The browser shows an error” next time.", cause: errWaitLimit,
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func shortDuration(d time.Duration) string {
	if d >= time.Minute && d%time.Minute == 0 {
		return fmt.Sprintf("%d minutes", int(d/time.Minute))
	}
	return d.String()
}

// start opens the browser. That it could not is no failure: the person has the link.
func (a *attempt) start(ctx context.Context, address string) bool {
	if a.options.NoBrowser || a.client.options.Open == nil {
		return false
	}
	if err := a.client.options.Open(ctx, address); err != nil {
		a.client.log.Warn("the browser could not be started", "error", err)
		return false
	}
	return true
}

// request is the authorization request (RFC 6749 section 4.1.1, RFC 7636, RFC 8707).
func (a *attempt) request(client store.Registration, w *waiting, scopes []string) (string, error) {
	u, err := url.Parse(a.found.AuthorizationEndpoint)
	if err != nil {
		return "", fmt.Errorf("the authorization endpoint cannot be read: %w", plainError(err))
	}
	query := u.Query()
	for name, value := range map[string]string{
		"response_type": "code", "client_id": client.ClientID, "redirect_uri": w.redirect, "state": w.state,
		"code_challenge": oauth2.S256ChallengeFromVerifier(w.verifier), "code_challenge_method": "S256",
	} {
		query.Set(name, value)
	}
	for name, values := range a.form(url.Values{}, scopes) {
		query[name] = values
	}
	// OpenID Connect Core 11: without this parameter a provider gives no refresh token for offline_access. Others may refuse what they do
	// not know.
	if a.found.OpenID && slices.Contains(scopes, offlineAccess) && !a.server.SignIn.NoConsent {
		query.Set("prompt", "consent")
	}
	u.RawQuery = query.Encode()
	return u.String(), nil
}

// deliver takes a response that came by a kind of redirect. It belongs to this attempt if its state is the one that is waited for; the
// same one again, after it was accepted, gets the same page and changes nothing.
func (a *attempt) deliver(r response, kind store.RedirectKind) (<-chan outcome, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.taken != "" && sameState(r.State, a.taken) {
		return repeat(a.result), nil
	}
	w := a.wait
	if w == nil || w.kind != kind || !sameState(r.State, w.state) || time.Now().After(w.deadline) {
		return nil, errCallbackState
	}
	if r.Code != "" || r.Error != "" {
		a.taken, a.result = r.State, make(chan outcome, 1)
		w.arrived <- arrival{r, a.result} // has room: a state is taken once
		return repeat(a.result), nil
	}
	// Neither code nor error: the genuine answer may still come.
	select {
	case w.empty <- struct{}{}:
	default:
	}
	return nil, errors.New("the authorization server sent neither a code nor an error; Jackfield goes on waiting")
}

// repeat lets several pages read one outcome.
func repeat(result chan outcome) <-chan outcome {
	one := make(chan outcome, 1)
	go func() {
		// The outcome comes from arrival, or else from the end of the wait.
		end := <-result
		result <- end
		one <- end
	}()
	return one
}

// waited ends the wait for the browser. A response that was taken, but that nobody came to look at, gets its page: what it belongs to is over,
// and the next request has another verifier.
func (a *attempt) waited(w *waiting) {
	a.mu.Lock()
	a.wait = nil
	a.mu.Unlock()
	select {
	case late := <-w.arrived:
		late.done <- outcome{"This sign-in has ended", "Jackfield shows what to do next.", http.StatusOK}
	default:
	}
}

// arrival decides about a response, and with it about the attempt.
func (a *attempt) arrival(ctx context.Context, client store.Registration, w *waiting, scopes []string, arrived arrival) error {
	err := a.judge(arrived.response)
	if err == nil {
		a.end(stepAuthorize, stepDone, "you agreed")
		err = a.exchange(ctx, client, w, scopes, arrived.response.Code)
	}
	if err != nil {
		arrived.done <- outcome{"The sign-in did not work", describe(err).Message + " Jackfield shows what to do next.", http.StatusOK}
		return err
	}
	arrived.done <- outcome{"You are signed in", "You can close this page and go back to Jackfield.", http.StatusOK}
	return nil
}

// judge looks at a response before anything is sent anywhere.
func (a *attempt) judge(r response) error {
	if err := checkIssuer(r, a.found); err != nil {
		return &signInError{message: err.Error(), hint: "Nothing was sent. Sign in again; if it happens again, do not trust this server.", cause: err}
	}
	if r.Error == "" {
		return nil
	}
	return refusedAuthorization(inert(r.Error, 64), inert(r.Description, 300), len(a.resource()) > 0)
}

// refusedAuthorization reads an error response (RFC 6749 section 4.1.2.1). Its text comes from outside and is shown as such.
func refusedAuthorization(code, description string, resource bool) *signInError {
	said := code
	if description != "" {
		said = fmt.Sprintf("%s: “%s”", code, description)
	}
	e := &signInError{message: fmt.Sprintf("The authorization server refused (%s).", said), hint: "Sign in again, or ask who runs the server."}
	switch code {
	case "access_denied":
		e.message = "The sign-in was declined in the browser."
		if description != "" {
			e.message += fmt.Sprintf(" The authorization server says: “%s”.", description)
		}
		e.hint = "Sign in again if that was a mistake."
	case "invalid_target":
		if resource {
			e.hint = "Some authorization servers refuse the parameter “resource”. Switch it off, or enter the value they expect, in the settings of this server."
		}
	case "invalid_scope":
		e.hint = "The server asks for scopes that its authorization server does not know. Name the right ones in the settings of this server."
	case "server_error", "temporarily_unavailable":
		e.hint = "Try again later."
	case "unauthorized_client", "invalid_client":
		e.hint = "Sign in again and register anew, or enter a client ID of your own in the settings of this server."
	}
	return e
}

func (a *attempt) exchange(ctx context.Context, client store.Registration, w *waiting, scopes []string, code string) error {
	a.begin(stepExchange, "Exchanging the code")
	form := a.form(url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {w.redirect}, "code_verifier": {w.verifier},
	}, nil)
	got, err := a.fetch.token(ctx, a.found.TokenEndpoint, client, a.server.SignIn.PrivateKey, form)
	var refused *endpointError
	if errors.As(err, &refused) {
		return a.refusedExchange(ctx, client, refused)
	}
	if err != nil {
		return err
	}
	return a.keep(ctx, client, got, scopes)
}

// refusedExchange says what to do after a token endpoint's refusal. A client that is not known any more is forgotten, so that the next
// attempt registers anew; this one does not, since that would open a second page in the browser.
func (a *attempt) refusedExchange(ctx context.Context, client store.Registration, refused *endpointError) error {
	e := &signInError{message: sentenceCase(refused.Error()) + ".", hint: "Sign in again.", cause: refused}
	if refused.Description != "" {
		e.message += fmt.Sprintf(" It says: “%s”.", refused.Description)
	}
	switch refused.Code {
	case "invalid_client", "unauthorized_client":
		if client.Source != store.FromDynamic {
			e.hint = "Check the client ID, its secret and the way it authenticates, in the settings of this server."
			break
		}
		if err := a.client.options.Store.DeleteRegistration(ctx, client); err != nil {
			return err
		}
		e.hint = "The registration was forgotten: sign in again to register anew."
	case "invalid_target":
		e.hint = "Switch the parameter “resource” off, or enter the value they expect, in the settings of this server."
	}
	if refused.Status >= 500 {
		e.hint = "Try again later."
	}
	return e
}

func sentenceCase(text string) string {
	if text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

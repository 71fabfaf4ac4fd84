package oauthtest

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// token is the token endpoint.
func (f *Fake) token(w http.ResponseWriter, r *http.Request) {
	s := f.now()
	if err := r.ParseForm(); err != nil {
		refuse(w, http.StatusBadRequest, "invalid_request", "the form cannot be read")
		return
	}
	if s.TokenStatus != 0 {
		http.Error(w, "<p>busy", s.TokenStatus)
		return
	}
	client, failure := f.authenticate(r, s)
	if failure != "" {
		refuse(w, http.StatusUnauthorized, "invalid_client", failure)
		return
	}
	if s.RefuseResource && r.PostForm.Has("resource") || s.NeedResource && !r.PostForm.Has("resource") {
		refuse(w, http.StatusBadRequest, "invalid_target", "the fake does not like the resource")
		return
	}
	if s.ErrorIn200 != "" {
		f.write(w, s, url.Values{"error": {s.ErrorIn200}, "error_description": {"The fake says no"}}, http.StatusOK)
		return
	}
	switch r.PostForm.Get("grant_type") {
	case "authorization_code":
		f.exchange(w, r, s, client)
	case "refresh_token":
		f.renew(w, r, s, client)
	case "client_credentials":
		if client.AuthMethod == "none" || client.AuthMethod == "" {
			refuse(w, http.StatusBadRequest, "unauthorized_client", "a public client has no credentials")
			return
		}
		f.grant(w, s, client.ID, r.PostForm.Get("resource"), r.PostForm.Get("scope"), text(), false)
	default:
		refuse(w, http.StatusBadRequest, "unsupported_grant_type", "")
	}
}

// authenticate checks that the client does exactly what it is registered for (RFC 6749 section 2.3).
func (f *Fake) authenticate(r *http.Request, s Switches) (client Client, failure string) {
	method, id, secret := "none", r.PostForm.Get("client_id"), ""
	if header := r.Header.Get("Authorization"); header != "" {
		user, password, ok := r.BasicAuth()
		if !ok {
			return Client{}, "not Basic"
		}
		var errID, errSecret error
		id, errID = url.QueryUnescape(user)
		secret, errSecret = url.QueryUnescape(password)
		if errID != nil || errSecret != nil {
			return Client{}, "the credentials are not form-encoded"
		}
		method = "client_secret_basic"
	} else if r.PostForm.Has("client_secret") {
		method, secret = "client_secret_post", r.PostForm.Get("client_secret")
	} else if r.PostForm.Has("client_assertion") {
		method = "private_key_jwt"
		if r.PostForm.Get("client_assertion_type") != "urn:ietf:params:oauth:client-assertion-type:jwt-bearer" {
			return Client{}, "wrong client_assertion_type"
		}
		claims := jwt.RegisteredClaims{}
		_, _, err := jwt.NewParser().ParseUnverified(r.PostForm.Get("client_assertion"), &claims)
		if err != nil {
			return Client{}, "the assertion cannot be read"
		}
		id = claims.Issuer
	}
	f.mu.Lock()
	client, known := f.clients[id]
	f.mu.Unlock()
	wanted := client.AuthMethod
	if wanted == "" {
		wanted = "none"
	}
	switch {
	case !known:
		return Client{}, "the client is not known"
	case method != wanted:
		return Client{}, fmt.Sprintf("the client has to use %s, not %s", wanted, method)
	case client.Secret != "" && secret != client.Secret:
		return Client{}, "the secret is wrong"
	case method == "private_key_jwt":
		if err := f.checkAssertion(r.PostForm.Get("client_assertion"), client); err != nil {
			return Client{}, err.Error()
		}
	}
	return client, ""
}

func (f *Fake) checkAssertion(assertion string, client Client) error {
	_, err := jwt.ParseWithClaims(assertion, &jwt.RegisteredClaims{}, func(*jwt.Token) (any, error) { return client.Key, nil },
		jwt.WithValidMethods([]string{"ES256", "RS256", "EdDSA"}), jwt.WithAudience(f.Issuer()), jwt.WithIssuer(client.ID), jwt.WithSubject(client.ID),
		jwt.WithExpirationRequired())
	return err
}

func (f *Fake) exchange(w http.ResponseWriter, r *http.Request, s Switches, client Client) {
	form := r.PostForm
	f.mu.Lock()
	found := f.codes[form.Get("code")]
	bad := ""
	switch {
	case found == nil:
		bad = "the code is not known"
	case found.used:
		bad = "the code was used"
		f.endFamily(found.family)
	case found.client != client.ID:
		bad = "the code is another client's"
	case found.redirect != form.Get("redirect_uri"):
		bad = "the redirect is another one"
	case found.challenge != Challenge(form.Get("code_verifier")):
		bad = "the verifier does not fit"
	case found.resource != form.Get("resource"):
		bad = "the resource is another one"
	}
	if found != nil {
		found.used = true
	}
	f.mu.Unlock()
	if bad != "" {
		refuse(w, http.StatusBadRequest, "invalid_grant", bad)
		return
	}
	refreshable := !s.NoRefresh && (!s.NeedOffline || holds(found.scope, "offline_access")) && (!s.NeedConsent || found.consent)
	f.grant(w, s, client.ID, found.resource, found.scope, found.family, refreshable)
}

func (f *Fake) renew(w http.ResponseWriter, r *http.Request, s Switches, client Client) {
	if s.TokenDelay != nil {
		s.TokenDelay()
	}
	switch {
	case s.RefreshError != "":
		status := s.RefreshStatus
		if status == 0 {
			status = http.StatusBadRequest
		}
		refuse(w, status, s.RefreshError, "the fake says no")
		return
	case s.RefreshStatus != 0:
		http.Error(w, "busy", s.RefreshStatus)
		return
	case s.RefuseRefreshResource && r.PostForm.Has("resource"):
		refuse(w, http.StatusBadRequest, "invalid_target", "no resource in a refresh, please")
		return
	}
	value := r.PostForm.Get("refresh_token")
	f.mu.Lock()
	found := f.refresh[value]
	bad := found == nil || found.client != "" && found.client != client.ID
	if !bad && found.spent {
		f.endFamily(found.family) // somebody has a copy: nobody may go on (RFC 9700 section 4.14.2)
		bad = true
	}
	if !bad && !s.OmitRefresh {
		found.spent = true
	}
	f.mu.Unlock()
	if bad {
		refuse(w, http.StatusBadRequest, "invalid_grant", "the refresh token is not good")
		return
	}
	scope := found.scope
	if asked := r.PostForm.Get("scope"); asked != "" {
		for _, one := range strings.Fields(asked) {
			if !holds(found.scope, one) {
				refuse(w, http.StatusBadRequest, "invalid_scope", "a refresh cannot widen")
				return
			}
		}
		scope = asked
	}
	f.grant(w, s, client.ID, found.resource, scope, found.family, !s.OmitRefresh)
}

// endFamily ends every token of one sign-in. f.mu must be held.
func (f *Fake) endFamily(family string) {
	for _, kind := range []map[string]*token{f.access, f.refresh} {
		for value, t := range kind {
			if t.family == family {
				delete(kind, value)
			}
		}
	}
}

// grant issues tokens and answers with them.
func (f *Fake) grant(w http.ResponseWriter, s Switches, client, resource, scope, family string, refreshable bool) {
	if s.Scopes != "" {
		scope = s.Scopes
	}
	lifetime := time.Hour
	if seconds, err := strconv.Atoi(s.ExpiresIn); err == nil {
		lifetime = time.Duration(seconds) * time.Second
	}
	access, refresh := "at-"+text(), "rt-"+text()
	f.mu.Lock()
	// A token of "no" seconds is still let in: what a client makes of expires_in is what is tested, not the clock of the fake.
	f.access[access] = &token{client: client, resource: resource, scope: scope, family: family, expires: time.Now().Add(max(lifetime, time.Second))}
	if refreshable {
		f.refresh[refresh] = &token{client: client, resource: resource, scope: scope, family: family}
	}
	f.mu.Unlock()
	form := url.Values{"access_token": {access}, "token_type": {"Bearer"}}
	if s.TokenType != "" {
		form.Set("token_type", s.TokenType)
	}
	if s.ExpiresIn != "missing" {
		form.Set("expires_in", strconv.Itoa(int(lifetime/time.Second)))
	}
	if refreshable {
		form.Set("refresh_token", refresh)
	}
	if scope != "" && !s.NoScope {
		form.Set("scope", scope)
	}
	f.write(w, s, form, http.StatusOK)
}

func (f *Fake) write(w http.ResponseWriter, s Switches, form url.Values, status int) {
	if s.FormTokens {
		w.Header().Set("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, form.Encode())
		return
	}
	document := map[string]any{}
	for key := range form {
		document[key] = form.Get(key)
		if number, err := strconv.Atoi(form.Get(key)); err == nil && key == "expires_in" {
			document[key] = number
		}
	}
	answer(w, status, document)
}

// revoke is RFC 7009: whatever the token, the answer is 200.
func (f *Fake) revoke(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		refuse(w, http.StatusBadRequest, "invalid_request", "the form cannot be read")
		return
	}
	client, failure := f.authenticate(r, f.now())
	if failure != "" {
		refuse(w, http.StatusUnauthorized, "invalid_client", failure)
		return
	}
	value := r.PostForm.Get("token")
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, t := range []*token{f.refresh[value], f.access[value]} {
		if t != nil && slices.Contains([]string{"", client.ID}, t.client) {
			f.endFamily(t.family)
		}
	}
	w.WriteHeader(http.StatusOK)
}

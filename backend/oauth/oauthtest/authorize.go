package oauthtest

import (
	"crypto/sha256"
	"encoding/base64"
	"html"
	"net/http"
	"net/url"
)

// authorize is the authorization endpoint. What is wrong with client or redirect is shown on a page; everything else goes back.
func (f *Fake) authorize(w http.ResponseWriter, r *http.Request) {
	s := f.now()
	q := r.URL.Query()
	f.mu.Lock()
	client, known := f.clients[q.Get("client_id")]
	f.mu.Unlock()
	redirect := q.Get("redirect_uri")
	switch {
	case !known || q.Get("client_id") == MetadataURL && !s.Documented:
		page(w, http.StatusBadRequest, "This client is not known: "+html.EscapeString(q.Get("client_id")))
		return
	case !registered(s, client, redirect):
		page(w, http.StatusBadRequest, "This redirect is not registered: "+html.EscapeString(redirect))
		return
	}
	target, err := url.Parse(redirect)
	if err != nil {
		page(w, http.StatusBadRequest, "This redirect cannot be read")
		return
	}
	if s.Consent == ErrorPage || s.SchemePage && target.Scheme != "http" && target.Scheme != "https" {
		page(w, http.StatusBadRequest, "Something went wrong")
		return
	}
	back := target.Query()
	state := q.Get("state")
	if s.WrongState {
		state = "x" + state
	}
	back.Set("state", state)
	if iss := f.iss(s); iss != "" {
		back.Set("iss", iss)
	}
	if failure := f.judge(s, q); failure != "" {
		back.Set("error", failure)
		back.Set("error_description", "The fake says no")
	} else if s.Consent != NoCode {
		value := "code-" + text()
		f.mu.Lock()
		f.codes[value] = &code{
			client: client.ID, redirect: redirect, challenge: q.Get("code_challenge"), resource: q.Get("resource"), scope: q.Get("scope"),
			consent: q.Get("prompt") == "consent", family: text(),
		}
		f.mu.Unlock()
		back.Set("code", value)
	}
	target.RawQuery = back.Encode()
	w.Header().Set("Location", target.String())
	w.WriteHeader(http.StatusFound)
}

func (f *Fake) judge(s Switches, q url.Values) string {
	switch {
	case q.Get("response_type") != "code":
		return "unsupported_response_type"
	case q.Get("code_challenge") == "" || q.Get("code_challenge_method") != "S256":
		return "invalid_request"
	case s.RefusePrompt && q.Has("prompt"):
		return "invalid_request"
	case s.RefuseResource && q.Has("resource"), s.NeedResource && !q.Has("resource"):
		return "invalid_target"
	case s.Consent == Denies:
		return "access_denied"
	}
	return ""
}

func (f *Fake) iss(s Switches) string {
	switch s.Iss {
	case IssNone, IssMissing:
		return ""
	case IssWrong:
		return "https://other.example"
	case IssSlash:
		return f.Issuer() + "/"
	case IssSent, IssUnadvertised:
	}
	return f.Issuer()
}

// Challenge is the code challenge of a verifier, by S256 (RFC 7636).
func Challenge(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

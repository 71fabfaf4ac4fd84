package wire

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"jackfield/backend/egress"
)

// RedirectError is a redirect that was not followed.
type RedirectError struct {
	Status int
	From   string
	To     string // "" if the answer named no usable target
	reason string
}

func (e *RedirectError) Error() string {
	if e.To == "" {
		return fmt.Sprintf("%s answered with a redirect (HTTP %d) %s. Check the URL of this server.", e.From, e.Status, e.reason)
	}
	return fmt.Sprintf("%s redirects to %s (HTTP %d), %s. If you trust that address, use it as the URL of this server.", e.From, e.To, e.Status, e.reason)
}

const maxRedirects = 5

// redirects follows a redirect only where nothing can be lost or leaked by it: within the origin, and with method and body kept.
type redirects struct {
	next http.RoundTripper
}

func (r *redirects) RoundTrip(request *http.Request) (*http.Response, error) {
	for hop := 0; ; hop++ {
		response, err := r.next.RoundTrip(request)
		if err != nil || !isRedirect(response.StatusCode) {
			return response, err
		}
		location := response.Header.Get("Location")
		// A short read lets the connection be used again.
		_, _ = io.CopyN(io.Discard, response.Body, 4<<10)
		response.Body.Close()
		target, refusal := judgeRedirect(request.Method, request.URL, response.StatusCode, location, hop)
		if refusal != nil {
			return nil, refusal
		}
		again := request.Clone(request.Context())
		again.URL = target
		again.Host = ""
		if request.GetBody != nil {
			if again.Body, err = request.GetBody(); err != nil {
				return nil, err
			}
		}
		request = again
	}
}

func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// judgeRedirect decides about the hop'th redirect of a request.
func judgeRedirect(method string, from *url.URL, status int, location string, hop int) (*url.URL, error) {
	refusal := &RedirectError{Status: status, From: from.Redacted()}
	target, err := from.Parse(location)
	switch {
	case location == "" || err != nil:
		refusal.reason = "that names no target"
		return nil, refusal
	case target.Scheme != "http" && target.Scheme != "https":
		refusal.reason = "to something that is not a web address"
		return nil, refusal
	}
	target.Fragment = ""
	refusal.To = shorten(target.Redacted(), 500)
	switch {
	case !egress.SameOrigin(from, target):
		refusal.reason = "another origin, where this server's headers and sign-in must not go"
	case method != http.MethodGet && status != http.StatusTemporaryRedirect && status != http.StatusPermanentRedirect:
		// RFC 9110 section 15.4: after 301, 302 and 303 a POST becomes a GET, which loses the message.
		refusal.reason = "which would turn the message into a plain page request"
	case hop >= maxRedirects:
		refusal.To = "" // it is on the way already, and no better address
		refusal.reason = fmt.Sprintf("after more than %d others in a row", maxRedirects)
	default:
		return target, nil
	}
	return nil, refusal
}

// shorten cuts text from outside to a length that fits a sentence.
func shorten(text string, most int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

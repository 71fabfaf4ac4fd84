package wire

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/auth"

	"jackfield/backend/egress"
)

// bearer puts the token of the endpoint's Auth into every request to its origin, in place of an Authorization header of the person's. It
// asks for the token anew each time, so that a stream which is opened again has the one of now. A refused request is repeated at most once.
//
// It stands in front of the redirects, which never leave the origin: no token follows one elsewhere.
type bearer struct {
	origin  *url.URL
	auth    auth.OAuthHandler
	refused func(ctx context.Context, raw []byte, status int) // is told the body of a refusal
	next    http.RoundTripper
}

// errTokenRefused is why a request was not repeated a second time.
var errTokenRefused = errors.New("the server refuses a token that was just renewed")

func (b *bearer) RoundTrip(request *http.Request) (*http.Response, error) {
	if !egress.SameOrigin(request.URL, b.origin) {
		return b.next.RoundTrip(request)
	}
	response, sent, err := b.send(request)
	if err != nil || !wantsToken(response) {
		return response, err
	}
	refusal := b.ask(sent, response)
	if refusal.Err != nil || request.Body != nil && request.GetBody == nil {
		return nil, refusal
	}
	again := request.Clone(request.Context())
	if request.GetBody != nil {
		if again.Body, err = request.GetBody(); err != nil {
			return nil, err
		}
	}
	response, sent, err = b.send(again)
	if err != nil || !wantsToken(response) {
		return response, err
	}
	// Auth has to hear that its fresh token is refused, too. Whatever it says, this request is over.
	refusal = b.ask(sent, response)
	if refusal.Err == nil {
		refusal.Err = errTokenRefused
	}
	return nil, refusal
}

// send sends the request with the token of now, or bare if there is none. It returns what it sent.
func (b *bearer) send(request *http.Request) (*http.Response, *http.Request, error) {
	token, err := b.token(request.Context())
	if err != nil {
		if request.Body != nil {
			err = errors.Join(err, request.Body.Close())
		}
		return nil, nil, &AuthUnavailable{Err: err}
	}
	request = request.Clone(request.Context())
	request.Header.Del("Authorization")
	if token != "" {
		request.Header.Set("Authorization", token)
	}
	response, err := b.next.RoundTrip(request)
	return response, request, err
}

func (b *bearer) token(ctx context.Context) (string, error) {
	source, err := b.auth.TokenSource(ctx)
	if err != nil || source == nil {
		return "", err
	}
	token, err := source.Token()
	if err != nil {
		return "", err
	}
	return token.Type() + " " + token.AccessToken, nil
}

// ask lets Auth read a refusal. The body that it gets cannot block.
func (b *bearer) ask(request *http.Request, response *http.Response) *AuthRequired {
	raw := readBrief(response.Body)
	// Only the connection could not be used again; what the server said is there.
	_ = response.Body.Close()
	b.refused(request.Context(), raw, response.StatusCode)
	refusal := &AuthRequired{Status: response.StatusCode, Challenge: response.Header.Values("WWW-Authenticate")}
	response.Body = io.NopCloser(bytes.NewReader(raw))
	refusal.Err = b.auth.Authorize(request.Context(), request, response)
	return refusal
}

// wantsToken tells whether another token may help: after a 401, and after a 403 with a Bearer challenge (RFC 6750 section 3.1).
func wantsToken(response *http.Response) bool {
	switch response.StatusCode {
	case http.StatusUnauthorized:
		return true
	case http.StatusForbidden:
		for _, challenge := range response.Header.Values("WWW-Authenticate") {
			if strings.Contains(strings.ToLower(challenge), "bearer") {
				return true
			}
		}
	}
	return false
}

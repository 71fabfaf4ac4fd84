package oauth

import (
	"errors"
	"fmt"
	"strings"

	"jackfield/backend/egress"
	"jackfield/backend/store"
	"jackfield/backend/store/vault"
)

// codeSignIn is the code of every failed attempt.
const codeSignIn = "sign_in_failed"

// signInError is a failure that knows its next step.
type signInError struct {
	message, hint string // sentences
	cause         error
}

func (e *signInError) Error() string { return e.message }
func (e *signInError) Unwrap() error { return e.cause }

// describe turns the error of an attempt into what a person reads.
func describe(err error) *store.Failure {
	failure := &store.Failure{Code: codeSignIn, Message: sentenceCase(strings.TrimSuffix(err.Error(), ".")) + ".", Hint: "Sign in again."}
	var known *signInError
	var refused *egress.RefusedURL
	var registration *registrationError
	var sealed *vault.SealedError
	switch {
	case errors.As(err, &known):
		failure.Message, failure.Hint = known.message, known.hint
	case errors.As(err, &refused):
		failure.Message = fmt.Sprintf("%s was not contacted: %s.", refused.URL, refused.Reason)
		failure.Hint = "A server may not send this program to a more private network than its own. Check the address of the server."
		if refused.Trust {
			failure.Hint = "If the authorization server really is there, turn on “trust local network” for this server."
		}
	case errors.As(err, &registration):
		failure.Hint = "Enter a client ID in the settings of this server, or sign in again."
		if registration.RetryAfter > 0 {
			failure.Hint = "Sign in again later."
		}
	case errors.As(err, &sealed):
		failure.Message, failure.Hint = sealed.Status.Detail, sealed.Status.Hint
	case errors.Is(err, vault.ErrNoSecret):
		failure.Hint = "Enter it again in the settings of this server."
	}
	return failure
}

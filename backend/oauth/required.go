package oauth

// Required says that a person has to sign in before the request can succeed.
type Required struct {
	Reason  Reason
	Message string // a sentence
	Hint    string
	Scopes  []string // of InsufficientScope: what is missing
}

func (e *Required) Error() string { return e.Message }

// AuthReason, AuthMessage and AuthHint let a caller read it without knowing this package.
func (e *Required) AuthReason() string  { return string(e.Reason) }
func (e *Required) AuthMessage() string { return e.Message }
func (e *Required) AuthHint() string    { return e.Hint }

// Reason why a sign-in is needed.
type Reason string

const (
	NoGrant           Reason = "no_grant"           // never signed in
	NotKept           Reason = "not_kept"           // the grant was for an earlier run only
	Ended             Reason = "ended"              // the grant is over: invalid_grant, or expired without a refresh token
	Interrupted       Reason = "interrupted"        // the program ended in the middle of a refresh, and the grant is over
	Rejected          Reason = "rejected"           // the server refuses a fresh token
	InsufficientScope Reason = "insufficient_scope" // HTTP 403, RFC 6750 section 3.1; the connection stays
	Sealed            Reason = "sealed"             // the vault is not open
)

// required makes one with the words that belong to its reason.
func required(reason Reason) *Required {
	e := &Required{Reason: reason, Hint: "Sign in."}
	switch reason {
	case NoGrant:
		e.Message = "The server needs a sign-in."
	case NotKept:
		e.Message = "The sign-in was kept for an earlier run of the program only."
		e.Hint = "Sign in again. With a keyring, or a passphrase, sign-ins last."
	case Ended:
		e.Message = "The sign-in has ended."
		e.Hint = "Sign in again."
	case Interrupted:
		e.Message = "The program was ended while it renewed the sign-in, and the authorization server gives no second answer."
		e.Hint = "Sign in again."
	case Rejected:
		e.Message = "The server rejects the token that its authorization server has just given."
		e.Hint = "Sign in again. If that does not help, the server and its authorization server do not fit together: ask who runs them."
	case InsufficientScope:
		e.Message = "The sign-in does not cover this."
		e.Hint = "Grant access, and run it again."
	case Sealed:
		e.Message = "The sign-in is stored, but cannot be read now."
		e.Hint = "Unlock the stored secrets and connect again."
	}
	return e
}

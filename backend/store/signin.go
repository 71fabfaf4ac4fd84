package store

import (
	"time"

	"jackfield/backend/store/vault"
)

// Secret is a text that prints as ***.
type Secret = vault.Secret

// SignInMode says how the requests to a server are authorized. The values are stored and cross every edge of the program.
type SignInMode string

const (
	// SignInAuto signs in when the server asks for it, unless an Authorization header is given, which then stands for itself.
	SignInAuto SignInMode = "auto"
	// SignInOAuth signs in; the token replaces an Authorization header that is given. Every other header is sent along.
	SignInOAuth SignInMode = "oauth"
	// SignInClientCredentials gets tokens without a person (SEP-1046): with a client secret, or a signed assertion (RFC 7523).
	SignInClientCredentials SignInMode = "client-credentials"
	// SignInHeader never signs in: what the headers say is all there is.
	SignInHeader SignInMode = "header"
)

// RedirectKind is the way in which the browser hands the authorization response back (RFC 8252 section 7).
type RedirectKind string

const (
	RedirectAuto      RedirectKind = ""          // each in turn, beginning with the one that last worked for the issuer
	RedirectScheme    RedirectKind = "scheme"    // jackfield://oauth/callback
	RedirectLoopback  RedirectKind = "127.0.0.1" // http://127.0.0.1:<port>/callback
	RedirectLocalhost RedirectKind = "localhost" // http://localhost:<port>/callback
)

// SignInConfig is what the person chose about signing in to a server. The zero value is right for most.
type SignInConfig struct {
	Mode     SignInMode   `json:"mode,omitempty"`     // "" means auto
	Redirect RedirectKind `json:"redirect,omitempty"` // pinned, or auto

	// A pre-registered client is Server.ClientID with these. Issuer binds it: its secret goes to no other authorization server. "" binds
	// it to the first issuer that it is used with.
	Issuer       string `json:"issuer,omitempty"`
	AuthMethod   string `json:"authMethod,omitempty"` // token_endpoint_auth_method; "" follows from what there is
	ClientSecret Secret `json:"-"`                    // zero: as stored
	PrivateKey   Secret `json:"-"`                    // PEM, for private_key_jwt; zero: as stored
	HasSecret    bool   `json:"hasSecret,omitempty"`  // a client secret is stored
	HasKey       bool   `json:"hasKey,omitempty"`     // a private key is stored

	Scopes       []string `json:"scopes,omitempty"`       // asked for on top of what the server asks for
	Resource     string   `json:"resource,omitempty"`     // sent instead of the resource that was found; "" for that one
	OmitResource bool     `json:"omitResource,omitempty"` // send no resource at all, for authorization servers that refuse it
	NoConsent    bool     `json:"noConsent,omitempty"`    // never send prompt=consent
	NoOffline    bool     `json:"noOffline,omitempty"`    // never ask for offline_access
}

// RegistrationSource says where a client id comes from.
type RegistrationSource string

const (
	FromPerson   RegistrationSource = "preregistered"
	FromMetadata RegistrationSource = "cimd" // the client id is the URL of a Client ID Metadata Document
	FromDynamic  RegistrationSource = "dcr"  // RFC 7591
)

// Registration is this program's identity at one authorization server, for one kind of redirect. It is never used with another issuer.
type Registration struct {
	Issuer      string
	Redirect    RedirectKind
	ServerID    string // of the one server that it is for (FromPerson); "" for every server of the issuer
	RedirectURI string

	ClientID        string
	ClientSecret    Secret    `json:"-"`
	AuthMethod      string    // token_endpoint_auth_method as the answer said, not as was asked
	SecretExpiresAt time.Time // zero: never
	Source          RegistrationSource
	CreatedAt       time.Time
}

// Grant is what a sign-in gave for one server. It never moves to another issuer.
type Grant struct {
	ServerID string
	Resource string // as sent; "" if none was
	Issuer   string

	TokenEndpoint      string
	RevocationEndpoint string // "" if there is none
	Redirect           RedirectKind
	Registration       Registration // with the secret, as when the grant was made

	ScopesRequested []string // the union of all that was asked for so far
	ScopesGranted   []string
	AccessToken     Secret
	RefreshToken    Secret
	ExpiresAt       time.Time // zero: unknown, the server will say
	Generation      int64     // rises with each PutGrant
	Kept            bool      // there after a restart; false while the vault is session-only
	UpdatedAt       time.Time
}

// IssuerNote is what earlier sign-ins taught about an authorization server.
type IssuerNote struct {
	Issuer                 string
	Redirect               RedirectKind   // the one that worked
	Refused                []RedirectKind // the ones that did not
	RefreshWithoutResource bool
}

// SignInState of one attempt.
type SignInState string

const (
	SignInWorking   SignInState = "working" // requests are under way
	SignInConfirm   SignInState = "confirm" // the authorization server is on another host: the person has to agree first
	SignInClient    SignInState = "client"  // nothing could be registered: the person has to give a client id
	SignInWaiting   SignInState = "waiting" // for the browser
	SignInDone      SignInState = "done"    // connected, or as far as signing in goes
	SignInFailed    SignInState = "failed"
	SignInCancelled SignInState = "cancelled"
)

// SignIn is one attempt to sign in to a server, the running one or the last. It holds no secret; URL is dropped when the attempt ends.
type SignIn struct {
	ID        string
	ServerID  string
	State     SignInState
	Detail    string // a sentence: "Waiting for your browser"
	StartedAt time.Time
	Deadline  time.Time // of the wait, zero before and after
	Issuer    string
	Host      string       // where the browser goes
	Redirect  RedirectKind // of this try
	// RedirectURI is what has to be registered, in state client.
	RedirectURI string
	Scopes      []string
	// URL is the authorization request, in state waiting. Opened says that the browser was started with it.
	URL     string
	Opened  bool
	Steps   []SignInStep
	Failure *Failure
}

// SignInStep is one line of the step list. The names are fixed: discover, register, authorize, exchange, connect.
type SignInStep struct {
	Name      string         `json:"name"`
	State     string         `json:"state"` // waiting, working, done, failed, skipped
	Detail    string         `json:"detail"`
	StartedAt time.Time      `json:"startedAt"`
	Took      time.Duration  `json:"took"`
	Exchanges []HTTPExchange `json:"exchanges,omitempty"`
}

// HTTPExchange is what was sent and received in a step, with every secret replaced by ***.
type HTTPExchange struct {
	Method   string        `json:"method"`
	URL      string        `json:"url"`
	Sent     string        `json:"sent,omitempty"` // the body
	Status   int           `json:"status,omitempty"`
	Received string        `json:"received,omitempty"` // the body, cut after 16 KiB
	Error    string        `json:"error,omitempty"`    // why there was no answer
	Took     time.Duration `json:"took"`
}

// SignInOptions of one attempt.
type SignInOptions struct {
	NoBrowser bool         // the person opens URL
	NoScheme  bool         // this process cannot receive jackfield:// links
	Redirect  RedirectKind // for this attempt only
	NewClient bool         // register anew even where a registration is stored
}

// SignInInput is what a person says to a running attempt. Exactly one field is set.
type SignInInput struct {
	Confirm      bool   // state confirm: go on to that host
	Address      string // state waiting: the address at which the browser ended up
	BrowserError bool   // state waiting: the browser shows an error; try the next kind of redirect or a new registration
	ClientID     string // state client, with ClientSecret if there is one
	ClientSecret Secret
	OpenAgain    bool // state waiting: start the browser once more
}

// Account is what the window and the command line show of a grant.
type Account struct {
	Issuer          string
	Resource        string
	ClientID        string
	Source          RegistrationSource
	Redirect        RedirectKind
	RedirectURI     string
	ScopesRequested []string
	ScopesGranted   []string
	ExpiresAt       time.Time // zero: unknown
	Renews          bool      // there is a refresh token
	Kept            bool      // there after a restart
	UpdatedAt       time.Time
}

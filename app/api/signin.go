package api

// SignInConfig is what the person chose about signing in. Secrets come back as "" with has…, and "" with has… keeps the stored one.
type SignInConfig struct {
	Mode         string   `json:"mode"`     // auto, oauth, client-credentials, header
	Redirect     string   `json:"redirect"` // "", scheme, 127.0.0.1, localhost
	ClientID     string   `json:"clientId"`
	Issuer       string   `json:"issuer"`
	AuthMethod   string   `json:"authMethod"` // "", none, client_secret_basic, client_secret_post, private_key_jwt
	ClientSecret string   `json:"clientSecret"`
	HasSecret    bool     `json:"hasSecret"`
	PrivateKey   string   `json:"privateKey"` // PEM
	HasKey       bool     `json:"hasKey"`
	Scopes       []string `json:"scopes"`
	Resource     string   `json:"resource"`
	OmitResource bool     `json:"omitResource"`
	NoConsent    bool     `json:"noConsent"`
	NoOffline    bool     `json:"noOffline"`
}

// SignIn is one attempt to sign in. Nothing in it is secret.
type SignIn struct {
	ID          string       `json:"id"`
	State       string       `json:"state"`  // working, confirm, client, waiting, done, failed, cancelled
	Detail      string       `json:"detail"` // a sentence
	StartedAt   string       `json:"startedAt"`
	Deadline    string       `json:"deadline"` // "" unless waiting
	Issuer      string       `json:"issuer"`
	Host        string       `json:"host"`        // where the browser goes
	Redirect    string       `json:"redirect"`    // scheme, 127.0.0.1, localhost
	RedirectURI string       `json:"redirectUri"` // state client: what has to be registered
	Scopes      []string     `json:"scopes"`
	URL         string       `json:"url"`    // state waiting: for "Copy link"
	Opened      bool         `json:"opened"` // the browser was started
	Steps       []SignInStep `json:"steps"`
	Error       *Failure     `json:"error,omitempty"`
}

// SignInStep is one line of the step list: discover, register, authorize, exchange, connect.
type SignInStep struct {
	Name      string         `json:"name"`
	State     string         `json:"state"` // waiting, working, done, failed, skipped
	Detail    string         `json:"detail"`
	StartedAt string         `json:"startedAt"`
	TookMs    float64        `json:"tookMs"`
	Exchanges []HTTPExchange `json:"exchanges"`
}

// HTTPExchange is what was sent and received, secrets masked.
type HTTPExchange struct {
	Method   string  `json:"method"`
	URL      string  `json:"url"`
	Sent     string  `json:"sent"`
	Status   int     `json:"status"`
	Received string  `json:"received"`
	Error    string  `json:"error"`
	TookMs   float64 `json:"tookMs"`
}

// SignInInput is what the person says to the running attempt; one of them.
type SignInInput struct {
	Confirm      bool   `json:"confirm"`
	Address      string `json:"address"`
	BrowserError bool   `json:"browserError"`
	ClientID     string `json:"clientId"`
	ClientSecret string `json:"clientSecret"`
	OpenAgain    bool   `json:"openAgain"`
}

// Account is what a server is signed in as.
type Account struct {
	Issuer          string   `json:"issuer"`
	Resource        string   `json:"resource"`
	ClientID        string   `json:"clientId"`
	Source          string   `json:"source"` // preregistered, cimd, dcr
	Redirect        string   `json:"redirect"`
	RedirectURI     string   `json:"redirectUri"`
	ScopesRequested []string `json:"scopesRequested"`
	ScopesGranted   []string `json:"scopesGranted"`
	ExpiresAt       string   `json:"expiresAt"` // of the access token; "" if unknown
	Renews          bool     `json:"renews"`    // it is renewed without a person
	Kept            bool     `json:"kept"`      // there after a restart
	UpdatedAt       string   `json:"updatedAt"`
}

// Vault says where secrets are kept.
type Vault struct {
	State  string `json:"state"` // opening, open, session, locked, mismatch, key_missing, unavailable
	Mode   string `json:"mode"`  // keyring, passphrase
	Detail string `json:"detail"`
	Hint   string `json:"hint"`
	Sealed int    `json:"sealed"`
}

// Scheme says whether the system hands jackfield:// links to this program.
type Scheme struct {
	Registered bool   `json:"registered"`
	Supported  bool   `json:"supported"` // this program can register itself here
	Detail     string `json:"detail"`
}

// Review is what a person has to approve before a command runs that they did not type.
type Review struct {
	Source string `json:"source"` // link, import
	Hash   string `json:"hash"`   // of what is shown; Approve takes it back
}

// Link is a jackfield://add link, taken apart. Nothing is stored until the person adds it.
type Link struct {
	Config Config   `json:"config"`
	Notes  []string `json:"notes"`           // what was left out or looks odd
	Error  *Failure `json:"error,omitempty"` // the link could not be used; Config is empty
}

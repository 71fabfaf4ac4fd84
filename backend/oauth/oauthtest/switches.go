package oauthtest

// Consent is what the person at the authorization server does.
type Consent string

const (
	Approves  Consent = ""          // the browser is sent back with a code
	Denies    Consent = "denies"    // the browser is sent back with access_denied
	ErrorPage Consent = "errorpage" // the browser sees a page, and nothing is sent back
	NoCode    Consent = "nocode"    // the browser is sent back with neither code nor error
)

// IssMode says how the authorization server treats the parameter iss of RFC 9207.
type IssMode string

const (
	IssSent         IssMode = ""             // advertised and sent
	IssNone         IssMode = "none"         // neither
	IssUnadvertised IssMode = "unadvertised" // sent all the same
	IssMissing      IssMode = "missing"      // advertised, but not sent
	IssWrong        IssMode = "wrong"        // advertised, and another issuer is sent
	IssSlash        IssMode = "slash"        // advertised, and the issuer is sent with a slash more
)

// Where the metadata of the protected resource is served.
const (
	AtPath    = "path"    // /.well-known/oauth-protected-resource/mcp
	AtRoot    = "root"    // /.well-known/oauth-protected-resource
	AtHeader  = "header"  // /elsewhere, which only the challenge names
	AtNowhere = "nowhere" // a server of 2025-03-26
)

// Which documents an authorization server publishes.
const (
	OAuthDocument  = "oauth"         // RFC 8414
	OpenIDInserted = "openid"        // OpenID Connect, well-known before the path of the issuer
	OpenIDAppended = "openid-append" // OpenID Connect, well-known after it
)

// Switches turn a well-behaved server into one that was seen in the field. The zero value behaves well: path-aware resource metadata, RFC
// 8414 metadata, open registration, PKCE S256, rotation of refresh tokens with reuse detection, iss, tokens for an hour.
type Switches struct {
	// Protected resource.
	PRM                  string         // AtPath if ""
	PRMStatus            map[string]int // of a well-known path, instead of what is there
	PRMPage              map[string]bool
	PRMFlaky             int      // so many requests answer 503 first
	Resource             string   // instead of the URL of the MCP endpoint
	AuthorizationServers []string // instead of the issuer
	ResourceScopes       []string
	Challenge            string // the whole WWW-Authenticate header of a 401, instead of a proper one
	NoChallengeURL       bool   // a Bearer challenge without resource_metadata
	ChallengeScope       string
	Open                 bool   // no token is needed, except for the tool admin
	Reject               bool   // every token is refused
	Slash                bool   // /mcp answers 307 to /mcp/
	AdminScope           string // what the tool admin needs; "admin" if ""

	// Metadata of the authorization server.
	SameOrigin     bool     // it lives at the origin of the MCP server
	Documents      []string // RFC 8414 if nil; an empty list publishes none
	IssuerPath     string   // "/tenant"
	IssuerSlash    bool     // the resource metadata names the issuer with a slash at the end, the server's own metadata without
	MetadataSlash  bool     // and the reverse
	MetadataIssuer string   // instead of the issuer
	MetadataStatus map[string]int
	MetadataPage   map[string]bool // a path answers 200 with an HTML page
	MetadataFlaky  int
	Metadata       map[string]any // keys to replace; nil removes one
	Iss            IssMode
	Documented     bool // client_id_metadata_document_supported, for the client id MetadataURL

	// Registration.
	NoRegistration bool
	RefuseSchemes  bool // invalid_redirect_uri for anything but https and loopback
	RefuseMixed    bool // one bad redirect refuses all; otherwise the bad ones are dropped
	LocalhostOnly  bool // of loopback redirects
	AddressOnly    bool // of loopback redirects: 127.0.0.1
	RegisterStatus int  // 429 or another, instead of an answer
	RegisterError  string
	RetryAfter     string
	GivesSecret    string // a secret and this token_endpoint_auth_method, though none was asked for
	RegisterExpiry int64  // client_secret_expires_at

	// Authorization.
	Consent        Consent
	SchemePage     bool // a redirect to a custom scheme is registered, but then shows an error page
	ExactPort      bool // a loopback redirect has to name the registered port
	RefusePrompt   bool // any prompt is invalid_request
	RefuseResource bool // any resource is invalid_target
	NeedResource   bool // a missing resource is invalid_target
	WrongState     bool // the state comes back changed

	// Tokens.
	FormTokens            bool   // answers are application/x-www-form-urlencoded
	ErrorIn200            string // an error code, with status 200
	ExpiresIn             string // "" is an hour; "missing" leaves it out
	TokenType             string // "Bearer" if ""
	TokenStatus           int    // instead of an answer
	TokenDelay            func() // is called before an answer to a refresh is sent
	RefuseRefreshResource bool   // a resource in a refresh is invalid_target
	RefreshError          string // of every refresh
	RefreshStatus         int    // of every refresh, 400 if RefreshError is set
	OmitRefresh           bool   // the answer to a refresh names no refresh token, and the old one stays good
	NoRefresh             bool   // no refresh tokens
	NeedOffline           bool   // a refresh token only for offline_access
	NeedConsent           bool   // and only with prompt=consent
	Scopes                string // granted instead of what was asked for
	NoScope               bool   // the answer does not name what was granted
}

package oauth

// authority is where the tokens for a server come from: what discovery found. It is a value.
type authority struct {
	Resource       string   // to be sent as "resource" (RFC 8707): the metadata's own string, or the canonical URI of the server
	ResourceScopes []string // scopes_supported of the protected resource metadata (RFC 9728)

	Issuer                string // exactly as the metadata says it; the key of everything that is kept
	AuthorizationEndpoint string
	TokenEndpoint         string
	RegistrationEndpoint  string // "" if there is none
	RevocationEndpoint    string
	ScopesSupported       []string
	TokenAuthMethods      []string // token_endpoint_auth_methods_supported
	GrantTypes            []string
	IssParameter          bool // authorization_response_iss_parameter_supported (RFC 9207)
	MetadataDocuments     bool // client_id_metadata_document_supported
	OpenID                bool // it is an OpenID Provider: prompt=consent means something to it
	Legacy                bool // the origin of the server with the default endpoints (MCP 2025-03-26)
}

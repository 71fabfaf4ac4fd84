package oauthtest

import (
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// authorityHandler is the authorization server.
func (f *Fake) authorityHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/", f.metadataOfAuthority)
	mux.HandleFunc("POST /register", f.register)
	mux.HandleFunc("GET /authorize", f.authorize)
	mux.HandleFunc("POST /token", f.token)
	mux.HandleFunc("POST /revoke", f.revoke)
	return mux
}

// metadataOfAuthority answers every well-known path, and 404 to what is not there.
func (f *Fake) metadataOfAuthority(w http.ResponseWriter, r *http.Request) {
	s := f.now()
	path := r.URL.Path
	documents := s.Documents
	if documents == nil {
		documents = []string{OAuthDocument}
	}
	tail := strings.TrimSuffix(s.IssuerPath, "/")
	places := map[string]string{
		"/.well-known/oauth-authorization-server" + tail: OAuthDocument,
		"/.well-known/openid-configuration" + tail:       OpenIDInserted,
	}
	if tail != "" {
		places[tail+"/.well-known/openid-configuration"] = OpenIDAppended
	}
	if !strings.Contains(path, "/.well-known/") {
		http.NotFound(w, r)
		return
	}
	if f.flaky("metadata", s.MetadataFlaky) {
		http.Error(w, "busy", http.StatusServiceUnavailable)
		return
	}
	if status := s.MetadataStatus[path]; status != 0 {
		http.Error(w, "not here", status)
		return
	}
	if s.MetadataPage[path] {
		page(w, http.StatusOK, "The web app")
		return
	}
	if kind, ok := places[path]; !ok || !slices.Contains(documents, kind) {
		http.NotFound(w, r)
		return
	}
	answer(w, http.StatusOK, f.document(s))
}

func (f *Fake) document(s Switches) map[string]any {
	base := f.base(s)
	issuer := f.issuer(s)
	if s.MetadataSlash {
		issuer += "/"
	}
	if s.MetadataIssuer != "" {
		issuer = s.MetadataIssuer
	}
	document := map[string]any{
		"issuer":                                           issuer,
		"authorization_endpoint":                           base + "/authorize",
		"token_endpoint":                                   base + "/token",
		"revocation_endpoint":                              base + "/revoke",
		"response_types_supported":                         []string{"code"},
		"grant_types_supported":                            []string{"authorization_code", "refresh_token", "client_credentials"},
		"code_challenge_methods_supported":                 []string{"S256"},
		"token_endpoint_auth_methods_supported":            []string{"none", "client_secret_basic", "client_secret_post", "private_key_jwt"},
		"token_endpoint_auth_signing_alg_values_supported": []string{"ES256", "RS256", "EdDSA"},
	}
	if !s.NoRegistration {
		document["registration_endpoint"] = base + "/register"
	}
	if s.Iss == IssSent || s.Iss == IssMissing || s.Iss == IssWrong || s.Iss == IssSlash {
		document["authorization_response_iss_parameter_supported"] = true
	}
	if s.Documented {
		document["client_id_metadata_document_supported"] = true
	}
	for key, value := range s.Metadata {
		if value == nil {
			delete(document, key)
		} else {
			document[key] = value
		}
	}
	return document
}

func refuse(w http.ResponseWriter, status int, code, description string) {
	answer(w, status, map[string]string{"error": code, "error_description": description})
}

// register is RFC 7591.
func (f *Fake) register(w http.ResponseWriter, r *http.Request) {
	s := f.now()
	if s.NoRegistration {
		http.NotFound(w, r)
		return
	}
	if s.RegisterStatus != 0 || s.RegisterError != "" {
		if s.RetryAfter != "" {
			w.Header().Set("Retry-After", s.RetryAfter)
		}
		status := s.RegisterStatus
		if status == 0 {
			status = http.StatusBadRequest
		}
		refuse(w, status, s.RegisterError, "registration is refused")
		return
	}
	var metadata map[string]any
	if err := json.NewDecoder(r.Body).Decode(&metadata); err != nil {
		refuse(w, http.StatusBadRequest, "invalid_client_metadata", "not JSON")
		return
	}
	var asked struct {
		RedirectURIs []string `json:"redirect_uris"`
	}
	raw, _ := json.Marshal(metadata) // what was decoded from JSON encodes again
	if err := json.Unmarshal(raw, &asked); err != nil || len(asked.RedirectURIs) == 0 {
		refuse(w, http.StatusBadRequest, "invalid_client_metadata", "redirect_uris are needed")
		return
	}
	var kept []string
	for _, uri := range asked.RedirectURIs {
		if allowedRedirect(s, uri) {
			kept = append(kept, uri)
		}
	}
	if len(kept) == 0 || s.RefuseMixed && len(kept) < len(asked.RedirectURIs) {
		refuse(w, http.StatusBadRequest, "invalid_redirect_uri", "a redirect must use https, or http on a loopback host")
		return
	}
	client := Client{ID: "client-" + text(), AuthMethod: "none", RedirectURIs: kept, Metadata: metadata}
	metadata["client_id"] = client.ID
	metadata["redirect_uris"] = kept
	if s.GivesSecret != "" {
		client.Secret, client.AuthMethod = "secret-"+text(), s.GivesSecret
		metadata["client_secret"], metadata["client_secret_expires_at"] = client.Secret, s.RegisterExpiry
		metadata["token_endpoint_auth_method"] = client.AuthMethod
	}
	f.AddClient(client)
	answer(w, http.StatusCreated, metadata)
}

func allowedRedirect(s Switches, raw string) bool {
	u, err := url.Parse(raw)
	if err != nil {
		return false
	}
	switch u.Scheme {
	case "https":
		return true
	case "http":
		host := u.Hostname()
		address := net.ParseIP(host)
		if host != "localhost" && (address == nil || !address.IsLoopback()) {
			return false
		}
		return !(s.LocalhostOnly && host != "localhost") && !(s.AddressOnly && host == "localhost")
	case "javascript", "data", "vbscript", "file", "":
		return false
	}
	return !s.RefuseSchemes
}

// registered tells whether a redirect is one of a client's: exactly, or for loopback with any port (RFC 8252 section 7.3).
func registered(s Switches, client Client, raw string) bool {
	if client.RedirectURIs == nil {
		return allowedRedirect(s, raw)
	}
	return slices.ContainsFunc(client.RedirectURIs, func(known string) bool {
		if known == raw {
			return true
		}
		a, errA := url.Parse(known)
		b, errB := url.Parse(raw)
		if errA != nil || errB != nil || s.ExactPort || a.Scheme != "http" {
			return false
		}
		return b.Scheme == "http" && a.Hostname() == b.Hostname() && a.Path == b.Path
	})
}

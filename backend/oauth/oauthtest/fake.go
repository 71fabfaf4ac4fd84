// Package oauthtest is one MCP server with one authorization server, for tests: real HTTP on loopback, with a switch for every deviation
// that was seen in the field. Both halves are served by one Fake, on two origins.
//
// The MCP half speaks Streamable HTTP at /mcp and HTTP+SSE at /sse, with the tools "echo" and "admin", which needs the scope "admin". The
// authorization half checks what it is sent: PKCE, redirects, codes that are used once, client authentication, and rotation with reuse
// detection, so that a client that is wrong fails here as it would elsewhere.
//
// A Fake belongs to the test that made it and ends with it. Everything is safe for concurrent use.
package oauthtest

import (
	"crypto"
	"crypto/rand"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// MetadataURL is the client id of a Client ID Metadata Document that a Fake with Switches.Documented knows.
const MetadataURL = "https://client.example/jackfield.json"

// Fake is both servers.
type Fake struct {
	URL    string // origin of the MCP server
	MCP    string // its Streamable HTTP endpoint
	SSE    string // its HTTP+SSE endpoint
	Origin string // of the authorization server

	resource, authority *httptest.Server

	mu       sync.Mutex
	switches Switches
	requests []Request
	clients  map[string]Client
	codes    map[string]*code
	access   map[string]*token
	refresh  map[string]*token
	servers  []*mcp.Server  // one for each session
	failed   map[string]int // answers that were 503 so far, by kind of document
}

// Client is one that is registered.
type Client struct {
	ID           string
	Secret       string
	AuthMethod   string // "none" if ""
	Key          crypto.PublicKey
	RedirectURIs []string // any loopback or private-use redirect if nil
	Metadata     map[string]any
}

// Request that arrived.
type Request struct {
	Authority bool // at the authorization server, not at the MCP server
	Method    string
	Path      string
	Query     url.Values
	Header    http.Header
	Form      url.Values // of a form body
	Body      string
	At        time.Time
}

type code struct {
	client, redirect, challenge, resource, scope string
	consent                                      bool
	used                                         bool
	family                                       string
}

type token struct {
	client, resource, scope, family string
	expires                         time.Time
	spent                           bool
}

// New starts a Fake with some switches set.
func New(t testing.TB, set ...func(*Switches)) *Fake {
	t.Helper()
	f := &Fake{
		clients: map[string]Client{}, codes: map[string]*code{}, access: map[string]*token{}, refresh: map[string]*token{},
		failed: map[string]int{},
	}
	for _, s := range set {
		s(&f.switches)
	}
	f.resource = httptest.NewServer(f.recorded(false, f.resourceHandler()))
	f.authority = httptest.NewServer(f.recorded(true, f.authorityHandler()))
	f.URL, f.Origin = f.resource.URL, f.authority.URL
	f.MCP, f.SSE = f.URL+"/mcp", f.URL+"/sse"
	f.clients[MetadataURL] = Client{ID: MetadataURL}
	t.Cleanup(func() {
		for _, s := range []*httptest.Server{f.resource, f.authority} {
			s.CloseClientConnections()
			s.Close()
		}
		f.endSessions()
	})
	return f
}

// Set changes switches while the Fake runs.
func (f *Fake) Set(set func(*Switches)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	set(&f.switches)
}

func (f *Fake) now() Switches {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.switches
}

// Issuer is the identifier of the authorization server, as its own metadata says it.
func (f *Fake) Issuer() string {
	s := f.now()
	if s.MetadataIssuer != "" {
		return s.MetadataIssuer
	}
	if s.MetadataSlash {
		return f.issuer(s) + "/"
	}
	return f.issuer(s)
}

func (f *Fake) issuer(s Switches) string { return f.base(s) + s.IssuerPath }

func (f *Fake) base(s Switches) string {
	if s.SameOrigin {
		return f.URL
	}
	return f.Origin
}

// AddClient registers a client beforehand.
func (f *Fake) AddClient(c Client) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.clients[c.ID] = c
}

// ForgetClients makes every registration stale.
func (f *Fake) ForgetClients() {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.clients)
}

// Clients that are registered, by id.
func (f *Fake) Clients() map[string]Client {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.clients)
}

// ExpireAccess ends every access token; refresh tokens stay good.
func (f *Fake) ExpireAccess() {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.access)
}

// EndGrants ends every token.
func (f *Fake) EndGrants() {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.access)
	clear(f.refresh)
}

// Live says whether a token, of either kind, is good.
func (f *Fake) Live(value string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if t := f.access[value]; t != nil {
		return time.Now().Before(t.expires)
	}
	t := f.refresh[value]
	return t != nil && !t.spent
}

// Issue makes a token without a sign-in.
func (f *Fake) Issue(scope string) (access, refresh string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	family := text()
	access, refresh = "at-"+text(), "rt-"+text()
	f.access[access] = &token{resource: f.MCP, scope: scope, family: family, expires: time.Now().Add(time.Hour)}
	f.refresh[refresh] = &token{resource: f.MCP, scope: scope, family: family}
	return access, refresh
}

// Requests that arrived so far, in order; those to path only, if one is given.
func (f *Fake) Requests(path ...string) []Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	var found []Request
	for _, r := range f.requests {
		if len(path) == 0 || r.Path == path[0] {
			found = append(found, r)
		}
	}
	return found
}

// Count of the requests to a path.
func (f *Fake) Count(path string) int { return len(f.Requests(path)) }

// TokenRequests returns the forms that arrived at the token endpoint, of one grant type if it is not "".
func (f *Fake) TokenRequests(grant string) []Request {
	var found []Request
	for _, r := range f.Requests("/token") {
		if grant == "" || r.Form.Get("grant_type") == grant {
			found = append(found, r)
		}
	}
	return found
}

func (f *Fake) recorded(authority bool, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(io.LimitReader(r.Body, 4<<20))
		if err != nil {
			http.Error(w, "the body did not arrive", http.StatusBadRequest)
			return
		}
		kept := Request{
			Authority: authority, Method: r.Method, Path: r.URL.Path, Query: r.URL.Query(), Header: r.Header.Clone(), Body: string(body), At: time.Now(),
		}
		if strings.HasPrefix(r.Header.Get("Content-Type"), "application/x-www-form-urlencoded") {
			form, err := url.ParseQuery(string(body))
			if err != nil {
				http.Error(w, "the form cannot be read", http.StatusBadRequest)
				return
			}
			kept.Form = form
		}
		f.mu.Lock()
		f.requests = append(f.requests, kept)
		f.mu.Unlock()
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		next.ServeHTTP(w, r)
	})
}

// flaky counts an answer of 503 and says whether this one is to be one.
func (f *Fake) flaky(kind string, limit int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failed[kind] >= limit {
		return false
	}
	f.failed[kind]++
	return true
}

func text() string { return rand.Text() }

func answer(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value) // the client may be gone, which is its own affair
}

func page(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, "<!doctype html><title>Fake</title><p>"+message+"</p>")
}

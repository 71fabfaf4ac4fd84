package oauthtest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const wellKnownResource = "/.well-known/oauth-protected-resource"

// resourceHandler is the MCP server. In SameOrigin, and for servers of 2025-03-26, it is the authorization server, too.
func (f *Fake) resourceHandler() http.Handler {
	server := func(*http.Request) *mcp.Server {
		made := tools()
		f.mu.Lock()
		f.servers = append(f.servers, made)
		f.mu.Unlock()
		return made
	}
	streamable := mcp.NewStreamableHTTPHandler(server, nil)
	sse := mcp.NewSSEHandler(server, nil)
	authority := f.authorityHandler()
	mux := http.NewServeMux()
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		if f.now().Slash {
			http.Redirect(w, r, "/mcp/", http.StatusTemporaryRedirect)
			return
		}
		f.guard(streamable).ServeHTTP(w, r)
	})
	mux.Handle("/mcp/", f.guard(streamable))
	mux.Handle("/sse", f.guard(sse))
	mux.HandleFunc(wellKnownResource, f.metadataOfResource)
	mux.HandleFunc(wellKnownResource+"/", f.metadataOfResource)
	mux.HandleFunc("/elsewhere", f.metadataOfResource)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if !f.now().SameOrigin {
			http.NotFound(w, r)
			return
		}
		authority.ServeHTTP(w, r)
	})
	return mux
}

// endSessions ends what no client has ended: the end of a session needs a good token, too.
func (f *Fake) endSessions() {
	f.mu.Lock()
	servers := f.servers
	f.mu.Unlock()
	for _, server := range servers {
		for session := range server.Sessions() {
			_ = session.Close() // its client is gone
		}
	}
}

type echoInput struct {
	Text string `json:"text"`
}

func tools() *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "fake", Version: "1"}, nil)
	say := func(prefix string) func(context.Context, *mcp.CallToolRequest, echoInput) (*mcp.CallToolResult, any, error) {
		return func(_ context.Context, _ *mcp.CallToolRequest, in echoInput) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: prefix + in.Text}}}, nil, nil
		}
	}
	mcp.AddTool(server, &mcp.Tool{Name: "echo", Description: "Says the text again"}, say(""))
	mcp.AddTool(server, &mcp.Tool{Name: "admin", Description: "Needs the scope admin"}, say("admin: "))
	return server
}

func (f *Fake) metadataOfResource(w http.ResponseWriter, r *http.Request) {
	s := f.now()
	path := r.URL.Path
	if f.flaky("prm", s.PRMFlaky) {
		http.Error(w, "busy", http.StatusServiceUnavailable)
		return
	}
	if status := s.PRMStatus[path]; status != 0 {
		http.Error(w, "not here", status)
		return
	}
	if s.PRMPage[path] {
		page(w, http.StatusOK, "The web app")
		return
	}
	there := map[string]string{
		"": wellKnownResource + "/mcp", AtPath: wellKnownResource + "/mcp", AtRoot: wellKnownResource, AtHeader: "/elsewhere",
	}[s.PRM]
	if path != there {
		http.NotFound(w, r)
		return
	}
	document := map[string]any{"resource": f.MCP, "authorization_servers": []string{f.named(s)}}
	if s.Resource != "" {
		document["resource"] = s.Resource
	}
	if s.AuthorizationServers != nil {
		document["authorization_servers"] = s.AuthorizationServers
	}
	if s.ResourceScopes != nil {
		document["scopes_supported"] = s.ResourceScopes
	}
	answer(w, http.StatusOK, document)
}

// named is the issuer as the resource metadata says it.
func (f *Fake) named(s Switches) string {
	if s.IssuerSlash {
		return f.issuer(s) + "/"
	}
	return f.issuer(s)
}

// guard lets requests with a good token through, and tells the others what is missing (RFC 6750 section 3).
func (f *Fake) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s := f.now()
		value, given := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		f.mu.Lock()
		found := f.access[value]
		good := found != nil && time.Now().Before(found.expires) && !s.Reject
		f.mu.Unlock()
		if !good && !s.Open {
			f.challenge(w, s, given)
			return
		}
		need := s.AdminScope
		if need == "" {
			need = "admin"
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, "the body did not arrive", http.StatusBadRequest)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		if callsAdmin(body) && !(good && holds(found.scope, need)) {
			w.Header().Set("WWW-Authenticate", fmt.Sprintf(
				`Bearer error="insufficient_scope", scope=%q, resource_metadata=%q, error_description="The tool admin needs more"`, need, f.prmURL(s)))
			http.Error(w, "insufficient scope", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (f *Fake) challenge(w http.ResponseWriter, s Switches, given bool) {
	header := s.Challenge
	if header == "" {
		header = "Bearer"
		var parameters []string
		if given {
			parameters = append(parameters, `error="invalid_token"`)
		}
		if s.ChallengeScope != "" {
			parameters = append(parameters, fmt.Sprintf("scope=%q", s.ChallengeScope))
		}
		if u := f.prmURL(s); u != "" && !s.NoChallengeURL {
			parameters = append(parameters, fmt.Sprintf("resource_metadata=%q", u))
		}
		if len(parameters) > 0 {
			header += " " + strings.Join(parameters, ", ")
		}
	}
	w.Header().Set("WWW-Authenticate", header)
	http.Error(w, "unauthorized", http.StatusUnauthorized)
}

// prmURL is what a challenge names: only the metadata that cannot be found otherwise, or is where it should be.
func (f *Fake) prmURL(s Switches) string {
	switch s.PRM {
	case AtNowhere:
		return ""
	case AtHeader:
		return f.URL + "/elsewhere"
	case AtRoot:
		return f.URL + wellKnownResource
	}
	return f.URL + wellKnownResource + "/mcp"
}

func callsAdmin(body []byte) bool {
	var message struct {
		Method string `json:"method"`
		Params struct {
			Name string `json:"name"`
		} `json:"params"`
	}
	return json.Unmarshal(body, &message) == nil && message.Method == "tools/call" && message.Params.Name == "admin"
}

func holds(scope, wanted string) bool { return slices.Contains(strings.Fields(scope), wanted) }

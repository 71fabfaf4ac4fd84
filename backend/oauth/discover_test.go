package oauth

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"jackfield/backend/oauth/oauthtest"
	"jackfield/backend/store"
)

type switches = oauthtest.Switches

const (
	prmRoot    = "/.well-known/oauth-protected-resource"
	prmPath    = prmRoot + "/mcp"
	oauthRoot  = "/.well-known/oauth-authorization-server"
	openIDRoot = "/.well-known/openid-configuration"
)

func TestResourceMetadataIsFoundInEveryPlace(t *testing.T) {
	for _, place := range []string{oauthtest.AtPath, oauthtest.AtRoot, oauthtest.AtHeader} {
		for _, silent := range []bool{false, true} {
			fake := oauthtest.New(t, func(s *switches) { s.PRM, s.NoChallengeURL = place, silent })
			a, err := discovered(t, fake)
			if place == oauthtest.AtHeader && silent {
				// Nothing names it: that is a server of 2025-03-26.
				if err != nil || !a.Legacy || a.TokenEndpoint != fake.URL+"/token" {
					t.Errorf("%s, silent: %+v, %v", place, a, err)
				}
				continue
			}
			if err != nil || a.TokenEndpoint != fake.Origin+"/token" || a.Legacy {
				t.Errorf("%s, silent %v: %+v, %v", place, silent, a, err)
			}
		}
	}
}

// Where the metadata is says nothing about whose it is: any origin may serve it, what counts is the resource that it names.
func TestResourceMetadataOfAnotherOrigin(t *testing.T) {
	fake, other := oauthtest.New(t), oauthtest.New(t)
	fake.Set(func(s *switches) { s.Challenge = `Bearer resource_metadata="` + other.URL + prmPath + `"` })
	other.Set(func(s *switches) { s.Resource = fake.MCP })
	if a, err := discovered(t, fake); err != nil || a.Issuer != other.Origin || a.Resource != fake.MCP {
		t.Errorf("%+v, %v", a, err)
	}
	fake.Set(func(s *switches) { s.PRM = oauthtest.AtNowhere })
	other.Set(func(s *switches) { s.Resource = "" })
	if a, err := discovered(t, fake); err == nil {
		t.Errorf("metadata for another resource: %+v", a)
	}
}

// The challenge that the transport saw is used as it is: the server is not asked again.
func TestChallengeIsNotAskedForAgain(t *testing.T) {
	fake := oauthtest.New(t, func(s *switches) { s.PRM = oauthtest.AtHeader })
	server := store.Server{URL: fake.MCP}
	f, _ := fetcherFor(t, bareStore{}, server, nil)
	if _, err := f.discover(t.Context(), server, challenge{Status: 401, ResourceMetadata: fake.URL + "/elsewhere"}); err != nil {
		t.Fatal(err)
	}
	if fake.Count("/mcp") != 0 {
		t.Error("the server was asked for a challenge that was there")
	}
}

func TestDiscoverySaysItsProtocolVersionAndAsksForJSON(t *testing.T) {
	fake := oauthtest.New(t)
	if _, err := discovered(t, fake); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{prmPath, oauthRoot} {
		for _, r := range fake.Requests(path) {
			if r.Header.Get("MCP-Protocol-Version") == "" || r.Header.Get("Accept") != "application/json" {
				t.Errorf("%s: %v", path, r.Header)
			}
		}
	}
	for _, r := range fake.Requests() {
		if r.Header.Get("Authorization") != "" {
			t.Errorf("%s %s carries credentials", r.Method, r.Path)
		}
	}
}

func TestAuthorizationServerMetadataOrder(t *testing.T) {
	const tail = "/tenant"
	places := []struct {
		kind, path string
		openID     bool
	}{
		{oauthtest.OAuthDocument, oauthRoot + tail, false},
		{oauthtest.OpenIDInserted, openIDRoot + tail, true},
		{oauthtest.OpenIDAppended, tail + openIDRoot, true},
	}
	for i, place := range places {
		fake := oauthtest.New(t, func(s *switches) { s.IssuerPath, s.Documents = tail, []string{place.kind} })
		a, err := discovered(t, fake)
		if err != nil || a.OpenID != place.openID || a.Issuer != fake.Origin+tail {
			t.Errorf("%s: %+v, %v", place.kind, a, err)
		}
		var asked []string
		for _, r := range fake.Requests() {
			if r.Authority {
				asked = append(asked, r.Path)
			}
		}
		var want []string
		for _, p := range places[:i+1] {
			want = append(want, p.path)
		}
		if !slices.Equal(asked, want) {
			t.Errorf("%s: asked %v, want %v", place.kind, asked, want)
		}
	}
}

// Row 7: whether prompt=consent is sent depends on this, and OpenID Providers publish an RFC 8414 document, too.
func TestOpenIDProviderIsRecognised(t *testing.T) {
	for name, test := range map[string]struct {
		metadata map[string]any
		want     bool
	}{
		"neither":        {nil, false},
		"other scopes":   {map[string]any{"scopes_supported": []string{"read", "offline_access"}}, false},
		"scope openid":   {map[string]any{"scopes_supported": []string{"openid", "offline_access"}}, true},
		"subject types":  {map[string]any{"subject_types_supported": []string{"public"}}, true},
		"no list at all": {map[string]any{"subject_types_supported": 7, "scopes_supported": map[string]any{}}, false},
	} {
		fake := oauthtest.New(t, func(s *switches) { s.Metadata = test.metadata })
		if a, err := discovered(t, fake); err != nil || a.OpenID != test.want {
			t.Errorf("%s: %v, %v", name, a.OpenID, err)
		}
	}
}

func TestRow10ResourceWithOtherSlash(t *testing.T) {
	server, _ := url.Parse("https://mcp.example/a/mcp")
	for resource, want := range map[string]bool{
		"https://mcp.example/a/mcp":           true,
		"https://mcp.example/a/mcp/":          true,
		"https://MCP.example:443/a/mcp":       true,
		"https://mcp.example/a":               true,
		"https://mcp.example/a/":              true,
		"https://mcp.example":                 true,
		"https://mcp.example/":                true,
		"https://mcp.example/a/m":             false,
		"https://mcp.example/a/mcp/b":         false,
		"https://mcp.example/a/mcp//":         false,
		"https://mcp.example/a/../a/mcp":      false,
		"https://mcp.example/b":               false,
		"https://mcp.example/a/mcp#x":         false,
		"https://mcp.example/a/mcp?x=1":       false,
		"https://me@mcp.example/a/mcp":        false,
		"http://mcp.example/a/mcp":            false,
		"https://mcp.example:8443/a/mcp":      false,
		"https://other.example/a/mcp":         false,
		"https://mcp.example.evil.test/a/mcp": false,
		"":                                    false,
		"mcp.example/a/mcp":                   false,
		"https:mcp.example":                   false,
	} {
		if got := covers(resource, server); got != want {
			t.Errorf("%q: %v, want %v", resource, got, want)
		}
	}
	fake := oauthtest.New(t)
	fake.Set(func(s *switches) { s.Resource = fake.URL })
	if a, err := discovered(t, fake); err != nil || a.Resource != fake.URL {
		t.Errorf("the origin as the resource: %+v, %v", a, err)
	}
}

// CVE-2026-123272: metadata that names another server's resource would have the token made out for that one.
func TestResourceOfAnotherServerIsRefused(t *testing.T) {
	fake := oauthtest.New(t, func(s *switches) { s.Resource = "https://bank.example/mcp"; s.SameOrigin = true })
	a, err := discovered(t, fake)
	if err == nil || !strings.Contains(err.Error(), "bank.example") || !strings.Contains(err.Error(), fake.MCP) {
		t.Fatalf("%+v, %v", a, err)
	}
	if fake.Count(oauthRoot) != 0 {
		t.Error("metadata that is wrong led to the rules of 2025-03-26")
	}
}

func TestRow11ResourceIsSentVerbatim(t *testing.T) {
	fake := oauthtest.New(t)
	for _, resource := range []string{fake.URL, fake.URL + "/", fake.MCP + "/"} {
		fake.Set(func(s *switches) { s.Resource = resource })
		if a, err := discovered(t, fake); err != nil || a.Resource != resource {
			t.Errorf("%q became %q, %v", resource, a.Resource, err)
		}
	}
}

func TestRow12IssuerWithTrailingSlash(t *testing.T) {
	for name, set := range map[string]func(*switches){
		"named with it":   func(s *switches) { s.IssuerSlash = true },
		"calls itself so": func(s *switches) { s.MetadataSlash = true },
		"both":            func(s *switches) { s.IssuerSlash, s.MetadataSlash = true, true },
		"only OpenID Connect": func(s *switches) {
			s.IssuerSlash, s.MetadataSlash = true, true
			s.Documents = []string{oauthtest.OpenIDInserted}
		},
		"with a path": func(s *switches) {
			s.IssuerPath, s.IssuerSlash, s.Documents = "/t", true, []string{oauthtest.OpenIDAppended}
		},
	} {
		fake := oauthtest.New(t, set)
		a, err := discovered(t, fake)
		if err != nil || a.Issuer != fake.Issuer() {
			t.Errorf("%s: %q, want the metadata's own %q; %v", name, a.Issuer, fake.Issuer(), err)
		}
		for _, r := range fake.Requests() {
			if strings.Contains(r.Path, "//") || strings.HasSuffix(r.Path, "configuration/") {
				t.Errorf("%s: asked for %s", name, r.Path)
			}
		}
	}
	if sameIssuer("https://a.example//", "https://a.example") || sameIssuer("https://A.example", "https://a.example") {
		t.Error("more than one slash is forgiven")
	}
}

func TestRow13IssuerThatIsAnotherIsRefused(t *testing.T) {
	fake := oauthtest.New(t, func(s *switches) { s.MetadataIssuer = "https://other.example" })
	_, err := discovered(t, fake)
	if err == nil || !strings.Contains(err.Error(), fake.Origin) || !strings.Contains(err.Error(), "https://other.example") {
		t.Errorf("both have to be shown: %v", err)
	}
	// The person may know better, but then the other one's own metadata counts.
	other := oauthtest.New(t)
	fake.Set(func(s *switches) { s.MetadataIssuer = other.Origin })
	a, err := discovered(t, fake, func(s *store.Server) { s.SignIn.Issuer = other.Origin })
	if err != nil || a.Issuer != other.Origin || a.TokenEndpoint != other.Origin+"/token" {
		t.Errorf("an issuer that the person entered: %+v, %v", a, err)
	}
}

func TestRow14OddAnswersLeadToTheNextPlace(t *testing.T) {
	for name, set := range map[string]func(*switches){
		"400 (Cognito)":         func(s *switches) { s.MetadataStatus = map[string]int{oauthRoot: 400} },
		"401":                   func(s *switches) { s.MetadataStatus = map[string]int{oauthRoot: 401} },
		"403":                   func(s *switches) { s.MetadataStatus = map[string]int{oauthRoot: 403} },
		"a page with 200":       func(s *switches) { s.MetadataPage = map[string]bool{oauthRoot: true} },
		"503 that stays":        func(s *switches) { s.MetadataStatus = map[string]int{oauthRoot: 503} },
		"503 once":              func(s *switches) { s.MetadataFlaky = 1 },
		"resource: 401":         func(s *switches) { s.PRM, s.PRMStatus = oauthtest.AtRoot, map[string]int{prmPath: 401} },
		"resource: a page":      func(s *switches) { s.PRM, s.PRMPage = oauthtest.AtRoot, map[string]bool{prmPath: true} },
		"resource: 500":         func(s *switches) { s.PRM, s.PRMStatus = oauthtest.AtRoot, map[string]int{prmPath: 500} },
		"resource: 503 once":    func(s *switches) { s.PRMFlaky = 1 },
		"resource: header dead": func(s *switches) { s.Challenge = `Bearer resource_metadata="http://127.0.0.1:1/gone"` },
		"resource: header http": func(s *switches) { s.Challenge = `Bearer resource_metadata="http://mcp.example/gone"` },
	} {
		fake := oauthtest.New(t, func(s *switches) {
			s.Documents = []string{oauthtest.OAuthDocument, oauthtest.OpenIDInserted}
			s.NoChallengeURL = true
			set(s)
		})
		if a, err := discovered(t, fake); err != nil || a.Legacy || a.TokenEndpoint != fake.Origin+"/token" {
			t.Errorf("%s: %+v, %v", name, a, err)
		}
	}
	fake := oauthtest.New(t, func(s *switches) { s.MetadataStatus = map[string]int{oauthRoot: 503} })
	if _, err := discovered(t, fake); err == nil || fake.Count(oauthRoot) != 2 {
		t.Errorf("an answer of 5xx is asked for once more, not %d times; %v", fake.Count(oauthRoot), err)
	}
}

func TestRow15RootIsNeverTriedOnTheHostOfTheResource(t *testing.T) {
	fake := oauthtest.New(t, func(s *switches) { s.IssuerPath, s.Documents = "/tenant", []string{} })
	if _, err := discovered(t, fake); err == nil {
		t.Fatal("found what is not there")
	}
	for _, r := range fake.Requests() {
		if !r.Authority && strings.Contains(r.Path, "authorization-server") || !r.Authority && strings.Contains(r.Path, "openid") {
			t.Errorf("asked the MCP server for %s", r.Path)
		}
	}
	if fake.Count(oauthRoot) == 0 {
		t.Error("the root of the authorization server's own host was not tried")
	}
}

// 2025-03-26: without any metadata the server's origin is the authorization server.
func TestServersOf2025March(t *testing.T) {
	fake := oauthtest.New(t, func(s *switches) { s.PRM, s.SameOrigin = oauthtest.AtNowhere, true })
	a, err := discovered(t, fake)
	if err != nil || a.Legacy || a.Issuer != fake.URL || a.Resource != fake.MCP || a.RevocationEndpoint == "" {
		t.Errorf("with metadata at the origin: %+v, %v", a, err)
	}
	fake.Set(func(s *switches) { s.Documents = []string{} })
	a, err = discovered(t, fake)
	want := authority{
		Issuer: fake.URL, AuthorizationEndpoint: fake.URL + "/authorize", TokenEndpoint: fake.URL + "/token", RegistrationEndpoint: fake.URL + "/register",
		Resource: fake.MCP, Legacy: true,
	}
	if err != nil || a.AuthorizationEndpoint != want.AuthorizationEndpoint || a.TokenEndpoint != want.TokenEndpoint ||
		a.RegistrationEndpoint != want.RegistrationEndpoint || a.Issuer != want.Issuer || a.Resource != want.Resource || !a.Legacy {
		t.Errorf("without: %+v, %v", a, err)
	}
}

// Metadata that is there but wrong is no reason to trust the server more.
func TestNoDowngradeToTheRulesOf2025March(t *testing.T) {
	for name, set := range map[string]func(*switches){
		"5xx":                     func(s *switches) { s.PRMStatus = map[string]int{prmPath: 500, prmRoot: 500} },
		"no authorization server": func(s *switches) { s.AuthorizationServers = []string{} },
		"another resource":        func(s *switches) { s.Resource = "https://other.example" },
		"the challenge's is gone": func(s *switches) {
			s.PRM = oauthtest.AtNowhere
			s.Challenge = `Bearer resource_metadata="http://127.0.0.1:1/x"`
		},
		"authority without any": func(s *switches) { s.Documents = []string{} },
		"legacy metadata, no PKCE": func(s *switches) {
			s.PRM = oauthtest.AtNowhere
			s.Metadata = map[string]any{"code_challenge_methods_supported": nil}
		},
	} {
		fake := oauthtest.New(t, func(s *switches) { s.SameOrigin = true; set(s) })
		if a, err := discovered(t, fake); err == nil {
			t.Errorf("%s: %+v", name, a)
		}
	}
}

func TestPKCEHasToBeS256(t *testing.T) {
	for name, methods := range map[string]any{"absent": nil, "plain only": []string{"plain"}, "empty": []string{}, "another case": []string{"s256"}} {
		fake := oauthtest.New(t, func(s *switches) { s.Metadata = map[string]any{"code_challenge_methods_supported": methods} })
		if _, err := discovered(t, fake); err == nil || !strings.Contains(err.Error(), "PKCE") {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := discovered(t, fake, func(s *store.Server) { s.SignIn.Mode = store.SignInClientCredentials }); err != nil {
			t.Errorf("%s: without a person there is no code to protect: %v", name, err)
		}
	}
}

// mcp-remote (CVE-2025-6514) and its kind: what an authorization server names is opened, so the list of what may be is closed.
func TestEndpointsOfOtherSchemesAreRefused(t *testing.T) {
	for _, endpoint := range []string{
		"ms-msdt://localhost/x$(calc)", "ms-officecmd:x", "search-ms:query=x", "smb://localhost/x", "javascript:alert(1)", "data:text/html,x",
		"file:///etc/passwd",
		"vscode://x", "HTTP://as.example/authorize", "http://as.example/authorize", "https://me:pw@as.example/", "https://as.example/#x",
		"https:as.example", "https:///x",
		"/authorize", "authorize", "-x", "", " https://as.example", "https://as.example/\x00",
	} {
		for _, name := range []string{"authorization_endpoint", "token_endpoint", "registration_endpoint", "revocation_endpoint"} {
			if endpoint == "" && strings.HasPrefix(name, "re") {
				continue // there is none
			}
			fake := oauthtest.New(t, func(s *switches) { s.Metadata = map[string]any{name: endpoint} })
			if a, err := discovered(t, fake); err == nil {
				t.Errorf("%s %q: %+v", name, endpoint, a)
			}
		}
	}
}

func TestSeveralAuthorizationServers(t *testing.T) {
	fake, second := oauthtest.New(t), oauthtest.New(t)
	broken := oauthtest.New(t, func(s *switches) { s.Documents = []string{} })
	fake.Set(func(s *switches) { s.AuthorizationServers = []string{broken.Origin, fake.Origin, second.Origin} })
	server := store.Server{ID: "s", URL: fake.MCP}
	for _, test := range []struct {
		name string
		kept bareStore
		set  string
		want string // "" if it must fail
	}{
		{"the first that can be used", bareStore{}, "", fake.Origin},
		{"the grant's", bareStore{grant: &store.Grant{Issuer: second.Origin}}, "", second.Origin},
		{"one where something is registered", bareStore{registered: map[string]bool{second.Origin: true}}, "", second.Origin},
		{"so, with a slash", bareStore{registered: map[string]bool{second.Origin + "/": true}}, "", second.Origin},
		{"the person's own before all", bareStore{grant: &store.Grant{Issuer: fake.Origin}}, second.Origin, second.Origin},
		{"the grant's fails, and is not given up", bareStore{grant: &store.Grant{Issuer: broken.Origin}}, "", ""},
	} {
		server.SignIn.Issuer = test.set
		f, _ := fetcherFor(t, test.kept, server, nil)
		a, err := f.discover(t.Context(), server, challenge{})
		if (err == nil) != (test.want != "") || a.Issuer != test.want && err == nil {
			t.Errorf("%s: %q, want %q; %v", test.name, a.Issuer, test.want, err)
		}
	}
}

func TestRow31RedirectOfTheServerItselfIsFollowed(t *testing.T) {
	fake := oauthtest.New(t, func(s *switches) { s.Slash, s.PRM = true, oauthtest.AtHeader })
	if a, err := discovered(t, fake); err != nil || a.Legacy {
		t.Errorf("the challenge behind the redirect was not seen: %+v, %v", a, err)
	}
}

func TestMembersCountAsTheyAreWritten(t *testing.T) {
	w := &world{hosts: map[string]http.Handler{
		"8.8.8.8": jsonAt(map[string]any{prmPath: map[string]any{
			"Resource": publicServer, "resource": publicServer,
			"authorization_servers": []string{"https://as.example"},
		}}),
		"as.example": jsonAt(map[string]any{oauthRoot: goodMetadata("https://as.example", map[string]any{
			"Issuer": "https://evil.example", "ISSUER": "https://evil.example", "Token_Endpoint": "https://evil.example/token",
		})}),
	}}
	server := store.Server{URL: publicServer}
	f, _ := fetcherFor(t, bareStore{}, server, w.roots)
	a, err := f.discover(t.Context(), server, challenge{Status: 401})
	if err != nil || a.Issuer != "https://as.example" || a.TokenEndpoint != "https://as.example/token" {
		t.Errorf("%+v, %v", a, err)
	}
}

// A refusal may be JSON, too; it is still no document, and neither is one that comes with it.
func TestRow14RefusalInJSONIsNoDocument(t *testing.T) {
	for _, status := range []int{400, 401, 403, 404} {
		w := &world{hosts: map[string]http.Handler{"8.8.8.8": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			_, _ = w.Write([]byte(`{"error":"unauthorized","resource":"https://8.8.8.8/mcp","authorization_servers":["https://as.example"],` +
				`"issuer":"https://x.example"}`))
		})}}
		server := store.Server{URL: publicServer}
		f, _ := fetcherFor(t, bareStore{}, server, w.roots)
		a, err := f.discover(t.Context(), server, challenge{Status: 401})
		if err != nil || !a.Legacy || a.Issuer != "https://8.8.8.8" {
			t.Errorf("%d: %+v, %v", status, a, err)
		}
	}
}

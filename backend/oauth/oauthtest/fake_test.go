package oauthtest

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// The fake has to be strict, or the tests against it prove nothing: one whole sign-in, then each thing that a client may get wrong.
func TestFakeIsStrict(t *testing.T) {
	f := New(t)
	f.AddClient(Client{ID: "c", RedirectURIs: []string{"http://127.0.0.1/callback"}})
	ask := func(change func(url.Values)) url.Values {
		q := url.Values{
			"response_type": {"code"}, "client_id": {"c"}, "redirect_uri": {"http://127.0.0.1/callback"}, "state": {"s"}, "resource": {f.MCP},
			"code_challenge": {Challenge("verifier")}, "code_challenge_method": {"S256"}, "scope": {"read"},
		}
		change(q)
		client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		response, err := client.Get(f.Origin + "/authorize?" + q.Encode())
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		back, err := url.Parse(response.Header.Get("Location"))
		if err != nil {
			t.Fatal(err)
		}
		return back.Query()
	}
	post := func(form url.Values) (int, map[string]any) {
		response, err := http.PostForm(f.Origin+"/token", form)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = response.Body.Close() }()
		var document map[string]any
		if err := json.NewDecoder(response.Body).Decode(&document); err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, document
	}
	exchange := func(code, verifier, resource string) (int, map[string]any) {
		return post(url.Values{
			"grant_type": {"authorization_code"}, "client_id": {"c"}, "code": {code}, "code_verifier": {verifier},
			"redirect_uri": {"http://127.0.0.1/callback"}, "resource": {resource},
		})
	}
	if got := ask(func(q url.Values) { q.Del("code_challenge") }); got.Get("error") != "invalid_request" {
		t.Errorf("without PKCE: %v", got)
	}
	if got := ask(func(q url.Values) { q.Set("redirect_uri", "http://127.0.0.1/other") }); len(got) != 0 {
		t.Errorf("another redirect was sent back: %v", got)
	}
	for name, parts := range map[string][2]string{"verifier": {"other", f.MCP}, "resource": {"verifier", "https://other.example"}} {
		code := ask(func(url.Values) {}).Get("code")
		if status, got := exchange(code, parts[0], parts[1]); status != 400 || got["error"] != "invalid_grant" {
			t.Errorf("wrong %s: %d %v", name, status, got)
		}
	}
	code := ask(func(url.Values) {}).Get("code")
	_, first := exchange(code, "verifier", f.MCP)
	access, _ := first["access_token"].(string)
	refresh, _ := first["refresh_token"].(string)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "t"}, nil).Connect(t.Context(),
		&mcp.StreamableClientTransport{Endpoint: f.MCP, HTTPClient: &http.Client{Transport: bearer(access)}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = session.Close() }()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "echo", Arguments: map[string]any{"text": "hi"}})
	if err != nil || result.Content[0].(*mcp.TextContent).Text != "hi" {
		t.Fatalf("%v %v", result, err)
	}
	if _, err := session.CallTool(context.WithoutCancel(t.Context()), &mcp.CallToolParams{Name: "admin"}); err == nil ||
		!strings.Contains(err.Error(), "Forbidden") {
		t.Errorf("admin without its scope: %v", err)
	}
	renew := url.Values{"grant_type": {"refresh_token"}, "client_id": {"c"}, "refresh_token": {refresh}}
	_, second := post(renew)
	newest, _ := second["refresh_token"].(string)
	if !f.Live(newest) {
		t.Fatalf("no new refresh token: %v", second)
	}
	if status, got := post(renew); status != 400 || got["error"] != "invalid_grant" || f.Live(newest) {
		t.Errorf("a used refresh token: %d %v, the newest lives: %v", status, got, f.Live(newest))
	}
	if status, _ := exchange(code, "verifier", f.MCP); status != 400 {
		t.Error("a code was good twice")
	}
	if f.Count("/token") != 6 || len(f.TokenRequests("refresh_token")) != 2 {
		t.Errorf("%d token requests were recorded", f.Count("/token"))
	}
}

func TestBothTransportsNeedTheToken(t *testing.T) {
	f := New(t)
	access, _ := f.Issue("read admin")
	for _, token := range []string{access, "wrong"} {
		client := &http.Client{Transport: bearer(token)}
		for name, transport := range map[string]mcp.Transport{
			"streamable": &mcp.StreamableClientTransport{Endpoint: f.MCP, HTTPClient: client},
			"sse":        &mcp.SSEClientTransport{Endpoint: f.SSE, HTTPClient: client},
		} {
			session, err := mcp.NewClient(&mcp.Implementation{Name: "t"}, nil).Connect(t.Context(), transport,
				&mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
			if token == "wrong" {
				if err == nil {
					t.Errorf("%s: connected without a token", name)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "admin", Arguments: map[string]any{"text": "hi"}})
			if err != nil || result.Content[0].(*mcp.TextContent).Text != "admin: hi" {
				t.Errorf("%s: %v %v", name, result, err)
			}
			_ = session.Close()
		}
	}
	f.ExpireAccess()
	if f.Live(access) {
		t.Error("the token lives on")
	}
}

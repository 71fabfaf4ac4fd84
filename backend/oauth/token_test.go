package oauth

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"jackfield/backend/oauth/oauthtest"
	"jackfield/backend/store"
)

// renewed signs in, then refreshes with a switch set.
func renewed(t *testing.T, set func(*switches), form url.Values) (tokens, error) {
	t.Helper()
	fake := oauthtest.New(t)
	server := store.Server{ID: "s", URL: fake.MCP}
	f, _ := fetcherFor(t, bareStore{}, server, nil)
	first, client, a, err := completed(t, fake, f, server, store.Secret{})
	if err != nil {
		t.Fatal(err)
	}
	fake.Set(set)
	before := len(fake.TokenRequests(""))
	got, err := f.token(t.Context(), a.TokenEndpoint, client, store.Secret{}, withRefresh(form, first))
	if sent := len(fake.TokenRequests("")) - before; sent != 1 {
		t.Errorf("%d requests for one refresh", sent)
	}
	return got, err
}

func withRefresh(form url.Values, of tokens) url.Values {
	all := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {of.Refresh.Reveal()}}
	for name, values := range form {
		all[name] = values
	}
	return all
}

func TestRow2AnswerWithoutRefreshToken(t *testing.T) {
	got, err := renewed(t, func(s *switches) { s.OmitRefresh = true }, nil)
	if err != nil || !got.Refresh.IsZero() || got.Access.IsZero() {
		t.Errorf("a refresh token was made up: %v", err)
	}
}

func TestRow3RefusalsOfARefreshAreNamed(t *testing.T) {
	for name, test := range map[string]struct {
		set  func(*switches)
		want endpointError
	}{
		"invalid_grant":   {func(s *switches) { s.RefreshError = "invalid_grant" }, endpointError{400, "invalid_grant", "the fake says no"}},
		"invalid_request": {func(s *switches) { s.RefreshError = "invalid_request" }, endpointError{400, "invalid_request", "the fake says no"}},
		"401 with a code": {
			func(s *switches) { s.RefreshError, s.RefreshStatus = "invalid_token", 401 },
			endpointError{401, "invalid_token", "the fake says no"},
		},
		"5xx without one":       {func(s *switches) { s.RefreshStatus = 503 }, endpointError{Status: 503}},
		"a page with 502":       {func(s *switches) { s.TokenStatus = 502 }, endpointError{Status: 502}},
		"row 4: no such client": {nil, endpointError{401, "invalid_client", "the client is not known"}},
	} {
		set := test.set
		fake := oauthtest.New(t)
		server := store.Server{ID: "s", URL: fake.MCP}
		f, _ := fetcherFor(t, bareStore{}, server, nil)
		first, client, a, err := completed(t, fake, f, server, store.Secret{})
		if err != nil {
			t.Fatal(err)
		}
		if set == nil {
			fake.ForgetClients()
		} else {
			fake.Set(set)
		}
		_, err = f.token(t.Context(), a.TokenEndpoint, client, store.Secret{}, withRefresh(nil, first))
		got := new(endpointError)
		if !errors.As(err, &got) || *got != test.want {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestRow8And9InvalidTargetIsNamed(t *testing.T) {
	for name, set := range map[string]func(*switches){
		"row 8": func(s *switches) { s.RefuseResource = true },
		"row 9": func(s *switches) { s.RefuseRefreshResource = true },
	} {
		_, err := renewed(t, set, url.Values{"resource": {"https://mcp.example"}})
		got := new(endpointError)
		if !errors.As(err, &got) || got.Code != "invalid_target" {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := renewed(t, set, nil); err != nil {
			t.Errorf("%s, without a resource: %v", name, err)
		}
	}
}

func TestRow25FormAnswersAndErrorsIn200(t *testing.T) {
	fake := oauthtest.New(t, func(s *switches) { s.FormTokens, s.TokenType = true, "bearer" })
	server := store.Server{ID: "s", URL: fake.MCP}
	f, _ := fetcherFor(t, bareStore{}, server, nil)
	got, client, a, err := completed(t, fake, f, server, store.Secret{})
	if err != nil || !fake.Live(got.Access.Reveal()) || !fake.Live(got.Refresh.Reveal()) ||
		!slices.Equal(got.Scopes, []string{"read", "offline_access"}) {
		t.Fatalf("%+v, %v", got, err)
	}
	for _, form := range []bool{true, false} {
		fake.Set(func(s *switches) { s.FormTokens, s.ErrorIn200 = form, "bad_verification_code" })
		_, err = f.token(t.Context(), a.TokenEndpoint, client, store.Secret{}, withRefresh(nil, got))
		if refused := new(endpointError); !errors.As(err, &refused) || *refused != (endpointError{200, "bad_verification_code", "The fake says no"}) {
			t.Errorf("form %v: %v", form, err)
		}
	}
	for _, r := range fake.TokenRequests("") {
		if r.Header.Get("Accept") != "application/json" {
			t.Errorf("Accept is %q", r.Header.Get("Accept"))
		}
	}
}

func TestRow30LifetimeMissingOrZero(t *testing.T) {
	asked := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for raw, want := range map[string]time.Time{
		``:                        {},
		`,"expires_in":null`:      {},
		`,"expires_in":"soon"`:    {},
		`,"expires_in":-1`:        {},
		`,"expires_in":[]`:        {},
		`,"expires_in":0`:         asked,
		`,"expires_in":"0"`:       asked,
		`,"expires_in":60`:        asked.Add(time.Minute),
		`,"expires_in":"60"`:      asked.Add(time.Minute),
		`,"expires_in":60.0`:      asked.Add(time.Minute),
		`,"expires_in":1e300`:     asked.Add(10 * 365 * 24 * time.Hour),
		`,"Expires_In":60`:        {},
		`,"expires_in":"NaN"`:     {},
		`,"expires_in":"Inf"`:     asked.Add(10 * 365 * 24 * time.Hour),
		`,"expires_in":31536000 `: asked.Add(365 * 24 * time.Hour),
	} {
		got, err := readTokens(reply{status: 200, body: []byte(`{"access_token":"a","token_type":"Bearer"` + raw + `}`)}, asked)
		if err != nil || !got.ExpiresAt.Equal(want) {
			t.Errorf("%s: %s, want %s; %v", raw, got.ExpiresAt, want, err)
		}
	}
	for expires, zero := range map[string]bool{"missing": true, "0": false} {
		fake := oauthtest.New(t, func(s *switches) { s.ExpiresIn = expires })
		server := store.Server{ID: "s", URL: fake.MCP}
		f, _ := fetcherFor(t, bareStore{}, server, nil)
		got, _, _, err := completed(t, fake, f, server, store.Secret{})
		if err != nil || got.ExpiresAt.IsZero() != zero || !zero && time.Now().Before(got.ExpiresAt) {
			t.Errorf("%s: %s, %v", expires, got.ExpiresAt, err)
		}
	}
}

func TestAnswersThatAreNoTokens(t *testing.T) {
	for name, body := range map[string]string{
		"nothing": ``, "a page": `<html>token=1</html>`, "a list": `[]`, "no access token": `{"token_type":"Bearer"}`, "empty": `{"access_token":""}`,
		"another type": `{"access_token":"a","token_type":"DPoP"}`, "a number": `{"access_token":7}`, "a new line": `{"access_token":"a\r\nX: y"}`,
		"a space": `{"access_token":"a b"}`, "a refresh token with one": `{"access_token":"a","refresh_token":"b\n"}`, "no ASCII": `{"access_token":"ä"}`,
		"too long": `{"access_token":"` + strings.Repeat("a", maxToken+1) + `"}`, "an error beside it": `{"access_token":"a","error":"x"}`,
		"another case": `{"Access_Token":"a"}`, "two documents": `{"access_token":"a"}{"access_token":"b"}`,
	} {
		if got, err := readTokens(reply{status: 200, header: http.Header{}, body: []byte(body)}, time.Now()); err == nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
	marked := []byte("\xef\xbb\xbf" + `{"access_token":"a","scope":["x","y"],"error":null}`)
	if got, err := readTokens(reply{status: 200, body: marked}, time.Now()); err != nil || len(got.Scopes) != 2 {
		t.Errorf("a list of scopes: %+v, %v", got, err)
	}
}

// The fake takes a client only in the one way that it is registered for, and form-decodes what comes by Basic.
func TestClientAuthenticationIsExplicit(t *testing.T) {
	const id, secret = "client:with %", "s:e+c r/e?t=&%ü"
	for _, method := range []string{"none", "client_secret_basic", "client_secret_post"} {
		fake := oauthtest.New(t)
		client := oauthtest.Client{ID: id, AuthMethod: method, RedirectURIs: []string{loopbackURI}}
		server := store.Server{ID: "s", URL: fake.MCP, ClientID: id}
		server.SignIn.AuthMethod = method
		if method != "none" {
			client.Secret, server.SignIn.ClientSecret = secret, newSecret(secret)
		}
		fake.AddClient(client)
		f, log := fetcherFor(t, bareStore{}, server, nil)
		got, _, a, err := completed(t, fake, f, server, store.Secret{})
		if err != nil || !fake.Live(got.Access.Reveal()) {
			t.Errorf("%s: %v", method, err)
			continue
		}
		for _, r := range fake.TokenRequests("") {
			if basic := r.Header.Get("Authorization") != ""; basic != (method == "client_secret_basic") ||
				r.Form.Has("client_secret") != (method == "client_secret_post") {
				t.Errorf("%s: sent %v %v", method, r.Header, r.Form)
			}
		}
		shown := fmt.Sprintf("%+v", log.exchanges)
		for _, planted := range []string{secret, url.QueryEscape(secret), got.Access.Reveal(), got.Refresh.Reveal()} {
			if strings.Contains(shown, planted) {
				t.Errorf("%s: the record shows %q", method, planted)
			}
		}
		if a.TokenEndpoint == "" || !strings.Contains(shown, a.TokenEndpoint) {
			t.Errorf("%s: the token request is not on record", method)
		}
	}
}

// A client of a metadata document is public: no Basic with an empty password (go-sdk and x/oauth2 send one first, which uses up the code).
func TestMetadataDocumentClientSendsNoBasic(t *testing.T) {
	fake := oauthtest.New(t, func(s *switches) { s.Documented = true })
	server := store.Server{ID: "s", URL: fake.MCP}
	f, _ := fetcherFor(t, bareStore{}, server, nil)
	a, err := f.discover(t.Context(), server, challenge{})
	if err != nil {
		t.Fatal(err)
	}
	client, err := f.register(t.Context(), a, server, oauthtest.MetadataURL, store.RedirectLoopback, loopbackURI)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.token(t.Context(), a.TokenEndpoint, client, store.Secret{}, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {"unknown"}})
	if refused := new(endpointError); !errors.As(err, &refused) || refused.Code != "invalid_grant" {
		t.Errorf("the client was not taken: %v", err)
	}
	if sent := fake.TokenRequests(""); len(sent) != 1 || sent[0].Header.Get("Authorization") != "" ||
		sent[0].Form.Get("client_id") != oauthtest.MetadataURL {
		t.Errorf("%d requests: %+v", len(sent), sent)
	}
}

func TestClientCredentialsBySecretAndByAssertion(t *testing.T) {
	elliptic256, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	edPublic, edKey, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	sec1, err := x509.MarshalECPrivateKey(elliptic256)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		secret store.Secret
		key    store.Secret
		public any
	}{
		"secret":        {secret: newSecret("s3cret-of-a-client")},
		"ES256":         {key: pkcs8(t, elliptic256), public: elliptic256.Public()},
		"ES256 in SEC1": {key: pemOf("EC PRIVATE KEY", sec1), public: elliptic256.Public()},
		"RS256":         {key: pkcs8(t, rsaKey), public: rsaKey.Public()},
		"RS256, PKCS#1": {key: pemOf("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(rsaKey)), public: rsaKey.Public()},
		"EdDSA":         {key: pkcs8(t, edKey), public: edPublic},
	} {
		fake := oauthtest.New(t, func(s *switches) { s.MetadataSlash = true })
		client := oauthtest.Client{ID: "machine", AuthMethod: "client_secret_basic", Secret: test.secret.Reveal()}
		if test.public != nil {
			client.AuthMethod, client.Key = "private_key_jwt", test.public
		}
		fake.AddClient(client)
		server := store.Server{ID: "s", URL: fake.MCP, ClientID: "machine", SignIn: store.SignInConfig{
			Mode: store.SignInClientCredentials, ClientSecret: test.secret, PrivateKey: test.key,
		}}
		f, log := fetcherFor(t, bareStore{}, server, nil)
		a, err := f.discover(t.Context(), server, challenge{})
		if err != nil {
			t.Fatal(err)
		}
		registration, err := f.register(t.Context(), a, server, "", "", "")
		if err != nil {
			t.Fatal(err)
		}
		form := url.Values{"grant_type": {"client_credentials"}, "resource": {a.Resource}, "scope": {"read"}}
		got, err := f.token(t.Context(), a.TokenEndpoint, registration, test.key, form)
		if err != nil || !fake.Live(got.Access.Reveal()) || !got.Refresh.IsZero() {
			t.Errorf("%s: %+v, %v", name, got, err)
			continue
		}
		if len(form) != 3 {
			t.Errorf("%s: the caller's form was changed: %v", name, form)
		}
		if assertion := fake.TokenRequests("")[0].Form.Get("client_assertion"); assertion != "" && strings.Contains(fmt.Sprintf("%+v", log.exchanges),
			assertion) {
			t.Errorf("%s: the record shows the assertion", name)
		}
	}
}

// The fake checks audience, issuer, subject and signature; here it is what the fake cannot see.
func TestAssertionIsShortAndNewEachTime(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	first, err := signAssertion("https://as.example", "c", pkcs8(t, key), now)
	if err != nil {
		t.Fatal(err)
	}
	second, err := signAssertion("https://as.example", "c", pkcs8(t, key), now)
	if err != nil {
		t.Fatal(err)
	}
	a, b := claimsOf(t, first), claimsOf(t, second)
	if a["jti"] == b["jti"] || a["jti"] == "" || a["exp"].(float64)-a["iat"].(float64) != 60 || a["aud"] != "https://as.example" {
		t.Errorf("%v, %v", a, b)
	}
}

func TestKeysThatCannotSign(t *testing.T) {
	for name, key := range map[string]store.Secret{
		"none": {}, "no PEM": newSecret("PLANTED-KEY"), "nonsense": pemOf("PRIVATE KEY", []byte("PLANTED-KEY")), "a certificate": pemOf("CERTIFICATE",
			[]byte("PLANTED-KEY")),
	} {
		_, err := signAssertion("https://as.example", "c", key, time.Now())
		if err == nil || strings.Contains(err.Error(), "PLANTED") {
			t.Errorf("%s: %v", name, err)
		}
	}
	small, err := ecdsa.GenerateKey(elliptic.P224(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := signAssertion("https://as.example", "c", pkcs8(t, small), time.Now()); err == nil || !strings.Contains(err.Error(), "P-224") {
		t.Errorf("P-224: %v", err)
	}
}

func TestRefusedRevocationIsAnError(t *testing.T) {
	fake := oauthtest.New(t)
	f, _ := fetcherFor(t, bareStore{}, store.Server{URL: fake.MCP}, nil)
	client := store.Registration{Issuer: fake.Origin, ClientID: "unknown", AuthMethod: "none"}
	err := f.revoke(t.Context(), fake.Origin+"/revoke", client, store.Secret{}, newSecret("t"), "refresh_token")
	if refused := new(endpointError); !errors.As(err, &refused) || refused.Code != "invalid_client" {
		t.Errorf("%v", err)
	}
}

func pkcs8(t *testing.T, key any) store.Secret {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return pemOf("PRIVATE KEY", der)
}

func pemOf(kind string, der []byte) store.Secret {
	return newSecret(string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})))
}

func claimsOf(t *testing.T, assertion string) map[string]any {
	t.Helper()
	parts := strings.Split(assertion, ".")
	if len(parts) != 3 {
		t.Fatalf("%d parts", len(parts))
	}
	return decoded(t, parts[1])
}

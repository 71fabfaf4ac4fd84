package oauth

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"jackfield/backend/oauth/oauthtest"
	"jackfield/backend/store"
)

// registers discovers and registers, by default with a loopback redirect.
func registers(t *testing.T, fake *oauthtest.Fake, change ...func(*registering)) (store.Registration, error) {
	t.Helper()
	r := registering{server: store.Server{ID: "s", URL: fake.MCP}, redirect: store.RedirectLoopback, uri: loopbackURI}
	for _, c := range change {
		c(&r)
	}
	f, _ := fetcherFor(t, r.kept, r.server, nil)
	a, err := f.discover(t.Context(), r.server, challenge{})
	if err != nil {
		t.Fatal(err)
	}
	return f.register(t.Context(), a, r.server, r.metadata, r.redirect, r.uri)
}

type registering struct {
	server   store.Server
	kept     bareStore
	metadata string
	redirect store.RedirectKind
	uri      string
}

func TestRegistrationSaysWhatThisProgramIs(t *testing.T) {
	fake := oauthtest.New(t)
	client, err := registers(t, fake)
	if err != nil {
		t.Fatal(err)
	}
	sent := fake.Requests("/register")
	if len(sent) != 1 {
		t.Fatalf("%d registrations", len(sent))
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(sent[0].Body), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"application_type": `"native"`, "redirect_uris": `["` + loopbackURI + `"]`, "token_endpoint_auth_method": `"none"`, "response_types": `["code"]`,
		"grant_types": `["authorization_code","refresh_token"]`, "client_name": `"Jackfield"`, "software_id": `"jackfield"`, "software_version": `"1.2.3"`,
	}
	for name, value := range want {
		if encoded, _ := json.Marshal(got[name]); string(encoded) != value {
			t.Errorf("%s is %s, want %s", name, encoded, value)
		}
	}
	if len(got) != len(want) {
		t.Errorf("more was said than that: %v", got)
	}
	if client.Issuer != fake.Origin || client.Source != store.FromDynamic || client.AuthMethod != "none" || client.ServerID != "" ||
		!client.ClientSecret.IsZero() {
		t.Errorf("%+v", client)
	}
}

// The document that stands for a registration (Client ID Metadata Document) says the same as a registration does, with every redirect that
// this program comes back by. RFC 8252 section 7.3: the port of a loopback redirect is free.
func TestMetadataDocumentSaysWhatARegistrationSays(t *testing.T) {
	text, err := os.ReadFile("../../build/client-metadata.json")
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		ID string `json:"client_id"`
		clientMetadata
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&document); err != nil {
		t.Fatal(err)
	}
	want := (&fetcher{clientName: "Jackfield"}).metadataOfClient(authority{}, "")
	want.RedirectURIs = []string{SchemeRedirect, "http://127.0.0.1" + loopbackPath, "http://localhost" + loopbackPath}
	if diff := cmp.Diff(want, document.clientMetadata); diff != "" || document.ID != "CLIENT_METADATA_URL" {
		t.Errorf("%q\n%s", document.ID, diff)
	}
}

func TestRegistrationPriority(t *testing.T) {
	own := func(r *registering) { r.server.ClientID = "mine" }
	document := func(r *registering) { r.metadata = oauthtest.MetadataURL }
	for _, test := range []struct {
		name   string
		set    func(*switches)
		change []func(*registering)
		source store.RegistrationSource
		id     string
		posts  int
	}{
		{"the person's own first", func(s *switches) { s.Documented = true }, []func(*registering){own, document}, store.FromPerson, "mine", 0},
		{"then the document", func(s *switches) { s.Documented = true }, []func(*registering){document}, store.FromMetadata, oauthtest.MetadataURL, 0},
		{"a document that is not supported", func(*switches) {}, []func(*registering){document}, store.FromDynamic, "", 1},
		{"no document", func(s *switches) { s.Documented = true }, nil, store.FromDynamic, "", 1},
	} {
		fake := oauthtest.New(t, test.set)
		client, err := registers(t, fake, test.change...)
		if err != nil || client.Source != test.source || test.id != "" && client.ClientID != test.id || fake.Count("/register") != test.posts {
			t.Errorf("%s: %+v, %d posts, %v", test.name, client, fake.Count("/register"), err)
		}
	}
}

func refusedAs(t *testing.T, err error) *registrationError {
	t.Helper()
	refused := new(registrationError)
	if !errors.As(err, &refused) {
		t.Fatalf("no *registrationError: %v", err)
	}
	return refused
}

func TestRow16NoDynamicRegistration(t *testing.T) {
	fake := oauthtest.New(t, func(s *switches) { s.NoRegistration = true })
	_, err := registers(t, fake)
	if refused := refusedAs(t, err); !refused.Impossible || refused.Redirect || !strings.Contains(err.Error(), loopbackURI) {
		t.Errorf("the exact redirect has to be named: %+v", refused)
	}
	for _, status := range []int{401, 403, 404, 405, 501} {
		fake := oauthtest.New(t, func(s *switches) { s.RegisterStatus = status })
		if _, err := registers(t, fake); !refusedAs(t, err).Impossible {
			t.Errorf("%d: %v", status, err)
		}
	}
	fake = oauthtest.New(t, func(s *switches) { s.RegisterStatus = 503 })
	if _, err := registers(t, fake); refusedAs(t, err).Impossible || refusedAs(t, err).Redirect {
		t.Errorf("a failure for now is not taken for a rule: %v", err)
	}
}

func TestRow17CustomSchemeRefused(t *testing.T) {
	scheme := func(r *registering) { r.redirect, r.uri = store.RedirectScheme, "jackfield://oauth/callback" }
	for name, set := range map[string]func(*switches){
		"invalid_redirect_uri":                      func(s *switches) { s.RefuseSchemes = true },
		"invalid_client_metadata, of the redirect":  func(s *switches) { s.RegisterError = "invalid_client_metadata" },
		"a code of its own that names the redirect": func(s *switches) { s.RegisterError = "invalid_request" },
	} {
		fake := oauthtest.New(t, set)
		_, err := registers(t, fake, scheme)
		refused := refusedAs(t, err)
		if name == "invalid_redirect_uri" && !refused.Redirect {
			t.Errorf("%s: %+v", name, refused)
		}
		if name != "invalid_redirect_uri" && refused.Redirect { // the fake's text says "registration is refused"
			t.Errorf("%s: another redirect does not help: %+v", name, refused)
		}
	}
	for text, want := range map[string]bool{"redirect_uris must use https": true, "Redirect URI is bad": true, "the name is taken": false} {
		body, _ := json.Marshal(map[string]string{"error": "invalid_client_metadata", "error_description": text})
		if got := refusedRegistration("https://as.example", reply{status: 400, body: body}, time.Now()); got.Redirect != want {
			t.Errorf("%q: %v", text, got.Redirect)
		}
	}
	fake := oauthtest.New(t, func(s *switches) { s.RefuseSchemes = true })
	if _, err := registers(t, fake); err != nil {
		t.Errorf("the loopback redirect alone: %v", err)
	}
}

func TestRow18OnlyOneNameOfLoopback(t *testing.T) {
	localhost := func(r *registering) { r.redirect, r.uri = store.RedirectLocalhost, "http://localhost:49152/callback" }
	fake := oauthtest.New(t, func(s *switches) { s.LocalhostOnly = true })
	if _, err := registers(t, fake); !refusedAs(t, err).Redirect {
		t.Errorf("127.0.0.1: %v", err)
	}
	if client, err := registers(t, fake, localhost); err != nil || client.Redirect != store.RedirectLocalhost {
		t.Errorf("localhost: %+v, %v", client, err)
	}
	fake.Set(func(s *switches) { s.LocalhostOnly, s.AddressOnly = false, true })
	if _, err := registers(t, fake, localhost); !refusedAs(t, err).Redirect {
		t.Errorf("localhost: %v", err)
	}
}

func TestRow26AnswerOfRegistrationIsObeyed(t *testing.T) {
	for _, method := range []string{"client_secret_basic", "client_secret_post"} {
		fake := oauthtest.New(t, func(s *switches) { s.GivesSecret, s.RegisterExpiry = method, 4102444800 })
		server := store.Server{ID: "s", URL: fake.MCP}
		f, _ := fetcherFor(t, bareStore{}, server, nil)
		got, client, _, err := completed(t, fake, f, server, store.Secret{})
		if err != nil || !fake.Live(got.Access.Reveal()) {
			t.Fatalf("%s: the secret was not used: %v", method, err)
		}
		if client.AuthMethod != method || client.ClientSecret.IsZero() || client.SecretExpiresAt.Unix() != 4102444800 {
			t.Errorf("%s: %+v", method, client)
		}
	}
	a := authority{Issuer: "https://as.example"}
	ask := store.Registration{RedirectURI: loopbackURI}
	for body, want := range map[string]string{
		`{"client_id":"c"}`:                                         "none",
		`{"client_id":"c","client_secret":"s"}`:                     "client_secret_basic",
		`{"client_id":"c","token_endpoint_auth_method":"none"}`:     "none",
		`{"client_id":"c","client_secret_expires_at":0}`:            "none",
		`{"client_id":"c","redirect_uris":["` + loopbackURI + `"]}`: "none",
	} {
		if got, err := readRegistration(a, []byte(body), ask); err != nil || got.AuthMethod != want || !got.SecretExpiresAt.IsZero() {
			t.Errorf("%s: %+v, %v", body, got, err)
		}
	}
	for body, redirect := range map[string]bool{
		`{"client_id":"c","redirect_uris":["https://other.example"]}`:          true,
		`{"client_id":"c","token_endpoint_auth_method":"client_secret_basic"}`: false,
		`{"client_id":"c","token_endpoint_auth_method":"tls_client_auth"}`:     false,
		`{"client_id":7}`: false, `{}`: false, `[]`: false, `<html>`: false, ``: false,
	} {
		if _, err := readRegistration(a, []byte(body), ask); refusedAs(t, err).Redirect != redirect || refusedAs(t, err).Impossible == redirect {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func TestRow34TooManyRegistrations(t *testing.T) {
	fake := oauthtest.New(t, func(s *switches) { s.RegisterStatus, s.RetryAfter = 429, "120" })
	_, err := registers(t, fake)
	if refused := refusedAs(t, err); refused.RetryAfter != 2*time.Minute || refused.Impossible || fake.Count("/register") != 1 {
		t.Errorf("%+v after %d requests", refused, fake.Count("/register"))
	}
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"": 30 * time.Second, "nonsense": 30 * time.Second, "0": time.Second, "-5": time.Second, "7": 7 * time.Second, "999999999": time.Hour,
		"99999999999999999999":                       30 * time.Second,
		now.Add(time.Minute).Format(http.TimeFormat): time.Minute, now.Add(-time.Minute).Format(http.TimeFormat): time.Second,
	} {
		if got := retryAfter(value, now); got != want {
			t.Errorf("%q: %s, want %s", value, got, want)
		}
	}
}

// CVE-2026-104850, CVE-2026-115563: the MCP server names the authorization server, and so must not choose who gets a secret.
func TestRow33SecretStaysWithItsIssuer(t *testing.T) {
	mine, evil := oauthtest.New(t), oauthtest.New(t)
	secret := newSecret("a-secret-of-mine")
	set := func(r *registering) { r.server.ClientID, r.server.SignIn.ClientSecret = "mine", secret }
	mine.Set(func(s *switches) { s.AuthorizationServers = []string{evil.Origin} })
	for name, bind := range map[string]func(*registering){
		"bound by the person": func(r *registering) { r.server.SignIn.Issuer = mine.Origin },
		"bound by the first use": func(r *registering) {
			r.kept.grant = &store.Grant{Issuer: mine.Origin, Registration: store.Registration{Source: store.FromPerson}}
		},
	} {
		_, err := registers(t, mine, set, bind)
		if err == nil || !strings.Contains(err.Error(), mine.Origin) || !strings.Contains(err.Error(), evil.Origin) {
			t.Errorf("%s: both issuers have to be shown: %v", name, err)
		}
	}
	if evil.Count("/token") != 0 {
		t.Error("the secret was sent")
	}
	mine.Set(func(s *switches) { s.AuthorizationServers = nil })
	client, err := registers(t, mine, set, func(r *registering) { r.server.SignIn.Issuer = mine.Origin + "/" })
	if err != nil || client.ServerID != "s" || client.ClientSecret != secret || client.AuthMethod != "client_secret_basic" {
		t.Errorf("%+v, %v", client, err)
	}
}

func TestClientCredentialsNeedAClient(t *testing.T) {
	fake := oauthtest.New(t)
	_, err := registers(t, fake, func(r *registering) { r.server.SignIn.Mode = store.SignInClientCredentials })
	if !refusedAs(t, err).Impossible || fake.Count("/register") != 0 {
		t.Errorf("%v", err)
	}
}

func TestAuthMethodFollowsFromWhatThereIs(t *testing.T) {
	secret, key := newSecret("s"), newSecret("k")
	for _, test := range []struct {
		config    store.SignInConfig
		supported []string
		want      string
	}{
		{store.SignInConfig{}, nil, "none"},
		{store.SignInConfig{ClientSecret: secret}, nil, "client_secret_basic"},
		{store.SignInConfig{ClientSecret: secret}, []string{"client_secret_post"}, "client_secret_post"},
		{store.SignInConfig{ClientSecret: secret}, []string{"client_secret_post", "client_secret_basic"}, "client_secret_basic"},
		{store.SignInConfig{ClientSecret: secret, PrivateKey: key}, nil, "private_key_jwt"},
		{store.SignInConfig{ClientSecret: secret, AuthMethod: "client_secret_post"}, nil, "client_secret_post"},
		{store.SignInConfig{AuthMethod: "tls_client_auth"}, nil, ""},
	} {
		if got, err := authMethod(test.config, test.supported); got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%+v, %v: %q, %v", test.config, test.supported, got, err)
		}
	}
	f := &fetcher{}
	narrow := authority{TokenAuthMethods: []string{"client_secret_post"}, GrantTypes: []string{"authorization_code"}}
	if m := f.metadataOfClient(narrow, loopbackURI); m.AuthMethod != "client_secret_post" ||
		!slices.Equal(m.GrantTypes, []string{"authorization_code"}) {
		t.Errorf("what an authorization server does not know was asked for: %+v", m)
	}
}

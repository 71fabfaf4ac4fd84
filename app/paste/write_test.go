package paste

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"jackfield/backend/store"
	"jackfield/backend/store/vault"
)

func TestWhatIsWrittenIsReadBack(t *testing.T) {
	servers := []store.Server{
		{ID: "a", Name: "odd one", Transport: store.TransportStdio, Command: "/opt/my tools/run", Args: []string{"a b", "", "\"<&>", "\u00e9\n"}, Env: variables("A", "1"), Cwd: "/x", Enabled: true},
		{ID: "b", Name: "spaces", Transport: store.TransportStdio, Command: "/opt/my tools/run", Args: []string{}},
		{ID: "c", Name: "docs", Transport: store.TransportAuto, URL: "https://docs.example/mcp?a=1&b=<2>", Headers: variables("X-Team", "web"), Enabled: true},
		{ID: "d", Name: "old", Transport: store.TransportSSE, URL: "https://old.example/sse", Enabled: true},
		{ID: "e", Name: "new", Transport: store.TransportStreamableHTTP, URL: "https://new.example/mcp", Enabled: true},
	}
	block, notes, err := Write(servers)
	if err != nil || len(notes) != 0 {
		t.Fatalf("%v %q", err, notes)
	}
	back, err := Parse(string(block))
	if err != nil {
		t.Fatalf("%v\n%s", err, block)
	}
	ignored := cmpopts.IgnoreFields(store.Server{}, "ID", "Era")
	if diff := cmp.Diff(servers, back.Servers, ignored); diff != "" {
		t.Errorf("%s\n%s", diff, block)
	}
}

func TestSecretsAreNotWrittenAndSaidToBeLeftOut(t *testing.T) {
	const planted = "hush-hush-hush"
	hidden := vault.NewSecret(planted)
	block, notes, err := Write([]store.Server{
		{
			ID: "notes", Name: "notes", Transport: store.TransportStdio, Command: "n", Args: []string{"--api-key=visible"},
			Env: []store.Variable{{Name: "PIN", Secret: true, Hidden: hidden}, {Name: "API_KEY", Value: planted}},
		},
		{
			ID: "docs", Name: "docs", Transport: store.TransportAuto, URL: "https://ana:" + planted + "@docs.example/mcp?token=" + planted + "&team=web",
			Headers: []store.Variable{{Name: "Authorization", Secret: true, Hidden: hidden}}, SignIn: store.SignInConfig{ClientSecret: hidden},
		},
		{ID: "playground", Name: "Playground", Transport: store.TransportBuiltin},
	})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(block), planted) || strings.Contains(string(block), "***") {
		t.Errorf("%s", block)
	}
	if !strings.Contains(string(block), "https://docs.example/mcp?team=web") {
		t.Errorf("%s", block)
	}
	all := strings.Join(notes, "\n")
	for _, said := range []string{"PIN", "API_KEY", "Authorization", "user name", "token", "argument", "Playground"} {
		if !strings.Contains(all, said) {
			t.Errorf("%s is not named in: %s", said, all)
		}
	}
}

func TestServersOfOneNameAreToldApartByTheirID(t *testing.T) {
	block, _, err := Write([]store.Server{
		{ID: "a", Name: "same", Transport: store.TransportAuto, URL: "https://a.example/"},
		{ID: "b", Name: "same", Transport: store.TransportAuto, URL: "https://b.example/"},
	})
	if back, parsed := Parse(string(block)); err != nil || parsed != nil || len(back.Servers) != 2 {
		t.Errorf("%v %v\n%s", err, parsed, block)
	}
	if block, _, err := Write(nil); err != nil || string(block) != "{\n  \"mcpServers\": {}\n}\n" {
		t.Errorf("%s %v", block, err)
	}
}

package paste

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"jackfield/backend/store"
	"jackfield/backend/store/vault"
)

func variables(pairs ...string) []store.Variable {
	var out []store.Variable
	for i := 0; i+1 < len(pairs); i += 2 {
		out = append(out, store.Variable{Name: pairs[i], Value: pairs[i+1]})
	}
	return out
}

func secretly(in []store.Variable, names ...string) []store.Variable {
	for i := range in {
		for _, name := range names {
			in[i].Secret = in[i].Secret || in[i].Name == name
		}
	}
	return in
}

func TestParseUnderstands(t *testing.T) {
	stdio := func(name string, words ...string) store.Server {
		return store.Server{
			Name: name, Transport: store.TransportStdio, Command: words[0], Args: words[1:], Enabled: true, Era: store.EraAuto,
		}
	}
	remote := func(name, url string, transport store.Transport) store.Server {
		return store.Server{Name: name, Transport: transport, URL: url, Enabled: true, Era: store.EraAuto}
	}
	with := func(server store.Server, change func(*store.Server)) store.Server {
		change(&server)
		return server
	}
	const auto, streamable, sse = store.TransportAuto, store.TransportStreamableHTTP, store.TransportSSE
	tests := []struct {
		name, text, kind string
		want             []store.Server
		note             string
	}{
		{"a URL", " https://mcp.linear.app/mcp\n", KindURL, []store.Server{remote("linear.app", "https://mcp.linear.app/mcp", auto)}, ""},
		{
			"a loopback address without scheme", "localhost:3000/mcp", KindURL,
			[]store.Server{remote("localhost:3000", "http://localhost:3000/mcp", auto)},
			"http is used",
		},
		{
			"a URL with a token in it", "https://example.com/mcp?api_key=123", KindURL,
			[]store.Server{remote("example.com", "https://example.com/mcp?api_key=123", auto)},
			"URL of example.com holds",
		},
		{
			"a command", "npx -y @modelcontextprotocol/server-everything stdio", KindCommand,
			[]store.Server{stdio("server-everything", "npx", "-y", "@modelcontextprotocol/server-everything", "stdio")},
			"",
		},
		{
			"a script of a package with a scope", "node ./node_modules/@acme/mcp-files/dist/index.js", KindCommand,
			[]store.Server{stdio("mcp-files", "node", "./node_modules/@acme/mcp-files/dist/index.js")},
			"",
		},
		{
			"a script with a name that says nothing", "node /srv/server-files/dist/index.js stdio", KindCommand,
			[]store.Server{stdio("server-files", "node", "/srv/server-files/dist/index.js", "stdio")},
			"",
		},
		{
			"a program on the command line", `python3 -u -c "import server; server.run()"`, KindCommand,
			[]store.Server{stdio("python3", "python3", "-u", "-c", "import server; server.run()")},
			"",
		},
		{
			"a prompt sign, quotes and continued lines", "$ uvx \\\n  mcp-server-git \\\n --repository \"/home/ana/my repo\"", KindCommand,
			[]store.Server{stdio("mcp-server-git", "uvx", "mcp-server-git", "--repository", "/home/ana/my repo")},
			"",
		},
		{
			"variables in front", "API_KEY=abc DEBUG='1 2' node ./dist/index.js", KindCommand,
			[]store.Server{with(stdio("index", "node", "./dist/index.js"), func(s *store.Server) {
				s.Env = secretly(variables("API_KEY", "abc", "DEBUG", "1 2"), "API_KEY")
			})},
			"API_KEY looks like a secret",
		},
		{
			"no expansion", "run $HOME ~/x *.txt ${TOKEN} `id`", KindCommand,
			[]store.Server{stdio("run", "run", "$HOME", "~/x", "*.txt", "${TOKEN}", "`id`")},
			"${TOKEN} stays as text",
		},
		{
			"a Windows path", `"C:\Program Files\node\node.exe" C:\srv\main.js`, KindCommand,
			[]store.Server{stdio("srv", `C:\Program Files\node\node.exe`, `C:\srv\main.js`)},
			"",
		},
		{"a module of Python", "python3 -m weather --port 1", KindCommand, []store.Server{stdio("weather", "python3", "-m", "weather", "--port", "1")}, ""},
		{"a secret argument", "srv --api-key=s3cr3t", KindCommand, []store.Server{stdio("srv", "srv", "--api-key=s3cr3t")}, "An argument of srv"},

		{
			"mcpServers, comments and trailing commas", "{ // mine\n \"mcpServers\": {\"files\": {\"command\": \"npx\", \"args\": [\"-y\", \"fs\", 1,], \"env\": {\"TOKEN\": \"x\", \"PORT\": 8080}, \"cwd\": \"/tmp\", \"disabled\": true},},}", KindJSON,
			[]store.Server{with(stdio("files", "npx", "-y", "fs", "1"), func(s *store.Server) {
				s.Env, s.Cwd, s.Enabled = secretly(variables("TOKEN", "x", "PORT", "8080"), "TOKEN"), "/tmp", false
			})},
			"TOKEN looks like a secret",
		},
		{
			"servers of two kinds, in order", `{"servers":{"z":{"type":"http","url":"https://z.example/mcp","headers":{"Authorization":"Bearer abc"}},"a":{"command":"a"}},"inputs":[]}`, KindJSON,
			[]store.Server{
				with(remote("z", "https://z.example/mcp", streamable), func(s *store.Server) {
					s.Headers = secretly(variables("Authorization", "Bearer abc"), "Authorization")
				}),
				stdio("a", "a"),
			},
			"Authorization looks like a secret",
		},
		{
			"a nested container", `{"mcp":{"servers":{"x":{"url":"https://x.example"}}}}`, KindJSON,
			[]store.Server{remote("x", "https://x.example", auto)},
			"",
		},
		{
			"bare names", `{"x":{"serverUrl":"https://x.example"},"y":{"httpUrl":"https://y.example"},"version":1}`, KindJSON,
			[]store.Server{remote("x", "https://x.example", auto), remote("y", "https://y.example", streamable)},
			`"version" was left out`,
		},
		{"the inside of a block", `"x": {"type":"sse","url":"https://x.example/sse"}`, KindJSON, []store.Server{remote("x", "https://x.example/sse", sse)}, ""},
		{
			"one entry", `{"type":"streamableHttp","url":"https://mcp.acme.example/mcp"}`, KindJSON,
			[]store.Server{remote("acme.example", "https://mcp.acme.example/mcp", streamable)},
			"",
		},
		{"one entry with its name", `{"name":"Acme","type":"stdio","command":"acme"}`, KindJSON, []store.Server{stdio("Acme", "acme")}, ""},
		{
			"a list", `[{"name":"a","command":"a"},{"url":"https://b.example"}]`, KindJSON,
			[]store.Server{stdio("a", "a"), remote("b.example", "https://b.example", auto)},
			"",
		},
		{"a code block", "```json\n{\"x\":{\"command\":\"x\"}}\n```", KindJSON, []store.Server{stdio("x", "x")}, ""},
		{"arguments in one text", `{"x":{"command":"x","args":"--a 'b c'"}}`, KindJSON, []store.Server{stdio("x", "x", "--a", "b c")}, ""},
		{"a command line as command", `{"x":{"command":"npx -y srv"}}`, KindJSON, []store.Server{stdio("x", "npx", "-y", "srv")}, "split into words"},
		{"a path with blanks as command", `{"x":{"command":"/opt/my app/srv"}}`, KindJSON, []store.Server{stdio("x", "/opt/my app/srv")}, ""},
		{"a command as list", `{"mcp":{"x":{"type":"local","command":["bun","x","srv"]}}}`, KindJSON, []store.Server{stdio("x", "bun", "x", "srv")}, ""},
		{"unknown fields", `{"x":{"command":"x","alwaysAllow":[]}}`, KindJSON, []store.Server{stdio("x", "x")}, `"alwaysAllow" of "x" is not used`},
		{"a name that is there twice", `{"x":{"command":"x"},"x":{"command":"y"}}`, KindJSON, []store.Server{stdio("x", "y")}, "there twice"},
		{"a variable in a URL", `{"x":{"url":"${env:HOST}/mcp"}}`, KindJSON, []store.Server{remote("x", "${env:HOST}/mcp", auto)}, "${env:HOST} stays as text"},
		{"a variable with null", `{"x":{"command":"x","env":{"A":null}}}`, KindJSON, []store.Server{stdio("x", "x")}, "A has no value"},
		{"a container's name as a server's", `{"servers":{"mcp":{"command":"m"}}}`, KindJSON, []store.Server{stdio("mcp", "m")}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := Parse(test.text)
			if err != nil {
				t.Fatal(err)
			}
			if got.Kind != test.kind {
				t.Errorf("kind %q, want %q", got.Kind, test.kind)
			}
			if !reflect.DeepEqual(normal(got.Servers), normal(sealed(test.want))) {
				t.Errorf("got  %+v\nwant %+v", got.Servers, test.want)
			}
			notes := strings.Join(got.Notes, "\n")
			if !strings.Contains(notes, test.note) || test.note == "" && notes != "" {
				t.Errorf("notes %q, want %q", notes, test.note)
			}
		})
	}
}

// normal makes empty and nil lists equal.
func normal(servers []store.Server) []store.Server {
	for i := range servers {
		if len(servers[i].Args) == 0 {
			servers[i].Args = nil
		}
	}
	return servers
}

func TestParseRefuses(t *testing.T) {
	tests := []struct {
		name, text, want string
		line, column     int
	}{
		{"nothing", " \n", "nothing to read", 0, 0},
		{"bytes", "\xff\xfe", "not readable", 0, 0},
		{"too long", strings.Repeat("x", maxText+1), "longer", 0, 0},
		{"another scheme", "ftp://example.com", "not by ftp", 0, 0},
		{"no host", "https:///mcp", "names no host", 0, 0},
		{"a pipe", "cat x | grep y", "needs a shell", 1, 7},
		{"two commands", "cd x && node y", "needs a shell", 1, 6},
		{"a redirection", "node y > log", "needs a shell", 1, 8},
		{"an open quote", `node "y`, "does not end properly", 0, 0},
		{"a second command", "node a\nnode b", "second line", 2, 1},
		{"only variables", "A=1 B=2", "only variables", 0, 0},
		{"broken JSON", "{\n  \"x\": {\n    \"command\" \"x\"\n}}", "line 3, column 15", 0, 0},
		{"no servers", `{"mcpServers":{}}`, "no server in it", 1, 15},
		{"an empty list", `[]`, "list of servers is empty", 1, 1},
		{"neither url nor command", "{\"servers\":{\n \"x\":{\"args\":[]}}}", "neither a url nor a command", 2, 6},
		{"both", `{"x":{"command":"a","url":"https://b.example"}}`, "both a command and a url", 1, 6},
		{"type without command", `{"x":{"type":"stdio","url":"https://b.example"}}`, "there is no command", 1, 6},
		{"type without url", `{"x":{"type":"sse","command":"a"}}`, "but there is a command", 1, 6},
		{"an unknown transport", `{"x":{"type":"carrier-pigeon","url":"https://b.example"}}`, "not a transport", 1, 14},
		{"a wrong type", `{"x":{"command":"a","cwd":7}}`, "must be text, this is a number", 1, 27},
		{"a wrong env", `{"x":{"command":"a","env":["A=1"]}}`, "must be an object", 1, 27},
		{"a wrong place inside a fragment", `"x": {"command":"a","cwd":7}`, "must be text", 1, 27},
		{"a wrong URL", `{"x":{"url":"ws://b.example"}}`, "not by ws", 1, 13},
		{"a number", `[1]`, "a server is an object", 1, 2},
		{"depth", strings.Repeat("[", 1000), "nested too deeply", 0, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := Parse(test.text)
			var problem *Error
			if !errors.As(err, &problem) {
				t.Fatalf("got %+v, %v", got, err)
			}
			if !strings.Contains(problem.Error(), test.want) || problem.Line != test.line || problem.Column != test.column {
				t.Errorf("got %q at %d:%d, want %q at %d:%d", problem, problem.Line, problem.Column, test.want, test.line, test.column)
			}
			if problem.Hint() == "" {
				t.Error("no next step")
			}
		})
	}
}

func TestLooksSecret(t *testing.T) {
	for _, pair := range [][2]string{
		{"Authorization", "x"},
		{"X-Api-Key", "x"},
		{"GITHUB_TOKEN", "x"},
		{"DB_PASSWORD", "x"},
		{"x", "Bearer abc"},
		{"x", "ghp_abcdefghijkl"},
		{"OPENAI_KEY", "x"},
		{"x", "eyJhbGciOiJIUzI1NiJ9.e30.x"},
	} {
		if !LooksSecret(pair[0], pair[1]) {
			t.Errorf("%v does not look secret", pair)
		}
	}
	for _, pair := range [][2]string{
		{"Accept", "text/plain"}, {"KEYBOARD", "de"}, {"NODE_ENV", "production"}, {"X-Author", "ana"}, {"MONKEY", "x"}, {"PATH", "/bin"},
	} {
		if LooksSecret(pair[0], pair[1]) {
			t.Errorf("%v looks secret", pair)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"https://example.com/mcp", "localhost:1", "npx -y x 'a b'", `C:\a\b.exe "c d`, "A=1 x", "x | y", "a\\\nb",
		`{"mcpServers":{"x":{"command":"x","args":["a",1],"env":{"A":"b"}}}}`, `"x": {"url":"https://x"}`, `[{"url":"${X}"}]`,
		"```json\n{}\n```", `{"mcp":{"mcp":{"mcp":{}}}}`, "{//c\n}", `{"x":{"command":[]}}`, "$(a) `b`", `{"x":{"command":"a (b"}}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		result, err := Parse(text)
		if err != nil {
			var problem *Error
			if !errors.As(err, &problem) || problem.Error() == "" || problem.Hint() == "" {
				t.Fatalf("%T %v", err, err)
			}
			return
		}
		if len(result.Servers) == 0 {
			t.Fatal("neither servers nor an error")
		}
		for _, server := range result.Servers {
			if server.Name == "" {
				t.Errorf("a server without a name: %+v", server)
			}
			if (server.URL == "") == (server.Command == "") || (server.Transport == store.TransportStdio) != (server.Command != "") {
				t.Errorf("neither or both: %+v", server)
			}
		}
	})
}

// sealed puts the values of secret variables where they belong.
func sealed(servers []store.Server) []store.Server {
	for _, server := range servers {
		for _, variables := range [][]store.Variable{server.Headers, server.Env} {
			for i, v := range variables {
				if v.Secret {
					variables[i] = store.Variable{Name: v.Name, Secret: true, Hidden: vault.NewSecret(v.Value)}
				}
			}
		}
	}
	return servers
}

package link

import (
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"testing"

	"jackfield/app/api"
)

func TestFromArgs(t *testing.T) {
	for _, test := range []struct {
		name string
		args []string
		want bool
	}{
		{"the only argument", []string{"jackfield://add?name=x"}, true},
		{"in other letters", []string{"JackField:whatever"}, true},
		{"no argument", nil, false},
		{"a path", []string{"/tmp/jackfield://add"}, false},
		{"a flag that holds one", []string{"--data-dir=jackfield://add"}, false},
		{"a flag in front", []string{"--data-dir", "jackfield://add"}, false},
		{"a flag behind", []string{"jackfield://add?name=x", "--data-dir=/tmp"}, false},
		{"two links", []string{"jackfield://add", "jackfield://add"}, false},
		{"another scheme", []string{"jackfields://add"}, false},
		{"something short", []string{"j"}, false},
	} {
		got, ok := FromArgs(test.args)
		if ok != test.want || ok && got != test.args[0] {
			t.Errorf("%s: %q, %v", test.name, got, ok)
		}
	}
}

func TestACallbackIsHandedOnAsItCame(t *testing.T) {
	const raw = "jackfield://oauth/callback?code=a%2Bb&state=s1%26x&iss=https%3A%2F%2Fas.example"
	got, err := Parse(raw)
	if err != nil || got.Action != Callback || got.Raw != raw {
		t.Fatalf("%+v, %v", got, err)
	}
}

func TestRefusedLinks(t *testing.T) {
	long := strings.Repeat("x", 5000)
	for _, test := range []struct {
		name, raw, says string
		quiet           bool
	}{
		{"an unknown action", "jackfield://call?server=x", "does not do", false},
		{"no action", "jackfield://", "does not do", false},
		{"an action in other letters", "jackfield://Add?url=https://a.example", "does not do", false},
		{"an encoded action", "jackfield://%61dd?url=https://a.example", "does not do", false},
		{"a path behind add", "jackfield://add/../oauth/callback?url=https://a.example", "does not do", false},
		{"a user name", "jackfield://add@evil?url=https://a.example", "does not do", false},
		{"a port", "jackfield://add:80?url=https://a.example", "does not do", false},
		{"one slash", "jackfield:/add?url=https://a.example", "does not begin", false},
		{"no slash", "jackfield:add?url=https://a.example", "does not begin", false},
		{"the scheme in other letters", "JACKFIELD://add?url=https://a.example", "does not begin", false},
		{"a fragment", "jackfield://add?url=https://a.example#x", "fragment", false},
		{"a blank", "jackfield://add?name=a b", "blank", false},
		{"a tab", "jackfield://add?name=a\tb", "invisible", false},
		{"a line feed", "jackfield://add?name=a\nb", "invisible", false},
		{"a direction override", "jackfield://add?name=a\u202eb", "invisible", false},
		{"a zero-width blank", "jackfield://add?name=a\u200bb", "invisible", false},
		{"a tag character", "jackfield://add?name=a\U000e0041", "invisible", false},
		{"a variation selector", "jackfield://add?name=a\ufe0f", "invisible", false},
		{"a filler that shows nothing", "jackfield://add?name=a\u3164", "invisible", false},
		{"broken UTF-8", "jackfield://add?name=a\xff", "UTF-8", false},
		{"an add link without end", "jackfield://add?name=" + strings.Repeat(long, 4), "longer", false},

		{"a callback that is too long", "jackfield://oauth/callback?code=" + long, "longer", true},
		{"a callback with a slash more", "jackfield://oauth/callback/?code=x", "does not do", true},
		{"a callback in other letters", "jackfield://OAuth/callback?code=x", "does not do", true},
		{"a callback with a port", "jackfield://oauth:1/callback?code=x", "does not do", true},
		{"a callback with a fragment", "jackfield://oauth/callback?code=x#y", "fragment", true},
		{"a callback with a control character", "jackfield://oauth/callback?code=x\x00", "invisible", true},
		{"a callback with one slash", "jackfield:/oauth/callback?code=x", "does not begin", true},
	} {
		_, err := Parse(test.raw)
		refused, ok := errors.AsType[*Refused](err)
		if !ok || !strings.Contains(refused.Message, test.says) || refused.Quiet != test.quiet {
			t.Errorf("%s: %v, quiet %v", test.name, err, ok && refused.Quiet)
		}
	}
}

func TestRefusedProposals(t *testing.T) {
	for _, test := range []struct{ name, query, says string }{
		{"nothing", "", "neither"},
		{"a name only", "name=x", "neither"},
		{"a nested link", "url=https://a.example&name=jackfield://add", "another"},
		{"a nested link, encoded", "command=npx&arg=%6Aackfield%3A%2F%2Fadd", "another"},
		{"a nested link in a name", "command=npx&JACKFIELD%3A=1", "another"},
		{"two urls", "url=https://a.example&url=https://b.example", "more than once"},
		{"two names", "url=https://a.example&name=a&name=b", "more than once"},
		{"an unknown one twice", "url=https://a.example&x=1&x=2", "more than once"},
		{"two commands", "command=a&command=b", "more than once"},
		{"a header twice", "url=https://a.example&header=X-A&header=x-a", "more than once"},
		{"a variable twice", "command=a&env=A=1&env=A=2", "more than once"},
		{"both kinds", "url=https://a.example&command=npx", "mixes"},
		{"a variable for a URL", "url=https://a.example&env=A=1", "mixes"},
		{"a header for a command", "command=npx&header=X-A", "mixes"},
		{"a tab, encoded", "command=npx&arg=a%09b", "invisible"},
		{"a line feed, encoded", "command=npx&arg=a%0Ab", "invisible"},
		{"a direction override, encoded", "command=npx&arg=%E2%80%AE", "invisible"},
		{"a zero-width joiner, encoded", "name=%E2%80%8D&command=npx", "invisible"},
		{"a NUL, encoded", "command=npx%00", "invisible"},
		{"broken encoding", "command=%zz", "not encoded"},
		{"broken UTF-8, encoded", "command=%ff", "UTF-8"},
		{"a file", "url=file:///etc/passwd", "http or https"},
		{"a script", "url=javascript:alert(1)", "http or https"},
		{"a URL without a host", "url=https:///x", "http or https"},
		{"a user name in the URL", "url=https://a.example@b.example/mcp", "user name"},
		{"a transport of the wrong kind", "url=https://a.example&transport=stdio", "fit a URL"},
		{"the built-in transport", "url=https://a.example&transport=builtin", "fit a URL"},
		{"a URL's transport for a command", "command=npx&transport=sse", "fit a command"},
		{"a relative directory", "command=npx&cwd=here", "absolute"},
		{"a variable without a name", "command=npx&env==x", "NAME=value"},
		{"a variable without a value", "command=npx&env=x", "NAME=value"},
		{"a header that is none", "url=https://a.example&header=a%20b", "valid name"},
		{"a long name", "url=https://a.example&name=" + strings.Repeat("x", 200), "longer"},
	} {
		_, err := Parse("jackfield://add?" + test.query)
		refused, ok := errors.AsType[*Refused](err)
		if !ok || !strings.Contains(refused.Message, test.says) || refused.Quiet {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

func TestProposals(t *testing.T) {
	parse := func(query string) api.Link {
		t.Helper()
		got, err := Parse("jackfield://add?" + query)
		if err != nil || got.Action != Add {
			t.Fatalf("%s: %+v, %v", query, got, err)
		}
		return got.Proposal
	}
	got := parse("name=Docs+and+more&url=https%3A%2F%2Fdocs.example%2Fmcp%3Fa%3Db%2526c&transport=sse&header=Authorization&header=X-Team")
	config := got.Config
	if config.Name != "Docs and more" || config.URL != "https://docs.example/mcp?a=b%26c" || config.Transport != "sse" || config.Enabled ||
		len(config.Headers) != 2 || !config.Headers[0].Secret || config.Headers[1].Secret || len(got.Notes) != 0 || got.Error != nil {
		t.Errorf("%+v", got)
	}

	got = parse("command=npx&arg=-y&arg=&arg=a+b&env=A=1=2&env=API_TOKEN=abc&cwd=/srv/x")
	config = got.Config
	if config.Transport != "stdio" || config.Command != "npx" || strings.Join(config.Args, "|") != "-y||a b" || config.Cwd != "/srv/x" ||
		config.Name == "" || config.Enabled {
		t.Errorf("%+v", config)
	}
	if len(config.Env) != 2 || config.Env[0].Value != "1=2" || config.Env[1].Value != "abc" || config.Env[1].Secret || len(got.Notes) != 1 {
		t.Errorf("what a link sets has to be seen: %+v, %q", config.Env, got.Notes)
	}

	got = parse("url=https://a.example/mcp&header=X-Key%3A%20hunter2&icon=x")
	text, err := json.Marshal(got)
	if err != nil || strings.Contains(string(text), "hunter2") || len(got.Notes) != 2 || got.Config.Headers[0].Name != "X-Key" {
		t.Errorf("%s, %v", text, err)
	}
	if parse("url=http://127.0.0.1:8123/mcp").Config.Name == "" {
		t.Error("no name")
	}
	if parse("enabled=true&url=https://a.example&trustLocalNetwork=true").Config.TrustLocalNetwork {
		t.Error("a link may not trust the local network")
	}
}

func TestFailedIsAWholeLink(t *testing.T) {
	_, err := Parse("jackfield://run?command=rm")
	got := Failed(err)
	if got.Error == nil || got.Error.Message == "" || got.Error.Hint == "" || got.Config.Command != "" || got.Notes == nil || got.Config.Args == nil {
		t.Errorf("%+v", got)
	}
}

func FuzzLink(f *testing.F) {
	for _, seed := range []string{
		"jackfield://oauth/callback?code=a&state=b", "jackfield://add?url=https://a.example&header=X", "jackfield://add?command=npx&arg=-y&env=A=B",
		"jackfield://add?command=%6Aackfield:", "jackfield:", "jackfield://add?command=a%09", "jackfield://add?name=\u202e", "JACKFIELD://ADD",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		got, err := Parse(raw)
		if err != nil {
			refused, ok := errors.AsType[*Refused](err)
			if !ok || refused.Message == "" || len(refused.Message) > 400 {
				t.Fatalf("%q: %v", raw, err)
			}
			if printable(refused.Message, "") != nil {
				t.Fatalf("%q: the reason %q holds something invisible", raw, refused.Message)
			}
			return
		}
		if !IsLink(raw) || len(raw) > maxAdd {
			t.Fatalf("%q was accepted", raw)
		}
		if got.Action == Callback {
			if got.Raw != raw || len(raw) > maxCallback || got.Proposal.Config.Command != "" {
				t.Fatalf("%q: %+v", raw, got)
			}
			return
		}
		config := got.Proposal.Config
		if config.Enabled || config.TrustLocalNetwork || (config.Command == "") == (config.URL == "") {
			t.Fatalf("%q: %+v", raw, config)
		}
		texts := append([]string{config.Name, config.URL, config.Command, config.Cwd}, config.Args...)
		for _, v := range config.Env {
			texts = append(texts, v.Name, v.Value)
		}
		for _, v := range config.Headers {
			if v.Value != "" {
				t.Fatalf("%q: a header has a value", raw)
			}
			texts = append(texts, v.Name)
		}
		for _, text := range texts {
			if printable(text, "") != nil || strings.Contains(strings.ToLower(text), prefix) {
				t.Fatalf("%q: %q", raw, text)
			}
		}
		if config.URL != "" {
			if parsed, err := url.Parse(config.URL); err != nil || parsed.User != nil || (parsed.Scheme != "https" && parsed.Scheme != "http") {
				t.Fatalf("%q: %q", raw, config.URL)
			}
		}
	})
}

package cli

import (
	"cmp"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"golang.org/x/net/http/httpguts"

	"jackfield/backend/store"
	"jackfield/backend/store/vault"
)

// serverFlags describe a server: for add and edit, and for an ad-hoc target.
type serverFlags struct {
	url       string
	transport string
	headers   []string
	env       []string
	cwd       string
	era       string
	clientID  string
	secret    string
	signIn    string
	scopes    []string
	trust     bool
	roots     []string
	logLevel  string
	limits    store.Timeouts
	attempts  int
}

// register adds what every command with a TARGET takes.
func (f *serverFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.transport, "transport", string(store.TransportAuto), "auto, streamable-http or sse")
	flags.StringArrayVar(&f.headers, "header", nil, "send the HTTP header `K=V`; may be repeated")
	flags.StringArrayVar(&f.env, "env", nil, "set the environment variable `K=V`; may be repeated")
	flags.StringVar(&f.cwd, "cwd", "", "run the command in `DIR`")
	flags.StringVar(&f.era, "era", string(store.EraAuto), "auto, modern (2026-07-28) or legacy (initialize)")
	flags.StringVar(&f.clientID, "client-id", "", "a pre-registered OAuth client `ID`")
	flags.StringVar(&f.secret, "client-secret", "", "the secret of that client: @`FILE`, or $NAME for an environment variable; never the secret itself")
	flags.StringVar(&f.signIn, "sign-in", string(store.SignInAuto), "auto, oauth, client-credentials, or header to never sign in")
	flags.StringArrayVar(&f.scopes, "scope", nil, "ask for `SCOPE`, too, when signing in; may be repeated")
	flags.BoolVar(&f.trust, "trust-local-network", false, "allow an address in a private network")
	flags.StringArrayVar(&f.roots, "root", nil, "tell the server that it may work in the folder `DIR`; may be repeated")
	flags.StringVar(&f.logLevel, "log-level", "", "ask the server to log from `LEVEL` on: debug, info, notice, warning, error, critical, alert, emergency; or default")
}

// registerTarget adds --url as well.
func (f *serverFlags) registerTarget(flags *pflag.FlagSet) {
	flags.StringVar(&f.url, "url", "", "use the server at `URL` without storing it")
	f.register(flags)
}

// registerLimits adds what is kept with a stored server only.
func (f *serverFlags) registerLimits(flags *pflag.FlagSet) {
	flags.DurationVar(&f.limits.Connect, "connect-timeout", 0, "limit for connecting, such as 30s; 0 for the default")
	flags.DurationVar(&f.limits.Discovery, "discovery-timeout", 0, "limit for loading the catalog; 0 for the default")
	flags.DurationVar(&f.limits.CallIdle, "idle-timeout", 0, "limit for a call without a sign of life; 0 for the default")
	flags.DurationVar(&f.limits.CallTotal, "max-time", 0, "limit for a whole call; 0 for the default")
	flags.IntVar(&f.attempts, "retry", 0, "attempts to connect; 0 for the default, -1 for ever")
}

// remoteOnly and localOnly name the flags that have a meaning for one kind of server only.
var (
	remoteOnly = []string{"transport", "header", "client-id", "client-secret", "sign-in", "scope", "trust-local-network"}
	localOnly  = []string{"env", "cwd"}
)

// server makes the entry of a new server: of a URL or a command. changed tells which flags were given.
func (f *serverFlags) server(name, address string, command []string, changed func(string) bool) (store.Server, error) {
	server := store.Server{
		Name: name, Era: store.Era(f.era), Enabled: true, Timeouts: f.limits,
		Retry: store.Retry{MaxAttempts: f.attempts},
	}
	var err error
	if server.Roots, err = folders(f.roots); err != nil {
		return server, err
	}
	server.LogLevel = logLevel(f.logLevel)
	if command != nil {
		server.Transport, server.Command, server.Args = store.TransportStdio, command[0], command[1:]
		// A command is written for the directory it is written in: there its relative paths mean something, also later.
		if server.Cwd, err = workingDir(cmp.Or(f.cwd, ".")); err != nil {
			return server, err
		}
		if server.Env, err = variables("--env", f.env, nil); err != nil {
			return server, err
		}
	} else {
		server.Transport, server.URL = store.Transport(f.transport), address
		server.ClientID, server.TrustLocalNetwork = f.clientID, f.trust
		server.SignIn.Mode, server.SignIn.Scopes = store.SignInMode(f.signIn), f.scopes
		if server.SignIn.ClientSecret, err = secretFrom("--client-secret", f.secret); err != nil {
			return server, err
		}
		server.SignIn.HasSecret = !server.SignIn.ClientSecret.IsZero()
		if err := checkURL(address); err != nil {
			return server, err
		}
		if server.Headers, err = variables("--header", f.headers, httpguts.ValidHeaderFieldName); err != nil {
			return server, err
		}
	}
	if err := f.check(server, changed); err != nil {
		return server, err
	}
	return server, nil
}

// check refuses values that mean nothing, and flags that would be ignored.
func (f *serverFlags) check(server store.Server, changed func(string) bool) error {
	switch store.Transport(f.transport) {
	case store.TransportAuto, store.TransportStreamableHTTP, store.TransportSSE:
	default:
		return usage("It is auto, streamable-http or sse.", "--transport %q does not exist.", f.transport)
	}
	switch server.Era {
	case store.EraAuto, store.EraModern, store.EraLegacy:
	default:
		return usage("It is auto, modern or legacy.", "--era %q does not exist.", server.Era)
	}
	switch store.SignInMode(f.signIn) {
	case store.SignInAuto, store.SignInOAuth, store.SignInClientCredentials, store.SignInHeader:
	default:
		return usage("It is auto, oauth, client-credentials or header.", "--sign-in %q does not exist.", f.signIn)
	}
	if level := logLevel(f.logLevel); level != "" && !slices.Contains(store.LogLevels, level) {
		return usage("It is debug, info, notice, warning, error, critical, alert, emergency or default.", "--log-level %q does not exist.", f.logLevel)
	}
	for _, limit := range []time.Duration{f.limits.Connect, f.limits.Discovery, f.limits.CallIdle, f.limits.CallTotal} {
		if limit < 0 {
			return usage("", "A time limit must not be negative.")
		}
	}
	if f.attempts < -1 {
		return usage("It is a number of attempts, 0 for the default, or -1 for ever.", "--retry %d is not possible.", f.attempts)
	}
	ignored, kind := remoteOnly, "a command"
	if server.Transport != store.TransportStdio {
		ignored, kind = localOnly, "a URL"
	}
	for _, name := range ignored {
		if changed(name) {
			return usage("", "--%s has no meaning for %s.", name, kind)
		}
	}
	return nil
}

func checkURL(address string) error {
	parsed, err := url.Parse(address)
	if err != nil {
		return usage("", "%q is not a URL.", redacted(address))
	}
	if (parsed.Scheme != "http" && parsed.Scheme != "https") || parsed.Host == "" {
		return usage("A command goes behind --: NAME -- COMMAND ARGUMENT…", "%q is not an http or https URL.", address)
	}
	return nil
}

func workingDir(dir string) (string, error) {
	if dir == "" {
		return "", nil
	}
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("finding the directory %q: %w", dir, err)
	}
	return absolute, nil
}

// logLevel is what --log-level means; default takes back what was chosen.
func logLevel(text string) store.LogLevel {
	if text == "default" {
		return ""
	}
	return store.LogLevel(text)
}

// folders are the full paths of folders that exist: a mistyped one would be told to the server all the same.
func folders(dirs []string) ([]string, error) {
	var full []string
	for _, dir := range dirs {
		path, err := filepath.Abs(dir)
		if err != nil {
			return nil, fmt.Errorf("finding the folder %q: %w", dir, err)
		}
		if info, err := os.Stat(path); err != nil || !info.IsDir() {
			return nil, usage("Name a folder that exists.", "--root %s is not a folder.", dir)
		}
		full = append(full, path)
	}
	return full, nil
}

// variables parses K=V. Headers may also be written K: V, as elsewhere: neither sign can be part of a header's name.
func variables(flag string, list []string, header func(string) bool) ([]store.Variable, error) {
	var variables []store.Variable
	for _, text := range list {
		signs := "="
		if header != nil {
			signs = "=:"
		}
		at := strings.IndexAny(text, signs)
		if at <= 0 {
			return nil, usage("Write it as K=V.", "%s lacks a name or a value.", flag)
		}
		name, value := text[:at], text[at+1:]
		if header != nil {
			value = strings.TrimSpace(value)
			if !header(name) || !httpguts.ValidHeaderFieldValue(value) {
				return nil, usage("", "%s %q: this is not a valid HTTP header.", flag, name)
			}
		} else if strings.ContainsRune(text, 0) {
			return nil, usage("", "%s %q contains a NUL character.", flag, name)
		}
		variable := store.Variable{Name: name, Value: value}
		if secretName(name) {
			variable = store.Variable{Name: name, Secret: true, Hidden: vault.NewSecret(value)}
		}
		variables = append(variables, variable)
	}
	return variables, nil
}

// secretFrom reads a secret from where it may be: not from the command line, which every program of this computer can read.
func secretFrom(flag, where string) (store.Secret, error) {
	const how = "Write @FILE, or $NAME for an environment variable."
	switch {
	case where == "":
		return store.Secret{}, nil
	case strings.HasPrefix(where, "@"):
		text, err := os.ReadFile(where[1:])
		if err != nil {
			return store.Secret{}, usage("Check the file.", "%s cannot be read: %v.", flag, err)
		}
		return vault.NewSecret(strings.TrimRight(string(text), "\r\n")), nil
	case strings.HasPrefix(where, "$"):
		value := os.Getenv(where[1:])
		if value == "" {
			return store.Secret{}, usage(how, "%s: the environment variable %s is empty.", flag, where[1:])
		}
		return vault.NewSecret(value), nil
	}
	return store.Secret{}, usage(how, "%s does not take the secret itself.", flag)
}

// secretName tells whether the value of a header or variable is likely a secret; then it is masked where it is shown.
func secretName(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc([]string{"auth", "token", "secret", "key", "passw", "cookie", "credential", "session"},
		func(part string) bool { return strings.Contains(name, part) })
}

// target is the server that a command is about.
type target struct {
	id    string        // of a stored one, as it was typed
	adhoc *store.Server // or one for this run only
	rest  []string      // the arguments after it
}

// target takes the TARGET from a line. It returns nil if there is none, which means all enabled servers to commands
// that allow it.
func (f *serverFlags) target(l line, changed func(string) bool) (*target, error) {
	switch {
	case l.dashed && f.url != "":
		return nil, usage("", "Give either --url or a command behind --, not both.")
	case l.dashed && (len(l.command) == 0 || l.command[0] == ""):
		return nil, usage("Put the server's command behind it.", "Nothing follows --.")
	case l.dashed:
		server, err := f.server(commandName(l.command[0]), "", l.command, changed)
		return &target{adhoc: &server, rest: l.args}, err
	case f.url != "":
		parsed, err := url.Parse(f.url)
		if err != nil {
			return nil, usage("", "--url %q is not a URL.", f.url)
		}
		server, err := f.server(parsed.Hostname(), f.url, nil, changed)
		return &target{adhoc: &server, rest: l.args}, err
	}
	for _, name := range slices.Concat(remoteOnly, localOnly, []string{"era", "root", "log-level"}) {
		if changed(name) {
			return nil, usage("A stored server is changed with `jackfield edit`.", "--%s belongs to --url or to a command behind --.", name)
		}
	}
	if len(l.args) == 0 {
		return nil, nil
	}
	return &target{id: l.args[0], rest: l.args[1:]}, nil
}

// required is target for commands that need one.
func (f *serverFlags) required(l line, changed func(string) bool) (*target, error) {
	t, err := f.target(l, changed)
	if err == nil && t == nil {
		return nil, usage("TARGET is the id of a stored server (see `jackfield servers`), --url URL, or -- COMMAND ARGUMENT… at the end.",
			"Which server?")
	}
	return t, err
}

func commandName(path string) string {
	name := filepath.Base(path)
	return strings.TrimSuffix(name, filepath.Ext(name))
}

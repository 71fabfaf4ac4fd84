package cli

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/net/http/httpguts"

	"jackfield/backend/store"
)

// editFlags are the changes of edit beside those that add knows too.
type editFlags struct {
	serverFlags
	name          string
	removeHeaders []string
	removeEnv     []string
	removeRoots   []string
}

func (p *program) editCommand() *cobra.Command {
	var flags editFlags
	command := &cobra.Command{
		Use:   "edit ID [flags] [-- COMMAND [ARGUMENT…]]",
		Short: "Change a stored server; what is not named stays",
		Example: `  jackfield edit docs --header "X-Team=blue" --remove-header Authorization
  jackfield edit files -- npx -y @modelcontextprotocol/server-filesystem /srv/other`,
	}
	f := command.Flags()
	f.StringVar(&flags.name, "name", "", "the name that people see")
	f.StringVar(&flags.url, "url", "", "the address, for a remote server")
	flags.register(f)
	flags.registerLimits(f)
	f.StringArrayVar(&flags.removeHeaders, "remove-header", nil, "remove the header `K`; may be repeated")
	f.StringArrayVar(&flags.removeRoots, "remove-root", nil, "tell the server of the folder `DIR` no longer; may be repeated")
	f.StringArrayVar(&flags.removeEnv, "remove-env", nil, "remove the variable `K`; may be repeated")
	command.RunE = p.run(func(ctx context.Context, l line) error {
		if len(l.args) != 1 {
			return usage("Write `jackfield edit ID` and what to change.", "Which server?")
		}
		return p.with(ctx, false, func(s *session) error {
			before, err := s.stored(ctx, l.args[0])
			if err != nil {
				return err
			}
			after, err := flags.apply(before, l, f.Changed)
			if err != nil {
				return err
			}
			if err := s.Manager.Edit(ctx, after); err != nil {
				return err
			}
			return p.reportServer(ctx, s, after.ID, "Changed", false, nil)
		})
	})
	return command
}

// apply makes the changed entry. Going from a URL to a command, or back, drops what belongs to the other kind.
func (f *editFlags) apply(server store.Server, l line, changed func(string) bool) (store.Server, error) {
	if l.dashed && changed("url") {
		return server, usage("", "Give either --url or a command behind --, not both.")
	}
	if l.dashed && (len(l.command) == 0 || l.command[0] == "") {
		return server, usage("Put the server's command behind it.", "Nothing follows --.")
	}
	if server.Transport == store.TransportBuiltin && (l.dashed || changed("url")) {
		return server, usage("Store another server with `jackfield add`.", "%s is built in; it has no address or command.", server.Name)
	}
	remote := server.Transport != store.TransportStdio && server.Transport != store.TransportBuiltin
	switch {
	case l.dashed:
		server.Command, server.Args = l.command[0], l.command[1:]
		if remote {
			server.URL, server.Headers, server.ClientID, server.TrustLocalNetwork = "", nil, "", false
			server.SignIn = store.SignInConfig{}
		}
		server.Transport = store.TransportStdio
	case changed("url"):
		if err := checkURL(f.url); err != nil {
			return server, err
		}
		server.URL = f.url
		if !remote {
			server.Command, server.Args, server.Env, server.Cwd = "", nil, nil, ""
			server.Transport = store.TransportAuto
		}
	}
	if changed("name") {
		if f.name == "" {
			return server, usage("", "The name is empty.")
		}
		server.Name = f.name
	}
	if changed("era") {
		server.Era = store.Era(f.era)
	}
	ignored := func(name string) bool {
		return changed(name) || (name == "header" && changed("remove-header")) || (name == "env" && changed("remove-env"))
	}
	if err := f.check(server, ignored); err != nil {
		return server, err
	}
	var err error
	if changed("transport") {
		server.Transport = store.Transport(f.transport)
	}
	if changed("client-id") {
		server.ClientID = f.clientID
	}
	if changed("client-secret") {
		if server.SignIn.ClientSecret, err = secretFrom("--client-secret", f.secret); err != nil {
			return server, err
		}
		server.SignIn.HasSecret = !server.SignIn.ClientSecret.IsZero()
	}
	if changed("sign-in") {
		server.SignIn.Mode = store.SignInMode(f.signIn)
	}
	if changed("scope") {
		server.SignIn.Scopes = f.scopes
	}
	if changed("trust-local-network") {
		server.TrustLocalNetwork = f.trust
	}
	if changed("cwd") || l.dashed {
		if server.Cwd, err = workingDir(cmp.Or(f.cwd, ".")); err != nil {
			return server, err
		}
	}
	set, err := variables("--header", f.headers, httpguts.ValidHeaderFieldName)
	if err != nil {
		return server, err
	}
	if server.Headers, err = merge("header", server.Headers, set, f.removeHeaders, strings.EqualFold); err != nil {
		return server, err
	}
	if set, err = variables("--env", f.env, nil); err != nil {
		return server, err
	}
	if server.Roots, err = f.mergeRoots(server.Roots); err != nil {
		return server, err
	}
	if changed("log-level") {
		server.LogLevel = logLevel(f.logLevel)
	}
	same := func(a, b string) bool { return a == b }
	if server.Env, err = merge("variable", server.Env, set, f.removeEnv, same); err != nil {
		return server, err
	}
	for name, limit := range map[string]func(){
		"connect-timeout":   func() { server.Timeouts.Connect = f.limits.Connect },
		"discovery-timeout": func() { server.Timeouts.Discovery = f.limits.Discovery },
		"idle-timeout":      func() { server.Timeouts.CallIdle = f.limits.CallIdle },
		"max-time":          func() { server.Timeouts.CallTotal = f.limits.CallTotal },
		"retry":             func() { server.Retry.MaxAttempts = f.attempts },
	} {
		if changed(name) {
			limit()
		}
	}
	return server, nil
}

// mergeRoots removes and adds folders. One that is gone from the disk can be removed all the same.
func (f *editFlags) mergeRoots(list []string) ([]string, error) {
	list = slices.Clone(list)
	for _, dir := range f.removeRoots {
		path, err := workingDir(dir)
		if err != nil {
			return nil, err
		}
		i := slices.Index(list, path)
		if i < 0 {
			return nil, usage("`jackfield servers --json` shows them.", "There is no root %q to remove.", dir)
		}
		list = slices.Delete(list, i, i+1)
	}
	more, err := folders(f.roots)
	if err != nil {
		return nil, err
	}
	for _, dir := range more {
		if !slices.Contains(list, dir) {
			list = append(list, dir)
		}
	}
	return list, nil
}

// merge removes and sets headers or variables. One that is set replaces the one of the same name in its place.
func merge(what string, list, set []store.Variable, remove []string, same func(a, b string) bool) ([]store.Variable, error) {
	list = slices.Clone(list)
	at := func(name string) int {
		return slices.IndexFunc(list, func(v store.Variable) bool { return same(v.Name, name) })
	}
	for _, name := range remove {
		i := at(name)
		if i < 0 {
			return nil, usage("", "There is no %s %q to remove.", what, name)
		}
		list = slices.Delete(list, i, i+1)
	}
	for _, v := range set {
		if i := at(v.Name); i >= 0 {
			list[i] = v
		} else {
			list = append(list, v)
		}
	}
	return list, nil
}

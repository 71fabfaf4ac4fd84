package link

import (
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/http/httpguts"

	"jackfield/app/paste"
	"jackfield/backend/store"
)

const maxName = 100

// proposal is the server that a link proposes. All of it is shown before it is stored, so nothing in it is masked.
func proposal(parameters []parameter) (store.Server, []string, error) {
	p := &proposed{notes: []string{}}
	for _, one := range parameters {
		if err := p.take(one); err != nil {
			return store.Server{}, nil, err
		}
	}
	if err := p.finish(); err != nil {
		return store.Server{}, nil, err
	}
	return p.server, p.notes, nil
}

type proposed struct {
	server    store.Server
	transport string
	local     []string // the names of what only a command has
	remote    []string // the names of what only a URL has
	notes     []string
}

func (p *proposed) note(format string, args ...any) {
	p.notes = append(p.notes, fmt.Sprintf(format, args...))
}

func (p *proposed) take(one parameter) error {
	switch one.name {
	case "name":
		if utf8.RuneCountInString(one.value) > maxName {
			return refuse("The name is longer than %d characters.", maxName)
		}
		p.server.Name = strings.TrimSpace(one.value)
	case "url":
		p.remote = append(p.remote, one.name)
		p.server.URL = one.value
	case "transport":
		p.transport = one.value
	case "header":
		p.remote = append(p.remote, one.name)
		return p.header(one.value)
	case "command":
		p.local = append(p.local, one.name)
		p.server.Command = one.value
	case "arg":
		p.local = append(p.local, one.name)
		p.server.Args = append(p.server.Args, one.value)
	case "env":
		p.local = append(p.local, one.name)
		return p.env(one.value)
	case "cwd":
		p.local = append(p.local, one.name)
		p.server.Cwd = one.value
	default:
		p.note("%q is not used here.", short(one.name))
	}
	return nil
}

// header takes a name only: a value in a link would have been seen by every program that the link went through.
func (p *proposed) header(text string) error {
	name := text
	if at := strings.IndexAny(text, ":="); at >= 0 {
		name = text[:at]
	}
	name = strings.TrimSpace(name)
	if !httpguts.ValidHeaderFieldName(name) {
		return refuse("A header of the link has no valid name.")
	}
	if name != text {
		p.note("The link gives a value for the header %s. It was left out: fill in your own.", short(name))
	}
	if slices.ContainsFunc(p.server.Headers, func(v store.Variable) bool { return strings.EqualFold(v.Name, name) }) {
		return refuse("The header %q is there more than once.", short(name))
	}
	p.server.Headers = append(p.server.Headers, store.Variable{Name: name, Secret: paste.LooksSecret(name, "")})
	return nil
}

func (p *proposed) env(text string) error {
	name, value, ok := strings.Cut(text, "=")
	if !ok || name == "" || strings.TrimSpace(name) != name {
		return refuse("An environment variable of the link is not written as NAME=value.")
	}
	if slices.ContainsFunc(p.server.Env, func(v store.Variable) bool { return v.Name == name }) {
		return refuse("The environment variable %q is there more than once.", short(name))
	}
	if paste.LooksSecret(name, value) && value != "" {
		p.note("%s looks like a secret, and a link is no place for one. It is shown here; mark it as secret before you add the server.", short(name))
	}
	p.server.Env = append(p.server.Env, store.Variable{Name: name, Value: value})
	return nil
}

// finish decides between URL and command.
func (p *proposed) finish() error {
	server := &p.server
	server.Era = store.EraAuto
	switch {
	case len(p.remote) > 0 && len(p.local) > 0:
		return refuse("The link mixes a URL and a command: it has both %s and %s.", p.remote[0], p.local[0])
	case server.Command == "" && server.URL == "":
		return refuse("The link names neither a url nor a command.")
	case server.Command != "":
		if p.transport != "" && p.transport != string(store.TransportStdio) {
			return refuse("The transport %q does not fit a command.", short(p.transport))
		}
		if server.Cwd != "" && !filepath.IsAbs(server.Cwd) {
			return refuse("The directory in the link is not absolute, so nobody knows which one is meant.")
		}
		server.Transport = store.TransportStdio
	default:
		if err := checkURL(server.URL); err != nil {
			return err
		}
		switch store.Transport(p.transport) {
		case "":
			server.Transport = store.TransportAuto
		case store.TransportAuto, store.TransportStreamableHTTP, store.TransportSSE:
			server.Transport = store.Transport(p.transport)
		default:
			return refuse("The transport %q does not fit a URL.", short(p.transport))
		}
	}
	if server.Name == "" {
		server.Name = paste.NameOf(*server)
	}
	return nil
}

func checkURL(address string) error {
	parsed, err := url.Parse(address)
	switch {
	case err != nil:
		return refuse("The url in the link is not valid.")
	case parsed.Scheme != "https" && parsed.Scheme != "http", parsed.Hostname() == "":
		return refuse("The url in the link is not an http or https URL.")
	case parsed.User != nil:
		return refuse("The url in the link has a user name in front of the host.")
	}
	return nil
}

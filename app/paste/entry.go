package paste

import (
	"strings"

	"github.com/tailscale/hujson"

	"jackfield/backend/store"
)

// entry reads one server. name is "" where the text gives none beside it.
func (d *document) entry(name string, value hujson.Value) (store.Server, *Error) {
	object, ok := value.Value.(*hujson.Object)
	if !ok {
		return store.Server{}, d.at(value, "a server is an object, this is %s.", kindName(value))
	}
	server := blank()
	server.Name = name
	var kind string
	var command []string
	var args hujson.Value
	for _, m := range object.Members {
		var err *Error
		v := m.Value
		switch field := key(m); field {
		case "name":
			if name == "" {
				server.Name, err = d.text1(v, field)
			}
		case "type", "transport", "transportType":
			kind, err = d.transport(v, field)
		case "url", "httpUrl", "serverUrl", "uri", "endpoint":
			if server.URL, err = d.text1(v, field); err == nil {
				server.URL = strings.TrimSpace(server.URL)
				if problem := checkURL(server.URL); problem != nil {
					err = d.at(v, "%s", problem.message)
				}
			}
			if field == "httpUrl" && kind == "" {
				kind = string(store.TransportStreamableHTTP)
			}
		case "command":
			command, err = d.words(v, field)
		case "args", "arguments":
			args = v
		case "env", "environment", "envs":
			server.Env, err = d.variables(v, field)
		case "headers", "http_headers":
			server.Headers, err = d.variables(v, field)
		case "cwd", "workingDirectory":
			server.Cwd, err = d.text1(v, field)
		case "disabled", "enabled":
			on := false
			on, err = d.boolean(v, field)
			server.Enabled = on == (field == "enabled")
		case "description", "$schema":
		default:
			d.note("%q of %s is not used here.", field, quoted(name))
		}
		if err != nil {
			return store.Server{}, err
		}
	}
	if args.Value != nil {
		more, err := d.words(args, "args")
		if err != nil {
			return store.Server{}, err
		}
		command = append(command, more...)
	} else if len(command) == 1 && splitsWell(command[0]) {
		words, err := splitWords(command[0])
		if err != nil {
			return store.Server{}, d.at(value, "%s", err.message)
		}
		d.note("The command of %s was split into words.", quoted(name))
		command = words
	}
	return d.finish(server, kind, command, value)
}

// finish decides between URL and command and fills in what follows from it.
func (d *document) finish(server store.Server, kind string, command []string, value hujson.Value) (store.Server, *Error) {
	stdio := kind == string(store.TransportStdio)
	hasCommand := len(command) > 0 && strings.TrimSpace(command[0]) != ""
	switch {
	case hasCommand && server.URL != "" && kind == "":
		return store.Server{}, d.at(value, "there is both a command and a url; the type must say which one counts.")
	case hasCommand && (stdio || server.URL == ""):
		if kind != "" && !stdio {
			return store.Server{}, d.at(value, "the type says %s, but there is a command and no url.", kind)
		}
		server.Transport, server.URL, server.Headers = store.TransportStdio, "", nil
		server.Command, server.Args = command[0], command[1:]
	case stdio:
		return store.Server{}, d.at(value, "the type says stdio, but there is no command.")
	case server.URL == "":
		return store.Server{}, d.at(value, "there is neither a url nor a command.")
	default:
		server.Transport = store.TransportAuto
		if kind != "" {
			server.Transport = store.Transport(kind)
		}
		server.Env, server.Cwd = nil, ""
	}
	if server.Name == "" {
		if server.Transport == store.TransportStdio {
			server.Name = nameFromCommand(command)
		} else {
			server.Name = nameFromURL(server.URL)
		}
	}
	return server, nil
}

func (d *document) transport(v hujson.Value, field string) (string, *Error) {
	text, err := d.text1(v, field)
	if err != nil {
		return "", err
	}
	switch strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(text)) {
	case "streamablehttp", "http":
		return string(store.TransportStreamableHTTP), nil
	case "sse":
		return string(store.TransportSSE), nil
	case "stdio", "local":
		return string(store.TransportStdio), nil
	case "remote", "auto", "":
		return "", nil
	}
	return "", d.at(v, "%q is not a transport; known are streamable-http, sse and stdio.", text)
}

func (d *document) text1(v hujson.Value, field string) (string, *Error) {
	literal, ok := v.Value.(hujson.Literal)
	if !ok || literal.Kind() != '"' {
		return "", d.at(v, "%q must be text, this is %s.", field, kindName(v))
	}
	return literal.String(), nil
}

// scalar also takes numbers and booleans, as they are written: {"PORT": 8080}.
func (d *document) scalar(v hujson.Value, field string) (string, *Error) {
	literal, ok := v.Value.(hujson.Literal)
	switch {
	case !ok || literal.Kind() == 'n':
		return "", d.at(v, "%q must be text, this is %s.", field, kindName(v))
	case literal.Kind() == '"':
		return literal.String(), nil
	}
	return string(literal), nil
}

func (d *document) boolean(v hujson.Value, field string) (bool, *Error) {
	literal, ok := v.Value.(hujson.Literal)
	if !ok || (literal.Kind() != 't' && literal.Kind() != 'f') {
		return false, d.at(v, "%q must be true or false, this is %s.", field, kindName(v))
	}
	return literal.Bool(), nil
}

// words reads a command or its arguments: a list, or one text. A command in one text is one word until it is known
// whether arguments stand beside it.
func (d *document) words(v hujson.Value, field string) ([]string, *Error) {
	array, ok := v.Value.(*hujson.Array)
	if !ok {
		text, err := d.text1(v, field)
		if err != nil {
			return nil, err
		}
		if field != "args" || strings.TrimSpace(text) == "" {
			return strings.FieldsFunc(text, func(rune) bool { return false }), nil
		}
		words, problem := splitWords(text)
		if problem != nil {
			return nil, d.at(v, "%s", problem.message)
		}
		return words, nil
	}
	var words []string
	for _, element := range array.Elements {
		word, err := d.scalar(element, field)
		if err != nil {
			return nil, err
		}
		words = append(words, word)
	}
	return words, nil
}

func (d *document) variables(v hujson.Value, field string) ([]store.Variable, *Error) {
	object, ok := v.Value.(*hujson.Object)
	if !ok {
		return nil, d.at(v, "%q must be an object of names and values, this is %s.", field, kindName(v))
	}
	var out []store.Variable
	for _, m := range object.Members {
		name := key(m)
		if literal, ok := m.Value.Value.(hujson.Literal); ok && literal.Kind() == 'n' {
			d.note("%s has no value and was left out.", name)
			continue
		}
		value, err := d.scalar(m.Value, name)
		if err != nil {
			return nil, err
		}
		out = append(out, store.Variable{Name: name, Value: value})
	}
	return out, nil
}

// splitsWell says whether a command in one text is a command line. A path may hold blanks, so those stay whole.
func splitsWell(command string) bool {
	first, _, several := strings.Cut(strings.TrimSpace(command), " ")
	return several && !strings.ContainsAny(first, `/\`)
}

func quoted(name string) string {
	if name == "" {
		return "the server"
	}
	return `"` + name + `"`
}

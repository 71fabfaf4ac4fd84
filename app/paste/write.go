package paste

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"

	"jackfield/backend/store"
)

// written is an entry of an mcpServers block. The members are those that most programs read.
type written struct {
	Type     string            `json:"type,omitempty"` // http, sse; "" for a command, and for a URL that tells by itself
	URL      string            `json:"url,omitempty"`
	Headers  map[string]string `json:"headers,omitempty"`
	Command  string            `json:"command,omitempty"`
	Args     *[]string         `json:"args,omitempty"` // also an empty list: without one, a command may be read as several words
	Env      map[string]string `json:"env,omitempty"`
	Cwd      string            `json:"cwd,omitempty"`
	Disabled bool              `json:"disabled,omitempty"`
}

// Write makes an mcpServers block of servers, in their order, and says in sentences what is not in it: secrets, and what is built in. Parse
// reads it back.
func Write(servers []store.Server) (block []byte, notes []string, err error) {
	names := map[string]int{}
	for _, server := range servers {
		names[server.Name]++
	}
	notes = []string{}
	var entries bytes.Buffer
	for _, server := range servers {
		if server.Transport == store.TransportBuiltin {
			notes = append(notes, fmt.Sprintf("%s is built in and was left out.", server.Name))
			continue
		}
		name := server.Name
		if names[name] > 1 {
			name = server.ID
		}
		entry, left := write(server)
		for _, one := range left {
			notes = append(notes, fmt.Sprintf("%s: %s is a secret and was left out.", name, one))
		}
		if slices.ContainsFunc(server.Args, secretArg.MatchString) {
			notes = append(notes, fmt.Sprintf("%s: an argument looks like a secret. It is in the block; take it out before you pass that on.", name))
		}
		if entries.Len() > 0 {
			entries.WriteString(",\n")
		}
		if err := appendMember(&entries, name, entry); err != nil {
			return nil, nil, fmt.Errorf("writing the servers: %w", err)
		}
	}
	if entries.Len() == 0 {
		return []byte("{\n  \"mcpServers\": {}\n}\n"), notes, nil
	}
	return fmt.Appendf(nil, "{\n  \"mcpServers\": {\n%s\n  }\n}\n", entries.Bytes()), notes, nil
}

func write(server store.Server) (entry written, left []string) {
	entry.Disabled = !server.Enabled
	if server.Transport == store.TransportStdio {
		args := append([]string{}, server.Args...)
		entry.Command, entry.Args, entry.Cwd = server.Command, &args, server.Cwd
		entry.Env, left = open(server.Env, "the variable")
		return entry, left
	}
	switch server.Transport {
	case store.TransportStreamableHTTP:
		entry.Type = "http"
	case store.TransportSSE:
		entry.Type = "sse"
	}
	entry.URL, left = openURL(server.URL)
	headers, more := open(server.Headers, "the header")
	entry.Headers = headers
	return entry, append(left, more...)
}

// open are the variables that are no secrets, and the names of the others.
func open(variables []store.Variable, what string) (values map[string]string, left []string) {
	for _, v := range variables {
		if v.Secret || v.Value != "" && LooksSecret(v.Name, v.Value) {
			left = append(left, what+" "+v.Name)
			continue
		}
		if values == nil {
			values = map[string]string{}
		}
		values[v.Name] = v.Value
	}
	return values, left
}

// openURL is a URL without a password, and without parameters whose names or values look like secrets.
func openURL(address string) (shown string, left []string) {
	u, err := url.Parse(address)
	if err != nil {
		return address, nil
	}
	changed := false
	if u.User != nil {
		left, changed, u.User = append(left, "the user name in the address"), true, nil
	}
	query := u.Query()
	for _, name := range slices.Sorted(maps.Keys(query)) {
		for _, value := range query[name] {
			if LooksSecret(name, value) {
				left = append(left, "the parameter "+name+" of the address")
				query.Del(name)
				u.RawQuery, changed = query.Encode(), true
				break
			}
		}
	}
	if !changed {
		return address, nil
	}
	return u.String(), left
}

// appendMember writes one name and value of an object, without escaping what only HTML would need.
func appendMember(out *bytes.Buffer, name string, value any) error {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("    ", "  ")
	if err := encoder.Encode(name); err != nil {
		return err
	}
	out.WriteString("    " + string(bytes.TrimSpace(body.Bytes())) + ": ")
	body.Reset()
	if err := encoder.Encode(value); err != nil {
		return err
	}
	out.Write(bytes.TrimSpace(body.Bytes()))
	return nil
}

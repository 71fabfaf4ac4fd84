package paste

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"jackfield/backend/store"
	"jackfield/backend/store/vault"
)

var (
	secretName = regexp.MustCompile(`(?i)(authorization|cookie|token|secret|passw|passphrase|credential|api[-_]?key|apikey|access[-_]?key|private[-_]?key|(^|[-_])(key|auth|pat|pwd|dsn)$)`)
	// Prefixes that issuers give their tokens so that they can be recognised, JSON Web Tokens, and auth-scheme values.
	secretValue = regexp.MustCompile(`^(?:(?i:bearer|basic)\s+\S|sk-[A-Za-z0-9_-]{8}|gh[pousr]_[A-Za-z0-9]{8}|github_pat_|glpat-|xox[abprs]-|AKIA[0-9A-Z]{12}|AIza[0-9A-Za-z_-]{20}|eyJ[A-Za-z0-9_-]{8,}\.|ntn_|lin_api_|hf_[A-Za-z0-9]{8})`)
	secretArg   = regexp.MustCompile(`(?i)^--?(?:[a-z0-9-]*(?:token|secret|password|api-?key|access-?key))(?:=(.+))?$`)
	variable    = regexp.MustCompile(`\$\{[^}]*\}`)
)

// LooksSecret says whether a header or environment variable should be masked.
func LooksSecret(name, value string) bool {
	return secretName.MatchString(name) || secretValue.MatchString(value)
}

// inspect marks what looks like a secret and returns notes on it and on variables that will not be filled in.
func inspect(servers []store.Server) []string {
	var notes []string
	add := func(note string) {
		for _, n := range notes {
			if n == note {
				return
			}
		}
		notes = append(notes, note)
	}
	for i := range servers {
		server := &servers[i]
		for _, variables := range [][]store.Variable{server.Headers, server.Env} {
			for j := range variables {
				v := &variables[j]
				noteVariable(v.Value, add)
				if v.Value != "" && LooksSecret(v.Name, v.Value) {
					v.Secret, v.Hidden, v.Value = true, vault.NewSecret(v.Value), ""
					add(fmt.Sprintf("%s looks like a secret: its value is masked.", v.Name))
				}
			}
		}
		for j, arg := range server.Args {
			found := secretArg.FindStringSubmatch(arg)
			if found != nil && (found[1] != "" || j+1 < len(server.Args)) || secretValue.MatchString(arg) {
				add(fmt.Sprintf("An argument of %s looks like a secret. Other programs on this computer can read arguments; an environment variable is safer.", server.Name))
			}
			noteVariable(arg, add)
		}
		noteVariable(server.Command, add)
		noteVariable(server.Cwd, add)
		noteVariable(server.URL, add)
		if urlHasSecret(server.URL) {
			add(fmt.Sprintf("The URL of %s holds what looks like a secret. A header is safer: URLs end up in logs.", server.Name))
		}
	}
	return notes
}

func noteVariable(text string, add func(string)) {
	for _, found := range variable.FindAllString(text, -1) {
		add(fmt.Sprintf("%s stays as text: no variables are filled in. Put the value in its place.", found))
	}
}

func urlHasSecret(text string) bool {
	parsed, err := url.Parse(text)
	if err != nil {
		return false // such a URL is reported elsewhere
	}
	if _, has := parsed.User.Password(); has {
		return true
	}
	for name, values := range parsed.Query() {
		if strings.Join(values, "") != "" && LooksSecret(name, values[0]) {
			return true
		}
	}
	return false
}

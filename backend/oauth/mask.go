package oauth

import (
	"bytes"
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	hidden  = "***"
	maxShow = 16 << 10
)

// secretKey tells whether the value of a parameter or member is never shown.
func secretKey(name string) bool {
	name = strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(name)) // accessToken of those who write it so
	switch name {
	case "code", "state", "codeverifier", "devicecode", "password", "privatekey", "softwarestatement", "authorization", "apikey":
		return true
	}
	return strings.HasSuffix(name, "token") || strings.HasSuffix(name, "secret") || strings.HasSuffix(name, "assertion")
}

// maskURL shows a URL without its password and without the values of secret parameters.
func maskURL(u *url.URL) string {
	shown := *u
	if shown.User != nil {
		shown.User = url.User(hidden)
	}
	shown.Fragment, shown.RawFragment = "", ""
	shown.RawQuery = maskForm(u.RawQuery)
	return clipText(shown.String(), maxURL)
}

// maskForm replaces secret values in a form or query. It works on the text, so that what is shown is what was sent.
func maskForm(form string) string {
	pairs := strings.Split(form, "&")
	for i, pair := range pairs {
		name, _, given := strings.Cut(pair, "=")
		plain, err := url.QueryUnescape(name)
		if given && (err != nil || secretKey(plain)) {
			pairs[i] = name + "=" + hidden
		}
	}
	return strings.Join(pairs, "&")
}

// maskBody shows a body: every secret member of JSON, and every secret value of a form, is replaced. In any other text what looks like one
// is, and so is every one of known, since an error page may repeat what it was sent.
func maskBody(contentType string, body []byte, known []string) string {
	text := ""
	switch {
	case len(body) == 0:
		return ""
	case strings.HasPrefix(contentType, "application/x-www-form-urlencoded"):
		text = maskForm(string(body))
	default:
		var document any
		decoder := json.NewDecoder(bytes.NewReader(body))
		decoder.UseNumber()
		if decoder.Decode(&document) == nil && !decoder.More() {
			var shown bytes.Buffer
			encoder := json.NewEncoder(&shown)
			encoder.SetEscapeHTML(false)
			if encoder.Encode(maskValue(document)) == nil {
				text = strings.TrimSuffix(shown.String(), "\n")
				break
			}
		}
		text = looksSecret().ReplaceAllString(string(body), "$1$2"+hidden)
	}
	return clipText(strings.ToValidUTF8(hide(text, known), "\uFFFD"), maxShow)
}

// hide replaces every one of known in a text, also as a URL or JSON writes it. Whoever gets a secret may send it back, in an error page as
// well as in the sentence that says what is wrong.
func hide(text string, known []string) string {
	for _, secret := range known {
		if len(secret) < 4 {
			continue
		}
		written := []string{secret, url.QueryEscape(secret), url.PathEscape(secret)}
		if quoted, err := json.Marshal(secret); err == nil {
			written = append(written, string(quoted[1:len(quoted)-1]))
		}
		for _, one := range written {
			text = strings.ReplaceAll(text, one, hidden)
		}
	}
	return text
}

// maskRaw shows what may or may not be a URL.
func maskRaw(raw string) string {
	if u, err := url.Parse(raw); err == nil {
		return inert(maskURL(u), 200)
	}
	address, _, _ := strings.Cut(raw, "?")
	return inert(address, 200)
}

func looksSecret() *regexp.Regexp {
	const name, value = `\b(code|state|code_verifier|[a-z_]*token|[a-z_]*secret|[a-z_]*assertion|password)`, `[^"'&\s,;}<>]+`
	return regexp.MustCompile(`(?i)` + name + `(["']?\s*[:=]\s*["']?)` + value)
}

func maskValue(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			_, number := inner.(json.Number)
			switch {
			case inner == nil:
			case secretKey(name) && !(number && name == "code"): // "code": 400 of an error is no secret
				v[name] = hidden
			default:
				v[name] = maskValue(inner)
			}
		}
	case []any:
		for i, inner := range v {
			v[i] = maskValue(inner)
		}
	}
	return value
}

// clipText cuts at a whole character and says that something is missing.
func clipText(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit] + "…"
}

// inert makes text from outside fit for a sentence: one line, bounded, without control characters and without those that turn or hide text.
func inert(text string, limit int) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == utf8.RuneError:
			return -1
		}
		return r
	}, clipText(text, 4*limit))
	return clipText(strings.TrimSpace(text), limit)
}

package oauth

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// document is a JSON object from outside. Names count exactly as they are written: encoding/json would take "Issuer" for "issuer".
type document map[string]json.RawMessage

// parseDocument returns false for anything but one JSON object.
func parseDocument(body []byte) (document, bool) {
	var d document
	decoder := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))))
	if err := decoder.Decode(&d); err != nil || d == nil || decoder.More() {
		return nil, false
	}
	return d, true
}

// text of a member, "" if it is none.
func (d document) text(name string) string {
	var text string
	if json.Unmarshal(d[name], &text) != nil {
		return ""
	}
	return text
}

// list of a member: its texts, or the words of one text. What is no text is left out.
func (d document) list(name string) []string {
	var values []json.RawMessage
	if json.Unmarshal(d[name], &values) != nil {
		return strings.Fields(d.text(name))
	}
	var found []string
	for _, value := range values {
		var text string
		if json.Unmarshal(value, &text) == nil && text != "" && len(text) <= maxURL && len(found) < maxScopes {
			found = append(found, text)
		}
	}
	return found
}

// scopes of a member, without what is no scope.
func (d document) scopes(name string) []string { return scopeTokens(strings.Join(d.list(name), " ")) }

func (d document) flag(name string) bool {
	var flag bool
	return json.Unmarshal(d[name], &flag) == nil && flag
}

// absentError says that there is no such document: an answer of 4xx, or one that is not JSON, as of a web app that answers every path.
type absentError struct {
	url    string
	status int
}

func (e *absentError) Error() string {
	if e.status < 400 {
		return fmt.Sprintf("%s is not a JSON document", e.url)
	}
	return fmt.Sprintf("%s answered HTTP %d", e.url, e.status)
}

// document fetches one. An answer of 5xx is asked for once more.
func (f *fetcher) document(ctx context.Context, raw string) (document, error) {
	for try := 0; ; try++ {
		answer, err := f.get(ctx, raw)
		if err != nil {
			return nil, err
		}
		switch {
		case answer.status >= 500 && try == 0:
			select {
			case <-time.After(200 * time.Millisecond):
			case <-ctx.Done():
				return nil, ctx.Err()
			}
			continue
		case answer.status >= 500:
			return nil, fmt.Errorf("%s answered HTTP %d. Try again later", raw, answer.status)
		case answer.status != 200:
			return nil, &absentError{url: raw, status: answer.status}
		}
		d, ok := parseDocument(answer.body)
		if !ok {
			return nil, &absentError{url: raw, status: answer.status}
		}
		return d, nil
	}
}

func isAbsent(err error) bool {
	absent := new(absentError)
	return errors.As(err, &absent)
}

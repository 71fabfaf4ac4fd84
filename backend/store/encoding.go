package store

import (
	"encoding/json"
	"fmt"
	"time"
	"unicode/utf8"
)

func toJSON(value any) (string, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return "", fmt.Errorf("encoding a row: %w", err)
	}
	return string(text), nil
}

func fromJSON(text string, into any) error {
	if err := json.Unmarshal([]byte(text), into); err != nil {
		return fmt.Errorf("decoding a row: %w", err)
	}
	return nil
}

// nullable stores an absent failure as NULL.
func nullable(failure *Failure) (*string, error) {
	if failure == nil {
		return nil, nil
	}
	text, err := toJSON(failure)
	return &text, err
}

func failureOf(text *string) (*Failure, error) {
	if text == nil {
		return nil, nil
	}
	failure := new(Failure)
	return failure, fromJSON(*text, failure)
}

func toTime(micros int64) time.Time { return time.UnixMicro(micros).UTC() }

// validText refuses text that SQLite and JSON would silently change.
func validText(values ...string) error {
	for _, value := range values {
		if !utf8.ValidString(value) {
			return fmt.Errorf("%q is not valid UTF-8 and cannot be stored", value)
		}
		for i := range len(value) {
			if value[i] == 0 {
				return fmt.Errorf("%q holds a NUL character and cannot be stored", value)
			}
		}
	}
	return nil
}

package vault

import (
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"unique"
)

// Secret is a text that must not be shown: a token, a password, a key. However it is printed, logged or encoded, it is "***";
// Reveal is the only way to its value. Two of the same value are ==.
type Secret struct {
	// A handle, which package fmt shows as an address: of a Secret in an unexported field of something it calls no method, and a text would
	// be printed as it is.
	value unique.Handle[string]
}

// NewSecret wraps a value.
func NewSecret(value string) Secret {
	if value == "" {
		return Secret{}
	}
	return Secret{value: unique.Make(value)}
}

// Reveal returns the value, for the place that sends or seals it.
func (s Secret) Reveal() string {
	if s.IsZero() {
		return ""
	}
	return s.value.Value()
}

// IsZero says that there is no value.
func (s Secret) IsZero() bool { return s == Secret{} }

// Equal takes the same time whatever the values are.
func (s Secret) Equal(other Secret) bool {
	return subtle.ConstantTimeCompare([]byte(s.Reveal()), []byte(other.Reveal())) == 1
}

const redacted = "***"

func (s Secret) String() string               { return redacted }
func (s Secret) GoString() string             { return redacted }
func (s Secret) LogValue() slog.Value         { return slog.StringValue(redacted) }
func (s Secret) MarshalJSON() ([]byte, error) { return json.Marshal(redacted) }
func (s Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// Format covers every verb; without it %x would show the bytes.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, redacted) }

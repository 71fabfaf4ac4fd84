package browser

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCheck(t *testing.T) {
	tests := map[string]bool{
		"https://example.com/a?b=c":      true,
		"HTTPS://EXAMPLE.COM":            true,
		"http://localhost:8080/":         true,
		"http://LOCALHOST./":             true,
		"http://127.0.0.1:1/cb":          true,
		"http://[::1]/":                  true,
		"http://[::ffff:127.0.0.1]/":     true,
		"http://example.com/":            false,
		"http://localhost.example.com/":  false,
		"http://127.0.0.1.example.com/":  false,
		"file:///etc/passwd":             false,
		"javascript:alert(1)":            false,
		"data:text/html,x":               false,
		"ms-settings:privacy":            false,
		"https://":                       false,
		"https:///path":                  false,
		"https://bank.example@evil.test": false,
		"-new-window":                    false,
		"":                               false,
		"https://a b/":                   false,
		"https://x/\x1b]0;":              false,
	}
	for address, want := range tests {
		_, err := Check(address)
		if (err == nil) != want {
			t.Errorf("Check(%q) = %v, want accepted %t", address, err, want)
		}
		if err != nil && !errors.Is(err, ErrRefused) {
			t.Errorf("Check(%q): %v does not wrap ErrRefused", address, err)
		}
	}
}

func TestCommandsHonourBrowser(t *testing.T) {
	list := string(os.PathListSeparator)
	tests := []struct {
		name, goos, environment string
		want                    [][]string
	}{
		{"unset", "linux", "", [][]string{{"xdg-open", "U"}, {"gio", "open", "U"}}},
		{"one", "linux", "firefox", [][]string{{"firefox", "U"}, {"xdg-open", "U"}, {"gio", "open", "U"}}},
		{"placeholder", "darwin", "x --url=%s --wait", [][]string{{"x", "--url=U", "--wait"}, {"open", "U"}}},
		{"list", "windows", "a" + list + list + "b", [][]string{{"a", "U"}, {"b", "U"}, {"rundll32", "url.dll,FileProtocolHandler", "U"}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, commands(test.goos, test.environment, "U")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestOpenRefusesBeforeStartingAnything(t *testing.T) {
	t.Setenv("BROWSER", "/bin/false")
	if err := Open(context.Background(), "file:///etc/passwd"); !errors.Is(err, ErrRefused) {
		t.Errorf("Open = %v, want ErrRefused", err)
	}
}

//go:build unix

package browser

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

func TestOpenPassesOneArgument(t *testing.T) {
	dir := t.TempDir()
	seen := filepath.Join(dir, "seen")
	script := filepath.Join(dir, "browser")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nprintf '%s\\n' \"$#\" \"$1\" > "+seen+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	// The first program does not exist: the next one is tried.
	t.Setenv("BROWSER", filepath.Join(dir, "missing")+":"+script)
	address := "https://example.com/?q=$(touch%20x)&r=;s#'a'"
	if err := Open(context.Background(), address); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(seen)
	if err != nil {
		t.Fatal(err)
	}
	// Equal to a server, and nothing in it that an opener could take for more than an address.
	if want := "1\nhttps://example.com/?q=%24%28touch%20x%29&r=%3Bs#%27a%27\n"; string(got) != want {
		t.Errorf("the browser got %q, want %q", got, want)
	}
}

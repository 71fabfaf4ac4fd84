package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestLinksNoWindowSystem: the command line also runs on servers, and starts without loading a window system.
func TestLinksNoWindowSystem(t *testing.T) {
	command := exec.Command("go", "list", "-deps", ".")
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := command.Output()
	if err != nil {
		t.Fatalf("listing dependencies: %v", err)
	}
	dependencies := strings.Fields(string(out))
	if len(dependencies) < 50 {
		t.Fatalf("only %d dependencies found", len(dependencies))
	}
	for _, dependency := range dependencies {
		for _, refused := range []string{"github.com/wailsapp/", "github.com/webview/", "runtime/cgo"} {
			if strings.HasPrefix(dependency, refused) {
				t.Errorf("the command line depends on %s", dependency)
			}
		}
		if dependency == "jackfield/app" {
			t.Errorf("the command line depends on the window")
		}
	}
}

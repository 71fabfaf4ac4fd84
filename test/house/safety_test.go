package house

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// goSources calls check with every Go file outside of tests under the folders.
func goSources(t *testing.T, check func(path, text string), folders ...string) {
	t.Helper()
	count := 0
	for _, folder := range folders {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, entry os.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			relative, err := filepath.Rel(root, path)
			count++
			check(filepath.ToSlash(relative), string(text))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if count == 0 {
		t.Fatal("no file found")
	}
}

// What a tool or a model says can never add or change a server (CVE-2025-54135): only what a person starts reaches the methods that
// do, and the Manager itself calls none of them on the way of a message.
func TestOnlyAPersonAddsOrChangesServers(t *testing.T) {
	doors := regexp.MustCompile(`Manager\.(Add|Register|Adhoc|Edit)\(`)
	surfaces := []string{"app/cli/edit.go", "app/cli/review.go", "app/cli/session.go", "app/desktop.go", "app/signin.go"}
	var found []string
	goSources(t, func(path, text string) {
		if doors.MatchString(text) {
			found = append(found, path)
		}
	}, "app", "backend", "cmd")
	for _, path := range found {
		if !slices.Contains(surfaces, path) {
			t.Errorf("%s adds or changes servers; a person does that, through a surface", path)
		}
	}
	inside := regexp.MustCompile(`\bm\.(Add|Register|Adhoc|Edit)\(`)
	goSources(t, func(path, text string) {
		for line := range strings.Lines(text) {
			if inside.MatchString(line) && path != "backend/mcp/servers.go" {
				t.Errorf("%s: %s", path, strings.TrimSpace(line))
			}
		}
	}, "backend/mcp")
	// A configuration that lies in a project's folder is read only when a person names it.
	folders := regexp.MustCompile(`"[^"]*(\.mcp\.json|mcp\.json|claude_desktop_config)[^"]*"`)
	goSources(t, func(path, text string) {
		if match := folders.FindString(text); match != "" {
			t.Errorf("%s names %s: no configuration is looked for", path, match)
		}
	}, "app", "backend", "cmd")
}

// No program is started through a shell with a text of somebody else's (CVE-2025-6514, CVE-2026-0757). The one shell is the person's
// login shell, which is asked for its environment with a text of our own.
func TestNoShellReadsWhatSomebodyElseWrote(t *testing.T) {
	starts := regexp.MustCompile(`exec\.Command(Context)?\(.*|os\.StartProcess\(.*`)
	shells := regexp.MustCompile(`"(/bin/)?(sh|bash|zsh|cmd|cmd\.exe|powershell|powershell\.exe|rundll32)"|"(-c|/c|-Command)"`)
	goSources(t, func(path, text string) {
		for _, start := range starts.FindAllString(text, -1) {
			if shells.MatchString(start) && path != "backend/mcp/environ_unix.go" {
				t.Errorf("%s starts a shell: %s", path, start)
			}
		}
	}, "app", "backend", "cmd")
}

// The window never goes to an address of a server (CVE-2025-58444): the page has no link, form or script that leaves it.
func TestThePageIsNeverNavigated(t *testing.T) {
	leaves := regexp.MustCompile(`window\.open\(|(window|document)\.location\b|\blocation\.(assign\(|href\s*=)|<a\s|<form[^>]*\saction=|<iframe|formAction|target="_blank"`)
	sources(t, func(path, text string) {
		if strings.Contains(path, ".test.") {
			return
		}
		if match := leaves.FindString(text); match != "" {
			t.Errorf("%s: %q leaves the page", path, match)
		}
	})
}

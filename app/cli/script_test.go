package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"jackfield/backend/oauth/oauthtest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"jackfield":  func() { os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
		"fakeserver": func() { os.Exit(fakeServer()) },
		// browser ADDRESS is one in which the person agrees to everything.
		"browser": func() {
			if _, err := oauthtest.Browse(context.Background(), os.Args[1]); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		},
		// jackfield-interrupted COUNT FILE TEXT ARGUMENT... interrupts itself when FILE holds TEXT.
		"jackfield-interrupted": func() { os.Exit(interrupted(os.Args[1:])) },
	})
}

// TestScript runs the program itself, against the Playground and against a server that misbehaves.
func TestScript(t *testing.T) {
	locked := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", `Bearer realm="x"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	t.Cleanup(locked.Close)
	signIn := oauthtest.New(t)
	byHand := oauthtest.New(t, func(s *oauthtest.Switches) { s.NoRegistration = true })
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			env.Setenv("HOME", home)
			env.Setenv("USERPROFILE", home)
			env.Setenv("JACKFIELD_DATA_DIR", filepath.Join(env.WorkDir, "data"))
			env.Setenv("NO_COLOR", "")
			env.Setenv("LOCKED", locked.URL+"/mcp") // a server that wants a sign-in, which nobody can give
			env.Setenv("SIGNIN", signIn.MCP)        // one that can be signed in to
			env.Setenv("BYHAND", byHand.MCP)        // one whose authorization server registers nobody
			env.Setenv("BROWSER", "browser")
			return os.MkdirAll(home, 0o700)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status":    scriptStatus,
			"json":      scriptJSON,
			"interrupt": scriptInterrupt,
			"await":     scriptAwait,
			"with-file": scriptWithFile,
		},
	})
}

// scriptStatus runs a program and checks its exit status: status 3 jackfield tools nope.
func scriptStatus(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N program [args...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	switch err := ts.Exec(args[1], args[2:]...); {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("running %s: %v", args[1], err)
	}
	if got != want {
		ts.Fatalf("%s ended with status %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}

// scriptJSON compares a document with a golden one, in which "*" stands for anything and "…": "*" in an object for any
// other members. Numbers are compared by their digits.
func scriptJSON(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: [!] json file golden")
	}
	decode := func(name string) (value any) {
		decoder := json.NewDecoder(bytes.NewReader([]byte(ts.ReadFile(name))))
		decoder.UseNumber()
		if err := decoder.Decode(&value); err != nil {
			ts.Fatalf("%s: %v", name, err)
		}
		if decoder.More() {
			ts.Fatalf("%s holds more than one document", name)
		}
		return value
	}
	got, want := decode(args[0]), decode(args[1])
	diff := cmp.Diff(want, masked(got, want))
	if (diff == "") == neg {
		ts.Fatalf("%s and %s (-want +got):\n%s", args[0], args[1], diff)
	}
}

// masked replaces what a golden document leaves open.
func masked(got, want any) any {
	switch want := want.(type) {
	case string:
		if want == "*" {
			return "*"
		}
	case map[string]any:
		object, ok := got.(map[string]any)
		if !ok {
			return got
		}
		result := map[string]any{}
		for name, value := range object {
			expected, named := want[name]
			if _, open := want["…"]; named || !open {
				result[name] = masked(value, expected)
			}
		}
		if open, ok := want["…"]; ok {
			result["…"] = open
		}
		return result
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			return got
		}
		result := make([]any, len(list))
		for i := range list {
			result[i] = masked(list[i], want[i])
		}
		return result
	}
	return got
}

// scriptInterrupt sends SIGINT to the program in the background.
func scriptInterrupt(ts *testscript.TestScript, neg bool, args []string) {
	for _, command := range ts.BackgroundCmds() {
		ts.Check(command.Process.Signal(os.Interrupt))
	}
}

// interrupted runs the program and sends SIGINT to it, count times, once a file holds a text.
func interrupted(args []string) int {
	count, err := strconv.Atoi(args[0])
	if err != nil {
		return 99
	}
	go func() {
		for {
			time.Sleep(100 * time.Millisecond)
			if text, err := os.ReadFile(args[1]); err == nil && strings.Contains(string(text), args[2]) {
				break
			}
		}
		self, err := os.FindProcess(os.Getpid())
		if err != nil {
			os.Exit(99)
		}
		for range count {
			if err := self.Signal(os.Interrupt); err != nil {
				os.Exit(99)
			}
			time.Sleep(300 * time.Millisecond)
		}
	}()
	return Main(args[3:], os.Stdin, os.Stdout, os.Stderr)
}

// scriptWithFile runs a command with a file's text as one more argument: with-file FILE exec program arguments...
func scriptWithFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 || args[1] != "exec" {
		ts.Fatalf("usage: with-file file exec program [args...]")
	}
	args = append(args[2:], strings.TrimSpace(ts.ReadFile(args[0])))
	ts.Check(ts.Exec(args[0], args[1:]...))
}

// scriptAwait waits until a file holds a text: await FILE TEXT.
func scriptAwait(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: await file text")
	}
	path := ts.MkAbs(args[0])
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		if text, err := os.ReadFile(path); err == nil && strings.Contains(string(text), args[1]) {
			return
		}
	}
	text, err := os.ReadFile(path)
	ts.Fatalf("%s never held %q: %v\n%s", args[0], args[1], err, fmt.Sprintf("%.2000s", text))
}

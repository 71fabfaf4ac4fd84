package planted

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"jackfield/backend/oauth/oauthtest"
)

// browse makes this test binary a browser in which the person agrees to everything: browse=1, and the address as the argument.
const browse = "JACKFIELD_PLANTED_BROWSE"

func TestMain(m *testing.M) {
	if os.Getenv(browse) != "" {
		if _, err := oauthtest.Browse(context.Background(), os.Args[1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// The program itself tells no secret: not what it prints, not its trace, not when it crashes, and not in the arguments of any process, which
// every user of the computer can read.
func TestTheProgramTellsNoSecret(t *testing.T) {
	f := oauthtest.New(t, func(s *oauthtest.Switches) { s.GivesSecret = "client_secret_post" })
	p := newProgram(t)
	watching, stop := context.WithCancel(t.Context())
	arguments := make(chan []byte, 1)
	go func() { arguments <- everyArgument(watching) }()

	p.run("vault", "passphrase")
	p.run("add", "--no-connect", "s", f.MCP)
	p.run("login", "s")
	p.run("--json", "--trace", filepath.Join(p.folder, "trace"), "call", "s", "echo", "text=hello")
	har := filepath.Join(p.folder, "trace.har")
	p.run("--json", "--trace", har, "call", "s", "echo", "text=hello")
	if text, err := os.ReadFile(har); err != nil || !bytes.Contains(text, []byte(`"Bearer ***"`)) {
		t.Errorf("the HTTP archive does not show that a token was sent: %v\n%s", err, text)
	}
	p.run("export")
	f.ExpireAccess()
	p.run("call", "s", "echo", "text=again") // after a refresh
	p.run("--json", "status")
	p.run("--json", "history")
	p.crash("watch")
	stop()

	secrets := secretsOf(t, f)
	if got := kinds(secrets); len(got) < 5 {
		t.Fatalf("the run used the secrets %q only", got)
	}
	secrets[passphrase] = "passphrase"
	if !bytes.Contains(p.printed.bytes(), []byte("goroutine ")) {
		t.Error("nothing crashed: the crash was not searched")
	}
	clean(t, "what was printed", p.printed.bytes(), secrets)
	seen := <-arguments
	if !bytes.Contains(seen, []byte("login")) {
		t.Error("the arguments of the program were not seen: nothing was searched")
	}
	clean(t, "the arguments of processes", seen, secrets)
	if err := os.Remove(p.passphraseFile()); err != nil {
		t.Fatal(err)
	}
	cleanFolder(t, p.folder, secrets)
}

const passphrase = "correct horse battery staple"

// program is the command line, built, in a home of its own.
type program struct {
	t       *testing.T
	binary  string
	folder  string
	env     []string
	printed record
}

func newProgram(t *testing.T) *program {
	t.Helper()
	p := &program{t: t, binary: filepath.Join(t.TempDir(), "jackfield"), folder: t.TempDir()}
	build := exec.CommandContext(t.Context(), "go", "build", "-o", p.binary, "jackfield/cmd/jackfield")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	browser := filepath.Join(filepath.Dir(p.binary), "browser")
	script := "#!/bin/sh\nexec env " + browse + "=1 '" + self + "' \"$1\"\n"
	for path, text := range map[string]string{browser: script, p.passphraseFile(): passphrase} {
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	p.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + p.folder, "JACKFIELD_DATA_DIR=" + filepath.Join(p.folder, "data"),
		"JACKFIELD_PASSPHRASE_FILE=" + p.passphraseFile(), "BROWSER=" + browser,
	}
	return p
}

func (p *program) passphraseFile() string { return filepath.Join(p.folder, "passphrase") }

func (p *program) command(args ...string) *exec.Cmd {
	command := exec.CommandContext(p.t.Context(), p.binary, args...)
	command.Env = p.env
	command.Stdout, command.Stderr = &p.printed, &p.printed
	return command
}

func (p *program) run(args ...string) {
	p.t.Helper()
	if err := p.command(args...).Run(); err != nil {
		p.t.Fatalf("jackfield %s: %v\n%s", strings.Join(args, " "), err, p.printed.bytes())
	}
}

// crash ends a command in the way in which the runtime prints every goroutine.
func (p *program) crash(args ...string) {
	p.t.Helper()
	command := p.command(args...)
	if err := command.Start(); err != nil {
		p.t.Fatal(err)
	}
	time.Sleep(2 * time.Second) // until it is connected
	if err := command.Process.Signal(syscall.SIGQUIT); err != nil {
		p.t.Fatal(err)
	}
	if err := command.Wait(); err == nil {
		p.t.Error("it did not crash")
	}
}

// everyArgument collects the arguments of all processes until ctx ends.
func everyArgument(ctx context.Context) []byte {
	seen := map[string]bool{}
	var out bytes.Buffer
	for ctx.Err() == nil {
		files, err := filepath.Glob("/proc/[0-9]*/cmdline")
		if err != nil {
			return nil
		}
		for _, file := range files {
			text, err := os.ReadFile(file) // the process may have ended
			if err == nil && !seen[string(text)] {
				seen[string(text)] = true
				out.Write(text)
				out.WriteByte('\n')
			}
		}
		time.Sleep(2 * time.Millisecond)
	}
	return out.Bytes()
}

package store

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/oklog/ulid/v2"

	"jackfield/backend/store/database"
)

// childVariable makes the test binary a second process on the same file: "<what> <dir>".
const childVariable = "JACKFIELD_STORE_TEST_CHILD"

// child writes calls until its standard input ends, or is killed before. It prints a line for each call that is stored.
func child(work string) int {
	what, dir, _ := strings.Cut(work, " ")
	if err := runChild(what, dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func runChild(what, dir string) error {
	ctx := context.Background()
	s, err := Open(ctx, dir)
	if err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		io.Copy(io.Discard, os.Stdin)
		close(ended)
	}()
	for n := 0; ; n++ {
		outcome := OutcomeDone
		if what == "leave-running" {
			outcome = OutcomeRunning
		}
		err := s.PutCalls(ctx, Call{ID: ulid.Make().String(), ServerID: "a", Name: "child", Outcome: outcome, Result: json.RawMessage(`{"child":true}`)})
		if err != nil {
			return err
		}
		fmt.Println("stored")
		if what == "leave-running" && n == 2 {
			<-ended
			return errors.New("not killed")
		}
		select {
		case <-ended:
			return s.Close()
		default:
		}
	}
}

type process struct {
	*exec.Cmd
	lines *bufio.Reader
	stdin io.WriteCloser
	err   *strings.Builder
}

func startChild(t *testing.T, what, dir string) *process {
	t.Helper()
	command := exec.CommandContext(t.Context(), os.Args[0])
	command.Env = append(os.Environ(), childVariable+"="+what+" "+dir)
	stdin, err := command.StdinPipe()
	must(t, err)
	stdout, err := command.StdoutPipe()
	must(t, err)
	stderr := new(strings.Builder)
	command.Stderr = stderr
	must(t, command.Start())
	return &process{command, bufio.NewReader(stdout), stdin, stderr}
}

func (p *process) awaitLines(t *testing.T, n int) {
	t.Helper()
	for range n {
		if _, err := p.lines.ReadString('\n'); err != nil {
			t.Fatalf("the child: %v", errors.Join(err, p.Wait(), errors.New(p.err.String())))
		}
	}
}

func TestTwoProcessesWriteAtTheSameTime(t *testing.T) {
	s := withServers(t, "a")
	second := startChild(t, "write", s.dir)
	second.awaitLines(t, 1)
	childStored := 1
	counted := make(chan int)
	go func() {
		n := 0
		for {
			if _, err := second.lines.ReadString('\n'); err != nil {
				counted <- n
				return
			}
			n++
		}
	}()
	var group sync.WaitGroup
	const writers, each = 4, 50
	for range writers {
		group.Go(func() {
			for range each {
				if err := s.PutCalls(context.Background(), Call{ID: ulid.Make().String(), ServerID: "a", Name: "parent"}); err != nil {
					t.Error(err)
				}
				if _, err := s.Calls(context.Background(), CallFilter{Limit: 5}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	must(t, second.stdin.Close())
	childStored += <-counted
	if err := second.Wait(); err != nil {
		t.Errorf("the child: %v %s", err, second.err)
	}
	for name, want := range map[string]int{"parent": writers * each, "child": childStored} {
		calls, err := s.Calls(t.Context(), CallFilter{Name: name, Limit: 1 << 20})
		must(t, err)
		if len(calls) != want {
			t.Errorf("%d calls of the %s, want %d", len(calls), name, want)
		}
	}
}

func TestOpeningANewFileFromManyProcessesAtOnce(t *testing.T) {
	dir := t.TempDir()
	makeVersion(t, dir, 1, map[int]string{1: `INSERT INTO servers (id, name, transport, url, headers, command, args, env, cwd, era,
		retry_max_attempts, retry_base_delay, retry_max_delay, timeout_connect, timeout_discovery, timeout_call_idle,
		timeout_call_total, enabled, trust_local_network, client_id, learned_transport, learned_era, learned_version, created_at, updated_at)
		VALUES ('a', '', '', '', 'null', '', 'null', 'null', '', '', 0, 0, 0, 0, 0, 0, 0, 0, 0, '', '', '', '', 0, 0)`})
	var children []*process
	for range 4 {
		children = append(children, startChild(t, "write", dir))
	}
	for _, c := range children {
		c.awaitLines(t, 1)
		must(t, c.stdin.Close())
		_, err := io.Copy(io.Discard, c.lines)
		must(t, err)
		if err := c.Wait(); err != nil {
			t.Errorf("a child: %v %s", err, c.err)
		}
	}
	entries, err := os.ReadDir(filepath.Join(dir, "backups"))
	must(t, err)
	if len(entries) != 1 {
		t.Errorf("%d backups", len(entries))
	}
}

func TestKilledWriterLosesNothingThatWasStored(t *testing.T) {
	dir := t.TempDir()
	first, err := Open(t.Context(), dir)
	must(t, err)
	must(t, first.PutServer(t.Context(), Server{ID: "a"}))
	must(t, first.Close())
	for range 3 {
		before := 0
		if s, err := Open(t.Context(), dir); err == nil {
			calls, err := s.Calls(t.Context(), CallFilter{Limit: 1 << 20})
			must(t, errors.Join(err, s.Close()))
			before = len(calls)
		}
		victim := startChild(t, "write", dir)
		victim.awaitLines(t, 20)
		must(t, victim.Process.Kill())
		rest, err := io.ReadAll(victim.lines)
		must(t, err)
		if err := victim.Wait(); err == nil {
			t.Error("the child ended by itself")
		}
		reported := 20 + strings.Count(string(rest), "\n")

		s, err := Open(t.Context(), dir)
		must(t, err)
		var verdict string
		must(t, s.db.Write.QueryRowContext(t.Context(), `PRAGMA integrity_check`).Scan(&verdict))
		calls, err := s.Calls(t.Context(), CallFilter{Limit: 1 << 20})
		must(t, errors.Join(err, s.Close()))
		// The last call may have been stored and not yet reported.
		if stored := len(calls) - before; verdict != "ok" || stored < reported || stored > reported+1 {
			t.Errorf("integrity %s, %d reported, %d stored", verdict, reported, stored)
		}
	}
}

func TestCallsOfDeadProcessesAreFinishedAndOthersAreNot(t *testing.T) {
	s := withServers(t, "a")
	must(t, s.PutCalls(t.Context(), Call{ID: "mine", ServerID: "a", Outcome: OutcomeRunning}))
	must(t, s.PutCalls(t.Context(), Call{ID: "done", ServerID: "a", Outcome: OutcomeDone}))
	other := startChild(t, "leave-running", s.dir)
	other.awaitLines(t, 3)
	if n, err := s.FinishRunning(t.Context()); n != 0 || err != nil {
		t.Errorf("while the other process lives: %d, %v", n, err)
	}
	must(t, other.Process.Kill())
	if err := other.Wait(); err == nil {
		t.Error("the child ended by itself")
	}
	if n, err := s.FinishRunning(t.Context()); n != 3 || err != nil {
		t.Errorf("after its death: %d, %v", n, err)
	}
	calls, err := s.Calls(t.Context(), CallFilter{Name: "child"})
	must(t, err)
	for _, call := range calls {
		if call.Outcome != OutcomeFailed || call.Failure == nil || call.Failure.Message == "" || call.Failure.Hint == "" {
			t.Errorf("%+v", call)
		}
	}
	for id, want := range map[string]Outcome{"mine": OutcomeRunning, "done": OutcomeDone} {
		if call, err := s.Call(t.Context(), id); err != nil || call.Outcome != want || call.Failure != nil {
			t.Errorf("%s: %+v %v", id, call, err)
		}
	}
	if n, err := s.FinishRunning(t.Context()); n != 0 || err != nil {
		t.Errorf("again: %d, %v", n, err)
	}
	entries, err := os.ReadDir(filepath.Join(s.dir, runsDir))
	if err != nil || len(entries) != 1 {
		t.Errorf("%d marks of runs, %v", len(entries), err)
	}
}

func TestCallsLeftRunningByACloseAreFinished(t *testing.T) {
	dir := t.TempDir()
	first, err := Open(t.Context(), dir)
	must(t, err)
	must(t, first.PutServer(t.Context(), Server{ID: "a"}))
	must(t, first.PutCalls(t.Context(), Call{ID: "c1", ServerID: "a", Outcome: OutcomeRunning}))
	must(t, first.Close())
	s := openStore(t, dir)
	if n, err := s.FinishRunning(t.Context()); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}

// makeVersion makes a data file as an earlier version of the program left it, with rows of each version.
func makeVersion(t *testing.T, dir string, version int, rows map[int]string) {
	t.Helper()
	db, err := database.Open(t.Context(), filepath.Join(dir, fileName), earlier(t, version), nil)
	must(t, err)
	for v := 1; v <= version; v++ {
		_, err := db.Write.ExecContext(t.Context(), rows[v])
		must(t, err)
	}
	must(t, db.Close())
}

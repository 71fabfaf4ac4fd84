package instance

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// In a child process the test binary holds the lock until it is killed.
const holdVariable = "JACKFIELD_TEST_HOLD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(holdVariable); dir != "" {
		if _, err := Acquire(context.Background(), dir, Start{}); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("held")
		select {}
	}
	goleak.VerifyTestMain(m)
}

func first(t *testing.T, dir string) *Instance {
	t.Helper()
	i, err := Acquire(t.Context(), dir, Start{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := i.Close(); err != nil {
			t.Error(err)
		}
	})
	return i
}

func TestSecondStartHandsOver(t *testing.T) {
	for _, test := range []struct{ name, dir string }{
		{"in the data directory", t.TempDir()},
		{"a path too long for a socket", filepath.Join(t.TempDir(), strings.Repeat("long", 30))},
	} {
		t.Run(test.name, func(t *testing.T) {
			i := first(t, test.dir)
			want := Start{Args: []string{"jackfield://x?a=b&c", "ä b"}, Cwd: "/somewhere"}
			if _, err := Acquire(t.Context(), test.dir, want); !errors.Is(err, ErrHandedOver) {
				t.Fatalf("the second start got %v", err)
			}
			if got := <-i.Starts(); !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, want %+v", got, want)
			}
			info, err := os.Stat(filepath.Join(test.dir, addressName))
			if err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("address file: %v, %v", info.Mode(), err)
			}
		})
	}
}

func TestCloseLetsTheNextOneIn(t *testing.T) {
	dir := t.TempDir()
	i, err := Acquire(t.Context(), dir, Start{})
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		time.Sleep(300 * time.Millisecond)
		_ = i.listener.Close() // ending: it answers no more, but still holds the lock
		time.Sleep(300 * time.Millisecond)
		_ = i.Close() // the listener is closed already
	}()
	time.Sleep(400 * time.Millisecond)
	first(t, dir)
}

func TestStaleFilesOfAKilledInstance(t *testing.T) {
	dir := t.TempDir()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), holdVariable+"="+dir)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 5)
	if _, err := out.Read(line); err != nil || string(line) != "held\n" {
		t.Fatalf("the child said %q, %v", line, err)
	}
	if _, err := Acquire(t.Context(), dir, Start{}); !errors.Is(err, ErrHandedOver) {
		t.Fatalf("beside a living instance: %v", err)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // killed
	if _, err := os.Stat(filepath.Join(dir, addressName)); err != nil {
		t.Fatalf("the test needs what the killed one left behind: %v", err)
	}
	begin := time.Now()
	first(t, dir)
	if took := time.Since(begin); took > 2*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestHungInstanceIsNamed(t *testing.T) {
	dir := t.TempDir()
	i := first(t, dir)
	_ = i.listener.Close() // it holds the lock, but answers nobody
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err := Acquire(ctx, dir, Start{})
	if err == nil || errors.Is(err, ErrHandedOver) || !strings.Contains(err.Error(), "does not answer") {
		t.Errorf("got %v", err)
	}
	i.listener = noop{}
}

type noop struct{ net.Listener }

func (noop) Close() error { return nil }

func TestNoiseOnTheSocketChangesNothing(t *testing.T) {
	dir := t.TempDir()
	i := first(t, dir)
	socket, err := os.ReadFile(filepath.Join(dir, addressName))
	if err != nil {
		t.Fatal(err)
	}
	for _, noise := range []string{"", "\n", "nonsense\n", strings.Repeat("x", maxStart+1)} {
		connection, err := net.Dial("unix", string(socket))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = connection.Write([]byte(noise)) // the other side may hang up first
		_ = connection.Close()
	}
	if _, err := Acquire(t.Context(), dir, Start{Args: []string{"x"}}); !errors.Is(err, ErrHandedOver) {
		t.Fatalf("after noise: %v", err)
	}
	if got := <-i.Starts(); len(got.Args) != 1 {
		t.Errorf("got %+v", got)
	}
}

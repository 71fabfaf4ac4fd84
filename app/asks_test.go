package app

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"jackfield/app/api"
	"jackfield/backend/mcp"
	"jackfield/backend/store"
)

// With this variable the test binary is a prompt window without a screen; its value says what the person does.
const windowVariable = "JACKFIELD_TEST_WINDOW"

func TestMain(m *testing.M) {
	if script := os.Getenv(windowVariable); script != "" {
		scripted(script)
	}
	goleak.VerifyTestMain(m)
}

// scripted is a prompt window whose person does what the script says, step by step.
func scripted(script string) {
	in := bufio.NewReader(os.Stdin)
	line, err := in.ReadBytes('\n')
	if err != nil {
		os.Exit(9)
	}
	var window api.AskWindow
	if err := json.Unmarshal(line, &window); err != nil {
		os.Exit(9)
	}
	closed := make(chan struct{})
	var once sync.Once
	p := newPrompt(window, in, os.Stdout, func() { once.Do(func() { close(closed) }) }, func() { fmt.Println("raised") })
	for _, step := range strings.Split(script, ",") {
		switch step {
		case "accept":
			if err := p.Answer(api.Answer{Action: "accept", Content: `{"n":9007199254740993}`}); err != nil {
				var failure api.Failure
				if json.Unmarshal([]byte(err.Error()), &failure) != nil || failure.Code != mcp.CodeInvalidAnswer {
					_ = p.Answer(api.Answer{Action: "decline", Content: "the wrong refusal: " + err.Error()}) // seen in the record
				}
			}
		case "decline":
			_ = p.Answer(api.Answer{Action: "decline"}) // the parent's record tells
		case "close":
			p.closing(context.Background())
			os.Exit(0)
		case "crash":
			os.Exit(3)
		case "noise":
			fmt.Println("Gtk-Message: not JSON")
			fmt.Println(`{"some":"json"}`)
		case "hang":
			select {}
		case "wait":
			<-closed
		}
	}
	os.Exit(0)
}

// desk is the other side: it records answers and closes asks as the Manager does.
type desk struct {
	*feed
	mu      sync.Mutex
	seq     uint64
	answers []string
	refuse  int // how many accepted forms do not fit
	closed  chan string
}

func (d *desk) answer(_ context.Context, id string, answer api.Answer) error {
	d.mu.Lock()
	d.answers = append(d.answers, id+" "+answer.Action+answer.Content)
	refused := answer.Action == "accept" && d.refuse > 0
	if refused {
		d.refuse--
	}
	d.mu.Unlock()
	if refused {
		return &mcp.Error{
			Failure: store.Failure{Code: mcp.CodeInvalidAnswer, Message: "It does not fit.", Hint: "Correct it."},
			Fields:  []mcp.FieldError{{Pointer: "/n", Message: "too large"}},
		}
	}
	d.close(id)
	return nil
}

func (d *desk) ask(ids ...string) {
	for _, id := range ids {
		serverID, _, _ := strings.Cut(id, "-")
		ask := mcp.Ask{ID: id, ServerID: serverID}
		d.mu.Lock()
		d.seq++
		seq := d.seq
		d.mu.Unlock()
		d.send(mcp.Event{Seq: seq, Type: mcp.EventAsk, Ask: &ask})
	}
}

func (d *desk) close(id string) {
	serverID, _, _ := strings.Cut(id, "-")
	d.mu.Lock()
	d.seq++
	seq := d.seq
	d.mu.Unlock()
	d.send(mcp.Event{Seq: seq, Type: mcp.EventAsk, Ask: &mcp.Ask{ID: id, ServerID: serverID, Closed: true}})
	d.closed <- id
}

func (d *desk) given() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]string(nil), d.answers...)
}

func openDesk(t *testing.T, script string, settings api.Settings) (*desk, *askWindows) {
	t.Helper()
	d := &desk{feed: &feed{}, closed: make(chan string, 16)}
	w := newAskWindows(d, []string{"/usr/bin/env", windowVariable + "=" + script, os.Args[0]}, slog.New(slog.DiscardHandler), d.answer)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); w.run(ctx, settings) }()
	t.Cleanup(func() {
		cancel()
		select {
		case <-done:
		case <-time.After(10 * time.Second):
			t.Error("the windows did not end")
		}
	})
	eventually(t, "the subscription", func() bool { d.feed.mu.Lock(); defer d.feed.mu.Unlock(); return len(d.channels) > 0 })
	return d, w
}

func eventually(t *testing.T, what string, true_ func() bool) {
	t.Helper()
	for range 100 {
		if true_() {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("%s did not happen", what)
}

// state reads what run knows.
func stateOf(w *askWindows) (windows, left int) {
	done := make(chan struct{})
	if !w.send(func(s *askState) {
		windows = len(s.windows)
		for _, l := range s.left {
			if l {
				left++
			}
		}
		close(done)
	}) {
		return 0, 0
	}
	<-done
	return windows, left
}

var inWindow = api.Settings{AskWindow: "window", Theme: "dark"}

func wait(t *testing.T, d *desk, want string) {
	t.Helper()
	select {
	case got := <-d.closed:
		if got != want {
			t.Fatalf("%s closed, want %s", got, want)
		}
	case <-time.After(10 * time.Second):
		t.Fatalf("%s did not close; answers %v", want, d.given())
	}
}

func TestAnswersOfAWindow(t *testing.T) {
	for _, test := range []struct{ name, script, want string }{
		{"accept keeps large numbers", "accept", `a-1 accept{"n":9007199254740993}`},
		{"decline", "decline", "a-1 decline"},
		{"closing the window is cancel", "close", "a-1 cancel"},
		{"noise on stdout is no answer", "noise,decline", "a-1 decline"},
	} {
		t.Run(test.name, func(t *testing.T) {
			d, w := openDesk(t, test.script, inWindow)
			d.ask("a-1")
			wait(t, d, "a-1")
			if got := d.given(); !reflect.DeepEqual(got, []string{test.want}) {
				t.Errorf("got %q, want %q", got, test.want)
			}
			eventually(t, "the end of the window", func() bool { windows, left := stateOf(w); return windows == 0 && left == 0 })
		})
	}
}

func TestInvalidFormKeepsTheWindowOpen(t *testing.T) {
	d, _ := openDesk(t, "accept,accept", inWindow)
	d.refuse = 1
	d.ask("a-1")
	wait(t, d, "a-1")
	if got := d.given(); len(got) != 2 {
		t.Errorf("got %q", got)
	}
}

func TestCrashIsNoAnswerAndTheAskCanBeShownAgain(t *testing.T) {
	d, w := openDesk(t, "crash", inWindow)
	d.ask("a-1")
	eventually(t, "the crash", func() bool { windows, left := stateOf(w); return windows == 0 && left == 1 })
	if got := d.given(); got != nil {
		t.Fatalf("a crash answered: %q", got)
	}
	w.send(func(*askState) { w.argv[1] = windowVariable + "=decline" })
	if err := w.show(t.Context(), "a-1"); err != nil {
		t.Fatal(err)
	}
	wait(t, d, "a-1")
	eventually(t, "the refusal to show a closed ask", func() bool { return errors.Is(w.show(t.Context(), "a-1"), mcp.ErrUnknownAsk) })
}

func TestAskClosedElsewhereEndsTheWindow(t *testing.T) {
	for _, script := range []string{"wait", "hang"} {
		t.Run(script, func(t *testing.T) {
			d, w := openDesk(t, script, inWindow)
			d.ask("a-1")
			eventually(t, "the window", func() bool { windows, _ := stateOf(w); return windows == 1 })
			d.close("a-1")
			eventually(t, "its end", func() bool { windows, _ := stateOf(w); return windows == 0 })
			if got := d.given(); got != nil {
				t.Errorf("answers %q", got)
			}
		})
	}
}

func TestOneWindowPerServerInOrder(t *testing.T) {
	d, w := openDesk(t, "wait", inWindow)
	d.ask("a-1", "a-2", "b-1")
	eventually(t, "two windows", func() bool { windows, _ := stateOf(w); return windows == 2 })
	time.Sleep(300 * time.Millisecond)
	if windows, _ := stateOf(w); windows != 2 {
		t.Fatalf("%d windows", windows)
	}
	d.close("a-1")
	eventually(t, "the next window of a", func() bool {
		var open bool
		w.send(func(s *askState) { open = s.windows["a-2"] != nil && s.windows["a-1"] == nil })
		_, _ = stateOf(w)
		return open
	})
}

func TestQuittingEndsHungWindows(t *testing.T) {
	d, w := openDesk(t, "hang", inWindow)
	d.ask("a-1", "b-1")
	eventually(t, "the windows", func() bool { windows, _ := stateOf(w); return windows == 2 })
	// The clean-up of openDesk and goleak say whether anything is left.
}

func TestAskStaysInTheInboxWhereThePersonWantsIt(t *testing.T) {
	for _, where := range []string{"inline", "quiet"} {
		t.Run(where, func(t *testing.T) {
			d, w := openDesk(t, "decline", valid(api.Settings{AskWindow: where}))
			d.ask("a-1")
			time.Sleep(300 * time.Millisecond)
			if windows, _ := stateOf(w); windows != 0 {
				t.Fatal("a window opened")
			}
			if err := w.show(t.Context(), "a-1"); err != nil {
				t.Fatal(err)
			}
			wait(t, d, "a-1")
		})
	}
}

func TestWindowThatCanNotStartLeavesTheAskInTheInbox(t *testing.T) {
	d, w := openDesk(t, "decline", inWindow)
	w.send(func(*askState) { w.argv = []string{"/does/not/exist"} })
	d.ask("a-1")
	eventually(t, "the note", func() bool { windows, left := stateOf(w); return windows == 0 && left == 1 })
}

func TestDue(t *testing.T) {
	asks := func(ids ...string) (out []mcp.Ask) {
		for _, id := range ids {
			serverID, _, _ := strings.Cut(id, "-")
			out = append(out, mcp.Ask{ID: id, ServerID: serverID})
		}
		return out
	}
	w := &askWindow{}
	for _, test := range []struct {
		name  string
		state askState
		want  string
	}{
		{"first of each server", askState{open: asks("a-1", "a-2", "b-1"), settings: inWindow}, "a-1 b-1"},
		{"not beside an open one", askState{open: asks("a-1", "a-2"), windows: map[string]*askWindow{"a-1": w}, settings: inWindow}, ""},
		{"past one that was left", askState{open: asks("a-1", "a-2"), left: map[string]bool{"a-1": true}, settings: inWindow}, "a-2"},
		{"no more than three", askState{open: asks("a-1", "b-1", "c-1", "d-1"), settings: inWindow}, "a-1 b-1 c-1"},
		{"what the person wants, always", askState{open: asks("a-1", "a-2"), windows: map[string]*askWindow{"a-1": w}, wanted: map[string]bool{"a-2": true}}, "a-2"},
		{"none by itself inline", askState{open: asks("a-1"), settings: api.Settings{AskWindow: "inline"}}, ""},
	} {
		var got []string
		for _, ask := range due(&test.state) {
			got = append(got, ask.ID)
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: got %v, want %s", test.name, got, test.want)
		}
	}
	if got := behind(asks("a-1", "b-1", "a-2", "a-3"), asks("a-2")[0]); got != 1 {
		t.Errorf("%d behind", got)
	}
}

// A window whose main process was killed must end by itself.
func TestWindowEndsWithItsMainProcess(t *testing.T) {
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), windowVariable+"=wait")
	stdin, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	if err := json.NewEncoder(stdin).Encode(api.AskWindow{}); err != nil {
		t.Fatal(err)
	}
	_ = stdin.Close()
	done := make(chan error, 1)
	go func() { done <- command.Wait() }()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(5 * time.Second):
		_ = command.Process.Kill()
		<-done
		t.Error("it stayed")
	}
}

//go:build cloudflare

package cloudflare

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"jackfield/backend/mcp"
	"jackfield/backend/store"
)

var bothModes = []mcp.AskMode{mcp.AskForm, mcp.AskURL}

// manager is one over the data in dir; closing it twice does no harm.
func manager(t *testing.T, dir string, restore bool, modes ...mcp.AskMode) (*mcp.Manager, func()) {
	t.Helper()
	s, err := store.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	m := mcp.New(mcp.Options{Store: s, Client: mcp.Implementation{Name: "cloudflare-test", Version: "1"}, Modes: modes})
	if err := m.Start(t.Context(), restore); err != nil {
		t.Fatal(err)
	}
	shut := sync.OnceFunc(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if err := errors.Join(m.Close(ctx), s.Close()); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(shut)
	return m, shut
}

func entry(id, url string) store.Server {
	return store.Server{ID: id, Name: strings.ToUpper(id), Transport: store.TransportAuto, URL: url, Enabled: true}
}

// connected is a Manager with one ready server "s".
func connected(t *testing.T, url string, modes ...mcp.AskMode) *mcp.Manager {
	t.Helper()
	m, _ := manager(t, t.TempDir(), false, modes...)
	if _, err := m.Add(t.Context(), entry("s", url)); err != nil {
		t.Fatal(err)
	}
	return m
}

func status(t *testing.T, m *mcp.Manager, id string) mcp.Status {
	t.Helper()
	s, err := m.Status(id)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func call(ctx context.Context, m *mcp.Manager, tool, arguments string) (mcp.Call, error) {
	return m.Call(ctx, mcp.CallRequest{ServerID: "s", Kind: store.KindTool, Name: tool, Arguments: json.RawMessage(arguments)})
}

// says expects a result with a text.
func says(t *testing.T, m *mcp.Manager, tool, arguments, want string) {
	t.Helper()
	got, err := call(t.Context(), m, tool, arguments)
	if err != nil || got.Outcome != store.OutcomeDone || !strings.Contains(string(got.Result), want) {
		t.Errorf("%s %s: %s %s %v, want %q", tool, arguments, got.Outcome, got.Result, err, want)
	}
}

func code(err error) string {
	if failure, ok := errors.AsType[*mcp.Error](err); ok {
		return failure.Code
	}
	return fmt.Sprint(err)
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("did not happen: %s", what)
		}
	}
}

// answering answers every ask as decide says, until the test ends, and returns what was asked.
func answering(t *testing.T, m *mcp.Manager, decide func(mcp.Ask) []mcp.Answer) func() []mcp.Ask {
	t.Helper()
	events, stop := m.Subscribe()
	t.Cleanup(stop)
	var mu sync.Mutex
	var asked []mcp.Ask
	go func() {
		for e := range events {
			if e.Type != mcp.EventAsk || e.Ask.Closed {
				continue
			}
			mu.Lock()
			asked = append(asked, *e.Ask)
			mu.Unlock()
			for _, answer := range decide(*e.Ask) {
				err := m.Answer(context.Background(), e.Ask.ID, answer)
				if strings.Contains(string(answer.Content), "wrong") != (err != nil) {
					t.Errorf("answering %+v with %s %s: %v", e.Ask, answer.Action, answer.Content, err)
				}
			}
		}
	}()
	return func() []mcp.Ask {
		mu.Lock()
		defer mu.Unlock()
		return append([]mcp.Ask(nil), asked...)
	}
}

func always(answers ...mcp.Answer) func(mcp.Ask) []mcp.Answer {
	return func(mcp.Ask) []mcp.Answer { return answers }
}

package backend

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"jackfield/backend/mcp"
	"jackfield/backend/playground"
	"jackfield/backend/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T, dir string, restore bool) *Backend {
	t.Helper()
	b, err := Open(t.Context(), Options{DataDir: dir, Restore: restore})
	if err != nil {
		t.Fatalf("opening: %v", err)
	}
	return b
}

func shut(t *testing.T, b *Backend) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := b.Close(ctx); err != nil {
		t.Errorf("closing: %v", err)
	}
}

func ids(t *testing.T, b *Backend) []string {
	t.Helper()
	servers, err := b.Store.Servers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, server := range servers {
		list = append(list, server.ID)
	}
	return list
}

func TestFirstLaunchStoresThePlaygroundOnce(t *testing.T) {
	dir := t.TempDir()
	b := open(t, dir, false)
	if got := ids(t, b); len(got) != 1 || got[0] != playground.ServerID {
		t.Errorf("servers %q, want the Playground", got)
	}
	if err := b.Manager.Remove(t.Context(), playground.ServerID); err != nil {
		t.Fatal(err)
	}
	shut(t, b)
	b = open(t, dir, false)
	defer shut(t, b)
	if got := ids(t, b); len(got) != 0 {
		t.Errorf("servers %q, but the Playground was removed", got)
	}
}

func TestThePlaygroundIsOpenedWhenItIsNeeded(t *testing.T) {
	dir := t.TempDir()
	b := open(t, dir, false)
	defer shut(t, b)
	file := filepath.Join(dir, "playground.db")
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the Playground's file is there before it is connected to: %v", err)
	}
	call, err := b.Manager.Call(t.Context(), mcp.CallRequest{
		ServerID: playground.ServerID, Kind: store.KindTool, Name: "echo", Arguments: json.RawMessage(`{"text":"jack"}`),
	})
	if err != nil || call.Outcome != store.OutcomeDone {
		t.Errorf("call: %v, %v", call.Outcome, err)
	}
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
}

func TestRestoreConnectsInTheBackground(t *testing.T) {
	dir := t.TempDir()
	shut(t, open(t, dir, false))
	b := open(t, dir, true)
	defer shut(t, b)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	b.Manager.Wait(ctx)
	status, err := b.Manager.Status(playground.ServerID)
	if err != nil || status.State != mcp.StateReady {
		t.Errorf("state %s, %v", status.State, err)
	}
}

func TestACallOfACrashedRunHasFailed(t *testing.T) {
	dir := t.TempDir()
	first, err := store.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := first.PutServer(t.Context(), playground.Entry()); err != nil {
		t.Fatal(err)
	}
	if err := first.PutCalls(t.Context(), store.Call{
		ID: "01", ServerID: playground.ServerID, Kind: store.KindTool, Name: "slow", Outcome: store.OutcomeRunning, StartedAt: time.Now(),
	}); err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	b := open(t, dir, false)
	defer shut(t, b)
	call, err := b.Store.Call(t.Context(), "01")
	if err != nil || call.Outcome != store.OutcomeFailed || call.Failure == nil {
		t.Errorf("call %+v, %v", call, err)
	}
}

func TestADirectoryThatIsAFileIsRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), Options{DataDir: file}); err == nil {
		t.Error("it was opened")
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "precious" {
		t.Errorf("the file is %q, %v", text, err)
	}
}

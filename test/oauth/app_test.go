//go:build oauth

package oauth

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"jackfield/backend"
	"jackfield/backend/mcp"
	"jackfield/backend/store"
	"jackfield/backend/store/vault"
	"jackfield/test/person"
)

// app is this program's back end with a person and a keyring, which both outlive restarts.
type app struct {
	folder  string
	scheme  bool // the system hands jackfield: links to it
	keyring *keyring
	id      string

	backend *backend.Backend
	stop    func()
	browser sync.WaitGroup
}

// install starts the program for the first time, with one server.
func install(t *testing.T, url string, scheme bool) *app {
	t.Helper()
	a := &app{folder: t.TempDir(), scheme: scheme, keyring: &keyring{items: map[string]string{}}}
	a.open(t)
	t.Cleanup(func() { a.close(t) })
	id, err := a.backend.Manager.Register(t.Context(), store.Server{
		Name: "protected", Transport: store.TransportStreamableHTTP, URL: url, Enabled: true, Retry: store.Retry{MaxAttempts: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	a.id = id
	return a
}

func (a *app) open(t *testing.T) {
	t.Helper()
	b, err := backend.Open(t.Context(), backend.Options{
		DataDir: a.folder, Keyring: a.keyring,
		Scheme:  func(context.Context) bool { return a.scheme },
		OpenURL: func(_ context.Context, url string) error { return a.browse(t, url) },
	})
	if err != nil {
		t.Fatalf("opening the back end: %v", err)
	}
	a.backend = b
	a.stop = person.Agree(b.Manager, func(err error) { t.Errorf("agreeing: %v", err) })
}

// browse is the system's browser. It hands an address of the custom scheme to the program that is registered for it, which is this one.
// A page that shows an error is told to the program, as a person would.
func (a *app) browse(t *testing.T, url string) error {
	manager := a.backend.Manager
	a.browser.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		last, _, err := person.Browse(ctx, url)
		switch {
		case err != nil:
			t.Logf("the browser: %v", err)
			if err := manager.SignInInput(a.id, store.SignInInput{BrowserError: true}); err != nil {
				t.Errorf("saying that the browser shows an error: %v", err)
			}
		case strings.HasPrefix(last, "jackfield:"):
			if err := manager.SignInCallback(last); err != nil {
				t.Errorf("handing the link over: %v", err)
			}
		}
	})
	return nil
}

func (a *app) close(t *testing.T) {
	t.Helper()
	if a.backend == nil {
		return
	}
	a.browser.Wait()
	a.stop()
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
	defer cancel()
	if err := a.backend.Close(ctx); err != nil {
		t.Errorf("closing the back end: %v", err)
	}
	a.backend = nil
}

func (a *app) restart(t *testing.T) {
	t.Helper()
	a.close(t)
	a.open(t)
}

func (a *app) signIn(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 25*time.Second)
	defer cancel()
	if err := a.backend.Manager.SignIn(ctx, a.id, store.SignInOptions{}); err != nil {
		steps, _ := json.MarshalIndent(a.status(t).SignIn, "", " ")
		t.Fatalf("signing in: %v\n%s", err, steps)
	}
}

func (a *app) status(t *testing.T) mcp.Status {
	t.Helper()
	s, err := a.backend.Manager.Status(a.id)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (a *app) account(t *testing.T) store.Account {
	t.Helper()
	account := a.status(t).Account
	if account == nil {
		t.Fatal("the server is not signed in")
	}
	return *account
}

// calls runs a tool that needs a token, and wants its answer.
func (a *app) calls(t *testing.T, tool, arguments, want string) {
	t.Helper()
	call, err := a.backend.Manager.Call(t.Context(), mcp.CallRequest{ServerID: a.id, Kind: store.KindTool, Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatalf("calling %s: %v", tool, err)
	}
	if !bytes.Contains(call.Result, []byte(want)) {
		t.Fatalf("%s answers %.300s, want %q", tool, call.Result, want)
	}
}

// needsSignIn wants the server to be out of reach until a person signs in.
func (a *app) needsSignIn(t *testing.T) {
	t.Helper()
	err := a.backend.Manager.Connect(t.Context(), a.id)
	failure, told := errors.AsType[*mcp.Error](err)
	if !told || failure.Code != mcp.CodeAuthRequired {
		t.Fatalf("connecting without a sign-in: %v, want %s", err, mcp.CodeAuthRequired)
	}
}

// keyring of a system, in memory.
type keyring struct {
	mu    sync.Mutex
	items map[string]string
}

func (k *keyring) Get(_ context.Context, service, user string) (string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	value, found := k.items[service+"\x00"+user]
	if !found {
		return "", vault.ErrNotFound
	}
	return value, nil
}

func (k *keyring) Set(_ context.Context, service, user, value string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.items[service+"\x00"+user] = value
	return nil
}

func (k *keyring) Delete(_ context.Context, service, user string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.items, service+"\x00"+user)
	return nil
}

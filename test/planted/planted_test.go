package planted

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"jackfield/app/api"
	"jackfield/backend"
	"jackfield/backend/mcp"
	"jackfield/backend/oauth/oauthtest"
	"jackfield/backend/store"
	"jackfield/backend/store/vault"
	"jackfield/test/person"
)

// Secrets of a person: a header, a variable of a command.
const (
	headerSecret   = "planted-header-6f1d9c"
	variableSecret = "planted-variable-82ab40"
)

// A whole life of a sign-in leaves none of its secrets in the data directory, the log, the trace, the events or what the window is told.
func TestNothingKeepsOrTellsASecret(t *testing.T) {
	for _, test := range []struct {
		name    string
		keyring vault.Keyring
	}{
		{"with a keyring", &keyring{items: map[string]string{}}},
		{"without one", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := oauthtest.New(t, func(s *oauthtest.Switches) { s.GivesSecret = "client_secret_post" })
			folder := t.TempDir()
			var told record
			b := open(t, folder, test.keyring, &told)
			m := b.Manager
			events, unsubscribe := m.Subscribe()
			watched := make(chan struct{})
			go func() {
				defer close(watched)
				for event := range events {
					fmt.Fprintf(&told, "%+v\n", event)
					told.json(event)
				}
			}()
			stop := person.Agree(m, func(err error) { t.Errorf("agreeing: %v", err) })

			id := register(t, m, store.Server{
				Name: "protected", Transport: store.TransportStreamableHTTP, URL: f.MCP, Enabled: true,
				Headers: []store.Variable{{Name: "X-Team", Secret: true, Hidden: vault.NewSecret(headerSecret)}},
			})
			register(t, m, store.Server{
				Name: "command", Transport: store.TransportStdio, Command: "/bin/false",
				Env: []store.Variable{{Name: "TEAM", Secret: true, Hidden: vault.NewSecret(variableSecret)}},
			})
			signIn(t, m, id)
			call(t, m, id)
			f.ExpireAccess()
			call(t, m, id) // after a refresh
			told.json(api.SnapshotOf(m.Snapshot()))
			for _, message := range m.Trace(mcp.TraceFilter{}) {
				body, err := m.TraceBody(message.N)
				if err != nil {
					t.Fatal(err)
				}
				told.json(message)
				told.Write(body)
			}
			history, err := m.History(t.Context(), store.CallFilter{})
			if err != nil {
				t.Fatal(err)
			}
			told.json(history)
			secrets := secretsOf(t, f) // before the files are closed, too: the write-ahead log is still there
			cleanFolder(t, folder, secrets)
			if err := m.SignOut(t.Context(), id); err != nil {
				t.Errorf("signing out: %v", err)
			}
			stop()
			unsubscribe()
			<-watched
			shut(t, b)

			secrets = secretsOf(t, f)
			secrets[headerSecret], secrets[variableSecret] = "header", "variable"
			want := []string{"access token", "client_secret", "code", "code_verifier", "header", "refresh_token", "token", "variable"}
			if got := kinds(secrets); !slices.Equal(got, want) && !slices.Equal(got, without(want, "token")) {
				t.Fatalf("the run used the secrets %q, want %q", got, want)
			}
			if size := cleanFolder(t, folder, secrets); size == 0 {
				t.Error("the data directory is empty: nothing was searched")
			}
			if told.len() == 0 {
				t.Error("nothing was told: nothing was searched")
			}
			clean(t, "what was told", told.bytes(), secrets)
		})
	}
}

func without(list []string, item string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s == item })
}

func open(t *testing.T, folder string, keyring vault.Keyring, told *record) *backend.Backend {
	t.Helper()
	b, err := backend.Open(t.Context(), backend.Options{
		DataDir: folder, Keyring: keyring,
		Log: slog.New(slog.NewTextHandler(told, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Trace: func(message mcp.Message, body []byte) {
			told.json(message)
			told.Write(body)
		},
		OpenURL: func(_ context.Context, address string) error {
			go func() {
				ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
				defer cancel()
				if _, _, err := person.Browse(ctx, address); err != nil {
					t.Errorf("the browser: %v", err)
				}
			}()
			return nil
		},
	})
	if err != nil {
		t.Fatalf("opening the back end: %v", err)
	}
	return b
}

func shut(t *testing.T, b *backend.Backend) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
	defer cancel()
	if err := b.Close(ctx); err != nil {
		t.Errorf("closing the back end: %v", err)
	}
}

func register(t *testing.T, m *mcp.Manager, server store.Server) string {
	t.Helper()
	id, err := m.Register(t.Context(), server)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func signIn(t *testing.T, m *mcp.Manager, id string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := m.SignIn(ctx, id, store.SignInOptions{}); err != nil {
		t.Fatalf("signing in: %v", err)
	}
}

func call(t *testing.T, m *mcp.Manager, id string) {
	t.Helper()
	request := mcp.CallRequest{ServerID: id, Kind: store.KindTool, Name: "echo", Arguments: json.RawMessage(`{"message":"hello"}`)}
	if _, err := m.Call(t.Context(), request); err != nil {
		t.Fatalf("calling: %v", err)
	}
}

// record is everything that was printed or told.
type record struct {
	mu      sync.Mutex
	content bytes.Buffer
}

func (r *record) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.content.Write(p)
}

// json adds a value as it would cross to the window or to a file.
func (r *record) json(value any) {
	raw, err := json.Marshal(value)
	if err != nil {
		raw = []byte(err.Error())
	}
	_, _ = r.Write(raw) // a buffer takes everything
}

func (r *record) len() int { return len(r.bytes()) }

func (r *record) bytes() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return bytes.Clone(r.content.Bytes())
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

package backend

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"jackfield/backend/mcp"
	"jackfield/backend/oauth/oauthtest"
	"jackfield/backend/store"
	"jackfield/backend/store/vault"
)

// memoryKeyring outlives the backends of one test, as the system's outlives the program.
type memoryKeyring struct {
	mu    sync.Mutex
	items map[string]string
}

func (k *memoryKeyring) Get(_ context.Context, service, user string) (string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if value, ok := k.items[service+user]; ok {
		return value, nil
	}
	return "", vault.ErrNotFound
}

func (k *memoryKeyring) Set(_ context.Context, service, user, value string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.items[service+user] = value
	return nil
}

func (k *memoryKeyring) Delete(context.Context, string, string) error { return nil }

// desk is the whole back end with a browser in which the person agrees to everything.
type desk struct {
	*Backend
	t       *testing.T
	browser sync.WaitGroup
	opened  int
}

func newDesk(t *testing.T, dir string, keyring vault.Keyring) *desk {
	t.Helper()
	d := &desk{t: t}
	b, err := Open(t.Context(), Options{DataDir: dir, Keyring: keyring, Restore: true, OpenURL: func(_ context.Context, address string) error {
		d.opened++
		d.browser.Go(func() {
			if _, err := oauthtest.Browse(context.Background(), address); err != nil {
				t.Error(err)
			}
		})
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	d.Backend = b
	return d
}

func (d *desk) close() {
	d.t.Helper()
	d.browser.Wait()
	if err := d.Close(context.Background()); err != nil {
		d.t.Error(err)
	}
}

func (d *desk) call(tool, arguments string) error {
	_, err := d.Manager.Call(d.t.Context(), mcp.CallRequest{ServerID: "s", Kind: store.KindTool, Name: tool, Arguments: []byte(arguments)})
	return err
}

func (d *desk) state() mcp.State {
	status, err := d.Manager.Status("s")
	if err != nil {
		d.t.Fatal(err)
	}
	return status.State
}

func codeOf(err error) string {
	if failure, ok := errors.AsType[*mcp.Error](err); ok {
		return failure.Code
	}
	return ""
}

const text = `{"text":"hello"}`

func TestSignInFromTheFirstRefusalToTheSignOut(t *testing.T) {
	for name, transport := range map[string]store.Transport{"streamable": store.TransportStreamableHTTP, "sse": store.TransportSSE} {
		t.Run(name, func(t *testing.T) {
			fake := oauthtest.New(t)
			dir, keyring := t.TempDir(), &memoryKeyring{items: map[string]string{}}
			address := fake.MCP
			if transport == store.TransportSSE {
				address = fake.SSE
				fake.Set(func(s *oauthtest.Switches) { s.Resource = fake.SSE })
			}
			d := newDesk(t, dir, keyring)
			_, err := d.Manager.Add(t.Context(), store.Server{ID: "s", URL: address, Transport: transport, Enabled: true})
			if codeOf(err) != mcp.CodeAuthRequired || d.state() != mcp.StateAuthenticating || d.opened != 0 {
				t.Fatalf("%v, %s, %d pages", err, d.state(), d.opened)
			}
			if err := d.Manager.SignIn(t.Context(), "s", store.SignInOptions{}); err != nil {
				t.Fatal(err)
			}
			status, err := d.Manager.Status("s")
			if err != nil || status.State != mcp.StateReady || status.Account == nil || !status.Account.Kept || status.SignIn.State != store.SignInDone {
				t.Fatalf("%+v, %v", status, err)
			}
			for _, step := range status.SignIn.Steps {
				if step.State != "done" {
					t.Errorf("step %+v", step)
				}
			}
			if err := d.call("echo", text); err != nil {
				t.Fatal(err)
			}
			d.renewsAndStepsUp(fake)
			d.close()

			// A new run of the program needs no person.
			d = newDesk(t, dir, keyring)
			d.Manager.Wait(t.Context())
			if d.state() != mcp.StateReady || d.opened != 0 {
				t.Fatalf("after a restart: %s, %d pages", d.state(), d.opened)
			}
			grant, err := d.Store.Grant(t.Context(), "s")
			if err != nil {
				t.Fatal(err)
			}
			if err := d.Manager.SignOut(t.Context(), "s"); err != nil {
				t.Fatal(err)
			}
			if fake.Live(grant.AccessToken.Reveal()) || fake.Live(grant.RefreshToken.Reveal()) {
				t.Error("a token outlived the sign-out")
			}
			if err := d.Manager.Connect(t.Context(), "s"); codeOf(err) != mcp.CodeAuthRequired {
				t.Errorf("%v", err)
			}
			d.close()
			for _, secret := range []string{grant.AccessToken.Reveal(), grant.RefreshToken.Reveal()} {
				if files := holding(t, dir, secret); files != nil {
					t.Errorf("a token is in %v", files)
				}
			}
		})
	}
}

// renewsAndStepsUp is the life of a sign-in: the token ends, more rights are needed, the grant ends.
func (d *desk) renewsAndStepsUp(fake *oauthtest.Fake) {
	t := d.t
	t.Helper()
	fake.ExpireAccess()
	if err := d.call("echo", text); err != nil {
		t.Fatalf("after the token ended: %v", err)
	}
	if err := d.call("admin", `{}`); codeOf(err) != mcp.CodeScope || d.state() != mcp.StateReady {
		t.Fatalf("without the scope: %v, %s", err, d.state())
	}
	if err := d.Manager.SignIn(t.Context(), "s", store.SignInOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := d.call("admin", `{}`); err != nil {
		t.Fatalf("with the scope: %v", err)
	}
	fake.EndGrants()
	fake.ExpireAccess()
	before := d.opened
	if err := d.call("echo", text); codeOf(err) != mcp.CodeAuthRequired || d.opened != before {
		t.Fatalf("after the grant ended: %v", err)
	}
	if d.state() != mcp.StateAuthenticating {
		t.Fatalf("%s", d.state())
	}
	if err := d.Manager.SignIn(t.Context(), "s", store.SignInOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := d.call("echo", text); err != nil {
		t.Fatalf("run again: %v", err)
	}
}

func holding(t *testing.T, dir, text string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), text) {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// CVE-2026-104850 and CVE-2026-115563, also over a sign-out: the secret of a client goes to the first issuer only.
func TestClientSecretStaysWithItsFirstIssuer(t *testing.T) {
	first, second := oauthtest.New(t), oauthtest.New(t)
	for _, fake := range []*oauthtest.Fake{first, second} {
		fake.AddClient(oauthtest.Client{ID: "mine", Secret: "hush", AuthMethod: "client_secret_basic"})
	}
	d := newDesk(t, t.TempDir(), &memoryKeyring{items: map[string]string{}})
	defer d.close()
	_, err := d.Manager.Register(t.Context(), store.Server{
		ID: "s", URL: first.MCP, Transport: store.TransportStreamableHTTP, Enabled: true, ClientID: "mine",
		SignIn: store.SignInConfig{ClientSecret: vault.NewSecret("hush"), HasSecret: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Manager.SignIn(t.Context(), "s", store.SignInOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := d.Manager.SignOut(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	first.Set(func(s *oauthtest.Switches) { s.AuthorizationServers = []string{second.Issuer()} })
	err = d.Manager.SignIn(t.Context(), "s", store.SignInOptions{})
	if codeOf(err) != mcp.CodeSignIn || !strings.Contains(err.Error(), first.Issuer()) || !strings.Contains(err.Error(), second.Issuer()) {
		t.Errorf("%v", err)
	}
	if n := len(second.TokenRequests("authorization_code")); n != 0 {
		t.Errorf("the other authorization server got %d token requests", n)
	}
}

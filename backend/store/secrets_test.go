package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"jackfield/backend/store/vault"
)

// keyringInMemory is one that works.
type keyringInMemory struct {
	mu    sync.Mutex
	items map[string]string
}

func (k *keyringInMemory) Get(_ context.Context, service, user string) (string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	value, ok := k.items[service+user]
	if !ok {
		return "", vault.ErrNotFound
	}
	return value, nil
}

func (k *keyringInMemory) Set(_ context.Context, service, user, value string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.items[service+user] = value
	return nil
}

func (k *keyringInMemory) Delete(_ context.Context, service, user string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.items, service+user)
	return nil
}

func openSealed(t *testing.T, dir string, keyring Keyring) *Store {
	t.Helper()
	s, err := OpenWith(t.Context(), dir, keyring, "")
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	return s
}

const planted = "planted-secret-value"

// found names the files of a directory that hold a text.
func found(t *testing.T, dir, text string) (names []string) {
	t.Helper()
	must(t, filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(text)) {
			names = append(names, path)
		}
		return err
	}))
	return names
}

func secretServer(id string) Server {
	return Server{
		ID: id, Name: id, Transport: TransportAuto, URL: "https://example.com/" + id,
		Headers: []Variable{
			{Name: "X-Key", Secret: true, Hidden: vault.NewSecret(planted + "-1")},
			{Name: "X-Key", Secret: true, Hidden: vault.NewSecret(planted + "-2")},
			{Name: "X-Open", Value: "open"},
		},
		Env:      []Variable{{Name: "TOKEN", Secret: true, Hidden: vault.NewSecret(planted + "-3")}},
		ClientID: "c",
		SignIn:   SignInConfig{ClientSecret: vault.NewSecret(planted + "-4"), PrivateKey: vault.NewSecret(planted + "-5"), Scopes: []string{"a"}},
	}
}

func values(s Server) (out []string) {
	for _, list := range [][]Variable{s.Headers, s.Env} {
		for _, v := range list {
			out = append(out, v.Value+v.Hidden.Reveal())
		}
	}
	return append(out, s.SignIn.ClientSecret.Reveal(), s.SignIn.PrivateKey.Reveal())
}

func TestSecretsOfAServerAreSealedAndComeBack(t *testing.T) {
	dir, keyring := t.TempDir(), &keyringInMemory{items: map[string]string{}}
	s := openSealed(t, dir, keyring)
	must(t, s.PutServer(t.Context(), secretServer("a")))
	again := openSealed(t, dir, keyring)
	row, err := again.Server(t.Context(), "a")
	must(t, err)
	if text := fmt.Sprintf("%+v %#v", row, secretServer("a")); strings.Contains(text, planted) || strings.Join(values(row), "") != "open" {
		t.Errorf("%s", text)
	}
	if !row.SignIn.HasSecret || !row.SignIn.HasKey || row.SignIn.Scopes[0] != "a" {
		t.Errorf("%+v", row.SignIn)
	}
	revealed, err := again.Reveal(t.Context(), row)
	must(t, err)
	if got := strings.Join(values(revealed), ","); got != planted+"-1,"+planted+"-2,open,"+planted+"-3,"+planted+"-4,"+planted+"-5" {
		t.Errorf("%s", got)
	}
	if files := found(t, dir, planted); files != nil {
		t.Errorf("in the clear in %v", files)
	}
}

func TestEditKeepsChangesAndDropsSecrets(t *testing.T) {
	s := openSealed(t, t.TempDir(), &keyringInMemory{items: map[string]string{}})
	must(t, s.PutServer(t.Context(), secretServer("a")))
	row, err := s.Server(t.Context(), "a")
	must(t, err)
	dropped := row.Headers[0].Ref
	row.Headers = []Variable{row.Headers[1], {Name: "New", Secret: true, Hidden: vault.NewSecret("new")}}
	row.Headers[0].Name = "Renamed"
	row.Env[0].Hidden = vault.NewSecret("changed")
	row.SignIn.HasKey = false
	must(t, s.PutServer(t.Context(), row))
	row, err = s.Server(t.Context(), "a")
	must(t, err)
	revealed, err := s.Reveal(t.Context(), row)
	must(t, err)
	if got := strings.Join(values(revealed), ","); got != planted+"-2,new,changed,"+planted+"-4," {
		t.Errorf("%s", got)
	}
	if _, err := s.vault.Get(t.Context(), headerID("a", dropped)); !errors.Is(err, vault.ErrNoSecret) {
		t.Errorf("%v", err)
	}
	other := Server{ID: "b", Headers: []Variable{row.Headers[0]}}
	if err := s.PutServer(t.Context(), other); err == nil {
		t.Error("a server took another's secret")
	}
}

func TestRemovedServerLeavesNoSecret(t *testing.T) {
	s := openSealed(t, t.TempDir(), &keyringInMemory{items: map[string]string{}})
	must(t, s.PutServer(t.Context(), secretServer("a")))
	_, err := s.PutGrant(t.Context(), Grant{ServerID: "a", Issuer: "i", AccessToken: vault.NewSecret("x")})
	must(t, err)
	must(t, s.PutRegistration(t.Context(), Registration{Issuer: "i", ServerID: "a", ClientID: "c", ClientSecret: vault.NewSecret("x")}))
	must(t, s.PutSignIn(t.Context(), SignIn{ServerID: "a"}))
	must(t, s.DeleteServer(t.Context(), "a"))
	for _, table := range []string{"secrets", "oauth_grants", "oauth_registrations", "sign_ins"} {
		var n int
		must(t, s.db.Read.QueryRowContext(t.Context(), `SELECT count(*) FROM `+table).Scan(&n))
		if n != 0 {
			t.Errorf("%d rows in %s", n, table)
		}
	}
}

func TestSecretsOfASessionAreMissedAfterIt(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	must(t, s.PutServer(t.Context(), secretServer("a")))
	row, err := s.Server(t.Context(), "a")
	must(t, err)
	if _, err := s.Reveal(t.Context(), row); err != nil {
		t.Error(err)
	}
	if _, err := openStore(t, dir).Reveal(t.Context(), row); !errors.Is(err, vault.ErrNoSecret) || !strings.Contains(err.Error(), "X-Key") {
		t.Errorf("%v", err)
	}
	if files := found(t, dir, planted); files != nil {
		t.Errorf("in the clear in %v", files)
	}
}

// Files of the version before the vault hold secret values in the clear.
func TestPlainSecretsOfAnEarlierVersionAreSealedAndWiped(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	must(t, s.PutServer(t.Context(), Server{ID: "a"}))
	_, err := s.db.Write.ExecContext(t.Context(), `UPDATE servers SET headers = ? WHERE id = 'a'`,
		`[{"name":"X-Key","value":"`+planted+`","secret":true}]`)
	must(t, err)
	// Without a keyring they are not lost.
	row, err := s.Server(t.Context(), "a")
	must(t, err)
	row.Name = "renamed"
	must(t, s.PutServer(t.Context(), row))
	revealed, err := s.Reveal(t.Context(), row)
	if err != nil || revealed.Headers[0].Hidden.Reveal() != planted {
		t.Errorf("%v", err)
	}
	must(t, s.Close())
	keyring := &keyringInMemory{items: map[string]string{}}
	sealed, err := OpenWith(t.Context(), dir, keyring, "")
	must(t, err)
	if _, err := sealed.Vault().Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	if files := found(t, dir, planted); files != nil {
		t.Errorf("still in the clear in %v", files)
	}
	row, err = sealed.Server(t.Context(), "a")
	must(t, err)
	revealed, err = sealed.Reveal(t.Context(), row)
	if err != nil || revealed.Headers[0].Hidden.Reveal() != planted || row.Name != "renamed" {
		t.Errorf("%+v, %v", row, err)
	}
	must(t, sealed.Close())
}

func TestGrants(t *testing.T) {
	dir, keyring := t.TempDir(), &keyringInMemory{items: map[string]string{}}
	s := openSealed(t, dir, keyring)
	must(t, s.PutServer(t.Context(), Server{ID: "a"}))
	if _, err := s.Grant(t.Context(), "a"); !errors.Is(err, ErrNotFound) {
		t.Errorf("%v", err)
	}
	grant := Grant{
		ServerID: "a", Issuer: "https://as", Resource: "r", TokenEndpoint: "t", RevocationEndpoint: "v", Redirect: RedirectScheme,
		Registration:    Registration{Issuer: "https://as", ClientID: "c", AuthMethod: "none", ClientSecret: vault.NewSecret(planted + "-c")},
		ScopesRequested: []string{"a"}, ScopesGranted: []string{"b"}, ExpiresAt: time.Unix(1e9, 0).UTC(),
		AccessToken: vault.NewSecret(planted + "-a"), RefreshToken: vault.NewSecret(planted + "-r"),
	}
	first, err := s.PutGrant(t.Context(), grant)
	must(t, err)
	got, err := openSealed(t, dir, keyring).Grant(t.Context(), "a")
	must(t, err)
	if !got.AccessToken.Equal(grant.AccessToken) || !got.RefreshToken.Equal(grant.RefreshToken) || !got.Kept ||
		!got.Registration.ClientSecret.Equal(grant.Registration.ClientSecret) || got.Generation != first.Generation ||
		!got.ExpiresAt.Equal(grant.ExpiresAt) || got.ScopesGranted[0] != "b" || got.Registration.ClientID != "c" {
		t.Errorf("%+v", got)
	}
	if _, err := s.PutGrant(t.Context(), grant); !errors.Is(err, ErrConflict) {
		t.Errorf("an insert over a grant: %v", err)
	}
	second, err := s.PutGrant(t.Context(), first)
	must(t, err)
	if _, err := s.PutGrant(t.Context(), first); !errors.Is(err, ErrConflict) || second.Generation <= first.Generation {
		t.Errorf("a stale write: %v", err)
	}
	must(t, s.DeleteGrant(t.Context(), "a"))
	must(t, s.DeleteGrant(t.Context(), "a"))
	third, err := s.PutGrant(t.Context(), grant)
	must(t, err)
	if third.Generation <= second.Generation {
		t.Error("a new grant looks like the old one")
	}
	if files := found(t, dir, planted); files != nil {
		t.Errorf("in the clear in %v", files)
	}
	// A grant whose row was given to another issuer does not open.
	_, err = s.db.Write.ExecContext(t.Context(), `UPDATE secrets SET issuer = 'https://evil' WHERE kind = 'grant'`)
	must(t, err)
	_, err = s.db.Write.ExecContext(t.Context(), `UPDATE oauth_grants SET issuer = 'https://evil'`)
	must(t, err)
	if _, err := s.Grant(t.Context(), "a"); err == nil {
		t.Error("a grant moved to another issuer")
	}
}

func TestRegistrationsAndNotes(t *testing.T) {
	dir, keyring := t.TempDir(), &keyringInMemory{items: map[string]string{}}
	s := openSealed(t, dir, keyring)
	for _, r := range []Registration{
		{Issuer: "i", Redirect: RedirectLoopback, ClientID: "shared", ClientSecret: vault.NewSecret(planted), SecretExpiresAt: time.Unix(2e9, 0)},
		{Issuer: "i", Redirect: RedirectLoopback, ServerID: "a", ClientID: "own"},
		{Issuer: "j", Redirect: RedirectLoopback, ClientID: "elsewhere"},
	} {
		must(t, s.PutRegistration(t.Context(), r))
	}
	got, err := s.Registrations(t.Context(), "i", "a")
	if err != nil || len(got) != 2 || got[0].ClientID != "own" || got[1].ClientSecret.Reveal() != planted {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := s.Registrations(t.Context(), "i", "b"); err != nil || len(got) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	stale := got[1]
	stale.ClientID = "of before another process registered anew"
	must(t, s.DeleteRegistration(t.Context(), stale))
	if left, err := s.Registrations(t.Context(), "i", "b"); err != nil || len(left) != 1 || left[0].ClientSecret.Reveal() != planted {
		t.Errorf("a newer registration was deleted in place of a stale one: %+v, %v", left, err)
	}
	must(t, s.DeleteRegistration(t.Context(), got[1]))
	if got, err := s.Registrations(t.Context(), "i", "b"); err != nil || len(got) != 0 {
		t.Errorf("%+v, %v", got, err)
	}
	note := IssuerNote{Issuer: "i", Redirect: RedirectScheme, Refused: []RedirectKind{RedirectLocalhost}, RefreshWithoutResource: true}
	must(t, s.PutIssuerNote(t.Context(), note))
	if back, err := s.IssuerNote(t.Context(), "i"); err != nil || fmt.Sprint(back) != fmt.Sprint(note) {
		t.Errorf("%+v, %v", back, err)
	}
	if back, err := s.IssuerNote(t.Context(), "x"); err != nil || back.Issuer != "x" {
		t.Errorf("%+v, %v", back, err)
	}
}

func TestLeases(t *testing.T) {
	dir := t.TempDir()
	s, other := openStore(t, dir), openStore(t, dir)
	first, err := s.Lease(t.Context(), "l", time.Minute)
	if err != nil || first.Abandoned {
		t.Fatalf("%+v, %v", first, err)
	}
	short, cancel := context.WithTimeout(t.Context(), 120*time.Millisecond)
	defer cancel()
	if _, err := other.Lease(short, "l", time.Minute); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	must(t, first.Release(t.Context()))
	second, err := other.Lease(t.Context(), "l", time.Minute)
	if err != nil || second.Abandoned {
		t.Errorf("%+v, %v", second, err)
	}
	must(t, first.Release(t.Context())) // too late, and not its own any more
	if _, err := s.Lease(short, "l", time.Minute); err == nil {
		t.Error("a lease was given back by one who had lost it")
	}
	must(t, second.Release(t.Context()))
	ran, err := s.Lease(t.Context(), "out", time.Millisecond)
	must(t, err)
	time.Sleep(5 * time.Millisecond)
	if over, err := other.Lease(t.Context(), "out", time.Minute); err != nil || !over.Abandoned {
		t.Errorf("%+v, %v", over, err)
	}
	must(t, ran.Release(t.Context()))
	// The holder's run ends without giving it back.
	third, err := OpenWith(t.Context(), dir, nil, "")
	must(t, err)
	_, err = third.Lease(t.Context(), "dead", time.Hour)
	must(t, err)
	must(t, third.Close())
	if over, err := s.Lease(t.Context(), "dead", time.Minute); err != nil || !over.Abandoned {
		t.Errorf("%+v, %v", over, err)
	}
}

func TestCommandHash(t *testing.T) {
	base := Server{Command: "node", Args: []string{"a b", "c"}, Cwd: "/x", Env: []Variable{{Name: "K", Value: "v"}, {Name: "S", Secret: true, Ref: "1"}}}
	for name, change := range map[string]func(*Server){
		"command":          func(s *Server) { s.Command = "bash" },
		"an argument":      func(s *Server) { s.Args = []string{"a", "b c"} },
		"fewer arguments":  func(s *Server) { s.Args = []string{"a b"} },
		"directory":        func(s *Server) { s.Cwd = "/y" },
		"a variable":       func(s *Server) { s.Env = []Variable{{Name: "K", Value: "w"}, s.Env[1]} },
		"a variable more":  func(s *Server) { s.Env = append([]Variable{{Name: "LD_PRELOAD", Value: "x"}}, s.Env...) },
		"argument to name": func(s *Server) { s.Command, s.Args = "node a b", []string{"c"} },
	} {
		other := base
		change(&other)
		if CommandHash(other) == CommandHash(base) {
			t.Errorf("%s changes nothing", name)
		}
	}
	same := base
	same.Env = []Variable{base.Env[0], {Name: "S", Secret: true, Ref: "2", Hidden: vault.NewSecret("x")}}
	if CommandHash(same) != CommandHash(base) {
		t.Error("a secret value is in the hash")
	}
	imported := base
	imported.Source = SourceImport
	if base.NeedsReview() || !imported.NeedsReview() {
		t.Error("who needs review")
	}
	imported.Approved = CommandHash(imported)
	if imported.NeedsReview() {
		t.Error("an approved one still needs review")
	}
	imported.Args = append(imported.Args, "--evil") // CVE-2025-54136
	if !imported.NeedsReview() {
		t.Error("a changed command keeps its approval")
	}
}

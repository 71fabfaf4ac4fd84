package vault

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"go.uber.org/goleak"

	"jackfield/backend/store/database"
)

func TestMain(m *testing.M) {
	if os.Getenv(helperMode) != "" {
		os.Exit(helper())
	}
	goleak.VerifyTestMain(m)
}

// fakeKeyring is one that the tests can break.
type fakeKeyring struct {
	mu     sync.Mutex
	items  map[string]string
	err    error // of everything
	setErr error // of Set
	lies   bool  // gives back something else
	hangs  bool  // answers when the caller gives up
	sets   int
}

func newKeyring() *fakeKeyring { return &fakeKeyring{items: map[string]string{}} }

func (k *fakeKeyring) wait(ctx context.Context) error {
	k.mu.Lock()
	hangs, err := k.hangs, k.err
	k.mu.Unlock()
	if hangs {
		<-ctx.Done()
		return errors.New("the keyring did not answer")
	}
	return err
}

func (k *fakeKeyring) Get(ctx context.Context, service, user string) (string, error) {
	if err := k.wait(ctx); err != nil {
		return "", err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	value, ok := k.items[service+user]
	if !ok {
		return "", ErrNotFound
	}
	if k.lies {
		return encodeKey(newKey()), nil
	}
	return value, nil
}

func (k *fakeKeyring) Set(ctx context.Context, service, user, value string) error {
	if err := errors.Join(k.wait(ctx), k.setErr); err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.sets++
	k.items[service+user] = value
	return nil
}

func (k *fakeKeyring) Delete(ctx context.Context, service, user string) error {
	if err := k.wait(ctx); err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, ok := k.items[service+user]; !ok {
		return ErrNotFound
	}
	delete(k.items, service+user)
	return nil
}

const tables = `-- +goose Up
CREATE TABLE vault (id INTEGER PRIMARY KEY CHECK (id = 1), uuid TEXT NOT NULL, mode TEXT NOT NULL, key_version INTEGER NOT NULL, canary BLOB) STRICT;
CREATE TABLE secrets (kind TEXT NOT NULL, server_id TEXT NOT NULL, issuer TEXT NOT NULL, ref TEXT NOT NULL, key_version INTEGER NOT NULL,
	sealed BLOB NOT NULL, PRIMARY KEY (kind, server_id, issuer, ref)) STRICT;
`

func openAt(t *testing.T, dir string, keyring Keyring, limit time.Duration) *Vault {
	t.Helper()
	db, err := database.Open(t.Context(), filepath.Join(dir, "test.db"), fstest.MapFS{"00001_create.sql": {Data: []byte(tables)}}, nil)
	must(t, err)
	v, err := New(t.Context(), Options{DB: db, Dir: dir, Keyring: keyring, Limit: limit})
	must(t, err)
	t.Cleanup(func() { must(t, errors.Join(v.Close(), db.Close())) })
	return v
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func state(t *testing.T, v *Vault) State {
	t.Helper()
	status, err := v.Open(t.Context())
	must(t, err)
	if status.Detail == "" {
		t.Errorf("%s has no sentence", status.State)
	}
	return status.State
}

func want(t *testing.T, v *Vault, id ID, value string) {
	t.Helper()
	got, err := v.Get(t.Context(), id)
	if err != nil || got.Reveal() != value {
		t.Errorf("%+v: %v, right: %v", id, err, got.Reveal() == value)
	}
}

var (
	one = ID{Kind: "header", ServerID: "a", Ref: "1"}
	two = ID{Kind: "grant", ServerID: "b", Issuer: "https://as", Ref: "1"}
)

func TestSecretNeverPrints(t *testing.T) {
	secret := NewSecret("planted-value")
	holder := struct {
		S    Secret
		P    *Secret
		List []Secret
		// Package fmt calls no method of what is in an unexported field.
		hidden Secret
		within struct{ s Secret }
		byName map[string]Secret
	}{secret, &secret, []Secret{secret}, secret, struct{ s Secret }{secret}, map[string]Secret{"a": secret}}
	var out bytes.Buffer
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%T"} {
		fmt.Fprintf(&out, format+"\n", secret)
		fmt.Fprintf(&out, format+"\n", holder)
		fmt.Fprintf(&out, format+"\n", &holder)
	}
	text, err := json.Marshal(holder)
	must(t, err)
	out.Write(text)
	slog.New(slog.NewJSONHandler(&out, nil)).Info("x", "secret", secret, "holder", holder)
	slog.New(slog.NewTextHandler(&out, nil)).Info("x", "secret", secret, "holder", holder)
	fmt.Fprint(&out, errors.New(fmt.Sprint(secret)), map[Secret]Secret{secret: secret})
	if hex := fmt.Sprintf("%x", "planted-value"); strings.Contains(out.String(), "planted") || strings.Contains(strings.ToLower(out.String()), hex) {
		t.Errorf("it prints: %s", out.String())
	}
}

func TestDecide(t *testing.T) {
	for _, c := range []struct {
		name   string
		f      facts
		action action
		state  State
	}{
		{"key and canary fit", facts{answer: found, hasKey: true, canary: true, sealed: 3}, use, Open},
		{"key and canary do not fit", facts{answer: found, hasKey: true, sealed: 3}, stay, Mismatch},
		{"wrong key, nothing sealed", facts{answer: found, hasKey: true}, stay, Mismatch},
		{"a key without a canary, nothing sealed", facts{answer: found}, adopt, Open},
		{"a key without a canary, rows", facts{answer: found, sealed: 1}, stay, Mismatch},
		{"no key, nothing sealed", facts{answer: notFound}, generate, Open},
		{"no key, nothing sealed, one was made before", facts{answer: notFound, hasKey: true}, generate, Open},
		{"no key, rows", facts{answer: notFound, hasKey: true, sealed: 1}, stay, KeyMissing},
		{"failure, rows", facts{answer: failed, hasKey: true, sealed: 1, problem: "x"}, stay, Unavailable},
		{"failure, nothing sealed", facts{answer: failed, problem: "x"}, stay, Session},
		{"no keyring, rows", facts{sealed: 1, problem: "x"}, stay, Unavailable},
		{"no keyring, nothing sealed", facts{problem: "x"}, stay, Session},
	} {
		action, status := decide(c.f)
		if action != c.action || status.State != c.state || status.Detail == "" || (status.State != Open) != (status.Hint != "") {
			t.Errorf("%s: %d %+v", c.name, action, status)
		}
	}
}

func TestSecretsOutliveTheProcess(t *testing.T) {
	dir, keyring := t.TempDir(), newKeyring()
	v := openAt(t, dir, keyring, 0)
	if got := state(t, v); got != Open {
		t.Fatalf("%s", got)
	}
	must(t, v.Put(t.Context(), nil, one, NewSecret("first")))
	must(t, v.Put(t.Context(), nil, two, NewSecret("second")))
	must(t, v.Put(t.Context(), nil, one, NewSecret("changed")))
	again := openAt(t, dir, keyring, 0)
	want(t, again, one, "changed")
	want(t, again, two, "second")
	if keyring.sets != 1 {
		t.Errorf("%d keys were made", keyring.sets)
	}
	for _, name := range []string{"test.db", "test.db-wal"} {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err == nil && (bytes.Contains(text, []byte("second")) || bytes.Contains(text, []byte("changed"))) {
			t.Errorf("%s holds a secret", name)
		}
	}
	must(t, again.Delete(t.Context(), nil, one))
	if _, err := again.Get(t.Context(), one); !errors.Is(err, ErrNoSecret) {
		t.Errorf("%v", err)
	}
}

func TestRowsCannotBeSwapped(t *testing.T) {
	v := openAt(t, t.TempDir(), newKeyring(), 0)
	state(t, v)
	others := []ID{
		{Kind: "grant", ServerID: "c", Issuer: "https://as", Ref: "1"},
		{Kind: "grant", ServerID: "b", Issuer: "https://other", Ref: "1"},
		{Kind: "header", ServerID: "b", Issuer: "https://as", Ref: "1"},
		{Kind: "grant", ServerID: "b", Issuer: "https://as", Ref: "2"},
		{Kind: "grantb", ServerID: "", Issuer: "https://as", Ref: "1"},
	}
	must(t, v.Put(t.Context(), nil, two, NewSecret("hers")))
	for _, other := range others {
		if _, err := v.options.DB.Write.ExecContext(t.Context(), `INSERT INTO secrets SELECT ?, ?, ?, ?, key_version, sealed FROM secrets WHERE kind = 'grant' AND server_id = 'b' AND issuer = 'https://as' AND ref = '1'`,
			other.Kind, other.ServerID, other.Issuer, other.Ref); err != nil {
			t.Fatal(err)
		}
		if got, err := v.Get(t.Context(), other); !errors.Is(err, errSealBroken) {
			t.Errorf("%+v: %v %v", other, got, err)
		}
	}
	want(t, v, two, "hers")
}

func TestReadBackMismatchIsNoVault(t *testing.T) {
	keyring := newKeyring()
	keyring.lies = true
	v := openAt(t, t.TempDir(), keyring, 0)
	if got := state(t, v); got != Session {
		t.Fatalf("%s", got)
	}
}

func TestWithoutAKeyringSecretsLastForTheRun(t *testing.T) {
	dir := t.TempDir()
	v := openAt(t, dir, nil, 0)
	if got := state(t, v); got != Session || v.Status().Keeps() {
		t.Fatalf("%s", got)
	}
	must(t, v.Put(t.Context(), nil, one, NewSecret("s")))
	want(t, v, one, "s")
	if _, err := openAt(t, dir, nil, 0).Get(t.Context(), one); !errors.Is(err, ErrNoSecret) {
		t.Errorf("%v", err)
	}
}

// Every way in which the key cannot be had leaves the rows as they are, and a later try opens them.
func TestNothingIsLostWithoutTheKey(t *testing.T) {
	for name, c := range map[string]struct {
		spoil  func(*fakeKeyring)
		mend   func(*fakeKeyring, map[string]string)
		state  State
		nobody bool
	}{
		"locked":  {func(k *fakeKeyring) { k.err = errors.New("failed to unlock") }, func(k *fakeKeyring, _ map[string]string) { k.err = nil }, Unavailable, false},
		"hanging": {func(k *fakeKeyring) { k.hangs = true }, func(k *fakeKeyring, _ map[string]string) { k.hangs = false }, Unavailable, false},
		"missing": {func(k *fakeKeyring) { clear(k.items) }, func(k *fakeKeyring, kept map[string]string) {
			for user, value := range kept {
				k.items[user] = value
			}
		}, KeyMissing, false},
		"wrong": {func(k *fakeKeyring) { k.lies = true }, func(k *fakeKeyring, _ map[string]string) { k.lies = false }, Mismatch, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir, keyring := t.TempDir(), newKeyring()
			first := openAt(t, dir, keyring, 0)
			state(t, first)
			must(t, first.Put(t.Context(), nil, one, NewSecret("kept")))
			kept := map[string]string{}
			for user, value := range keyring.items {
				kept[user] = value
			}
			keyring.mu.Lock()
			c.spoil(keyring)
			keyring.mu.Unlock()
			v := openAt(t, dir, keyring, 50*time.Millisecond)
			var told []State
			defer v.Subscribe(func(s Status) { told = append(told, s.State) })()
			if got := state(t, v); got != c.state {
				t.Fatalf("%s", got)
			}
			var sealed *SealedError
			if _, err := v.Get(t.Context(), one); !errors.As(err, &sealed) || sealed.Error() == "" {
				t.Errorf("%v", err)
			}
			must(t, v.Put(t.Context(), nil, two, NewSecret("of this run")))
			want(t, v, two, "of this run")
			keyring.mu.Lock()
			c.mend(keyring, kept)
			keyring.mu.Unlock()
			status, err := v.Retry(t.Context())
			if err != nil || status.State != Open {
				t.Fatalf("%+v, %v", status, err)
			}
			want(t, v, one, "kept")
			want(t, openAt(t, dir, keyring, 0), two, "of this run") // sealed now
			if len(told) != 2 {
				t.Errorf("told %v", told)
			}
		})
	}
}

func TestForgetIsTheOnlyWayToLoseSomething(t *testing.T) {
	dir, keyring := t.TempDir(), newKeyring()
	first := openAt(t, dir, keyring, 0)
	state(t, first)
	must(t, first.Put(t.Context(), nil, one, NewSecret("gone")))
	old := map[string]string{}
	for user, value := range keyring.items {
		old[user] = value
	}
	keyring.lies = true
	v := openAt(t, dir, keyring, 0)
	if got := state(t, v); got != Mismatch {
		t.Fatalf("%s", got)
	}
	keyring.lies = false
	must(t, v.Forget(t.Context()))
	if got := v.Status().State; got != Open {
		t.Fatalf("%s", got)
	}
	if _, err := v.Get(t.Context(), one); !errors.Is(err, ErrNoSecret) {
		t.Errorf("%v", err)
	}
	for user, value := range old {
		if keyring.items[user] != value {
			t.Error("an item of the keyring was overwritten")
		}
	}
}

func TestRotation(t *testing.T) {
	dir, keyring := t.TempDir(), newKeyring()
	v, other := openAt(t, dir, keyring, 0), openAt(t, dir, keyring, 0)
	state(t, v)
	state(t, other)
	must(t, v.Put(t.Context(), nil, one, NewSecret("1")))
	must(t, v.Rotate(t.Context()))
	want(t, v, one, "1")
	want(t, other, one, "1") // a second process follows
	must(t, other.Current(t.Context()))
	must(t, other.Put(t.Context(), nil, two, NewSecret("2")))
	want(t, openAt(t, dir, keyring, 0), two, "2")
	if len(keyring.items) != 1 {
		t.Errorf("%d keys are in the keyring", len(keyring.items))
	}
	// A process that has not noticed yet does not seal with the old key.
	must(t, v.Rotate(t.Context()))
	if err := other.Put(t.Context(), nil, two, NewSecret("3")); err == nil {
		t.Error("sealed with a key that was replaced")
	}
}

func TestRotationStopsAtARowThatCannotBeRead(t *testing.T) {
	v := openAt(t, t.TempDir(), newKeyring(), 0)
	state(t, v)
	must(t, v.Put(t.Context(), nil, one, NewSecret("1")))
	must(t, v.Put(t.Context(), nil, two, NewSecret("2")))
	_, err := v.options.DB.Write.ExecContext(t.Context(), `UPDATE secrets SET sealed = x'00112233445566778899aabbccddeeff00112233445566778899' WHERE kind = 'grant'`)
	must(t, err)
	if err := v.Rotate(t.Context()); !errors.Is(err, errSealBroken) {
		t.Errorf("%v", err)
	}
	want(t, v, one, "1")
}

func TestPassphrase(t *testing.T) {
	dir := t.TempDir()
	v := openAt(t, dir, nil, 0)
	state(t, v)
	must(t, v.Put(t.Context(), nil, one, NewSecret("of this run")))
	if err := v.UsePassphrase(t.Context(), NewSecret("short")); err == nil {
		t.Error("a short passphrase was taken")
	}
	must(t, v.UsePassphrase(t.Context(), NewSecret("correct horse")))
	if s := v.Status(); s.State != Open || s.Mode != ModePassphrase {
		t.Fatalf("%+v", s)
	}
	if info, err := os.Stat(filepath.Join(dir, keyFileName)); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	again := openAt(t, dir, nil, 0)
	if got := state(t, again); got != Locked {
		t.Fatalf("%s", got)
	}
	if err := again.Unlock(t.Context(), NewSecret("wrong horse")); !errors.Is(err, ErrPassphrase) {
		t.Errorf("%v", err)
	}
	must(t, again.Unlock(t.Context(), NewSecret("correct horse")))
	want(t, again, one, "of this run")
	must(t, again.Rotate(t.Context()))
	want(t, v, one, "of this run") // follows with the passphrase that it knows
	keyring := newKeyring()
	third := openAt(t, dir, keyring, 0)
	must(t, third.Unlock(t.Context(), NewSecret("correct horse")))
	must(t, third.UseKeyring(t.Context()))
	if _, err := os.Stat(filepath.Join(dir, keyFileName)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
	want(t, openAt(t, dir, keyring, 0), one, "of this run")
	must(t, third.UsePassphrase(t.Context(), NewSecret("another horse")))
	if len(keyring.items) != 0 {
		t.Error("the key is still in the keyring")
	}
}

// Two processes that open a new vault at once end with one key.
func TestFirstOpeningAtTheSameTimeMakesOneKey(t *testing.T) {
	dir, keyring := t.TempDir(), newKeyring()
	var all sync.WaitGroup
	vaults := make([]*Vault, 6)
	for i := range vaults {
		vaults[i] = openAt(t, dir, keyring, 0)
	}
	for i, v := range vaults {
		all.Go(func() {
			if _, err := v.Open(t.Context()); err != nil {
				t.Error(err)
			}
			if err := v.Put(t.Context(), nil, ID{Kind: "k", Ref: fmt.Sprint(i)}, NewSecret("x")); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for i := range vaults {
		want(t, vaults[0], ID{Kind: "k", Ref: fmt.Sprint(i)}, "x")
	}
	if keyring.sets != 1 {
		t.Errorf("%d keys", keyring.sets)
	}
}

func TestPutInATransactionThatIsRolledBack(t *testing.T) {
	v := openAt(t, t.TempDir(), newKeyring(), 0)
	state(t, v)
	tx, err := v.options.DB.Write.BeginTx(t.Context(), nil)
	must(t, err)
	must(t, v.Put(t.Context(), tx, one, NewSecret("1")))
	must(t, tx.Rollback())
	if _, err := v.Get(t.Context(), one); !errors.Is(err, ErrNoSecret) {
		t.Errorf("%v", err)
	}
	var _ Tx = (*sql.Tx)(nil)
}

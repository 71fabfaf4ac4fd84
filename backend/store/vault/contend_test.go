package vault

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// busyKeyring lets something else happen while a key is given to it.
type busyKeyring struct {
	*fakeKeyring
	during func()
}

func (k *busyKeyring) Set(ctx context.Context, service, user, value string) error {
	if k.during != nil {
		k.during()
	}
	return k.fakeKeyring.Set(ctx, service, user, value)
}

// Two processes that rotate at once: the second waited for the lock with the version of before in mind, and gave its own key the name of
// the first one's.
func TestTwoRotationsAtOnceLoseNothing(t *testing.T) {
	dir, keyring := t.TempDir(), &busyKeyring{fakeKeyring: newKeyring()}
	v, other := openAt(t, dir, keyring, 0), openAt(t, dir, keyring.fakeKeyring, 0)
	state(t, v)
	state(t, other)
	must(t, v.Put(t.Context(), nil, one, NewSecret("1")))
	second := make(chan error, 1)
	keyring.during = sync.OnceFunc(func() {
		go func() { second <- other.Rotate(t.Context()) }()
		time.Sleep(200 * time.Millisecond) // it waits for the lock by now
	})
	must(t, v.Rotate(t.Context()))
	must(t, <-second)
	want(t, openAt(t, dir, keyring.fakeKeyring, 0), one, "1")
	if n := len(keyring.items); n != 1 {
		t.Errorf("%d keys are in the keyring", n)
	}
}

// A passphrase is set, changed, rotated under and given up by several processes at once, in whatever order they get the lock. What one of
// them cannot do any more it says, and the secrets can be read in the end.
func TestMovingTheKeyByTwoProcessesAtOnceLosesNothing(t *testing.T) {
	phrase := NewSecret("correct horse")
	for range 4 {
		dir, keyring := t.TempDir(), newKeyring()
		first := openAt(t, dir, keyring, 0)
		state(t, first)
		must(t, first.Put(t.Context(), nil, one, NewSecret("1")))
		must(t, first.UsePassphrase(t.Context(), phrase))
		var all sync.WaitGroup
		unlock, err := first.lock(t.Context())
		must(t, err)
		for _, do := range []func(*Vault) error{
			func(v *Vault) error { return v.UseKeyring(t.Context()) },
			func(v *Vault) error { return v.Rotate(t.Context()) },
			func(v *Vault) error { return v.UsePassphrase(t.Context(), phrase) },
		} {
			v := openAt(t, dir, keyring, 0)
			must(t, v.Unlock(t.Context(), phrase))
			all.Go(func() {
				var sealed *SealedError
				if err := do(v); err != nil && !errors.Is(err, errMoved) && !errors.As(err, &sealed) {
					t.Errorf("%v", err)
				}
			})
		}
		time.Sleep(100 * time.Millisecond) // all of them wait for the lock
		unlock()
		all.Wait()
		last := openAt(t, dir, keyring, 0)
		if state(t, last) == Locked {
			must(t, last.Unlock(t.Context(), phrase))
		}
		want(t, last, one, "1")
	}
}

// Another process protects the key by a passphrase. This one, which has not noticed, must not move it back into the keyring by a rotation.
func TestRotationDoesNotUndoAPassphrase(t *testing.T) {
	dir, keyring := t.TempDir(), newKeyring()
	v, other := openAt(t, dir, keyring, 0), openAt(t, dir, keyring, 0)
	state(t, v)
	must(t, v.Put(t.Context(), nil, one, NewSecret("1")))
	state(t, other)
	must(t, v.UsePassphrase(t.Context(), NewSecret("correct horse")))
	if err := other.Rotate(t.Context()); !errors.Is(err, errMoved) {
		t.Errorf("%v", err)
	}
	if len(keyring.items) != 0 || other.Status().State != Locked {
		t.Errorf("%d keys are in the keyring, %+v", len(keyring.items), other.Status())
	}
}

// The passphrase is changed by another process. What this one would wrap by the earlier one nobody could unwrap after it has ended.
func TestRotationAfterAChangeOfThePassphrase(t *testing.T) {
	dir, before, after := t.TempDir(), NewSecret("correct horse"), NewSecret("another horse")
	v, other := openAt(t, dir, nil, 0), openAt(t, dir, nil, 0)
	state(t, v)
	must(t, v.UsePassphrase(t.Context(), before))
	must(t, v.Put(t.Context(), nil, one, NewSecret("1")))
	must(t, other.Unlock(t.Context(), before))
	must(t, v.UsePassphrase(t.Context(), after))
	if err := other.Rotate(t.Context()); !errors.Is(err, errMoved) || other.Status().State != Locked {
		t.Errorf("%v, %+v", err, other.Status())
	}
	must(t, other.Unlock(t.Context(), after))
	must(t, other.Rotate(t.Context()))
	last := openAt(t, dir, nil, 0)
	must(t, last.Unlock(t.Context(), after))
	want(t, last, one, "1")
}

// watchingKeyring looks at the data file, without its log, when a key is deleted.
type watchingKeyring struct {
	*fakeKeyring
	at func()
}

func (k *watchingKeyring) Delete(ctx context.Context, service, user string) error {
	k.at()
	return k.fakeKeyring.Delete(ctx, service, user)
}

// A commit that is in the log only may be taken back with the power. The key of before goes after the file itself can do without it.
func TestTheOldKeyGoesAfterTheFileHasTheNewOne(t *testing.T) {
	dir, keyring := t.TempDir(), &watchingKeyring{fakeKeyring: newKeyring()}
	v := openAt(t, dir, keyring, 0)
	state(t, v)
	must(t, v.Put(t.Context(), nil, one, NewSecret("1")))
	var seen []string
	keyring.at = func() {
		text, err := os.ReadFile(filepath.Join(dir, "test.db"))
		must(t, err)
		alone := filepath.Join(t.TempDir(), "alone.db")
		must(t, os.WriteFile(alone, text, 0o600))
		db, err := sql.Open("sqlite", alone)
		must(t, err)
		defer db.Close()
		var mode string
		var version int
		must(t, db.QueryRow(`SELECT mode, key_version FROM vault`).Scan(&mode, &version))
		seen = append(seen, fmt.Sprint(mode, " ", version))
	}
	must(t, v.Rotate(t.Context()))
	must(t, v.UsePassphrase(t.Context(), NewSecret("correct horse")))
	if got := strings.Join(seen, ", "); got != "keyring 2, passphrase 2" {
		t.Errorf("when a key was deleted the file said: %s", got)
	}
}

// A keyring that hangs after it gave the key once holds up neither a secret that another process sealed with a new key, nor a passphrase.
func TestAKeyringThatHangsLaterIsNotWaitedForForEver(t *testing.T) {
	dir, keyring := t.TempDir(), newKeyring()
	v, other := openAt(t, dir, keyring, 50*time.Millisecond), openAt(t, dir, keyring, 0)
	state(t, v)
	state(t, other)
	must(t, other.Rotate(t.Context()))
	must(t, other.Put(t.Context(), nil, one, NewSecret("1")))
	keyring.mu.Lock()
	keyring.hangs = true
	keyring.mu.Unlock()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if _, err := v.Get(ctx, one); err == nil || ctx.Err() != nil {
		t.Errorf("%v, %v", err, ctx.Err())
	}
	keyring.mu.Lock()
	keyring.hangs = false
	keyring.mu.Unlock()
	must(t, v.Current(ctx))
	keyring.mu.Lock()
	keyring.hangs = true
	keyring.mu.Unlock()
	if err := v.UsePassphrase(ctx, NewSecret("correct horse")); err == nil || ctx.Err() != nil {
		t.Errorf("%v, %v", err, ctx.Err())
	}
	want(t, v, one, "1")
}

// A value that waits in memory is sealed when the keyring opens. A newer one, put meanwhile, must not be overwritten by it.
func TestSealingWhatWaitedDoesNotUndoANewerValue(t *testing.T) {
	dir := t.TempDir()
	v := openAt(t, dir, newKeyring(), 0)
	state(t, v)
	v.mu.Lock()
	v.memory[one] = NewSecret("old")
	v.mu.Unlock()
	tx, err := v.options.DB.Write.BeginTx(t.Context(), nil) // promote has to wait for it
	must(t, err)
	promoted := make(chan error, 1)
	go func() { promoted <- v.promote(t.Context()) }()
	time.Sleep(100 * time.Millisecond)
	must(t, v.Put(t.Context(), tx, one, NewSecret("new")))
	must(t, tx.Commit())
	must(t, <-promoted)
	want(t, v, one, "new")
}

// What an attempt to open finds out is of no use once everything is forgotten, so it is waited for.
func TestForgettingWhileTheKeyringIsAsked(t *testing.T) {
	dir, keyring := t.TempDir(), newKeyring()
	v := openAt(t, dir, keyring, 0)
	state(t, v)
	must(t, v.Put(t.Context(), nil, one, NewSecret("1")))
	clear(keyring.items) // the key is gone
	slow := &slowKeyring{fakeKeyring: keyring, asked: make(chan struct{}), answer: make(chan struct{})}
	again := openAt(t, dir, slow, 0)
	go func() { _, _ = again.Open(t.Context()) }()
	<-slow.asked
	forgotten := make(chan error, 1)
	go func() { forgotten <- again.Forget(t.Context()) }()
	time.Sleep(100 * time.Millisecond)
	close(slow.answer)
	must(t, <-forgotten)
	if status := again.Status(); status.State != Open {
		t.Errorf("%+v", status)
	}
}

// slowKeyring answers its first question only when it is told to.
type slowKeyring struct {
	*fakeKeyring
	once          sync.Once
	asked, answer chan struct{}
}

func (k *slowKeyring) Get(ctx context.Context, service, user string) (string, error) {
	k.once.Do(func() {
		close(k.asked)
		<-k.answer
	})
	return k.fakeKeyring.Get(ctx, service, user)
}

package vault

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/uuid"

	"jackfield/backend/store/database"
)

// openLimit is how long the keyring may take: a locked one may be waiting for the person's password.
const openLimit = 30 * time.Second

// lockName of the file that lets one process at a time make or change the key.
const lockName = "vault.lock"

// Options of a Vault.
type Options struct {
	DB      *database.DB
	Dir     string                          // of the lock, and of the key that a passphrase wraps
	Keyring Keyring                         // nil: none, secrets last for this run
	Reason  string                          // why there is none, as part of a sentence
	Limit   time.Duration                   // for the keyring; 0: 30 s
	Opened  func(ctx context.Context) error // called each time the key has come, before who waits for it goes on; may be nil
}

// Vault is the one owner of the key.
type Vault struct {
	options Options
	ctx     context.Context // ends with Close
	cancel  context.CancelFunc
	work    sync.WaitGroup

	mu        sync.Mutex
	status    Status
	uuid      string
	version   int64            // of the key that seals
	keys      map[int64][]byte // by version
	wrapping  []byte           // derived from the passphrase; nil in mode keyring
	memory    map[ID]Secret    // what could not be sealed in this run
	asked     bool             // the keyring was asked
	opening   chan struct{}    // closed when the attempt under way is over; nil if there is none
	listeners map[int]func(Status)
	listened  int
}

// New reads what the file says about the vault and asks no keyring; Open does.
func New(ctx context.Context, o Options) (*Vault, error) {
	if o.Limit == 0 {
		o.Limit = openLimit
	}
	if o.Reason == "" {
		o.Reason = "no keyring is in use"
	}
	v := &Vault{options: o, keys: map[int64][]byte{}, memory: map[ID]Secret{}, listeners: map[int]func(Status){}}
	v.ctx, v.cancel = context.WithCancel(context.Background())
	if _, err := o.DB.Write.ExecContext(ctx, `INSERT OR IGNORE INTO vault (id, uuid, mode, key_version) VALUES (1, ?, ?, 0)`,
		uuid.NewString(), ModeKeyring); err != nil {
		return nil, fmt.Errorf("reading the vault: %w", err)
	}
	now, err := v.read(ctx, o.DB.Read)
	if err != nil {
		return nil, err
	}
	v.uuid = now.uuid
	v.status = Status{State: Opening, Mode: now.mode, Sealed: now.sealed, Detail: "The keyring is being asked for the key of the stored secrets."}
	if now.mode == ModePassphrase {
		v.status, v.asked = locked(now.sealed), true
	}
	return v, nil
}

// Close ends an attempt to open and waits for it.
func (v *Vault) Close() error {
	v.cancel()
	v.work.Wait()
	return nil
}

// Open asks the keyring, once; who comes second waits for the same answer. It returns when the state is not Opening any more.
func (v *Vault) Open(ctx context.Context) (Status, error) {
	v.mu.Lock()
	if v.asked {
		defer v.mu.Unlock()
		return v.status, nil
	}
	if v.opening == nil {
		v.opening = make(chan struct{})
		v.work.Add(1)
		go v.open(v.opening)
	}
	opening := v.opening
	v.mu.Unlock()
	select {
	case <-opening:
		return v.Status(), nil
	case <-ctx.Done():
		return v.Status(), context.Cause(ctx)
	}
}

func (v *Vault) open(done chan struct{}) {
	defer v.work.Done()
	ctx, cancel := context.WithTimeout(v.ctx, v.options.Limit)
	status, err := v.ask(ctx)
	cancel()
	if err != nil {
		status = Status{
			State: Unavailable, Mode: ModeKeyring, Detail: "The stored secrets could not be opened: " + err.Error() + ".",
			Hint: "Try again. What you enter meanwhile lasts for this run only.",
		}
	}
	if status.State == Open {
		if err := v.promote(v.ctx); err != nil {
			status.Hint = "Something of this run is not sealed yet: " + err.Error() + "."
		}
	}
	v.settle(status)
	v.mu.Lock()
	v.opening = nil
	v.mu.Unlock()
	close(done)
}

// settle makes a status the current one and tells who listens.
func (v *Vault) settle(status Status) {
	v.mu.Lock()
	v.asked = true
	v.status = status
	listeners := make([]func(Status), 0, len(v.listeners))
	for _, f := range v.listeners {
		listeners = append(listeners, f)
	}
	v.mu.Unlock()
	for _, f := range listeners {
		f(status)
	}
}

// ask asks the keyring and does what follows from its answer, with no other process doing the same.
func (v *Vault) ask(ctx context.Context) (Status, error) {
	unlock, err := v.lock(ctx)
	if err != nil {
		return Status{}, err
	}
	defer unlock()
	now, err := v.read(ctx, v.options.DB.Read)
	if err != nil {
		return Status{}, err
	}
	if now.mode == ModePassphrase {
		return locked(now.sealed), nil
	}
	f := facts{sealed: now.sealed, hasKey: now.canary != nil, problem: v.options.Reason}
	key, err := v.fetch(ctx, now.version)
	switch {
	case v.options.Keyring == nil:
	case errors.Is(err, ErrNotFound):
		f.answer = notFound
	case err != nil:
		f.answer, f.problem = failed, err.Error()
	default:
		f.answer, f.canary = found, now.opens(key)
	}
	action, status := decide(f)
	switch action {
	case stay:
		return status, nil
	case generate:
		// Under a name of its own: whatever an item of an earlier version holds is never overwritten.
		now.version++
		key = newKey()
		if err := v.entrust(ctx, now.version, key); err != nil {
			f.answer, f.problem = failed, err.Error()
			_, status = decide(f)
			return status, nil
		}
		fallthrough
	case adopt:
		now.version = max(now.version, 1)
		if err := v.write(ctx, v.options.DB.Write, now.version, ModeKeyring, key); err != nil {
			return Status{}, err
		}
	}
	v.hold(now.version, key, nil)
	return status, nil
}

// hold takes a key as the one that seals.
func (v *Vault) hold(version int64, key, wrapping []byte) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.version, v.wrapping = version, wrapping
	v.keys[version] = key
}

// fetch reads the key of a version from the keyring, which may hang: the callers' own contexts may have no end.
func (v *Vault) fetch(ctx context.Context, version int64) ([]byte, error) {
	if v.options.Keyring == nil {
		return nil, errors.New(v.options.Reason)
	}
	ctx, cancel := context.WithTimeout(ctx, v.options.Limit)
	defer cancel()
	text, err := v.options.Keyring.Get(ctx, service, item(v.uuid, max(version, 1)))
	if err != nil {
		return nil, err
	}
	return decodeKey(text)
}

// entrust gives a key to the keyring and makes sure that it comes back.
func (v *Vault) entrust(ctx context.Context, version int64, key []byte) error {
	if v.options.Keyring == nil {
		return errors.New(v.options.Reason)
	}
	ctx, cancel := context.WithTimeout(ctx, v.options.Limit)
	defer cancel()
	if err := v.options.Keyring.Set(ctx, service, item(v.uuid, version), encodeKey(key)); err != nil {
		return err
	}
	back, err := v.fetch(ctx, version)
	if err != nil {
		return fmt.Errorf("the keyring does not give back what it was given: %w", err)
	}
	if string(back) != string(key) {
		return errors.New("the keyring gives back something else than it was given")
	}
	return nil
}

// discard takes the key of a version out of the keyring.
func (v *Vault) discard(ctx context.Context, version int64) error {
	ctx, cancel := context.WithTimeout(ctx, v.options.Limit)
	defer cancel()
	return v.options.Keyring.Delete(ctx, service, item(v.uuid, version))
}

func (v *Vault) lock(ctx context.Context) (unlock func(), err error) {
	lock := flock.New(filepath.Join(v.options.Dir, lockName), flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, 50*time.Millisecond); err != nil {
		return nil, fmt.Errorf("another process is busy with the stored secrets: %w", err)
	}
	return func() { _ = lock.Unlock() }, nil
}

// Status is the state as of now.
func (v *Vault) Status() Status {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.status
}

// Subscribe calls f after every change of the status, without any lock held, until cancel is called.
func (v *Vault) Subscribe(f func(Status)) (cancel func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.listened++
	n := v.listened
	v.listeners[n] = f
	return func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		delete(v.listeners, n)
	}
}

// Retry asks the keyring again after Unavailable, Session, KeyMissing or Mismatch.
func (v *Vault) Retry(ctx context.Context) (Status, error) {
	v.mu.Lock()
	switch v.status.State {
	case Open, Locked, Opening:
	default:
		v.asked = false
	}
	v.mu.Unlock()
	return v.Open(ctx)
}

package vault

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
)

// keyFileName of the keys that a passphrase wraps.
const keyFileName = "vault.key"

// minPassphrase in characters.
const minPassphrase = 8

// ErrPassphrase says that a passphrase is not the right one.
var ErrPassphrase = errors.New("this is not the passphrase")

// keyFile holds the keys, wrapped by a key that argon2id (RFC 9106) derives from the passphrase. There is more than one while a rotation
// is under way.
type keyFile struct {
	Format  int               `json:"format"`
	Salt    []byte            `json:"salt"`
	Time    uint32            `json:"time"`
	Memory  uint32            `json:"memory"` // KiB
	Threads uint8             `json:"threads"`
	Keys    map[string][]byte `json:"keys"` // by version
}

func newKeyFile() *keyFile {
	file := &keyFile{Format: 1, Salt: make([]byte, 16), Time: 3, Memory: 64 << 10, Threads: 4, Keys: map[string][]byte{}}
	_, _ = rand.Read(file.Salt)
	return file
}

func readKeyFile(path string) (*keyFile, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the protected key: %w", err)
	}
	file := new(keyFile)
	if err := json.Unmarshal(text, file); err != nil {
		return nil, fmt.Errorf("reading the protected key: %w", err)
	}
	// Beyond these the file is damaged, and deriving would take all memory.
	if file.Format != 1 || file.Time == 0 || file.Time > 64 || file.Memory > 1<<20 || file.Threads == 0 {
		return nil, errors.New("reading the protected key: the file is damaged or of a newer version")
	}
	return file, nil
}

func (f *keyFile) derive(passphrase Secret) []byte {
	return argon2.IDKey([]byte(passphrase.Reveal()), f.Salt, f.Time, f.Memory, f.Threads, keySize)
}

func (f *keyFile) wrap(wrapping []byte, version int64, key []byte) error {
	sealed, err := seal(wrapping, keyFileName, version, ID{Kind: "key"}, key)
	if err != nil {
		return err
	}
	f.Keys[strconv.FormatInt(version, 10)] = sealed
	return nil
}

func (f *keyFile) unwrap(wrapping []byte, version int64) ([]byte, error) {
	sealed, ok := f.Keys[strconv.FormatInt(version, 10)]
	if !ok {
		return nil, fmt.Errorf("the protected key has no version %d", version)
	}
	key, err := unseal(wrapping, keyFileName, version, ID{Kind: "key"}, sealed)
	if err != nil {
		return nil, ErrPassphrase
	}
	return key, nil
}

// save replaces the file as a whole, so that a crash leaves the old one or the new one.
func (f *keyFile) save(path string) (err error) {
	text, err := json.Marshal(f)
	if err != nil {
		return fmt.Errorf("storing the protected key: %w", err)
	}
	temporary, err := os.CreateTemp(filepath.Dir(path), keyFileName+"-*") // 0600
	if err != nil {
		return fmt.Errorf("storing the protected key: %w", err)
	}
	defer func() {
		if err != nil {
			if removed := os.Remove(temporary.Name()); !errors.Is(removed, fs.ErrNotExist) { // else it has its name already
				err = errors.Join(err, removed)
			}
			err = fmt.Errorf("storing the protected key: %w", err)
		}
	}()
	_, err = temporary.Write(text)
	if err = errors.Join(err, temporary.Sync(), temporary.Close()); err != nil {
		return err
	}
	if err = os.Rename(temporary.Name(), path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// syncDir brings a rename onto the disk: a key that the power takes back is a lost one. Windows has no such thing for directories.
func syncDir(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

func (v *Vault) keyPath() string { return filepath.Join(v.options.Dir, keyFileName) }

// Unlock opens a vault of mode passphrase. ErrPassphrase says that it was the wrong one.
func (v *Vault) Unlock(ctx context.Context, passphrase Secret) error {
	now, err := v.read(ctx, v.options.DB.Read)
	if err != nil {
		return err
	}
	if now.mode != ModePassphrase {
		return errors.New("the stored secrets are not protected by a passphrase")
	}
	file, err := readKeyFile(v.keyPath())
	if err != nil {
		return err
	}
	wrapping := file.derive(passphrase)
	key, err := file.unwrap(wrapping, now.version)
	if err != nil {
		return err
	}
	if !now.opens(key) {
		v.settle(Status{
			State: Mismatch, Mode: ModePassphrase, Sealed: now.sealed,
			Detail: fmt.Sprintf("The protected key does not open the %s stored here.", secrets(now.sealed)),
			Hint:   "If you restored a backup, bring back the file " + keyFileName + " that belongs to it. Nothing was deleted.",
		})
		return errSealBroken
	}
	v.hold(now.version, key, wrapping)
	return v.opened(ctx, ModePassphrase)
}

// opened settles an open vault and seals what waited for it.
func (v *Vault) opened(ctx context.Context, mode Mode) error {
	err := v.promote(ctx)
	now, readErr := v.read(ctx, v.options.DB.Read)
	v.settle(opened(Status{Mode: mode, Sealed: now.sealed}))
	return errors.Join(err, readErr)
}

// UsePassphrase wraps the key by a passphrase in a file from now on, in place of the keyring, or changes the passphrase. Secrets of this
// run are kept with it.
func (v *Vault) UsePassphrase(ctx context.Context, passphrase Secret) error {
	if utf8.RuneCountInString(passphrase.Reveal()) < minPassphrase {
		return fmt.Errorf("a passphrase needs at least %d characters", minPassphrase)
	}
	status, err := v.Open(ctx)
	if err != nil {
		return err
	}
	if status.State != Open && status.State != Session {
		return &SealedError{Status: status}
	}
	unlock, err := v.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	var now meta
	var key []byte
	if status.State == Open {
		now, key, err = v.unchanged(ctx, status.Mode)
	} else {
		now, err = v.read(ctx, v.options.DB.Read)
	}
	if err != nil {
		return err
	}
	if status.State == Session {
		if now.sealed > 0 || now.mode == ModePassphrase {
			return errors.New("another process has stored secrets meanwhile; try again")
		}
		now.version++
		key = newKey()
	}
	file := newKeyFile()
	wrapping := file.derive(passphrase)
	if err := file.wrap(wrapping, now.version, key); err != nil {
		return err
	}
	if err := file.save(v.keyPath()); err != nil {
		return err
	}
	if err := v.write(ctx, v.options.DB.Write, now.version, ModePassphrase, key); err != nil {
		return err
	}
	v.hold(now.version, key, wrapping)
	err = v.opened(ctx, ModePassphrase)
	if now.mode == ModeKeyring && status.State == Open {
		if kept := v.checkpoint(ctx); kept != nil {
			return errors.Join(err, fmt.Errorf("the passphrase is set, but the key is still in the keyring, too: %w", kept))
		}
		if deleted := v.discard(ctx, now.version); deleted != nil && !errors.Is(deleted, ErrNotFound) {
			err = errors.Join(err, fmt.Errorf("the passphrase is set, but the key is still in the keyring, too: %w", deleted))
		}
	}
	return err
}

// UseKeyring moves the key of an open vault into the keyring.
func (v *Vault) UseKeyring(ctx context.Context) error {
	status := v.Status()
	if status.Mode == ModeKeyring {
		_, err := v.Retry(ctx)
		return err
	}
	if status.State != Open {
		return &SealedError{Status: status}
	}
	unlock, err := v.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	now, key, err := v.unchanged(ctx, ModePassphrase)
	if err != nil {
		return err
	}
	version := now.version
	if err := v.entrust(ctx, version, key); err != nil {
		return err
	}
	if err := v.write(ctx, v.options.DB.Write, version, ModeKeyring, key); err != nil {
		return err
	}
	v.hold(version, key, nil)
	err = v.opened(ctx, ModeKeyring)
	if kept := v.checkpoint(ctx); kept != nil {
		return errors.Join(err, fmt.Errorf("the key is in the keyring, but its file is still there, too: %w", kept))
	}
	if removed := os.Remove(v.keyPath()); removed != nil && !errors.Is(removed, fs.ErrNotExist) {
		err = errors.Join(err, fmt.Errorf("the key is in the keyring, but its file is still there, too: %w", removed))
	}
	return err
}

package vault

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
)

// Rotate seals every row with a new key, in one transaction. The new key is safe before the first row needs it, and the old one goes
// after the last row is done without it; a row that cannot be read stops the rotation, and nothing has changed.
func (v *Vault) Rotate(ctx context.Context) error {
	status, err := v.Open(ctx)
	if err != nil {
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
	now, _, err := v.unchanged(ctx, status.Mode)
	if err != nil {
		return err
	}
	v.mu.Lock()
	wrapping := v.wrapping
	v.mu.Unlock()
	old, version, key := now.version, now.version+1, newKey()
	if wrapping == nil {
		err = v.entrust(ctx, version, key)
	} else {
		err = v.changeFile(func(f *keyFile) error { return f.wrap(wrapping, version, key) })
	}
	if err != nil {
		return fmt.Errorf("keeping the new key: %w", err)
	}
	if err := v.reseal(ctx, now.mode, version, key); err != nil {
		return fmt.Errorf("sealing everything anew: %w", err)
	}
	v.hold(version, key, wrapping)
	if err := v.checkpoint(ctx); err != nil {
		return fmt.Errorf("everything is sealed with a new key, but the old one is kept, too: %w", err)
	}
	if wrapping == nil {
		err = v.discard(ctx, old)
	} else {
		err = v.changeFile(func(f *keyFile) error { delete(f.Keys, strconv.FormatInt(old, 10)); return nil })
	}
	if err != nil && !errors.Is(err, ErrNotFound) {
		return fmt.Errorf("everything is sealed with a new key, but the old one could not be deleted: %w", err)
	}
	return nil
}

// errMoved says that the key is somewhere else than this process thought.
var errMoved = errors.New("another process has changed how the key of the stored secrets is kept; try again")

// unchanged returns what the file says and the key that seals now. It is called with the lock held, and before anything is written: while
// this process waited for the lock another one may have rotated or moved the key, and a key of the same version, put in the place of that
// one, would lose everything.
func (v *Vault) unchanged(ctx context.Context, mode Mode) (meta, []byte, error) {
	if err := v.Current(ctx); err != nil {
		return meta{}, nil, err
	}
	now, err := v.read(ctx, v.options.DB.Read)
	if err != nil {
		return meta{}, nil, err
	}
	key := v.keyOf(now.version)
	switch {
	case key == nil || !now.opens(key):
		return meta{}, nil, errSealBroken
	case now.mode == mode:
		stale, err := v.stale(now)
		if err != nil {
			return meta{}, nil, err
		}
		if !stale {
			return now, key, nil
		}
		v.settle(locked(now.sealed))
	case now.mode == ModePassphrase:
		v.settle(locked(now.sealed))
	default:
		v.hold(now.version, key, nil)
		v.settle(opened(Status{Mode: ModeKeyring, Sealed: now.sealed}))
	}
	return meta{}, nil, errMoved
}

// stale says whether the passphrase was changed since this process took it. What is wrapped by the earlier one could never be unwrapped again.
func (v *Vault) stale(now meta) (bool, error) {
	if now.mode != ModePassphrase {
		return false, nil
	}
	file, err := readKeyFile(v.keyPath())
	if err != nil {
		return false, err
	}
	v.mu.Lock()
	wrapping := v.wrapping
	v.mu.Unlock()
	if wrapping == nil {
		return true, nil
	}
	_, err = file.unwrap(wrapping, now.version)
	if errors.Is(err, ErrPassphrase) {
		return true, nil
	}
	return false, err
}

func (v *Vault) changeFile(change func(*keyFile) error) error {
	file, err := readKeyFile(v.keyPath())
	if err != nil {
		return err
	}
	if err := change(file); err != nil {
		return err
	}
	return file.save(v.keyPath())
}

type sealedRow struct {
	id      ID
	version int64
	sealed  []byte
}

func (v *Vault) reseal(ctx context.Context, mode Mode, version int64, key []byte) error {
	tx, err := v.options.DB.Write.BeginTx(ctx, nil)
	if err != nil {
		return v.options.DB.Explain(err)
	}
	defer tx.Rollback() // after a commit it does nothing
	rows, err := sealedRows(ctx, tx)
	if err != nil {
		return v.options.DB.Explain(err)
	}
	if err := v.write(ctx, tx, version, mode, key); err != nil {
		return err
	}
	for _, row := range rows {
		secret, err := unseal(v.keyOf(row.version), v.uuid, row.version, row.id, row.sealed)
		if err != nil {
			return err
		}
		sealed, err := seal(key, v.uuid, version, row.id, secret)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE secrets SET key_version = ?, sealed = ?
			WHERE kind = ? AND server_id = ? AND issuer = ? AND ref = ?`,
			version, sealed, row.id.Kind, row.id.ServerID, row.id.Issuer, row.id.Ref); err != nil {
			return v.options.DB.Explain(err)
		}
	}
	return v.options.DB.Explain(tx.Commit())
}

func sealedRows(ctx context.Context, tx *sql.Tx) (_ []sealedRow, err error) {
	rows, err := tx.QueryContext(ctx, `SELECT kind, server_id, issuer, ref, key_version, sealed FROM secrets`)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	var all []sealedRow
	for rows.Next() {
		var row sealedRow
		if err := rows.Scan(&row.id.Kind, &row.id.ServerID, &row.id.Issuer, &row.id.Ref, &row.version, &row.sealed); err != nil {
			return nil, err
		}
		all = append(all, row)
	}
	return all, rows.Err()
}

// Forget deletes every sealed row and starts with a new key: the one way out of Mismatch and KeyMissing that loses something. Secrets of
// this run stay.
func (v *Vault) Forget(ctx context.Context) error {
	v.mu.Lock()
	opening := v.opening
	v.mu.Unlock()
	if opening != nil { // what it finds out would be about the rows that are deleted here
		select {
		case <-opening:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	unlock, err := v.lock(ctx)
	if err != nil {
		return err
	}
	err = v.empty(ctx)
	unlock()
	if err != nil {
		return err
	}
	v.mu.Lock()
	v.keys, v.version, v.wrapping = map[int64][]byte{}, 0, nil
	v.asked = false
	v.mu.Unlock()
	_, err = v.Open(ctx)
	return errors.Join(err, v.checkpoint(ctx))
}

// empty deletes the rows. The version rises, so that the next key has a name of its own and no item of the keyring is overwritten.
func (v *Vault) empty(ctx context.Context) error {
	tx, err := v.options.DB.Write.BeginTx(ctx, nil)
	if err != nil {
		return v.options.DB.Explain(err)
	}
	defer tx.Rollback() // after a commit it does nothing
	for _, statement := range []string{
		`DELETE FROM secrets`,
		`UPDATE vault SET mode = 'keyring', key_version = key_version + 1, canary = NULL WHERE id = 1`,
	} {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("forgetting the stored secrets: %w", v.options.DB.Explain(err))
		}
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("forgetting the stored secrets: %w", v.options.DB.Explain(err))
	}
	if err := os.Remove(v.keyPath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forgetting the stored secrets: %w", err)
	}
	return nil
}

// checkpoint brings what was committed into the file itself and onto the disk, and takes out of the write-ahead log what was deleted or
// sealed anew. Without it the power may take the last transactions back, so it comes before a key goes that only they made needless.
func (v *Vault) checkpoint(ctx context.Context) error {
	var busy, frames, moved int
	err := v.options.DB.Write.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &frames, &moved)
	if err != nil {
		return fmt.Errorf("emptying the write-ahead log: %w", v.options.DB.Explain(err))
	}
	if busy != 0 {
		return errors.New("emptying the write-ahead log: another process is reading it; try again")
	}
	return nil
}

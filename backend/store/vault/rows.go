package vault

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// Tx is a transaction of the data file, or the file itself.
type Tx interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// meta is the vault's own row.
type meta struct {
	uuid    string
	mode    Mode
	version int64
	canary  []byte
	sealed  int
}

// opens says whether a key is the one that the rows are sealed with.
func (m meta) opens(key []byte) bool {
	id, text := canary()
	got, err := unseal(key, m.uuid, m.version, id, m.canary)
	return err == nil && string(got) == string(text)
}

func (v *Vault) read(ctx context.Context, tx Tx) (meta, error) {
	var m meta
	err := tx.QueryRowContext(ctx, `SELECT uuid, mode, key_version, canary, (SELECT count(*) FROM secrets) FROM vault WHERE id = 1`).
		Scan(&m.uuid, &m.mode, &m.version, &m.canary, &m.sealed)
	if err != nil {
		return meta{}, fmt.Errorf("reading the vault: %w", v.options.DB.Explain(err))
	}
	return m, nil
}

// write notes which key seals from now on.
func (v *Vault) write(ctx context.Context, tx Tx, version int64, mode Mode, key []byte) error {
	id, text := canary()
	sealed, err := seal(key, v.uuid, version, id, text)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE vault SET mode = ?, key_version = ?, canary = ? WHERE id = 1`, mode, version, sealed); err != nil {
		return fmt.Errorf("storing the vault: %w", v.options.DB.Explain(err))
	}
	return nil
}

// Current makes sure that this process has the key that seals now: another one may have rotated it. Call it, without a transaction open,
// before a transaction that uses Put.
func (v *Vault) Current(ctx context.Context) error {
	status, err := v.Open(ctx)
	if err != nil || status.State != Open {
		return err
	}
	now, err := v.read(ctx, v.options.DB.Read)
	if err != nil {
		return err
	}
	v.mu.Lock()
	known := v.version == now.version
	v.mu.Unlock()
	if known {
		return nil
	}
	return v.reload(ctx, now)
}

// reload fetches the key that another process has made.
func (v *Vault) reload(ctx context.Context, now meta) error {
	v.mu.Lock()
	wrapping := v.wrapping
	v.mu.Unlock()
	var (
		key []byte
		err error
	)
	switch {
	case now.mode == ModeKeyring:
		key, err = v.fetch(ctx, now.version)
		wrapping = nil
	case wrapping == nil:
		v.settle(locked(now.sealed))
		return &SealedError{Status: v.Status()}
	default:
		var file *keyFile
		if file, err = readKeyFile(v.keyPath()); err == nil {
			key, err = file.unwrap(wrapping, now.version)
		}
		if errors.Is(err, ErrPassphrase) { // it was changed, too
			v.settle(locked(now.sealed))
			return &SealedError{Status: v.Status()}
		}
	}
	if err != nil {
		return fmt.Errorf("fetching the key that another process made: %w", err)
	}
	if !now.opens(key) {
		return fmt.Errorf("fetching the key that another process made: %w", errSealBroken)
	}
	v.hold(now.version, key, wrapping)
	return nil
}

// Put keeps a secret under an ID, in place of an earlier one: sealed where the vault is open, else in memory. tx may be nil.
func (v *Vault) Put(ctx context.Context, tx Tx, id ID, secret Secret) error {
	if tx == nil {
		tx = v.options.DB.Write
	}
	v.mu.Lock()
	open, version, key := v.status.State == Open || v.keys[v.version] != nil && v.version > 0, v.version, v.keys[v.version]
	if _, waits := v.memory[id]; waits || !open {
		v.memory[id] = secret // also what waits to be sealed is this from now on
	}
	v.mu.Unlock()
	if !open {
		return nil
	}
	if err := v.sealRow(ctx, tx, version, key, id, secret); err != nil {
		return err
	}
	v.mu.Lock()
	delete(v.memory, id)
	v.mu.Unlock()
	return nil
}

func (v *Vault) sealRow(ctx context.Context, tx Tx, version int64, key []byte, id ID, secret Secret) error {
	sealed, err := seal(key, v.uuid, version, id, []byte(secret.Reveal()))
	if err != nil {
		return err
	}
	// The condition keeps a key from being used that another process has replaced since Current.
	result, err := tx.ExecContext(ctx, `INSERT INTO secrets (kind, server_id, issuer, ref, key_version, sealed)
		SELECT ?, ?, ?, ?, ?, ? WHERE (SELECT key_version FROM vault WHERE id = 1) = ?
		ON CONFLICT (kind, server_id, issuer, ref) DO UPDATE SET key_version = excluded.key_version, sealed = excluded.sealed`,
		id.Kind, id.ServerID, id.Issuer, id.Ref, version, sealed, version)
	if err != nil {
		return fmt.Errorf("sealing a secret: %w", v.options.DB.Explain(err))
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		return errors.Join(errors.New("the key was changed by another process in this moment; try again"), err)
	}
	return nil
}

// Get returns a secret: ErrNoSecret if there is none, a *SealedError if it is there and cannot be read now.
func (v *Vault) Get(ctx context.Context, id ID) (Secret, error) {
	if _, err := v.Open(ctx); err != nil {
		return Secret{}, err
	}
	v.mu.Lock()
	secret, inMemory := v.memory[id]
	status := v.status
	v.mu.Unlock()
	if inMemory {
		return secret, nil
	}
	var version int64
	var sealed []byte
	err := v.options.DB.Read.QueryRowContext(ctx, `SELECT key_version, sealed FROM secrets
		WHERE kind = ? AND server_id = ? AND issuer = ? AND ref = ?`, id.Kind, id.ServerID, id.Issuer, id.Ref).Scan(&version, &sealed)
	if errors.Is(err, sql.ErrNoRows) {
		return Secret{}, ErrNoSecret
	}
	if err != nil {
		return Secret{}, fmt.Errorf("reading a secret: %w", v.options.DB.Explain(err))
	}
	if status.State != Open {
		return Secret{}, &SealedError{Status: status}
	}
	key := v.keyOf(version)
	if key == nil {
		if err := v.Current(ctx); err != nil {
			return Secret{}, err
		}
		if key = v.keyOf(version); key == nil {
			return Secret{}, fmt.Errorf("reading a secret: %w", errSealBroken)
		}
	}
	text, err := unseal(key, v.uuid, version, id, sealed)
	if err != nil {
		return Secret{}, fmt.Errorf("reading a secret: %w", err)
	}
	return NewSecret(string(text)), nil
}

func (v *Vault) keyOf(version int64) []byte {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.keys[version]
}

// Keeps says whether the secret with an ID is sealed in the file.
func (v *Vault) Keeps(ctx context.Context, id ID) (bool, error) {
	var n int
	err := v.options.DB.Read.QueryRowContext(ctx, `SELECT count(*) FROM secrets WHERE kind = ? AND server_id = ? AND issuer = ? AND ref = ?`,
		id.Kind, id.ServerID, id.Issuer, id.Ref).Scan(&n)
	if err != nil {
		return false, fmt.Errorf("reading a secret: %w", v.options.DB.Explain(err))
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	_, inMemory := v.memory[id]
	return n > 0 && !inMemory, nil
}

// Delete forgets one secret. tx may be nil.
func (v *Vault) Delete(ctx context.Context, tx Tx, id ID) error {
	return v.delete(ctx, tx, func(other ID) bool { return other == id },
		`DELETE FROM secrets WHERE kind = ? AND server_id = ? AND issuer = ? AND ref = ?`, id.Kind, id.ServerID, id.Issuer, id.Ref)
}

// DeleteServer forgets every secret of a server. tx may be nil.
func (v *Vault) DeleteServer(ctx context.Context, tx Tx, serverID string) error {
	return v.delete(ctx, tx, func(other ID) bool { return other.ServerID == serverID }, `DELETE FROM secrets WHERE server_id = ?`, serverID)
}

func (v *Vault) delete(ctx context.Context, tx Tx, match func(ID) bool, statement string, args ...any) error {
	if tx == nil {
		tx = v.options.DB.Write
	}
	if _, err := tx.ExecContext(ctx, statement, args...); err != nil {
		return fmt.Errorf("deleting a secret: %w", v.options.DB.Explain(err))
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for id := range v.memory {
		if match(id) {
			delete(v.memory, id)
		}
	}
	return nil
}

// promote seals what was kept in memory while there was no key.
func (v *Vault) promote(ctx context.Context) error {
	v.mu.Lock()
	waiting := make([]ID, 0, len(v.memory))
	for id := range v.memory {
		waiting = append(waiting, id)
	}
	v.mu.Unlock()
	var errs []error
	for _, id := range waiting {
		errs = append(errs, v.promoteOne(ctx, id))
	}
	if v.options.Opened != nil {
		errs = append(errs, v.options.Opened(ctx))
	}
	return errors.Join(errs...)
}

// promoteOne looks at the memory once more inside the transaction, of which there is one at a time: a newer value, sealed meanwhile, is
// never overwritten by the one that waited.
func (v *Vault) promoteOne(ctx context.Context, id ID) error {
	tx, err := v.options.DB.Write.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("sealing a secret: %w", v.options.DB.Explain(err))
	}
	defer tx.Rollback() // after a commit it does nothing
	v.mu.Lock()
	secret, waits := v.memory[id]
	version, key := v.version, v.keys[v.version]
	v.mu.Unlock()
	if !waits {
		return nil
	}
	if err := v.sealRow(ctx, tx, version, key, id, secret); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("sealing a secret: %w", v.options.DB.Explain(err))
	}
	v.mu.Lock()
	if now, ok := v.memory[id]; ok && now.Equal(secret) {
		delete(v.memory, id)
	}
	v.mu.Unlock()
	return nil
}

package store

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
	"github.com/oklog/ulid/v2"
)

// leasePoll is how often a lease that another holds is tried again.
const leasePoll = 50 * time.Millisecond

// Lease is a right that one run of the program has at a time.
type Lease struct {
	// Abandoned says that its last holder ended without giving it back: what that one did may be half done.
	Abandoned bool

	store *Store
	name  string
	owner string
}

// Lease takes the named lease for at most ttl, waiting until it is free. A holder whose process has ended has lost it.
func (s *Store) Lease(ctx context.Context, name string, ttl time.Duration) (*Lease, error) {
	lease := &Lease{store: s, name: name, owner: ulid.Make().String()}
	for {
		taken, err := lease.take(ctx, ttl)
		if err != nil {
			return nil, s.fail(err, "taking the lease %q", name)
		}
		if taken {
			return lease, nil
		}
		select {
		case <-time.After(leasePoll):
		case <-ctx.Done():
			return nil, s.fail(context.Cause(ctx), "waiting for the lease %q", name)
		}
	}
}

func (l *Lease) take(ctx context.Context, ttl time.Duration) (bool, error) {
	s := l.store
	tx, err := s.db.Write.BeginTx(ctx, nil)
	if err != nil {
		return false, err
	}
	defer tx.Rollback() // after a commit it does nothing
	var runID string
	var expires int64
	err = tx.QueryRowContext(ctx, `SELECT run_id, expires_at FROM leases WHERE name = ?`, l.name).Scan(&runID, &expires)
	switch {
	case errors.Is(err, sql.ErrNoRows):
	case err != nil:
		return false, err
	case toTime(expires).After(s.now()) && s.runLives(runID):
		return false, nil
	default:
		l.Abandoned = true
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO leases (name, owner, run_id, expires_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, run_id = excluded.run_id, expires_at = excluded.expires_at`,
		l.name, l.owner, s.run.id, s.now().Add(ttl).UnixMicro()); err != nil {
		return false, err
	}
	return true, tx.Commit()
}

// Release gives it back. A lease that ran out and was taken by another is left alone.
func (l *Lease) Release(ctx context.Context) error {
	_, err := l.store.db.Write.ExecContext(ctx, `DELETE FROM leases WHERE name = ? AND owner = ?`, l.name, l.owner)
	if err != nil {
		return l.store.fail(err, "giving back the lease %q", l.name)
	}
	return nil
}

// runLives says whether the process of a run is still there: its lock goes with it, however it ends.
func (s *Store) runLives(id string) bool {
	lock := flock.New(filepath.Join(s.dir, runsDir, id+".lock"), flock.SetFlag(os.O_RDWR))
	free, err := lock.TryLock()
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	if free {
		_ = lock.Unlock() // FinishRunning clears the mark
	}
	return !free
}

package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"

	"jackfield/backend/store/database"
)

// A run is one open Store of one process. It holds a lock on runs/<id>.lock, which the operating system releases however
// the process ends, so that another process can tell a dead run from a living one. A process id could not: it is reused.
type run struct {
	id   string
	lock *flock.Flock
}

const runsDir = "runs"

// startRun must be called under the lock of the data file, as must everything that looks for dead runs.
func startRun(dir, id string) (*run, error) {
	dir = filepath.Join(dir, runsDir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("marking this run: %w", err)
	}
	lock := flock.New(filepath.Join(dir, id+".lock"), flock.SetPermissions(0o600))
	held, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("marking this run: %w", err)
	}
	if !held {
		return nil, fmt.Errorf("marking this run: %s is already held", lock.Path())
	}
	return &run{id: id, lock: lock}, nil
}

// end leaves the mark of a crash if removing fails; the next FinishRunning clears it.
func (r *run) end() error {
	err := r.lock.Unlock()
	if removeErr := os.Remove(r.lock.Path()); removeErr != nil && !errors.Is(removeErr, fs.ErrNotExist) {
		err = errors.Join(err, removeErr)
	}
	if err != nil {
		return fmt.Errorf("ending this run: %w", err)
	}
	return nil
}

// liveRuns returns the ids of runs whose process lives, and clears the marks of the others.
func liveRuns(dir string) ([]string, error) {
	dir = filepath.Join(dir, runsDir)
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("looking for other runs: %w", err)
	}
	alive := []string{}
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		lock := flock.New(path, flock.SetFlag(os.O_RDWR))
		dead, err := lock.TryLock()
		switch {
		case errors.Is(err, fs.ErrNotExist): // it ended just now
			continue
		case err != nil:
			return nil, fmt.Errorf("looking for other runs: %w", err)
		case !dead:
			alive = append(alive, strings.TrimSuffix(entry.Name(), ".lock"))
			continue
		}
		if err := (&run{lock: lock}).end(); err != nil {
			return nil, err
		}
	}
	return alive, nil
}

// FinishRunning turns the calls that a crash left running into failed ones and returns how many. Running calls of
// living processes, this one included, stay as they are.
func (s *Store) FinishRunning(ctx context.Context) (finished int, err error) {
	unlock, err := database.Lock(ctx, s.db.Path())
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	alive, err := liveRuns(s.dir)
	if err != nil {
		return 0, err
	}
	failure, err := toJSON(Failure{
		Code:    codeLost,
		Message: "Jackfield ended before the answer came, so the result of this call is lost.",
		Hint:    "The server may have done the work all the same; look before you call again.",
	})
	if err != nil {
		return 0, err
	}
	living, err := toJSON(alive)
	if err != nil {
		return 0, err
	}
	result, err := s.db.Write.ExecContext(ctx, `UPDATE calls SET outcome = ?, failure = ?
		WHERE outcome = 'running' AND run_id NOT IN (SELECT value FROM json_each(?))`, OutcomeFailed, failure, living)
	if err != nil {
		return 0, s.fail(err, "finishing the calls of ended runs")
	}
	n, err := result.RowsAffected()
	if err != nil {
		return 0, s.fail(err, "finishing the calls of ended runs")
	}
	return int(n), nil
}

// codeLost is the code that the history shows for a result that will never come.
const codeLost = "result_lost"

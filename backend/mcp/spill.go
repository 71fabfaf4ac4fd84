package mcp

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/gofrs/flock"
)

// spill keeps the large bodies of a trace in a directory of this run, which is removed at its end; that of a run which crashed is swept by
// the next one. One goroutine writes: nobody on a call's path waits for the disk. Its mutex is a leaf below the recorder's.
type spill struct {
	root     string // where the directories of all runs are
	limit    int64
	recorder *recorder
	failed   func(error)

	mu      sync.Mutex
	dir     string // "" before the first body
	lock    *flock.Flock
	jobs    []spillJob
	waiting int64            // bytes that are still to be written
	sizes   map[uint64]int64 // of what is waiting or on disk
	written []uint64         // on disk, oldest first
	used    int64
	broken  bool
	closed  bool
	started bool
	wake    chan struct{}
	done    chan struct{}
}

type spillJob struct {
	n      uint64
	remove bool
}

const (
	lockName  = "lock"
	runPrefix = "run-"
)

func newSpill(root string, limit int64, r *recorder, failed func(error)) *spill {
	if limit <= 0 {
		limit = defaultTraceDisk
	}
	return &spill{root: root, limit: limit, recorder: r, failed: failed, sizes: map[uint64]int64{}, wake: make(chan struct{}, 1), done: make(chan struct{})}
}

// take accepts the body of a message, unless the disk does not keep up or cannot be written.
func (s *spill) take(n uint64, size int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken || s.closed || int64(size) > s.limit || s.waiting > 0 && s.waiting+int64(size) > defaultTraceBytes {
		return false
	}
	s.waiting += int64(size)
	s.sizes[n] = int64(size)
	s.queueLocked(spillJob{n: n})
	return true
}

// drop gives up the body of a message.
func (s *spill) drop(n uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.sizes[n]; ok && !s.closed {
		s.queueLocked(spillJob{n: n, remove: true})
	}
}

func (s *spill) queueLocked(job spillJob) {
	s.jobs = append(s.jobs, job)
	if !s.started {
		s.started = true
		go s.run()
	}
	signal(s.wake)
}

func (s *spill) path(n uint64) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return filepath.Join(s.dir, strconv.FormatUint(n, 10))
}

func (s *spill) run() {
	defer close(s.done)
	for {
		s.mu.Lock()
		if s.closed {
			s.mu.Unlock()
			return
		}
		if len(s.jobs) == 0 {
			s.mu.Unlock()
			<-s.wake
			continue
		}
		job := s.jobs[0]
		s.jobs = s.jobs[1:]
		s.mu.Unlock()
		if job.remove {
			s.remove(job.n)
		} else {
			s.write(job.n)
		}
	}
}

func (s *spill) write(n uint64) {
	entry, err := s.recorder.find(n)
	kept := err == nil && entry.place == spilling
	if kept {
		if err = s.prepare(); err == nil {
			err = os.WriteFile(s.path(n), entry.raw, 0o600)
		}
	}
	s.mu.Lock()
	size := s.sizes[n]
	s.waiting -= size
	if kept && err == nil {
		s.written = append(s.written, n)
		s.used += size
	} else {
		delete(s.sizes, n)
	}
	if kept && err != nil {
		s.broken = true
	}
	var over []uint64
	for used := s.used; used > s.limit && len(over) < len(s.written)-1; {
		oldest := s.written[len(over)]
		over = append(over, oldest)
		used -= s.sizes[oldest]
	}
	s.mu.Unlock()
	if kept {
		s.recorder.spilled(n, err == nil)
	}
	if kept && err != nil {
		s.failed(fmt.Errorf("large messages of the trace stay in memory: %w", err))
	}
	for _, old := range over {
		s.recorder.lose(old)
		s.remove(old)
	}
}

func (s *spill) remove(n uint64) {
	s.mu.Lock()
	size, ok := s.sizes[n]
	if ok {
		delete(s.sizes, n)
		for i, one := range s.written {
			if one == n {
				s.written = append(s.written[:i], s.written[i+1:]...)
				s.used -= size
				break
			}
		}
	}
	s.mu.Unlock()
	if !ok {
		return
	}
	if err := os.Remove(s.path(n)); err != nil && !errors.Is(err, os.ErrNotExist) {
		s.failed(fmt.Errorf("a message of the trace could not be removed: %w", err))
	}
}

// prepare makes the directory of this run, held by a lock for as long as the run lives, and sweeps what other runs left.
func (s *spill) prepare() error {
	s.mu.Lock()
	ready := s.dir != ""
	s.mu.Unlock()
	if ready {
		return nil
	}
	if err := os.MkdirAll(s.root, 0o700); err != nil {
		return err
	}
	if err := sweepTraces(s.root); err != nil {
		s.failed(err)
	}
	dir, err := os.MkdirTemp(s.root, runPrefix)
	if err != nil {
		return err
	}
	lock := flock.New(filepath.Join(dir, lockName))
	if held, err := lock.TryLock(); err != nil || !held {
		return errors.Join(err, os.RemoveAll(dir), errors.New("the directory of the trace cannot be locked"))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dir, s.lock = dir, lock
	return nil
}

// close ends the writing and removes the directory of this run.
func (s *spill) close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	started := s.started
	s.mu.Unlock()
	if !started {
		return nil
	}
	signal(s.wake)
	<-s.done
	if s.dir == "" {
		return nil
	}
	// The lock goes first: an open file cannot be removed on Windows. Who sweeps in between removes the same.
	return errors.Join(s.lock.Close(), os.RemoveAll(s.dir))
}

// sweepTraces removes the directories of runs that ended without doing so. One that lives holds its lock. A directory whose lock is not
// there yet is just being made, and left for the next time.
func sweepTraces(root string) error {
	dirs, err := filepath.Glob(filepath.Join(root, runPrefix+"*"))
	if err != nil {
		return err
	}
	var errs []error
	for _, dir := range dirs {
		name := filepath.Join(dir, lockName)
		if _, err := os.Stat(name); err != nil {
			continue
		}
		lock := flock.New(name)
		held, err := lock.TryLock()
		if err != nil || !held {
			continue
		}
		errs = append(errs, lock.Close(), os.RemoveAll(dir))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("the trace of an earlier run could not be removed: %w", err)
	}
	return nil
}

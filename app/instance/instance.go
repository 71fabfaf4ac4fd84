// Package instance lets one window per data directory run. The first program holds a lock on a file and listens on a local
// socket; a later one hands over what it was started with and ends. It needs neither D-Bus nor a port.
//
// The lock decides who is first: it goes with the process, so nothing that a crash leaves behind counts. The file beside it
// only says where the socket is. An Instance owns the lock, the socket and the goroutine that accepts.
package instance

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

const (
	lockName    = "desktop.lock"
	addressName = "desktop.address"
	socketName  = "desktop.sock"
	// maxPath is below what every system accepts as the name of a socket (104 bytes on macOS).
	maxPath = 100
	// patience covers the first instance still starting, or just ending.
	patience = 8 * time.Second
	pause    = 100 * time.Millisecond
	maxStart = 64 << 10
)

// ErrHandedOver says that another instance runs and has been told; this one should end with success.
var ErrHandedOver = errors.New("another instance is running and was brought to the front")

// Start is what a later start was started with.
type Start struct {
	Args []string `json:"args"`
	Cwd  string   `json:"cwd"`
}

// Instance is the first program.
type Instance struct {
	lock     *flock.Flock
	listener net.Listener
	dir      string
	private  string // a directory made for the socket, "" if it is in dir
	starts   chan Start
	accept   sync.WaitGroup
}

// Acquire makes this program the first of a data directory, or hands start over to the one that is and returns
// ErrHandedOver. It waits a few seconds for one that is starting or ending.
func Acquire(ctx context.Context, dir string, start Start) (*Instance, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the data directory: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	lock := flock.New(filepath.Join(dir, lockName), flock.SetPermissions(0o600))
	for {
		locked, err := lock.TryLock()
		if err != nil {
			return nil, fmt.Errorf("locking %s: %w", lock.Path(), err)
		}
		if locked {
			instance, err := listen(lock, dir)
			if err != nil {
				return nil, errors.Join(err, lock.Close())
			}
			return instance, nil
		}
		told := handOver(ctx, dir, start)
		if told == nil {
			return nil, errors.Join(ErrHandedOver, lock.Close())
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(fmt.Errorf("another Jackfield is running but does not answer; end it and start again: %w", told), lock.Close())
		case <-time.After(pause):
		}
	}
}

func listen(lock *flock.Flock, dir string) (*Instance, error) {
	i := &Instance{lock: lock, dir: dir, starts: make(chan Start, 8)}
	socket := filepath.Join(dir, socketName)
	if len(socket) > maxPath {
		private, err := os.MkdirTemp("", "jackfield-*") // 0700
		if err != nil {
			return nil, fmt.Errorf("making a place for the socket: %w", err)
		}
		i.private, socket = private, filepath.Join(private, socketName)
	}
	if err := os.Remove(socket); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, errors.Join(fmt.Errorf("removing an old socket: %w", err), i.clean())
	}
	listener, err := net.Listen("unix", socket)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("listening for later starts: %w", err), i.clean())
	}
	i.listener = listener
	err = errors.Join(os.Chmod(socket, 0o600), os.WriteFile(filepath.Join(dir, addressName), []byte(socket), 0o600))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("telling where the socket is: %w", err), listener.Close(), i.clean())
	}
	i.accept.Go(func() { i.serve(listener) })
	return i, nil
}

// Starts delivers what later starts were started with. It is closed by Close.
func (i *Instance) Starts() <-chan Start { return i.starts }

// serve takes one start after the other: each is a few bytes from the same user.
func (i *Instance) serve(listener net.Listener) {
	defer close(i.starts)
	for {
		connection, err := listener.Accept()
		if err != nil {
			return // closed
		}
		if start, err := receive(connection); err == nil {
			select {
			case i.starts <- start:
			default: // a flood of starts raises the window once
			}
		}
		_ = connection.Close() // whoever broke off has not been promised anything
	}
}

func receive(connection net.Conn) (Start, error) {
	var start Start
	if err := connection.SetDeadline(time.Now().Add(2 * time.Second)); err != nil {
		return start, err
	}
	line, err := bufio.NewReader(io.LimitReader(connection, maxStart)).ReadBytes('\n')
	if err != nil {
		return start, err
	}
	if err := json.Unmarshal(line, &start); err != nil {
		return start, err
	}
	_, err = connection.Write([]byte("ok\n"))
	return start, err
}

func handOver(ctx context.Context, dir string, start Start) error {
	socket, err := os.ReadFile(filepath.Join(dir, addressName))
	if err != nil {
		return err
	}
	dialer := net.Dialer{Timeout: 2 * time.Second}
	connection, err := dialer.DialContext(ctx, "unix", string(socket))
	if err != nil {
		return err
	}
	defer connection.Close()
	if err := connection.SetDeadline(time.Now().Add(2 * time.Second)); err != nil {
		return err
	}
	text, err := json.Marshal(start)
	if err != nil {
		return err
	}
	if _, err := connection.Write(append(text, '\n')); err != nil {
		return err
	}
	answer, err := bufio.NewReader(connection).ReadString('\n')
	if err == nil && answer != "ok\n" {
		err = fmt.Errorf("it answered %q", answer)
	}
	return err
}

// Close lets a later start become the first. It is the last thing that a program does.
func (i *Instance) Close() error {
	err := i.listener.Close()
	i.accept.Wait()
	return errors.Join(err, i.clean(), i.lock.Close())
}

func (i *Instance) clean() error {
	var err error
	if i.private != "" {
		err = os.RemoveAll(i.private)
	}
	if removed := os.Remove(filepath.Join(i.dir, addressName)); !errors.Is(removed, os.ErrNotExist) {
		err = errors.Join(err, removed)
	}
	return err
}

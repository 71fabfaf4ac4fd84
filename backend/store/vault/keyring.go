package vault

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/zalando/go-keyring"
)

// Off is the environment variable that, set to "off", keeps this program from asking a keyring.
const Off = "JACKFIELD_KEYRING"

// System returns the keyring of the operating system, or nil and the reason why none is to be asked.
func System() (Keyring, string) {
	if os.Getenv(Off) == "off" {
		return nil, "the keyring is switched off by " + Off
	}
	if runtime.GOOS == "linux" && !hasBus(os.Getenv("DBUS_SESSION_BUS_ADDRESS"), os.Getenv("XDG_RUNTIME_DIR")) {
		// Asked without a bus, the library starts one that nobody ends.
		return nil, "no keyring is running, since there is no session bus"
	}
	return system{}, ""
}

func hasBus(address, runtimeDir string) bool {
	if address != "" {
		return true
	}
	if runtimeDir == "" {
		return false
	}
	_, err := os.Stat(filepath.Join(runtimeDir, "bus"))
	return err == nil
}

// system asks through go-keyring, which knows no context: a call that nobody waits for any more ends when the keyring answers.
type system struct{}

func (system) Get(ctx context.Context, service, user string) (string, error) {
	return asked(ctx, func() (string, error) { return keyring.Get(service, user) })
}

func (system) Set(ctx context.Context, service, user, value string) error {
	_, err := asked(ctx, func() (string, error) { return "", keyring.Set(service, user, value) })
	return err
}

func (system) Delete(ctx context.Context, service, user string) error {
	_, err := asked(ctx, func() (string, error) { return "", keyring.Delete(service, user) })
	return err
}

// asked waits for an answer, at most until ctx ends.
func asked(ctx context.Context, ask func() (string, error)) (string, error) {
	type result struct {
		value string
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := ask()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		if errors.Is(r.err, keyring.ErrNotFound) {
			return "", ErrNotFound
		}
		if r.err != nil {
			return "", fmt.Errorf("the keyring failed: %w", r.err)
		}
		return r.value, nil
	case <-ctx.Done():
		return "", errors.New("the keyring did not answer")
	}
}

package scheme

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"golang.org/x/sys/windows/registry"

	"jackfield/app/link"
)

type places struct{}

// New looks in the registry.
func New(program string) *Registrar { return &Registrar{program: program} }

// State reads the command that the installer wrote.
func (r *Registrar) State(context.Context) (State, error) {
	key, err := registry.OpenKey(registry.CLASSES_ROOT, link.Scheme+`\shell\open\command`, registry.QUERY_VALUE)
	if errors.Is(err, registry.ErrNotExist) {
		return State{Detail: "No program gets jackfield links. The installer of Jackfield registers it."}, nil
	}
	if err != nil {
		return State{}, fmt.Errorf("reading what opens jackfield links: %w", err)
	}
	defer key.Close()
	command, _, err := key.GetStringValue("")
	if err != nil && !errors.Is(err, registry.ErrNotExist) {
		return State{}, fmt.Errorf("reading what opens jackfield links: %w", err)
	}
	program := command
	if rest, quoted := strings.CutPrefix(command, `"`); quoted {
		program, _, _ = strings.Cut(rest, `"`)
	}
	if strings.EqualFold(filepath.Clean(program), filepath.Clean(r.program)) {
		return State{Registered: true, Detail: "jackfield links open this program."}, nil
	}
	return State{Other: program, Detail: "jackfield links open another program: " + program + "."}, nil
}

// Register is the installer's.
func (r *Registrar) Register(context.Context) error { return UnsupportedError{} }

// Unregister is the installer's.
func (r *Registrar) Unregister(context.Context) error { return UnsupportedError{} }

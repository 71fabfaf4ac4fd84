//go:build !linux && !windows

package scheme

import (
	"context"
	"runtime"
	"strings"
)

type places struct{}

// New needs nothing.
func New(program string) *Registrar { return &Registrar{program: program} }

// State: on macOS the bundle declares the links, and the system hands them to a program that runs from it.
func (r *Registrar) State(context.Context) (State, error) {
	if runtime.GOOS == "darwin" && strings.Contains(r.program, ".app/Contents/MacOS/") {
		return State{Registered: true, Detail: "jackfield links open this program, as its bundle says."}, nil
	}
	return State{Detail: "jackfield links are opened by the installed program only."}, nil
}

// Register is the bundle's.
func (r *Registrar) Register(context.Context) error { return UnsupportedError{} }

// Unregister is the bundle's.
func (r *Registrar) Unregister(context.Context) error { return UnsupportedError{} }

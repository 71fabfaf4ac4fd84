// Package scheme finds out whether the operating system hands jackfield: links to this program, and registers it for the person where
// that can be done at run time. It never takes the links away from another program by itself. A Registrar keeps no state but where it
// looks: what the system says is read each time, since any program can change it. It is safe for concurrent use.
package scheme

import (
	"context"

	"jackfield/app/link"
)

// MIMEType is how desktops name the links.
const MIMEType = "x-scheme-handler/" + link.Scheme

// UnsupportedError says that links are registered by the installer here, not by the program.
type UnsupportedError struct{}

func (UnsupportedError) Error() string {
	return "On this system the installer registers jackfield links, not the program."
}

// Hint makes an UnsupportedError an api.Sentence.
func (UnsupportedError) Hint() string {
	return "Install Jackfield with its installer, or remove it with the system's own means."
}

// State is what the system says.
type State struct {
	Registered bool   // links come to this program
	Supported  bool   // Register can be called here
	Other      string // the program that gets them instead, "" if none does
	Stale      bool   // what was registered for the person leads nowhere: the program has been moved
	Detail     string // a sentence
}

// Registrar of one program.
type Registrar struct {
	program string // its executable, without symbolic links
	places  places
}

// Wish is what is remembered of the person's choice.
type Wish string

const (
	NotAsked Wish = ""    // the first launch
	On       Wish = "on"  // registered at the first launch, or by the person
	Off      Wish = "off" // taken back by the person
)

// AtLaunch decides what a launch does about the links, and what is remembered after it.
func AtLaunch(wish Wish, s State) (register bool, after Wish) {
	switch {
	case wish == Off, !s.Supported:
		return false, wish
	case s.Registered:
		return false, On
	case s.Stale:
		return true, On
	case wish == NotAsked && s.Other == "":
		return true, On
	}
	// Another program has them, or somebody took the registration away since: that is for the person to change.
	return false, wish
}

// Launch does what AtLaunch decides.
func (r *Registrar) Launch(ctx context.Context, wish Wish) (after Wish, err error) {
	state, err := r.State(ctx)
	if err != nil {
		return wish, err
	}
	register, after := AtLaunch(wish, state)
	if register {
		if err := r.Register(ctx); err != nil {
			return wish, err
		}
	}
	return after, nil
}

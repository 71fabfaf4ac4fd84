// Package appearance makes the window light or dark. On Linux the desktop says what it prefers through the settings portal,
// which GTK 3 does not read; on the other systems the window follows by itself. An Appearance owns one goroutine, Run.
package appearance

import (
	"context"
	"sync"
)

// Appearance applies the person's choice: "light", "dark", or "system".
type Appearance struct {
	apply func(dark bool)

	mu     sync.Mutex
	theme  string
	system scheme
}

// scheme is what the system prefers.
type scheme int

const (
	unknown scheme = iota
	light
	dark
)

// New reads what the system prefers, within a moment.
func New(ctx context.Context, theme string) *Appearance {
	return &Appearance{apply: applyDark, theme: theme, system: readSystem(ctx)}
}

// Dark says whether the window is to be dark now.
func (a *Appearance) Dark() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	wanted, _ := decide(a.theme, a.system)
	return wanted
}

// decide also says whether it is known at all; if not, the toolkit's own default stays.
func decide(theme string, system scheme) (wanted, known bool) {
	switch {
	case theme == "light":
		return false, true
	case theme == "dark":
		return true, true
	}
	return system == dark, system != unknown
}

// Set applies another choice.
func (a *Appearance) Set(theme string) { a.change(func() { a.theme = theme }) }

// Run applies the choice and follows the system until ctx ends. The window must be there.
func (a *Appearance) Run(ctx context.Context) {
	a.change(func() {})
	watchSystem(ctx, func(system scheme) { a.change(func() { a.system = system }) })
}

func (a *Appearance) change(change func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	change()
	if wanted, known := decide(a.theme, a.system); known {
		a.apply(wanted)
	}
}

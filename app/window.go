package app

import (
	"context"
	"log/slog"

	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/runtime"

	"jackfield/app/api"
)

const (
	minWidth, minHeight         = 720, 480
	defaultWidth, defaultHeight = 1280, 820
)

// placement is where the main window was. Maximised keeps the size to go back to.
type placement struct {
	X         int  `json:"x"`
	Y         int  `json:"y"`
	Width     int  `json:"width"`
	Height    int  `json:"height"`
	Maximised bool `json:"maximised"`
	Placed    bool `json:"placed"` // X and Y were read
}

type screenSize struct{ width, height int }

// place fits a remembered placement to the screen that the window is on: never larger than it, never off its edge. A screen of
// size zero is unknown.
func place(p placement, screen screenSize) placement {
	if p.Width <= 0 || p.Height <= 0 {
		p.Width, p.Height = defaultWidth, defaultHeight
	}
	p.Width, p.Height = max(p.Width, minWidth), max(p.Height, minHeight)
	if screen.width <= 0 || screen.height <= 0 {
		p.Placed = false
		return p
	}
	p.Width, p.Height = max(min(p.Width, screen.width), minWidth), max(min(p.Height, screen.height), minHeight)
	// What does not fit whole is centred rather than pushed to an edge: the screen has changed.
	if p.X < 0 || p.Y < 0 || p.X+p.Width > screen.width || p.Y+p.Height > screen.height {
		p.Placed = false
	}
	return p
}

// background is the colour of the page, so that nothing flashes before it paints.
func background(dark bool) *options.RGBA {
	if dark {
		return options.NewRGB(0x1a, 0x19, 0x17)
	}
	return options.NewRGB(0xfb, 0xfa, 0xf7)
}

// show puts the window where it was and makes it visible.
func show(ctx context.Context, remembered placement) {
	p := place(remembered, currentScreen(ctx))
	runtime.WindowSetSize(ctx, p.Width, p.Height)
	runtime.WindowShow(ctx)
	// Only now: a window manager finds a place of its own for a window that appears.
	if p.Placed {
		runtime.WindowSetPosition(ctx, p.X, p.Y)
	} else {
		runtime.WindowCenter(ctx)
	}
	if p.Maximised {
		runtime.WindowMaximise(ctx)
	}
}

// raise brings the window to the front.
func raise(ctx context.Context) {
	runtime.WindowUnminimise(ctx)
	runtime.WindowShow(ctx)
}

func currentScreen(ctx context.Context) screenSize {
	screens, err := runtime.ScreenGetAll(ctx)
	if err != nil {
		return screenSize{} // the window then opens centred in its remembered size
	}
	for _, screen := range screens {
		if screen.IsCurrent {
			return screenSize{screen.Size.Width, screen.Size.Height}
		}
	}
	return screenSize{}
}

// remember reads where the window is. While it is maximised or iconified its old size is the one to go back to.
func remember(ctx context.Context, before placement) placement {
	now := before
	now.Maximised = runtime.WindowIsMaximised(ctx)
	if !now.Maximised && !runtime.WindowIsMinimised(ctx) && !runtime.WindowIsFullscreen(ctx) {
		now.Width, now.Height = runtime.WindowGetSize(ctx)
		now.X, now.Y = runtime.WindowGetPosition(ctx)
		now.Placed = true
	}
	return now
}

func loadPlacement(ctx context.Context, k keeper, log *slog.Logger) (placement, api.Settings) {
	var p placement
	if err := load(ctx, k, placementKey, &p); err != nil {
		log.Warn("the window's place was not read", "error", err)
	}
	settings, err := loadSettings(ctx, k)
	if err != nil {
		log.Warn("the settings were not read", "error", err)
		settings = defaults
	}
	return p, settings
}

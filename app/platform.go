package app

import (
	"log/slog"
	"strings"
	"unicode"

	"github.com/wailsapp/wails/v2/pkg/options/linux"
	"github.com/wailsapp/wails/v2/pkg/options/mac"
	"github.com/wailsapp/wails/v2/pkg/options/windows"
)

// programName groups the windows in the task bar: StartupWMClass of the desktop entry.
const programName = "jackfield"

func linuxOptions(icon []byte) *linux.Options {
	// Hardware acceleration leaves the window blank with some drivers, and this page needs none.
	return &linux.Options{Icon: icon, ProgramName: programName, WebviewGpuPolicy: linux.WebviewGpuPolicyNever}
}

func windowsOptions(theme string) *windows.Options {
	themes := map[string]windows.Theme{"light": windows.Light, "dark": windows.Dark}
	return &windows.Options{Theme: themes[theme]} // the zero value follows the system
}

// macOptions: links are no arguments there; follow gets them. A prompt window has none.
func macOptions(theme string, follow func(string)) *mac.Options {
	appearances := map[string]mac.AppearanceType{"light": mac.NSAppearanceNameAqua, "dark": mac.NSAppearanceNameDarkAqua}
	options := &mac.Options{Appearance: appearances[theme]} // the zero value follows the system
	if follow != nil {
		options.OnUrlOpen = func(link string) { go follow(link) } // it is called on the thread that draws
	}
	return options
}

// printable makes text of a server safe for a window title: no line breaks, no control or direction characters.
func printable(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsPrint(r):
			return r
		}
		return -1
	}, text)
	if runes := []rune(text); len(runes) > 60 {
		text = string(runes[:59]) + "…"
	}
	return text
}

// wailsLog sends what Wails logs to the program's log; its own logger would print.
type wailsLog struct{ log *slog.Logger }

func (w wailsLog) Print(message string)   { w.log.Debug(message, "from", "wails") }
func (w wailsLog) Trace(message string)   { w.log.Debug(message, "from", "wails") }
func (w wailsLog) Debug(message string)   { w.log.Debug(message, "from", "wails") }
func (w wailsLog) Info(message string)    { w.log.Debug(message, "from", "wails") }
func (w wailsLog) Warning(message string) { w.log.Warn(message, "from", "wails") }
func (w wailsLog) Error(message string)   { w.log.Error(message, "from", "wails") }
func (w wailsLog) Fatal(message string)   { w.log.Error(message, "from", "wails", "fatal", true) }

package cli

import (
	"os"

	"golang.org/x/sys/windows"
)

// enableColour makes a console understand escape sequences, which is off by default.
func enableColour(file *os.File) bool {
	handle := windows.Handle(file.Fd())
	var mode uint32
	if err := windows.GetConsoleMode(handle, &mode); err != nil {
		return false
	}
	return windows.SetConsoleMode(handle, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}

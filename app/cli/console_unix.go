//go:build unix

package cli

import (
	"io"
	"os"
)

// openConsole opens the terminal of this process, also where stderr leads elsewhere.
func openConsole() (io.ReadWriteCloser, error) { return os.OpenFile("/dev/tty", os.O_RDWR, 0) }

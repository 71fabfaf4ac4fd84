//go:build !linux || !production

package frames

// Guard has nothing to do here: on Windows and macOS Wails refuses messages of frames itself.
func Guard() {}

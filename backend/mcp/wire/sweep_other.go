//go:build !linux

package wire

// Sweep has nothing to do: on Windows the job object ended everything. On macOS a server sees the end of its stdin; what does
// not heed that is not found.
func Sweep() error { return nil }

func ownMark() string { return "" }

// Sweeps says whether Sweep can find anything on this system.
const Sweeps = false

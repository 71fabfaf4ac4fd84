//go:build unix

package cli

import "os"

// enableColour says whether a terminal understands colour; on Unix they do.
func enableColour(*os.File) bool { return true }

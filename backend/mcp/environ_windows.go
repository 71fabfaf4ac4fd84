package mcp

import (
	"context"
	"os"
)

// LoginEnviron returns the environment of this process: on Windows programs get the person's PATH however they are started.
func LoginEnviron(context.Context) []string { return os.Environ() }

//go:build !linux

package appearance

import "context"

// The window follows the system by itself.
func readSystem(context.Context) scheme { return unknown }

func watchSystem(ctx context.Context, _ func(scheme)) { <-ctx.Done() }

//go:build !linux

package mcp

import "errors"

func runApp() error { return errors.New("process trees are tested on Linux") }

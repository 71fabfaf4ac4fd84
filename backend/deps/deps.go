//go:build deps

// Package deps pins the libraries while the parts are being written.
package deps

import (
	_ "github.com/adrg/xdg"
	_ "github.com/cenkalti/backoff/v5"
	_ "github.com/gofrs/flock"
	_ "github.com/google/go-cmp/cmp"
	_ "github.com/mattn/go-shellwords"
	_ "github.com/modelcontextprotocol/go-sdk/jsonrpc"
	_ "github.com/modelcontextprotocol/go-sdk/mcp"
	_ "github.com/oklog/ulid/v2"
	_ "github.com/pressly/goose/v3"
	_ "github.com/rogpeppe/go-internal/testscript"
	_ "github.com/santhosh-tekuri/jsonschema/v6"
	_ "github.com/spf13/cobra"
	_ "github.com/tailscale/hujson"
	_ "github.com/wailsapp/wails/v2"
	_ "github.com/wailsapp/wails/v2/pkg/options/linux"
	_ "github.com/yosida95/uritemplate/v3"
	_ "go.uber.org/goleak"
	_ "golang.org/x/mod/semver"
	_ "golang.org/x/sync/errgroup"
	_ "golang.org/x/sys/unix"
	_ "golang.org/x/sys/windows"
	_ "golang.org/x/term"
	_ "golang.org/x/tools/txtar"
	_ "gopkg.in/natefinch/lumberjack.v2"
	_ "modernc.org/sqlite"
)

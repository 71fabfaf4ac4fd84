// Command jackfield-desktop is the window.
package main

import (
	"embed"
	"fmt"
	"os"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"

	"jackfield/app"
)

//go:embed all:frontend/dist
var assets embed.FS

func main() {
	err := wails.Run(&options.App{
		Title:       "Jackfield",
		AssetServer: &assetserver.Options{Assets: assets},
		Bind:        []any{&app.Desktop{}, &app.Prompt{}},
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "jackfield-desktop:", err)
		os.Exit(1)
	}
}

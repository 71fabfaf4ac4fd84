//go:build bench || production

// Command emptywindow is the floor of first paint: a Wails window with one line of text and nothing behind it.
package main

import (
	"embed"
	"log"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
	"github.com/wailsapp/wails/v2/pkg/options/linux"
)

//go:embed page
var page embed.FS

func main() {
	err := wails.Run(&options.App{
		Title: "Empty", Width: 1180, Height: 760,
		AssetServer: &assetserver.Options{Assets: page},
		Linux:       &linux.Options{WebviewGpuPolicy: linux.WebviewGpuPolicyNever},
	})
	if err != nil {
		log.Fatal(err)
	}
}

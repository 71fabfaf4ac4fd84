// Command jackfield-desktop is the window.
package main

import (
	"embed"
	"flag"
	"fmt"
	"io/fs"
	"os"

	"jackfield/app"
	"jackfield/app/link"
)

//go:embed all:frontend/dist
var embedded embed.FS

//go:embed build/icons/jackfield-256.png
var icon []byte

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "jackfield-desktop:", err)
		os.Exit(1)
	}
}

func run() error {
	assets, err := fs.Sub(embedded, "frontend/dist")
	if err != nil {
		return err
	}
	if generating {
		return app.Generate(assets)
	}
	if len(os.Args) == 2 && os.Args[1] == app.PromptArgument {
		return app.RunPrompt(assets, icon)
	}
	if len(os.Args) == 2 && os.Args[1] == app.SweeperArgument {
		return app.RunSweeper()
	}
	options := app.Options{Assets: assets, Icon: icon, Args: os.Args[1:]}
	if _, ok := link.FromArgs(options.Args); !ok { // a link is never read as a flag
		flag.StringVar(&options.DataDir, "data-dir", "", "the `directory` of Jackfield's data; the default is the platform's")
		flag.Parse()
	}
	return app.Run(options)
}

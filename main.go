// Command jackfield-desktop is the window.
package main

import (
	"embed"
	"flag"
	"fmt"
	"io/fs"
	"os"

	"jackfield/app"
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
	options := app.Options{Assets: assets, Icon: icon}
	flag.StringVar(&options.DataDir, "data-dir", "", "the `directory` of Jackfield's data; the default is the platform's")
	flag.Parse()
	options.Args = flag.Args()
	return app.Run(options)
}

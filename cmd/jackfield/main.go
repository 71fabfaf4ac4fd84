// Command jackfield is the command line. Without arguments it opens the window, which is another program: nothing of a
// window system is linked into this one, so that it also runs on servers.
package main

import (
	"os"

	"jackfield/app/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

package wire

import (
	"os"
	"os/exec"
)

func killSelf() { os.Exit(1) }

func detach(*exec.Cmd) {}

func ignoreTerm() {}

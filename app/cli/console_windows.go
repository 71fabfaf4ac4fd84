package cli

import (
	"errors"
	"io"
	"os"
)

// console is the two halves that Windows has.
type console struct {
	io.Reader
	io.Writer
	close func() error
}

func (c console) Close() error { return c.close() }

// openConsole opens the console of this process, also where stderr leads elsewhere.
func openConsole() (io.ReadWriteCloser, error) {
	in, err := os.OpenFile("CONIN$", os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	out, err := os.OpenFile("CONOUT$", os.O_RDWR, 0)
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return console{in, out, func() error { return errors.Join(in.Close(), out.Close()) }}, nil
}

package cli

// catchPipe does nothing: Windows has no signal for it.
func catchPipe() (restore func()) { return func() {} }

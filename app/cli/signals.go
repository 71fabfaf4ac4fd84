package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// patience is how long tidying up may take after the second signal.
const patience = time.Second

// watchSignals cancels the run at the first signal, which ends a running call in order. The second ends the tidying up
// too, and the program soon after whatever happens. A closed pipe on stdout is an error of the write then, and no signal
// that would kill this program before its child processes have ended.
func watchSignals(cancel context.CancelCauseFunc) (quit context.Context, stop func()) {
	quit, hurry := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	restorePipe := catchPipe()
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for count := 0; ; count++ {
			select {
			case <-done:
				return
			case <-signals:
			}
			if count == 0 {
				cancel(errInterrupted)
				continue
			}
			hurry()
			time.AfterFunc(patience, func() { os.Exit(exitCancelled) })
		}
	}()
	return quit, func() {
		signal.Stop(signals)
		restorePipe()
		close(done)
		<-ended
		hurry()
	}
}

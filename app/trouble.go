package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	goruntime "runtime"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
	"github.com/wailsapp/wails/v2/pkg/runtime"

	"jackfield/app/api"
	"jackfield/backend/store"
)

// hasDisplay says so in words where there is no screen: GTK would panic.
func hasDisplay() error {
	if goruntime.GOOS == "linux" && os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
		return errors.New("there is no display to open a window on; use the command line, jackfield, here")
	}
	return nil
}

// tell shows an error before there is a window to show it in, and returns it.
func tell(icon []byte, title string, err error) error {
	failure := explain(err)
	_, shown := dialog(icon, runtime.MessageDialogOptions{
		Type: runtime.ErrorDialog, Title: title, Message: failure.Message + "\n\n" + failure.Hint,
	})
	return errors.Join(err, shown)
}

// explain words the troubles that come before the window.
func explain(err error) api.Failure {
	var corrupt *store.CorruptError
	switch {
	case errors.Is(err, store.ErrNewer):
		return api.Failure{
			Message: "Your data were written by a newer version of Jackfield.",
			Hint:    "Install the newer version again, or start this one with another data directory. Nothing was changed.",
		}
	case errors.As(err, &corrupt):
		return api.Failure{
			Message: "The file with your servers is damaged: " + corrupt.Path,
			Hint:    "Put a backup in its place, or let Jackfield set it aside and begin with an empty one.",
		}
	}
	failure := api.FailureOf(err)
	failure.Hint = "Correct that and start Jackfield again."
	return failure
}

// errAgain says that the trouble is gone and the program is to start once more.
var errAgain = errors.New("start again")

// offerToSetAside asks whether to begin with an empty file. The damaged one is renamed, never deleted. It returns errAgain if
// that was done: a process can open the main window only if it has not opened another one before.
func offerToSetAside(ctx context.Context, o Options, cause error) error {
	failure := explain(cause)
	const yes = "Yes"
	answer, err := dialog(o.Icon, runtime.MessageDialogOptions{
		Type: runtime.QuestionDialog, Title: "Jackfield's data are damaged", DefaultButton: "No",
		Message: failure.Message + "\n\nSet it aside and begin with an empty one? The damaged file is kept beside it.",
	})
	if err != nil || answer != yes {
		return errors.Join(cause, err)
	}
	aside, err := store.SetAside(ctx, o.DataDir)
	if err != nil {
		return fmt.Errorf("setting the damaged file aside: %w", err)
	}
	fmt.Fprintln(os.Stderr, "jackfield-desktop: the damaged file is now", aside)
	return errAgain
}

// dialog opens a native message without a window behind it and returns the button's name.
func dialog(icon []byte, message runtime.MessageDialogOptions) (button string, err error) {
	var failed error
	err = wails.Run(&options.App{
		Title: message.Title, Width: 1, Height: 1, StartHidden: true,
		AssetServer: &assetserver.Options{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<!doctype html><title>Jackfield</title>") // into memory
		})},
		Logger: wailsLog{slog.New(slog.DiscardHandler)},
		OnDomReady: func(ctx context.Context) {
			button, failed = runtime.MessageDialog(ctx, message)
			runtime.Quit(ctx)
		},
		Linux: linuxOptions(icon),
	})
	return button, errors.Join(err, failed)
}

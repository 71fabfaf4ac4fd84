//go:build e2e

// Command frames is a window whose page does what an attacker would: it makes frames of every kind, each of which tries to
// call Go. It prints the names of those that got through as JSON. Which walls stand is said by its arguments: "guard",
// "policy".
package main

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
	"github.com/wailsapp/wails/v2/pkg/runtime"

	"jackfield/app/frames"
)

//go:embed page
var page embed.FS

// Probe is bound: whoever reaches Touch reaches Go.
type Probe struct {
	mu      sync.Mutex
	touched map[string]bool
	done    chan struct{}
}

// Touch notes who called.
func (p *Probe) Touch(who string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.touched[who] = true
}

// Done is called by the page when every frame has had its time.
func (p *Probe) Done() { close(p.done) }

// text serves what a server may have written, as the program serves messages of the trace.
func text(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/trace/1" {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = io.WriteString(w, `window.go.main.Probe.Touch("text as a script")`) // into memory
	})
}

func main() {
	guard, policy := slices.Contains(os.Args, "guard"), slices.Contains(os.Args, "policy")
	probe := &Probe{touched: map[string]bool{}, done: make(chan struct{})}
	assets, err := fs.Sub(page, "page")
	if err == nil {
		err = wails.Run(&options.App{
			Title: "Frames", Width: 400, Height: 300,
			AssetServer: &assetserver.Options{Assets: assets, Middleware: func(next http.Handler) http.Handler {
				next = text(next)
				if policy {
					return frames.Protect(next)
				}
				return next
			}},
			OnStartup: func(ctx context.Context) {
				if guard {
					frames.Guard()
				}
				go func() {
					select {
					case <-probe.done:
					case <-time.After(40 * time.Second):
						fmt.Fprintln(os.Stderr, "the page did not finish")
					}
					runtime.Quit(ctx)
				}()
			},
			Bind: []any{probe},
		})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	probe.mu.Lock()
	defer probe.mu.Unlock()
	var names []string
	for name := range probe.touched {
		names = append(names, name)
	}
	slices.Sort(names)
	if err := json.NewEncoder(os.Stdout).Encode(names); err != nil {
		os.Exit(1)
	}
}

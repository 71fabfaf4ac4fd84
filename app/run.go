package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
	"github.com/wailsapp/wails/v2/pkg/runtime"
	"gopkg.in/natefinch/lumberjack.v2"

	"jackfield/app/api"
	"jackfield/app/appearance"
	"jackfield/app/browser"
	"jackfield/app/frames"
	"jackfield/app/instance"
	"jackfield/app/link"
	"jackfield/backend"
	"jackfield/backend/mcp"
	"jackfield/backend/store"
	"jackfield/backend/store/vault"
)

const (
	// closePatience is how long servers have to end when the program quits.
	closePatience = 5 * time.Second
	// domPatience is when the window is shown although its page has not said that it is there.
	domPatience = 10 * time.Second
)

// Options of Run.
type Options struct {
	Assets  fs.FS // the built front end: index.html, prompt.html
	Icon    []byte
	DataDir string   // "" for the platform's
	Args    []string // what the program was started with, as it was
}

// Generate is what a build with the tag bindings does: it writes frontend/wailsjs and touches nothing else.
func Generate(assets fs.FS) error {
	return wails.Run(&options.App{AssetServer: &assetserver.Options{Assets: assets}, Bind: []any{&Desktop{}, &Prompt{}}})
}

// Run is the whole life of the desktop program. When another one runs on the same data, it brings that to the front and
// returns nil.
func Run(o Options) (err error) {
	if err := hasDisplay(); err != nil {
		return err
	}
	usual, err := store.DefaultDir()
	if err != nil {
		return err
	}
	o.DataDir = cmp.Or(o.DataDir, usual)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	cwd, _ := os.Getwd() // only for a later start's arguments; without one they are absolute or mean nothing
	lock, err := instance.Acquire(ctx, o.DataDir, instance.Start{Args: o.Args, Cwd: cwd})
	if errors.Is(err, instance.ErrHandedOver) {
		return nil
	}
	if err != nil {
		return tell(o.Icon, "Jackfield did not start", err)
	}
	defer func() {
		err = errors.Join(err, lock.Close())
		if errors.Is(err, errAgain) {
			err = restart()
		}
	}()

	file := &lumberjack.Logger{Filename: filepath.Join(o.DataDir, "jackfield.log"), MaxSize: 5, MaxBackups: 2}
	defer file.Close()
	log := slog.New(slog.NewTextHandler(file, nil))
	slog.SetDefault(log) // what libraries log belongs there, too
	sweeper := startSweeper(log)
	defer func() {
		if swept := sweeper.close(); swept != nil {
			log.Warn("the sweeper did not end in order", "error", swept)
		}
	}()
	links := newLinks(promptCommand()[0], sameDir(o.DataDir, usual))
	b, err := open(ctx, o, links, log)
	if err != nil {
		if !errors.Is(err, errAgain) {
			log.Error("the data were not opened", "error", err)
		}
		return err
	}
	return newProgram(ctx, cancel, b, links, log).run(o, lock)
}

// program is the main window and what belongs to it.
type program struct {
	ctx     context.Context
	cancel  context.CancelFunc
	backend *backend.Backend
	desktop *Desktop
	log     *slog.Logger

	settings api.Settings
	window   *later
	work     sync.WaitGroup // goroutines that end with ctx

	leave  sync.Once // of reading where the window is
	mu     sync.Mutex
	placed placement // where the window is, as last read; guarded by mu
	closed bool      // guarded by mu
}

func newProgram(ctx context.Context, cancel context.CancelFunc, b *backend.Backend, links *links, log *slog.Logger) *program {
	p := &program{ctx: ctx, cancel: cancel, backend: b, log: log, window: newLater()}
	p.placed, p.settings = loadPlacement(ctx, b.Store, log)
	d := &Desktop{ctx: ctx, backend: b, log: log, links: links, look: appearance.New(ctx, p.settings.Theme)}
	d.stream = newStream(b.Manager, func(batch api.Batch) { runtime.EventsEmit(p.window.wait(), api.EventChannel, batch) })
	d.windows = newAskWindows(b.Manager, promptCommand(), log, d.answer)
	d.pickFile = func(o runtime.SaveDialogOptions) (string, error) { return runtime.SaveFileDialog(p.window.wait(), o) }
	p.desktop = d
	return p
}

// promptCommand starts this program once more, as a prompt window.
func promptCommand() []string {
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	return []string{self, PromptArgument}
}

func (p *program) run(o Options, lock *instance.Instance) error {
	size := place(p.placed, screenSize{})
	err := wails.Run(&options.App{
		Title: "Jackfield", Width: size.Width, Height: size.Height, MinWidth: minWidth, MinHeight: minHeight,
		StartHidden: true, BackgroundColour: background(p.desktop.look.Dark()),
		AssetServer: &assetserver.Options{Assets: o.Assets, Middleware: p.desktop.documents},
		Logger:      wailsLog{p.log},
		OnStartup: func(ctx context.Context) {
			frames.Guard()
			p.window.set(ctx)
			p.start(lock, o.Args)
		},
		OnDomReady:    func(ctx context.Context) { p.show(ctx) },
		OnBeforeClose: p.closing,
		OnShutdown:    func(context.Context) { p.close() },
		Bind:          []any{p.desktop},
		Linux:         linuxOptions(o.Icon),
		Windows:       windowsOptions(p.settings.Theme),
		Mac:           macOptions(p.settings.Theme, p.follow),
	})
	p.close() // a second time does nothing; the first one is missing if the window never opened
	if err != nil {
		return fmt.Errorf("opening the window: %w", err)
	}
	return nil
}

// start begins what runs beside the window.
func (p *program) start(lock *instance.Instance, args []string) {
	p.work.Go(func() { p.desktop.links.launch(p.ctx, p.backend.Store, p.log) })
	p.work.Go(p.watchVault)
	if raw, ok := link.FromArgs(args); ok {
		p.work.Go(func() { p.desktop.follow(raw) })
	}
	p.work.Go(func() { p.desktop.stream.run(p.ctx) })
	p.work.Go(func() { p.desktop.windows.run(p.ctx, p.settings) })
	p.work.Go(func() { p.desktop.look.Run(p.ctx) })
	p.work.Go(func() { p.raiseOnStarts(lock.Starts()) })
	p.work.Go(p.quitOnSignal)
	p.work.Go(func() {
		select {
		case <-p.window.shown:
		case <-time.After(domPatience):
			p.log.Warn("the page did not report in time; the window is shown anyway")
			p.show(p.window.wait())
		case <-p.ctx.Done():
		}
	})
}

func (p *program) show(ctx context.Context) {
	p.window.once.Do(func() {
		show(ctx, p.place())
		close(p.window.shown)
	})
}

func (p *program) raiseOnStarts(starts <-chan instance.Start) {
	for {
		select {
		case start, ok := <-starts:
			if !ok {
				return
			}
			if raw, is := link.FromArgs(start.Args); is {
				p.follow(raw)
				continue
			}
			raise(p.window.wait())
		case <-p.ctx.Done():
			return
		}
	}
}

// follow does what a link asks for, and brings the window to the front if that concerns the person.
func (p *program) follow(raw string) {
	if p.desktop.follow(raw) {
		raise(p.window.wait())
	}
}

// watchVault tells the page what becomes of the vault.
func (p *program) watchVault() {
	cancel := p.backend.Store.Vault().Subscribe(func(s vault.Status) { p.desktop.stream.vault(api.VaultOf(s)) })
	defer cancel()
	<-p.ctx.Done()
}

// quitOnSignal closes the window as the person would. A second signal ends the program at once.
func (p *program) quitOnSignal() {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	defer signal.Stop(signals)
	select {
	case <-signals:
		runtime.Quit(p.window.wait())
	case <-p.ctx.Done():
		return
	}
	select {
	case <-signals:
		os.Exit(1)
	case <-p.ctx.Done():
	}
}

// closing keeps the place of the window while it still has one. Wails may call it several times at once, and asking a window
// that is going away can wait for ever.
func (p *program) closing(ctx context.Context) (prevent bool) {
	p.leave.Do(func() {
		read := make(chan placement, 1)
		before := p.place()
		go func() { read <- remember(ctx, before) }()
		select {
		case placed := <-read:
			p.mu.Lock()
			defer p.mu.Unlock()
			p.placed = placed
		case <-time.After(time.Second):
			p.log.Warn("the window's place was not read in time")
		}
	})
	return false
}

func (p *program) place() placement {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.placed
}

// close ends everything, at most once. The window is gone by now, so nobody waits for it.
func (p *program) close() {
	p.mu.Lock()
	done, placed := p.closed, p.placed
	p.closed = true
	p.mu.Unlock()
	if done {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), closePatience)
	defer cancel()
	if err := save(ctx, p.backend.Store, placementKey, placed); err != nil {
		p.log.Warn("the window's place was not kept", "error", err)
	}
	p.cancel() // bound calls, prompt windows and the stream
	if err := p.backend.Close(ctx); err != nil {
		p.log.Error("closing", "error", err)
	}
	p.work.Wait()
	p.desktop.work.Wait()
}

// later hands over the context of a window to those that were started before it was there.
type later struct {
	ready chan struct{}
	ctx   context.Context

	once  sync.Once // of showing
	shown chan struct{}
}

func newLater() *later { return &later{ready: make(chan struct{}), shown: make(chan struct{})} }

func (l *later) set(ctx context.Context) {
	l.ctx = ctx
	close(l.ready)
}

func (l *later) wait() context.Context {
	<-l.ready
	return l.ctx
}

func open(ctx context.Context, o Options, links *links, log *slog.Logger) (*backend.Backend, error) {
	keyring, reason := vault.System()
	settings := backend.Options{
		Keyring: keyring, NoKeyring: reason,
		DataDir: o.DataDir, Log: log, Modes: []mcp.AskMode{mcp.AskForm, mcp.AskURL, mcp.AskSampling}, Restore: true,
		Environ: mcp.LoginEnviron, // a program started from a desktop does not have the PATH of a terminal
		OpenURL: browser.Open, Scheme: links.arrive,
	}
	b, err := backend.Open(ctx, settings)
	if err == nil {
		return b, nil
	}
	if _, corrupt := errors.AsType[*store.CorruptError](err); corrupt {
		return nil, offerToSetAside(ctx, o, err)
	}
	return nil, tell(o.Icon, "Jackfield did not start", err)
}

package cli

import (
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"jackfield/backend"
	"jackfield/backend/mcp"
)

// program is one run of the command line.
type program struct {
	stdin   *os.File
	out     *output
	dataDir string
	timeout time.Duration
	trace   string
	answers bool // there are answers to questions of servers, given beforehand

	quit   context.Context // ends when even the tidying up must end
	failed error           // what the command returned; cobra's own errors are about usage
}

// Main runs one command line and returns the exit status.
func Main(args []string, stdin, stdout, stderr *os.File) int {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	quit, stop := watchSignals(cancel)
	defer stop()
	p := &program{stdin: stdin, out: newOutput(stdout, stderr), quit: quit}
	p.out.gone = func() { cancel(errPipe) }
	return p.main(ctx, args)
}

func (p *program) main(ctx context.Context, args []string) int {
	root := p.root()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		err = p.failed
	} else {
		// A mistake in the flags may stand before --json.
		end := slices.Index(args, "--")
		if end < 0 {
			end = len(args)
		}
		p.out.json = p.out.json || slices.Contains(args[:end], "--json")
		var typed *mcp.Error
		if !errors.As(err, &typed) {
			err = usage("See `jackfield help`.", "%s", sentence(err.Error()))
		}
	}
	var status reported
	switch {
	case err == nil, errors.Is(err, errPipe), errors.Is(context.Cause(ctx), errPipe):
		return exitDone
	case errors.As(err, &status):
		return int(status)
	}
	failure := failureOf(context.Background(), err) // settled already: it keeps its type
	p.out.failure(failure)
	return exitStatus(failure.Code)
}

func (p *program) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "jackfield",
		Short: "Connect to MCP servers, see what they offer, call it",
		Long: `Jackfield connects to MCP servers. Without a command it opens the window; the commands work on the same servers,
sign-ins and history. TARGET is the id of a stored server, or an ad-hoc one: --url URL, or -- COMMAND ARGUMENT… at
the end of the line.`,
		Example: `  jackfield add docs https://example.com/mcp
  jackfield tools docs
  jackfield call docs search query=socket limit=5
  jackfield --json tools -- node server.js stdio`,
		Version:           backend.Version,
		SilenceErrors:     true,
		SilenceUsage:      true,
		Args:              cobra.NoArgs,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		RunE:              p.run(p.openWindow),
	}
	root.SetOut(p.out)
	root.SetErr(p.out.err)
	root.SetVersionTemplate("jackfield {{.Version}}\n")
	root.SetFlagErrorFunc(func(command *cobra.Command, err error) error {
		return usage("See `"+command.CommandPath()+" --help`.", "%s", sentence(err.Error()))
	})
	usageTemplate := root.UsageTemplate()
	root.SetUsageTemplate(usageTemplate + "{{if not .HasParent}}\n" + exitHelp + "\n{{end}}")
	flags := root.PersistentFlags()
	flags.StringVar(&p.dataDir, "data-dir", "", "keep servers, sign-ins and history in `DIR`")
	flags.BoolVar(&p.out.json, "json", false, "print one JSON document, or JSON lines for streams, on stdout")
	flags.BoolVar(&p.out.quiet, "quiet", false, "no notes, problems and progress on stderr")
	flags.DurationVar(&p.timeout, "timeout", 0, "end the whole command after `DUR`, such as 20s, and print what is known")
	flags.StringVar(&p.trace, "trace", "", "write every message to `FILE` as JSON lines; to a FILE.har at the end, as an HTTP Archive")
	root.AddCommand(
		p.serversCommand(), p.addCommand(), p.editCommand(), p.removeCommand(),
		p.switchCommand("enable", true), p.switchCommand("disable", false),
		p.importCommand(), p.exportCommand(), p.approveCommand(), p.loginCommand(), p.logoutCommand(),
		p.statusCommand(), p.toolsCommand(), p.promptsCommand(), p.resourcesCommand(), p.templatesCommand(),
		p.callCommand(), p.promptCommand(), p.readCommand(), p.completeCommand(),
		p.watchCommand(), p.doctorCommand(), p.historyCommand(), p.savedCommand(), p.vaultCommand(), p.playgroundCommand(),
	)
	return root
}

// line is what a command was given besides flags: arguments, and the command behind -- if there is one.
type line struct {
	args    []string
	command []string
	dashed  bool
}

func newLine(command *cobra.Command, args []string) line {
	at := command.ArgsLenAtDash()
	if at < 0 {
		return line{args: args}
	}
	return line{args: args[:at], command: args[at:], dashed: true}
}

// run makes the function of a command: it bounds the whole with --timeout and keeps the error apart from cobra's own.
func (p *program) run(do func(context.Context, line) error) func(*cobra.Command, []string) error {
	return func(command *cobra.Command, args []string) error {
		ctx := command.Context()
		if p.timeout < 0 {
			return usage("", "--timeout must not be negative.")
		}
		if p.timeout > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeoutCause(ctx, p.timeout, errTimedOut)
			defer cancel()
		}
		if err := do(ctx, newLine(command, args)); err != nil {
			p.failed = settle(ctx, err) // before the deferred cancel hides the cause
		}
		return nil
	}
}

// settle turns an error into its failure, unless its output is done.
func settle(ctx context.Context, err error) error {
	var status reported
	if errors.As(err, &status) || errors.Is(err, errPipe) || errors.Is(context.Cause(ctx), errPipe) {
		return err
	}
	return failureOf(ctx, err)
}

// noDash refuses a command behind -- where none belongs.
func noDash(do func(context.Context, []string) error) func(context.Context, line) error {
	return func(ctx context.Context, l line) error {
		if l.dashed {
			return usage("", "This command takes nothing behind --.")
		}
		return do(ctx, l.args)
	}
}

package cli

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/oklog/ulid/v2"
	"github.com/spf13/cobra"

	"jackfield/backend/mcp"
	"jackfield/backend/store"
)

// lateTools is how long a tool is waited for that a server with changing lists does not have yet: some announce their
// tools right after the handshake.
const lateTools = time.Second

// callFlags are what call, prompt and read share.
type callFlags struct {
	serverFlags
	answers []string
	idle    time.Duration
	total   time.Duration
	args    string
	save    string // keep the call under this name
	saved   string // make the one that is kept under this name
}

func (f *callFlags) registerCall(command *cobra.Command, arguments bool) {
	flags := command.Flags()
	f.registerTarget(flags)
	if arguments {
		flags.StringVar(&f.args, "args", "", "all arguments as a `JSON` object, @file, or @- for stdin")
	}
	flags.StringVar(&f.save, "save", "", "keep this call under `NAME`, in place of another of that name")
	flags.StringVar(&f.saved, "saved", "", "make the call that is kept under `NAME`; name=value replaces single arguments")
	flags.StringArrayVar(&f.answers, "answer", nil, "answer the next question of the server: `accept=JSON`, accept, decline or cancel; may be repeated")
	flags.DurationVar(&f.idle, "idle-timeout", 0, "limit without a sign of life, such as 60s; 0 for the server's")
	flags.DurationVar(&f.total, "max-time", 0, "limit for the whole call; 0 for the server's")
}

// base reads --args.
func (f *callFlags) base(p *program, changed func(string) bool) (object, error) {
	if !changed("args") {
		return nil, nil
	}
	return readArguments(f.args, p.stdin)
}

// request is what the three commands do differently.
type request struct {
	kind  store.Kind
	what  string // "Which tool?"
	pairs bool   // k=v follow
	// arguments makes the arguments, when the server is connected and its catalog is known.
	arguments func(p *program, catalog mcp.Catalog, name string, base object, pairs []pair) (json.RawMessage, error)
	show      func(r *renderer, call mcp.Call) error
	keepAs    string // "" for not
}

func (p *program) callCommand() *cobra.Command {
	return p.requestCommand(&cobra.Command{
		Use:   "call TARGET TOOL [name=value…]",
		Short: "Call a tool and print its result",
		Long: `Call calls a tool. Values are typed by the tool's schema: where it wants text, 007 stays text; where it wants a number, the
digits stay as typed. A repeated name makes an array. name:=JSON sends JSON whatever the schema says.

A question of the server is asked on the terminal. Without one it gets the next --answer, or else is declined.`,
		Example: `  jackfield call playground add amount=2
  jackfield call playground ask_form --answer decline
  jackfield call --json echo text=hello -- node server.js stdio`,
	}, request{
		kind: store.KindTool, what: "Which tool?", pairs: true,
		arguments: func(p *program, catalog mcp.Catalog, name string, base object, pairs []pair) (json.RawMessage, error) {
			i := slices.IndexFunc(catalog.Tools, func(tool mcp.Tool) bool { return tool.Name == name })
			if i < 0 {
				return nil, unknownItem("tool", name, each(catalog.Tools, func(tool mcp.Tool) any { return tool.Name }))
			}
			arguments, notes, err := toolArguments(base, pairs, catalog.Tools[i].InputSchema)
			for _, note := range notes {
				p.out.note("%s", note)
			}
			return arguments, err
		},
		show: (*renderer).tool,
	})
}

// requestCommand completes one of the three commands.
func (p *program) requestCommand(command *cobra.Command, r request) *cobra.Command {
	var flags callFlags
	flags.registerCall(command, r.pairs)
	command.RunE = p.run(func(ctx context.Context, l line) error {
		changed := command.Flags().Changed
		var t *target
		var name string
		rest := l.args
		if changed("saved") {
			if l.dashed || flags.url != "" {
				return usage("A saved call knows its server.", "--saved takes no other server.")
			}
		} else {
			var err error
			if t, err = flags.required(l, changed); err != nil {
				return err
			}
			if len(t.rest) == 0 || t.rest[0] == "" {
				return usage("See `jackfield "+command.Name()+" --help`.", "%s", r.what)
			}
			name, rest = t.rest[0], t.rest[1:]
		}
		if !r.pairs && len(rest) > 0 {
			return usage("", "%q is one too many.", rest[0])
		}
		if flags.idle < 0 || flags.total < 0 {
			return usage("", "A time limit must not be negative.")
		}
		pairs, err := parsePairs(rest)
		if err != nil {
			return err
		}
		base, err := flags.base(p, changed)
		if err != nil {
			return err
		}
		answers, err := parseAnswers(flags.answers)
		if err != nil {
			return err
		}
		p.answers = len(answers) > 0
		return p.with(ctx, false, func(s *session) error {
			if changed("saved") {
				if t, name, base, err = s.useSaved(ctx, flags.saved, r.kind, base); err != nil {
					return err
				}
			}
			asker := newAsker(p, s.Manager, answers)
			events := p.listen(ctx, s, asker)
			r.keepAs = flags.save
			call, err := p.request(ctx, s, t, r, mcp.CallRequest{Kind: r.kind, Name: name, Idle: flags.idle, Total: flags.total}, base, pairs)
			events.stop()
			if wrong := asker.failure(); wrong != nil {
				err = wrong
			}
			return p.reportCall(ctx, s, call, r, err)
		})
	})
	return command
}

// request connects, makes the arguments and calls.
func (p *program) request(ctx context.Context, s *session, t *target, r request, request mcp.CallRequest, base object, pairs []pair) (mcp.Call, error) {
	call := mcp.Call{Call: store.Call{Kind: request.Kind, Name: request.Name}}
	id, err := s.connect(ctx, t)
	call.ServerID = id
	if err != nil {
		return call, err
	}
	request.ServerID, request.ID = id, ulid.Make().String()
	if request.Arguments, err = p.arguments(ctx, s, id, r, request.Name, base, pairs); err != nil {
		return call, err
	}
	if r.keepAs != "" {
		if err := s.keepAs(ctx, r.keepAs, request); err != nil {
			return call, err
		}
	}
	// The person's cancelling is told to the server as such; the call then ends by itself.
	stop := context.AfterFunc(ctx, func() {
		if err := s.Manager.CancelCall(request.ID); err != nil {
			p.out.note("The call could not be cancelled: %v", err)
		}
	})
	defer stop()
	called, err := s.Manager.Call(ctx, request)
	if called.ServerID == "" {
		called = call
	}
	if failure, ok := errors.AsType[*mcp.Error](err); ok && failure.Code == mcp.CodeVisitRequired {
		s.visited(ctx, request.ID)
	}
	return called, err
}

// visited waits until the person has answered what an ended call left open.
func (s *session) visited(ctx context.Context, callID string) {
	events, cancel := s.Manager.Subscribe()
	defer cancel()
	open := func() bool {
		return slices.ContainsFunc(s.Manager.Snapshot().Asks, func(ask mcp.Ask) bool { return ask.CallID == callID })
	}
	for open() {
		if !waitFor(ctx, events, func(event mcp.Event) bool { return event.Type == mcp.EventAsk }) {
			return
		}
	}
}

// arguments makes them from the catalog, and waits for a late entry of it.
func (p *program) arguments(ctx context.Context, s *session, id string, r request, name string, base object, pairs []pair) (json.RawMessage, error) {
	if r.arguments == nil {
		return nil, nil
	}
	events, cancel := s.Manager.Subscribe()
	defer cancel()
	late, stop := context.WithTimeout(ctx, lateTools)
	defer stop()
	for {
		catalog, err := s.Manager.Catalog(id)
		if err != nil {
			return nil, err
		}
		arguments, err := r.arguments(p, catalog, name, base, pairs)
		var failure *mcp.Error
		if !errors.As(err, &failure) || failure.Code != mcp.CodeUnknownItem || !s.changes(id, r.kind) {
			return arguments, err
		}
		if !waitFor(late, events, func(event mcp.Event) bool {
			return event.Type == mcp.EventCatalog && event.ServerID == id
		}) {
			return nil, err
		}
	}
}

// changes tells whether a server announces changes of a list.
func (s *session) changes(id string, kind store.Kind) bool {
	status, err := s.Manager.Status(id)
	if err != nil {
		return false
	}
	return slices.Contains(status.Capabilities, string(kind)+"s.listChanged")
}

func waitFor(ctx context.Context, events <-chan mcp.Event, wanted func(mcp.Event) bool) bool {
	for {
		select {
		case <-ctx.Done():
			return false
		case event, ok := <-events:
			if !ok {
				return false
			}
			if wanted(event) {
				return true
			}
		}
	}
}

// unknownItem names what there is instead.
func unknownItem(what, name string, names []any) error {
	var list []string
	for _, one := range names {
		list = append(list, one.(string))
	}
	hint := "The server offers no " + what + "s."
	if len(list) > 0 {
		hint = "It offers: " + some(list) + "."
	}
	return unknown(mcp.CodeUnknownItem, hint, "The server has no %s %q.", what, name)
}

// union are the problems of both lists, each once: what was worked around in a call is known of the server, too.
func union(lists ...[]mcp.Problem) []mcp.Problem {
	var all []mcp.Problem
	for _, problem := range slices.Concat(lists...) {
		if !slices.Contains(all, problem) {
			all = append(all, problem)
		}
	}
	return all
}

// reportCall prints how a call ended.
func (p *program) reportCall(ctx context.Context, s *session, call mcp.Call, r request, err error) error {
	failure := failureOrNil(ctx, err)
	if failure != nil && call.ServerID == "" {
		return failure
	}
	problems := s.problems(call.ServerID)
	if p.out.json {
		if err := p.out.document(newCall(call, problems, failure)); err != nil {
			return err
		}
	} else {
		if failure == nil {
			if err := r.show(&renderer{out: p.out}, call); err != nil {
				return err
			}
		}
		for _, violation := range call.Violations {
			p.out.note("structuredContent does not fit the tool's outputSchema: %s %s", violation.Pointer, violation.Message)
		}
		p.out.problems(union(call.Problems, problems))
	}
	if failure != nil {
		return p.ending(failure)
	}
	if call.Outcome == store.OutcomeToolError {
		return reported(exitToolError)
	}
	return nil
}

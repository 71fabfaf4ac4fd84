package cli

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"jackfield/backend/mcp"
	"jackfield/backend/store"
)

func (p *program) historyCommand() *cobra.Command {
	var filter store.CallFilter
	var kind string
	var keep keepFlags
	command := &cobra.Command{
		Use:   "history [ID] | history show|pin|unpin CALL",
		Short: "List earlier calls, newest first; show prints one with its result",
		Long: `History lists the calls of all servers, or of one, newest first. Show prints one with its result. A pinned call stays whatever
the limits say. --keep-calls, --keep-days and --keep-bytes set these limits, for good, and delete what is beyond them; 0 means no limit.`,
	}
	flags := command.Flags()
	flags.StringVar(&kind, "kind", "", "only calls of this `KIND`: tool, prompt or resource")
	flags.StringVar(&filter.Name, "name", "", "only calls of this tool, prompt or URI")
	flags.StringVar(&filter.Text, "text", "", "only calls with this text in name, arguments or result")
	flags.BoolVar(&filter.Pinned, "pinned", false, "only pinned calls")
	flags.IntVar(&keep.calls, "keep-calls", 0, "keep at most this many calls of each server")
	flags.IntVar(&keep.days, "keep-days", 0, "keep calls for this many days")
	flags.Int64Var(&keep.bytes, "keep-bytes", 0, "keep at most this many bytes of arguments and results")
	flags.StringVar(&filter.Before, "before", "", "only calls older than the one with this `CALL` id")
	flags.IntVar(&filter.Limit, "limit", 0, "at most this many; 0 means 100")
	command.RunE = p.run(noDash(func(ctx context.Context, args []string) error {
		switch filter.Kind = store.Kind(kind); filter.Kind {
		case "", store.KindTool, store.KindPrompt, store.KindResource:
		default:
			return usage("It is tool, prompt or resource.", "--kind %q does not exist.", kind)
		}
		if filter.Limit < 0 {
			return usage("", "--limit must not be negative.")
		}
		if changed := command.Flags().Changed; changed("keep-calls") || changed("keep-days") || changed("keep-bytes") {
			if len(args) > 0 {
				return usage("The limits are for all servers.", "%q is one too many.", args[0])
			}
			return p.with(ctx, false, func(s *session) error { return p.keep(ctx, s, keep, changed) })
		}
		switch {
		case len(args) == 2 && (args[0] == "pin" || args[0] == "unpin"):
			return p.with(ctx, false, func(s *session) error { return p.pin(ctx, s, args[1], args[0] == "pin") })
		case len(args) == 2 && args[0] == "show":
			return p.with(ctx, false, func(s *session) error { return p.historyCall(ctx, s, args[1]) })
		case len(args) > 1:
			return usage("See `jackfield history --help`.", "%q is one too many.", args[1])
		}
		return p.with(ctx, false, func(s *session) error { return p.history(ctx, s, args, filter) })
	}))
	return command
}

func (p *program) history(ctx context.Context, s *session, args []string, filter store.CallFilter) error {
	if len(args) == 1 {
		id, err := s.find(ctx, args[0])
		if err != nil {
			return err
		}
		filter.ServerID = id
	}
	calls, err := s.Manager.History(ctx, filter)
	if err != nil {
		return err
	}
	if p.out.json {
		docs := []historyDoc{}
		for _, call := range calls {
			doc := newHistory(call)
			doc.Result = nil // one at a time: history show
			docs = append(docs, doc)
		}
		return p.out.document(struct {
			Calls []historyDoc `json:"calls"`
		}{docs})
	}
	var t table
	for _, call := range calls {
		t.row(dim(call.ID), plain(call.StartedAt.Local().Format(time.DateTime)), plain(call.ServerID),
			cell{string(call.Outcome), outcomeStyle(call.Outcome)}, plain(call.Duration.Round(time.Millisecond).String()),
			cell{call.Name, styleBold}, plain(pinMark(call)+string(call.Arguments)))
	}
	if len(calls) == 0 {
		p.out.note("No calls.")
	}
	return p.out.table(&t)
}

func (p *program) historyCall(ctx context.Context, s *session, id string) error {
	call, err := s.Manager.HistoryCall(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return unknown(mcp.CodeUnknownItem, "See `jackfield history`.", "There is no call %q in the history.", id)
	}
	if err != nil {
		return err
	}
	if p.out.json {
		return p.out.document(newHistory(call))
	}
	p.out.note("%s %s of %s, %s: %s after %s", call.Kind, call.Name, call.ServerID,
		call.StartedAt.Local().Format(time.DateTime), call.Outcome, call.Duration.Round(time.Millisecond))
	if len(call.Arguments) > 0 {
		p.out.note("Arguments: %s", call.Arguments)
	}
	if call.Failure != nil {
		p.out.note("%s %s", call.Failure.Message, call.Failure.Hint)
	}
	if len(call.Result) == 0 {
		return nil
	}
	r := &renderer{out: p.out}
	row := mcp.Call{Call: call}
	switch call.Kind {
	case store.KindPrompt:
		return r.prompt(row)
	case store.KindResource:
		return r.resource(row)
	case store.KindTool:
	}
	return r.tool(row)
}

func outcomeStyle(outcome store.Outcome) style {
	switch outcome {
	case store.OutcomeDone:
		return styleGood
	case store.OutcomeRunning:
		return styleBusy
	case store.OutcomeCancelled:
		return styleDim
	case store.OutcomeToolError, store.OutcomeFailed, store.OutcomeTimeout:
	}
	return styleBad
}

func pinMark(call store.Call) string {
	if call.Pinned {
		return "(pinned) "
	}
	return ""
}

func (p *program) pin(ctx context.Context, s *session, id string, pinned bool) error {
	err := s.Store.PinCall(ctx, id, pinned)
	if errors.Is(err, store.ErrNotFound) {
		return unknown(mcp.CodeUnknownItem, "See `jackfield history`.", "There is no call %q in the history.", id)
	}
	if err != nil || !p.out.json {
		return err
	}
	call, err := s.Manager.HistoryCall(ctx, id)
	if err != nil {
		return err
	}
	call.Result = nil
	return p.out.document(newHistory(call))
}

// keepFlags are the limits of the history.
type keepFlags struct {
	calls, days int
	bytes       int64
}

func (p *program) keep(ctx context.Context, s *session, k keepFlags, changed func(string) bool) error {
	const day = 24 * time.Hour
	if k.calls < 0 || k.days < 0 || k.bytes < 0 || k.days > 36_500 {
		return usage("0 means no limit.", "A limit of the history must not be negative, nor longer than a hundred years.")
	}
	r, err := s.Store.Retention(ctx)
	if err != nil {
		return err
	}
	if changed("keep-calls") {
		r.Calls = k.calls
	}
	if changed("keep-days") {
		r.Age = time.Duration(k.days) * day
	}
	if changed("keep-bytes") {
		r.Bytes = k.bytes
	}
	if err := s.Store.SetRetention(ctx, r); err != nil {
		return err
	}
	deleted, err := s.Prune(ctx)
	if err != nil {
		return err
	}
	if p.out.json {
		return p.out.document(struct {
			Calls   int     `json:"keepCalls"`
			Days    float64 `json:"keepDays"`
			Bytes   int64   `json:"keepBytes"`
			Deleted int     `json:"deleted"`
		}{r.Calls, r.Age.Hours() / 24, r.Bytes, deleted})
	}
	p.out.note("%d calls were deleted.", deleted)
	return nil
}

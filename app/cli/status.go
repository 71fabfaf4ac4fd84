package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"jackfield/backend/mcp"
)

func (p *program) statusCommand() *cobra.Command {
	var flags serverFlags
	command := &cobra.Command{
		Use:   "status [ID…]",
		Short: "Connect the enabled (or the named) servers and print how they are",
		Long: `Status connects all enabled servers, or the named ones, in parallel, waits for each and prints its state. It exits with 0
when it could report, whatever the states are.`,
	}
	flags.registerTarget(command.Flags())
	command.RunE = p.run(func(ctx context.Context, l line) error {
		t, err := flags.target(l, command.Flags().Changed)
		if err != nil {
			return err
		}
		if t != nil && t.adhoc != nil && len(t.rest) > 0 {
			return usage("", "An ad-hoc server stands alone; %q is one too many.", t.rest[0])
		}
		return p.with(ctx, false, func(s *session) error { return p.status(ctx, s, t, l.args) })
	})
	return command
}

func (p *program) status(ctx context.Context, s *session, t *target, names []string) error {
	events := p.listen(ctx, s, nil)
	defer events.stop()
	var ids []string
	switch {
	case t == nil:
		var err error
		if ids, err = s.enabled(ctx); err != nil {
			return err
		}
		s.connectAll(ctx, ids) // the rows tell how it went
	case t.adhoc != nil:
		id, err := s.connect(ctx, t)
		if id == "" {
			return err
		}
		ids = []string{id}
	default:
		for _, name := range names {
			id, err := s.find(ctx, name)
			if err != nil {
				return err
			}
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
		s.connectAll(ctx, ids)
	}
	var rows []mcp.Status
	for _, id := range ids {
		row, err := s.Manager.Status(id)
		if err != nil {
			return err
		}
		rows = append(rows, row)
	}
	return p.printStatus(ctx, rows)
}

func (p *program) printStatus(ctx context.Context, rows []mcp.Status) error {
	failure := failureOrNil(ctx, ctx.Err())
	if p.out.json {
		docs := []statusDoc{}
		for _, row := range rows {
			docs = append(docs, newStatus(row))
		}
		err := p.out.document(struct {
			Servers []statusDoc `json:"servers"`
			Error   *errorDoc   `json:"error,omitempty"`
		}{docs, newError(failure)})
		if err != nil {
			return err
		}
	} else {
		if len(rows) == 0 {
			p.out.note("No server is enabled.")
		}
		if err := p.out.table(statusTable(rows...)); err != nil {
			return err
		}
		for _, row := range rows {
			p.out.problems(row.Problems)
			if row.Failure != nil {
				p.out.explainRow(row)
			}
		}
	}
	return p.ending(failure)
}

func statusTable(rows ...mcp.Status) *table {
	var t table
	for _, row := range rows {
		t.row(plain(row.Server.ID), cell{string(row.State), stateStyle(row.State)}, plain(counts(row.Counts)), plain(row.Detail))
	}
	return &t
}

// failureOrNil is failureOf for an error that may be nil.
func failureOrNil(ctx context.Context, err error) *mcp.Error {
	if err == nil {
		return nil
	}
	return failureOf(ctx, err)
}

// ending is how a command ends whose document, with --json, already holds the failure.
func (p *program) ending(failure *mcp.Error) error {
	if failure == nil {
		return nil
	}
	if !p.out.json {
		p.out.explain(failure)
	}
	return reported(exitStatus(failure.Code))
}

// explainRow prints the last error of a server.
func (o *output) explainRow(row mcp.Status) {
	o.note("%s: %s", row.Server.ID, strings.TrimSpace(row.Failure.Message+" "+row.Failure.Hint))
	for _, line := range row.Failure.Stderr {
		o.note("  %s", line)
	}
}

func stateStyle(state mcp.State) style {
	switch state {
	case mcp.StateReady:
		return styleGood
	case mcp.StateFailed:
		return styleBad
	case mcp.StateDisconnected:
		return styleDim
	case mcp.StateConnecting, mcp.StateAuthenticating, mcp.StateConnected, mcp.StateDiscovering:
	}
	return styleBusy
}

func counts(c mcp.Counts) string {
	var parts []string
	for _, one := range []struct {
		n    int
		name string
	}{{c.Tools, "tool"}, {c.Prompts, "prompt"}, {c.Resources, "resource"}, {c.Templates, "template"}} {
		switch one.n {
		case 0:
		case 1:
			parts = append(parts, "1 "+one.name)
		default:
			parts = append(parts, fmt.Sprintf("%d %ss", one.n, one.name))
		}
	}
	return strings.Join(parts, ", ")
}

package cli

import (
	"context"

	"github.com/spf13/cobra"
)

// switchCommand makes enable and disable.
func (p *program) switchCommand(name string, on bool) *cobra.Command {
	short, done := "Connect a stored server by itself from now on", "Enabled"
	if !on {
		short, done = "Keep a stored server without connecting it by itself", "Disabled"
	}
	return &cobra.Command{
		Use: name + " ID", Short: short,
		RunE: p.run(noDash(func(ctx context.Context, args []string) error {
			if len(args) != 1 {
				return usage("Write `jackfield "+name+" ID`.", "Which server?")
			}
			return p.with(ctx, false, func(s *session) error {
				id, err := s.find(ctx, args[0])
				if err != nil {
					return err
				}
				if err := s.Manager.SetEnabled(ctx, id, on); err != nil {
					return err
				}
				return p.reportServer(ctx, s, id, done+" "+id, false, nil)
			})
		})),
	}
}

package cli

import (
	"context"

	"github.com/spf13/cobra"
)

func (p *program) removeCommand() *cobra.Command {
	return &cobra.Command{
		Use: "remove ID", Short: "Delete a stored server with its secrets and its history",
		RunE: p.run(noDash(func(ctx context.Context, args []string) error {
			if len(args) != 1 {
				return usage("Write `jackfield remove ID`.", "Which server?")
			}
			return p.with(ctx, false, func(s *session) error {
				id, err := s.find(ctx, args[0])
				if err != nil {
					return err
				}
				if err := s.Manager.Remove(ctx, id); err != nil {
					return err
				}
				if p.out.json {
					return p.out.document(struct {
						Removed string `json:"removed"`
					}{id})
				}
				p.out.note("Removed %s.", id)
				return nil
			})
		})),
	}
}

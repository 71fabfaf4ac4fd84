package cli

import (
	"context"

	"github.com/spf13/cobra"

	"jackfield/app/paste"
	"jackfield/backend/store"
)

func (p *program) exportCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "export [ID…]",
		Short: "Print stored servers as an mcpServers block for other programs, without secrets",
		Long: `Prints an mcpServers block of all stored servers, or of the named ones. Secrets are not in it; what was left out is said on the
error output.`,
		Example: "  jackfield export > servers.json",
		RunE:    p.run(noDash(p.export)),
	}
}

func (p *program) export(ctx context.Context, ids []string) error {
	return p.with(ctx, false, func(s *session) error {
		servers, err := s.Store.Servers(ctx)
		if err != nil {
			return err
		}
		if len(ids) > 0 {
			chosen := make([]store.Server, 0, len(ids))
			for _, name := range ids {
				id, err := s.find(ctx, name)
				if err != nil {
					return err
				}
				status, err := s.Manager.Status(id)
				if err != nil {
					return err
				}
				chosen = append(chosen, status.Server)
			}
			servers = chosen
		}
		block, notes, err := paste.Write(servers)
		if err != nil {
			return err
		}
		for _, note := range notes {
			p.out.note("%s", note)
		}
		return p.out.printf("%s", block)
	})
}

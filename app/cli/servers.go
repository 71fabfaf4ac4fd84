package cli

import (
	"context"

	"github.com/spf13/cobra"

	"jackfield/backend/store"
)

func (p *program) serversCommand() *cobra.Command {
	return &cobra.Command{
		Use: "servers", Short: "List the stored servers, without connecting", Args: cobra.NoArgs,
		RunE: p.run(noDash(p.servers)),
	}
}

func (p *program) servers(ctx context.Context, _ []string) error {
	return p.with(ctx, false, func(s *session) error {
		servers, err := s.Store.Servers(ctx)
		if err != nil {
			return err
		}
		return p.printServers(servers)
	})
}

// printServers prints stored servers.
func (p *program) printServers(servers []store.Server) error {
	if p.out.json {
		docs := []serverDoc{}
		for _, server := range servers {
			docs = append(docs, newServer(server))
		}
		return p.out.document(struct {
			Servers []serverDoc `json:"servers"`
		}{docs})
	}
	if len(servers) == 0 {
		p.out.note("No servers are stored. Store one with `jackfield add NAME URL` or `jackfield add NAME -- COMMAND ARGUMENT…`.")
		return nil
	}
	var t table
	for _, server := range servers {
		enabled := plain("")
		if !server.Enabled {
			enabled = dim("disabled")
		}
		t.row(plain(server.ID), plain(server.Name), plain(string(server.Transport)), enabled, plain(endpoint(server)))
	}
	return p.out.table(&t)
}

// endpoint is how a server is reached, as a person would type it.
func endpoint(server store.Server) string {
	switch server.Transport {
	case store.TransportStdio:
		return commandLine(server.Command, server.Args)
	case store.TransportBuiltin:
		return "built in"
	}
	return redacted(server.URL)
}

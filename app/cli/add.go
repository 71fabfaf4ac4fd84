package cli

import (
	"context"

	"github.com/spf13/cobra"

	"jackfield/backend/store"
)

func (p *program) addCommand() *cobra.Command {
	var flags serverFlags
	var only bool
	command := &cobra.Command{
		Use:   "add NAME URL | add NAME -- COMMAND [ARGUMENT…]",
		Short: "Store a server, connect and load what it offers",
		Example: `  jackfield add docs https://example.com/mcp --header "Authorization=Bearer …"
  jackfield add files -- npx -y @modelcontextprotocol/server-filesystem /srv`,
	}
	flags.register(command.Flags())
	flags.registerLimits(command.Flags())
	command.Flags().BoolVar(&only, "no-connect", false, "store it without connecting")
	command.RunE = p.run(func(ctx context.Context, l line) error {
		server, err := newEntry(&flags, l, command.Flags().Changed)
		if err != nil {
			return err
		}
		return p.add(ctx, server, !only)
	})
	return command
}

// newEntry reads the arguments of add.
func newEntry(flags *serverFlags, l line, changed func(string) bool) (store.Server, error) {
	const how = "Write `jackfield add NAME URL` or `jackfield add NAME -- COMMAND ARGUMENT…`."
	switch {
	case len(l.args) == 0:
		return store.Server{}, usage(how, "The server needs a name.")
	case l.args[0] == "":
		return store.Server{}, usage(how, "The name is empty.")
	case l.dashed && len(l.args) == 1 && len(l.command) > 0 && l.command[0] != "":
		return flags.server(l.args[0], "", l.command, changed)
	case !l.dashed && len(l.args) == 2:
		return flags.server(l.args[0], l.args[1], nil, changed)
	}
	return store.Server{}, usage(how, "The server needs either a URL or a command.")
}

func (p *program) add(ctx context.Context, server store.Server, connect bool) error {
	return p.with(ctx, false, func(s *session) error {
		store := s.Manager.Add
		if !connect {
			store = s.Manager.Register
		}
		id, err := store(ctx, server)
		if id == "" {
			return err
		}
		if status := s.Store.Vault().Status(); hasSecret(server) && !status.Keeps() {
			p.out.note("Values that look secret were not kept. %s %s", status.Detail, status.Hint)
		}
		return p.reportServer(ctx, s, id, "Stored as "+id, connect, err)
	})
}

// reportServer prints one server after a change to it, which is done also when connecting failed.
func (p *program) reportServer(ctx context.Context, s *session, id, done string, connected bool, err error) error {
	status, statusErr := s.Manager.Status(id)
	if statusErr != nil {
		return statusErr
	}
	failure := failureOrNil(ctx, err)
	if p.out.json {
		doc := struct {
			ID     string    `json:"id"`
			Server statusDoc `json:"server"`
			Error  *errorDoc `json:"error,omitempty"`
		}{id, newStatus(status), newError(failure)}
		if err := p.out.document(doc); err != nil {
			return err
		}
	} else {
		if done != "" {
			p.out.note("%s.", done)
		}
		p.out.problems(status.Problems)
		if failure == nil && connected {
			if err := p.out.table(statusTable(status)); err != nil {
				return err
			}
		}
	}
	return p.ending(failure)
}

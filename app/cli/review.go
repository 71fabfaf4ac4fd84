package cli

import (
	"context"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"jackfield/app/paste"
	"jackfield/backend/store"
)

func (p *program) importCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "import FILE",
		Short: "Store the servers of an mcpServers block of another program, disabled",
		Long: `Stores the servers of an mcpServers block. They are disabled, and a command of theirs runs only after you have
approved it: see jackfield approve.`,
		RunE: p.run(noDash(func(ctx context.Context, args []string) error {
			if len(args) != 1 {
				return usage("Write `jackfield import FILE`.", "Which file?")
			}
			text, err := os.ReadFile(args[0])
			if err != nil {
				return usage("Check the name of the file.", "The file cannot be read: %v.", err)
			}
			found, err := paste.Parse(string(text))
			if err != nil {
				return usage("The file has to hold an mcpServers block.", "%s", sentence(err.Error()))
			}
			return p.with(ctx, false, func(s *session) error { return p.importServers(ctx, s, found) })
		})),
	}
}

func (p *program) importServers(ctx context.Context, s *session, found paste.Result) error {
	for _, note := range found.Notes {
		p.out.note("%s", note)
	}
	stored := make([]store.Server, 0, len(found.Servers))
	for _, server := range found.Servers {
		server.Source, server.Enabled = store.SourceImport, false
		id, err := s.Manager.Register(ctx, server)
		if err != nil {
			return err
		}
		status, err := s.Manager.Status(id)
		if err != nil {
			return err
		}
		stored = append(stored, status.Server)
		if status.NeedsReview {
			p.out.note("%s runs a command: look at it with `jackfield approve %s`.", id, id)
		} else {
			p.out.note("%s is disabled: `jackfield enable %s` connects it.", id, id)
		}
	}
	if status := s.Store.Vault().Status(); !status.Keeps() && slices.ContainsFunc(stored, hasSecret) {
		p.out.note("Values that look secret were not kept. %s %s", status.Detail, status.Hint)
	}
	return p.printServers(stored)
}

func hasSecret(server store.Server) bool {
	return slices.ContainsFunc(append(slices.Clone(server.Headers), server.Env...), func(v store.Variable) bool { return v.Secret })
}

func (p *program) approveCommand() *cobra.Command {
	var sure bool
	command := &cobra.Command{
		Use:   "approve ID",
		Short: "Show the command of an entry that you did not type, and let it run",
		RunE: p.run(noDash(func(ctx context.Context, args []string) error {
			if len(args) != 1 {
				return usage("Write `jackfield approve ID`.", "Which server?")
			}
			return p.with(ctx, false, func(s *session) error {
				server, err := s.stored(ctx, args[0])
				if err != nil {
					return err
				}
				return p.approve(ctx, s, server, sure)
			})
		})),
	}
	command.Flags().BoolVar(&sure, "yes", false, "approve it without asking")
	return command
}

// approve shows everything that would run, a line for each argument, and takes the person's word for exactly that.
func (p *program) approve(ctx context.Context, s *session, server store.Server, sure bool) error {
	hash := store.CommandHash(server)
	if hash == "" {
		return usage("", "%s runs no command on this computer.", server.ID)
	}
	for _, line := range commandLines(server) {
		p.out.complain("%s", line)
	}
	if !sure {
		terminal, err := openTerminal(p.stdin)
		if err != nil {
			return err
		}
		if terminal == nil {
			return usage("If you know where it comes from, run it again with --yes.", "This runs a program with all your rights.")
		}
		defer terminal.close()
		answer, err := terminal.ask(ctx, "This runs a program with all your rights. Approve it? Type yes: ")
		if err != nil {
			return err
		}
		if !strings.EqualFold(strings.TrimSpace(answer), "yes") {
			return usage("", "It was not approved.")
		}
	}
	if err := s.Manager.Approve(ctx, server.ID, hash); err != nil {
		return err
	}
	return p.reportServer(ctx, s, server.ID, "Approved "+server.ID+"; `jackfield enable "+server.ID+"` connects it", false, nil)
}

// commandLines is a command as a person can check it: nothing is cut, each value stands in quotes, and what cannot be seen is written out.
func commandLines(server store.Server) []string {
	lines := []string{"program    " + exact(server.Command)}
	for _, argument := range server.Args {
		lines = append(lines, "argument   "+exact(argument))
	}
	if server.Cwd != "" {
		lines = append(lines, "directory  "+exact(server.Cwd))
	}
	for _, variable := range server.Env {
		value := exact(variable.Value)
		if variable.Secret {
			value = "(secret)"
		}
		lines = append(lines, "variable   "+exact(variable.Name)+" = "+value)
	}
	return lines
}

// exact quotes a text of somebody else's. Letters that show nothing pass for printable ones, so a text that has any is written in ASCII.
func exact(text string) string {
	blank := func(r rune) bool {
		return unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) || unicode.Is(unicode.Variation_Selector, r) || r == '\u2800' ||
			unicode.Is(unicode.Cf, r)
	}
	if strings.ContainsFunc(text, blank) {
		return strconv.QuoteToASCII(text)
	}
	return strconv.Quote(text)
}

package cli

import (
	"github.com/spf13/cobra"

	"jackfield/backend/store"
)

func (p *program) readCommand() *cobra.Command {
	return p.requestCommand(&cobra.Command{
		Use:   "read TARGET URI",
		Short: "Read a resource and print it",
		Long: `Read reads a resource. Text is printed as it is; binary content is named with its size on a terminal, and written as it is
to a file or pipe.`,
		Example: `  jackfield read playground playground://about`,
	}, request{
		kind: store.KindResource, what: "Which resource?",
		show: (*renderer).resource, // a URI need not be in the catalog: templates make others
	})
}

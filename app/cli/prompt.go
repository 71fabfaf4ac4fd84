package cli

import (
	"encoding/json"
	"slices"

	"github.com/spf13/cobra"

	"jackfield/backend/mcp"
	"jackfield/backend/store"
)

func (p *program) promptCommand() *cobra.Command {
	return p.requestCommand(&cobra.Command{
		Use:     "prompt TARGET NAME [name=value…]",
		Short:   "Get a prompt and print its messages",
		Example: `  jackfield prompt playground explain topic=sockets`,
	}, request{
		kind: store.KindPrompt, what: "Which prompt?", pairs: true,
		arguments: func(_ *program, catalog mcp.Catalog, name string, base object, pairs []pair) (json.RawMessage, error) {
			if !slices.ContainsFunc(catalog.Prompts, func(prompt mcp.Prompt) bool { return prompt.Name == name }) {
				return nil, unknownItem("prompt", name, each(catalog.Prompts, func(prompt mcp.Prompt) any { return prompt.Name }))
			}
			return promptArguments(base, pairs)
		},
		show: (*renderer).prompt,
	})
}

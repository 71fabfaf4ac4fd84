package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"jackfield/backend/mcp"
)

// listing is one of the four lists of a catalog: how it is called, and how an entry is shown.
type listing struct {
	name  string
	docs  func(id string, catalog mcp.Catalog) []any
	table func(t *table, id string, several bool, catalog mcp.Catalog)
}

func (p *program) toolsCommand() *cobra.Command {
	return p.listCommand("List the tools of a server, or of all enabled ones", listing{
		name: "tools",
		docs: func(id string, c mcp.Catalog) []any {
			return each(c.Tools, func(tool mcp.Tool) any { return newTool(id, tool) })
		},
		table: func(t *table, id string, several bool, c mcp.Catalog) {
			for _, tool := range c.Tools {
				t.entry(id, several, tool.Name, hints(tool.Annotations), first(tool.Description, tool.Title))
			}
		},
	})
}

func (p *program) promptsCommand() *cobra.Command {
	return p.listCommand("List the prompts of a server, or of all enabled ones", listing{
		name: "prompts",
		docs: func(id string, c mcp.Catalog) []any {
			return each(c.Prompts, func(prompt mcp.Prompt) any { return newPrompt(id, prompt) })
		},
		table: func(t *table, id string, several bool, c mcp.Catalog) {
			for _, prompt := range c.Prompts {
				var arguments []string
				for _, argument := range prompt.Arguments {
					name := argument.Name + "="
					if !argument.Required {
						name = "[" + name + "]"
					}
					arguments = append(arguments, name)
				}
				t.entry(id, several, prompt.Name, strings.Join(arguments, " "), first(prompt.Description, prompt.Title))
			}
		},
	})
}

func (p *program) resourcesCommand() *cobra.Command {
	return p.listCommand("List the resources of a server, or of all enabled ones", listing{
		name: "resources",
		docs: func(id string, c mcp.Catalog) []any {
			return each(c.Resources, func(resource mcp.Resource) any { return newResource(id, resource) })
		},
		table: func(t *table, id string, several bool, c mcp.Catalog) {
			for _, resource := range c.Resources {
				kind := resource.MIMEType
				if resource.Size >= 0 {
					kind = strings.TrimSpace(kind + " " + size(resource.Size))
				}
				t.entry(id, several, resource.URI, kind, first(resource.Title, resource.Name, resource.Description))
			}
		},
	})
}

func (p *program) templatesCommand() *cobra.Command {
	return p.listCommand("List the resource templates of a server, or of all enabled ones", listing{
		name: "templates",
		docs: func(id string, c mcp.Catalog) []any {
			return each(c.Templates, func(template mcp.ResourceTemplate) any { return newTemplate(id, template) })
		},
		table: func(t *table, id string, several bool, c mcp.Catalog) {
			for _, template := range c.Templates {
				t.entry(id, several, template.URITemplate, template.MIMEType, first(template.Title, template.Name, template.Description))
			}
		},
	})
}

func each[T any](list []T, doc func(T) any) []any {
	docs := make([]any, 0, len(list))
	for _, one := range list {
		docs = append(docs, doc(one))
	}
	return docs
}

// entry adds a row; the server is named where there are several.
func (t *table) entry(id string, several bool, name, kind, description string) {
	row := []cell{{name, styleBold}, dim(kind), plain(firstLine(description))}
	if several {
		row = append([]cell{plain(id)}, row...)
	}
	t.row(row...)
}

func first(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}

// hints names what a tool says about itself. They are its word only.
func hints(a mcp.Annotations) string {
	var list []string
	yes := func(hint *bool) bool { return hint != nil && *hint }
	if yes(a.ReadOnly) {
		list = append(list, "read-only")
	}
	if yes(a.Destructive) && !yes(a.ReadOnly) {
		list = append(list, "destructive")
	}
	if yes(a.Idempotent) {
		list = append(list, "idempotent")
	}
	return strings.Join(list, " ")
}

func (p *program) listCommand(short string, l listing) *cobra.Command {
	var flags serverFlags
	command := &cobra.Command{Use: l.name + " [TARGET]", Short: short}
	flags.registerTarget(command.Flags())
	command.RunE = p.run(func(ctx context.Context, line line) error {
		t, err := flags.target(line, command.Flags().Changed)
		if err != nil {
			return err
		}
		if t != nil && len(t.rest) > 0 {
			return usage("", "One target is enough; %q is one too many.", t.rest[0])
		}
		return p.with(ctx, false, func(s *session) error { return p.list(ctx, s, t, l) })
	})
	return command
}

func (p *program) list(ctx context.Context, s *session, t *target, l listing) error {
	events := p.listen(ctx, s, nil)
	defer events.stop()
	var outcomes []outcome
	if t == nil {
		ids, err := s.enabled(ctx)
		if err != nil {
			return err
		}
		if len(ids) == 0 {
			p.out.note("No server is enabled.")
		}
		outcomes = s.connectAll(ctx, ids)
	} else {
		id, err := s.connect(ctx, t)
		if id == "" {
			return err
		}
		outcomes = []outcome{{id, err}}
	}
	docs := []any{}
	problems := []mcp.Problem{}
	var rows table
	var failure *mcp.Error
	failed := []any{}
	for _, o := range outcomes {
		problems = append(problems, s.problems(o.id)...)
		if o.err != nil {
			one := failureOf(ctx, o.err)
			if failure == nil {
				failure = one
			}
			failed = append(failed, struct {
				ServerID string `json:"serverId"`
				*errorDoc
			}{o.id, newError(one)})
			if len(outcomes) > 1 && !p.out.json {
				p.out.complain("%s: %s", o.id, strings.TrimSpace(one.Message+" "+one.Hint))
			}
			continue
		}
		catalog, err := s.Manager.Catalog(o.id)
		if err != nil {
			return err
		}
		docs = append(docs, l.docs(o.id, catalog)...)
		l.table(&rows, o.id, len(outcomes) > 1, catalog)
	}
	if p.out.json {
		doc := map[string]any{l.name: docs, "problems": newProblems(problems)}
		if failure != nil {
			doc["error"] = newError(failure)
			doc["errors"] = failed
		}
		if err := p.out.document(doc); err != nil {
			return err
		}
	} else {
		if err := p.out.table(&rows); err != nil {
			return err
		}
		p.out.problems(problems)
		if failure == nil && len(docs) == 0 {
			p.out.note("No %s.", l.name)
		}
	}
	if failure != nil && !p.out.json && len(outcomes) > 1 {
		return reported(exitStatus(failure.Code)) // each was explained
	}
	return p.ending(failure)
}

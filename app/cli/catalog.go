package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"jackfield/backend/mcp"
)

// listing is one of the four lists of a catalog: how it is called, and how an entry is shown.
type listing struct {
	name  string
	docs  func(id string, catalog mcp.Catalog) []any
	table func(t *table, id string, several bool, catalog mcp.Catalog)
	// format is the shape to describe tools in, "" for none; nil for the lists that have none.
	format *string
}

// modelFormat is the shape that was asked for, "" for none.
func (l listing) modelFormat() mcp.ToolFormat {
	if l.format == nil || *l.format == "jackfield" {
		return ""
	}
	return mcp.ToolFormat(*l.format)
}

// checkFormat refuses a shape that does not exist. The shape of this program is JSON, too.
func (p *program) checkFormat(l listing) error {
	if l.format == nil || *l.format == "" {
		return nil
	}
	if format := l.modelFormat(); format != "" && !slices.Contains(mcp.ToolFormats, format) {
		return usage("It is jackfield, ai-sdk, openai, openai-responses or anthropic.", "--format %q does not exist.", *l.format)
	}
	p.out.json = true
	return nil
}

func (p *program) toolsCommand() *cobra.Command {
	var format string
	command := p.listCommand("List the tools of a server, or of all enabled ones", listing{
		name: "tools",
		docs: func(id string, c mcp.Catalog) []any {
			return each(c.Tools, func(tool mcp.Tool) any { return newTool(id, tool) })
		},
		table: func(t *table, id string, several bool, c mcp.Catalog) {
			for _, tool := range c.Tools {
				t.entry(id, several, tool.Name, hints(tool.Annotations), first(tool.Description, tool.Title))
			}
		},
		format: &format,
	})
	command.Long = `Tools lists what a server, or every enabled one, offers. With --format it prints one JSON document that a model can be given: the
tools under "tools", in the shape of an API, and under "names" which server and tool each name in it means. The schemas are the server's own.`
	command.Flags().StringVar(&format, "format", "", "describe them for a model: ai-sdk, openai (Chat Completions), openai-responses or anthropic; or jackfield, as --json does")
	return command
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

// describeTools puts the tools into a document as a model wants them, and which tool each name means.
func describeTools(doc map[string]any, format mcp.ToolFormat, offers []mcp.Offer[mcp.Tool]) error {
	type toolName struct {
		ServerID string `json:"serverId"`
		Name     string `json:"name"`
	}
	names := map[string]toolName{}
	var tools []mcp.Tool
	for _, offer := range offers {
		tools = append(tools, offer.Item)
		names[offer.Item.Key] = toolName{offer.ServerID, offer.Item.Name}
	}
	described, err := mcp.DescribeTools(format, tools)
	doc["tools"], doc["names"] = described, names
	return err
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
		if err := p.checkFormat(l); err != nil {
			return err
		}
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
	var tools []mcp.Offer[mcp.Tool]
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
		for _, tool := range catalog.Tools {
			tools = append(tools, mcp.Offer[mcp.Tool]{ServerID: o.id, Item: tool})
		}
		l.table(&rows, o.id, len(outcomes) > 1, catalog)
	}
	if p.out.json {
		doc := map[string]any{l.name: docs, "problems": newProblems(problems)}
		if format := l.modelFormat(); format != "" {
			if err := describeTools(doc, format, tools); err != nil {
				return err
			}
		}
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

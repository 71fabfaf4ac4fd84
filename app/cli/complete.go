package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"jackfield/backend/mcp"
)

func (p *program) completeCommand() *cobra.Command {
	var flags serverFlags
	command := &cobra.Command{
		Use:   "complete TARGET prompt|template NAME ARG=VALUE [name=value…]",
		Short: "Ask for completions of an argument",
		Long:  `Complete asks the server how the first argument could go on. The arguments after it are the ones that are known already.`,
		Example: `  jackfield complete playground prompt explain topic=so
  jackfield complete playground template playground://orders/{id} id=1`,
	}
	flags.registerTarget(command.Flags())
	command.RunE = p.run(func(ctx context.Context, l line) error {
		t, err := flags.required(l, command.Flags().Changed)
		if err != nil {
			return err
		}
		request, err := completeRequest(t.rest)
		if err != nil {
			return err
		}
		return p.with(ctx, false, func(s *session) error { return p.complete(ctx, s, t, request) })
	})
	return command
}

func completeRequest(args []string) (mcp.CompleteRequest, error) {
	const how = "Write `jackfield complete TARGET prompt|template NAME ARG=VALUE`."
	if len(args) < 3 {
		return mcp.CompleteRequest{}, usage(how, "What is to be completed?")
	}
	if args[0] != "prompt" && args[0] != "template" {
		return mcp.CompleteRequest{}, usage(how, "%q is neither prompt nor template.", args[0])
	}
	pairs, err := parsePairs(args[2:])
	if err != nil {
		return mcp.CompleteRequest{}, err
	}
	request := mcp.CompleteRequest{
		Kind: args[0], Name: args[1], Argument: pairs[0].key, Value: pairs[0].value, Context: map[string]string{},
	}
	for _, p := range pairs[1:] {
		request.Context[p.key] = p.value
	}
	return request, nil
}

func (p *program) complete(ctx context.Context, s *session, t *target, request mcp.CompleteRequest) error {
	events := p.listen(ctx, s, nil)
	defer events.stop()
	id, err := s.connect(ctx, t)
	if err != nil {
		return err
	}
	request.ServerID = id
	catalog, err := s.Manager.Catalog(id)
	if err != nil {
		return err
	}
	names := each(catalog.Prompts, func(prompt mcp.Prompt) any { return prompt.Name })
	if request.Kind == "template" {
		names = each(catalog.Templates, func(template mcp.ResourceTemplate) any { return template.URITemplate })
	}
	if !slices.Contains(names, any(request.Name)) {
		return unknownItem(request.Kind, request.Name, names)
	}
	completion, err := s.Manager.Complete(ctx, request)
	if err != nil {
		return err
	}
	if p.out.json {
		return p.out.document(struct {
			ServerID string       `json:"serverId"`
			Values   []string     `json:"values"`
			Total    *int         `json:"total"` // null if the server did not say
			HasMore  bool         `json:"hasMore"`
			Problems []problemDoc `json:"problems"`
		}{id, append([]string{}, completion.Values...), known(completion.Total), completion.HasMore, newProblems(s.problems(id))})
	}
	for _, value := range completion.Values {
		if err := p.out.printf("%s\n", visible(value, false)); err != nil {
			return err
		}
	}
	switch {
	case completion.Total > len(completion.Values):
		p.out.note("%d of %d.", len(completion.Values), completion.Total)
	case completion.HasMore:
		p.out.note("There are more.")
	case len(completion.Values) == 0:
		p.out.note("The server has no completions.")
	}
	p.out.problems(s.problems(id))
	return nil
}

func known(total int) *int {
	if total == 0 {
		return nil
	}
	return &total
}

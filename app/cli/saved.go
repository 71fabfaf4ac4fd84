package cli

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"jackfield/backend/mcp"
	"jackfield/backend/store"
)

func (p *program) savedCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "saved [ID] | saved remove NAME",
		Short: "List the calls that are kept under a name",
		Long: `Saved lists the calls that are kept under a name, of all servers or of one. One is kept with call --save NAME, and made again with
call --saved NAME, where name=value replaces single arguments.`,
		Example: `  jackfield call docs search query=socket limit=5 --save sockets
  jackfield call --saved sockets
  jackfield call --saved sockets limit=50`,
		RunE: p.run(noDash(func(ctx context.Context, args []string) error {
			switch {
			case len(args) == 2 && args[0] == "remove":
				return p.with(ctx, false, func(s *session) error { return savedFailure(args[1], s.Store.DeleteSaved(ctx, args[1])) })
			case len(args) > 1:
				return usage("See `jackfield saved --help`.", "%q is one too many.", args[1])
			}
			return p.with(ctx, false, func(s *session) error { return p.saved(ctx, s, args) })
		})),
	}
}

type savedDoc struct {
	Name      string          `json:"name"`
	ServerID  string          `json:"serverId"`
	Kind      store.Kind      `json:"kind"`
	Item      string          `json:"item"` // tool, prompt or URI
	Arguments json.RawMessage `json:"arguments"`
	UpdatedAt string          `json:"updatedAt"`
}

func (p *program) saved(ctx context.Context, s *session, args []string) error {
	id := ""
	if len(args) == 1 {
		var err error
		if id, err = s.find(ctx, args[0]); err != nil {
			return err
		}
	}
	list, err := s.Store.SavedCalls(ctx, id)
	if err != nil {
		return err
	}
	if p.out.json {
		docs := []savedDoc{}
		for _, one := range list {
			docs = append(docs, savedDoc{one.Name, one.ServerID, one.Kind, one.Item, one.Arguments, timestamp(one.UpdatedAt)})
		}
		return p.out.document(struct {
			Saved []savedDoc `json:"saved"`
		}{docs})
	}
	var t table
	for _, one := range list {
		t.row(cell{one.Name, styleBold}, plain(one.ServerID), plain(one.Item), plain(string(one.Arguments)))
	}
	if len(list) == 0 {
		p.out.note("No saved calls.")
	}
	return p.out.table(&t)
}

func savedFailure(name string, err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return unknown(mcp.CodeUnknownItem, "See `jackfield saved`.", "There is no saved call %q.", name)
	}
	return err
}

// useSaved makes a saved call the target, its item the name, and its arguments the base that others replace.
func (s *session) useSaved(ctx context.Context, name string, kind store.Kind, base object) (*target, string, object, error) {
	saved, err := s.Store.SavedCall(ctx, name)
	if err != nil {
		return nil, "", nil, savedFailure(name, err)
	}
	if saved.Kind != kind {
		command := map[store.Kind]string{store.KindTool: "call", store.KindPrompt: "prompt", store.KindResource: "read"}[saved.Kind]
		return nil, "", nil, usage("Use `jackfield "+command+" --saved`.", "%q is a saved %s.", name, saved.Kind)
	}
	o := object{}
	if saved.Arguments != nil {
		if o, err = parseObject(saved.Arguments); err != nil {
			return nil, "", nil, usage("Save it again.", "The arguments of the saved call %q cannot be read: %v.", name, err)
		}
	}
	o = slices.Clone(o)
	for _, member := range base {
		o.set(member.name, member.value)
	}
	return &target{id: saved.ServerID}, saved.Item, o, nil
}

// keepAs saves what was called under a name.
func (s *session) keepAs(ctx context.Context, name string, call mcp.CallRequest) error {
	err := s.Store.SaveCall(ctx, store.SavedCall{Name: name, ServerID: call.ServerID, Kind: call.Kind, Item: call.Name, Arguments: call.Arguments})
	if errors.Is(err, store.ErrNotFound) {
		return usage("Store the server with `jackfield add`.", "The call cannot be saved: its server is not stored.")
	}
	if err != nil {
		return usage("Choose another name.", "The call cannot be saved: %v.", err)
	}
	return nil
}

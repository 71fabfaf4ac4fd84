package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"jackfield/backend/mcp"
	"jackfield/backend/store"
)

// session is the use of one server.
type session struct {
	manager *mcp.Manager
	id      string
	given   given
	signIns int
}

// use connects and uses everything that there is.
func (s *session) use(ctx context.Context) error {
	if err := s.do(ctx, func() error { return s.manager.Connect(ctx, s.id) }); err != nil {
		return fmt.Errorf("connecting: %w", err)
	}
	catalog, err := s.manager.Catalog(s.id)
	if err != nil {
		return err
	}
	calls, err := s.calls(catalog)
	if err != nil {
		return err
	}
	if strings.HasPrefix(os.Getenv("MCP_CONFORMANCE_SCENARIO"), "auth/") {
		// One sign-in after the other.
		for _, call := range calls {
			if err := s.call(ctx, call); err != nil {
				return err
			}
		}
		return nil
	}
	// All at once: what belongs to one call must not get into another.
	errs := make([]error, len(calls))
	var group sync.WaitGroup
	for i, call := range calls {
		group.Go(func() { errs[i] = s.call(ctx, call) })
	}
	group.Wait()
	return errors.Join(errs...)
}

func (s *session) call(ctx context.Context, call mcp.CallRequest) error {
	err := s.do(ctx, func() error {
		_, err := s.manager.Call(ctx, call)
		return err
	})
	if failure, told := errors.AsType[*mcp.Error](err); told && failure.Code == mcp.CodeServerError {
		// An answer, too: some scenarios look at the list only, and their server has no tools/call.
		fmt.Fprintf(os.Stderr, "client: %s %s: %v\n", call.Kind, call.Name, err)
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w", call.Kind, call.Name, err)
	}
	return nil
}

// calls are those that the suite asks for, or one of everything in the catalog.
func (s *session) calls(catalog mcp.Catalog) (calls []mcp.CallRequest, err error) {
	for _, c := range s.given.ToolCalls {
		calls = append(calls, mcp.CallRequest{ServerID: s.id, Kind: store.KindTool, Name: c.Name, Arguments: c.Arguments})
	}
	if len(calls) > 0 {
		return calls, nil
	}
	for _, tool := range catalog.Tools {
		arguments, err := arguments(tool, catalog)
		if err != nil {
			return nil, fmt.Errorf("arguments of %s: %w", tool.Name, err)
		}
		calls = append(calls, mcp.CallRequest{ServerID: s.id, Kind: store.KindTool, Name: tool.Name, Arguments: arguments})
	}
	for _, prompt := range catalog.Prompts {
		calls = append(calls, mcp.CallRequest{ServerID: s.id, Kind: store.KindPrompt, Name: prompt.Name})
	}
	for _, resource := range catalog.Resources {
		calls = append(calls, mcp.CallRequest{ServerID: s.id, Kind: store.KindResource, Name: resource.URI})
	}
	return calls, nil
}

// arguments fills in what a tool requires. A parameter "schema" gets the schema of the first tool that has one to tell of.
func arguments(tool mcp.Tool, catalog mcp.Catalog) (json.RawMessage, error) {
	var schema struct {
		Properties map[string]struct{ Type string }
		Required   []string
	}
	if err := json.Unmarshal([]byte(cmp.Or(string(tool.InputSchema), "{}")), &schema); err != nil {
		return nil, err
	}
	values := map[string]any{}
	for _, name := range schema.Required {
		switch schema.Properties[name].Type {
		case "number", "integer":
			values[name] = len(values) + 2
		case "boolean":
			values[name] = true
		case "object":
			values[name] = catalog.Tools[0].InputSchema
		default:
			values[name] = "conformance"
		}
	}
	return json.Marshal(values)
}

// do tries something, and again after each sign-in that it turns out to need.
func (s *session) do(ctx context.Context, try func() error) error {
	for {
		err := try()
		failure, told := errors.AsType[*mcp.Error](err)
		if !told || failure.Code != mcp.CodeAuthRequired && failure.Code != mcp.CodeScope || s.signIns == signIns {
			return err
		}
		s.signIns++
		fmt.Fprintf(os.Stderr, "client: signing in: %v\n", err)
		if err := s.manager.SignIn(ctx, s.id, store.SignInOptions{NoScheme: true}); err != nil && !needsMore(err) {
			return fmt.Errorf("signing in: %w", err)
		}
	}
}

// needsMore says whether a sign-in came to a token, but to one that does not reach for what the connection begins with.
func needsMore(err error) bool {
	failure, told := errors.AsType[*mcp.Error](err)
	return told && (failure.Code == mcp.CodeScope || failure.Code == mcp.CodeAuthRequired)
}

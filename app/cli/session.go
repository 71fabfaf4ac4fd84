package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"jackfield/app/browser"
	"jackfield/backend"
	"jackfield/backend/mcp"
	"jackfield/backend/store"
	"jackfield/backend/store/vault"
)

// closing is how long ending the connections may take.
const closing = 5 * time.Second

// session is the open back end of one command.
type session struct {
	*backend.Backend
	program *program
	trace   *traceFile
}

// open opens the back end. With restore it connects the enabled servers in the background.
func (p *program) open(ctx context.Context, restore bool) (*session, error) {
	s := &session{program: p}
	keyring, reason := vault.System()
	options := backend.Options{
		Keyring: keyring, NoKeyring: reason, OpenURL: browser.Open, // jackfield: links never come to this process
		DataDir: p.dataDir, Restore: restore,
		Modes: p.modes(),
	}
	if p.trace != "" {
		var err error
		if s.trace, err = newTraceFile(p.trace); err != nil {
			return nil, err
		}
		if !s.trace.archive {
			options.Trace = s.trace.write
		}
	}
	var err error
	if s.Backend, err = backend.Open(ctx, options); err != nil {
		return nil, errors.Join(err, s.trace.close())
	}
	if err := s.unlock(ctx); err != nil {
		return nil, errors.Join(err, s.Close(ctx), s.trace.close())
	}
	return s, nil
}

// modes are the questions that servers may ask. To write what a model would is offered only where somebody can do it; a form or an address that
// nobody sees is declined, which is an answer.
func (p *program) modes() []mcp.AskMode {
	modes := []mcp.AskMode{mcp.AskForm, mcp.AskURL}
	if p.answers || term.IsTerminal(int(p.stdin.Fd())) {
		modes = append(modes, mcp.AskSampling)
	}
	return modes
}

// with runs do in an open back end. The output is complete before the connections are closed, so that a server that is
// slow to end delays the prompt but not the result.
func (p *program) with(ctx context.Context, restore bool, do func(*session) error) error {
	s, err := p.open(ctx, restore)
	if err != nil {
		return err
	}
	err = do(s)
	s.trace.finish(s.Manager)
	if flushErr := s.Manager.Flush(ctx); flushErr == nil {
		for _, trouble := range s.Manager.Snapshot().Troubles {
			p.out.complain("jackfield: %s %s", trouble.Message, trouble.Hint)
		}
	}
	limit, cancel := context.WithTimeout(p.quit, closing)
	defer cancel()
	if closeErr := s.Close(limit); closeErr != nil && p.quit.Err() == nil {
		p.out.note("Not everything could be closed: %v", closeErr)
	}
	if traceErr := s.trace.close(); traceErr != nil {
		p.out.complain("jackfield: the trace is incomplete: %v", traceErr)
	}
	return err
}

// find returns the id of a stored server, by its id or else by its name.
func (s *session) find(ctx context.Context, name string) (string, error) {
	servers, err := s.Store.Servers(ctx)
	if err != nil {
		return "", err
	}
	var ids, named []string
	for _, server := range servers {
		if server.ID == name {
			return name, nil
		}
		if strings.EqualFold(server.Name, name) {
			named = append(named, server.ID)
		}
		ids = append(ids, server.ID)
	}
	switch {
	case len(named) == 1:
		return named[0], nil
	case len(named) > 1:
		return "", unknown(mcp.CodeUnknownServer, "Use one of these ids: "+strings.Join(named, ", ")+".",
			"Several servers have the name %q.", name)
	case len(ids) == 0:
		return "", unknown(mcp.CodeUnknownServer, "Store one with `jackfield add`.", "There is no server %q.", name)
	}
	return "", unknown(mcp.CodeUnknownServer, "Stored servers: "+some(ids)+".", "There is no server %q.", name)
}

// some lists the first names of a possibly long list.
func some(names []string) string {
	const most = 12
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}

// connect opens the connection of a target and loads its catalog. The id is valid also when that failed.
func (s *session) connect(ctx context.Context, t *target) (string, error) {
	if t.adhoc != nil {
		return s.Manager.Adhoc(ctx, *t.adhoc)
	}
	id, err := s.find(ctx, t.id)
	if err != nil {
		return "", err
	}
	return id, s.Manager.Connect(ctx, id)
}

// enabled returns the ids of the enabled servers.
func (s *session) enabled(ctx context.Context) ([]string, error) {
	servers, err := s.Store.Servers(ctx)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, server := range servers {
		if server.Enabled {
			ids = append(ids, server.ID)
		}
	}
	return ids, nil
}

// outcome of connecting one of several servers.
type outcome struct {
	id  string
	err error
}

// connectAll connects several stored servers at once. One that hangs or fails does not hold up another.
func (s *session) connectAll(ctx context.Context, ids []string) []outcome {
	outcomes := make([]outcome, len(ids))
	var group sync.WaitGroup
	for i, id := range ids {
		group.Go(func() { outcomes[i] = outcome{id, s.Manager.Connect(ctx, id)} })
	}
	group.Wait()
	return outcomes
}

// problems of a server as far as they are known.
func (s *session) problems(id string) []mcp.Problem {
	status, err := s.Manager.Status(id)
	if err != nil {
		return nil // never connected: there is nothing to tell
	}
	return status.Problems
}

// stored returns the entry of a stored server.
func (s *session) stored(ctx context.Context, name string) (store.Server, error) {
	id, err := s.find(ctx, name)
	if err != nil {
		return store.Server{}, err
	}
	return s.Store.Server(ctx, id)
}

// Package app is the desktop surface: bound methods, the event stream, windows. It decodes, calls the backend and maps
// errors; it decides nothing. Desktop lives in the main process and owns the stream and the prompt windows; Prompt lives in
// a child process and owns one form. Bound methods are called from several goroutines at once.
package app

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"sync"

	wails "github.com/wailsapp/wails/v2/pkg/runtime"

	"jackfield/app/api"
	"jackfield/app/appearance"
	"jackfield/app/browser"
	"jackfield/app/paste"
	"jackfield/backend"
	"jackfield/backend/mcp"
	"jackfield/backend/store"
)

// Desktop is bound to the main window. Every method rejects with the JSON text of an api.Failure.
type Desktop struct {
	ctx     context.Context // ends when the program quits
	backend *backend.Backend
	stream  *stream
	windows *askWindows
	look    *appearance.Appearance
	links   *links
	// pickFile asks where a file is to be written; "" if the person cancelled.
	pickFile func(wails.SaveDialogOptions) (string, error)
	log      *slog.Logger
	work     sync.WaitGroup // what the bound methods left running
}

// Ready says that the page listens: events flow from now on. It returns the first snapshot.
func (d *Desktop) Ready() (api.Snapshot, error) { return bound(d, "Ready", d.snapshot) }

// Snapshot returns everything live, for a page that missed an event.
func (d *Desktop) Snapshot() (api.Snapshot, error) { return bound(d, "Snapshot", d.snapshot) }

func (d *Desktop) snapshot(ctx context.Context) (api.Snapshot, error) {
	settings, err := loadSettings(ctx, d.backend.Store)
	if err != nil {
		return api.Snapshot{}, err
	}
	scheme, err := d.links.state(ctx)
	if err != nil {
		return api.Snapshot{}, err
	}
	snapshot := api.SnapshotOf(d.stream.resync())
	snapshot.Settings, snapshot.Scheme, snapshot.Link = settings, scheme, d.stream.takeLink()
	snapshot.Vault = api.VaultOf(d.backend.Store.Vault().Status())
	snapshot.About = api.About{
		Version: backend.Version, DataDir: d.backend.Dir, Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}
	return snapshot, nil
}

// EventTypes and AskWindowTypes are never called: they make the generator emit the types of the event channel and of the
// prompt window.
func (d *Desktop) EventTypes() (api.Batch, error)         { return api.Batch{Events: []api.Event{}}, nil }
func (d *Desktop) AskWindowTypes() (api.AskWindow, error) { return api.AskWindow{}, nil }

// ParseServers says what a pasted URL, command line or mcpServers JSON block means, without storing anything.
func (d *Desktop) ParseServers(text string) (api.Parsed, error) {
	return bound(d, "ParseServers", func(context.Context) (api.Parsed, error) {
		result, err := paste.Parse(text)
		if err != nil {
			return api.Parsed{}, err
		}
		return api.Parsed{
			Kind: result.Kind, Servers: api.Each(result.Servers, api.DraftOf), Notes: append([]string{}, result.Notes...),
		}, nil
	})
}

// AddServer stores a server and connects it in the background; it returns the id.
func (d *Desktop) AddServer(config api.Config) (string, error) {
	return bound(d, "AddServer", func(ctx context.Context) (string, error) {
		id, err := d.backend.Manager.Register(ctx, api.ServerFrom(config, store.Server{}))
		if err != nil {
			return "", err
		}
		if config.Enabled {
			d.background("AddServer", id, (*mcp.Manager).Connect)
		}
		return id, nil
	})
}

// ServerConfig returns what the edit dialog shows.
func (d *Desktop) ServerConfig(id string) (api.Config, error) {
	return bound(d, "ServerConfig", func(context.Context) (api.Config, error) {
		status, err := d.backend.Manager.Status(id)
		return api.ConfigOf(status.Server), err
	})
}

// EditServer replaces the stored entry.
func (d *Desktop) EditServer(id string, config api.Config) error {
	return bound0(d, "EditServer", func(ctx context.Context) error {
		status, err := d.backend.Manager.Status(id)
		if err != nil {
			return err
		}
		return d.backend.Manager.Edit(ctx, api.ServerFrom(config, status.Server))
	})
}

// RemoveServer deletes a server with its secrets and its history.
func (d *Desktop) RemoveServer(id string) error {
	return bound0(d, "RemoveServer", func(ctx context.Context) error { return d.backend.Manager.Remove(ctx, id) })
}

// SetServerEnabled says whether a server reconnects on launch; it also connects or closes it now.
func (d *Desktop) SetServerEnabled(id string, enabled bool) error {
	return bound0(d, "SetServerEnabled", func(ctx context.Context) error {
		return d.backend.Manager.SetEnabled(ctx, id, enabled)
	})
}

// Connect starts connecting in the background; the row tells how it goes.
func (d *Desktop) Connect(id string) error {
	return d.start("Connect", id, (*mcp.Manager).Connect)
}

// Disconnect closes the connection and keeps the row.
func (d *Desktop) Disconnect(id string) error {
	return bound0(d, "Disconnect", func(ctx context.Context) error { return d.backend.Manager.Disconnect(ctx, id) })
}

// Refresh loads the catalog again in the background.
func (d *Desktop) Refresh(id string) error {
	return d.start("Refresh", id, (*mcp.Manager).Discover)
}

// start refuses an unknown server at once and does the rest in the background: how it goes is in the server's row.
func (d *Desktop) start(name, id string, work func(*mcp.Manager, context.Context, string) error) error {
	return bound0(d, name, func(context.Context) error {
		if _, err := d.backend.Manager.Status(id); err != nil {
			return err
		}
		d.background(name, id, work)
		return nil
	})
}

// background runs work whose outcome is an event. The Manager ends it when it closes.
func (d *Desktop) background(name, id string, work func(*mcp.Manager, context.Context, string) error) {
	d.work.Go(func() {
		if err := work(d.backend.Manager, d.ctx, id); err != nil {
			d.log.Info("background work failed", "work", name, "server", id, "error", err)
		}
	})
}

// Catalog returns what a server offers.
func (d *Desktop) Catalog(id string) (api.Catalog, error) {
	return bound(d, "Catalog", func(context.Context) (api.Catalog, error) {
		catalog, err := d.backend.Manager.Catalog(id)
		return api.CatalogOf(catalog), err
	})
}

// Call runs one call and returns when it has ended. How it ended is in Outcome, also when it failed; it rejects only
// what never became a call.
func (d *Desktop) Call(request api.CallRequest) (api.Call, error) {
	return bound(d, "Call", func(ctx context.Context) (api.Call, error) {
		call, err := d.backend.Manager.Call(ctx, api.CallRequestOf(request))
		if _, known := errors.AsType[*mcp.Error](err); err != nil && !known {
			return api.Call{}, err // there is no such server, or the program is quitting
		}
		row := api.CallOf(call)
		if err != nil {
			failure := api.FailureOf(err)
			row.Error = &failure
		}
		return row, nil
	})
}

// CancelCall cancels a running call.
func (d *Desktop) CancelCall(id string) error {
	return bound0(d, "CancelCall", func(context.Context) error { return d.backend.Manager.CancelCall(id) })
}

// Complete asks a server to complete an argument.
func (d *Desktop) Complete(request api.CompleteRequest) (api.Completion, error) {
	return bound(d, "Complete", func(ctx context.Context) (api.Completion, error) {
		completion, err := d.backend.Manager.Complete(ctx, mcp.CompleteRequest(request))
		return api.Completion{
			Values: append([]string{}, completion.Values...), Total: completion.Total, HasMore: completion.HasMore,
		}, err
	})
}

// SubscribeResource turns updates of a resource on or off.
func (d *Desktop) SubscribeResource(serverID, uri string, on bool) error {
	return bound0(d, "SubscribeResource", func(ctx context.Context) error {
		return d.backend.Manager.SubscribeResource(ctx, serverID, uri, on)
	})
}

// ExpandTemplate fills in a resource template (RFC 6570). An error names the variable.
func (d *Desktop) ExpandTemplate(uriTemplate string, values map[string]string) (string, error) {
	return bound(d, "ExpandTemplate", func(context.Context) (string, error) { return expand(uriTemplate, values) })
}

// History returns ended calls, newest first.
func (d *Desktop) History(filter api.HistoryFilter) ([]api.Call, error) {
	return bound(d, "History", func(ctx context.Context) ([]api.Call, error) {
		calls, err := d.backend.Manager.History(ctx, api.HistoryFilterOf(filter))
		return api.Each(calls, api.StoredCallOf), err
	})
}

// HistoryCall returns one call of the history with its result.
func (d *Desktop) HistoryCall(id string) (api.Call, error) {
	return bound(d, "HistoryCall", func(ctx context.Context) (api.Call, error) {
		call, err := d.backend.Manager.HistoryCall(ctx, id)
		return api.StoredCallOf(call), err
	})
}

// AnswerAsk answers an open ask. An accepted URL ask opens the URL in the system browser first.
func (d *Desktop) AnswerAsk(id string, answer api.Answer) error {
	return bound0(d, "AnswerAsk", func(ctx context.Context) error { return d.answer(ctx, id, answer) })
}

func (d *Desktop) answer(ctx context.Context, id string, answer api.Answer) error {
	decoded := api.AnswerOf(answer)
	switch decoded.Action {
	case mcp.ActionAccept, mcp.ActionDecline, mcp.ActionCancel:
	default:
		return usage("%q is no answer.", "Accept, decline or cancel.", answer.Action)
	}
	if decoded.Action == mcp.ActionAccept {
		for _, ask := range d.backend.Manager.Snapshot().Asks {
			if ask.ID != id || ask.Mode != mcp.AskURL {
				continue
			}
			if err := browser.Open(ctx, ask.URL); err != nil {
				return err // the ask stays open: the person can copy the address, or decline
			}
		}
	}
	return d.backend.Manager.Answer(ctx, id, decoded)
}

// ShowAsk brings the native window of an ask to the front, opening it again if it was closed.
func (d *Desktop) ShowAsk(id string) error {
	return bound0(d, "ShowAsk", func(ctx context.Context) error { return d.windows.show(ctx, id) })
}

// Trace returns lines of the activity drawer; TraceBody the whole message as text.
func (d *Desktop) Trace(filter api.TraceFilter) ([]api.Message, error) {
	return bound(d, "Trace", func(context.Context) ([]api.Message, error) {
		after, err := api.ParseNumber(filter.After)
		if err != nil {
			return nil, usage("%q is not the number of a message.", "Reload the list.", filter.After)
		}
		return api.Each(d.backend.Manager.Trace(api.TraceFilterOf(filter, after)), api.MessageOf), nil
	})
}

// TraceBody returns one whole message as text.
func (d *Desktop) TraceBody(n string) (string, error) {
	return bound(d, "TraceBody", func(context.Context) (string, error) {
		body, err := d.traceBody(n)
		return string(body), err
	})
}

func (d *Desktop) traceBody(n string) ([]byte, error) {
	number, err := api.ParseNumber(n)
	if err != nil {
		return nil, usage("%q is not the number of a message.", "Reload the list.", n)
	}
	return d.backend.Manager.TraceBody(number)
}

// SaveSettings stores the person's settings.
func (d *Desktop) SaveSettings(settings api.Settings) error {
	return bound0(d, "SaveSettings", func(ctx context.Context) error {
		saved, err := saveSettings(ctx, d.backend.Store, settings)
		if err == nil {
			d.windows.setSettings(saved)
			d.look.Set(saved.Theme)
		}
		return err
	})
}

// OpenURL opens an https URL, or http on loopback, in the system browser.
func (d *Desktop) OpenURL(url string) error {
	return bound0(d, "OpenURL", func(ctx context.Context) error { return browser.Open(ctx, url) })
}

// callResult is the raw result behind /call/{id}/result.
func (d *Desktop) callResult(ctx context.Context, id string) ([]byte, error) {
	call, err := d.backend.Manager.HistoryCall(ctx, id)
	if err != nil {
		return nil, err
	}
	if call.Result == nil {
		return nil, errors.New("the result of this call was not kept")
	}
	return call.Result, nil
}

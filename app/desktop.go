// Package app is the desktop surface: bound methods, the event stream, windows. It decodes, calls the backend and maps
// errors; it decides nothing.
package app

import (
	"errors"

	"jackfield/app/api"
)

// Desktop is bound to the main window. Every method rejects with the JSON text of an api.Failure.
type Desktop struct{}

var errNotBuilt = errors.New("not built")

// Ready says that the page listens: events flow from now on. It returns the first snapshot.
func (d *Desktop) Ready() (api.Snapshot, error) { return api.Snapshot{}, errNotBuilt }

// Snapshot returns everything live, for a page that missed an event.
func (d *Desktop) Snapshot() (api.Snapshot, error) { return api.Snapshot{}, errNotBuilt }

// EventTypes is never called: it makes the generator emit the types of the event channel and of the prompt window.
func (d *Desktop) EventTypes() (api.Batch, error)         { return api.Batch{}, nil }
func (d *Desktop) AskWindowTypes() (api.AskWindow, error) { return api.AskWindow{}, nil }

// ParseServers says what a pasted URL, command line or mcpServers JSON block means, without storing anything.
func (d *Desktop) ParseServers(text string) (api.Parsed, error) { return api.Parsed{}, errNotBuilt }

// AddServer stores a server and connects it in the background; it returns the id.
func (d *Desktop) AddServer(config api.Config) (string, error) { return "", errNotBuilt }

// ServerConfig returns what the edit dialog shows.
func (d *Desktop) ServerConfig(id string) (api.Config, error)     { return api.Config{}, errNotBuilt }
func (d *Desktop) EditServer(id string, config api.Config) error  { return errNotBuilt }
func (d *Desktop) RemoveServer(id string) error                   { return errNotBuilt }
func (d *Desktop) SetServerEnabled(id string, enabled bool) error { return errNotBuilt }

// Connect starts connecting in the background; the row tells how it goes.
func (d *Desktop) Connect(id string) error    { return errNotBuilt }
func (d *Desktop) Disconnect(id string) error { return errNotBuilt }

// Refresh loads the catalog again.
func (d *Desktop) Refresh(id string) error                { return errNotBuilt }
func (d *Desktop) Catalog(id string) (api.Catalog, error) { return api.Catalog{}, errNotBuilt }

// Call runs one call and returns when it has ended. What a tool reports as its own error is in Call.Outcome.
func (d *Desktop) Call(request api.CallRequest) (api.Call, error) { return api.Call{}, errNotBuilt }
func (d *Desktop) CancelCall(id string) error                     { return errNotBuilt }
func (d *Desktop) Complete(request api.CompleteRequest) (api.Completion, error) {
	return api.Completion{}, errNotBuilt
}
func (d *Desktop) SubscribeResource(serverID, uri string, on bool) error { return errNotBuilt }

// ExpandTemplate fills in a resource template (RFC 6570). An error names the variable.
func (d *Desktop) ExpandTemplate(uriTemplate string, values map[string]string) (string, error) {
	return "", errNotBuilt
}
func (d *Desktop) History(filter api.HistoryFilter) ([]api.Call, error) { return nil, errNotBuilt }
func (d *Desktop) HistoryCall(id string) (api.Call, error)              { return api.Call{}, errNotBuilt }

// AnswerAsk answers an open ask. An accepted URL ask opens the URL in the system browser first.
func (d *Desktop) AnswerAsk(id string, answer api.Answer) error { return errNotBuilt }

// ShowAsk brings the native window of an ask to the front, opening it again if it was closed.
func (d *Desktop) ShowAsk(id string) error { return errNotBuilt }

// Trace returns lines of the activity drawer; TraceBody the whole message as text.
func (d *Desktop) Trace(filter api.TraceFilter) ([]api.Message, error) { return nil, errNotBuilt }
func (d *Desktop) TraceBody(n string) (string, error)                  { return "", errNotBuilt }

// SaveSettings stores the person's settings.
func (d *Desktop) SaveSettings(settings api.Settings) error { return errNotBuilt }

// OpenURL opens an https URL, or http on loopback, in the system browser.
func (d *Desktop) OpenURL(url string) error { return errNotBuilt }

package app

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/wailsapp/wails/v2/pkg/runtime"

	"jackfield/app/api"
	"jackfield/backend/mcp"
)

// Diagnose goes through a connection to a server step by step, beside the one that is live.
func (d *Desktop) Diagnose(id string) (api.Diagnosis, error) {
	return bound(d, "Diagnose", func(ctx context.Context) (api.Diagnosis, error) {
		found, err := d.backend.Manager.Diagnose(ctx, id)
		return api.DiagnosisOf(found), err
	})
}

// TraceDetail returns one message with the HTTP exchange that carried it.
func (d *Desktop) TraceDetail(n string) (api.MessageDetail, error) {
	return bound(d, "TraceDetail", func(context.Context) (api.MessageDetail, error) {
		number, err := api.ParseNumber(n)
		if err != nil {
			return api.MessageDetail{}, usage("%q is not the number of a message.", "Reload the list.", n)
		}
		detail, err := d.backend.Manager.TraceDetail(number)
		return api.MessageDetailOf(detail), err
	})
}

// ExportTrace asks where to, and writes the messages that match there as jsonl or har. It returns the file, "" if the person cancelled.
func (d *Desktop) ExportTrace(filter api.TraceFilter, format string) (string, error) {
	return bound(d, "ExportTrace", func(context.Context) (string, error) {
		after, err := api.ParseNumber(filter.After)
		if err != nil {
			return "", usage("%q is not the number of a message.", "Reload the list.", filter.After)
		}
		filters := map[mcp.TraceFormat]runtime.FileFilter{
			mcp.TraceJSONL: {DisplayName: "JSON lines", Pattern: "*.jsonl"},
			mcp.TraceHAR:   {DisplayName: "HTTP Archive", Pattern: "*.har"},
		}
		kind, ok := filters[mcp.TraceFormat(format)]
		if !ok {
			return "", usage("There is no trace format %q.", "Use jsonl or har.", format)
		}
		path, err := d.pickFile(runtime.SaveDialogOptions{
			Title: "Export the activity", DefaultFilename: "jackfield-" + time.Now().Format("2006-01-02-150405") + "." + format,
			Filters: []runtime.FileFilter{kind},
		})
		if err != nil || path == "" {
			return "", err
		}
		return path, d.writeTrace(path, mcp.TraceFormat(format), api.TraceFilterOf(filter, after))
	})
}

// writeTrace writes a file that its owner alone can read: arguments and results may be private.
func (d *Desktop) writeTrace(path string, format mcp.TraceFormat, filter mcp.TraceFilter) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return usage("The file cannot be written: %v.", "Choose another place.", err)
	}
	return errors.Join(d.backend.Manager.ExportTrace(file, format, filter), file.Close())
}

// SavedCalls returns the calls of all servers that are kept under a name.
func (d *Desktop) SavedCalls() ([]api.SavedCall, error) {
	return bound(d, "SavedCalls", func(ctx context.Context) ([]api.SavedCall, error) {
		saved, err := d.backend.Store.SavedCalls(ctx, "")
		return api.Each(saved, api.SavedCallOf), err
	})
}

// SaveCall keeps a call under its name, in place of another of that name.
func (d *Desktop) SaveCall(saved api.SavedCall) error {
	return bound0(d, "SaveCall", func(ctx context.Context) error {
		return d.backend.Store.SaveCall(ctx, api.SavedCallFrom(saved))
	})
}

// DeleteSaved forgets the call of a name.
func (d *Desktop) DeleteSaved(name string) error {
	return bound0(d, "DeleteSaved", func(ctx context.Context) error { return d.backend.Store.DeleteSaved(ctx, name) })
}

// PinCall keeps a call of the history whatever the limits say, or gives it free.
func (d *Desktop) PinCall(id string, pinned bool) error {
	return bound0(d, "PinCall", func(ctx context.Context) error {
		if err := d.backend.Manager.Flush(ctx); err != nil {
			return err
		}
		return d.backend.Store.PinCall(ctx, id, pinned)
	})
}

// Retention returns what bounds the history.
func (d *Desktop) Retention() (api.Retention, error) {
	return bound(d, "Retention", func(ctx context.Context) (api.Retention, error) {
		r, err := d.backend.Store.Retention(ctx)
		return api.RetentionOf(r), err
	})
}

// SetRetention bounds the history and returns how many calls were deleted by that.
func (d *Desktop) SetRetention(r api.Retention) (int, error) {
	return bound(d, "SetRetention", func(ctx context.Context) (int, error) {
		if err := d.backend.Store.SetRetention(ctx, api.RetentionFrom(r)); err != nil {
			return 0, err
		}
		return d.backend.Prune(ctx)
	})
}

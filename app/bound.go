package app

import (
	"context"
	"fmt"
	"runtime/debug"

	"jackfield/app/api"
	"jackfield/backend/mcp"
	"jackfield/backend/store"
)

// bound runs the body of a bound method. An error becomes the JSON text of an api.Failure, and so does a panic: Wails
// recovers one too, but then the page's promise never settles.
func bound[T any](d *Desktop, name string, body func(context.Context) (T, error)) (out T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = panicked(p)
			if d.log != nil {
				d.log.Error("a bound method panicked", "method", name, "panic", p, "stack", string(debug.Stack()))
			}
		}
	}()
	out, err = body(d.ctx)
	if err != nil {
		return out, &api.Reject{Failure: api.FailureOf(err)}
	}
	return out, nil
}

func bound0(d *Desktop, name string, body func(context.Context) error) error {
	_, err := bound(d, name, func(ctx context.Context) (struct{}, error) { return struct{}{}, body(ctx) })
	return err
}

func panicked(p any) error {
	return &api.Reject{Failure: api.Failure{
		Code: mcp.CodeInternal, Message: fmt.Sprintf("Jackfield made a mistake: %v.", p),
		Hint: "Try again. The log file in the data directory has the details for a bug report.",
	}}
}

// usage is a failure of what the page sent.
func usage(format, hint string, args ...any) error {
	return &mcp.Error{Failure: store.Failure{Code: mcp.CodeUsage, Message: fmt.Sprintf(format, args...), Hint: hint}}
}

package playground

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path/filepath"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"jackfield/backend/store"
	"jackfield/backend/store/database"
)

//go:embed migrations/*.sql schemas/*.json
var embedded embed.FS

// ServerID of the stored entry.
const ServerID = "playground"

// version that the server reports of itself.
const version = "1.0.0"

const instructions = `This is a practice server. Nothing here leaves your computer, and nothing can break.

Try these, in this order:
1. echo says back what you type.
2. add changes a counter. Subscribe to the resource playground://counter and watch it change.
3. ask_form asks you a question while it runs: accept, decline and cancel are three different answers.
4. slow reports progress and can be cancelled.
5. create_order has a form with lists, choices and nested parts; read the order back as a resource.
6. show_content returns every kind of content, and fail shows how a tool reports an error.`

// Entry is how the Playground is stored as a server.
func Entry() store.Server {
	return store.Server{
		ID:        ServerID,
		Name:      "Playground",
		Transport: store.TransportBuiltin,
		Era:       store.EraAuto,
		Enabled:   true,
	}
}

// Playground is the demo server; its state is one SQLite file.
type Playground struct {
	db      *database.DB
	server  *mcp.Server
	schemas map[string]*schema
	closing context.Context // ends with Close, and every handler with it
	close   context.CancelFunc
	serving sync.WaitGroup
	mu      sync.Mutex // orders the change of the counter and what is said about it
}

// Open opens playground.db in dir, and makes both if they are missing.
func Open(ctx context.Context, dir string) (*Playground, error) {
	migrations, err := fs.Sub(embedded, "migrations")
	if err != nil {
		return nil, fmt.Errorf("reading the migrations of the Playground: %w", err)
	}
	schemas, err := compileSchemas()
	if err != nil {
		return nil, err
	}
	db, err := database.Open(ctx, filepath.Join(dir, "playground.db"), migrations, nil)
	if err != nil {
		return nil, fmt.Errorf("opening the Playground: %w", err)
	}
	p := &Playground{db: db, schemas: schemas}
	p.closing, p.close = context.WithCancel(context.Background())
	p.server = mcp.NewServer(
		&mcp.Implementation{Name: "jackfield-playground", Title: "Playground", Version: version},
		&mcp.ServerOptions{
			Instructions:       instructions,
			CompletionHandler:  p.complete,
			SubscribeHandler:   p.subscribe,
			UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
		})
	p.server.AddReceivingMiddleware(p.endWithClose)
	p.addTools()
	p.addPrompts()
	if err := p.addResources(ctx); err != nil {
		p.close()
		return nil, errors.Join(err, db.Close())
	}
	return p, nil
}

// endWithClose cancels whatever is being handled when the Playground closes, the wait for an answer of the client
// included: go-sdk's own Close waits for handlers and would wait for a person.
func (p *Playground) endWithClose(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(p.closing, cancel)()
		return next(ctx, method, request)
	}
}

// Serve speaks newline-delimited JSON-RPC on the pipe until the client closes it or ctx ends, and then closes the pipe.
func (p *Playground) Serve(ctx context.Context, pipe io.ReadWriteCloser) error {
	p.serving.Add(1)
	defer p.serving.Done()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(p.closing, func() { cancel(errClosed) })()

	once := &closeOnce{ReadWriteCloser: pipe}
	session, err := p.server.Connect(ctx, endWith{ctx, &mcp.IOTransport{Reader: once, Writer: once}}, nil)
	if err != nil {
		return errors.Join(fmt.Errorf("serving the Playground: %w", err), once.Close())
	}
	err = session.Wait()
	if ctx.Err() != nil {
		return fmt.Errorf("serving the Playground: %w", context.Cause(ctx))
	}
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrClosedPipe) {
		return fmt.Errorf("serving the Playground: %w", err)
	}
	return nil
}

var errClosed = errors.New("the Playground is closed")

// endWith ends a connection with a context. go-sdk detaches its own from the one given to Connect, and its Close waits
// for running handlers; a failing Read cancels them.
type endWith struct {
	ctx       context.Context
	transport mcp.Transport
}

func (e endWith) Connect(ctx context.Context) (mcp.Connection, error) {
	connection, err := e.transport.Connect(ctx)
	return endingConnection{connection, e.ctx}, err
}

type endingConnection struct {
	mcp.Connection
	ctx context.Context
}

func (c endingConnection) Read(context.Context) (jsonrpc.Message, error) {
	return c.Connection.Read(c.ctx)
}

// closeOnce closes a pipe that serves as reader and as writer once.
type closeOnce struct {
	io.ReadWriteCloser
	once sync.Once
	err  error
}

func (c *closeOnce) Close() error {
	c.once.Do(func() { c.err = c.ReadWriteCloser.Close() })
	return c.err
}

// Handler speaks Streamable HTTP: with sessions for legacy clients, without for modern ones. It answers requests from
// this computer only.
func (p *Playground) Handler() http.Handler {
	server := func(*http.Request) *mcp.Server { return p.server }
	legacy := mcp.NewStreamableHTTPHandler(server, nil)
	// go-sdk serves the stateless revisions from a stateless handler only. There the POST is the whole life of a
	// request, and ending it is how a client cancels.
	modern := mcp.NewStreamableHTTPHandler(server,
		&mcp.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true})
	return localOnly(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Protocol-Version") >= firstStateless {
			modern.ServeHTTP(w, r)
			return
		}
		legacy.ServeHTTP(w, r)
	}))
}

// Close ends every session and closes the file.
func (p *Playground) Close() error {
	p.close()
	p.serving.Wait()
	var errs []error
	for session := range p.server.Sessions() {
		errs = append(errs, session.Close())
	}
	return errors.Join(append(errs, p.db.Close())...)
}

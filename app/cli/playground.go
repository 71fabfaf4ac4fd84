package cli

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/spf13/cobra"

	"jackfield/backend/playground"
	"jackfield/backend/store"
)

func (p *program) playgroundCommand() *cobra.Command {
	var stdio bool
	var address string
	command := &cobra.Command{
		Use:   "playground --stdio | --http ADDR",
		Short: "Run the demo server, for any MCP client",
		Long: `Playground runs the demo server that the window and the command line know as "playground", with the same state. With
--stdio it speaks MCP on stdin and stdout; with --http it listens on this computer, port 0 for a free one, and prints the URL.`,
		Example: `  jackfield tools -- jackfield playground --stdio
  jackfield playground --http 127.0.0.1:3900`,
	}
	command.Flags().BoolVar(&stdio, "stdio", false, "speak MCP on stdin and stdout")
	command.Flags().StringVar(&address, "http", "", "listen on `ADDR`, such as 127.0.0.1:3900")
	command.RunE = p.run(noDash(func(ctx context.Context, args []string) error {
		if len(args) > 0 || stdio == (address != "") {
			return usage("Write `jackfield playground --stdio` or `jackfield playground --http 127.0.0.1:3900`.",
				"Exactly one of --stdio and --http is needed.")
		}
		return p.playground(ctx, address)
	}))
	return command
}

func (p *program) playground(ctx context.Context, address string) (err error) {
	dir := p.dataDir
	if dir == "" {
		if dir, err = store.DefaultDir(); err != nil {
			return err
		}
	}
	server, err := playground.Open(ctx, dir)
	if err != nil {
		return err
	}
	if address == "" {
		err = server.Serve(ctx, stdio{p.stdin, p.out})
	} else {
		err = p.serveHTTP(ctx, address, server.Handler())
	}
	if errors.Is(context.Cause(ctx), errInterrupted) {
		err = nil // this is how it is stopped
	}
	return errors.Join(err, server.Close())
}

// stdio is this process's own end of a stdio connection.
type stdio struct {
	io.ReadCloser
	io.Writer
}

// serveHTTP listens until ctx ends.
func (p *program) serveHTTP(ctx context.Context, address string, handler http.Handler) error {
	listener, err := listenLocally(ctx, address)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	url := "http://" + listener.Addr().String() + "/mcp"
	if p.out.json {
		err = p.out.document(struct {
			URL string `json:"url"`
		}{url})
	} else {
		err = p.out.printf("%s\n", url)
	}
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	// Streams stay open for as long as a client likes: they are cut.
	err = server.Close()
	<-ended
	return errors.Join(err, ctx.Err())
}

// listenLocally refuses addresses that others could reach: the Playground asks nobody who they are.
func listenLocally(ctx context.Context, address string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, usage("Write it as 127.0.0.1:3900.", "--http %q is not an address with a port.", address)
	}
	if host == "localhost" {
		host = "127.0.0.1"
	}
	ip, err := netip.ParseAddr(host)
	if err != nil || !ip.IsLoopback() {
		return nil, usage("Use 127.0.0.1 or [::1].", "--http %q: the Playground listens on this computer only.", address)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(ip.String(), port))
	if err != nil {
		return nil, usage("Use another port, or 0 for a free one.", "--http: %v.", err)
	}
	return listener, nil
}

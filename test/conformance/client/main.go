// Command client is what the conformance suite runs against the server that it has started: this program's back end in a data directory
// of its own, with nobody but itself as the person. It connects, signs in when asked to, calls every tool, and signs in once more when one
// of the calls needs more than the token allows. Its exit status says whether all of that succeeded.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"jackfield/backend"
	"jackfield/backend/mcp"
	"jackfield/backend/store"
	"jackfield/backend/store/vault"
	"jackfield/test/person"
)

// metadataURL is the client id that the suite expects of a client that has a Client ID Metadata Document.
const metadataURL = "https://conformance-test.local/client-metadata.json"

// signIns is how often this client goes to the browser before it gives up: the first time, and for more rights or after the
// authorization server has changed.
const signIns = 2

// given is what the suite tells a client beforehand, in MCP_CONFORMANCE_CONTEXT.
type given struct {
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
	PrivateKey   string `json:"private_key_pem"`
	Issuer       string `json:"issuer"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "client:", err)
		os.Exit(1)
	}
}

func run() (err error) {
	if len(os.Args) != 2 {
		return errors.New("give the URL of the server")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 25*time.Second)
	defer cancel()
	folder, err := os.MkdirTemp("", "conformance-client-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	server, err := entry(os.Args[1], os.Getenv("MCP_CONFORMANCE_SCENARIO"), os.Getenv("MCP_CONFORMANCE_CONTEXT"))
	if err != nil {
		return err
	}
	browser := newBrowser()
	backend.ClientMetadataURL = metadataURL
	b, err := backend.Open(ctx, backend.Options{DataDir: folder, OpenURL: browser.open})
	if err != nil {
		return err
	}
	defer func() {
		browser.wait()
		closing, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		err = errors.Join(err, b.Close(closing))
	}()
	stop := person.Agree(b.Manager, browser.failed)
	defer stop()
	id, err := b.Manager.Register(ctx, server)
	if err != nil {
		return err
	}
	s := session{manager: b.Manager, id: id}
	return errors.Join(s.use(ctx), browser.problems())
}

// entry is the server as a person would have stored it.
func entry(url, scenario, known string) (store.Server, error) {
	server := store.Server{Name: "conformance", Transport: store.TransportStreamableHTTP, URL: url, Retry: store.Retry{MaxAttempts: 1}}
	if known == "" {
		return server, nil
	}
	var g given
	if err := json.Unmarshal([]byte(known), &g); err != nil {
		return server, fmt.Errorf("reading MCP_CONFORMANCE_CONTEXT: %w", err)
	}
	server.ClientID = g.ClientID
	server.SignIn = store.SignInConfig{Issuer: g.Issuer, ClientSecret: vault.NewSecret(g.ClientSecret), PrivateKey: vault.NewSecret(g.PrivateKey)}
	switch scenario {
	case "auth/client-credentials-basic":
		server.SignIn.Mode, server.SignIn.AuthMethod = store.SignInClientCredentials, "client_secret_basic"
	case "auth/client-credentials-jwt":
		server.SignIn.Mode, server.SignIn.AuthMethod = store.SignInClientCredentials, "private_key_jwt"
	}
	return server, nil
}

// session is the use of one server.
type session struct {
	manager *mcp.Manager
	id      string
	signIns int
}

// use connects and calls every tool.
func (s *session) use(ctx context.Context) error {
	if err := s.do(ctx, func() error { return s.manager.Connect(ctx, s.id) }); err != nil {
		return fmt.Errorf("connecting: %w", err)
	}
	catalog, err := s.manager.Catalog(s.id)
	if err != nil {
		return err
	}
	for _, tool := range catalog.Tools {
		call := mcp.CallRequest{ServerID: s.id, Kind: store.KindTool, Name: tool.Name, Arguments: json.RawMessage("{}")}
		err := s.do(ctx, func() error {
			_, err := s.manager.Call(ctx, call)
			return err
		})
		if err != nil {
			return fmt.Errorf("calling %s: %w", tool.Name, err)
		}
	}
	return nil
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

// browser opens pages beside the client, as the system's would.
type browser struct {
	group sync.WaitGroup
	mu    sync.Mutex
	errs  []error
}

func newBrowser() *browser { return &browser{} }

func (b *browser) open(_ context.Context, address string) error {
	b.group.Go(func() {
		// The program's own context ends with the attempt; a browser goes on.
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if _, _, err := person.Browse(ctx, address); err != nil {
			fmt.Fprintln(os.Stderr, "browser:", err)
		}
	})
	return nil
}

func (b *browser) failed(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.errs = append(b.errs, err)
}

func (b *browser) wait() { b.group.Wait() }

func (b *browser) problems() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return errors.Join(b.errs...)
}

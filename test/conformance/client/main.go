// Command client is what the conformance suite runs against the server that it has started: this program's back end in a data directory
// of its own, with nobody but itself as the person. It connects, signs in when asked to, calls every tool, reads every resource and gets
// every prompt, accepts what the server asks as the form stands, and signs in once more when one of the calls needs more than the token
// allows. Its exit status says whether all of that succeeded.
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
	ToolCalls    []struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"toolCalls"`
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
	var known given
	if text := os.Getenv("MCP_CONFORMANCE_CONTEXT"); text != "" {
		if err := json.Unmarshal([]byte(text), &known); err != nil {
			return fmt.Errorf("reading MCP_CONFORMANCE_CONTEXT: %w", err)
		}
	}
	server := entry(os.Args[1], os.Getenv("MCP_CONFORMANCE_SCENARIO"), known)
	browser := newBrowser()
	backend.ClientMetadataURL = metadataURL
	b, err := backend.Open(ctx, backend.Options{DataDir: folder, OpenURL: browser.open, Modes: []mcp.AskMode{mcp.AskForm, mcp.AskURL}})
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
	stop = person.Accept(ctx, b.Manager, browser.failed)
	defer stop()
	id, err := b.Manager.Register(ctx, server)
	if err != nil {
		return err
	}
	s := session{manager: b.Manager, id: id, given: known}
	return errors.Join(s.use(ctx), browser.problems())
}

// entry is the server as a person would have stored it.
func entry(url, scenario string, g given) store.Server {
	server := store.Server{Name: "conformance", Transport: store.TransportStreamableHTTP, URL: url, Retry: store.Retry{MaxAttempts: 1}}
	server.ClientID = g.ClientID
	server.SignIn = store.SignInConfig{Issuer: g.Issuer, ClientSecret: vault.NewSecret(g.ClientSecret), PrivateKey: vault.NewSecret(g.PrivateKey)}
	switch scenario {
	case "auth/client-credentials-basic":
		server.SignIn.Mode, server.SignIn.AuthMethod = store.SignInClientCredentials, "client_secret_basic"
	case "auth/client-credentials-jwt":
		server.SignIn.Mode, server.SignIn.AuthMethod = store.SignInClientCredentials, "private_key_jwt"
	}
	return server
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

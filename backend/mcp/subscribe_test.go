package mcp

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"jackfield/backend/mcp/wire"
	"jackfield/backend/store"
)

func TestCompletionSaysWhatIsKnownAlready(t *testing.T) {
	for _, modern := range []bool{false, true} {
		asked := make(chan json.RawMessage, 2)
		s := &script{modern: modern, answer: func(method string, params json.RawMessage) (string, string) {
			switch method {
			case "initialize":
				return strings.Replace(legacyHello, `"prompts":{}`, `"prompts":{},"completions":{}`, 1), ""
			case "server/discover":
				return strings.Replace(modernHello, `"prompts":{}`, `"prompts":{},"completions":{}`, 1), ""
			case "completion/complete":
				asked <- params
				return `{"completion":{"values":["go"],"total":120,"hasMore":true}}`, ""
			}
			return "", ""
		}}
		if !modern {
			answer := s.answer
			s.answer = func(method string, params json.RawMessage) (string, string) {
				if method == "server/discover" {
					return "", `{"code":-32601,"message":"no"}`
				}
				return answer(method, params)
			}
		}
		m := connected(t, s, Options{})
		for kind, reference := range map[string]string{
			"prompt":   `{"type":"ref/prompt","name":"x://{lang}/{file}"}`,
			"template": `{"type":"ref/resource","uri":"x://{lang}/{file}"}`,
		} {
			got, err := m.Complete(t.Context(), CompleteRequest{
				ServerID: "s", Kind: kind, Name: "x://{lang}/{file}", Argument: "file", Value: "m", Context: map[string]string{"lang": "gö"},
			})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(Completion{Values: []string{"go"}, Total: 120, HasMore: true}, got); diff != "" {
				t.Error(diff)
			}
			params := <-asked
			for name, want := range map[string]string{
				"ref": reference, "argument": `{"name":"file","value":"m"}`, "context": `{"arguments":{"lang":"gö"}}`,
			} {
				var is, should any
				if json.Unmarshal(wire.Get(params, name), &is) != nil || json.Unmarshal([]byte(want), &should) != nil {
					t.Fatalf("%s = %s", name, wire.Get(params, name))
				}
				if diff := cmp.Diff(should, is); diff != "" {
					t.Errorf("modern %v, %s, %s: %s", modern, kind, name, diff)
				}
			}
		}
	}
}

// A server that offers no completion is not asked: an empty list is what it would say.
func TestCompletionThatIsNotOfferedIsEmpty(t *testing.T) {
	s := &script{}
	m := connected(t, s, Options{})
	got, err := m.Complete(t.Context(), CompleteRequest{ServerID: "s", Kind: "prompt", Name: "p", Argument: "a"})
	if err != nil || len(got.Values) != 0 || s.count("completion/complete") != 0 {
		t.Errorf("got %+v, %v", got, err)
	}
}

// subscribable is a real server that says which resources are watched.
func subscribable(watched chan<- string) *sdk.Server {
	return newServer(&sdk.ServerOptions{
		SubscribeHandler: func(_ context.Context, r *sdk.SubscribeRequest) error {
			watched <- "+" + r.Params.URI
			return nil
		},
		UnsubscribeHandler: func(_ context.Context, r *sdk.UnsubscribeRequest) error {
			watched <- "-" + r.Params.URI
			return nil
		},
	})
}

func TestWatchedResourcesAreToldInBothErasAndComeBackWithTheConnection(t *testing.T) {
	for _, era := range []store.Era{store.EraLegacy, store.EraModern} {
		for _, over := range []string{"pipe", "http"} {
			t.Run(string(era)+" over "+over, func(t *testing.T) {
				watched := make(chan string, 16)
				server := subscribable(watched)
				entry := store.Server{ID: "s", Transport: store.TransportBuiltin, Era: era, Enabled: true}
				options := Options{Builtin: map[string]Serve{"s": serve(server)}}
				if over == "http" {
					handler := streamable(server)
					if era == store.EraModern {
						handler = stateless(server)
					}
					entry = remote(newWeb(t, handler).URL, func(s *store.Server) { s.Era = era })
				}
				m := start(t, options, false)
				if _, err := m.Add(t.Context(), entry); err != nil {
					t.Fatal(err)
				}
				if s, _ := m.Status("s"); s.Era != era || !slices.Contains(s.Capabilities, "resources.subscribe") {
					t.Fatalf("era %s, capabilities %v", s.Era, s.Capabilities)
				}
				events, cancel := m.Subscribe()
				defer cancel()
				updated := func() {
					t.Helper()
					// The subscription of a modern server is a stream of its own, which may come a moment after its request.
					eventually(t, "the update", func() bool {
						if err := server.ResourceUpdated(t.Context(), &sdk.ResourceUpdatedNotificationParams{URI: "fixture://a"}); err != nil {
							return false
						}
						for {
							select {
							case e := <-events:
								if e.Type == EventUpdated && e.URI == "fixture://a" {
									return true
								}
								continue
							default:
							}
							return false
						}
					})
				}
				if err := m.SubscribeResource(t.Context(), "s", "fixture://a", true); err != nil {
					t.Fatal(err)
				}
				updated()
				if err := m.Disconnect(t.Context(), "s"); err != nil {
					t.Fatal(err)
				}
				if err := m.Connect(t.Context(), "s"); err != nil {
					t.Fatal(err)
				}
				updated()
				if err := m.SubscribeResource(t.Context(), "s", "fixture://a", false); err != nil {
					t.Fatal(err)
				}
				if err := m.SubscribeResource(t.Context(), "nobody", "fixture://a", true); err == nil {
					t.Error("nobody can be watched")
				}
			})
		}
	}
}

func TestWatchingWhatIsNotOfferedIsRefused(t *testing.T) {
	s := &script{modern: true}
	m := connected(t, s, Options{})
	if err := m.SubscribeResource(t.Context(), "s", "x://1", true); code(err) != CodeUsage {
		t.Errorf("err = %v", err)
	}
}

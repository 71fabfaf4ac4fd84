package wire

import (
	"bytes"
	"encoding/json"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestRawResultsKeepTheirDigits(t *testing.T) {
	for name, transport := range map[string]func(*Wire) sdk.Transport{
		"stdio": func(w *Wire) sdk.Transport { return w.Stdio(self("digits")) },
		"pipe":  func(w *Wire) sdk.Transport { return w.Pipe(serveEcho) },
	} {
		t.Run(name, func(t *testing.T) {
			l := &journal{}
			w := New(Config{Observer: l.observer()})
			defer w.Close()
			ctx := withTimeout(t)
			session, err := client().Connect(ctx, transport(w), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			if got := w.Era(); got != "modern" {
				t.Errorf("era %q, want modern", got)
			}
			call := &Call{ID: "a", Placeholder: true}
			result, err := session.CallTool(WithCall(ctx, call), &sdk.CallToolParams{Name: "echo", Arguments: json.RawMessage(`{"x":12345678901234567890}`)})
			if err != nil {
				t.Fatal(err)
			}
			if len(result.Content) != 0 {
				t.Errorf("go-sdk saw content although a placeholder was asked for: %v", result.Content)
			}
			for _, want := range []string{`9007199254740993`, `12345678901234567890`} {
				if !bytes.Contains(call.Result(), []byte(want)) {
					t.Errorf("raw result lacks %s: %s", want, call.Result())
				}
			}
			if rounds := call.Rounds(); len(rounds) != 1 || rounds[0].Took <= 0 {
				t.Errorf("rounds: %+v", rounds)
			}
			if !l.has(In, "9007199254740993") || !l.has(Out, "12345678901234567890") {
				t.Error("the record lacks the call")
			}
			if codes := l.codes(); len(codes) > 0 {
				t.Errorf("problems with a good server: %v", codes)
			}
		})
	}
}

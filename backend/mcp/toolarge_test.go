package mcp

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"jackfield/backend/store"
)

// A message that never ends would take all memory. It is given up, its call fails with a reason, and the connection goes on where the end
// of a message is the end of a body.
func TestAMessageWithoutEndIsGivenUp(t *testing.T) {
	endless := func(kind, begin string) answer {
		return func(w http.ResponseWriter, _ *http.Request, id string) {
			w.Header().Set("Content-Type", kind)
			_, err := io.WriteString(w, strings.ReplaceAll(begin, "ID", id))
			for block := strings.Repeat("x", 64<<10); err == nil; {
				_, err = io.WriteString(w, block)
			}
		}
	}
	const begin = `{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"`
	for fault, bad := range map[string]answer{
		"a body":           endless("application/json", begin),
		"an event":         endless("text/event-stream", "id: 1\ndata: "+begin),
		"a bare body":      endless("text/event-stream", begin),
		"a line of events": endless("text/event-stream", ": "),
		"an error":         endless("text/html", "<p>"),
	} {
		for _, modern := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, modern %t", fault, modern), func(t *testing.T) {
				f := newHostile(t, modern, map[string]answer{"tools/call t": bad})
				m := f.add(t, Options{Largest: 1 << 20})
				before, err := m.Status("s")
				if err != nil {
					t.Fatal(err)
				}
				call, err := m.Call(t.Context(), callT())
				if failure := failureOf(err); failure == nil || failure.Code != CodeProtocol || !strings.Contains(failure.Message, "more than 1 MB") {
					t.Errorf("call = %+v, %v", call, err)
				}
				if len(call.Problems) != 1 || call.Problems[0].Code != "too_large" {
					t.Errorf("problems = %+v", call.Problems)
				}
				if n := len(f.heard("tools/call t")); n != 1 {
					t.Errorf("the tool ran %d times", n)
				}
				stillFine(t, m, before.Generation)
			})
		}
	}
}

func TestAProcessWhoseMessageNeverEndsIsEnded(t *testing.T) {
	m := start(t, Options{Largest: 1 << 20}, false)
	server := helper(t, rawMode+"17 MB")
	server.ID, server.Retry = "s", store.Retry{MaxAttempts: 1}
	if _, err := m.Add(t.Context(), server); err != nil {
		t.Fatal(err)
	}
	_, err := m.Call(t.Context(), callT())
	if failure := failureOf(err); failure == nil || !strings.Contains(failure.Message, "more than 1 MB") {
		t.Errorf("err = %+v", failure)
	}
	eventually(t, "the end of the connection", func() bool {
		status, err := m.Status("s")
		return err == nil && slices.Contains([]State{StateFailed, StateReady, StateDisconnected}, status.State) && status.Generation > 1
	})
}

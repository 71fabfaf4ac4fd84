package mcp

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"jackfield/backend/mcp/wire"
	"jackfield/backend/store"
)

// In the modern era every request says who asks, in its own body and in its headers.
func TestEveryModernRequestSaysWhoAsks(t *testing.T) {
	f := newHostile(t, true, nil)
	m := f.add(t, bothModes)
	status, err := m.Status("s")
	if err != nil {
		t.Fatal(err)
	}
	stillFine(t, m, status.Generation)
	eventually(t, "listen", func() bool { return len(f.heard("subscriptions/listen")) > 0 })
	for _, key := range []string{"server/discover", "tools/list", "tools/call good", "subscriptions/listen"} {
		for _, one := range f.heard(key) {
			meta := wire.Get(wire.Get(one.body, "params"), "_meta")
			if plain(wire.Get(meta, "io.modelcontextprotocol/protocolVersion")) != "2026-07-28" ||
				wire.Get(wire.Get(meta, "io.modelcontextprotocol/clientCapabilities"), "elicitation") == nil ||
				plain(wire.Get(wire.Get(meta, "io.modelcontextprotocol/clientInfo"), "name")) != "test" {
				t.Errorf("%s: _meta = %s", key, meta)
			}
			method, _, _ := strings.Cut(key, " ")
			if one.header.Get("Mcp-Protocol-Version") != "2026-07-28" || one.header.Get("Mcp-Method") != method || one.header.Get("Mcp-Session-Id") != "" {
				t.Errorf("%s: headers = %v", key, one.header)
			}
		}
	}
	if got := f.heard("tools/call good")[0].header.Get("Mcp-Name"); got != "good" {
		t.Errorf("Mcp-Name = %q", got)
	}
}

// The state of a round is echoed byte for byte, whatever it is, and left out when there is none; each round has an id of its own.
func TestTheStateOfARoundIsEchoedByteForByte(t *testing.T) {
	for _, state := range []string{`"a\u0062c\/<\u003c\ud800"`, `""`, `{"n":9007199254740993}`, ``, `null`} {
		t.Run(state, func(t *testing.T) {
			f := newHostile(t, true, nil)
			m := f.add(t, bothModes)
			member := ""
			if state != "" {
				member = `,"requestState":` + state
			}
			f.put("tools/call t", func(w http.ResponseWriter, r *http.Request, id string) {
				result := `{"resultType":"complete","content":[]}`
				if len(f.heard("tools/call t")) == 1 {
					result = `{"resultType":"input_required","inputRequests":{"q":{"method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object","properties":{}}}}}` + member + `}`
				}
				gives(result)(w, r, id)
			})
			results := callInBackground(m, t)
			if err := m.Answer(t.Context(), waitForAsk(t, m).ID, Answer{ActionAccept, json.RawMessage(`{}`)}); err != nil {
				t.Fatal(err)
			}
			if got := <-results; got.err != nil || got.call.Outcome != store.OutcomeDone {
				t.Fatalf("call = %+v, %v", got.call, got.err)
			}
			rounds := f.heard("tools/call t")
			if len(rounds) != 2 || rounds[0].id == rounds[1].id {
				t.Fatalf("rounds %v", rounds)
			}
			want := state
			if state == "null" {
				want = ""
			}
			if got := string(wire.Get(wire.Get(rounds[1].body, "params"), "requestState")); got != want {
				t.Errorf("echoed %s, want %s", got, want)
			}
			stillFine(t, m, 1)
			if other := f.heard("tools/call good")[0]; wire.Get(wire.Get(other.body, "params"), "requestState") != nil {
				t.Errorf("the state got into another call: %s", other.body)
			}
		})
	}
}

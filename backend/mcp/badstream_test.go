package mcp

import (
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"jackfield/backend/store"
)

// What a server answers to the question for its era, other than yes, means no; the handshake of the older era follows at once.
func TestABadAnswerAboutTheEraIsNoAnswer(t *testing.T) {
	for fault, bad := range map[string]answer{
		"html":            says(200, "text/html", "<h1>Welcome"),
		"202":             says(202, "", ""),
		"204":             says(204, "", ""),
		"empty 200":       says(200, "application/json", ""),
		"a bare error":    says(200, "application/json", `{"error":"bad"}`),
		"an error id":     says(200, "application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"bad"}}`),
		"an empty object": says(200, "application/json", `{}`),
		"400":             says(400, "text/plain", "bad"),
		"404":             says(404, "text/plain", "no"),
		"406":             says(406, "text/plain", "no"),
		"500":             says(500, "text/plain", "no"),
	} {
		t.Run(fault, func(t *testing.T) {
			f := newHostile(t, false, map[string]answer{"server/discover": bad})
			m := f.add(t, Options{})
			if status, err := m.Status("s"); err != nil || status.State != StateReady || status.Era != store.EraLegacy {
				t.Errorf("status = %+v, %v", status, err)
			}
			if n := len(f.heard("initialize")); n != 1 {
				t.Errorf("%d handshakes", n)
			}
		})
	}
}

// Streams whose headers never come, or that are refused in any way, hold up neither the connection nor its end.
func TestConnectingWaitsForNoStream(t *testing.T) {
	for _, test := range []struct {
		fault  string
		modern bool
		answer func(*hostile) answer
	}{
		{"GET without headers", false, func(f *hostile) answer { return f.hang(false) }},
		{"listen without headers", true, func(f *hostile) answer { return f.hang(false) }},
		{"GET 401", false, func(*hostile) answer { return says(401, "text/plain", "no") }},
		{"GET 404", false, func(*hostile) answer { return says(404, "text/plain", "no") }},
		{"GET 500", false, func(*hostile) answer { return says(500, "text/plain", "no") }},
		{"GET 500 as an event stream", false, func(*hostile) answer { return says(500, "text/event-stream", "data: x\n\n") }},
		{"GET 503 as an event stream", false, func(*hostile) answer { return says(503, "text/event-stream", "data: x\n\n") }},
		{"GET as html", false, func(*hostile) answer { return says(200, "text/html", "<p>") }},
		{"listen 404", true, func(*hostile) answer { return says(404, "text/plain", "no") }},
		{"listen 500", true, func(*hostile) answer { return says(500, "text/plain", "no") }},
		{"listen as html", true, func(*hostile) answer { return says(200, "text/html", "<p>") }},
	} {
		t.Run(test.fault, func(t *testing.T) {
			t.Parallel()
			f := newHostile(t, test.modern, nil)
			stream := map[bool]string{false: "GET", true: "subscriptions/listen"}[test.modern]
			f.put(stream, test.answer(f))
			begun := time.Now()
			m := f.add(t, Options{}, func(s *store.Server) { s.Timeouts.Connect = 5 * time.Second })
			if took := time.Since(begun); took > 4*time.Second {
				t.Errorf("connecting took %s", took)
			}
			status, err := m.Status("s")
			if err != nil {
				t.Fatal(err)
			}
			eventually(t, "the request for the stream", func() bool { return len(f.heard(stream)) > 0 })
			stillFine(t, m, status.Generation)
			begun = time.Now()
			if err := m.Disconnect(t.Context(), "s"); err != nil {
				t.Error(err)
			}
			if took := time.Since(begun); took > 3*time.Second {
				t.Errorf("closing took %s", took)
			}
		})
	}
}

// A stream that ends again and again: alone, go-sdk gives the session up after six of the one kind, and opens the other never again.
func TestDroppedStreamsLeaveTheConnection(t *testing.T) {
	for stream, modern := range map[string]bool{"GET": false, "subscriptions/listen": true} {
		t.Run(stream, func(t *testing.T) {
			f := newHostile(t, modern, nil)
			f.put(stream, func(w http.ResponseWriter, _ *http.Request, _ string) { event(w, "retry: 10\n\n") })
			m := f.add(t, Options{})
			status, err := m.Status("s")
			if err != nil {
				t.Fatal(err)
			}
			eventually(t, "ten streams", func() bool { return len(f.heard(stream)) >= 10 })
			stillFine(t, m, status.Generation)
			// What may have been missed in between is fetched.
			eventually(t, "the list again", func() bool { return len(f.heard("tools/list")) >= 2 })
			ids := map[string]bool{}
			for _, one := range f.heard(stream) {
				if modern && ids[one.id] {
					t.Errorf("the id %s was used twice", one.id)
				}
				ids[one.id] = true
			}
		})
	}
}

// A call whose stream is cut in the middle goes on behind the last event (2025-11-25, SEP-1699): the priming event gives the position before
// anything else has come, and retry says when.
func TestACallThatIsCutGoesOn(t *testing.T) {
	f := newHostile(t, false, nil)
	m := f.add(t, Options{})
	var cut time.Time
	f.put("tools/call t", func(w http.ResponseWriter, _ *http.Request, id string) {
		f.put("GET", func(w http.ResponseWriter, r *http.Request, _ string) {
			if waited := time.Since(cut); waited < 290*time.Millisecond {
				t.Errorf("back after %s, before the 300 ms that the server asked for", waited)
			}
			if r.Header.Get("Last-Event-ID") != "p0" || r.Header.Get("Mcp-Session-Id") != "s1" {
				t.Errorf("headers %v", r.Header)
			}
			event(w, fmt.Sprintf("id: p1\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"content\":[]}}\n\n", id))
		})
		event(w, "retry: 300\nid: p0\ndata: \n\n")
		cut = time.Now()
		panic(http.ErrAbortHandler)
	})
	call, err := m.Call(t.Context(), callT())
	if err != nil || call.Outcome != store.OutcomeDone || len(call.Problems) > 0 {
		t.Errorf("call = %+v, %v", call, err)
	}
	if n := len(f.heard("tools/call t")); n != 1 {
		t.Errorf("the tool ran %d times", n)
	}
}

// Comments that keep a connection open are signs of life, but no reason to wait for ever.
func TestKeepaliveCommentsResetTheIdleLimitOnly(t *testing.T) {
	f := newHostile(t, false, nil)
	m := f.add(t, Options{})
	f.put("tools/call t", func(w http.ResponseWriter, r *http.Request, _ string) {
		for {
			event(w, ": keepalive\n\n")
			select {
			case <-time.After(50 * time.Millisecond):
			case <-r.Context().Done():
				return
			case <-f.done:
				return
			}
		}
	})
	request := callT()
	request.Idle, request.Total = 500*time.Millisecond, 1500*time.Millisecond
	call, err := m.Call(t.Context(), request)
	if code(err) != CodeTotalTime || call.Outcome != store.OutcomeTimeout {
		t.Errorf("call = %+v, %v", call, err)
	}
	eventually(t, "the cancellation", func() bool { return len(f.heard("notifications/cancelled")) == 1 })
}

// A session that is gone is opened again once, and what hung on it with it (2025-11-25, basic/transports, "Session Management").
func TestALostSessionIsOpenedAgain(t *testing.T) {
	f := newHostile(t, false, nil)
	m := f.add(t, Options{})
	if err := m.SubscribeResource(t.Context(), "s", "x:a", true); err != nil {
		t.Fatal(err)
	}
	status, err := m.Status("s")
	if err != nil {
		t.Fatal(err)
	}
	f.put("initialize", func(w http.ResponseWriter, r *http.Request, id string) {
		w.Header().Set("Mcp-Session-Id", "s2")
		gives(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true}},"serverInfo":{"name":"hostile","version":"1"}}`)(w, r, id)
	})
	f.put("tools/call t", func(w http.ResponseWriter, r *http.Request, id string) {
		if r.Header.Get("Mcp-Session-Id") != "s2" {
			says(404, "text/plain", "no such session")(w, r, id)
			return
		}
		gives(`{"content":[]}`)(w, r, id)
	})
	if call, err := m.Call(t.Context(), callT()); err != nil || call.Outcome != store.OutcomeDone {
		t.Errorf("call = %+v, %v", call, err)
	}
	eventually(t, "the subscription again", func() bool { return len(f.heard("resources/subscribe")) == 2 })
	if got := f.heard("resources/subscribe")[1].header.Get("Mcp-Session-Id"); got != "s2" {
		t.Errorf("subscribed in session %q", got)
	}
	if n := len(f.heard("initialize")); n != 2 {
		t.Errorf("%d handshakes", n)
	}
	if !slices.Contains(problemCodes(t, m), "session_renewed") {
		t.Errorf("problems %q", problemCodes(t, m))
	}
	stillFine(t, m, status.Generation)
	for _, one := range f.heard("tools/call good") {
		if one.header.Get("Mcp-Protocol-Version") != "2025-11-25" {
			t.Errorf("version header %q", one.header.Get("Mcp-Protocol-Version"))
		}
	}
	if err := m.Disconnect(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	if gone := f.heard("DELETE"); len(gone) != 1 || gone[0].header.Get("Mcp-Session-Id") != "s2" {
		t.Errorf("deleted %v", gone)
	}
}

// A server that is away for a while fails the calls of that while, and is there again without a new connection.
func TestAServerThatIsAwayForAWhile(t *testing.T) {
	f := unstarted(t, true, nil)
	address := f.Listener.Addr().String()
	f.Start()
	m := f.add(t, Options{})
	status, err := m.Status("s")
	if err != nil {
		t.Fatal(err)
	}
	_ = f.Listener.Close()
	f.CloseClientConnections()
	var failure *Error
	eventually(t, "a refusal", func() bool {
		_, err := m.Call(t.Context(), callT())
		failure = failureOf(err)
		return failure != nil && failure.Code == CodeUnreachable
	})
	if !strings.Contains(failure.Message, "refused") {
		t.Errorf("failure = %+v", failure)
	}
	again := unstarted(t, true, nil)
	_ = again.Listener.Close()
	if again.Listener, err = net.Listen("tcp", address); err != nil {
		t.Skip("the port was taken meanwhile:", err)
	}
	again.Start()
	eventually(t, "the server again", func() bool {
		now, err := m.Status("s")
		return err == nil && now.State == StateReady
	})
	stillFine(t, m, status.Generation)
}

// Redirects that keep the method are followed, others explained.
func TestRedirectsOfAServer(t *testing.T) {
	for _, code := range []int{301, 302, 307, 308} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			f := newHostile(t, true, nil)
			f.put("POST", func(w http.ResponseWriter, r *http.Request, id string) {
				if r.URL.Path != "/mcp/" {
					http.Redirect(w, r, "/mcp/", code)
					return
				}
				f.good(f.seen[len(f.seen)-1].key)(w, r, id)
			})
			m := start(t, Options{}, false)
			_, err := m.Add(t.Context(), f.entry(func(s *store.Server) { s.URL += "/mcp" }))
			if code >= 307 {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if failure := failureOf(err); failure == nil || !strings.Contains(failure.Message, "redirect") || !strings.Contains(failure.Hint, "/mcp/") {
				t.Errorf("failure = %+v", failure)
			}
		})
	}
}

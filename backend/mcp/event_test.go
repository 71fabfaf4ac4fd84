package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"jackfield/backend/store"
)

// told waits for the next observer's event of a type and checks what every such event has.
func told(t *testing.T, events <-chan Event, kind EventType, match func(Event) bool) Event {
	t.Helper()
	e := await(t, events, string(kind), func(e Event) bool { return e.Type == kind && (match == nil || match(e)) })
	if e.Time.IsZero() || e.ServerID != "s" {
		t.Errorf("%s has no time or no server: %+v", kind, e)
	}
	return e
}

func with(code string) func(Event) bool { return func(e Event) bool { return e.Code == code } }

func TestConnectAndDiscoverAreToldWhenTheyWentWell(t *testing.T) {
	m := withScript(t, &script{}, Options{})
	events, cancel := m.Subscribe()
	defer cancel()
	if err := m.Connect(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	if e := told(t, events, EventConnect, nil); e.Code != "" || e.Text != "" || e.State != StateConnected || e.Transport != store.TransportBuiltin {
		t.Errorf("connect = %+v", e)
	}
	if e := told(t, events, EventDiscover, with("")); e.State != StateReady {
		t.Errorf("discover = %+v", e)
	}
	if err := m.Disconnect(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	if e := told(t, events, EventClose, nil); e.State != StateDisconnected || e.Code != "" {
		t.Errorf("close = %+v", e)
	}
}

func TestFailedConnectionAndItsRetriesAreTold(t *testing.T) {
	w := newWeb(t, status(500))
	m := start(t, Options{Store: newMemory(remote(w.URL))}, false)
	events, cancel := m.Subscribe()
	defer cancel()
	if err := m.Connect(t.Context(), "s"); err == nil {
		t.Fatal("it connected")
	}
	if e := told(t, events, EventConnect, nil); e.Code != CodeNoHandshake || e.Text == "" || e.State != StateFailed {
		t.Errorf("connect = %+v", e)
	}
	m.Wake()
	if e := told(t, events, EventRetry, nil); !strings.HasPrefix(e.Text, "Attempt 2 of 3 in ") || e.State != StateConnecting {
		t.Errorf("retry = %+v", e)
	}
	m.Wait(t.Context())
}

func TestDiscoveryThatIsSkippedIsTold(t *testing.T) {
	m := withScript(t, &script{}, Options{})
	events, cancel := m.Subscribe()
	defer cancel()
	if err := m.Discover(t.Context(), "s"); code(err) != CodeClosed {
		t.Errorf("err = %v", err)
	}
	if e := told(t, events, EventDiscover, nil); e.Code != CodeClosed || e.State != StateDisconnected || !strings.Contains(e.Text, "not connected") {
		t.Errorf("discover = %+v", e)
	}
}

// silentList never answers tools/list.
func silentList() *script {
	return &script{answer: func(method string, _ json.RawMessage) (string, string) {
		if method == "tools/list" {
			return "silent", ""
		}
		return "", ""
	}}
}

func TestDiscoveryThatRunsOutOfTimeIsTold(t *testing.T) {
	m := withScript(t, silentList(), Options{}, func(s *store.Server) { s.Timeouts.Discovery = 50 * time.Millisecond })
	events, cancel := m.Subscribe()
	defer cancel()
	if err := m.Connect(t.Context(), "s"); code(err) != CodeDiscoveryTime {
		t.Fatal(err)
	}
	if e := told(t, events, EventDiscover, nil); e.Code != CodeDiscoveryTime || e.State != StateConnected {
		t.Errorf("discover = %+v", e)
	}
}

func TestCancelledAttemptAndDiscoveryAreTold(t *testing.T) {
	hold := make(chan struct{})
	defer close(hold)
	m := withScript(t, &script{answer: func(method string, _ json.RawMessage) (string, string) {
		if method == "server/discover" {
			<-hold
		}
		return "", ""
	}}, Options{})
	events, cancel := m.Subscribe()
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- m.Connect(t.Context(), "s") }()
	await(t, events, "connecting", func(e Event) bool { return e.Type == EventServer && e.Server.State == StateConnecting })
	if err := m.Disconnect(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	if e := told(t, events, EventConnect, nil); e.Code != CodeClosed || e.State != StateDisconnected {
		t.Errorf("connect = %+v", e)
	}
	<-ended

	m = withScript(t, silentList(), Options{})
	events, cancel = m.Subscribe()
	defer cancel()
	go func() { ended <- m.Connect(t.Context(), "s") }()
	await(t, events, "discovering", func(e Event) bool { return e.Type == EventServer && e.Server.State == StateDiscovering })
	if err := m.Disconnect(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	if e := told(t, events, EventDiscover, nil); e.Code != CodeClosed || e.State != StateDisconnected {
		t.Errorf("discover = %+v", e)
	}
	<-ended
}

func TestListThatIsNotThereIsTold(t *testing.T) {
	m := withScript(t, &script{answer: func(method string, _ json.RawMessage) (string, string) {
		if method == "resources/templates/list" {
			return "", `{"code":-32601,"message":"no"}`
		}
		return "", ""
	}}, Options{})
	events, cancel := m.Subscribe()
	defer cancel()
	if err := m.Connect(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	if e := told(t, events, EventDiscover, nil); e.URI != "resources/templates/list" || e.Code != CodeServerError {
		t.Errorf("discover = %+v", e)
	}
	told(t, events, EventDiscover, func(e Event) bool { return e.URI == "" && e.Code == "" && e.State == StateReady })
}

func TestLostConnectionAndItsDiscoveryAreTold(t *testing.T) {
	s := silentList()
	m := withScript(t, s, Options{}, func(s *store.Server) { s.Retry.MaxAttempts = 1 })
	events, cancel := m.Subscribe()
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- m.Connect(t.Context(), "s") }()
	eventually(t, "the list is asked for", func() bool { return s.count("tools/list") == 1 })
	s.hangUp()
	if e := told(t, events, EventDiscover, nil); e.Code == "" {
		t.Errorf("discover = %+v", e)
	}
	if e := told(t, events, EventClose, nil); e.Code == "" || e.Text == "" {
		t.Errorf("close = %+v", e)
	}
	<-ended
}

func TestCallsAsksAndProblemsAreTold(t *testing.T) {
	m := connected(t, asking(`{"message":"?","requestedSchema":`+ageForm+`}`), bothModes)
	events, cancel := m.Subscribe()
	defer cancel()
	result := callInBackground(m, t)
	told(t, events, EventCall, func(e Event) bool { return running(*e.Call) })
	ask := told(t, events, EventAsk, nil).Ask
	if err := m.Answer(t.Context(), ask.ID, Answer{Action: ActionDecline}); err != nil {
		t.Fatal(err)
	}
	if e := told(t, events, EventAsk, nil); !e.Ask.Closed || e.Ask.Outcome != ActionDecline {
		t.Errorf("ask = %+v", e.Ask)
	}
	told(t, events, EventCall, func(e Event) bool { return !running(*e.Call) })
	<-result

	s := &script{answer: func(method string, _ json.RawMessage) (string, string) {
		if method == "tools/list" {
			return `{"tools":[{"inputSchema":{}}]}`, ""
		}
		return "", ""
	}}
	m = withScript(t, s, Options{})
	events, cancel = m.Subscribe()
	defer cancel()
	if err := m.Connect(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	if e := told(t, events, EventProblem, nil); e.Problem.ServerID != "s" || e.Problem.Code == "" || e.Problem.Message == "" {
		t.Errorf("problem = %+v", e.Problem)
	}
}

// Whatever goes wrong, no event of the Manager holds a value that is secret. The URL of a server may hold one, too.
func TestNoEventHoldsASecret(t *testing.T) {
	const secret = "hunter2hunter2"
	for _, answer := range []int{401, 403, 404, 500} {
		w := newWeb(t, status(answer))
		m := start(t, Options{}, false)
		events, cancel := m.Subscribe()
		server := remote(w.URL+"/?token="+secret, func(s *store.Server) {
			s.Headers = []store.Variable{{Name: "Authorization", Value: "Bearer " + secret, Secret: true}}
		})
		if _, err := m.Add(t.Context(), server); err == nil {
			t.Fatal("it connected")
		}
		cancelled, stop := context.WithTimeout(t.Context(), time.Second)
		m.Wait(cancelled)
		stop()
		m.emit(Event{Type: EventUpdated})
		for e := range events {
			if e.Type == EventUpdated {
				break
			}
			row := e.Server
			e.Server = nil
			text := fmt.Sprintf("%+v", e)
			if row != nil {
				text += row.Detail + fmt.Sprintf("%+v", row.Failure)
			}
			if strings.Contains(text, secret) {
				t.Errorf("%d: %s", answer, text)
			}
		}
		cancel()
	}
}

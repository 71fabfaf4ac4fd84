package mcp

import (
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"jackfield/backend/store"
)

const visitFirst = `{"code":-32042,"message":"sign in first","data":{"elicitations":[` +
	`{"mode":"url","message":"Link your account","url":"https://example.com/x?y=z","elicitationId":"e1"},{"mode":"form","message":"no URL"},"nonsense"]}}`

// needsVisit refuses every call until it is told otherwise, and counts them.
func needsVisit(calls *atomic.Int32, visited *atomic.Bool) *script {
	return answering(func(json.RawMessage) (string, string) {
		calls.Add(1)
		if visited.Load() {
			return `{"content":[]}`, ""
		}
		return "", visitFirst
	})
}

// MCP 2025-11-25, -32042: the addresses are offered after the call has failed, and it is the person who makes it again.
func TestURLElicitationRequiredOffersTheAddressAndRepeatsNothing(t *testing.T) {
	var calls atomic.Int32
	var visited atomic.Bool
	s := needsVisit(&calls, &visited)
	m := connected(t, s, bothModes)
	events, cancel := m.Subscribe()
	defer cancel()
	call, err := m.Call(t.Context(), callT())
	failure, _ := errors.AsType[*Error](err)
	if failure == nil || failure.Code != CodeVisitRequired || !strings.Contains(failure.Hint, "https://example.com/x?y=z") {
		t.Fatalf("err = %+v", failure)
	}
	asks := m.Snapshot().Asks
	if len(asks) != 1 {
		t.Fatalf("asks = %+v", asks)
	}
	ask := asks[0]
	if ask.Mode != AskURL || ask.URL != "https://example.com/x?y=z" || ask.Message != "Link your account" || !ask.CallEnded || ask.CallID != call.ID || ask.CallName != "t" {
		t.Errorf("ask = %+v", ask)
	}
	// The same call before the answer is no second question.
	if _, err := m.Call(t.Context(), callT()); err == nil || len(m.Snapshot().Asks) != 1 {
		t.Errorf("%v, asks = %+v", err, m.Snapshot().Asks)
	}
	if err := m.Answer(t.Context(), ask.ID, Answer{Action: ActionAccept}); err != nil {
		t.Fatal(err)
	}
	s.say(`{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":"e1"}}`)
	await(t, events, "the completion", func(e Event) bool {
		return e.Type == EventAsk && e.Ask.ID == ask.ID && e.Ask.Closed && strings.Contains(e.Ask.Reason, "done")
	})
	if n := calls.Load(); n != 2 {
		t.Errorf("the server got %d calls", n)
	}
	visited.Store(true)
	if call, err := m.Call(t.Context(), callT()); err != nil || call.Outcome != store.OutcomeDone {
		t.Errorf("%+v, %v", call, err)
	}
}

func TestVisitsGoWithTheirConnection(t *testing.T) {
	var calls atomic.Int32
	var visited atomic.Bool
	m := connected(t, needsVisit(&calls, &visited), bothModes)
	if _, err := m.Call(t.Context(), callT()); err == nil {
		t.Fatal("it was not refused")
	}
	id := m.Snapshot().Asks[0].ServerID
	if err := m.Disconnect(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if asks := m.Snapshot().Asks; len(asks) != 0 {
		t.Errorf("asks = %+v", asks)
	}
}

// Where nobody can be asked, the failure says everything.
func TestURLElicitationRequiredWithoutAPerson(t *testing.T) {
	var calls atomic.Int32
	var visited atomic.Bool
	m := connected(t, needsVisit(&calls, &visited), Options{})
	_, err := m.Call(t.Context(), callT())
	failure, _ := errors.AsType[*Error](err)
	if failure == nil || failure.Code != CodeVisitRequired || !strings.Contains(failure.Hint, "https://example.com/x") || len(m.Snapshot().Asks) != 0 {
		t.Errorf("err = %+v", failure)
	}
}

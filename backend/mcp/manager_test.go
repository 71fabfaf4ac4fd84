package mcp

import (
	"encoding/json"
	"strings"
	"testing"

	"jackfield/backend/store"
)

func TestBuiltinServerIsReadyAndAnswers(t *testing.T) {
	m := builtin(t, newServer(nil), Options{})
	status, err := m.Status("s")
	if err != nil {
		t.Fatal(err)
	}
	if status.State != StateReady || status.Counts != (Counts{4, 1, 1, 1}) || status.Detail != "Ready" {
		t.Errorf("status = %+v", status)
	}
	call, err := m.Call(t.Context(), CallRequest{ServerID: "s", Kind: store.KindTool, Name: "echo", Arguments: json.RawMessage(`{"n":9007199254740993}`)})
	if err != nil {
		t.Fatal(err)
	}
	if call.Outcome != store.OutcomeDone || !strings.Contains(string(call.Result), "9007199254740993") {
		t.Errorf("call = %+v", call)
	}
	stored, err := m.HistoryCall(t.Context(), call.ID)
	if err != nil || stored.Outcome != store.OutcomeDone || string(stored.Result) != string(call.Result) {
		t.Errorf("stored = %+v, %v", stored, err)
	}
}

func TestProcessServerIsReadyAndAnswers(t *testing.T) {
	m := start(t, Options{}, false)
	if _, err := m.Add(t.Context(), helper(t, "serve")); err != nil {
		t.Fatal(err)
	}
	status, _ := m.Status("p")
	if status.State != StateReady || status.PID == 0 {
		t.Errorf("status = %+v", status)
	}
	call, err := m.Call(t.Context(), CallRequest{ServerID: "p", Kind: store.KindTool, Name: "fail"})
	if err != nil || call.Outcome != store.OutcomeToolError {
		t.Errorf("call = %+v, %v", call, err)
	}
}

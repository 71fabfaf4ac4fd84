package mcp

import (
	"testing"
	"time"

	"jackfield/backend/store"
)

// drain reads everything that is queued for a listener.
func drain(events <-chan Event) []Event {
	var all []Event
	for {
		select {
		case e := <-events:
			all = append(all, e)
		case <-time.After(100 * time.Millisecond):
			return all
		}
	}
}

// unexplained returns the first event whose Seq the one before it and Dropped do not explain.
func unexplained(events []Event) *Event {
	for i := 1; i < len(events); i++ {
		if events[i].Seq != events[i-1].Seq+1+events[i].Dropped {
			return &events[i]
		}
	}
	return nil
}

func TestSlowListenerLosesOnlyLossyEventsAndIsToldHowMany(t *testing.T) {
	var h hub
	defer h.close()
	events, cancel := h.subscribe()
	defer cancel()
	published := 0
	for i := range 10 * queueLimit {
		h.publish(Event{Type: EventTrace})
		published++
		if i%50 == 0 {
			h.publish(Event{Type: EventCall, Call: &Call{Call: store.Call{Outcome: store.OutcomeDone}}})
			published++
		}
	}
	all := drain(events)
	ended := 0
	for _, e := range all {
		if e.Type == EventCall {
			ended++
		}
	}
	if want := 10*queueLimit/50 + 1; ended != want {
		t.Errorf("%d of %d ended calls arrived", ended, want)
	}
	if len(all) == published {
		t.Error("nothing was dropped, the test proves nothing")
	}
	if e := unexplained(all); e != nil {
		t.Errorf("gap before %+v", e)
	}
}

func TestQueueStaysBoundedByRowsOfTheSameServer(t *testing.T) {
	l := &listener{}
	for i := range 5 * queueLimit {
		l.push(Event{Seq: uint64(i + 1), Type: EventServer, ServerID: "a", Server: &Status{Generation: uint64(i)}})
	}
	if len(l.queue) > queueLimit {
		t.Errorf("%d queued", len(l.queue))
	}
	if newest := l.queue[len(l.queue)-1]; newest.Server.Generation != 5*queueLimit-1 {
		t.Errorf("newest = %+v", newest.Server)
	}
	if e := unexplained(l.queue); e != nil {
		t.Errorf("gap before %d", e.Seq)
	}
}

func TestProgressIsLossyAndAnEndedCallIsNot(t *testing.T) {
	progress := &Call{Call: store.Call{Outcome: store.OutcomeRunning}, Progress: &Progress{}}
	if !lossy(Event{Type: EventCall, Call: progress}) {
		t.Error("progress must arrive")
	}
	for _, e := range []Event{
		{Type: EventCall, Call: &Call{Call: store.Call{Outcome: store.OutcomeRunning}}},
		{Type: EventCall, Call: &Call{Call: store.Call{Outcome: store.OutcomeDone}}},
		{Type: EventAsk, Ask: &Ask{}},
		{Type: EventServer, Server: &Status{}},
		{Type: EventRemoved},
	} {
		if lossy(e) {
			t.Errorf("%+v may be lost", e)
		}
	}
}

func TestListenerThatNeverReadsBlocksNobody(t *testing.T) {
	var h hub
	_, cancel := h.subscribe()
	for range 10 {
		h.publish(Event{Type: EventServer})
	}
	cancel()
	cancel() // harmless
	_, late := h.subscribe()
	h.close()
	late()
	if _, open := <-func() <-chan Event { c, _ := h.subscribe(); return c }(); open {
		t.Error("a closed hub still delivers")
	}
}

func TestSnapshotAndEventsFitTogether(t *testing.T) {
	s := &script{}
	m := withScript(t, s, Options{})
	events, cancel := m.Subscribe()
	defer cancel()
	snapshot := m.Snapshot()
	if err := m.Connect(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	all := drain(events)
	if len(all) == 0 || all[0].Seq != snapshot.Seq+1 {
		t.Fatalf("first event %+v after snapshot %d", all[:1], snapshot.Seq)
	}
	if e := unexplained(all); e != nil {
		t.Errorf("gap before %+v", e)
	}
	var states []State
	for _, e := range all {
		if e.Type == EventServer && (len(states) == 0 || states[len(states)-1] != e.Server.State) {
			states = append(states, e.Server.State)
		}
	}
	want := []State{StateConnecting, StateConnected, StateDiscovering, StateReady}
	if len(states) != len(want) {
		t.Fatalf("states = %v", states)
	}
	for i := range want {
		if states[i] != want[i] {
			t.Errorf("states = %v", states)
		}
	}
}

package mcp

import (
	"slices"
	"testing"
	"time"

	"jackfield/backend/store"
)

func TestStateFollowsFromFacts(t *testing.T) {
	broken := &store.Failure{Code: CodeUnreachable}
	signIn := &store.Failure{Code: CodeAuthRequired}
	tests := []struct {
		name  string
		facts facts
		want  State
	}{
		{"stored only", facts{}, StateDisconnected},
		{"first attempt", facts{dialing: true}, StateConnecting},
		{"attempt after a failure", facts{dialing: true, failure: broken}, StateConnecting},
		{"between two attempts", facts{retrying: true, failure: broken}, StateConnecting},
		{"gave up", facts{failure: broken}, StateFailed},
		{"wants a sign-in", facts{failure: signIn}, StateAuthenticating},
		{"tries again after the sign-in", facts{dialing: true, failure: signIn}, StateConnecting},
		{"signs in", facts{signingIn: true}, StateAuthenticating},
		{"signs in after a failure", facts{signingIn: true, failure: broken}, StateAuthenticating},
		{"signed in and connects", facts{signingIn: true, dialing: true}, StateAuthenticating},
		{"signs in again beside a live connection", facts{signingIn: true, live: true, loaded: true}, StateReady},
		{"handshake done", facts{live: true}, StateConnected},
		{"handshake done within a loop", facts{live: true, retrying: true}, StateConnected},
		{"catalog under way", facts{live: true, retrying: true, discovering: true}, StateDiscovering},
		{"catalog again", facts{live: true, discovering: true, loaded: true}, StateDiscovering},
		{"catalog loaded", facts{live: true, loaded: true}, StateReady},
		{"nobody is at the other end", facts{live: true, loaded: true, away: true}, StateConnecting},
		{"nobody is there while the catalog is under way", facts{live: true, discovering: true, away: true}, StateConnecting},
		{"catalog failed", facts{live: true, failure: broken}, StateConnected},
	}
	for _, test := range tests {
		if got := test.facts.state(); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// TestStateIsTotal walks through all facts: each gives one of the seven states, and live decides which group it is from.
func TestStateIsTotal(t *testing.T) {
	live := []State{StateConnected, StateDiscovering, StateReady}
	dead := []State{StateDisconnected, StateConnecting, StateAuthenticating, StateFailed}
	for bits := range 128 {
		for _, failure := range []*store.Failure{nil, {Code: CodeInternal}, {Code: CodeAuthRequired}} {
			f := facts{bits&1 != 0, bits&2 != 0, bits&4 != 0, bits&8 != 0, bits&16 != 0, bits&32 != 0, bits&64 != 0, failure}
			group := dead
			if f.live && !f.away {
				group = live
			}
			if !slices.Contains(group, f.state()) {
				t.Errorf("%+v: %s", f, f.state())
			}
		}
	}
}

func TestDetailIsASentence(t *testing.T) {
	now := time.Unix(1000, 0)
	status := 3
	tests := []struct {
		want   string
		status Status
	}{
		{"Ready", Status{State: StateReady}},
		{"Loading the catalog", Status{State: StateDiscovering}},
		{"Connected", Status{State: StateConnected}},
		{"Discovery timed out after 30s", Status{State: StateConnected, Failure: &store.Failure{Message: "Discovery timed out after 30s."}}},
		{"Needs sign-in", Status{State: StateAuthenticating, Failure: &store.Failure{Message: "The server needs a sign-in (HTTP 401)."}}},
		{"Waiting for your browser", Status{State: StateAuthenticating, SignIn: &store.SignIn{State: store.SignInWaiting, Detail: "Waiting for your browser"}}},
		{"Needs sign-in", Status{State: StateAuthenticating, SignIn: &store.SignIn{State: store.SignInFailed, Detail: "The server said no."}}},
		{"Exited with status 3", Status{State: StateFailed, Failure: &store.Failure{Message: "Exited with status 3.", ExitCode: &status}}},
		{"Failed", Status{State: StateFailed}},
		{"Connecting", Status{State: StateConnecting, Attempts: 1, MaxAttempts: 3}},
		{"Connecting, attempt 2 of 3", Status{State: StateConnecting, Attempts: 2, MaxAttempts: 3}},
		{"Retry 2 of 3 in 4 s", Status{State: StateConnecting, Attempts: 1, MaxAttempts: 3, RetryAt: now.Add(3100 * time.Millisecond)}},
		{"Retry 8 in 1 s", Status{State: StateConnecting, Attempts: 7, MaxAttempts: -1, RetryAt: now.Add(time.Second)}},
		{"Connecting, attempt 2 of 3", Status{State: StateConnecting, Attempts: 2, MaxAttempts: 3, RetryAt: now}},
		{"Connection to 127.0.0.1:9 refused; trying again", Status{State: StateConnecting, Away: true, Failure: &store.Failure{Message: "Connection to 127.0.0.1:9 refused."}}},
		{"Disabled", Status{State: StateDisconnected}},
		{"Not connected", Status{State: StateDisconnected, Server: store.Server{Enabled: true}}},
		{"Ready", Status{State: StateReady, Attempts: 3}},
		{"First line", Status{State: StateFailed, Failure: &store.Failure{Message: "First line\nsecond"}}},
	}
	for _, test := range tests {
		if got := detail(test.status, now); got != test.want {
			t.Errorf("%+v: %q, want %q", test.status, got, test.want)
		}
	}
}

func TestRetryDelay(t *testing.T) {
	const ms = time.Millisecond
	tests := []struct {
		name    string
		policy  store.Retry
		attempt int
		random  float64
		want    time.Duration
		ok      bool
	}{
		{"first wait is up to 1 s", store.Retry{}, 1, 0.999999, 1000 * ms, true},
		{"second wait is up to 2 s", store.Retry{}, 2, 0.999999, 2000 * ms, true},
		{"full jitter begins at nothing", store.Retry{}, 2, 0, 0, true},
		{"three attempts by default", store.Retry{}, 3, 0.5, 0, false},
		{"one attempt", store.Retry{MaxAttempts: 1}, 1, 0.5, 0, false},
		{"for ever, capped", store.Retry{MaxAttempts: -1}, 1000, 0.5, 2500 * ms, true},
		{"cap below base is base", store.Retry{MaxAttempts: -1, BaseDelay: 100 * ms, MaxDelay: 10 * ms}, 5, 0.5, 50 * ms, true},
		{"own numbers", store.Retry{MaxAttempts: 9, BaseDelay: 10 * ms, MaxDelay: time.Minute}, 3, 0.5, 40 * ms, true},
		{"no overflow", store.Retry{MaxAttempts: -1, BaseDelay: 1 << 60, MaxDelay: 1 << 62}, 19, 0.5, 1 << 61, true},
	}
	for _, test := range tests {
		got, ok := retryDelay(test.policy, test.attempt, test.random)
		if got.Round(ms) != test.want.Round(ms) || ok != test.ok {
			t.Errorf("%s: %s, %t; want %s, %t", test.name, got, ok, test.want, test.ok)
		}
	}
}

func TestFailuresThatDoNotHealAreNotRetried(t *testing.T) {
	for _, code := range []string{CodeAuthRequired, CodeNotFound, CodeRefusedURL, CodeUsage} {
		if heals(code) {
			t.Errorf("%s is retried", code)
		}
	}
	for _, code := range []string{CodeUnreachable, CodeExited, CodeNoHandshake, CodeConnectTime, CodeServerError} {
		if !heals(code) {
			t.Errorf("%s is not retried", code)
		}
	}
}

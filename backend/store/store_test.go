package store

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func openStore(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// must turns the error of a step that has to work into the end of the test.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func fullServer(id string) Server {
	exit := 3
	at := time.Date(2026, 11, 30, 12, 0, 0, 123456000, time.UTC)
	return Server{
		ID: id, Name: "Näme " + id, Transport: TransportStdio, URL: "https://example.com/mcp?a=1&b=<2>",
		Headers: []Variable{{Name: "X-Key", Value: "s3cret", Secret: true}},
		Command: "/usr/bin/node", Args: []string{"server.js", "", "--flag=a b\n"}, Env: []Variable{{Name: "A", Value: "1"}},
		Cwd: "/tmp/x y", Era: EraLegacy, Retry: Retry{MaxAttempts: -1, BaseDelay: time.Second, MaxDelay: time.Minute},
		Timeouts: Timeouts{Connect: 1, Discovery: 2, CallIdle: 3, CallTotal: 4},
		Enabled:  true, TrustLocalNetwork: true, ClientID: "client",
		Learned:   Learned{Transport: TransportSSE, Era: EraLegacy, ProtocolVersion: "2025-06-18"},
		LastError: &Failure{Code: "exited", Message: "m", Hint: "h", ExitCode: &exit, Stderr: []string{"a", "b"}},
		CreatedAt: at, UpdatedAt: at.Add(time.Hour),
	}
}

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

func TestServerComesBackAsItWasStoredAlsoAfterReopening(t *testing.T) {
	dir := t.TempDir()
	want := []Server{fullServer("a"), fullServer("b")}
	want[1].CreatedAt = want[1].CreatedAt.Add(time.Microsecond)
	func() {
		s := openStore(t, dir)
		must(t, s.PutServer(t.Context(), want[1]))
		must(t, s.PutServer(t.Context(), want[0]))
	}()
	s := openStore(t, dir)
	got, err := s.Servers(t.Context())
	must(t, err)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

package mcp

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"jackfield/backend/mcp/wire"
	"jackfield/backend/store"
)

func TestFileURI(t *testing.T) {
	tests := []struct {
		path    string
		windows bool
		want    string
	}{
		{"/srv/data", false, "file:///srv/data"},
		{"/", false, "file:///"},
		{"/home/ä b/100%/#1?x", false, "file:///home/%C3%A4%20b/100%25/%231%3Fx"},
		{"/a\\b", false, "file:///a%5Cb"},
		{"/\xff", false, "file:///%FF"},
		{`C:\Users\A B\x`, true, "file:///C:/Users/A%20B/x"},
		{`C:\`, true, "file:///C:/"},
		{`\\?\C:\long`, true, "file:///C:/long"},
		{`\\server\share\a b`, true, "file://server/share/a%20b"},
		{`\\?\UNC\server\share\x`, true, "file://server/share/x"},
		{"/srv/C:/x", false, "file:///srv/C:/x"},
	}
	for _, test := range tests {
		if got := fileURI(test.path, test.windows); got != test.want {
			t.Errorf("%q: %s, want %s", test.path, got, test.want)
		}
	}
}

func TestRootsAreFullPathsAndClean(t *testing.T) {
	dir := t.TempDir()
	s := store.Server{URL: "https://example.com", Roots: []string{dir + "/./a/", " ", filepath.Join(dir, "a"), dir}}
	if err := checkServer(&s); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{filepath.Join(dir, "a"), dir}, s.Roots); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []string{"a/b", "./x", "~/x", dir + "\x00"} {
		s.Roots = []string{bad}
		if err := checkServer(&s); code(err) != CodeUsage {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// rooted is a legacy server that asks for roots when its tool is called.
func rooted(capabilities chan<- string) *script {
	s := &script{}
	s.answer = func(method string, params json.RawMessage) (string, string) {
		switch method {
		case "initialize":
			capabilities <- string(wire.Get(params, "capabilities"))
		case "tools/call":
			before := len(s.answers())
			s.say(`{"jsonrpc":"2.0","id":"r","method":"roots/list"}`)
			for tries := 0; len(s.answers()) == before; tries++ {
				if tries == 2000 {
					return "silent", ""
				}
				time.Sleep(time.Millisecond)
			}
			answer, err := json.Marshal(string(s.answers()[before]))
			if err != nil {
				return "", ""
			}
			return fmt.Sprintf(`{"content":[{"type":"text","text":%s}]}`, answer), ""
		}
		return "", ""
	}
	return s
}

func TestRootsOfALegacyServer(t *testing.T) {
	capabilities := make(chan string, 4)
	s := rooted(capabilities)
	dir := t.TempDir()
	one, two := filepath.Join(dir, "one"), filepath.Join(dir, "two")
	m := connected(t, s, Options{}, func(s *store.Server) { s.Roots = []string{one} })
	if got := <-capabilities; got != `{"roots":{"listChanged":true}}` {
		t.Errorf("capabilities = %s", got)
	}
	call, err := m.Call(t.Context(), callT())
	if err != nil || !strings.Contains(string(call.Result), fileURI(one, false)) || strings.Contains(string(call.Result), fileURI(two, false)) {
		t.Errorf("result = %s, %v", call.Result, err)
	}

	status, _ := m.Status("s")
	status.Server.Roots = []string{two}
	if err := m.Edit(t.Context(), status.Server); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the server hears of it", func() bool { return s.heard("notifications/roots/list_changed") })
	if now, _ := m.Status("s"); now.Generation != status.Generation {
		t.Error("the connection was rebuilt")
	}
	eventually(t, "the new folder", func() bool {
		call, err = m.Call(t.Context(), callT())
		return err == nil && strings.Contains(string(call.Result), fileURI(two, false)) && !strings.Contains(string(call.Result), fileURI(one, false))
	})

	// Without any folder the capability goes, which needs another handshake.
	status.Server.Roots = nil
	if err := m.Edit(t.Context(), status.Server); err != nil {
		t.Fatal(err)
	}
	m.Wait(t.Context())
	if got := <-capabilities; got != "{}" {
		t.Errorf("capabilities = %s", got)
	}
	call, err = m.Call(t.Context(), callT())
	if err != nil || strings.Contains(string(call.Result), "file:") {
		t.Errorf("a server that was told of no roots got them: %s, %v", call.Result, err)
	}
}

func TestRootsOfAModernServer(t *testing.T) {
	var retried json.RawMessage
	announced := make(chan string, 4)
	s := &script{modern: true}
	s.answer = func(method string, params json.RawMessage) (string, string) {
		if method != "tools/call" {
			return "", ""
		}
		if answers := wire.Get(params, "inputResponses"); answers != nil {
			retried = answers
			return `{"content":[],"resultType":"complete"}`, ""
		}
		announced <- string(wire.Get(wire.Get(wire.Get(params, "_meta"), "io.modelcontextprotocol/clientCapabilities"), "roots"))
		return `{"resultType":"input_required","inputRequests":{"where":{"method":"roots/list"}}}`, ""
	}
	dir := t.TempDir()
	m := connected(t, s, Options{}, func(s *store.Server) { s.Roots = []string{dir} })
	if _, err := m.Call(t.Context(), callT()); err != nil {
		t.Fatal(err)
	}
	if got := <-announced; got == "" {
		t.Error("roots are not announced")
	}
	want := fmt.Sprintf(`{"where":{"roots":[{"name":%q,"uri":%q}]}}`, filepath.Base(dir), fileURI(dir, false))
	var got, wanted any
	if err := json.Unmarshal(retried, &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(want), &wanted); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wanted, got); diff != "" {
		t.Error(diff)
	}
}

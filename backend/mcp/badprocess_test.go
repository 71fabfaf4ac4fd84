package mcp

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"jackfield/backend/store"
)

// rawMode is the beginning of the modes of the helper in which it is a server that writes as no server should.
const rawMode = "raw:"

// runRaw answers requests from stdin in the way of a mode.
func runRaw(mode string) {
	out := os.Stdout
	if mode == "banner" {
		fmt.Fprint(out, "[ready] {port: 1}\n{\"level\":\"info\",\"msg\":\"x\"}\nready> ")
	}
	if mode == "grandchild" {
		child := exec.Command("sleep", "600")
		if err := child.Start(); err == nil {
			fmt.Fprintln(os.Stderr, "grandchild", child.Process.Pid)
		}
	}
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if json.Unmarshal(line, &m) != nil || m.ID == nil {
			continue
		}
		answer := rawAnswer(mode, m.Method)
		switch {
		case answer == "":
			continue
		case m.Method == "tools/call" && mode == "crash":
			fmt.Fprintln(os.Stderr, "out of cheese")
			os.Exit(4)
		case m.Method == "server/discover" && mode == "exits on discover":
			os.Exit(1)
		}
		id := string(m.ID)
		if mode == "string ids" {
			id = strconv.Quote(id)
		}
		message := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, id, answer)
		switch mode {
		case "bom":
			message = "\xef\xbb\xbf" + message
		case "trailing blank":
			message += " "
		case "two on a line":
			message = `{"jsonrpc":"2.0","method":"notifications/x"}` + message
		case "pretty-printed":
			message = strings.ReplaceAll(message, ",", ",\n  ")
		case "an unknown id":
			message = `{"jsonrpc":"2.0","id":4711,"result":{}}` + "\n" + message
		case "batches":
			message = "[" + message + "]"
		}
		fmt.Fprintln(out, message)
	}
	if mode == "ignores EOF" {
		time.Sleep(10 * time.Minute)
	}
}

// rawAnswer is the rest of an answer, "" for none.
func rawAnswer(mode, method string) string {
	switch method {
	case "initialize":
		return `"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"raw","version":"1"}}`
	case "tools/list":
		return `"result":{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}`
	case "tools/call":
		text := "done"
		if mode == "17 MB" {
			text = strings.Repeat("x", 17<<20)
		}
		return `"result":{"content":[{"type":"text","text":"` + text + `"}]}`
	case "server/discover":
		if mode == "silent on discover" {
			return ""
		}
	}
	return `"error":{"code":-32601,"message":"no"}`
}

// Each fault of a process: it is ready all the same, its tool answers, what was wrong is named and in the trace, and nothing of it is left.
func TestABadProcessIsAServerAllTheSame(t *testing.T) {
	for _, test := range []struct {
		mode    string
		problem string // "" for none
		trace   string
		code    string // of the call; "" if it succeeds
	}{
		{"banner", "noise_on_stdout", "[ready] {port: 1}", ""},
		{"bom", "bom", "\xef\xbb\xbf{", ""},
		{"trailing blank", "", "done", ""},
		{"two on a line", "", "notifications/x", ""},
		{"pretty-printed", "", ",\n  \"id\"", ""},
		{"batches", "batch", `[{"jsonrpc"`, ""},
		{"string ids", "id_type", `"id":"`, ""},
		{"an unknown id", "id_unknown", "4711", ""},
		{"17 MB", "", "", ""},
		{"crash", "", "out of cheese", CodeExited},
		{"exits on discover", "probe_exit", "server/discover", ""},
		{"silent on discover", "probe_silent", "server/discover", ""},
		{"ignores EOF", "", "done", ""},
		{"grandchild", "", "grandchild", ""},
	} {
		t.Run(test.mode, func(t *testing.T) {
			t.Parallel()
			m := start(t, Options{}, false)
			server := helper(t, rawMode+test.mode)
			server.ID, server.Retry = "s", store.Retry{MaxAttempts: 1}
			if _, err := m.Add(t.Context(), server); err != nil {
				t.Fatal(err)
			}
			call, err := m.Call(t.Context(), callT())
			if code(err) != test.code || test.code == "" && !strings.Contains(string(call.Result), `"content"`) {
				t.Errorf("%s, %v", call.Outcome, err)
			}
			if failure := failureOf(err); failure != nil && !slices.Contains(failure.Stderr, "out of cheese") {
				t.Errorf("failure = %+v", failure)
			}
			if test.mode == "17 MB" && len(call.Result) < 17<<20 {
				t.Errorf("%d bytes", len(call.Result))
			}
			codes := problemCodes(t, m)
			if test.problem == "" && len(codes) > 0 || test.problem != "" && !slices.Contains(codes, test.problem) {
				t.Errorf("problems %q, want %q", codes, test.problem)
			}
			if test.trace != "" {
				eventually(t, "the trace", func() bool { return inTrace(m, test.trace) })
			}
			if test.code != "" {
				return
			}
			begun := time.Now()
			if err := m.Disconnect(t.Context(), "s"); err != nil {
				t.Error(err)
			}
			if took := time.Since(begun); took > 10*time.Second {
				t.Errorf("closing took %s", took)
			}
			if test.mode == "grandchild" {
				line := m.Trace(TraceFilter{ServerID: "s", Text: "grandchild"})
				if pid := line[0].Summary[strings.LastIndex(line[0].Summary, " ")+1:]; runs(pid) {
					t.Errorf("process %s is still there", pid)
				}
			}
		})
	}
}

// runs says whether a process runs; one that only waits to be reaped does not. Where there is no /proc, this test proves nothing.
func runs(pid string) bool {
	for range 50 {
		stat, err := os.ReadFile("/proc/" + pid + "/stat")
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return false
		}
		time.Sleep(20 * time.Millisecond)
	}
	return true
}

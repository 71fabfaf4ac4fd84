package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"jackfield/backend/mcp"
)

// run runs one command line in this process, for those that end before a server is connected to.
func run(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	stdin, openErr := os.Open(os.DevNull)
	if openErr != nil {
		t.Fatal(openErr)
	}
	defer stdin.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p := &program{stdin: stdin, quit: ctx, out: &output{
		out: &out, err: &err, paint: noPaint, errPaint: noPaint, gone: cancel,
	}}
	status = p.main(ctx, append([]string{"--data-dir", t.TempDir()}, args...))
	return status, out.String(), err.String()
}

func TestUsage(t *testing.T) {
	tests := []struct {
		args string // separated by |
		want string // part of the message
	}{
		{"add", "needs a name"},
		{"add|name", "either a URL or a command"},
		{"add||https://example.com", "name is empty"},
		{"add|name|ftp://example.com", "not an http or https URL"},
		{"add|name|https://", "not an http or https URL"},
		{"add|name|https://example.com|--|cmd", "either a URL or a command"},
		{"add|name|--", "either a URL or a command"},
		{"add|name|https://example.com|--env|A=b", "--env has no meaning for a URL"},
		{"add|name|https://example.com|--cwd|x", "--cwd has no meaning for a URL"},
		{"add|name|--header|A=b|--|cmd", "--header has no meaning for a command"},
		{"add|name|--trust-local-network|--|cmd", "has no meaning for a command"},
		{"add|name|https://example.com|--header|bad header=b", "not a valid HTTP header"},
		{"add|name|https://example.com|--header|A=b\nc", "not a valid HTTP header"},
		{"add|name|https://example.com|--header|nothing", "lacks a name or a value"},
		{"add|name|--env|=x|--|cmd", "lacks a name or a value"},
		{"add|name|https://example.com|--transport|pigeon", "does not exist"},
		{"add|name|https://example.com|--transport|stdio", "does not exist"},
		{"add|name|https://example.com|--era|stone", "does not exist"},
		{"add|name|https://example.com|--retry|-2", "not possible"},
		{"add|name|https://example.com|--idle-timeout|-1s", "must not be negative"},
		{"edit", "Which server?"},
		{"edit|playground|--name|", "name is empty"},
		{"edit|playground|--url|https://example.com|--|cmd", "not both"},
		{"edit|playground|--", "Nothing follows --"},
		{"remove", "Which server?"},
		{"remove|a|--|b", "takes nothing behind --"},
		{"enable", "Which server?"},
		{"disable|a|b", "Which server?"},
		{"servers|extra", "nknown command"},
		{"tools|playground|extra", "one too many"},
		{"tools|--url|https://example.com|extra", "one too many"},
		{"tools|--url|https://example.com|--|cmd", "not both"},
		{"tools|--", "Nothing follows --"},
		{"tools|--|", "Nothing follows --"},
		{"tools|--url|not-a-url", "not an http or https URL"},
		{"tools|playground|--header|A=b", "belongs to --url"},
		{"tools|playground|--era|legacy", "belongs to --url"},
		{"status|extra|--url|https://example.com", "one too many"},
		{"call", "Which server?"},
		{"call|playground", "Which tool?"},
		{"call|--|cmd", "Which tool?"},
		{"call|playground|echo|word", "is not an argument"},
		{"call|playground|echo|--args|[1]", "not a JSON object"},
		{"call|playground|echo|--args|@", "cannot be read"},
		{"call|playground|echo|--answer|maybe", "does not exist"},
		{"call|playground|echo|--answer|accept=[]", "not a JSON object"},
		{"call|playground|echo|--answer|decline=1", "takes nothing"},
		{"call|playground|echo|--max-time|-1s", "must not be negative"},
		{"prompt|playground", "Which prompt?"},
		{"read|playground", "Which resource?"},
		{"read|playground|a|b", "one too many"},
		{"complete|playground", "What is to be completed?"},
		{"complete|playground|tool|x|a=b", "neither prompt nor template"},
		{"complete|playground|prompt|x|ab", "is not an argument"},
		{"watch|--|cmd", "takes nothing behind --"},
		{"history|a|b", "one too many"},
		{"history|--kind|bird", "does not exist"},
		{"history|--limit|-1", "must not be negative"},
		{"playground", "Exactly one"},
		{"playground|--stdio|--http|127.0.0.1:0", "Exactly one"},
		{"playground|--http|0.0.0.0:0", "this computer only"},
		{"playground|--http|example.com:80", "this computer only"},
		{"playground|--http|nonsense", "not an address with a port"},
		{"--timeout|-1s|servers", "must not be negative"},
		{"--timeout|soon|servers", "nvalid argument"},
		{"nonsense", "nknown command"},
	}
	for _, test := range tests {
		t.Run(test.args, func(t *testing.T) {
			status, stdout, stderr := run(t, append([]string{"--json"}, strings.Split(test.args, "|")...)...)
			var doc struct {
				Error errorDoc `json:"error"`
			}
			if err := json.Unmarshal([]byte(stdout), &doc); err != nil {
				t.Fatalf("stdout %q: %v", stdout, err)
			}
			if status != exitUsage || doc.Error.Code != mcp.CodeUsage || !strings.Contains(doc.Error.Message, test.want) {
				t.Errorf("status %d, %+v; want %q", status, doc.Error, test.want)
			}
			if stderr != "" {
				t.Errorf("stderr %q", stderr)
			}
		})
	}
}

func TestExitStatusOfEveryCode(t *testing.T) {
	want := map[string]int{
		mcp.CodeUsage: 2, mcp.CodeUnknownServer: 3, mcp.CodeUnknownItem: 3, mcp.CodeUnreachable: 4, mcp.CodeExited: 4,
		mcp.CodeNotFound: 4, mcp.CodeNoHandshake: 4, mcp.CodeAuthRequired: 5, mcp.CodeConnectTime: 4,
		mcp.CodeDiscoveryTime: 6, mcp.CodeIdleTime: 6, mcp.CodeTotalTime: 6, mcp.CodeCancelled: 7, mcp.CodeLost: 4,
		mcp.CodeClosed: 4, mcp.CodeProtocol: 8, mcp.CodeServerError: 1, mcp.CodeVisitRequired: 1, mcp.CodeInvalidAnswer: 2, mcp.CodeRefusedURL: 4,
		mcp.CodeInternal: 2, codeCommandTime: 6,
	}
	for code, status := range want {
		if got := exitStatus(code); got != status {
			t.Errorf("exitStatus(%q) = %d, want %d", code, got, status)
		}
	}
}

package wire

import (
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

func TestHandshakesThatGoSDKRefusesAreSalvaged(t *testing.T) {
	for _, test := range []struct{ fault, method, result, want, subjects string }{
		{
			"a good one", "initialize", `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"a","version":"1"}}`,
			`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"a","version":"1"}}`, "",
		},
		{
			"lists for empty objects", "initialize", `{"protocolVersion":"2025-11-25","capabilities":{"tools":[],"prompts":{"listChanged":true}}}`,
			`{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"prompts":{"listChanged":true}}}`, "capabilities.tools",
		},
		{"a list for the capabilities", "initialize", `{"protocolVersion":"2025-11-25","capabilities":[]}`, `{"protocolVersion":"2025-11-25","capabilities":{}}`, "capabilities"},
		{"true for a capability", "initialize", `{"capabilities":{"tools":true,"logging":false}}`, `{"capabilities":{"tools":{}}}`, "capabilities.logging,capabilities.tools"},
		{"listChanged as text", "initialize", `{"capabilities":{"tools":{"listChanged":"true"}}}`, `{"capabilities":{"tools":{}}}`, "capabilities.tools.listChanged"},
		{"a version that is a number", "initialize", `{"serverInfo":{"name":"a","version":1.50}}`, `{"serverInfo":{"name":"a","version":"1.50"}}`, "serverInfo.version"},
		{"the server's name alone", "initialize", `{"serverInfo":"a"}`, `{"serverInfo":{}}`, "serverInfo"},
		{"instructions as a list", "initialize", `{"instructions":["a"],"x":1}`, `{"x":1}`, "instructions"},
		{
			"discover with lists for empty objects", "server/discover", `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":[]}}`,
			`{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`, "capabilities.tools",
		},
		{"a total as text", "completion/complete", `{"completion":{"values":["a"],"total":"1"}}`, `{"completion":{"values":["a"]}}`, "completion.total"},
	} {
		t.Run(test.fault, func(t *testing.T) {
			l := &journal{}
			w := waiting(l, &Call{}, test.method)
			shown, _ := w.incoming([]byte(`{"jsonrpc":"2.0","id":1,"result":`+test.result+`}`), source{})
			if got := string(shown[0].decoded.(*jsonrpc.Response).Result); got != test.want {
				t.Errorf("go-sdk sees %s, want %s", got, test.want)
			}
			var subjects []string
			for _, p := range l.problems {
				subjects = append(subjects, p.Subject)
			}
			got := strings.Join(subjects, ",")
			if want := strings.Split(test.subjects, ","); len(subjects) > 0 && len(want) != len(subjects) || test.subjects == "" && got != "" {
				t.Errorf("problems about %q, want %q", got, test.subjects)
			}
			for _, s := range strings.Split(test.subjects, ",") {
				if !strings.Contains(got, s) {
					t.Errorf("problems about %q, want %q", got, test.subjects)
				}
			}
		})
	}
}

package wire

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// FuzzScan holds the scanner against encoding/json: whatever that reads as an object, the scanner takes apart in the same
// way; on anything else it must only not fail.
func FuzzScan(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{"a":[1,"x\\\"",{}]}}`, `{}`, ` { "id" : "a" , "method":"m"}`, `{"id":1,"id":2}`, `{"a\"b":"\\"}`,
		`{"id":1`, `{"id"}`, `{"id":}`, `[{"id":1}]`, `{"r\u0065sult":1}`, "{\"id\":\"\xff\"}", `{"error":null,"params":[[[]]]}`, `{"a":-1.5e+3,"b":true}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		e, err := Scan(raw)
		for range Elements(raw) {
		}
		var want map[string]json.RawMessage
		if json.Unmarshal(raw, &want) != nil || want == nil {
			return
		}
		if err != nil {
			t.Fatalf("Scan(%q): %v", raw, err)
		}
		last := map[string][]byte{}
		for k, v := range Fields(raw) {
			last[keyText(k)] = v
		}
		for k, v := range want {
			if got := bytes.TrimSpace(last[k]); !bytes.Equal(got, bytes.TrimSpace(v)) {
				t.Fatalf("Fields(%q)[%q] = %q, want %q", raw, k, got, v)
			}
			if !bytes.Equal(Get(raw, k), last[k]) {
				t.Fatalf("Get(%q, %q) = %q, want %q", raw, k, Get(raw, k), last[k])
			}
		}
		if len(last) != len(want) {
			t.Fatalf("Fields(%q) has %d keys, want %d", raw, len(last), len(want))
		}
		// An escaped key is not seen by Scan, which marks the message as odd.
		if !e.Odd && !bytes.Equal(e.ID, last["id"]) {
			t.Fatalf("Scan(%q).ID = %q, want %q", raw, e.ID, last["id"])
		}
	})
}

func TestScanRefusesWhatIsNoObject(t *testing.T) {
	for _, raw := range []string{``, `1`, `[]`, `{`, `{"a":1`, `{"a":1}}`, `{"a":1} x`, `{"a" 1}`, `{,}`, `{"a":"}`, `{a:1}`, `{"a":1 "b":2}`} {
		if e, err := Scan([]byte(raw)); err == nil {
			t.Errorf("Scan(%q) = %+v", raw, e)
		}
	}
}

func TestScanDoesNotAllocate(t *testing.T) {
	raw := []byte(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"a \"quoted\" text"}]}}`)
	if n := testing.AllocsPerRun(100, func() {
		if _, err := Scan(raw); err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestScanIsNotQuadraticInEscapes(t *testing.T) {
	for name, text := range map[string]string{
		"line ends": strings.Repeat(`line\n`, 2<<20), "quotes": strings.Repeat(`\"`, 5<<20), "backslashes": strings.Repeat(`\\`, 5<<20),
	} {
		t.Run(name, func(t *testing.T) {
			raw := []byte(`{"jsonrpc":"2.0","id":1,"result":"` + text + `"}`)
			start := time.Now()
			if _, err := Scan(raw); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(start); took > 20*time.Second { // linear takes milliseconds, quadratic a minute
				t.Errorf("10 MB took %v", took)
			}
		})
	}
}

func TestScanKnowsTheDepth(t *testing.T) {
	for raw, want := range map[string]int{`{}`: 1, `{"a":1}`: 1, `{"a":[]}`: 2, `{"a":[[]],"b":{}}`: 3, `{"a":"[[["}`: 1} {
		if e, err := Scan([]byte(raw)); err != nil || e.Depth != want {
			t.Errorf("Scan(%s).Depth = %d, %v; want %d", raw, e.Depth, err, want)
		}
	}
}

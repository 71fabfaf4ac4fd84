package wire

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// cut feeds a stream to a framer in pieces of the given size and returns its frames, noise in brackets «».
func cut(stream []byte, size int) []string {
	f := newFramer()
	var got []string
	note := func(piece frame) {
		text := string(piece.raw)
		if piece.noise {
			text = "«" + text + "»"
		}
		got = append(got, text)
	}
	for len(stream) > 0 {
		n := copy(f.space(), stream[:min(size, len(stream))])
		f.add(n)
		stream = stream[n:]
		for {
			piece, ok := f.next()
			if !ok {
				break
			}
			note(piece)
		}
	}
	if piece, ok := f.rest(); ok {
		note(piece)
	}
	return got
}

func TestFramer(t *testing.T) {
	const a, b = `{"jsonrpc":"2.0","id":1,"result":{"x":"{\"[\\"}}`, `{"jsonrpc":"2.0","method":"m"}`
	for _, test := range []struct {
		fault, stream string
		want          []string
	}{
		{"lines", a + "\n" + b + "\n", []string{a, b}},
		{"no final line end", a, []string{a}},
		{"two on a line", a + b + "\n", []string{a, b}},
		{"blanks around", " " + a + " \t\n\n  " + b + "  \n", []string{" " + a, "  " + b}},
		{"CRLF", a + "\r\n" + b + "\r\n", []string{a, b}},
		{"byte order mark in front", "\xef\xbb\xbf" + a + "\n" + b, []string{"\xef\xbb\xbf" + a, b}},
		{"byte order mark on each", "\xef\xbb\xbf" + a + "\n\xef\xbb\xbf" + b, []string{"\xef\xbb\xbf" + a, "\xef\xbb\xbf" + b}},
		{"pretty-printed", "{\n  \"jsonrpc\": \"2.0\",\n  \"result\": {\n    \"a\": []\n  }\n}\n" + b, []string{"{\n  \"jsonrpc\": \"2.0\",\n  \"result\": {\n    \"a\": []\n  }\n}", b}},
		{"banner", "Server 1.0 ready\n" + a, []string{"«Server 1.0 ready»", a}},
		{"banner without line end", "ready> " + a + "\n", []string{"«ready> »", a}},
		{"banner with brackets", "[info] listening on {port} [x\n" + a, []string{"«[info] listening on {port} [x»", a}},
		{"JSON log line", `{"level":"info"}` + "\n" + a, []string{`{"level":"info"}`, a}},
		{"log line with an open brace", "use {\"a\n" + a, []string{"«use »", "«{\"a»", a}},
		{"batch, one message a line", "[" + a + ",\n" + b + "]\n" + a, []string{"[" + a + ",\n" + b + "]", a}},
		{"Content-Length", "Content-Length: 47\r\nX: y\r\n\r\n" + a + "Content-Length: 30\r\n\r\n" + b, []string{"«Content-Length: 47»", "«X: y»", a, "«Content-Length: 30»", b}},
		{"message broken off at a line end", `{"jsonrpc":"2.0","id":1,"result":{"a":[` + "\n" + a, []string{`«{"jsonrpc":"2.0","id":1,"result":{"a":[»`, a}},
		{"message broken off within a string", `{"jsonrpc":"2.0","id":1,"result":{"a":"tex` + "\n" + a, []string{`«{"jsonrpc":"2.0","id":1,"result":{"a":"tex»`, a}},
		{"broken off at the end", a + "\n" + `{"jsonrpc":`, []string{a, `«{"jsonrpc":»`}},
		{"invalid UTF-8", "{\"a\":\"\xff\xfe\"}\n" + a, []string{"{\"a\":\"\xff\xfe\"}", a}},
		{"stray brackets", "]}\n" + a, []string{"«]}»", a}},
		{"an escaped quote at the end of a read", `{"a":"\\\""}` + "\n" + b, []string{`{"a":"\\\""}`, b}},
		{"only blanks", " \n\r\n\t", nil},
	} {
		t.Run(test.fault, func(t *testing.T) {
			for _, size := range []int{1 << 20, 7, 1} {
				got := cut([]byte(test.stream), size)
				if strings.Join(got, "|") != strings.Join(test.want, "|") {
					t.Errorf("in pieces of %d:\n%q, want\n%q", size, got, test.want)
				}
			}
		})
	}
}

func TestLongNoiseWithoutLineEndIsBounded(t *testing.T) {
	got := cut(bytes.Repeat([]byte("x"), 10*noiseSize), 4096)
	if len(got) < 10 {
		t.Errorf("%d pieces", len(got))
	}
}

func TestAMessageOf20MBIsFast(t *testing.T) {
	big := []byte(`{"jsonrpc":"2.0","id":1,"result":{"text":"` + strings.Repeat(`line\n`, 4<<20) + `"}}`)
	start := time.Now()
	got := cut(append(big, '\n'), 64<<10)
	if len(got) != 1 || len(got[0]) != len(big) {
		t.Fatalf("%d frames", len(got))
	}
	if took := time.Since(start); took > 20*time.Second { // linear takes 0.1 s on an idle machine, quadratic minutes
		t.Errorf("took %v", took)
	}
}

func TestFramesDoNotShareBytesWithLaterOnes(t *testing.T) {
	f := newFramer()
	var frames [][]byte
	var want []string
	random := rand.New(rand.NewPCG(1, 2))
	var stream []byte
	for i := range 300 {
		text := `{"a":"` + strings.Repeat(string(rune('a'+i%26)), random.IntN(3*copyLimit)) + `"}`
		want = append(want, text)
		stream = append(append(stream, text...), '\n')
	}
	for len(stream) > 0 {
		space := f.space()
		n := copy(space, stream[:min(1+random.IntN(readSize), len(stream))])
		f.add(n)
		stream = stream[n:]
		for {
			piece, ok := f.next()
			if !ok {
				break
			}
			frames = append(frames, piece.raw)
		}
	}
	if len(frames) != len(want) {
		t.Fatalf("%d frames, want %d", len(frames), len(want))
	}
	for i := range want {
		if string(frames[i]) != want[i] {
			t.Fatalf("frame %d was overwritten", i)
		}
	}
}

func FuzzFramer(f *testing.F) {
	f.Add([]byte("x{\"a\":\"\\\\\"}\n[{}]{\"jsonrpc\"\n{\"jsonrpc\":1}"), 3)
	f.Fuzz(func(t *testing.T, stream []byte, size int) {
		// However the stream is cut into reads, the frames are the same.
		whole := strings.Join(cut(stream, len(stream)+1), "|")
		if parts := strings.Join(cut(stream, 1+abs(size)%64), "|"); parts != whole {
			t.Fatalf("%q in parts: %q, at once: %q", stream, parts, whole)
		}
	})
}

func abs(n int) int {
	if n < 0 {
		return -(n + 1)
	}
	return n
}

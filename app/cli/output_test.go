package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"jackfield/backend/mcp"
	"jackfield/backend/store"
)

func TestVisible(t *testing.T) {
	tests := []struct {
		name, text, want string
		lines            bool
	}{
		{"plain", "Grüße, 世界 👩‍💻", "Grüße, 世界 👩‍💻", false},
		{"escape", "\x1b[2J", `\x1b[2J`, true},
		{"one-byte escape of C1", "\u009b2J", `\x9b2J`, true},
		{"bell and delete", "\a\x7f", `\x07\x7f`, true},
		{"bidi override", "a\u202eb", `a\u202eb`, true},
		{"bidi isolate", "\u2066x\u2069", `\u2066x\u2069`, true},
		{"zero width and tags", "\u200b\ufeff\U000e0041", `\u200b\ufeff\U000e0041`, true},
		{"line separators", "\u2028\u2029", `\u2028\u2029`, true},
		{"lines stay", "a\n\tb", "a\n\tb", true},
		{"lines go", "a\n\tb", `a\n\tb`, false},
		{"carriage return alone overwrites a line", "good\rbad", `good\x0dbad`, true},
		{"carriage return of a line end", "a\r\nb", "a\nb", true},
		{"invalid UTF-8", "a\xffb\ufffd", `a\xffb` + "\ufffd", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := visible(test.text, test.lines); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestVisibleJSONMeansTheSame(t *testing.T) {
	text := "a\u202eb\u009b\U000e0041\x7f世"
	document, err := json.Marshal(map[string]string{text: text})
	if err != nil {
		t.Fatal(err)
	}
	shown := visibleJSON(document)
	for _, r := range string(shown) {
		if hidden(r) {
			t.Errorf("%U is left in %s", r, shown)
		}
	}
	var got map[string]string
	if err := json.Unmarshal(shown, &got); err != nil {
		t.Fatal(err)
	}
	if got[text] != text {
		t.Errorf("got %q, want %q", got, text)
	}
}

func TestTable(t *testing.T) {
	var table table
	table.row(plain("id"), cell{"ready", styleGood}, plain("世界 has wide characters"))
	table.row(plain("longer"), cell{"failed", styleBad}, plain("line\nbreak and a text that is too long"))
	var b bytes.Buffer
	if err := table.write(&b, noPaint, 40); err != nil {
		t.Fatal(err)
	}
	want := "id      ready   世界 has wide characte…\nlonger  failed  line\\nbreak and a text…\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

func TestColourIsOutsideOfTheAlignment(t *testing.T) {
	var table table
	table.row(cell{"a", styleGood}, plain("x"))
	table.row(cell{"long", styleBad}, plain("y"))
	var b bytes.Buffer
	if err := table.write(&b, paint, 0); err != nil {
		t.Fatal(err)
	}
	want := "\x1b[32ma\x1b[0m     x\n\x1b[31mlong\x1b[0m  y\n"
	if b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, syscall.EPIPE }

func TestBrokenPipeEndsTheRun(t *testing.T) {
	told := false
	o := &output{out: brokenPipe{}, err: io.Discard, gone: func() { told = true }}
	if err := o.printf("x"); err != errPipe || !told {
		t.Errorf("error %v, told %t", err, told)
	}
}

func TestRender(t *testing.T) {
	tests := []struct{ name, result, out, note string }{
		{"text as it is", `{"content":[{"type":"text","text":"a\u001b[0m\nb"}]}`, "a\x1b[0m\nb\n", ""},
		{"empty content", `{"content":[]}`, "", "The result is empty.\n"},
		{"no content", `{}`, "", "The result is empty.\n"},
		{"structured only", `{"content":[],"structuredContent":{"n":9007199254740993}}`, "{\n  \"n\": 9007199254740993\n}\n", ""},
		{"structured repeated as text", `{"content":[{"type":"text","text":"{ \"n\": 1 }"}],"structuredContent":{"n":1}}`, "{\n  \"n\": 1\n}\n", ""},
		{"structured beside another text", `{"content":[{"type":"text","text":"one"}],"structuredContent":[1]}`, "one\n[\n  1\n]\n", ""},
		{"image", `{"content":[{"type":"image","mimeType":"image/png","data":"AAAA"}]}`, "[image image/png, 3 bytes]\n", ""},
		{"steering media type", `{"content":[{"type":"audio","mimeType":"\u001b[2J","data":"AA=="}]}`, "[audio \\x1b[2J, 1 bytes]\n", ""},
		{"link", `{"content":[{"type":"resource_link","uri":"x://y","name":"Y","size":12345678901234567890}]}`, "[link to Y: x://y, 12345678901234567890 bytes]\n", ""},
		{"embedded text", `{"content":[{"type":"resource","resource":{"uri":"x://y","mimeType":"text/plain","text":"t"}}]}`, "[x://y, text/plain]\nt\n", ""},
		{"embedded blob", `{"content":[{"type":"resource","resource":{"uri":"x://y","blob":"AAAAAA=="}}]}`, "[x://y, 4 bytes]\n", ""},
		{"unknown type", `{"content":[{"type":"video","n":1.0}]}`, "{\n  \"type\": \"video\",\n  \"n\": 1.0\n}\n", ""},
		{"a text without text", `{"content":[{"type":"text"}]}`, "{\n  \"type\": \"text\"\n}\n", ""},
		{"a block of a wrong type", `{"content":["x"]}`, "\"x\"\n", ""},
		{"content of a wrong type", `{"content":"x"}`, "{\n  \"content\": \"x\"\n}\n", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var out, notes bytes.Buffer
			r := &renderer{out: &output{out: &out, err: &notes, paint: noPaint, errPaint: noPaint}}
			if err := r.tool(mcp.Call{Call: store.Call{Result: json.RawMessage(test.result)}}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{test.out, test.note}, []string{out.String(), notes.String()}); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRenderEscapesTextOnATerminal(t *testing.T) {
	var out bytes.Buffer
	r := &renderer{out: &output{out: &out, err: io.Discard, paint: noPaint, terminal: true}}
	result := `{"content":[{"type":"text","text":"a\u001b]0;x\u0007\nb"}],"structuredContent":{"a":"\u202e"}}`
	if err := r.tool(mcp.Call{Call: store.Call{Result: json.RawMessage(result)}}); err != nil {
		t.Fatal(err)
	}
	if want := "a\\x1b]0;x\\x07\nb\n{\n  \"a\": \"\\u202e\"\n}\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

func TestReadWritesBinaryToAPipe(t *testing.T) {
	var out bytes.Buffer
	r := &renderer{out: &output{out: &out, err: io.Discard, paint: noPaint}}
	read := func(result string) error {
		return r.resource(mcp.Call{Call: store.Call{Result: json.RawMessage(result)}})
	}
	if err := read(`{"contents":[{"uri":"x://y","blob":"AAEC/w=="}]}`); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); got != "\x00\x01\x02\xff" {
		t.Errorf("got %q", got)
	}
	if err := read(`{"contents":[{"uri":"x://y","blob":"not base64!"}]}`); err == nil {
		t.Error("a broken blob was written")
	}
	out.Reset()
	if err := read(`{"contents":[{"uri":"x://y","text":"no newline"}]}`); err != nil || out.String() != "no newline" {
		t.Errorf("got %q, %v", out.String(), err)
	}
}

func TestCommandLineShowsEveryArgument(t *testing.T) {
	got := commandLine("/a b/c", []string{"plain-1.js", "", "it's", "$HOME"})
	if want := `'/a b/c' plain-1.js '' 'it'\''s' '$HOME'`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if strings.Contains(commandLine("node", []string{"x"}), "'") {
		t.Error("plain words are quoted")
	}
}

package wire

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

func readEvents(r io.Reader) (events []event, err error) {
	reader := newEventReader(r, nil)
	for {
		e, err := reader.next()
		if err != nil {
			return events, err
		}
		events = append(events, e)
	}
}

func TestEventReader(t *testing.T) {
	data := func(text string) event { return event{data: []byte(text)} }
	for name, test := range map[string]struct {
		in   string
		want []event
	}{
		"LF":                         {"data: a\n\ndata: b\n\n", []event{data("a"), data("b")}},
		"CRLF":                       {"data: a\r\n\r\ndata: b\r\n\r\n", []event{data("a"), data("b")}},
		"lone CR":                    {"data: a\r\rdata: b\r\r", []event{data("a"), data("b")}},
		"all line ends mixed":        {"data: a\r\n\ndata: b\r\r\ndata: c\n\r", []event{data("a"), data("b"), data("c")}},
		"byte order mark":            {"\xef\xbb\xbfdata: a\n\n", []event{data("a")}},
		"no space":                   {"data:a\n\n", []event{data("a")}},
		"only one space is cut":      {"data:  a \n\n", []event{data(" a ")}},
		"several lines":              {"data: a\ndata:\ndata: b\n\n", []event{data("a\n\nb")}},
		"field without colon":        {"data\n\n", []event{{}}},
		"unknown field":              {"foo: 1\nhello\ndata: a\n\n", []event{data("a")}},
		"comments":                   {": one\n:\ndata: a\n: two\n\n", []event{data("a")}},
		"many blank lines":           {"\n\n\ndata: a\n\n\n\n", []event{data("a")}},
		"name, id, retry":            {"event: x\nid: 1\nretry: 5\ndata: a\n\n", []event{{name: "x", id: "1", hasID: true, retry: "5", data: []byte("a")}}},
		"empty id resets":            {"id\ndata: a\n\n", []event{{hasID: true, data: []byte("a")}}},
		"id with NUL is ignored":     {"id: a\x00b\ndata: a\n\n", []event{data("a")}},
		"priming event":              {"id: 1\ndata:\n\n", []event{{id: "1", hasID: true, data: nil}}},
		"retry alone":                {"retry: 5\n\n", []event{{retry: "5"}}},
		"name alone is no event":     {"event: x\n\ndata: a\n\n", []event{data("a")}},
		"no final blank line":        {"data: {\"a\":1}\n", []event{data(`{"a":1}`)}},
		"no final line end":          {"data: {\"a\":1}", []event{data(`{"a":1}`)}},
		"cut off":                    {"data: {\"a\":", []event{{data: []byte(`{"a":`), cut: true}}},
		"bare JSON":                  {"{\"a\":\n 1}\n", []event{{name: bareEvent, data: []byte("{\"a\":\n 1}")}}},
		"bare JSON with BOM, indent": {"\xef\xbb\xbf  [1]", []event{{name: bareEvent, data: []byte("[1]")}}},
		"bare JSON, cut off":         {`{"a":`, []event{{name: bareEvent, data: []byte(`{"a":`), cut: true}}},
		"nothing":                    {"", nil},
	} {
		t.Run(name, func(t *testing.T) {
			for how, r := range map[string]io.Reader{
				"at once":       strings.NewReader(test.in),
				"byte by byte":  iotest.OneByteReader(strings.NewReader(test.in)),
				"data with EOF": iotest.DataErrReader(strings.NewReader(test.in)),
			} {
				got, err := readEvents(r)
				if !errors.Is(err, io.EOF) {
					t.Errorf("%s: %v", how, err)
				}
				for i := range got {
					if len(got[i].data) == 0 {
						got[i].data = nil
					}
				}
				if !reflect.DeepEqual(got, test.want) {
					t.Errorf("%s: %+v, want %+v", how, got, test.want)
				}
			}
		})
	}
}

// An event leaves when its blank line is there: it must not wait for the byte behind a CR.
func TestEventReaderDoesNotWait(t *testing.T) {
	for _, end := range []string{"\n\n", "\r\r", "\r\n\r\n"} {
		r, w := io.Pipe()
		go func() { _, _ = io.WriteString(w, "data: a"+end) }()
		if e, err := newEventReader(r, nil).next(); err != nil || string(e.data) != "a" {
			t.Errorf("%q: %q, %v", end, e.data, err)
		}
		_ = r.Close()
	}
}

func TestEventReaderHasNoLimit(t *testing.T) {
	big := bytes.Repeat([]byte("x"), 20<<20)
	got, _ := readEvents(io.MultiReader(strings.NewReader("data: "), bytes.NewReader(big), strings.NewReader("\n\n")))
	if len(got) != 1 || !bytes.Equal(got[0].data, big) {
		t.Errorf("%d events", len(got))
	}
}

func TestEventReaderKeepsTheError(t *testing.T) {
	broke := errors.New("broke")
	got, err := readEvents(io.MultiReader(strings.NewReader("data: {}\n"), iotest.ErrReader(broke)))
	if !errors.Is(err, broke) || len(got) != 1 || got[0].cut {
		t.Errorf("%v, %v", got, err)
	}
}

func TestAppendEventIsOneLine(t *testing.T) {
	if got := string(appendEvent(nil, []byte("{\n \"a\":\r\n1}"))); got != "data: {  \"a\":  1}\n\n" {
		t.Errorf("%q", got)
	}
}

// Whatever comes, the reader ends, and how the bytes are cut into reads makes no difference.
func FuzzEventReader(f *testing.F) {
	f.Add([]byte("id: 1\r\nevent: x\rdata: a\n\r\n\xef\xbb\xbf{"))
	f.Add([]byte("{\"a\":1}"))
	f.Fuzz(func(t *testing.T, in []byte) {
		whole, _ := readEvents(bytes.NewReader(in))
		pieces, _ := readEvents(iotest.OneByteReader(bytes.NewReader(in)))
		if !reflect.DeepEqual(whole, pieces) {
			t.Errorf("%+v and %+v", whole, pieces)
		}
	})
}

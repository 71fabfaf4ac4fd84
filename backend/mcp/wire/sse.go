package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// event is one server-sent event: https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
type event struct {
	name  string // "" means "message"
	id    string
	hasID bool // an empty id resets the resume position, a missing one does not
	retry string
	data  []byte // its own memory
	cut   bool   // the stream ended inside it
}

// eventReader parses an event stream as the HTML standard says, and beyond it: lines end with LF, CRLF or a lone CR, there is no
// size limit, a missing final blank line does not lose the last event, and a body that is bare JSON is one event.
type eventReader struct {
	source io.Reader
	onRead func(n int) // told of every read, so that comments count as life; may be nil

	// largest is how many bytes of data an event may have, 0: any. tooLarge gets the beginning of one that has more, and makes the error.
	largest  int64
	tooLarge func(head []byte) error

	buffer     []byte
	start, end int
	skipLF     bool // the last line ended with CR; an LF that follows belongs to it
	begun      bool
	err        error
}

func newEventReader(source io.Reader, onRead func(n int)) *eventReader {
	return &eventReader{source: source, onRead: onRead, buffer: make([]byte, 4<<10)}
}

// events reads the event stream of a response.
func (l *link) events(body io.Reader, out *outgoing) *eventReader {
	r := newEventReader(body, l.life(out))
	r.largest = l.wire.config.Largest
	r.tooLarge = func(head []byte) error { return l.wire.tooLarge(out.method, head, out.call) }
	return r
}

// over says whether data is more than an event may have; then the stream is at its end.
func (r *eventReader) over(data []byte) bool {
	if r.largest == 0 || int64(len(data)) <= r.largest {
		return false
	}
	r.start, r.end, r.err = 0, 0, r.tooLarge(data)
	return true
}

// next returns the next event that has data, an id or a retry field. After the last one it returns the reader's error, io.EOF at a clean end.
func (r *eventReader) next() (event, error) {
	var e event
	hasData := false
	for {
		line, err := r.line()
		if !r.begun && err == nil {
			r.begun = true
			line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
			if text := bytes.TrimLeft(line, " \t"); len(text) > 0 && (text[0] == '{' || text[0] == '[') {
				return r.bare(text)
			}
		}
		if _, large := errors.AsType[*TooLargeError](err); large {
			return event{}, err
		}
		if err != nil {
			if hasData {
				r.err = err
				// An event that the end of the stream cut off is only believed when its data is whole.
				e.cut = !json.Valid(e.data)
				return e, nil
			}
			return event{}, err
		}
		if len(line) == 0 {
			if hasData || e.hasID || e.retry != "" {
				return e, nil
			}
			e = event{}
			continue
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "data":
			if hasData {
				e.data = append(e.data, '\n')
			}
			e.data = append(e.data, value...)
			hasData = true
			if r.over(e.data) {
				return event{}, r.err
			}
		case "event":
			e.name = string(value)
		case "id":
			if bytes.IndexByte(value, 0) < 0 {
				e.id, e.hasID = string(value), true
			}
		case "retry":
			e.retry = string(value)
		}
	}
}

// bare reads a body that was called an event stream but is JSON.
func (r *eventReader) bare(first []byte) (event, error) {
	data := append(bytes.Clone(first), '\n')
	for {
		line, err := r.line()
		if _, large := errors.AsType[*TooLargeError](err); large {
			return event{}, err
		}
		if err != nil {
			r.err = err
			data = bytes.TrimSpace(data)
			return event{name: bareEvent, data: data, cut: !json.Valid(data)}, nil
		}
		data = append(append(data, line...), '\n')
		if r.over(data) {
			return event{}, r.err
		}
	}
}

// bareEvent names the event that stands for a body of bare JSON. No server can send it: a name has no line break.
const bareEvent = "\n"

// line returns the next line without its end. The slice is valid until the next call. A last line without an end is a line.
func (r *eventReader) line() ([]byte, error) {
	var long []byte
	for {
		if r.start == r.end {
			if r.err != nil {
				if len(long) > 0 {
					return long, nil
				}
				return nil, r.err
			}
			r.fill()
			continue
		}
		if r.skipLF {
			r.skipLF = false
			if r.buffer[r.start] == '\n' {
				r.start++
				continue
			}
		}
		chunk := r.buffer[r.start:r.end]
		stop := bytes.IndexByte(chunk, '\n')
		if stop < 0 {
			stop = len(chunk)
		}
		if cr := bytes.IndexByte(chunk[:stop], '\r'); cr >= 0 {
			stop = cr
		}
		if stop == len(chunk) {
			long = append(long, chunk...)
			r.start = r.end
			if r.over(long) {
				return nil, r.err
			}
			continue
		}
		r.skipLF = chunk[stop] == '\r'
		r.start += stop + 1
		if long == nil {
			return chunk[:stop], nil
		}
		return append(long, chunk[:stop]...), nil
	}
}

func (r *eventReader) fill() {
	if r.end == len(r.buffer) && r.end < 64<<10 {
		// Most streams are short. One that fills the buffer deserves larger reads.
		r.buffer = make([]byte, 64<<10)
	}
	n, err := r.source.Read(r.buffer)
	r.start, r.end = 0, n
	if n > 0 && r.onRead != nil {
		r.onRead(n)
	}
	if err != nil {
		r.err = err
	} else if n == 0 {
		r.err = io.ErrNoProgress
	}
}

// appendEvent appends one message as an event in the form that go-sdk reads. Line breaks can only stand between JSON tokens, so a
// space replaces them. Ids and retry times are left out: resuming happens below go-sdk.
func appendEvent(b, message []byte) []byte {
	b = append(b, "data: "...)
	from := len(b)
	b = append(b, message...)
	for _, lineEnd := range []byte{'\n', '\r'} {
		for i := from; ; i++ {
			j := bytes.IndexByte(b[i:], lineEnd)
			if j < 0 {
				break
			}
			i += j
			b[i] = ' '
		}
	}
	return append(b, "\n\n"...)
}

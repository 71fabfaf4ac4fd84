package wire

import "bytes"

// frame is one piece of a byte stream: a JSON object or array as it came, or noise.
type frame struct {
	raw   []byte
	noise bool // no JSON value, or one that broke off
}

// framer cuts a byte stream into JSON values. It goes by brackets, not by lines, so that a banner in front, several
// messages on a line, one message over several lines, trailing blanks and Content-Length headers all fall out by
// themselves. It never looks at a byte twice, and has no limit of size. Not safe for concurrent use.
type framer struct {
	buf   []byte // what is not handed out yet; its capacity beyond len is where space points
	base  []byte // the whole block behind buf, to start over in
	pos   int    // scanned up to here
	depth int    // of open brackets; 0 between values
	text  int    // where the open string begins, -1 outside of strings
	array bool   // the open value is an array
}

const (
	readSize  = 64 << 10 // what a pipe of Linux holds
	copyLimit = 32 << 10 // larger values are handed out without a copy, together with their block
	noiseSize = 64 << 10 // longer noise without a line end is handed out in pieces
)

func newFramer() *framer { return &framer{text: -1} }

// space returns where the next read goes, at least a quarter of readSize.
func (f *framer) space() []byte {
	if len(f.buf) == 0 {
		f.buf = f.base[:0]
	}
	if cap(f.buf)-len(f.buf) < readSize/4 {
		size := readSize
		if len(f.buf) >= copyLimit {
			size = max(2*len(f.buf), 2*readSize)
		}
		grown := make([]byte, len(f.buf), size)
		copy(grown, f.buf)
		f.buf = grown
		f.base = grown[:0]
	}
	return f.buf[len(f.buf):cap(f.buf)]
}

// add says that n bytes were read into space.
func (f *framer) add(n int) { f.buf = f.buf[:len(f.buf)+n] }

// open reports how many bytes of a value that is not complete yet are there.
func (f *framer) open() int {
	if f.depth == 0 {
		return 0
	}
	return len(f.buf)
}

// next returns the next complete frame; false if more bytes are needed.
func (f *framer) next() (frame, bool) {
	if f.depth == 0 {
		if piece, ok := f.between(); ok || f.depth == 0 {
			return piece, ok
		}
	}
	return f.inside()
}

// rest returns what is left at the end of the stream, as noise.
func (f *framer) rest() (frame, bool) {
	left := bytes.TrimSpace(f.buf)
	f.buf, f.pos, f.depth, f.text = nil, 0, 0, -1
	if len(left) == 0 {
		return frame{}, false
	}
	return frame{raw: bytes.Clone(left), noise: true}, true
}

// between looks for the beginning of a value. What lies before it is noise, line by line.
func (f *framer) between() (frame, bool) {
	for f.pos < len(f.buf) {
		switch c := f.buf[f.pos]; c {
		case '\n':
			f.pos++
			if piece, ok := f.noise(f.pos); ok {
				return piece, true
			}
		case '{', '[':
			begins, enough := begins(f.buf[f.pos:])
			if !enough {
				return frame{}, false
			}
			if !begins {
				f.pos++
				continue
			}
			if before := bytes.TrimSpace(f.buf[:f.pos]); len(before) > 0 && !bytes.Equal(before, bom) {
				return f.noise(f.pos)
			}
			f.depth, f.array = 1, c == '['
			f.pos++
			return frame{}, false
		default:
			f.pos++
			if f.pos >= noiseSize {
				if piece, ok := f.noise(f.pos); ok {
					return piece, true
				}
			}
		}
	}
	return frame{}, false
}

// begins tells whether an opening bracket can be that of a message: an object begins with a key or ends at once, a batch
// begins with an object. "[info] ready" and "{port}" of a log line do not. enough is false if the bytes do not tell yet.
func begins(b []byte) (yes, enough bool) {
	rest := bytes.TrimLeft(b[1:], " \t\r\n")
	if len(rest) == 0 {
		return false, false
	}
	if b[0] == '{' {
		return rest[0] == '"' || rest[0] == '}', true
	}
	return rest[0] == '{' || rest[0] == ']', true
}

// inside looks for the end of the open value.
func (f *framer) inside() (frame, bool) {
	for f.pos < len(f.buf) {
		if f.text >= 0 {
			if !f.string() {
				if f.depth == 0 { // it broke off
					return f.noise(f.pos)
				}
				return frame{}, false
			}
			continue
		}
		switch f.buf[f.pos] {
		case '"':
			f.text = f.pos
		case '{', '[':
			f.depth++
		case '}', ']':
			f.depth--
			if f.depth == 0 {
				return f.take(f.pos+1, false), true
			}
		case '\n':
			// A line that begins like a message, while a value is open, means that the open one broke off. Inside an array
			// it may be a batch, one message per line.
			rest := f.buf[f.pos+1:]
			if len(rest) < len(opening) && bytes.HasPrefix(opening, rest) && !f.array {
				return frame{}, false
			}
			if bytes.HasPrefix(rest, opening) && !f.array {
				f.depth = 0
				f.pos++
				return f.noise(f.pos)
			}
		}
		f.pos++
	}
	return frame{}, false
}

var opening = []byte(`{"jsonrpc"`)

// string looks for the end of the open string; false if it is not there. A raw line end cannot be part of a string, so
// that the value broke off: depth is then 0 and pos behind the line end.
func (f *framer) string() bool {
	from := max(f.pos, f.text+1)
	k := bytes.IndexByte(f.buf[from:], '"')
	end := len(f.buf)
	if k >= 0 {
		end = from + k
	}
	if line := bytes.IndexByte(f.buf[from:end], '\n'); line >= 0 {
		f.pos, f.depth, f.text = from+line+1, 0, -1
		return false
	}
	if k < 0 {
		f.pos = len(f.buf)
		return false
	}
	f.pos = end + 1
	if !escaped(f.buf, f.text+1, end) {
		f.text = -1
	}
	return true
}

// noise hands out everything up to end as noise; false if that is white space.
func (f *framer) noise(end int) (frame, bool) {
	piece := f.take(end, true)
	piece.raw = bytes.TrimRight(piece.raw, "\r\n")
	return piece, len(bytes.TrimSpace(piece.raw)) > 0
}

// take hands out the bytes up to end. The bytes of a frame are kept by whoever records them, so they are never shared with
// what is read later: a small frame is copied, a large one takes its block along.
func (f *framer) take(end int, noise bool) frame {
	raw := f.buf[:end:end]
	rest := f.buf[end:]
	if end < copyLimit {
		raw = bytes.Clone(raw)
		f.buf = rest
	} else {
		f.buf = append(make([]byte, 0, max(readSize, len(rest)+readSize/2)), rest...)
		f.base = f.buf[:0]
	}
	f.pos, f.text = 0, -1
	return frame{raw: raw, noise: noise}
}

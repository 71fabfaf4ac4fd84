package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"iter"
	"unicode/utf8"
)

// errScan says that bytes are not one JSON object. The scanner finds where values begin and end; it does not prove that
// they are valid JSON, which costs ten times as much and is done only for what go-sdk is going to decode.
var errScan = errors.New("not one JSON object")

// Envelope holds the top-level values of one JSON-RPC message as sub-slices of its bytes, nil where a key is absent.
type Envelope struct {
	Version, ID, Method, Params, Result, Error []byte

	Depth int  // the deepest nesting, 1 for a flat object
	Odd   bool // it has a key that is none of the six, or one of them twice; the last one counts
}

// Scan finds the parts of one JSON-RPC message in a single pass, without allocation.
func Scan(raw []byte) (Envelope, error) {
	var e Envelope
	c := cursor{b: raw}
	if !c.open('{') {
		return e, errScan
	}
	for {
		key, value, more := c.field()
		if !more {
			break
		}
		slot := e.slot(key)
		if slot == nil {
			e.Odd = true
			continue
		}
		if *slot != nil {
			e.Odd = true
		}
		*slot = value
	}
	if c.broken || !c.end() {
		return Envelope{}, errScan
	}
	e.Depth = c.depth
	return e, nil
}

// slot is the field of the envelope that a key, with its quotes, belongs to.
func (e *Envelope) slot(key []byte) *[]byte {
	switch string(key) {
	case `"jsonrpc"`:
		return &e.Version
	case `"id"`:
		return &e.ID
	case `"method"`:
		return &e.Method
	case `"params"`:
		return &e.Params
	case `"result"`:
		return &e.Result
	case `"error"`:
		return &e.Error
	}
	return nil
}

// Fields yields the fields of an object in order: the key with its quotes, and the value. It stops at the first fault.
func Fields(object []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		c := cursor{b: object}
		if !c.open('{') {
			return
		}
		for {
			key, value, more := c.field()
			if !more || !yield(key, value) {
				return
			}
		}
	}
}

// Elements yields the values of an array in order. It stops at the first fault.
func Elements(array []byte) iter.Seq[[]byte] {
	return func(yield func(value []byte) bool) {
		c := cursor{b: array}
		if !c.open('[') {
			return
		}
		for {
			value, more := c.element()
			if !more || !yield(value) {
				return
			}
		}
	}
}

// Get returns the value of a key of an object, the last one if it is there twice, or nil.
func Get(object []byte, key string) []byte {
	var found []byte
	for k, v := range Fields(object) {
		if keyIs(k, key) {
			found = v
		}
	}
	return found
}

// keyIs compares a key with its quotes to a name, in nearly all cases without decoding it.
func keyIs(quoted []byte, name string) bool {
	if bytes.IndexByte(quoted, '\\') < 0 && utf8.Valid(quoted) {
		return string(quoted[1:len(quoted)-1]) == name
	}
	return keyText(quoted) == name
}

// keyText decodes a key. Keys without escapes, which is nearly all of them, cost no decoder.
func keyText(quoted []byte) string {
	if len(quoted) >= 2 && bytes.IndexByte(quoted, '\\') < 0 && utf8.Valid(quoted) {
		return string(quoted[1 : len(quoted)-1])
	}
	text, _ := stringOf(quoted)
	return text
}

// stringOf decodes a JSON string; false if it is none.
func stringOf(value []byte) (string, bool) {
	if len(value) < 2 || value[0] != '"' {
		return "", false
	}
	var text string
	if err := json.Unmarshal(value, &text); err != nil {
		return "", false
	}
	return text, true
}

// cursor walks over one object or array.
type cursor struct {
	b      []byte
	i      int
	close  byte
	first  bool
	depth  int // the deepest nesting so far
	broken bool
}

func (c *cursor) space() {
	for c.i < len(c.b) {
		switch c.b[c.i] {
		case ' ', '\t', '\r', '\n':
			c.i++
		default:
			return
		}
	}
}

// open enters the container.
func (c *cursor) open(bracket byte) bool {
	c.space()
	if c.i >= len(c.b) || c.b[c.i] != bracket {
		c.broken = true
		return false
	}
	c.i++
	c.close = bracket + 2 // in ASCII, both pairs lie two apart
	c.first = true
	c.depth = 1
	return true
}

// next stands before the next item; false at the closing bracket, which it passes, or at a fault.
func (c *cursor) next() bool {
	c.space()
	if c.i >= len(c.b) {
		c.broken = true
		return false
	}
	if c.b[c.i] == c.close {
		c.i++
		return false
	}
	if !c.first {
		if c.b[c.i] != ',' {
			c.broken = true
			return false
		}
		c.i++
		c.space()
	}
	c.first = false
	return true
}

func (c *cursor) field() (key, value []byte, more bool) {
	if !c.next() {
		return nil, nil, false
	}
	if c.i >= len(c.b) || c.b[c.i] != '"' {
		c.broken = true
		return nil, nil, false
	}
	end := skipString(c.b, c.i)
	if end < 0 {
		c.broken = true
		return nil, nil, false
	}
	key = c.b[c.i:end:end]
	c.i = end
	c.space()
	if c.i >= len(c.b) || c.b[c.i] != ':' {
		c.broken = true
		return nil, nil, false
	}
	c.i++
	value, ok := c.value()
	return key, value, ok
}

func (c *cursor) element() (value []byte, more bool) {
	if !c.next() {
		return nil, false
	}
	return c.value()
}

func (c *cursor) value() ([]byte, bool) {
	c.space()
	start := c.i
	end, depth := skipValue(c.b, c.i)
	if end < 0 {
		c.broken = true
		return nil, false
	}
	c.depth = max(c.depth, 1+depth)
	c.i = end
	return c.b[start:end:end], true
}

// end reports whether nothing but white space follows.
func (c *cursor) end() bool {
	c.space()
	return c.i == len(c.b)
}

// skipValue returns where the value at i ends and how deep it nests, or -1.
func skipValue(b []byte, i int) (end, depth int) {
	if i >= len(b) {
		return -1, 0
	}
	switch b[i] {
	case '"':
		return skipString(b, i), 0
	case '{', '[':
		return skipContainer(b, i)
	}
	start := i
	for i < len(b) {
		switch b[i] {
		case ',', ']', '}', ' ', '\t', '\r', '\n', ':', '"', '{', '[':
			if i == start {
				return -1, 0
			}
			return i, 0
		}
		i++
	}
	if i == start {
		return -1, 0
	}
	return i, 0
}

func skipContainer(b []byte, i int) (end, deepest int) {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			if i = skipString(b, i); i < 0 {
				return -1, deepest
			}
			continue
		case '{', '[':
			depth++
			deepest = max(deepest, depth)
		case '}', ']':
			depth--
			if depth == 0 {
				return i + 1, deepest
			}
		}
		i++
	}
	return -1, deepest
}

// skipString returns where the string that opens at i ends, or -1. It looks for the next quote and counts the backslashes
// directly before it; looking for a backslash first and searching again is quadratic in a text full of escapes.
func skipString(b []byte, i int) int {
	from := i + 1
	for {
		k := bytes.IndexByte(b[from:], '"')
		if k < 0 {
			return -1
		}
		k += from
		if !escaped(b, i+1, k) {
			return k + 1
		}
		from = k + 1
	}
}

// escaped reports whether an odd number of backslashes stands directly before k, not looking before low.
func escaped(b []byte, low, k int) bool {
	n := 0
	for k-1-n >= low && b[k-1-n] == '\\' {
		n++
	}
	return n%2 == 1
}

package mcp

import (
	"bytes"
	"slices"
	"strings"

	"jackfield/backend/mcp/wire"
)

// list returns the newest messages that match, oldest first.
func (r *recorder) list(filter TraceFilter) []Message {
	var found []Message
	for _, e := range r.matching(filter) {
		found = append(found, e.Message)
	}
	return found
}

// matching goes through the trace from the newest message back. It holds no lock while it does, also while it reads bodies from the disk.
func (r *recorder) matching(filter TraceFilter) []*traced {
	limit := filter.Limit
	if limit == 0 {
		limit = defaultTraceLimit
	}
	needle := bytes.ToLower([]byte(filter.Text))
	method := strings.ToLower(filter.Method)
	var found []*traced
	for _, e := range slices.Backward(r.snapshot()) {
		if e.N <= filter.After || limit > 0 && len(found) == limit {
			break
		}
		if filter.ServerID != "" && e.ServerID != filter.ServerID || filter.CallID != "" && e.CallID != filter.CallID ||
			filter.Dir != "" && e.Dir != filter.Dir || filter.Kind != "" && e.Kind != filter.Kind ||
			method != "" && !strings.Contains(strings.ToLower(e.Method), method) {
			continue
		}
		if filter.Errors && !r.isError(e) || len(needle) > 0 && !r.contains(e, needle) {
			continue
		}
		found = append(found, e)
	}
	slices.Reverse(found)
	return found
}

// contains says whether a message holds a text in lower case. What is no longer kept holds nothing.
func (r *recorder) contains(e *traced, needle []byte) bool {
	if containsFold([]byte(e.Method), needle) {
		return true
	}
	raw, err := r.read(e)
	return err == nil && containsFold(raw, needle)
}

// isError says whether a message tells of something that went wrong.
func (r *recorder) isError(e *traced) bool {
	switch {
	case e.Kind == "error", e.Kind == "noise", e.Problem != "", e.HTTP >= 400:
		return true
	case e.Kind != "response" || e.Method != "tools/call":
		return false
	}
	raw, err := r.read(e)
	if err != nil {
		return false
	}
	envelope, err := wire.Scan(raw)
	return err == nil && string(wire.Get(envelope.Result, "isError")) == "true"
}

// containsFold says whether text holds a needle that is in lower case already. ASCII letters count alike in both cases, others where
// they have the same number of bytes; nothing is copied, because texts may be large.
func containsFold(text, needle []byte) bool {
	if len(needle) == 0 {
		return true
	}
	if isASCII(needle) {
		lower, upper := needle[0], upperOf(needle[0])
		for at := 0; at+len(needle) <= len(text); {
			next := nextOf(text[at:len(text)-len(needle)+1], lower, upper)
			if next < 0 {
				return false
			}
			at += next
			if equalFold(text[at:at+len(needle)], needle) {
				return true
			}
			at++
		}
		return false
	}
	const piece = 1 << 20
	for at := 0; ; at += piece {
		end := min(at+piece+4*len(needle), len(text))
		if bytes.Contains(bytes.ToLower(text[at:end]), needle) {
			return true
		}
		if end == len(text) {
			return false
		}
	}
}

// nextOf is the first of two bytes, -1 if there is none.
func nextOf(text []byte, lower, upper byte) int {
	if lower == upper {
		return bytes.IndexByte(text, lower)
	}
	// In pieces, so that a byte that is rare is not looked for to the very end each time.
	const piece = 4096
	for at := 0; at < len(text); at += piece {
		part := text[at:min(at+piece, len(text))]
		a, b := bytes.IndexByte(part, lower), bytes.IndexByte(part, upper)
		switch {
		case a < 0 && b < 0:
			continue
		case a < 0:
			return at + b
		case b < 0:
			return at + a
		}
		return at + min(a, b)
	}
	return -1
}

func equalFold(text, lower []byte) bool {
	for i, c := range lower {
		if text[i] != c && text[i] != upperOf(c) {
			return false
		}
	}
	return true
}

func upperOf(c byte) byte {
	if c >= 'a' && c <= 'z' {
		return c - 'a' + 'A'
	}
	return c
}

func isASCII(text []byte) bool {
	return !slices.ContainsFunc(text, func(c byte) bool { return c >= 0x80 })
}

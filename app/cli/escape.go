package cli

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// hidden tells whether a character steers a terminal or the direction of text, or shows nothing: a server could use it
// to make output look like something else. The joiners of emoji and of several scripts stay.
func hidden(r rune) bool {
	switch r {
	case '\u200c', '\u200d':
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// visible returns the text with every hidden character written out. With lines, line feeds and tabs stay.
func visible(text string, lines bool) string {
	keep := func(r rune) bool { return lines && (r == '\n' || r == '\t') }
	if utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return hidden(r) && !keep(r) }) {
		return text
	}
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd"):
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case !hidden(r) || keep(r):
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r' && lines && strings.HasPrefix(text[i:], "\r\n"):
			// The line feed that follows says it.
		case r <= 0xff:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	return b.String()
}

// visibleJSON escapes hidden characters in a JSON document. In valid JSON they stand only inside strings, so that the
// escaped document means the same.
func visibleJSON(document []byte) []byte {
	text := string(document)
	if !strings.ContainsFunc(text, func(r rune) bool { return r >= 0x7f && hidden(r) }) {
		return document
	}
	var b strings.Builder
	for _, r := range text {
		switch {
		case r < 0x7f || !hidden(r):
			b.WriteRune(r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+(r>>10), 0xdc00+(r&0x3ff))
		}
	}
	return []byte(b.String())
}

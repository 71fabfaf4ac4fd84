package scheme

import (
	"fmt"
	"strings"
	"unicode"
)

// quoteExec writes a program's path as the first word of Exec= in a desktop entry: quoted as the key demands, then escaped as every
// text in the file. A path that needs no quotes gets none: without a desktop environment xdg-open looks for a program whose name begins
// with the quote.
func quoteExec(path string) (string, error) {
	if strings.ContainsFunc(path, unicode.IsControl) || strings.Contains(path, "=") {
		// A control character ends the line or is dropped; "=" is not allowed in the name of a program.
		return "", fmt.Errorf("the path %q cannot be written into a desktop entry; move the program to a simpler one", path)
	}
	if !strings.ContainsAny(path, " \t\n\"'\\><~|&;$*?#()`%") {
		return path, nil
	}
	quoted := `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "`", "\\`", `$`, `\$`, `%`, `%%`).Replace(path) + `"`
	return strings.ReplaceAll(quoted, `\`, `\\`), nil
}

// execProgram reads the first word of the value of Exec=; "" if it is not valid.
func execProgram(value string) string {
	value = unescape(value)
	quoted := strings.HasPrefix(value, `"`)
	if !quoted {
		word, _, _ := strings.Cut(value, " ")
		return strings.ReplaceAll(word, "%%", "%")
	}
	var word strings.Builder
	for rest := value[1:]; rest != ""; rest = rest[1:] {
		switch {
		case rest[0] == '"':
			return strings.ReplaceAll(word.String(), "%%", "%")
		case rest[0] == '\\' && len(rest) > 1:
			rest = rest[1:]
		}
		word.WriteByte(rest[0])
	}
	return "" // the quote does not end
}

// unescape undoes the escapes that a text in a desktop entry has.
func unescape(value string) string {
	if !strings.Contains(value, `\`) {
		return value
	}
	var out strings.Builder
	for i := 0; i < len(value); i++ {
		if value[i] != '\\' || i+1 == len(value) {
			out.WriteByte(value[i])
			continue
		}
		i++
		switch value[i] {
		case 's':
			out.WriteByte(' ')
		case 'n':
			out.WriteByte('\n')
		case 't':
			out.WriteByte('\t')
		case 'r':
			out.WriteByte('\r')
		case '\\':
			out.WriteByte('\\')
		default:
			out.WriteByte('\\')
			out.WriteByte(value[i])
		}
	}
	return out.String()
}

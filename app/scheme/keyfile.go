package scheme

import (
	"slices"
	"strings"
)

// keyFile is a file of groups and keys, as desktops use them. It keeps its lines: what is not changed stays byte for byte.
type keyFile struct{ lines []string }

func parseKeyFile(text string) *keyFile {
	text = strings.TrimSuffix(text, "\n")
	if text == "" {
		return &keyFile{}
	}
	return &keyFile{lines: strings.Split(text, "\n")}
}

func (f *keyFile) String() string {
	if len(f.lines) == 0 {
		return ""
	}
	return strings.Join(f.lines, "\n") + "\n"
}

// find returns the line of a key, or -1, and the line after the last one of its group, or -1.
func (f *keyFile) find(group, key string) (line, end int) {
	line, end = -1, -1
	inside := false
	for i, text := range f.lines {
		text = strings.TrimSpace(text)
		if strings.HasPrefix(text, "[") {
			inside = text == "["+group+"]"
			if inside {
				end = i + 1
			}
			continue
		}
		if !inside || text == "" {
			continue
		}
		end = i + 1
		name, _, ok := strings.Cut(text, "=")
		if ok && line < 0 && strings.TrimSpace(name) == key {
			line = i
		}
	}
	return line, end
}

func (f *keyFile) get(group, key string) string {
	line, _ := f.find(group, key)
	if line < 0 {
		return ""
	}
	_, value, _ := strings.Cut(f.lines[line], "=")
	return strings.TrimSpace(value)
}

func (f *keyFile) list(group, key string) []string {
	return strings.FieldsFunc(f.get(group, key), func(r rune) bool { return r == ';' })
}

func (f *keyFile) set(group, key, value string) {
	text := key + "=" + value
	line, end := f.find(group, key)
	switch {
	case line >= 0:
		f.lines[line] = text
	case end >= 0:
		f.lines = slices.Insert(f.lines, end, text)
	default:
		if len(f.lines) > 0 {
			f.lines = append(f.lines, "")
		}
		f.lines = append(f.lines, "["+group+"]", text)
	}
}

func (f *keyFile) remove(group, key string) {
	if line, _ := f.find(group, key); line >= 0 {
		f.lines = slices.Delete(f.lines, line, line+1)
	}
}

package cli

import "strings"

// commandLine shows a command so that the arguments can be told apart.
func commandLine(command string, args []string) string {
	words := make([]string, 0, len(args)+1)
	for _, word := range append([]string{command}, args...) {
		if word == "" || strings.ContainsAny(word, " \t\n\"'\\$`*?[]{}()<>|&;#~!") {
			word = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

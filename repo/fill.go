package repo

import (
	"strings"
	"unicode/utf8"
)

// Fill fills lines of at most 72 columns, each behind an indent, since tools that lint messages refuse
// longer ones; a word that is longer stays whole. White space is folded.
func Fill(s, indent string) string {
	const width = 72
	var b strings.Builder
	column := 0
	for _, word := range strings.Fields(s) {
		n := utf8.RuneCountInString(word)
		switch {
		case column == 0:
			b.WriteString(indent)
			column = len(indent)
		case column+1+n > width:
			b.WriteString("\n" + indent)
			column = len(indent)
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String()
}

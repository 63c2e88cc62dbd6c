package repo

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable gives s with control characters as \x1b, invisible and direction-changing characters as
// \u{202e}, and bytes that are no UTF-8 as \xff, so that text from data cannot move a cursor, hide or
// reverse what a person reads (design: untrusted text). Line ends and tabs are escaped too.
func Printable(s string) string {
	clean := true
	for _, c := range s {
		if hidden(c) || c == utf8.RuneError {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		c, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case c == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case hidden(c) && c < 0x80:
			fmt.Fprintf(&b, `\x%02x`, c)
		case hidden(c):
			fmt.Fprintf(&b, `\u{%x}`, c)
		default:
			b.WriteRune(c)
		}
		i += n
	}
	return b.String()
}

// hidden reports whether c has no glyph of its own or changes how its neighbours are shown. The joiner
// U+200D stays: emoji are spelled with it.
func hidden(c rune) bool {
	switch {
	case c == '\u200d', c == '\ufe0f': // zero-width joiner, emoji presentation
		return false
	case c < 0x20, c >= 0x7f && c < 0xa0:
		return true
	case c < 0xa0:
		return false
	case c == '\u00ad', c == '\u034f', c == '\u115f', c == '\u1160', c == '\u3164', c == '\uffa0':
		return true // soft hyphen, grapheme joiner, Hangul fillers
	case c >= 0xfe00 && c <= 0xfe0e, c >= 0xe0000 && c <= 0xe0fff:
		return true // variation selectors, tag characters
	}
	return unicode.In(c, unicode.Cf, unicode.Zl, unicode.Zp)
}

// columns counts the cells of a terminal that s takes: two for wide scripts and emoji, none for marks.
func columns(s string) int {
	n := 0
	for _, c := range s {
		n += cell(c)
	}
	return n
}

func cell(c rune) int {
	switch {
	case c < 0x300:
		return 1
	case unicode.In(c, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case c >= 0x1100 && c <= 0x115f, c >= 0x2e80 && c <= 0xa4cf, c >= 0xac00 && c <= 0xd7a3,
		c >= 0xf900 && c <= 0xfaff, c >= 0xfe30 && c <= 0xfe6f, c >= 0xff00 && c <= 0xff60,
		c >= 0xffe0 && c <= 0xffe6, c >= 0x1f300 && c <= 0x1faff, c >= 0x20000 && c <= 0x3fffd:
		return 2 // Unicode UAX 11, wide and fullwidth blocks
	}
	return 1
}

// cut shortens s to at most max columns, the last of which is then an ellipsis.
func cut(s string, max int) string {
	if columns(s) <= max {
		return s
	}
	n := 0
	for i, c := range s {
		if n+cell(c) > max-1 {
			return strings.TrimRight(s[:i], " ") + "…"
		}
		n += cell(c)
	}
	return s
}

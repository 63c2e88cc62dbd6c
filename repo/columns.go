package repo

import (
	"strings"
	"unicode"
)

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

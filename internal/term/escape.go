package term

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Escape makes text safe to print on one line of a terminal. Controls show as \n, \t, \r or \x1b, bytes
// that are not UTF-8 as \xff, and characters that reorder, hide or smuggle text as \u{202e}. Letters of
// every script, spaces and symbols stay. One variation selector behind a symbol stays too, since
// everyday emoji carry it; joined emoji fall apart into their visible members, and flags that are
// spelled with tag characters show the tags.
//
// Escape(Escape(s)) is Escape(s).
func Escape(s string) string { return escape(s, false) }

// EscapeLines is [Escape] for text of several lines: line feeds and tabs stay. A carriage return does
// not, because it would let a line overwrite itself. The lines are not marked in any way, so callers
// indent or frame them to keep them apart from their own.
func EscapeLines(s string) string { return escape(s, true) }

func escape(s string, lines bool) string {
	i := unsafeAt(s, lines)
	if i < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	b.WriteString(s[:i])
	prev, _ := utf8.DecodeLastRuneInString(s[:i])
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			writeByte(&b, s[i])
		case lines && (r == '\n' || r == '\t'), !hidden(r), styled(prev, r):
			b.WriteString(s[i : i+n])
		default:
			writeRune(&b, r)
		}
		prev, i = r, i+n
	}
	return b.String()
}

// unsafeAt finds the first byte that escape would touch, so that ordinary text is returned as it is.
func unsafeAt(s string, lines bool) int {
	prev := rune(0)
	for i, r := range s {
		if r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD") {
			return i
		}
		if hidden(r) && !styled(prev, r) && !(lines && (r == '\n' || r == '\t')) {
			return i
		}
		prev = r
	}
	return -1
}

func writeRune(b *strings.Builder, r rune) {
	switch {
	case r == '\n':
		b.WriteString(`\n`)
	case r == '\t':
		b.WriteString(`\t`)
	case r == '\r':
		b.WriteString(`\r`)
	case r < 0x80:
		writeByte(b, byte(r))
	default:
		// C1 controls land here and not in \x9b, which stands for a byte that is no character.
		b.WriteString(`\u{`)
		b.WriteString(strconv.FormatInt(int64(r), 16))
		b.WriteByte('}')
	}
}

func writeByte(b *strings.Builder, c byte) {
	const hex = "0123456789abcdef"
	b.WriteString(`\x`)
	b.WriteByte(hex[c>>4])
	b.WriteByte(hex[c&15])
}

// Invisible finds the first character that a reader of s could not see, and its byte offset, for a
// warning beside a contract. It reports what [Escape] would escape, except for what honest text holds:
// line feeds, tabs, carriage returns in front of a line feed, selectors and joiners inside ordinary
// emoji, and the joiner and non-joiner behind a letter of a script that is spelled with them. Flags
// built from tag characters are reported: tags can spell any sentence. A byte that is not UTF-8 is
// reported as U+FFFD.
func Invisible(s string) (r rune, offset int, ok bool) {
	prev, base := rune(0), rune(0) // base: prev without selector and skin tone
	for i, r := range s {
		bad := r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD") || hidden(r) && !honest(s[i:], prev, base, r)
		if bad {
			return r, i, true
		}
		if !styled(prev, r) && !(r >= 0x1F3FB && r <= 0x1F3FF && unicode.Is(pictographs, prev)) {
			base = r
		}
		prev = r
	}
	return 0, 0, false
}

// honest judges the hidden character r at the start of rest by its neighbours.
func honest(rest string, prev, base, r rune) bool {
	switch r {
	case '\n', '\t':
		return true
	case '\r':
		return strings.HasPrefix(rest, "\r\n")
	case joiner:
		next, _ := utf8.DecodeRuneInString(rest[utf8.RuneLen(r):])
		return unicode.Is(pictographs, base) && unicode.Is(pictographs, next) || unicode.In(prev, joining...)
	case nonJoiner:
		return unicode.In(prev, joining...)
	default:
		return styled(prev, r)
	}
}

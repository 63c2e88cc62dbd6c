package term_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/open-agent-profile/oap/internal/term"
)

var escapes = []struct{ name, why, in, want string }{
	{"plain", "nothing to do", "plain text, \"quoted\" \\ back", "plain text, \"quoted\" \\ back"},
	{"letters", "every script is text", "naïve Größe 漢字 العربية हिन्दी 한글 ไทย", "naïve Größe 漢字 العربية हिन्दी 한글 ไทย"},
	{"combining", "accents are text", "e\u0301", "e\u0301"},
	{"wide blanks", "blanks of any width are text", "a\u00a0b\u3000c", "a\u00a0b\u3000c"},
	{"line", "one line stays one line", "a\nb\tc\rd", `a\nb\tc\rd`},
	{"escape sequence", "the screen must not obey", "\x1b[2J\x1b]0;title\a", `\x1b[2J\x1b]0;title\x07`},
	{"nul and delete", "controls", "\x00\x7f", `\x00\x7f`},
	{"C1", "some terminals obey these too", "\u009b31m", `\u{9b}31m`},
	{"bytes", "not UTF-8", "a\xff\xc3(", `a\xff\xc3(`},
	{"raw C1 byte", "not UTF-8 either", "\x9b31m", `\x9b31m`},
	{"surrogate", "encoded alone it is not UTF-8", "\xed\xa0\x80", `\xed\xa0\x80`},
	{"replacement character", "a character like any other", "a\ufffdb", "a\ufffdb"},
	{"bidirectional", "reorders what is shown", "a\u202eb\u2066c\u200fd\u061ce", `a\u{202e}b\u{2066}c\u{200f}d\u{61c}e`},
	{"zero width", "hides", "a\u200bb\u200cc\u2060d\ufeffe\u00adf", `a\u{200b}b\u{200c}c\u{2060}d\u{feff}e\u{ad}f`},
	{"separators", "line ends for some", "a\u2028b\u2029c", `a\u{2028}b\u{2029}c`},
	{"tags", "smuggle text", "x\U000e0041\U000e0042\U000e007f", `x\u{e0041}\u{e0042}\u{e007f}`},
	{"private use", "looks like anything", "\ue000\U000f0000", `\u{e000}\u{f0000}`},
	{"unassigned", "may become anything", "\u0378\U000e0fff\uffff", `\u{378}\u{e0fff}\u{ffff}`},
	{"fillers", "letters without ink", "\u3164\u115f\uffa0\u2800\u17b5\u034f", `\u{3164}\u{115f}\u{ffa0}\u{2800}\u{17b5}\u{34f}`},
	{"selector behind a symbol", "everyday emoji", "❤\ufe0f 1\ufe0f\u20e3", "❤\ufe0f 1\ufe0f\u20e3"},
	{"second selector", "there is room for one", "❤\ufe0f\ufe0f", "❤\ufe0f" + `\u{fe0f}`},
	{"selector behind a letter", "a way to carry bits", "a\ufe0fb\ufe01", `a\u{fe0f}b\u{fe01}`},
	{"selector behind an escape", "the symbol is not there", "\x00\ufe0f", `\x00\u{fe0f}`},
	{"joined emoji", "a format character is never raw", "👩\u200d💻", "👩" + `\u{200d}` + "💻"},
	{"empty", "nothing", "", ""},
}

func TestEscape(t *testing.T) {
	for _, tc := range escapes {
		t.Run(tc.name, func(t *testing.T) {
			if got := term.Escape(tc.in); got != tc.want {
				t.Errorf("Escape = %q, want %q: %s", got, tc.want, tc.why)
			}
		})
	}
}

func TestEscapeLines(t *testing.T) {
	in := "a\n\tb\r\nc\x1b[1m\u2028d\ne"
	want := "a\n\tb" + `\r` + "\nc" + `\x1b[1m\u{2028}d` + "\ne"
	if got := term.EscapeLines(in); got != want {
		t.Errorf("EscapeLines = %q, want %q", got, want)
	}
}

func TestInvisible(t *testing.T) {
	for _, tc := range []struct {
		name, in string
		r        rune
		offset   int
		ok       bool
	}{
		{"plain", "plain\n\ttext\r\n", 0, 0, false},
		{"empty", "", 0, 0, false},
		{"bidirectional", "é\u202e", 0x202e, 2, true},
		{"first of two", "a\u200bb\u202e", 0x200b, 1, true},
		{"control", "a\x1b[0m", 0x1b, 1, true},
		{"lone carriage return", "a\rb", '\r', 1, true},
		{"tag", "a\U000e0061", 0xe0061, 1, true},
		{"flag of tags", "🏴\U000e0067\U000e0062\U000e007f", 0xe0067, 4, true},
		{"not UTF-8", "ab\xff", 0xfffd, 2, true},
		{"replacement character", "ab\ufffd", 0, 0, false},
		{"emoji with a selector", "⚠\ufe0f done ✔\ufe0e", 0, 0, false},
		{"keycap", "1\ufe0f\u20e3", 0, 0, false},
		{"family", "👩\u200d👩\u200d👧 👩🏽\u200d💻 🏳\ufe0f\u200d🌈 ❤\ufe0f\u200d🔥", 0, 0, false},
		{"two joiners", "👩\u200d\u200d💻", 0x200d, 4, true},
		{"joiner at the end", "👩\u200d", 0x200d, 4, true},
		{"joiner between letters", "a\u200db", 0x200d, 1, true},
		{"selector behind a letter", "a\ufe0f", 0xfe0f, 1, true},
		{"run of selectors", "❤\ufe0f\U000e0101", 0xe0101, 6, true},
		{"persian", "می\u200cخواهم", 0, 0, false},
		{"sinhala", "ශ\u0dca\u200dර", 0, 0, false},
		{"two non-joiners", "می\u200c\u200cخ", 0x200c, 7, true},
		{"non-joiner in latin", "pass\u200cword", 0x200c, 4, true},
		{"filler", "a\u3164", 0x3164, 1, true},
		{"byte order mark", "\ufeffa", 0xfeff, 0, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r, offset, ok := term.Invisible(tc.in)
			if r != tc.r || offset != tc.offset || ok != tc.ok {
				t.Errorf("Invisible = %U, %d, %v; want %U, %d, %v", r, offset, ok, tc.r, tc.offset, tc.ok)
			}
		})
	}
}

// harmful is an independent reading of what must not be on a screen.
func harmful(s string) bool {
	return !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool {
		return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp) ||
			unicode.In(r, unicode.Other_Default_Ignorable_Code_Point) || unicode.Is(unicode.Variation_Selector, r) && r != 0xfe0e && r != 0xfe0f
	})
}

func FuzzEscape(f *testing.F) {
	for _, tc := range escapes {
		f.Add(tc.in)
	}
	f.Fuzz(func(t *testing.T, s string) {
		one := term.Escape(s)
		if harmful(one) {
			t.Fatalf("Escape(%q) = %q", s, one)
		}
		if again := term.Escape(one); again != one {
			t.Fatalf("escaping %q twice gives %q", one, again)
		}
		lines := term.EscapeLines(s)
		if harmful(strings.NewReplacer("\n", "", "\t", "").Replace(lines)) || strings.Count(lines, "\n") != strings.Count(s, "\n") {
			t.Fatalf("EscapeLines(%q) = %q", s, lines)
		}
		if again := term.EscapeLines(lines); again != lines {
			t.Fatalf("escaping lines %q twice gives %q", lines, again)
		}
		r, at, found := term.Invisible(s)
		if found && one == s && r != '\r' {
			t.Fatalf("Invisible(%q) = %U, and Escape leaves it", s, r)
		}
		if found && at >= len(s) {
			t.Fatalf("Invisible(%q) points to %d", s, at)
		}
	})
}

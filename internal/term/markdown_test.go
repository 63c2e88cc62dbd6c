package term_test

import (
	"strings"
	"testing"

	"github.com/open-agent-profile/oap/internal/term"
)

func TestMarkdown(t *testing.T) {
	for _, tc := range []struct{ name, why, in, want string }{
		{"words", "a code span", "plain words", "`plain words`"},
		{"live things", "nothing in a code span is live", "@all see #1 <img src=x> ![x](http://x) https://x", "`@all see #1 <img src=x> ![x](http://x) https://x`"},
		{"line end", "a new line could start a block", "a\n# b\n- [ ] c", "`a\\n# b\\n- [ ] c`"},
		{"backtick inside", "a longer fence", "a`b``c", "```a`b``c```"},
		{"backtick at an end", "it would join the fence", "`a", "`` `a ``"},
		{"blanks at both ends", "one of each is taken off", " a ", "`  a  `"},
		{"only blanks", "nothing is taken off", "  ", "`  `"},
		{"invisible", "escaped first", "a\u202eb", "`a\\u{202e}b`"},
		{"empty", "two backticks would be literal", "", ""},
		{"long run", "no fence may pass 80", strings.Repeat("`", 100), strings.Repeat("`", 17) + " " + strings.Repeat(strings.Repeat("`", 16)+" ", 6) + "```` " + strings.Repeat("`", 17)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := term.Markdown(tc.in); got != tc.want {
				t.Errorf("Markdown = %q, want %q: %s", got, tc.want, tc.why)
			}
		})
	}
}

func TestFence(t *testing.T) {
	for _, tc := range []struct{ name, why, in, want string }{
		{"lines", "a block", "a\nb\n", "```\na\nb\n```\n"},
		{"no line end", "the fence needs its own line", "a", "```\na\n```\n"},
		{"empty", "an empty block", "", "```\n```\n"},
		{"fence inside", "a longer one around", "x\n````\n@all\n~~~\n", "`````\nx\n````\n@all\n~~~\n`````\n"},
		{"carriage return", "it would end a line", "a\r```\rb", "````\na\\r```\\rb\n````\n"},
		{"long run", "a fence past 255 closes early", strings.Repeat("`", 300), strings.Repeat("`", 17) + "\n" + strings.Repeat(strings.Repeat("`", 16)+" ", 18) + strings.Repeat("`", 12) + "\n" + strings.Repeat("`", 17) + "\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := term.Fence(tc.in); got != tc.want {
				t.Errorf("Fence = %q, want %q: %s", got, tc.want, tc.why)
			}
		})
	}
}

// FuzzMarkdown reads the output by the rules of CommonMark for code: a span ends at the next run of
// backticks of the same length, a block at a line that is a run at least as long.
func FuzzMarkdown(f *testing.F) {
	for _, s := range []string{"", "a", "`", "``a`", " ` ", "```\n```", strings.Repeat("`", 90), "a\r\n~~~"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		span := term.Markdown(s)
		body := strings.TrimLeft(span, "`")
		fence := len(span) - len(body)
		if fence > 17 || strings.Contains(span, "\n") {
			t.Fatalf("Markdown(%q) = %q", s, span)
		}
		runs := strings.FieldsFunc(body, func(r rune) bool { return r != '`' })
		for i, run := range runs {
			if last := i == len(runs)-1; (len(run) == fence) != last {
				t.Fatalf("Markdown(%q) = %q: run %d of backticks", s, span, i)
			}
		}
		if span != "" && !strings.HasSuffix(span, strings.Repeat("`", fence)) {
			t.Fatalf("Markdown(%q) = %q: no end", s, span)
		}
		block := term.Fence(s)
		lines := strings.Split(strings.TrimSuffix(block, "\n"), "\n")
		fenceLine := lines[0]
		if len(fenceLine) < 3 || len(fenceLine) > 17 || strings.Trim(fenceLine, "`") != "" {
			t.Fatalf("Fence(%q) opens with %q", s, fenceLine)
		}
		for i, line := range lines[1:] {
			closes := strings.HasPrefix(strings.TrimLeft(line, " "), fenceLine)
			if last := i == len(lines)-2; closes != last {
				t.Fatalf("Fence(%q) = %q: line %d", s, block, i+1)
			}
		}
	})
}

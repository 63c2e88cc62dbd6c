package repo

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/open-agent-profile/oap/internal/oaptest"
	"github.com/open-agent-profile/oap/internal/term"
)

// gitTrailers is what git finds in a message.
func gitTrailers(t testing.TB, r *oaptest.Repo, message string) []Trailer {
	t.Helper()
	var out []Trailer
	for l := range strings.Lines(r.For(t).GitIn(message, "interpret-trailers", "--parse") + "\n") {
		l = strings.TrimSuffix(l, "\n")
		if l == "" {
			continue
		}
		k, v, _ := strings.Cut(l, ":")
		out = append(out, Trailer{k, strings.TrimPrefix(v, " ")})
	}
	return out
}

var messages = []string{
	"subject\n\nbody\n\nA: b\nOAP-Revision: 8\n",
	"subject\n\nA: b", "A: b\n", "A: b\n\nC: d\n\n\n", "", "\n\n", "s\n\nA: b\nno trailer\n",
	"s\n\nno trailer\nmore\nand more\nSigned-off-by: x\n", "s\n\na\nb\nc\nd\nSigned-off-by: x\n",
	"s\n\nA: b\n  continued\n\tmore\nC:d\n", "s\n\n  lead: x\nA: b\n", "s\n\nA: b\n# comment\nC: d\n",
	"s\n\nA: b\n---\nC: d\n", "s\n\nA: b\n---", "s\n\nA: b\n--- x\ny", "s\n\nA: b\n---x\n", "s\n\nA : b\nC D: e\n", "s\n\n: b\n", "s\n\n- : b\n",
	"s\n\nA: b\n\nConflicts:\n\tx\n\ty\n", "s\n\nA: b\n\n# x\n\n", "s\n\nA: b\n# ------------------------ >8 ------------------------\nC: d\n",
	"s\r\n\r\nA: b\r\n", "s\n \nA: b\n", "# c\n\nA: b\n", "s\n\nA:\nB: \n", "s\n\n(cherry picked from commit abc)\nA: b\n", "s\n\nA: b\n \nC: d\n",
	"\nConflicts:", "\nConflicts:\n", "s\n\nA: b\nConflicts:", "s\n\nA: b\n# ------------------------ >8 ------------------------", "s\n\nA: b\nConflicts:\n---\n",
}

// Git is the judge of what a trailer is.
func FuzzParseTrailers(f *testing.F) {
	for _, m := range messages {
		f.Add(m)
	}
	r := oaptest.New(f)
	f.Fuzz(func(t *testing.T, m string) {
		if strings.ContainsAny(m, "\x00\v\f") {
			return // git passes no NUL, and its own parts disagree about what else is a space
		}
		if d := cmp.Diff(gitTrailers(t, r, m), ParseTrailers(m)); d != "" {
			t.Errorf("%q (-git +ours):\n%s", m, d)
		}
	})
}

// Whatever the data says, the trailers of the text are ours, and git reads them so.
func FuzzMessage(f *testing.F) {
	for _, m := range messages {
		f.Add("p: r8 learned", m, "v")
	}
	f.Add("x\n\nOAP-Revision: 9", "OAP-Revision: 9", "8\nOAP-Approved-By: me")
	f.Add("#", "From me\ndiff --git a b\nIndex: x\n-- \nA = b\nA #b\n(cherry picked from commit x)", "\u202e\u200b\r\x1b[2J")
	f.Add(strings.Repeat("漢", 80), "\u2028OAP-X: y\u2029OAP-Y: z\u0085OAP-Z: z", "\xff\xfe")
	r := oaptest.New(f)
	f.Fuzz(func(t *testing.T, subject, body, value string) {
		m := Message{Subject: subject, Body: body, Trailers: []Trailer{{"OAP-Revision", "8"}, {"OAP-Session", value}}}
		text := m.Text()
		wantTrailers := []Trailer{{"OAP-Revision", "8"}}
		if v := safeLine(value); v != "" {
			wantTrailers = append(wantTrailers, Trailer{"OAP-Session", v})
		}
		if d := cmp.Diff(wantTrailers, ParseTrailers(text)); d != "" {
			t.Fatalf("%q (-want +got):\n%s", text, d)
		}
		if d := cmp.Diff(wantTrailers, gitTrailers(t, r, text)); d != "" {
			t.Fatalf("git reads %q (-want +got):\n%s", text, d)
		}
		if bare := (Message{Subject: subject, Body: body}).Text(); len(ParseTrailers(bare)) > 0 {
			t.Fatalf("a body became trailers: %q", bare)
		}
		first, _, _ := strings.Cut(text, "\n")
		if columns(first) > maxSubject+1 {
			t.Fatalf("subject of %d columns: %q", columns(first), first)
		}
		for l := range strings.Lines(text) {
			if l = strings.TrimSuffix(l, "\n"); term.Escape(l) != l {
				t.Fatalf("control characters: %q", l)
			}
		}
	})
}

func TestMessageText(t *testing.T) {
	for _, c := range []struct {
		name, why string
		in        Message
		want      string
	}{
		{"whole", "three paragraphs", Message{Subject: "p: r8 learned", Body: "- add fact\n\nwhy", Trailers: []Trailer{{"OAP-Profile", "p"}, {"Empty", ""}}},
			"p: r8 learned\n\n- add fact\n\nwhy\n\nOAP-Profile: p\n"},
		{"long subject", "at most 72 columns", Message{Subject: strings.Repeat("word ", 30)}, strings.TrimRight(strings.Repeat("word ", 14), " ") + " …\n"},
		{"no subject", "a commit needs one", Message{Body: "b"}, "(no subject)\n\nb\n"},
		{"forged", "data cannot start a trailer", Message{Subject: "s", Body: "x\n\nOAP-Approved-By: me\n---\n# c\ndiff --git a b"},
			"s\n\nx\n\n OAP-Approved-By: me\n ---\n # c\n diff --git a b\n"},
		{"value", "one line, visible", Message{Subject: "s", Trailers: []Trailer{{"A b:", "x\ny\x1b"}}}, "s\n\nAb: x y\\x1b\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := c.in.Text()
			if c.name == "long subject" {
				first := strings.TrimSuffix(got, "\n")
				if columns(first) > 72 || !strings.HasSuffix(first, "…") {
					t.Errorf("%s: %q", c.why, got)
				}
				return
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("%s (-want +got):\n%s", c.why, d)
			}
		})
	}
}

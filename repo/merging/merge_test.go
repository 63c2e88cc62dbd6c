package merging_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/open-agent-profile/oap/internal/textedit"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo/merging"
)

const base = `# Reviews guides for walkers.
oap: "1.0"
kind: AgentProfile

metadata:
  name: scout
  description: Finds where a feature lives in this repository.
  revision: 7
  updated_at: 2026-05-01T10:00:00Z   # by oap

spec:
  role:
    instructions: Look things up.
  tools:
    allow: [read, search]  # reviewed in May

  lifecycle:
    writeback: auto

state:
  revision: 12
  summary: Knows the tests.

  facts:
    # by hand
    - id: fact-ci
      text: CI runs on every push.   # for now
      confidence: 0.5

history:
  - revision: 7
    at: 2026-05-01T10:00:00Z
    by: sess_0
`

// edit replaces parts of a text; each has to be there.
func edit(t testing.TB, text string, pairs ...string) string {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			t.Fatalf("%q is not in the text", pairs[i])
		}
		text = strings.Replace(text, pairs[i], pairs[i+1], 1)
	}
	return text
}

// learned is base after a session: revision, time, one more fact, one more entry of the log.
func learned(t testing.TB, text, revision, at, id string) string {
	t.Helper()
	return edit(t, text,
		"  revision: 7\n  updated_at: 2026-05-01T10:00:00Z", "  revision: "+revision+"\n  updated_at: "+at,
		"  revision: 12\n", "  revision: 13\n  updated_at: "+at+"\n",
		"      confidence: 0.5\n", "      confidence: 0.5\n    - id: "+id+"\n      text: About "+id+".\n",
		"    by: sess_0\n", "    by: sess_0\n  - revision: "+revision+"\n    at: "+at+"\n    by: sess_"+id+"\n")
}

func git(t testing.TB) merging.TextMerge {
	return merging.GitText(t.Context(), nil, merging.Labels{})
}

func TestMerge(t *testing.T) {
	ours := learned(t, base, "8", "2026-05-02T10:00:00Z", "fact-a")
	theirs := learned(t, base, "8", "2026-05-03T10:00:00Z", "fact-b")
	tests := []struct {
		name, why          string
		base, ours, theirs string
		has, lacks         []string
		stamped            bool
		revision           int
	}{
		{name: "two sessions", why: "what either learned stays, and the merge is the next revision",
			base: base, ours: ours, theirs: theirs, stamped: true, revision: 9,
			has: []string{
				"  revision: 9\n  updated_at: 2026-05-03T10:00:00Z   # by oap\n", "# for now\n", "    # by hand\n", "id: fact-a", "id: fact-b",
				"  revision: 14\n", // the counter of state adds what both did and nothing for the merge
				"by: sess_fact-a", "by: sess_fact-b", "  - revision: 9\n    at: 2026-05-03T10:00:00Z\n    by: oap\n    change: Merged revision 8 and revision 8.\n    sections:\n      - state\n",
			}},
		{name: "one moved", why: "a side without a revision of its own does not count one up",
			base: base, ours: edit(t, base, "Look things up.", "Look it up."), theirs: theirs, revision: 8,
			has: []string{"Look it up.", "id: fact-b", "  revision: 8\n"}, lacks: []string{"by: oap"}},
		{name: "comments of the other side", why: "a comment that a person wrote there is no value, but it is no less wanted",
			base: base, ours: ours, theirs: edit(t, theirs, "# reviewed in May", "# reviewed in June", "    writeback: auto", "    # the team agreed\n    writeback: auto"),
			stamped: true, revision: 9,
			has: []string{"# reviewed in June", "# the team agreed", "# for now", "id: fact-a", "id: fact-b"}, lacks: []string{"in May"}},
		{name: "only a comment", why: "a side that changed no value still has its text merged",
			base: base, ours: ours, theirs: edit(t, base, "# reviewed in May", "# reviewed in June"), revision: 8,
			has: []string{"# reviewed in June", "id: fact-a"}},
		{name: "nothing", why: "an untouched side gives way byte for byte",
			base: base, ours: base, theirs: theirs, revision: 8, has: []string{theirs}},
		{name: "the same", why: "one change made twice is one change", base: base, ours: ours, theirs: ours, revision: 8, has: []string{ours}},
		{name: "no ancestor", why: "both sides added the file (git's empty %O)", ours: ours, theirs: theirs, stamped: true, revision: 9,
			has: []string{"id: fact-a", "id: fact-b", "# for now"}},
		{name: "line ends", why: "a file of Windows stays one",
			base: crlf(base), ours: crlf(ours), theirs: crlf(theirs), stamped: true, revision: 9, has: []string{"id: fact-b\r\n", "# for now\r\n"}},
		{name: "another encoding", why: "theirs may have been written anew under the same name", base: base, ours: ours, theirs: recoded(t, theirs, textedit.JSON), stamped: true, revision: 9,
			has: []string{"id: fact-b", "# for now\n"}},
		{name: "markdown", why: "the body is a value like any other",
			base: body(t, base, "Look things up."), ours: body(t, ours, "Look things up."), theirs: body(t, theirs, "Look it up."),
			stamped: true, revision: 9, has: []string{"fact-a", "fact-b", "\nLook it up.\n"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := merging.Versions{Base: []byte(tt.base), Ours: []byte(tt.ours), Theirs: []byte(tt.theirs)}
			for range 2 { // no clock: the same again
				got, err := merging.Merge(v, merging.Options{Text: git(t)})
				if err != nil {
					t.Fatalf("%s: %v", tt.why, err)
				}
				for _, s := range tt.has {
					if !strings.Contains(string(got.Text), s) {
						t.Errorf("%s: no %q in\n%s", tt.why, s, got.Text)
					}
				}
				for _, s := range tt.lacks {
					if strings.Contains(string(got.Text), s) {
						t.Errorf("%s: %q in\n%s", tt.why, s, got.Text)
					}
				}
				if got.Stamped != tt.stamped || got.Document.Revision() != tt.revision {
					t.Errorf("%s: stamped %t at revision %d, want %t at %d", tt.why, got.Stamped, got.Document.Revision(), tt.stamped, tt.revision)
				}
			}
		})
	}
}

func crlf(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }

// body is a text as Markdown, whose body ends in a line end.
func body(t testing.TB, text, words string) string {
	t.Helper()
	return recoded(t, edit(t, text, "instructions: Look things up.", "instructions: |\n      "+words), textedit.Markdown)
}

func recoded(t testing.TB, text string, enc textedit.Format) string {
	t.Helper()
	d, err := profile.Parse("x.agent.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	out, err := profile.Encode(d.Value, enc)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestMergeConflict wants markers around what a person has to choose, both sides in them, and the rest settled.
func TestMergeConflict(t *testing.T) {
	ours := edit(t, learned(t, base, "8", "2026-05-02T10:00:00Z", "fact-a"), "CI runs on every push.", "CI runs at night.")
	tests := []struct{ name, why, theirs string }{
		{"text and text", "both sides put it in other words",
			edit(t, learned(t, base, "8", "2026-05-03T10:00:00Z", "fact-b"), "CI runs on every push.", "CI is gone.")},
		{"text and confidence", "git would join these lines without a word, so that one session vouched for the other",
			edit(t, learned(t, base, "8", "2026-05-03T10:00:00Z", "fact-b"), "confidence: 0.5", "confidence: 0.9")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := merging.Merge(merging.Versions{Base: []byte(base), Ours: []byte(ours), Theirs: []byte(tt.theirs)}, merging.Options{Text: git(t)})
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Conflicts) == 0 || got.Document != nil {
				t.Fatalf("%s: %d conflicts", tt.why, len(got.Conflicts))
			}
			text := string(got.Text)
			if merging.Markers(got.Text) == 0 || strings.Count(text, "<<<<<<< ours\n") != 1 {
				t.Fatalf("%s: not one conflict in\n%s", tt.why, text)
			}
			for _, s := range []string{"id: fact-a", "id: fact-b", "  revision: 9\n", "CI runs at night."} {
				if !strings.Contains(text, s) {
					t.Errorf("%s: no %q in\n%s", tt.why, s, text)
				}
			}
		})
	}
}

// TestMergeRefused wants an error that names the side, so that the caller falls back to text.
func TestMergeRefused(t *testing.T) {
	good := learned(t, base, "8", "2026-05-02T10:00:00Z", "fact-a")
	tests := []struct{ name, side, ours, theirs string }{
		{"no YAML", "ours", "a: [", good},
		{"no profile", "theirs", good, "a: 1\n"},
		{"not valid", "theirs", good, edit(t, good, "kind: AgentProfile\n", "kind: AgentProfile\nextra: 1\n")},
		{"twice", "ours", edit(t, good, "id: fact-a", "id: fact-ci"), base + "\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := merging.Merge(merging.Versions{Base: []byte(base), Ours: []byte(tt.ours), Theirs: []byte(tt.theirs)}, merging.Options{})
			side, ok := errors.AsType[*merging.SideError](err)
			if !ok || side.Side != tt.side {
				t.Fatalf("got %v, want the %s version to be refused", err, tt.side)
			}
		})
	}
}

// TestMarked wants both sides and markers whatever git thinks of the lines.
func TestMarked(t *testing.T) {
	v := merging.Versions{Base: []byte("a\nb\nc\nd\ne\n"), Ours: []byte("A\nb\nc\nd\ne\n"), Theirs: []byte("a\nb\nc\nd\nE\n")}
	got, err := merging.Marked(v, git(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"<<<<<<< ours\n", "A\n", "E\n", ">>>>>>> theirs\n"} {
		if !strings.Contains(string(got), s) {
			t.Errorf("no %q in\n%s", s, got)
		}
	}
	want := "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> theirs\n"
	if diff := cmp.Diff(want, string(merging.Whole(merging.Versions{Ours: []byte("a"), Theirs: []byte("b")}, merging.Labels{Ours: "HEAD"}))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestMarkers(t *testing.T) {
	tests := []struct {
		name, why, text string
		want            int
	}{
		{"plain", "nothing there", "a: 1\n", 0},
		{"conflict", "the line of its start", "a: 1\n<<<<<<< HEAD\nb: 1\n=======\nb: 2\n>>>>>>> x\n", 2},
		{"heading", "a row of equals signs is a heading in Markdown", "Title\n=======\n", 0},
		{"begun", "half a conflict may be a text about git", "<<<<<<< HEAD\nb: 1\n", 0},
		{"diff3", "the base may be shown", "<<<<<<< a\nb: 1\n||||||| o\nb: 0\n=======\nb: 2\n>>>>>>> x\n", 1},
		{"indented", "git writes markers at the start of a line", "  <<<<<<< a\n  =======\n  >>>>>>> b\n", 0},
		{"windows", "line ends of Windows", "<<<<<<< a\r\nb\r\n=======\r\nc\r\n>>>>>>> b\r\n", 1},
	}
	for _, tt := range tests {
		if got := merging.Markers([]byte(tt.text)); got != tt.want {
			t.Errorf("%s: line %d, want %d: %s", tt.name, got, tt.want, tt.why)
		}
	}
}

// FuzzMerge never panics, and what it calls settled holds no marker and is a valid profile.
func FuzzMerge(f *testing.F) {
	ours := learned(f, base, "8", "2026-05-02T10:00:00Z", "fact-a")
	f.Add(base, ours, learned(f, base, "8", "2026-05-03T10:00:00Z", "fact-b"))
	f.Add("", ours, base)
	f.Add(base, base, "a: [")
	f.Fuzz(func(t *testing.T, b, o, x string) {
		got, err := merging.Merge(merging.Versions{Base: []byte(b), Ours: []byte(o), Theirs: []byte(x)}, merging.Options{})
		if err != nil || len(got.Conflicts) > 0 {
			return
		}
		if _, err := got.Document.Validate(); err != nil {
			t.Fatal(err)
		}
	})
}

package textedit

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/open-agent-profile/oap/canonical"
)

// at gives the mapping at a pointer of a document, for a test to change.
func at(t testing.TB, doc any, pointer string) object {
	t.Helper()
	p, err := canonical.ParsePointer(pointer)
	if err != nil {
		t.Fatal(err)
	}
	v, _ := canonical.Get(doc, p)
	m, ok := v.(object)
	if !ok {
		t.Fatalf("no mapping at %q", pointer)
	}
	return m
}

// set is one assignment of a test: pointer to a mapping, member, value; the value gone deletes.
type set struct {
	in, member string
	value      any
}

type gone struct{}

func (s set) on(t testing.TB, doc any) {
	m := at(t, doc, s.in)
	if s.value == (gone{}) {
		delete(m, s.member)
		return
	}
	m[s.member] = s.value
}

func fact(id string, more ...string) object {
	f := object{"id": id}
	for i := 0; i+1 < len(more); i += 2 {
		f[more[i]] = more[i+1]
	}
	return f
}

var exactEdits = []struct {
	name, why string
	format    Format
	old       string
	sets      []set
	want      string
}{
	{"number", "only its digits change; the comment stays where it is", YAML,
		"metadata:\n  revision: 7   # machine\n", []set{{"/metadata", "revision", 8.0}},
		"metadata:\n  revision: 8   # machine\n"},
	{"number literal", "other spellings of numbers that keep their value stay", YAML,
		"a: 0x10\nb: 1.50\nc: 1\n", []set{{"", "c", 2.0}}, "a: 0x10\nb: 1.50\nc: 2\n"},
	{"large integer", "never with an exponent", YAML, "a: 1\n", []set{{"", "a", 1000000.0}}, "a: 1000000\n"},
	{"small float", "YAML 1.1 reads 1e-7 as text", YAML, "a: 1\n", []set{{"", "a", 1e-7}}, "a: 1.0e-7\n"},
	{"word that YAML 1.1 reads as a boolean", "quoted, so that all readers agree", YAML, "a: x\n", []set{{"", "a", "on"}}, "a: \"on\"\n"},
	{"timestamp beside plain ones", "siblings show what this file's readers get", YAML,
		"at: 2026-01-01T00:00:00Z\n", []set{{"", "at", "2026-02-01T00:00:00Z"}, {"", "to", "2026-03-01"}},
		"at: 2026-02-01T00:00:00Z\nto: 2026-03-01\n"},
	{"timestamp beside quoted ones", "the same", YAML,
		"at: '2026-01-01T00:00:00Z'\n", []set{{"", "at", "2026-02-01T00:00:00Z"}}, "at: '2026-02-01T00:00:00Z'\n"},
	{"quotes stay", "the author's quotes are layout", YAML, "a: 'x'\nb: \"y\"\n", []set{{"", "a", "it's"}, {"", "b", "z"}}, "a: 'it''s'\nb: \"z\"\n"},
	{"tag goes with the value", "it would not fit the new one", YAML, "a: !!str 5 # c\n", []set{{"", "a", true}}, "a: true # c\n"},
	{"CRLF", "new lines end as the others", YAML,
		"state:\r\n  facts:\r\n    - id: f1\r\n", []set{{"/state", "facts", []any{fact("f1"), fact("f2", "text", "a\nb\n")}}},
		"state:\r\n  facts:\r\n    - id: f1\r\n    - id: f2\r\n      text: |\r\n        a\r\n        b\r\n"},
	{"zero-indented list", "dash offset is copied", YAML,
		"state:\n  facts:\n  - id: f1\n    tags:\n    - a\nhistory:\n- revision: 7\n",
		[]set{{"/state", "facts", []any{object{"id": "f1", "tags": []any{"a", "b"}}, fact("f2")}}, {"", "history", []any{object{"revision": 7.0}, object{"revision": 8.0}}}},
		"state:\n  facts:\n  - id: f1\n    tags:\n    - a\n    - b\n  - id: f2\nhistory:\n- revision: 7\n- revision: 8\n"},
	{"four columns", "the blanks behind the dash, too", YAML,
		"state:\n    facts:\n        -   id: f1\n            text: a\n", []set{{"/state", "facts", []any{fact("f1", "text", "a"), fact("f2", "text", "b")}}},
		"state:\n    facts:\n        -   id: f1\n            text: a\n        -   id: f2\n            text: b\n"},
	{"blank lines between entries", "the separator is copied", YAML,
		"state:\n  facts:\n    - id: f1\n\n    - id: f2\n\nhistory: []\n", []set{{"/state", "facts", []any{fact("f1"), fact("f2"), fact("f3")}}},
		"state:\n  facts:\n    - id: f1\n\n    - id: f2\n\n    - id: f3\n\nhistory: []\n"},
	{"blank lines between sections", "a section copies them, a single line does not", YAML,
		"oap: x\nkind: y\n\nmetadata:\n  name: n\n\nspec:\n  a: 1\n",
		[]set{{"", "history", []any{object{"revision": 1.0}}}, {"", "x", 1.0}},
		"oap: x\nkind: y\n\nmetadata:\n  name: n\n\nspec:\n  a: 1\n\nhistory:\n  - revision: 1\nx: 1\n"},
	{"schema order", "members go where the schema has them", YAML,
		"state:\n  revision: 1\n  facts: []\n", []set{{"/state", "summary", "s"}, {"/state", "metrics", object{"sessions": 1.0}}},
		"state:\n  revision: 1\n  summary: s\n  facts: []\n  metrics:\n    sessions: 1\n"},
	{"in front of the first", "no member before it, one after", YAML,
		"# c\nkind: y # d\n", []set{{"", "oap", "1.0"}}, "# c\noap: \"1.0\"\nkind: y # d\n"},
	{"in front of the first of an entry", "it shares the line of the dash", YAML,
		"state:\n  facts:\n    - text: a\n", []set{{"/state/facts/0", "id", "f1"}}, "state:\n  facts:\n    - id: f1\n      text: a\n"},
	{"the first of an entry goes", "a comment between stays", YAML,
		"l:\n  - a: 1 # x\n    # about b\n    b: 2\n", []set{{"/l/0", "a", gone{}}}, "l:\n  - # about b\n    b: 2\n"},
	{"the identity of an entry goes", "it is another entry then", YAML,
		"state:\n  facts:\n    - id: f1 # x\n      # about the text\n      text: a\n", []set{{"/state/facts/0", "id", gone{}}},
		"state:\n  facts:\n    - text: a\n"},
	{"an entry goes", "its comments go, those around it stay", YAML,
		"state:\n  facts:\n    # above\n    - id: f1 # on it\n      # in it\n      text: a\n    # between\n    - id: f2\n", []set{{"/state", "facts", []any{fact("f2")}}},
		"state:\n  facts:\n    # above\n    # between\n    - id: f2\n"},
	{"comment below an entry that goes", "left behind, it would become text of the block above", YAML,
		"a: >-\n  x\nb: 1\n     # deep\n# end\n", []set{{"", "b", gone{}}}, "a: >-\n  x\n# end\n"},
	{"the middle of three goes", "one blank line stays between the others", YAML,
		"state:\n  facts:\n    - id: f1\n\n    - id: f2\n\n    - id: f3\n", []set{{"/state", "facts", []any{fact("f1"), fact("f3")}}},
		"state:\n  facts:\n    - id: f1\n\n    - id: f3\n"},
	{"all go", "comments on their own lines stay", YAML,
		"state:\n  facts: # why\n    # above\n    - id: f1\n  summary: s\n", []set{{"/state", "facts", []any{}}},
		"state:\n  facts: [] # why\n    # above\n  summary: s\n"},
	{"all go at the end, a section comes", "it stands where they stood, apart from the comment", YAML,
		"state:\n  facts:\n  - id: f0\n    text: a\n\n# last\n", []set{{"/state", "facts", []any{}}, {"", "history", []any{object{"revision": 1.0}}}},
		"state:\n  facts: []\nhistory:\n- revision: 1\n\n# last\n"},
	{"the last go", "the blank line behind them sets apart the next section, those in front go", YAML,
		"a: 1\n\nl:\n  - x\n\n  - y\n\n  - z\n\nm: 1\n", []set{{"", "l", []any{"x"}}}, "a: 1\n\nl:\n  - x\n\nm: 1\n"},
	{"the last goes, in front of it a text keeps its blank lines", "it must not gain one", YAML,
		"a: |+\n  x\nb: 1\n\n# last\n", []set{{"", "b", gone{}}}, "a: |+\n  x\n# last\n"},
	{"literal without final newline goes, a member comes", "no header to change, no empty line", YAML,
		"s:\n  - |\n    x", []set{{"", "s", []any{}}, {"", "t", 1.0}}, "s: []\nt: 1"},
	{"literal without final newline changes, a member comes", "the header is new already", YAML,
		"a: |\n  x", []set{{"", "a", "x\ny\n"}, {"", "b", 1.0}}, "a: |\n  x\n  y\nb: 1"},
	{"empty brackets are filled", "in block style, keeping the comment", YAML,
		"state:\n  facts: [] # none yet\n  x: 1\n", []set{{"/state", "facts", []any{fact("f1")}}},
		"state:\n  facts: # none yet\n    - id: f1\n  x: 1\n"},
	{"null becomes a section", "and the word goes", YAML, "state: null\n", []set{{"", "state", object{"summary": "s"}}}, "state:\n  summary: s\n"},
	{"nothing becomes a section", "behind the colon", YAML, "state:   \nhistory: # c\n",
		[]set{{"", "state", object{"summary": "s"}}, {"", "history", []any{object{"revision": 1.0}}}}, "state:\n  summary: s\nhistory: # c\n  - revision: 1\n"},
	{"missing section", "in front of closing comments, with the sections' layout", YAML,
		"metadata:\n  name: n\n# end\n", []set{{"", "state", object{"facts": []any{fact("f1")}}}},
		"metadata:\n  name: n\nstate:\n  facts:\n    - id: f1\n# end\n"},
	{"no final newline", "still none", YAML, "state:\n  facts:\n    - id: f1", []set{{"/state", "facts", []any{fact("f1"), fact("f2")}}},
		"state:\n  facts:\n    - id: f1\n    - id: f2"},
	{"literal without final newline", "its value must not gain one", YAML, "a: |\n  x", []set{{"", "b", 1.0}}, "a: |-\n  x\nb: 1"},
	{"keep", "no blank line that it would swallow", YAML, "l:\n  - |+\n    a\n\n  - |+\n    b\n\n", []set{{"", "l", []any{"a\n\n", "b\n\n", "c"}}},
		"l:\n  - |+\n    a\n\n  - |+\n    b\n\n  - c\n"},
	{"literal changes", "indentation and header comment stay; one line changes", YAML,
		"a: | # c\n      one\n      two\n      three\nb: 1\n", []set{{"", "a", "one\n2\nthree\n"}}, "a: | # c\n      one\n      2\n      three\nb: 1\n"},
	{"folded changes", "it stays folded, as wide as it was; the lines before the change stay", YAML,
		"a: >-\n  one two three four five six seven eight nine ten eleven\n  twelve thirteen\n", []set{{"", "a", "one two three four five six seven eight nine ten eleven twelve or thirteen and a good many more words than before"}},
		"a: >-\n  one two three four five six seven eight nine ten eleven\n  twelve or thirteen and a good many more words than\n  before\n"},
	{"deeper comment behind a new literal", "it would become text, so quotes", YAML,
		"state:\n  facts:\n    - id: f1\n      text: a\n            # deep\n", []set{{"/state/facts/0", "text", "a\nb\n"}},
		"state:\n  facts:\n    - id: f1\n      text: \"a\\nb\\n\"\n            # deep\n"},
	{"comment line below the entry", "indented deeper, it belongs to the entry", YAML,
		"state:\n  facts:\n    - id: f1\n        # deep\n    # - id: old\n", []set{{"/state", "facts", []any{fact("f1"), fact("f2")}}},
		"state:\n  facts:\n    - id: f1\n        # deep\n    - id: f2\n    # - id: old\n"},
	{"entries move", "unchanged ones as they are written", YAML,
		"state:\n  facts:\n    - id: \"f1\" # one\n    - id: f2\n      text: >-\n        x\n        y\n", []set{{"/state", "facts", []any{fact("f2", "text", "x y"), fact("f1")}}},
		"state:\n  facts:\n    - id: f2\n      text: >-\n        x\n        y\n    - id: \"f1\" # one\n"},
	{"alias is replaced", "its own value changes, not the shared one", YAML,
		"a: &x [1]\nb: *x # c\n", []set{{"", "b", []any{1.0, 2.0}}}, "a: &x [1]\nb: # c\n  - 1\n  - 2\n"},
	{"flow list", "spacing is copied", YAML, "l: [a,b] # c\nm: [ a, b ]\n", []set{{"", "l", []any{"a", "b", "c"}}, {"", "m", []any{"b", "on"}}},
		"l: [a,b,c] # c\nm: [ b, \"on\" ]\n"},
	{"flow with trailing comma", "it still has one", YAML, "l: [\n  a, # one\n  b, # two\n]\n", []set{{"", "l", []any{"a", "b", "c"}}},
		"l: [\n  a, # one\n  b, # two\n  c,\n]\n"},
	{"flow with comments", "the comma goes in front of the comment", YAML, "l: [\n  a, # one\n  b # two\n  # end\n]\n", []set{{"", "l", []any{"a", "b", "c"}}},
		"l: [\n  a, # one\n  b, # two\n  c\n  # end\n]\n"},
	{"flow mapping", "members in order", YAML, "metadata: {name: n, tags: [x]}\n", []set{{"/metadata", "revision", 2.0}, {"/metadata", "tags", gone{}}},
		"metadata: {name: n, revision: 2}\n"},
	{"pretty JSON", "indentation and order are copied", JSON,
		"{\n    \"metadata\": {\n        \"name\": \"n\",\n        \"tags\": [\"x\"]\n    }\n}\n",
		[]set{{"/metadata", "revision", 7.0}, {"", "state", object{"facts": []any{object{"id": "f1", "tags": []any{"a", "b"}}}}}},
		"{\n    \"metadata\": {\n        \"name\": \"n\",\n        \"revision\": 7,\n        \"tags\": [\"x\"]\n    },\n    \"state\": {\n        \"facts\": [\n            {\n                \"id\": \"f1\",\n                \"tags\": [\n                    \"a\",\n                    \"b\"\n                ]\n            }\n        ]\n    }\n}\n"},
	{"one-line JSON", "no blank where none is", JSON, `{"metadata":{"revision":7},"state":{"facts":[{"id":"f1"}]}}`,
		[]set{{"/metadata", "revision", 8.0}, {"/state", "facts", []any{fact("f1"), fact("f2", "text", "a")}}},
		`{"metadata":{"revision":8},"state":{"facts":[{"id":"f1"},{"id":"f2","text":"a"}]}}`},
	{"JSON entry goes", "with its line and comma", JSON, "{\n\t\"a\": 1,\n\t\"b\": 2\n}", []set{{"", "b", gone{}}}, "{\n\t\"a\": 1\n}"},
	{"JSON escapes", "text that does not change keeps its escapes", JSON, `{"a": "\u00e9\/", "b": 1}`, []set{{"", "b", "é\u2028<"}}, `{"a": "\u00e9\/", "b": "é` + "\u2028" + `<"}`},
	{"frontmatter", "body and fences stay", Markdown, "\ufeff---\nmetadata:\n  revision: 7\n---\n\n\nHi  \n\n\n", []set{{"/metadata", "revision", 8.0}},
		"\ufeff---\nmetadata:\n  revision: 8\n---\n\n\nHi  \n\n\n"},
	{"body line", "only that line changes, whatever the others end in", Markdown, "---\nspec: {role: {x: 1}}\n---\n\none\r\ntwo\nthree\r\n\r\n",
		[]set{{"/spec/role", "instructions", "one\n2\nthree\n"}}, "---\nspec: {role: {x: 1}}\n---\n\none\r\n2\nthree\r\n\r\n"},
	{"body comes", "behind an empty line", Markdown, "---\nspec: {role: {x: 1}}\n---", []set{{"/spec/role", "instructions", "Hi.\n"}},
		"---\nspec: {role: {x: 1}}\n---\n\nHi.\n"},
	{"body goes", "the fences stay", Markdown, "---\nspec: {role: {x: 1}}\n---\nHi.\n", []set{{"/spec/role", "instructions", gone{}}}, "---\nspec: {role: {x: 1}}\n---\n\n"},
}

func TestEditExactly(t *testing.T) {
	for _, tt := range exactEdits {
		t.Run(tt.name, func(t *testing.T) {
			d := mustParse(t, tt.old, tt.format)
			want := canonical.Clone(d.Value())
			for _, s := range tt.sets {
				s.on(t, want)
			}
			r, err := d.Edit(want, testSchema{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(r.Text)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.why, diff)
			}
			if len(r.Rerendered) > 0 {
				t.Errorf("written anew: %q", r.Rerendered)
			}
			checkEdit(t, d, want)
		})
	}
}

func TestEditRefuses(t *testing.T) {
	for _, tt := range []struct {
		name, why, old string
		f              Format
		sets           []set
		pointer        string
	}{
		{"shared through an alias", "the other place would change, too", "a: &x\n  k: 1\nb: *x\n", YAML, []set{{"/a", "k", 2.0}}, "/a"},
		{"body with two line ends", "the format cuts one", "---\na: 1\n---\n", Markdown, []set{{"", "spec", object{"role": object{"instructions": "x\n\n"}}}}, bodyPointer},
		{"body with CR", "the format reads LF", "---\na: 1\n---\n", Markdown, []set{{"", "spec", object{"role": object{"instructions": "x\r\ny\n"}}}}, bodyPointer},
		{"too deep", "it could not be read again", "a: 1\n", YAML, []set{{"", "a", nested(120)}}, "/a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := mustParse(t, tt.old, tt.f)
			want := canonical.Clone(d.Value())
			for _, s := range tt.sets {
				s.on(t, want)
			}
			_, err := d.Edit(want, testSchema{})
			var refused *RefusedError
			if !errors.As(err, &refused) || refused.Pointer != tt.pointer || refused.Reason == "" {
				t.Fatalf("%s: error is %v, want a RefusedError at %s", tt.why, err, tt.pointer)
			}
		})
	}
	d := mustParse(t, "a: 1\n", YAML)
	var refused *RefusedError
	if _, err := d.Edit([]any{}, nil); !errors.As(err, &refused) {
		t.Errorf("list as a document: %v", err)
	}
	var value *canonical.ValueError
	if _, err := d.Edit(object{"a": "\xff"}, nil); !errors.As(err, &value) {
		t.Errorf("invalid UTF-8: %v", err)
	}
}

// TestEditRerenders shows the last rung: two entries share text through an alias, so their list is written
// anew, and nothing else.
func TestEditRerenders(t *testing.T) {
	const old = "# top\nstate:\n  facts: # c\n    - id: f1\n      tags: &t [a] # d\n    - id: f2\n      tags: *t\nhistory: []  # e\n"
	const text = "# top\nstate:\n  facts:\n    - id: f1\n      tags: [a, b]\n    - id: f2\n      tags: [a]\nhistory: []  # e\n"
	d := mustParse(t, old, YAML)
	want := canonical.Clone(d.Value())
	at(t, want, "/state/facts/0")["tags"] = []any{"a", "b"}
	r, err := d.Edit(want, testSchema{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(text, string(r.Text)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"/state/facts"}, r.Rerendered); diff != "" {
		t.Errorf("rerendered (-want +got):\n%s", diff)
	}
}

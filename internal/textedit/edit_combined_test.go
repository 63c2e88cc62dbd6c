package textedit

import (
	"slices"
	"strings"
	"testing"

	"github.com/open-agent-profile/oap/canonical"
)

// What goes at the end of a document and what comes behind it meet in one place: the blank lines and comments
// there border on both. These tables are multiplied: every notation, every end, every removal, every addition.

// endings follow the last entry of the last section.
var endings = []string{
	"", "\n", "\n\n", "# last\n", "# last", "\n# last\n", "\n\n# last\n\n", "\n  # of the section\n\n# last\n", "      # of the entry\n\n# last",
	"      # of the entry\n\n    # of the list\n\n  # of the section\n\n# last\n", "   ", "\n   \n  ", "\n...\n# behind\n",
}

// fronts are block documents that end in a list of the last section.
var fronts = []struct{ name, text string }{
	{"one entry", "state:\n  facts:\n  - id: f0\n    text: a\n"},
	{"one entry, only an id", "state:\n  facts:\n    - id: f0\n"},
	{"two entries", "metadata:\n  revision: 7\nstate:\n  facts:\n    - id: f0\n      text: a\n    - id: f1\n"},
	{"blank lines", "metadata:\n  revision: 7\n\nstate:\n\n  summary: s\n\n  facts:\n\n    - id: f0\n      text: a\n\n    - id: f1\n\n    - id: f2\n"},
	{"comments", "metadata:\n  revision: 7\n# about the state\nstate: # s\n  # about the facts\n  facts: # f\n    # about f0\n    - id: f0 # on f0\n      # in f0\n      text: a\n\n    # about f1\n    - id: f1\n"},
	{"literal", "metadata:\n  revision: 7\nstate:\n  summary: |\n    s\n\n  facts:\n    - id: f0\n    - id: f1\n      text: |\n        a\n\n        b\n"},
	{"keep", "metadata:\n  revision: 7\nstate:\n  summary: |+\n    s\n\n  facts:\n    - id: f0\n      text: |+\n        a\n\n    - id: f1\n      text: |+\n        b\n"},
	{"dash alone", "metadata:\n  revision: 7\n\nstate:\n  facts:\n    -\n      id: f0\n\n    -\n      id: f1\n      tags:\n        - x\n"},
	{"brackets", "metadata:\n  revision: 7\n\nstate:\n  facts: [{id: f0, text: a}, {id: f1}]\n"},
	{"brackets on lines", "metadata:\n  revision: 7\n\nstate:\n  facts: [ # open\n    {id: f0}, # one\n\n    {id: f1} # two\n\n    # end\n  ]\n"},
	{"history before", "metadata:\n  revision: 7\nhistory:\n  - revision: 6\n\nstate:\n  facts:\n    - id: f0\n"},
}

// enclosed are documents in brackets, YAML and JSON, with blank lines at every end.
var enclosed = []struct {
	name   string
	format Format
	text   string
}{
	{"one line", YAML, "{state: {facts: [{id: f0, text: a}]}}"},
	{"one line, commas at the end", YAML, "{metadata: {revision: 7}, state: {facts: [{id: f0, text: a}, {id: f1},],},}\n# last\n"},
	{"lines", YAML, "{\n  metadata: {revision: 7},\n\n  state: {\n    facts: [\n      {id: f0},\n\n      {id: f1}\n\n    ]\n\n  }\n\n}\n\n# last\n"},
	{"lines with comments", YAML, "{ # open\n  metadata: {revision: 7}, # m\n\n  # about the state\n  state: { # s\n    facts: [ # f\n      {id: f0}, # 0\n\n      # about f1\n      {id: f1} # 1\n\n      # end of facts\n    ] # ]\n\n    # end of state\n  } # }\n\n  # end\n}\n\n# last\n"},
	{"lines with comments and commas", YAML, "{\n  state: {\n    facts: [\n      {id: f0}, # 0\n\n      # end of facts\n    ], # ]\n\n    # end of state\n  }, # }\n\n  # end\n}\n\n# last"},
	{"commas first", YAML, "{ metadata: {revision: 7}\n, state: { facts: [ {id: f0}\n , {id: f1}\n\n ]\n }\n\n}\n"},
	{"one line", JSON, `{"metadata":{"revision":7},"state":{"facts":[{"id":"f0","text":"a"},{"id":"f1"}]}}`},
	{"one entry", JSON, `{"state": {"facts": [{"id": "f0"}]}}`},
	{"pretty", JSON, "{\n  \"metadata\": {\n    \"revision\": 7\n  },\n  \"state\": {\n    \"facts\": [\n      {\n        \"id\": \"f0\"\n      },\n      {\n        \"id\": \"f1\"\n      }\n    ]\n  }\n}\n"},
	{"blank lines", JSON, "{\n\n  \"state\": {\n\n    \"facts\": [\n\n      {\"id\": \"f0\"},\n\n      {\"id\": \"f1\"}\n\n    ]\n\n  }\n\n}\n\n"},
	{"commas first", JSON, "{ \"metadata\": {\"revision\": 7}\n, \"state\":\n  { \"facts\":\n    [ {\"id\": \"f0\"}\n    , {\"id\": \"f1\"}\n    ]\n  }\n}\n"},
}

// removals take something from the end; a removal may leave a document without state.
var removals = []struct {
	name string
	do   func(doc, state object)
}{
	{"nothing", func(_, _ object) {}},
	{"the last entry", func(_, s object) { s["facts"] = slices.Clone(childList(s, "facts"))[:len(childList(s, "facts"))-1] }},
	{"the first entry", func(_, s object) { s["facts"] = slices.Clone(childList(s, "facts"))[1:] }},
	{"all entries", func(_, s object) { s["facts"] = []any{} }},
	{"all but a new entry", func(_, s object) { s["facts"] = []any{object{"id": "n", "text": "x\ny\n"}} }},
	{"the last member of an entry", func(_, s object) {
		facts := canonical.Clone(childList(s, "facts")).([]any)
		last := facts[len(facts)-1].(object)
		delete(last, "tags")
		delete(last, "text")
		s["facts"] = facts
	}},
	{"the list", func(_, s object) { delete(s, "facts") }},
	{"the list, for text", func(_, s object) { s["facts"] = "x\ny\n" }},
	{"what the section holds", func(d, _ object) { d["state"] = object{} }},
	{"the section, for null", func(d, _ object) { d["state"] = nil }},
	{"the section", func(d, _ object) { delete(d, "state") }},
}

// arrivals add members behind what goes, in the section if it is left and behind it.
var arrivals = []struct {
	name string
	do   func(doc object)
}{
	{"nothing", func(object) {}},
	{"a section", func(d object) { d["history"] = []any{object{"revision": 8.0, "change": "c"}} }},
	{"a member", func(d object) { d["zz"] = "x" }},
	{"a list in the section", func(d object) {
		if s, ok := d["state"].(object); ok {
			s["preferences"] = []any{object{"id": "p", "text": "x"}}
		}
	}},
	{"everywhere", func(d object) {
		d["metadata"] = object{"revision": 8.0, "updated_at": "2026-08-15T10:00:00Z"}
		if s, ok := d["state"].(object); ok {
			s["metrics"] = object{"n": 1.0}
			s["preferences"] = []any{object{"id": "p", "text": "x\ny\n"}}
		}
		d["history"] = []any{object{"revision": 6.0}, object{"revision": 8.0}}
		d["zz"] = []any{"x"}
	}},
}

// TestEditCombined makes every removal together with every addition. All of it has to work without writing a
// subtree anew, and what is set apart at the end of the document stays so.
func TestEditCombined(t *testing.T) {
	for _, f := range fronts {
		combine(t, f.name+", no newline", strings.TrimSuffix(f.text, "\n"), YAML)
		combine(t, f.name+", blanks and no newline", strings.TrimSuffix(f.text, "\n")+"   ", YAML)
		for i, end := range endings {
			combine(t, f.name, f.text+end, YAML)
			// What line ends and fences add does not depend on the removal: every third ending will do.
			switch i % 3 {
			case 1:
				combine(t, f.name+", CRLF", strings.ReplaceAll(f.text+end, "\n", "\r\n"), YAML)
			case 2:
				combine(t, f.name+", frontmatter", "---\n"+f.text+strings.TrimRight(end, "\n")+"\n---\n\nBody\n", Markdown)
			}
		}
	}
	for _, f := range enclosed {
		combine(t, f.name, f.text, f.format)
		combine(t, f.name+", no newline", strings.TrimRight(f.text, "\n"), f.format)
	}
}

// apart is a comment that a blank line sets apart from what stands before it.
const apart = "\n\n# last"

func combine(t *testing.T, name, text string, f Format) {
	t.Helper()
	d, err := Parse([]byte(text), f, testOptions)
	if err != nil {
		return // the ending is none behind this front
	}
	// Where a block text keeps its blank lines, they are no separation.
	isApart := strings.Contains(text, apart) && !strings.Contains(text, "|+")
	isComment := slices.Contains(ownLineComments([]byte(text)), "# last")
	for _, r := range removals {
		for _, a := range arrivals {
			want := canonical.Clone(d.Value()).(object)
			r.do(want, childMap(want, "state"))
			a.do(want)
			next, o := checkEdit(t, d, want)
			var got string
			if next != nil {
				got = string(next.Bytes())
			}
			switch {
			case o.refused+o.anew > 0:
				t.Errorf("%s, without %s, with %s: %+v\n%s\n---\n%s", name, r.name, a.name, o, text, got)
			case isComment && !slices.Contains(ownLineComments([]byte(got)), "# last"):
				t.Errorf("%s, without %s, with %s: a comment is lost:\n%s\n---\n%s", name, r.name, a.name, text, got)
			case isApart && !strings.Contains(got, apart):
				t.Errorf("%s, without %s, with %s: the comment is not set apart:\n%s\n---\n%s", name, r.name, a.name, text, got)
			}
		}
	}
}

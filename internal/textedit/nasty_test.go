package textedit

import (
	"math/rand/v2"
	"strings"

	"github.com/open-agent-profile/oap/canonical"
)

// nastyFile is a profile-like text in a notation that has broken editors.
type nastyFile struct {
	name   string
	format Format
	text   string
}

const commented = `# top
oap: "1.0"  # version
metadata:
  # about the name
  name: x # trailing

  revision: 7   # bumped by machine
state: # learned
  # before summary
  summary: old text # why
  facts:
    # above f1
    - id: f1 # id of f1
      # inside f1
      text: first
      # end of f1

    # above f2
    - id: f2
      text: "second"
        # deep comment
    # - id: commented-out
  # after facts
# before history
history:
  - revision: 6
    change: six
  - revision: 7
    change: seven
# the end
`

var nastyFiles = []nastyFile{
	{"commented", YAML, commented},
	{"commented, CRLF", YAML, strings.ReplaceAll(commented, "\n", "\r\n")},
	{"commented, BOM", YAML, "\ufeff" + commented},
	{"commented, no final newline", YAML, strings.TrimSuffix(commented, "\n")},
	{"commented, directive", YAML, "%YAML 1.2\n---\n" + commented + "...\n# behind\n"},
	{"commented, frontmatter", Markdown, "---\n" + commented + "---\n\n# Body\n\nText \n"},
	{"commented, frontmatter CRLF", Markdown, "\ufeff---\r\n" + strings.ReplaceAll(commented, "\n", "\r\n") + "---\r\nBody\r\n"},
	{"plain", YAML, "metadata: {revision: 7}\nstate:\n  summary: s\n  facts:\n  - id: f1\n    text: a\n  - id: f2\n    text: b\nhistory:\n- revision: 7\n"},
	{"blank lines between entries", YAML, "metadata:\n  revision: 7\n\nstate:\n\n  summary: s\n\n  facts:\n\n    - id: f1\n      text: a\n\n    - id: f2\n      text: b\n\n\nhistory:\n\n  - revision: 7\n\n  - revision: 8\n\n"},
	{"two blank lines", YAML, "metadata:\n  revision: 7\nstate:\n  facts:\n    - id: f1\n\n\n    - id: f2\n\n\nhistory: []\n"},
	{"four columns", YAML, "metadata:\n    revision: 7\nstate:\n    summary: s\n    facts:\n        -   id: f1\n            text: a\n            tags:\n                -   x\nhistory:\n    -   revision: 7\n"},
	{"zero indent", YAML, "metadata:\n  revision: 7\nstate:\n  facts:\n  - id: f1\n    tags:\n    - x\n    - y\n  # between\n  - id: f2\nhistory:\n- revision: 7\n# c\n- revision: 8\n"},
	{"flow one line", YAML, "{metadata: {revision: 7}, state: {summary: s, facts: [{id: f1, text: a}, {id: f2}]}, history: [{revision: 7}]}\n"},
	{"flow in block", YAML, "metadata: { revision: 7 }\nstate: { summary: s, facts: [ {id: f1, text: a} ] } # c\nhistory: [ ]\n"},
	{"flow multi-line", YAML, "metadata: {revision: 7}\nstate:\n  facts: [ # open\n    {id: f1, text: a}, # one\n    # between\n    {id: f2} # two\n    # last\n  ]\n  summary: s\nhistory: [\n  {revision: 7},\n  {revision: 8},\n]\n"},
	{"flow multi-line mapping", YAML, "metadata: {\n  # c1\n  revision: 7, # c2\n  name: x # c3\n}\nstate: {\n  facts: [\n    {id: f1,\n     text: a}\n    , {id: f2}\n  ]\n}\n"},
	{"flow comments only", YAML, "metadata: {revision: 7}\nstate: {facts: [ # none yet\n  ]}\nhistory: [ # empty\n]\n"},
	{"literal", YAML, "metadata:\n  revision: 7\nstate:\n  summary: |\n    one\n\n    two  \n  facts:\n    - id: f1\n      text: |-\n        a\n          b\n    - id: f2\n      text: >\n        c\n        d\n\n        e\n"},
	{"keep", YAML, "metadata:\n  revision: 7\nstate:\n  facts:\n    - id: f1\n      text: |+\n        a\n\n\n    - id: f2\n      text: |+\n        b\n\n  summary: |+\n    s\n\nhistory:\n  - revision: 7\n    change: |+\n      x\n\n\n"},
	{"indicators", YAML, "metadata:\n  revision: 7\nstate:\n  summary: |2-\n      indented\n    less\n  facts:\n    - id: f1\n      text: >1+ # c\n        x\n\n    - id: f2\n      text: |-2\n         y\n"},
	{"literal at the end, no newline", YAML, "metadata:\n  revision: 7\nstate:\n  facts:\n    - id: f1\n      text: |\n        a\n        b"},
	{"folded at the end, no newline", YAML, "metadata:\n  revision: 7\nhistory:\n  - revision: 7\n    change: >\n      a\n      b"},
	{"keep at the end, no newline", YAML, "metadata:\n  revision: 7\nstate:\n  summary: s\nhistory:\n  - revision: 7\n    change: |+\n      a\n\n  "},
	{"header comments", YAML, "metadata:\n  revision: 7\nstate:\n  summary: | # keep me\n    s\n  facts:\n    - id: f1\n      text: > # me too\n        t\n"},
	{"anchors elsewhere", YAML, "metadata: &m\n  name: &n x\n  revision: 7\nspec: {who: *n}\nstate:\n  facts:\n    - id: f1\n      text: a\n"},
	{"aliases inside", YAML, "metadata:\n  revision: 7\nx: &t [a, b]\nstate:\n  facts:\n    - id: f1\n      tags: *t\n    - &two\n      id: f2\n      tags: &u [c]\n    - id: f3\n      tags: *u\nhistory: []\n"},
	{"alias across", YAML, "metadata:\n  revision: 7\nstate: &s\n  facts:\n    - id: f1\nspec:\n  copy: *s\n"},
	{"tags", YAML, "metadata: !!map\n  revision: !!int 7\nstate:\n  summary: !!str 5\n  facts: !!seq\n    - !!map\n      id: f1\n    - id: !!str f2\n      text: &x !!str a\n"},
	{"odd keys", YAML, "\"metadata\":\n  'revision': 7\n? state\n: \"facts\":\n    - \"id\": f1\n      ? text\n      : a\n    - ? id\n      : f2\nhistory:\n  - revision: 7\n    \"a: b\": 1\n    'it''s': 2\n    \"\\u0065\": 3\n"},
	{"null state", YAML, "metadata:\n  revision: 7\nstate: null\nhistory: ~\n"},
	{"absent state", YAML, "metadata:\n  revision: 7\nstate:\nhistory:   # nothing\n"},
	{"state in braces", YAML, "metadata:\n  revision: 7\nstate: {}\nhistory: [] # none\n"},
	{"empty facts", YAML, "metadata:\n  revision: 7\nstate:\n  facts: []\n  summary: ''\n"},
	{"no state, no history", YAML, "metadata:\n  revision: 7\n  name: x\nspec:\n  a: 1\n\n# trailing\n"},
	{"nothing but metadata", YAML, "metadata: {}"},
	{"mixed line ends", YAML, "metadata:\r\n  revision: 7\nstate:\r\n  facts:\n    - id: f1\r\n      text: a\n    - id: f2\nhistory:\r\n  - revision: 7\r\n"},
	{"lone CR", YAML, "metadata:\r  revision: 7\rstate:\r  facts:\r    - id: f1\r      text: a\rhistory:\r  - revision: 7\r"},
	{"tabs", YAML, "metadata:\t\n  revision:\t7\t# c\nstate:\n  summary:\ts\n  facts:\t# tab\n    - id:\tf1\n    \n    - id: f2 \t\n"},
	{"trailing blanks", YAML, "metadata:   \n  revision: 7   \nstate:   \n  facts:   \n    -   \n      id: f1   \n    - id: f2\n      text:   \n   \n"},
	{"emoji", YAML, "metadata: {name: 🎉, revision: 7} # 🎉\nstate:\n  summary: shipped 🎉\n  facts:\n    - id: \"🎉\"\n      text: é # ü\n    - id: f2\n      text: |\n        🎉 x\n"},
	{"exotic breaks", YAML, "metadata:\n  revision: 7 # a\u2028state:\n  facts:\n    - id: f1\u0085      text: a\nhistory:\n  - revision: 7\n"},
	{"long line", YAML, "metadata: {revision: 7}\nstate:\n  summary: " + strings.Repeat("long words ", 3000) + "\n  facts: [" + strings.Repeat("{id: g, text: x}, ", 300) + "{id: f1}]\n"},
	{"dash alone", YAML, "metadata:\n  revision: 7\nstate:\n  facts:\n    -\n      id: f1\n      text: a\n    - # c\n      id: f2\nhistory:\n  -\n    revision: 7\n"},
	{"values below their keys", YAML, "metadata:\n  revision:\n    7\nstate:\n  summary:\n    # about\n    s # end\n  facts:\n    - id:\n        f1\n      text:\n        \"a\n        b\"\n"},
	{"indented top level", YAML, "  metadata:\n    revision: 7\n  state:\n    facts:\n      - id: f1\n  # c\n"},
	{"column-0 comment in a list", YAML, "metadata:\n  revision: 7\nstate:\n  facts:\n    - id: f1\n# zero\n    - id: f2\n# one\n      text: b\n  summary: s\n"},
	{"commented-out block", YAML, "metadata:\n  revision: 7\nspec:\n  a: 1\n  # b:\n  #   c: 1\n\nstate:\n  facts:\n    - id: f1\n    # - id: old\n    #   text: x\n\nhistory: []\n"},
	{"multi-line plain and quoted", YAML, "metadata:\n  revision: 7\nstate:\n  summary: one\n    two\n\n    three\n  facts:\n    - id: f1\n      text: 'a\n\n        b'\n    - id: f2\n      text: \"a \\\n        b\"\n"},
	{"nested lists", YAML, "metadata:\n  revision: 7\nstate:\n  facts:\n    - - id: f1\n      - x\n    - - - y\n    - id: f2\n"},
	{"scalars in lists", YAML, "metadata:\n  revision: 7\n  tags:\n    - a # 1\n    - 'b'\n\n    - 3\nstate:\n  facts:\n    - id: f1\n      tags: [x, 'y', \"z\",]\n    - id: f2\n      tags: []\n"},
	{"document markers", YAML, "# c\n--- # d\nmetadata:\n  revision: 7\nstate:\n  facts:\n    - id: f1\n...\n"},
	{"duplicate ids", YAML, "metadata:\n  revision: 7\nstate:\n  facts:\n    - id: f1\n      text: a\n    - id: f1\n      text: b\nhistory:\n  - revision: 7\n  - revision: 7\n"},
	{"pretty", JSON, "{\n  \"metadata\": {\n    \"revision\": 7\n  },\n  \"state\": {\n    \"summary\": \"s\",\n    \"facts\": [\n      {\n        \"id\": \"f1\",\n        \"tags\": [\"x\", \"y\"]\n      },\n      {\n        \"id\": \"f2\"\n      }\n    ]\n  },\n  \"history\": []\n}\n"},
	{"tab indented", JSON, "{\n\t\"metadata\": {\"revision\": 7},\n\t\"state\": {\n\t\t\"facts\": [\n\t\t\t{\"id\": \"f1\"},\n\t\t\t{\"id\": \"f2\"}\n\t\t]\n\t}\n}"},
	{"one line", JSON, `{"metadata":{"revision":7},"state":{"facts":[{"id":"f1","text":"a"},{"id":"f2"}]},"history":[{"revision":7}]}`},
	{"spaced", JSON, `{ "metadata" : { "revision" : 7 } , "state" : { "facts" : [ { "id" : "f1" } ] } }`},
	{"odd breaks", JSON, "\ufeff{\r\n\"metadata\"\r\n:\r\n{\"revision\":7}\r\n,\"state\":{\"facts\":[\r\n{\"id\":\"f1\"}\r\n,\r\n{\"id\":\"f2\"}]}}\r\n"},
	{"escapes", JSON, "{\"metadata\":{\"revision\":7.0},\"state\":{\"summary\":\"a\\u00e9\\/\\ud83d\\ude00 \u2028\",\"facts\":[]}, \"history\":null}"},
	{"empty object", JSON, "{}"},
	{"flow frontmatter", Markdown, "---\n{metadata: {revision: 7}, state: {facts: []}}\n---\n"},
	{"frontmatter with spec", Markdown, "---\nmetadata:\n  revision: 7\nspec:\n  role:\n    # who\n    tone: x\n---\n\n\n  Hi.\n\nYou.\n\n\n"},
}

// operation changes a value in place, as applying a delta does.
type operation struct {
	name string
	do   func(doc object, r *rand.Rand)
}

// child gives the mapping or list under a name, and makes it if something else stands there.
func childMap(m object, name string) object {
	c, ok := m[name].(object)
	if !ok {
		c = object{}
		m[name] = c
	}
	return c
}

func childList(m object, name string) []any {
	c, _ := m[name].([]any)
	return c
}

var texts = []string{
	"plain", "two words", "it's", `say "x"`, "a: b", "x # y", "- dash", "on", "0x1F", "1_000", "2026-01-01T00:00:00Z", "", " lead", "trail ",
	"a\nb", "a\nb\n", "a\n\n  b\n", "\na", "a\n\n", "tab\there", "\ttab", "emoji 🎉", "nul\u0001", "sep\u2028x", "#c", "[x]", "{", "*a", "&a", "!t", "%d", "@a", "`",
	"x:", "?", "...", "---", "a, b", "null", "~", "1e3", "12:30", "=", "<<", "line\r\nwin", "# not\n# comment\n",
	strings.Repeat("a long sentence of words ", 12), strings.Repeat("para graph ", 12) + "\n\nsecond " + strings.Repeat("para graph ", 12) + "\n",
}

func pick(r *rand.Rand) string { return texts[r.IntN(len(texts))] }

func newFact(r *rand.Rand) object {
	f := object{"id": "n" + string(rune('a'+r.IntN(26))), "text": pick(r), "confidence": .9}
	if r.IntN(2) == 0 {
		f["tags"] = []any{"x", pick(r)}
	}
	if r.IntN(4) == 0 {
		f["extra"] = object{"k": pick(r), "l": []any{}, "m": []any{object{"n": pick(r)}, []any{1.0, pick(r)}}}
	}
	return f
}

// onFact runs do on one fact that is a mapping, if there is one.
func onFact(doc object, r *rand.Rand, do func(object)) {
	s, _ := doc["state"].(object)
	facts := childList(s, "facts")
	if len(facts) == 0 {
		return
	}
	if f, ok := facts[r.IntN(len(facts))].(object); ok {
		do(f)
	}
}

func setFacts(doc object, change func([]any) []any) {
	s := childMap(doc, "state")
	facts := change(append([]any{}, childList(s, "facts")...))
	if facts == nil {
		facts = []any{}
	}
	s["facts"] = facts
}

var operations = []operation{
	{"change revision", func(d object, r *rand.Rand) { childMap(d, "metadata")["revision"] = float64(8 + r.IntN(3)) }},
	{"stamp", func(d object, r *rand.Rand) { childMap(d, "metadata")["updated_at"] = "2026-08-15T10:00:00Z" }},
	{"append fact", func(d object, r *rand.Rand) { setFacts(d, func(f []any) []any { return append(f, newFact(r)) }) }},
	{"insert fact", func(d object, r *rand.Rand) {
		setFacts(d, func(f []any) []any {
			i := r.IntN(len(f) + 1)
			return append(f[:i:i], append([]any{newFact(r)}, f[i:]...)...)
		})
	}},
	{"remove fact", func(d object, r *rand.Rand) {
		setFacts(d, func(f []any) []any {
			if len(f) == 0 {
				return f
			}
			i := r.IntN(len(f))
			return append(f[:i:i], f[i+1:]...)
		})
	}},
	{"remove all facts", func(d object, r *rand.Rand) { setFacts(d, func([]any) []any { return nil }) }},
	{"replace fact", func(d object, r *rand.Rand) {
		setFacts(d, func(f []any) []any {
			if len(f) > 0 {
				f[r.IntN(len(f))] = newFact(r)
			}
			return f
		})
	}},
	{"reverse facts", func(d object, r *rand.Rand) {
		setFacts(d, func(f []any) []any {
			for i, j := 0, len(f)-1; i < j; i, j = i+1, j-1 {
				f[i], f[j] = f[j], f[i]
			}
			return f
		})
	}},
	{"change text", func(d object, r *rand.Rand) { onFact(d, r, func(f object) { f["text"] = pick(r) }) }},
	{"add field", func(d object, r *rand.Rand) { onFact(d, r, func(f object) { f["confidence"] = .5 }) }},
	{"remove field", func(d object, r *rand.Rand) { onFact(d, r, func(f object) { delete(f, "text") }) }},
	{"remove id", func(d object, r *rand.Rand) { onFact(d, r, func(f object) { delete(f, "id") }) }},
	{"change tags", func(d object, r *rand.Rand) {
		onFact(d, r, func(f object) {
			tags := append([]any{}, childList(f, "tags")...)
			switch r.IntN(3) {
			case 0:
				tags = append(tags, pick(r))
			case 1:
				if len(tags) > 0 {
					tags = tags[1:]
				}
			default:
				tags = append([]any{pick(r)}, tags...)
			}
			f["tags"] = tags
		})
	}},
	{"append history", func(d object, r *rand.Rand) {
		d["history"] = append(append([]any{}, childList(d, "history")...), object{"revision": 9.0, "change": pick(r)})
	}},
	{"trim history", func(d object, r *rand.Rand) {
		if h := childList(d, "history"); len(h) > 0 {
			d["history"] = append([]any{}, h[1:]...)
		}
	}},
	{"change summary", func(d object, r *rand.Rand) { childMap(d, "state")["summary"] = pick(r) }},
	{"remove summary", func(d object, r *rand.Rand) { delete(childMap(d, "state"), "summary") }},
	{"add preferences", func(d object, r *rand.Rand) {
		childMap(d, "state")["preferences"] = []any{object{"id": "p1", "text": pick(r)}}
	}},
	{"null state", func(d object, r *rand.Rand) { d["state"] = nil }},
	{"empty state", func(d object, r *rand.Rand) { d["state"] = object{} }},
	{"remove state", func(d object, r *rand.Rand) { delete(d, "state") }},
	{"add unknown member", func(d object, r *rand.Rand) { d["x-"+string(rune('a'+r.IntN(3)))] = pick(r) }},
	{"change body", func(d object, r *rand.Rand) {
		if role, ok := d["spec"].(object)["role"].(object); ok {
			role["instructions"] = []string{"New.\n", "Hi.\n\nThem.\n", "  Hi.\n\nYou.\nMore\n"}[r.IntN(3)]
		}
	}},
}

// applyOperation gives a changed copy of the document's value.
func applyOperation(d *Document, op operation, r *rand.Rand) any {
	want := canonical.Clone(d.Value()).(object)
	if op.name == "change body" {
		if _, ok := want["spec"].(object); !ok || d.format != Markdown {
			return want
		}
	}
	op.do(want, r)
	return want
}

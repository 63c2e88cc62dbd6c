package textedit

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/open-agent-profile/oap/canonical"
)

// editor walks the old tree beside the wanted value and notes edits over Document.text.
type editor struct {
	*ladder
	text           []byte
	yaml           yamlWriter
	json           jsonWriter
	edits          []Edit
	rerendered     []string
	separations    map[shapeOf]int // blank lines between entries, once counted
	seen, seenLine int             // an offset and the start of its line
	atEnd          bool            // something was put behind the end of a text without a final line break
	err            error
}

// newEditor begins a try; an editor is used once.
func newEditor(l *ladder) *editor {
	return &editor{
		ladder: l, text: l.doc.text, separations: map[shapeOf]int{},
		yaml: yamlWriter{layout: l.layout, schema: l.schema, inlineOnly: l.modes[""] == inline},
		json: jsonWriter{layout: l.layout, schema: l.schema, text: l.doc.text},
	}
}

func index(i int) string { return strconv.Itoa(i) }

func (e *editor) isJSON() bool { return e.doc.format == JSON }

// note adds an edit. Edits at one offset are made in the order in which they were noted, and the tree is
// walked in the order of the text; so a list grows before the section behind it comes.
func (e *editor) note(start, end int, text string) {
	e.edits = append(e.edits, Edit{start, end, []byte(text)})
}

// visit begins at the root.
func (e *editor) visit(root *node, want any) {
	if !canonical.Equal(root.value, want) {
		e.collection(root, want, nil, nil, nil, 0)
	}
}

// entry changes entry i of parent to want. peers are nodes in the same role as parent.
func (e *editor) entry(parent *node, i int, want any, at canonical.Pointer, peers template) {
	v := parent.vals[i]
	if canonical.Equal(v.value, want) {
		return
	}
	var mine template
	if parent.kind == mapNode {
		name := parent.keys[i].value.(string)
		at, mine = at.Append(name), peers.member(name)
	} else {
		at, mine = at.Append(index(i)), template{parent}.items()
	}
	switch m := e.modes[at.String()]; m {
	case anew, anewInline:
		e.anew(parent, i, want, at, mine, m == anewInline)
	case inline:
		before := e.yaml.inlineOnly
		e.yaml.inlineOnly = true
		e.change(parent, i, want, at, mine)
		e.yaml.inlineOnly = before
	default:
		e.change(parent, i, want, at, mine)
	}
}

// change edits inside a collection that stays one of its kind, and replaces everything else.
func (e *editor) change(parent *node, i int, want any, at canonical.Pointer, peers template) {
	v := parent.vals[i]
	if v.target == nil && sameKind(v, want) && !e.blankCollection(v) {
		e.collection(v, want, at, peers, parent, i)
		return
	}
	e.replace(parent, i, want, at, append(template{v}, peers...))
}

// sameKind reports whether a value of want's kind can be reached by changing entries of v.
func sameKind(v *node, want any) bool {
	switch want.(type) {
	case map[string]any:
		return v.kind == mapNode
	case []any:
		return v.kind == listNode
	}
	return false
}

// blankCollection reports [] or {} without a comment inside; such a value is replaced whole.
func (e *editor) blankCollection(v *node) bool {
	return len(v.vals) == 0 && skipBlank(e.text, v.content+1) == v.end-1
}

// collection plans the entries of n and edits by the notation n stands in.
func (e *editor) collection(n *node, want any, at canonical.Pointer, peers template, parent *node, i int) {
	var p plan
	switch w := want.(type) {
	case map[string]any:
		p = planMembers(n, w, at, e.schema)
	case []any:
		p = planItems(n, w, identity(e.schema, at))
	}
	switch {
	// A pair without braces ([a: b]) has room for one member only.
	case n.bare && (p.adds() || len(n.keys) > 0 && !p.keeps()):
		e.replace(parent, i, want, at, template{n})
	case n.flow:
		e.flowEntries(n, p, at, peers)
	default:
		e.blockEntries(n, p, at, peers)
	}
}

// renderBlock gives the text of an addition without the place it stands in: "key: value", "- value".
func (e *editor) renderBlock(n *node, a addition, at canonical.Pointer, peers template) string {
	// An entry that only moves within its list keeps its text: the column is the same.
	if a.moved >= 0 {
		return string(e.text[n.starts[a.moved]:e.entryLine(n, a.moved)])
	}
	if n.kind == mapNode {
		return string(e.yaml.member(nil, a.key, a.value, at, n.col, peers))
	}
	return string(e.yaml.item(nil, a.value, at, n.col, template{n}.items()))
}

// renderFlow gives the text of an addition inside brackets; indent is what its line begins with.
func (e *editor) renderFlow(n *node, a addition, at canonical.Pointer, peers template, indent string) string {
	if a.moved >= 0 {
		return string(e.text[n.starts[a.moved]:n.entryEnd(a.moved)])
	}
	var key []byte
	t := template{n}.items()
	at = at.Append(a.key)
	if n.kind == mapNode {
		t = peers.member(a.key)
		if e.isJSON() {
			key = append(appendJSONString(nil, a.key, false), e.json.json.colon...)
		} else {
			key = append(e.yaml.key(nil, a.key, true), ": "...)
		}
	}
	return string(append(key, e.renderFlowValue(a.value, at, t, indent)...))
}

// renderFlowValue writes a value that stands in brackets.
func (e *editor) renderFlowValue(v any, at canonical.Pointer, t template, indent string) []byte {
	if e.isJSON() {
		return e.json.value(nil, v, at, indent, t)
	}
	return e.yaml.flow(nil, v, at, t)
}

// refuse ends the walk: no edit is known for this notation.
func (e *editor) refuse(at canonical.Pointer, format string, args ...any) {
	if e.err == nil {
		e.err = &RefusedError{at.String(), fmt.Sprintf(format, args...)}
	}
}

// skipBlank goes over blanks, not over line breaks.
func skipBlank(text []byte, i int) int {
	for i < len(text) && isBlank(text[i]) {
		i++
	}
	return i
}

// indentAt gives the blanks that the line of offset i begins with, at most up to i. The walk asks in the
// order of the text; remembering the last answer keeps one very long line from costing quadratic time.
func (e *editor) indentAt(i int) string {
	if i < e.seen {
		e.seen, e.seenLine = 0, 0
	}
	if n := bytes.LastIndexAny(e.text[e.seen:i], "\n\r"); n >= 0 {
		e.seenLine = e.seen + n + 1
	}
	e.seen = i
	return string(e.text[e.seenLine:min(skipBlank(e.text, e.seenLine), i)])
}

package textedit

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/open-agent-profile/oap/canonical"
)

// replace writes another value in place of entry i of parent. t begins with the old node.
func (e *editor) replace(parent *node, i int, want any, at canonical.Pointer, t template) {
	v := parent.vals[i]
	switch {
	case parent.flow:
		e.replaceFlow(parent, i, want, at, t)
	case parent.marks[i] < 0:
		// "? key" without ":".
		e.note(v.from, v.from, e.yaml.eol+strings.Repeat(" ", parent.col)+":"+e.renderValue(parent, v, want, at, t))
	case !v.flow && v.kind != scalarNode && v.target == nil:
		e.replaceBlock(parent, v, e.renderValue(parent, v, want, at, t))
	default:
		e.replaceInline(v, e.renderValue(parent, v, want, at, t))
	}
}

// replaceFlow writes a value inside brackets, where everything stands on one line or its own layout (JSON).
func (e *editor) replaceFlow(parent *node, i int, want any, at canonical.Pointer, t template) {
	v := parent.vals[i]
	text := string(e.renderFlowReplacement(v, want, at, t, e.indentAt(parent.starts[i])))
	switch {
	case !v.empty():
		e.note(v.start, v.end, text)
	case parent.marks[i] < 0:
		e.note(v.from, v.from, ": "+text)
	default:
		e.note(v.from, v.from, " "+text)
	}
}

// renderFlowReplacement keeps the quotes of a text that becomes another text.
func (e *editor) renderFlowReplacement(v *node, want any, at canonical.Pointer, t template, indent string) []byte {
	if s, ok := want.(string); ok && !e.isJSON() {
		return e.yaml.appendText(nil, s, e.yaml.style(s, t, e.isText(v), true), 0)
	}
	return e.renderFlowValue(want, at, t, indent)
}

// isText reports that v is a text, so that its quoting is worth keeping.
func (e *editor) isText(v *node) bool {
	_, ok := v.value.(string)
	return ok && v.kind == scalarNode && v.target == nil
}

// renderValue gives what follows the mark of a block entry, with the blank or line break behind the mark.
func (e *editor) renderValue(parent, v *node, want any, at canonical.Pointer, t template) string {
	s, ok := want.(string)
	if !ok || !e.isText(v) {
		return string(e.yaml.value(nil, want, at, slot{parent.col, parent.kind == listNode}, t))
	}
	column := parent.col + e.yaml.step
	if parent.kind == listNode {
		column = parent.col + 1 + e.yaml.pad
	}
	// The lines of a block text stay where they are, so that a line diff shows only what changed.
	if v.style.block() && readBlockHeader(e.text, v.content).indent == 0 {
		if first := e.blankRun(e.nextLine(v.content)); first < v.end {
			column = e.lines.column(skipBlank(e.text, first))
		}
	}
	e.yaml.width = e.foldedWidth(v)
	text := e.yaml.appendText([]byte{' '}, s, e.yaml.style(s, t, true, false), column)
	e.yaml.width = 0
	return string(text)
}

// foldedWidth gives the width that a folded text was filled to, so that the lines before a change in it break
// where they broke before.
func (e *editor) foldedWidth(v *node) int {
	if v.style != foldedStyle {
		return 0
	}
	longest := 0
	for i := e.nextLine(v.content); i < v.end; i = e.nextLine(i) {
		longest = max(longest, utf8.RuneCount(e.text[i:e.lineEnd(i)]))
	}
	return max(longest, foldWidth/2)
}

// cutHead separates what goes on the line of the mark from the lines below it.
func (e *editor) cutHead(text string) (head, tail string) {
	head, tail, _ = strings.Cut(text, e.yaml.eol)
	return head, tail
}

// replaceBlock puts a value where a block collection stood. Its entries go line by line, so that comments on
// lines of their own stay.
func (e *editor) replaceBlock(parent, v *node, text string) {
	head, tail := e.cutHead(text)
	// A compact collection ("- a: 1") shares the line of the mark: it goes whole.
	if !e.ownLine(v.starts[0]) || e.lineStart(v.starts[0]) <= v.head {
		e.note(v.from, v.end, text)
		return
	}
	e.note(v.from, v.head, head)
	if tail != "" {
		e.insertLines(e.nextLine(v.head), tail, nil)
	}
	nothing := newPlan(len(v.vals))
	for i := range v.vals {
		e.dropLines(v, i, nothing)
	}
}

// replaceInline puts a value where a scalar, an alias or a collection in brackets stood.
func (e *editor) replaceInline(v *node, text string) {
	head, tail := e.cutHead(text)
	comment := "" // of a block text's header
	if v.style.block() && v.target == nil {
		h := readBlockHeader(e.text, v.content)
		if rest := e.text[h.end:e.lineEnd(h.end)]; bytes.IndexByte(rest, '#') >= 0 {
			comment = string(rest)
		}
	}
	// One line: the value alone changes, and a comment behind it stays.
	if !strings.Contains(text, e.yaml.eol) {
		if v.empty() {
			from := v.from
			if rest := skipBlank(e.text, v.head); rest > v.head && e.lineEnd(v.head) == rest {
				e.note(from, rest, head) // blanks behind the mark would end up behind the value
				return
			}
			e.note(from, v.head, head)
			return
		}
		e.note(v.start, v.end, strings.TrimLeft(head, " ")+comment)
		return
	}
	// Several lines: the head stays on the line of the mark with the comment there, the tail goes below.
	end := max(v.end, v.head)
	rest := e.text[end:e.lineEnd(end)]
	blank := len(bytes.Trim(rest, " \t")) == 0
	switch {
	case hasBreak(e.text[v.from:max(v.start, v.from)]) || bytes.IndexByte(e.text[v.head:max(v.start, v.head)], '#') >= 0:
		e.replaceBelow(v, head, tail, blank)
	case blank:
		e.note(v.from, e.lineEnd(end), head+comment+e.yaml.eol+tail)
	default:
		e.note(v.from, end, head)
		e.insertLines(e.nextLine(end), tail, nil)
	}
}

// replaceBelow is for a value that stands on a line below its mark, perhaps with comments between.
func (e *editor) replaceBelow(v *node, head, tail string, blank bool) {
	e.note(v.from, v.head, head)
	start := e.lineStart(v.start)
	if blank {
		e.note(start, e.lineEnd(v.end), tail)
		return
	}
	indent := string(e.text[start:v.start])
	e.note(start, skipBlank(e.text, v.end), tail+e.yaml.eol+indent)
}

// anew replaces a whole entry by fresh text; comments in it and on its last line are lost, and its
// pointer is reported.
func (e *editor) anew(parent *node, i int, want any, at canonical.Pointer, t template, inlineOnly bool) {
	v := parent.vals[i]
	before := e.yaml.inlineOnly
	e.yaml.inlineOnly = inlineOnly
	defer func() { e.yaml.inlineOnly = before }()
	e.rerendered = append(e.rerendered, at.String())
	t = append(template{v}, t...)
	if parent.flow || parent.marks[i] < 0 {
		e.replace(parent, i, want, at, t)
		return
	}
	text := string(e.yaml.value(nil, want, at, slot{parent.col, parent.kind == listNode}, t))
	e.note(v.from, e.lineEnd(max(v.end, v.head)), text)
}

package textedit

import (
	"bytes"
	"slices"
	"strings"

	"github.com/open-agent-profile/oap/canonical"
)

// blockEntries carries out a plan in a collection that indentation structures: whole lines come and go.
func (e *editor) blockEntries(n *node, p plan, at canonical.Pointer, peers template) {
	if !p.keeps() && !p.adds() {
		e.emptied(n)
		return
	}
	p.runs(func(int, int) {}) // what is new goes in front of what goes, behind the last that stays

	first := e.blockFront(n, p, at, peers)
	for i := range n.vals {
		if i > 0 {
			e.addBehind(n, i-1, p.add[i], at, peers)
		}
		switch {
		case p.fate[i].keep:
			e.entry(n, i, p.fate[i].want, at, peers)
		case i >= first:
			e.dropLines(n, i, p)
		}
	}
	e.addBehind(n, len(n.vals)-1, p.add[len(n.vals)], at, peers)
}

// blockFront handles what stands before the first entry that stays, where that entry shares its line with
// the mark of its parent, as in "- id: x". It gives the first entry that is still to be handled.
func (e *editor) blockFront(n *node, p plan, at canonical.Pointer, peers template) int {
	indent := strings.Repeat(" ", n.col)
	adds := e.renderAll(n, p.add[0], at, peers)
	separator := e.yaml.eol + indent
	if len(adds) > 0 {
		separator = e.yaml.eol + e.blankLines(n, adds[0]) + indent
	}
	switch {
	case p.fate[0].keep:
		if len(adds) > 0 {
			e.note(n.starts[0], n.starts[0], strings.Join(adds, separator)+separator)
		}
		return 0
	case e.ownLine(n.starts[0]):
		for _, a := range adds {
			e.note(e.lineStart(n.starts[0]), e.lineStart(n.starts[0]), indent+a+e.yaml.eol)
		}
		return 0
	// The first entry goes and its line cannot: a new one takes its place, or the next one moves up.
	case len(adds) > 0:
		e.note(n.starts[0], e.entryLine(n, 0), strings.Join(adds, separator))
		return 1
	}
	next := 0
	for !p.fate[next].keep {
		next++ // ends: had none been kept, something would have been added in front
	}
	var comments string
	for i := range next {
		for _, c := range e.comments(e.entryLine(n, i), n.starts[i+1]) {
			comments += c + e.yaml.eol + indent
		}
	}
	e.note(n.starts[0], n.starts[next], comments)
	return next
}

// renderAll gives the texts of new entries at one place.
func (e *editor) renderAll(n *node, adds []addition, at canonical.Pointer, peers template) []string {
	out := make([]string, len(adds))
	for i, a := range adds {
		out[i] = e.renderBlock(n, a, at, peers)
	}
	return out
}

// addBehind puts new entries on the lines behind entry i.
func (e *editor) addBehind(n *node, i int, adds []addition, at canonical.Pointer, peers template) {
	if len(adds) == 0 {
		return
	}
	indent := strings.Repeat(" ", n.col)
	where := e.behind(n, i)
	for k, text := range e.renderAll(n, adds, at, peers) {
		gap := e.blankLines(n, text)
		if k == 0 && e.keepsBlanks(n.vals[i].lastLeaf()) {
			gap = "" // "|+" would take the blank line for its own
		}
		e.insertLines(where, gap+indent+text, n.vals[i].lastLeaf())
	}
}

// insertLines puts whole lines at where, which is the start of a line or the end of a text without a
// final line break. There, the text before must not gain a line break as its value.
func (e *editor) insertLines(where int, lines string, before *node) {
	if where < len(e.text) || endsInBreak(e.text) {
		e.note(where, where, lines+e.yaml.eol)
		return
	}
	if !e.atEnd {
		e.atEnd = true
		last := e.lineStart(len(e.text))
		switch end := e.changedEnd(); {
		// Nothing has to end the line before: all of the last line goes, or it holds blanks only.
		case end != nil && len(end.Text) == 0 && endsInBreak(e.text[:end.Start]):
			e.note(len(e.text), len(e.text), lines)
			return
		case end == nil && skipBlank(e.text, last) == len(e.text) && last < len(e.text):
			e.note(last, len(e.text), lines)
			return
		case end == nil && before != nil && before.style.block() && before.end == len(e.text):
			e.strip(before)
		}
	}
	e.note(where, where, e.yaml.eol+lines)
}

// changedEnd gives the edit that takes or replaces the end of the text, or nil. What stands there was visited
// before anything is put behind it.
func (e *editor) changedEnd() *Edit {
	for i, d := range slices.Backward(e.edits) {
		if d.Start < d.End && d.End == len(e.text) {
			return &e.edits[i]
		}
	}
	return nil
}

// strip writes "-" into the header of a block text, unless it is there.
func (e *editor) strip(n *node) {
	h := readBlockHeader(e.text, n.content)
	if h.chomp == '-' {
		return
	}
	from, to := h.end, h.end
	if h.chomp == '+' {
		from = n.content + 1 + bytes.IndexByte(e.text[n.content+1:h.end], '+')
		to = from + 1
	}
	e.note(from, to, "-")
}

// behind gives the line behind entry i and the comments that belong to it: those indented deeper.
func (e *editor) behind(n *node, i int) int {
	where := e.nextLine(n.entryEnd(i))
	for p := where; p < len(e.text); {
		first := skipBlank(e.text, p)
		end := e.lineEnd(first)
		if first < end {
			if e.text[first] != '#' || first-p <= n.col {
				break
			}
			where = e.nextLine(end)
		}
		if p = e.nextLine(end); p <= end {
			break
		}
	}
	return where
}

// separation counts the blank lines that stand between all neighbours in n of the shape of a new entry:
// sections of several lines are often set apart where single lines are not.
func (e *editor) separation(n *node, several bool) int {
	least := -1
	for i := 1; i < len(n.vals) && least != 0; i++ {
		if (hasBreak(e.text[n.starts[i-1]:n.entryEnd(i-1)]) || hasBreak(e.text[n.starts[i]:n.entryEnd(i)])) != several {
			continue
		}
		blank := 0
		for p := e.nextLine(n.entryEnd(i - 1)); p < n.starts[i]; p = e.nextLine(p) {
			if skipBlank(e.text, p) == e.lineEnd(p) {
				blank++
			}
		}
		if least < 0 || blank < least {
			least = blank
		}
	}
	return min(max(least, 0), 3)
}

// blankLines gives the separation before or behind a new entry.
func (e *editor) blankLines(n *node, entry string) string {
	shape := shapeOf{n, hasBreak([]byte(entry))}
	lines, known := e.separations[shape]
	if !known {
		lines = e.separation(n, shape.several)
		e.separations[shape] = lines
	}
	return strings.Repeat(e.yaml.eol, lines)
}

// shapeOf is a list and whether an entry has several lines.
type shapeOf struct {
	list    *node
	several bool
}

// dropLines deletes the lines of entry i, with the comments below it that are indented deeper: they belong to
// it, and could become text of a block scalar above. Other comments on lines of their own stay. One run of
// blank lines goes with it, so that those around it do not add up: the one behind it, unless no entry stays
// there. Then that run is not the collection's but sets apart what follows, and what follows may change, too:
// no removal may reach beyond the place where that would be put.
func (e *editor) dropLines(n *node, i int, p plan) {
	start := e.lineStart(n.starts[i])
	end := e.behind(n, i)
	after := e.blankRun(end)
	before := e.blanksBefore(n, i, start)
	isLast := !plan{fate: p.fate[i:]}.keeps()
	switch {
	case isLast:
		// With new entries in their place, the blank lines in front stay where none follow.
		if len(p.add[i]) == 0 || i > 0 && after > end {
			start = before
		}
		if e.opensBlanks(n, i, p) {
			e.note(end, after, "") // an edit of its own, so that something can be put between the two
		}
	case after > end && (before < start || i == 0):
		end = after
	case before < start && i > 0 && p.fate[i-1].keep && len(p.add[i]) == 0:
		start = before
	}
	if end == len(e.text) && !endsInBreak(e.text) && i > 0 && len(p.add[i]) == 0 && e.untouched(n, i-1, p) {
		start = e.lineEnd(e.lineStart(start - 1)) // the text still ends without a line break
	}
	e.note(start, end, "")
}

// untouched reports that entry i stays as it is and can lose the line break behind it.
func (e *editor) untouched(n *node, i int, p plan) bool {
	return p.fate[i].keep && canonical.Equal(n.vals[i].value, p.fate[i].want) && !n.vals[i].lastLeaf().style.block()
}

// opensBlanks reports that what goes up to the last entry i leaves a block text with "+" that would take the
// blank lines behind them for its own.
func (e *editor) opensBlanks(n *node, i int, p plan) bool {
	k := i
	for k >= 0 && !p.fate[k].keep {
		k--
	}
	return k >= 0 && len(p.add[k+1]) == 0 && e.keepsBlanks(n.vals[k].lastLeaf())
}

// blanksBefore gives the first of the blank lines in front of entry i, whose line begins at start.
func (e *editor) blanksBefore(n *node, i, start int) int {
	floor := e.nextLine(n.head)
	if i > 0 {
		floor = e.behind(n, i-1)
	}
	for start > floor && skipBlank(e.text, e.lineStart(start-1)) == e.lineEnd(e.lineStart(start-1)) {
		start = e.lineStart(start - 1)
	}
	return start
}

// blankRun gives the end of the blank lines at i.
func (e *editor) blankRun(i int) int {
	for i < len(e.text) {
		end := skipBlank(e.text, i)
		if end < len(e.text) && breakLen(e.text, end) == 0 {
			break
		}
		i = end + breakLen(e.text, end)
	}
	return i
}

// emptied writes [] or {} behind the mark; comments on lines of their own stay.
func (e *editor) emptied(n *node) {
	brackets := "[]"
	if n.kind == mapNode {
		brackets = "{}"
	}
	nothing := newPlan(len(n.vals))
	first := 0
	if e.ownLine(n.starts[0]) && n.from > 0 && e.lineStart(n.starts[0]) > n.head {
		e.note(n.head, n.head, " "+brackets)
	} else {
		e.note(n.starts[0], e.entryLine(n, 0), brackets)
		first = 1
	}
	for i := first; i < len(n.vals); i++ {
		e.dropLines(n, i, nothing)
	}
}

// comments gives the comments on lines of their own between two entries.
func (e *editor) comments(from, to int) []string {
	var out []string
	for p := e.nextLine(from); p < to; p = e.nextLine(p) {
		first := skipBlank(e.text, p)
		if first < to && e.text[first] == '#' {
			out = append(out, string(e.text[first:e.lineEnd(first)]))
		}
	}
	return out
}

// entryLine gives the end of the last line of entry i, with a comment on it.
func (e *editor) entryLine(n *node, i int) int { return e.lineEnd(n.entryEnd(i)) }

// keepsBlanks reports a block text with "+": blank lines behind it belong to its value.
func (e *editor) keepsBlanks(leaf *node) bool {
	return leaf.style.block() && leaf.target == nil && readBlockHeader(e.text, leaf.content).chomp == '+'
}

// ownLine reports that only blanks stand before i on its line.
func (e *editor) ownLine(i int) bool { return skipBlank(e.text, e.lineStart(i)) == i }

func (e *editor) lineStart(i int) int { return e.lines.lineStart(i) }
func (e *editor) nextLine(i int) int  { return e.lines.nextLine(i) }
func (e *editor) lineEnd(i int) int   { return lineEnd(e.text, i) }

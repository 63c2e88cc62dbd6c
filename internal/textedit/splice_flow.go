package textedit

import (
	"bytes"
	"strings"

	"github.com/open-agent-profile/oap/canonical"
)

// flowEntries carries out a plan in a collection in brackets, of JSON or YAML, on one line or on several,
// with comments between the entries or without.
func (e *editor) flowEntries(n *node, p plan, at canonical.Pointer, peers template) {
	gone := e.reuse(n, p, at, peers)
	for i := range n.vals {
		e.addFlow(n, i, p.add[i], at, peers)
		if p.fate[i].keep {
			e.entry(n, i, p.fate[i].want, at, peers)
		}
	}
	e.addFlow(n, len(n.vals), p.add[len(n.vals)], at, peers)
	e.dropFlow(n, gone)
}

// reuse gives the place of entries that go to those that come between the same neighbours, so that commas
// and comments between entries stay as they are. It gives the entries that go without a successor.
func (e *editor) reuse(n *node, p plan, at canonical.Pointer, peers template) (gone []bool) {
	gone = make([]bool, len(n.vals))
	p.runs(func(first, end int) {
		adds := p.add[first]
		p.add[first] = nil
		for i := first; i < end; i++ {
			if len(adds) == 0 {
				gone[i] = true
				continue
			}
			e.note(n.starts[i], n.entryEnd(i), e.renderFlow(n, adds[0], at, peers, e.indentAt(n.starts[i])))
			adds = adds[1:]
		}
		p.add[end] = adds
	})
	return gone
}

// addFlow puts new entries between the old entries i-1 and i.
func (e *editor) addFlow(n *node, i int, adds []addition, at canonical.Pointer, peers template) {
	if len(adds) == 0 {
		return
	}
	near := max(i-1, 0) // the neighbour whose place tells about lines
	if len(n.vals) == 0 {
		e.fillFlow(n, adds, at, peers)
		return
	}
	indent := e.indentAt(n.starts[near])
	ownLine := e.beginsLine(n.starts[near])
	separator := "," + e.gapText(n)
	if ownLine {
		separator = "," + e.yaml.eol + indent
	}
	texts := make([]string, len(adds))
	for k, a := range adds {
		texts[k] = e.renderFlow(n, a, at, peers, indent)
	}
	all := strings.Join(texts, separator)
	if i == 0 {
		e.note(n.starts[0], n.starts[0], all+separator)
		return
	}
	end := n.entryEnd(i - 1)
	comma := skipSpace(e.text, end)
	last := i == len(n.vals)
	// A comment behind an entry stays behind it: the new entry goes on the line below. JSON has no comments
	// and takes the last branch.
	switch hasComma := byteAt(e.text, comma) == ','; {
	case ownLine && hasComma && e.commentFollows(comma+1) && (!last || e.closesLater(n, comma)):
		e.note(e.flowNextLine(comma), e.flowNextLine(comma), indent+all+","+e.yaml.eol)
	case ownLine && !hasComma && e.commentFollows(end) && e.closesLater(n, end):
		e.note(end, end, ",")
		e.note(e.flowNextLine(end), e.flowNextLine(end), indent+all+e.yaml.eol)
	default:
		e.note(end, end, separator+all)
	}
}

// commentFollows reports a comment on the rest of the line.
func (e *editor) commentFollows(i int) bool { return byteAt(e.text, skipBlank(e.text, i)) == '#' }

// closesLater reports that the bracket stands on a later line than offset i.
func (e *editor) closesLater(n *node, i int) bool { return e.flowLineEnd(i) < n.end-1 }

// fillFlow puts entries into brackets that hold nothing but comments.
func (e *editor) fillFlow(n *node, adds []addition, at canonical.Pointer, peers template) {
	closer := n.end - 1
	indent := e.indentAt(closer)
	texts := make([]string, len(adds))
	for k, a := range adds {
		texts[k] = e.renderFlow(n, a, at, peers, indent)
	}
	if all := strings.Join(texts, ", "); e.beginsLine(closer) {
		step := strings.Repeat(" ", e.yaml.step)
		e.note(closer-len(indent), closer-len(indent), indent+step+all+e.yaml.eol)
	} else {
		e.note(closer, closer, all)
	}
}

// gapText is what stands between a comma and the next entry on the same line.
func (e *editor) gapText(n *node) string {
	for i := 1; i < len(n.vals); i++ {
		gap := e.text[n.entryEnd(i-1):n.starts[i]]
		_, rest, _ := bytes.Cut(gap, []byte{','})
		if bytes.IndexByte(gap, '#') < 0 && !hasBreak(gap) {
			return string(rest)
		}
	}
	if e.isJSON() {
		return e.json.json.comma[1:]
	}
	return " "
}

// dropFlow deletes entries with the comma that belongs to them.
func (e *editor) dropFlow(n *node, gone []bool) {
	// Entries at the end have no comma behind them: the one before them goes instead.
	tail := len(n.vals)
	for tail > 0 && gone[tail-1] {
		tail--
	}
	for i := range tail {
		if gone[i] {
			e.dropOne(n, i)
		}
	}
	if tail == len(n.vals) {
		return
	}
	end := n.entryEnd(len(n.vals) - 1)
	from := n.content + 1
	if tail > 0 {
		from = n.entryEnd(tail - 1)
	} else if c := skipSpace(e.text, end); byteAt(e.text, c) == ',' {
		end = c + 1
	}
	if !e.commentsBetween(n, tail, from) {
		if tail == 0 && bytes.IndexByte(e.text[end:n.end-1], '#') < 0 {
			end = n.end - 1
		}
		e.note(from, end, "")
		return
	}
	if c := skipSpace(e.text, from); tail > 0 && byteAt(e.text, skipSpace(e.text, end)) != ',' && byteAt(e.text, c) == ',' {
		e.note(c, c+1, "")
	}
	for i := tail; i < len(n.vals); i++ {
		e.dropOne(n, i)
	}
}

// commentsBetween reports a comment between any two of the entries from first on, or before the first.
func (e *editor) commentsBetween(n *node, first, from int) bool {
	for i := first; i < len(n.vals); i++ {
		if bytes.IndexByte(e.text[from:n.starts[i]], '#') >= 0 {
			return true
		}
		from = n.entryEnd(i)
	}
	return false
}

// dropOne deletes one entry, its comma, and the whole lines if it has them for itself.
func (e *editor) dropOne(n *node, i int) {
	start, end := n.starts[i], n.entryEnd(i)
	if c := skipSpace(e.text, end); byteAt(e.text, c) == ',' && c < n.end {
		end = c + 1
	}
	line := e.flowLineEnd(end)
	rest := bytes.TrimLeft(e.text[end:line], " \t")
	switch {
	case e.beginsLine(start) && line < n.end && (len(rest) == 0 || rest[0] == '#'):
		start -= len(e.indentAt(start))
		end = e.flowNextLine(end)
	case i+1 < len(n.vals) && bytes.IndexByte(e.text[end:n.starts[i+1]], '#') < 0 && !hasBreak(e.text[end:n.starts[i+1]]):
		end = n.starts[i+1]
	}
	e.note(start, end, "")
}

// beginsLine reports that only blanks stand before i on its line.
func (e *editor) beginsLine(i int) bool {
	start := i - len(e.indentAt(i))
	return start == 0 || endsInBreak(e.text[:start])
}

// flowLineEnd is lineEnd, but in JSON a raw U+2028 or U+0085 ends no line.
func (e *editor) flowLineEnd(i int) int {
	if !e.isJSON() {
		return lineEnd(e.text, i)
	}
	if n := bytes.IndexAny(e.text[i:], "\r\n"); n >= 0 {
		return i + n
	}
	return len(e.text)
}

// flowNextLine gives the start of the next line.
func (e *editor) flowNextLine(i int) int {
	end := e.flowLineEnd(i)
	return end + breakLen(e.text, end)
}

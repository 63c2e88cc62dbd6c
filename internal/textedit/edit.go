package textedit

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/open-agent-profile/oap/canonical"
)

// Result is a new text and how it came about.
type Result struct {
	Text  []byte
	Edits []Edit // what to replace in the old text to get Text
	// Rerendered names the subtrees that had to be written anew; comments inside them are lost.
	Rerendered []string
}

// Edit replaces the bytes from Start to End of the old text. Edits are sorted and do not overlap.
type Edit struct {
	Start, End int
	Text       []byte
}

// Edit makes the text say want. Equal parts are not touched; what changes copies the layout of its
// siblings. The document itself stays as it is. The error is a [*canonical.ValueError] where want is no
// value, or a [*RefusedError] where no exact edit was found.
func (d *Document) Edit(want any, s Schema) (Result, error) {
	if err := canonical.Check(want); err != nil {
		return Result{}, err
	}
	if canonical.Equal(d.value, want) {
		return Result{Text: d.src}, nil
	}
	if _, ok := want.(map[string]any); !ok {
		return Result{}, &RefusedError{Reason: "a document must be a mapping"}
	}
	l := &ladder{doc: d, schema: s, layout: surveyLayout(d.text, d.root), modes: map[string]mode{}}
	if d.format == YAML || d.format == Markdown {
		l.lines = newBreaks(d.text)
	}
	return l.climb(want)
}

// apply gives the text with all edits made; ok is false if they overlap.
func apply(src []byte, edits []Edit) (text []byte, ok bool) {
	grow := 0
	for _, e := range edits {
		grow += len(e.Text)
	}
	text = make([]byte, 0, len(src)+grow)
	done := 0
	for _, e := range edits {
		if e.Start < done || e.End < e.Start || e.End > len(src) {
			return nil, false
		}
		text = append(append(text, src[done:e.Start]...), e.Text...)
		done = e.End
	}
	return append(text, src[done:]...), true
}

// tidy sorts the edits, cuts what an edit leaves as it was, and drops edits that change nothing. Edits at
// one place stay in the order in which the tree was walked, except that what is put there precedes what goes
// from there on.
func tidy(src []byte, edits []Edit) []Edit {
	slices.SortStableFunc(edits, func(a, b Edit) int {
		if a.Start != b.Start {
			return a.Start - b.Start
		}
		return min(a.End-a.Start, 1) - min(b.End-b.Start, 1)
	})
	out := edits[:0]
	for _, e := range edits {
		old := src[e.Start:e.End]
		for n := commonPrefix(old, e.Text); n > 0; n = 0 {
			old, e.Text = old[n:], e.Text[n:]
			e.Start += n
		}
		n := commonSuffix(old, e.Text)
		e.End -= n
		e.Text = e.Text[:len(e.Text)-n]
		if e.Start < e.End || len(e.Text) > 0 {
			out = append(out, e)
		}
	}
	return out
}

// commonPrefix counts the leading bytes that a and b share, in whole code points.
func commonPrefix(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	for n > 0 && (n < len(a) && !utf8.RuneStart(a[n]) || n < len(b) && !utf8.RuneStart(b[n])) {
		n--
	}
	return n
}

// commonSuffix counts the trailing bytes that a and b share, in whole code points.
func commonSuffix(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	for n > 0 && !utf8.RuneStart(a[len(a)-n]) {
		n--
	}
	return n
}

// bodyEdit changes the lines of a Markdown body that differ.
func (d *Document) bodyEdit(leaf any, found bool, eol string) ([]Edit, error) {
	b := d.body
	if !found {
		if !b.present {
			return nil, nil
		}
		return []Edit{{b.start, b.end, nil}}, nil
	}
	want, ok := leaf.(string)
	if !ok || !b.fits(want) {
		return nil, &RefusedError{d.opts.Body, bodyRule}
	}
	lines := strings.Split(strings.TrimSuffix(want, "\n"), "\n")
	if !b.present {
		text := eol + strings.Join(lines, eol) + eol
		if !endsInBreak(d.src[:b.after]) {
			text = eol + text
		}
		return []Edit{{b.after, len(d.src), []byte(text)}}, nil
	}
	// Line by line, so that lines that stay keep their line ends, whatever those are.
	old := bodyLines(d.src, b.start, b.end)
	for len(old) > 1 && len(lines) > 1 && unixLines(string(d.src[old[0]:old[1]])) == lines[0]+"\n" {
		old, lines = old[1:], lines[1:]
	}
	start, end := old[0], b.end
	for n := len(old); n > 1 && len(lines) > 1 && unixLines(string(d.src[old[n-1]:end])) == lines[len(lines)-1]; n = len(old) {
		end = lineBreakBefore(d.src, old[n-1])
		old, lines = old[:n-1], lines[:len(lines)-1]
	}
	return []Edit{{start, end, []byte(strings.Join(lines, eol))}}, nil
}

// bodyLines gives the first byte of every line between start and end.
func bodyLines(src []byte, start, end int) []int {
	starts := []int{start}
	for i := start; i < end; i++ {
		if src[i] == '\n' || src[i] == '\r' && byteAt(src, i+1) != '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// lineBreakBefore gives the first byte of the line break that ends at i.
func lineBreakBefore(src []byte, i int) int {
	if bytes.HasSuffix(src[:i], []byte("\r\n")) {
		return i - 2
	}
	return i - 1
}

// endsInBreak asks for LF or CR: what a text editor takes for the end of the last line.
func endsInBreak(text []byte) bool {
	return len(text) > 0 && (text[len(text)-1] == '\n' || text[len(text)-1] == '\r')
}

// verify applies edits and reads the result: it must hold exactly want.
func (d *Document) verify(edits []Edit, want any) ([]byte, error) {
	text, ok := apply(d.src, edits)
	if !ok {
		return nil, fmt.Errorf("the changes lie too close to each other")
	}
	again, err := Parse(text, d.format, d.opts)
	if err != nil {
		return nil, fmt.Errorf("the text would not be readable (%w)", err)
	}
	if !canonical.Equal(again.value, want) {
		return nil, d.misread(again.value, want)
	}
	return text, nil
}

// misread says where a result would differ from what was wanted. The usual cause is an alias.
func (d *Document) misread(got, want any) error {
	where := ""
	if places := canonical.Differences(got, want); len(places) > 0 {
		where = places[0]
	}
	p, err := canonical.ParsePointer(where)
	for n, i := d.root, 0; err == nil && i < len(p); i++ {
		c := n.child(p[i])
		if c < 0 {
			break
		}
		if n = n.vals[c]; n.target != nil {
			return fmt.Errorf("%s is an alias of the changed part (*%s)", p[:i+1].String(), n.target.anchor)
		}
	}
	return fmt.Errorf("%s would read differently", where)
}

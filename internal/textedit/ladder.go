package textedit

import (
	"github.com/open-agent-profile/oap/canonical"
)

// mode is how hard an edit tries at one place, and below it.
type mode uint8

const (
	exact      mode = iota
	inline          // no new block texts: comments or blank lines behind them could become text
	anew            // write the subtree anew
	anewInline      // the same without block texts
)

// ladder finds the gentlest edit that reads back as wanted. Almost always the first rung holds; the
// others cost one parse of the whole text for every try.
type ladder struct {
	doc    *Document
	schema Schema
	layout layout
	lines  *breaks
	modes  map[string]mode // by pointer of the old document
	tries  int
	err    error  // why the first try failed
	stuck  string // the member of the document that no rung could change
}

// What is spent at most on a document that resists: some seconds.
const (
	maxTries      = 200
	maxTriedBytes = 64 << 20
)

// exhausted always grants a few tries: a large file deserves the rungs, too.
func (l *ladder) exhausted() bool {
	return l.tries >= maxTries || l.tries > 8 && l.tries*len(l.doc.text) > maxTriedBytes
}

// climb tries the whole edit exactly, then without new block texts. If both fail, the places that resist are
// found one by one, so that one odd alias does not cost the comments of a whole section.
func (l *ladder) climb(want any) (Result, error) {
	d := l.doc
	front, leaf, found := want, any(nil), false
	var bodyEdits []Edit
	if d.body != nil {
		front, leaf, found = d.body.split(want, d.root.value)
		var err error
		if bodyEdits, err = d.bodyEdit(leaf, found, lineEndOf(d.src)); err != nil {
			return Result{}, err
		}
	}
	for _, m := range []mode{exact, inline} {
		l.modes = map[string]mode{"": m}
		if r, ok := l.try(front, want, bodyEdits); ok {
			return r, nil
		}
	}
	l.modes = map[string]mode{}
	old := d.root.value
	if l.settle(nil, old, front, func(v any) any { return v }) {
		if r, ok := l.try(front, want, bodyEdits); ok {
			return r, nil
		}
	}
	return Result{}, &RefusedError{l.stuck, l.err.Error()}
}

// try makes the edits towards front, plus those of the body, and reads the result back.
func (l *ladder) try(front, want any, bodyEdits []Edit) (Result, bool) {
	l.tries++
	e := newEditor(l)
	e.visit(l.doc.root, front)
	if e.err != nil {
		l.failed(e.err)
		return Result{}, false
	}
	edits := tidy(l.doc.text, e.edits)
	for i := range edits {
		edits[i].Start += l.doc.base
		edits[i].End += l.doc.base
	}
	edits = append(edits, bodyEdits...)
	text, err := l.doc.verify(edits, want)
	if err != nil {
		l.failed(err)
		return Result{}, false
	}
	return Result{text, edits, e.rerendered}, true
}

// failed keeps the first reason: the later tries are cruder, and so are their failures.
func (l *ladder) failed(err error) {
	if l.err == nil {
		l.err = err
	}
}

// settle chooses modes for the part at pointer so that changing that part alone reads back exactly. whole
// puts a value for the part into the old document.
func (l *ladder) settle(pointer canonical.Pointer, old, want any, whole func(any) any) bool {
	if canonical.Equal(old, want) {
		return true
	}
	key := pointer.String()
	// works tries one mode for this part alone: the rest of the document is wanted as it is.
	works := func(m mode) bool {
		if l.exhausted() {
			return false
		}
		if m != exact {
			l.modes[key] = m
		}
		front := whole(want)
		full := front
		if b := l.doc.body; b != nil && b.present {
			full = b.addTo(front)
		}
		_, ok := l.try(front, full, nil)
		return ok
	}
	if len(pointer) > 0 && (works(exact) || works(inline)) {
		return true
	}
	delete(l.modes, key)
	if l.settleParts(pointer, old, want, whole) && works(exact) {
		return true
	}
	if len(pointer) == 0 {
		return false // the document is never written anew
	}
	// What is written anew needs no modes below.
	for p := range l.modes {
		if q, err := canonical.ParsePointer(p); err == nil && q.HasPrefix(pointer) {
			delete(l.modes, p)
		}
	}
	if works(anew) || works(anewInline) {
		return true
	}
	delete(l.modes, key)
	if len(pointer) == 1 {
		l.stuck = key
	}
	return false
}

// settleParts settles the members or entries of a collection that both sides have.
func (l *ladder) settleParts(pointer canonical.Pointer, old, want any, whole func(any) any) bool {
	ok := true
	part := func(token string, old, want any, put func(any) any) {
		if ok {
			ok = l.settle(pointer.Append(token), old, want, func(v any) any { return whole(put(v)) })
		}
	}
	switch o := old.(type) {
	case map[string]any:
		w, same := want.(map[string]any)
		if !same {
			return false
		}
		keys, _ := order(l.schema, pointer, o)
		for _, k := range keys {
			if v, both := w[k]; both {
				part(k, o[k], v, func(v any) any { return withMember(o, canonical.Pointer{k}, v) })
			}
		}
	case []any:
		w, same := want.([]any)
		if !same {
			return false
		}
		// Only entries that stay are parts; those that come and go belong to the list itself.
		a := align(o, w, identity(l.schema, pointer))
		for i, j := range a.newOf {
			if j >= 0 && a.stays[i] {
				part(index(i), o[i], w[j], func(v any) any { return withEntry(o, i, v) })
			}
		}
	default:
		return false
	}
	return ok
}

// withEntry copies a list with another entry.
func withEntry(list []any, i int, v any) []any {
	out := append([]any(nil), list...)
	out[i] = v
	return out
}

package textedit

import (
	"bytes"

	"github.com/open-agent-profile/oap/canonical"
)

// yamlWriter writes values in the layout of a document. The library's encoder is not used: it changes
// some values and re-styles the rest (engine notes A2).
type yamlWriter struct {
	layout
	schema     Schema
	inlineOnly bool // no block texts
	width      int  // where folded text breaks; 0 means foldWidth
}

// slot is where a value goes: behind "key:" in a mapping at col, or behind "-" at col.
type slot struct {
	col  int
	dash bool
}

// value writes what follows a mark, beginning with the blank or line break behind the mark and ending
// without a line break.
func (w *yamlWriter) value(dst []byte, v any, at canonical.Pointer, s slot, t template) []byte {
	pad := 1
	if s.dash {
		pad = w.pad
	}
	switch x := v.(type) {
	case map[string]any:
		if len(x) == 0 || w.inFlow(v, at, t) {
			break
		}
		if s.dash {
			return w.members(w.blanks(dst, pad), x, at, s.col+1+pad, t, true)
		}
		return w.members(dst, x, at, s.col+w.step, t, false)
	case []any:
		if len(x) == 0 || w.inFlow(v, at, t) {
			break
		}
		if s.dash {
			return w.items(w.blanks(dst, pad), x, at, s.col+1+pad, t, true)
		}
		return w.items(dst, x, at, s.col+w.dash, t, false)
	case string:
		column := s.col + w.step
		if s.dash {
			column = s.col + 1 + pad
		}
		return w.appendText(w.blanks(dst, pad), x, w.style(x, t, false, false), column)
	}
	return w.flow(w.blanks(dst, pad), v, at, t)
}

// inFlow reports whether a filled collection goes in brackets: where its siblings do, or where lists of
// that name do elsewhere.
func (w *yamlWriter) inFlow(v any, at canonical.Pointer, t template) bool {
	k := listNode
	if _, ok := v.(map[string]any); ok {
		k = mapNode
	}
	if n := t.collection(k); n != nil {
		return n.flow
	}
	list, ok := v.([]any)
	if !ok || len(at) == 0 || !w.flowLists[at[len(at)-1]] {
		return false
	}
	for _, e := range list {
		switch e.(type) {
		case map[string]any, []any:
			return false
		}
	}
	return true
}

// members writes the members of a mapping at a column. The first one stays on the line that is begun if inline
// is set, as behind "- ".
func (w *yamlWriter) members(dst []byte, m map[string]any, at canonical.Pointer, col int, t template, inline bool) []byte {
	keys, _ := order(w.schema, at, m)
	for i, k := range keys {
		if i > 0 || !inline {
			dst = w.blanks(append(dst, w.eol...), col)
		}
		dst = w.member(dst, k, m[k], at, col, t)
	}
	return dst
}

// member writes "key: value".
func (w *yamlWriter) member(dst []byte, k string, v any, parent canonical.Pointer, col int, t template) []byte {
	dst = append(w.key(dst, k, false), ':')
	return w.value(dst, v, parent.Append(k), slot{col: col}, t.member(k))
}

// items writes the entries of a list, as members does.
func (w *yamlWriter) items(dst []byte, list []any, at canonical.Pointer, col int, t template, inline bool) []byte {
	items := t.items()
	for i, e := range list {
		if i > 0 || !inline {
			dst = w.blanks(append(dst, w.eol...), col)
		}
		dst = w.item(dst, e, at, col, items)
	}
	return dst
}

// item writes "- value". Any index will do in its pointer: the order of members does not depend on it.
func (w *yamlWriter) item(dst []byte, v any, list canonical.Pointer, col int, t template) []byte {
	return w.value(append(dst, '-'), v, list.Append("0"), slot{col: col, dash: true}, t)
}

// key quotes less often than a value is quoted: nobody copies the style of a sibling's key.
func (w *yamlWriter) key(dst []byte, k string, flow bool) []byte {
	st := plainStyle
	switch {
	case plainSafe(k, flow) && !readsOtherwise(k) && !isTimestamp(k):
	case w.quote == '\'':
		st = singleStyle
	default:
		st = doubleStyle
	}
	if containsEscape(k) {
		st = doubleStyle
	}
	return w.appendText(dst, k, st, 0)
}

// flow writes a scalar or a collection on one line.
func (w *yamlWriter) flow(dst []byte, v any, at canonical.Pointer, t template) []byte {
	switch x := v.(type) {
	case map[string]any:
		dst = append(dst, '{')
		keys, _ := order(w.schema, at, x)
		for i, k := range keys {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = append(w.key(dst, k, true), ": "...)
			dst = w.flow(dst, x[k], at.Append(k), t.member(k))
		}
		return append(dst, '}')
	case []any:
		dst = append(dst, '[')
		items := t.items()
		for i, e := range x {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = w.flow(dst, e, at.Append("0"), items)
		}
		return append(dst, ']')
	case string:
		return w.appendText(dst, x, w.style(x, t, false, true), 0)
	case float64:
		return appendNumber(dst, x)
	case bool:
		if x {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	}
	return append(dst, "null"...)
}

func (w *yamlWriter) blanks(dst []byte, n int) []byte {
	return append(dst, bytes.Repeat([]byte{' '}, n)...)
}

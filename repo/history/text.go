package history

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/internal/term"
	"github.com/open-agent-profile/oap/profile"
)

// Text writes what a document says, one thing a line, each with its whole pointer, so that any hunk of a
// line diff can be read by itself. Documents that are equal give equal texts, whatever encoding, order,
// quoting or comments their files have; entries stand in the order of their identity, sets in that of
// their texts. Contract comes first, then state, then history. Foreign text is escaped.
//
// It is for reading and comparing, not for reading back.
func Text(v map[string]any) []byte {
	w := &writer{}
	for _, name := range []string{"oap", "kind", "metadata", "extends", "spec"} {
		w.member(v, name)
	}
	for _, name := range names(v, nil) {
		if !slices.Contains(order, name) {
			w.member(v, name)
		}
	}
	w.member(v, "state")
	w.member(v, "history")
	return w.b.Bytes()
}

// order are the top-level members that have a place of their own.
var order = []string{"oap", "kind", "metadata", "extends", "spec", "state", "history"}

// sets are the lists of texts whose order means nothing (design section 9), by their last token.
var sets = map[string]bool{
	"tags": true, "refs": true, "allow": true, "deny": true, "scopes": true, "allow_hosts": true,
	"read_roots": true, "write_roots": true, "authors": true,
}

type writer struct{ b bytes.Buffer }

func (w *writer) member(v map[string]any, name string) {
	if x, ok := v[name]; ok {
		w.value(x, canonical.Pointer{name})
	}
}

func (w *writer) value(v any, at canonical.Pointer) {
	switch x := v.(type) {
	case map[string]any:
		if len(x) == 0 {
			w.line(at, "{}")
		}
		for _, name := range names(x, nil) {
			w.value(x[name], at.Append(name))
		}
	case []any:
		w.list(x, at)
	case string:
		w.text(x, at)
	default:
		w.line(at, scalar(v))
	}
}

func (w *writer) list(x []any, at canonical.Pointer) {
	if len(x) == 0 {
		w.line(at, "[]")
		return
	}
	if list, ids := entries(x, at); ids != nil {
		member := profile.Identity(at)
		places := make([]int, len(ids))
		for i := range places {
			places[i] = i
		}
		slices.SortFunc(places, func(a, b int) int { return strings.Compare(ids[a], ids[b]) })
		for _, i := range places {
			w.value(list[i], at.Append(member+":"+ids[i]))
		}
		return
	}
	if texts(x) {
		items := make([]string, len(x))
		for i, v := range x {
			items[i] = v.(string)
		}
		if sets[at[len(at)-1]] {
			slices.Sort(items)
		}
		for _, s := range items {
			w.text(s, at.Append("-"))
		}
		return
	}
	if at.String() == "/history" {
		for _, v := range x {
			w.line(at.Append("-"), compact(v))
		}
		return
	}
	for i, v := range x {
		w.value(v, at.Append(fmt.Sprint(i)))
	}
}

// text writes a string: on the line of its pointer, or indented below it where it has several lines.
func (w *writer) text(s string, at canonical.Pointer) {
	if !strings.Contains(s, "\n") {
		w.line(at, quoted(s))
		return
	}
	w.line(at, "|")
	for l := range strings.SplitSeq(strings.TrimSuffix(s, "\n"), "\n") {
		w.b.WriteString(strings.TrimRight("    "+term.Escape(l), " ") + "\n")
	}
	if !strings.HasSuffix(s, "\n") {
		w.b.WriteString("    (no line end)\n")
	}
}

func (w *writer) line(at canonical.Pointer, s string) {
	fmt.Fprintf(&w.b, "%s: %s\n", term.Escape(at.String()), s)
}

// quoted shows a text bare unless it could be taken for something else.
func quoted(s string) string {
	var other any
	if s == "" || s == "|" || s == "{}" || s == "[]" || strings.TrimSpace(s) != s || json.Unmarshal([]byte(s), &other) == nil {
		return term.Escape(compact(s))
	}
	return term.Escape(s)
}

func scalar(v any) string { return term.Escape(compact(v)) }

// compact is canonical JSON, or a mark where there is none.
func compact(v any) string {
	text, err := canonical.JCS(v)
	if err != nil {
		return "?"
	}
	return term.Escape(string(text))
}

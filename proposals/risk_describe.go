package proposals

import (
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/open-agent-profile/oap/canonical"
)

// Kinds of changes.
const (
	Added   = "added"
	Removed = "removed"
	Changed = "changed"
)

// Change is one line of the difference between two contracts.
type Change struct {
	Pointer string `json:"pointer"` // of the value, of the list for an entry of one; named entries as "name:x"
	Kind    string `json:"kind"`
	Old     string `json:"old,omitempty"` // short text, see [Describe]; "" where added
	New     string `json:"new,omitempty"` // "" where removed
}

// String gives the change without its place: "+ shell", "- shell", "deny -> allow".
func (c Change) String() string {
	switch c.Kind {
	case Added:
		return "+ " + c.New
	case Removed:
		return "- " + c.Old
	}
	return c.Old + " -> " + c.New
}

// Describe lists what differs between two contracts, sorted by place: objects member by member, lists entry by
// entry, entries with names by their names. What belongs to sessions and to the applicator is
// left out, as in [Rate].
//
// Texts stand as they are where they fit on a line and cannot be taken for another value; else they are
// quoted, and cut around what differs.
func Describe(before, after map[string]any) []Change {
	var d describer
	x, y := contractPart(before), contractPart(after)
	for _, name := range union(x, y) {
		d.value(canonical.Pointer{name}, partOf(x, name), partOf(y, name))
	}
	return d.changes
}

// contractPart is the document as far as people write it.
func contractPart(doc map[string]any) map[string]any {
	out := maps.Clone(doc)
	delete(out, "state")
	delete(out, "history")
	if metadata, ok := out["metadata"].(map[string]any); ok {
		metadata = maps.Clone(metadata)
		delete(metadata, "revision")
		delete(metadata, "updated_at")
		out["metadata"] = metadata
	}
	return out
}

type describer struct{ changes []Change }

func (d *describer) add(at canonical.Pointer, kind, before, after string) {
	d.changes = append(d.changes, Change{at.String(), kind, before, after})
}

func (d *describer) value(at canonical.Pointer, b, a part) {
	if b.equal(a) {
		return
	}
	if x, y, ok := objects(b, a); ok && len(x)+len(y) > 0 {
		for _, name := range union(x, y) {
			d.value(at.Append(name), partOf(x, name), partOf(y, name))
		}
		return
	}
	x, xok := b.list()
	y, yok := a.list()
	if xok && yok && len(x)+len(y) > 0 {
		d.list(at, b, a, x, y)
		return
	}
	switch {
	case !b.ok:
		d.add(at, Added, "", short(a.v))
	case !a.ok:
		d.add(at, Removed, short(b.v), "")
	default:
		before, after := shortPair(b.v, a.v)
		d.add(at, Changed, before, after)
	}
}

// objects reads both parts as objects.
func objects(b, a part) (x, y map[string]any, ok bool) {
	x, xok := b.object()
	y, yok := a.object()
	return x, y, xok && yok
}

// list tells lists apart by entries: by name where all have one, else by value. A list shown whole, old and
// new, is how a dropped entry gets past a reviewer.
func (d *describer) list(at canonical.Pointer, b, a part, x, y []any) {
	n := len(d.changes)
	was, bok := byName(b)
	is, aok := byName(a)
	if bok && aok {
		for _, name := range union(was, is) {
			d.named(at.Append("name:"+name), name, partOf(was, name), partOf(is, name))
		}
	} else {
		for _, v := range minus(x, y) {
			d.add(at, Removed, short(v), "")
		}
		for _, v := range minus(y, x) {
			d.add(at, Added, "", short(v))
		}
	}
	if n == len(d.changes) { // another order, or an empty list for none
		before, after := shortPair(x, y)
		d.add(at, Changed, before, after)
	}
}

// named describes an entry by its other members; the name stands in the pointer.
func (d *describer) named(at canonical.Pointer, name string, b, a part) {
	x, _ := b.object()
	y, _ := a.object()
	switch {
	case !b.ok && len(y) == 1:
		d.add(at, Added, "", short(name))
	case !a.ok && len(x) == 1:
		d.add(at, Removed, short(name), "")
	default:
		for _, member := range union(x, y) {
			if member != "name" {
				d.value(at.Append(member), partOf(x, member), partOf(y, member))
			}
		}
	}
}

// minus gives the entries of a beyond those of b, each as often as it is there too often.
func minus(a, b []any) []any {
	spare := make(map[string]int, len(b))
	for _, v := range b {
		spare[jcs(v)]++
	}
	var out []any
	for _, v := range a {
		if key := jcs(v); spare[key] > 0 {
			spare[key]--
		} else {
			out = append(out, v)
		}
	}
	return out
}

// jcs is a value as text. What canonical JSON cannot hold still gets one, since reviewing must not fail.
func jcs(v any) string {
	text, err := canonical.JCS(v)
	if err != nil {
		return fmt.Sprintf("(unreadable: %s)", err)
	}
	return string(text)
}

const (
	shortest = 80 // runes of a value that are shown
	lead     = 20 // of them before the first difference
)

// short gives a value on one line.
func short(v any) string {
	text, _ := shortPair(v, v)
	return text
}

// shortPair gives two values on a line each. Where they are cut, the cut shows what differs.
func shortPair(b, a any) (before, after string) {
	x, y := line(b), line(a)
	// Both are cut at the same place; two texts that only differ far inside would look alike from the front.
	from := 0
	for from < len(x) && from < len(y) && x[from] == y[from] {
		from++
	}
	if from == len(x) && from == len(y) {
		from = 0
	}
	return cut(x, from), cut(y, from)
}

// line writes a value without line breaks and hidden characters. A text that could be taken for another
// kind of value is quoted.
func line(v any) string {
	s, isText := v.(string)
	if !isText {
		return visible(jcs(v))
	}
	var other any
	if s == "" || s != strings.TrimSpace(s) || s != visible(s) || json.Unmarshal([]byte(s), &other) == nil {
		return strconv.Quote(s)
	}
	return s
}

// visible writes what does not print as an escape sequence.
func visible(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strconv.IsPrint(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return b.String()
}

// cut keeps a window of s around byte from.
func cut(s string, from int) string {
	if utf8.RuneCountInString(s) <= shortest {
		return s
	}
	// The first byte that differs can lie within a rune.
	for from > 0 && from < len(s) && !utf8.RuneStart(s[from]) {
		from--
	}
	head, tail := []rune(s[:from]), []rune(s[from:])
	front, back := "", ""
	if len(head) > lead {
		head, front = head[len(head)-lead:], "…"
	}
	if room := shortest - len(head); len(tail) > room {
		tail, back = tail[:room], "…"
	}
	return front + string(head) + string(tail) + back
}

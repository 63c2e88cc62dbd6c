package merging

import (
	"bytes"
	"cmp"
	"maps"
	"strings"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/profile"
)

// text gives a text that says want. Where theirs differs from the base in nothing but its value, as after state
// commits, that is ours' text, edited. Else comments, quoting and order of theirs are worth keeping, too: the
// three texts are brought to the same stamp, which would otherwise always conflict, and git joins them by lines.
func (d documents) text(want map[string]any, join TextMerge) (profile.Edited, error) {
	if join != nil && d.base != nil && !d.plain() {
		if e, ok := d.joined(want, join); ok {
			return e, nil
		}
	}
	return d.ours.Edit(want)
}

// plain reports whether theirs is what editing the base's text gives.
func (d documents) plain() bool {
	e, err := d.base.Edit(d.theirs.Value)
	return err == nil && bytes.Equal(e.Text, d.theirs.Bytes())
}

// joined takes git's merge of the three texts if it says what is wanted, or nearly so and can be edited. With union,
// which puts entries that both sides appended one after the other, only the exact value will do.
func (d documents) joined(want map[string]any, join TextMerge) (profile.Edited, bool) {
	var texts [3][]byte
	for i, v := range []*profile.Document{d.ours, d.base, d.theirs} {
		e, err := v.Edit(restamped(v.Value, want))
		if err != nil {
			return profile.Edited{}, false
		}
		texts[i] = e.Text
	}
	for _, union := range []bool{false, true} {
		merged, conflicts, err := join(texts[0], texts[1], texts[2], union)
		if err != nil || conflicts > 0 && !union {
			continue
		}
		got, err := profile.ParseAs(d.ours.Path, merged, d.ours.Encoding)
		if err != nil || union && !canonical.Equal(got.Value, want) {
			continue
		}
		if e, err := got.Edit(want); err == nil && len(e.Rerendered) == 0 {
			return e, true
		}
	}
	return profile.Edited{}, false
}

// restamped gives v the revision, times and history of another document.
func restamped(v, from map[string]any) map[string]any {
	out := maps.Clone(v)
	move := func(object string, names ...string) {
		to, _ := v[object].(map[string]any)
		src, _ := from[object].(map[string]any)
		if to == nil || src == nil {
			return
		}
		to = maps.Clone(to)
		for _, n := range names {
			if x, ok := src[n]; ok {
				to[n] = x
			} else {
				delete(to, n)
			}
		}
		out[object] = to
	}
	move("metadata", "revision", "updated_at")
	move("state", "revision", "updated_at")
	if h, ok := from["history"]; ok {
		out["history"] = h
	} else {
		delete(out, "history")
	}
	return out
}

// marked gives git's text with markers for two values that differ only where a person has to choose. Both are
// written into ours' text, so that all that is settled is the same in both and only conflicts are marked. Without a
// base git marks every line that differs.
func (d documents) marked(ours, theirs map[string]any, join TextMerge) ([]byte, error) {
	a, err := d.ours.Edit(ours)
	if err == nil {
		var b profile.Edited
		if b, err = d.ours.Edit(theirs); err == nil {
			merged, conflicts, err := join(a.Text, nil, b.Text, false)
			if err != nil || conflicts > 0 {
				return merged, err
			}
		}
	}
	return Marked(Versions{Ours: d.ours.Bytes(), Theirs: d.theirs.Bytes(), Base: bytesOf(d.base)}, join)
}

// Marked is git's own merge of the texts. Where git finds nothing to mark, though there is something to choose, the
// sides are compared without a base, so that every difference is marked: a text that looks settled but is not would be
// worse than a long conflict.
func Marked(v Versions, join TextMerge) ([]byte, error) {
	merged, conflicts, err := join(v.Ours, v.Base, v.Theirs, false)
	if err == nil && conflicts == 0 {
		merged, _, err = join(v.Ours, nil, v.Theirs, false)
	}
	return merged, err
}

// Whole marks both texts as one conflict, where even git could not be asked.
func Whole(v Versions, l Labels) []byte {
	size := l.Size
	if size <= 0 {
		size = 7
	}
	var b bytes.Buffer
	line := func(mark, label string) {
		if n := b.Len(); n > 0 && b.Bytes()[n-1] != '\n' {
			b.WriteByte('\n')
		}
		b.WriteString(strings.TrimRight(strings.Repeat(mark, size)+" "+label, " ") + "\n")
	}
	line("<", cmp.Or(l.Ours, "ours"))
	b.Write(v.Ours)
	line("=", "")
	b.Write(v.Theirs)
	line(">", cmp.Or(l.Theirs, "theirs"))
	return b.Bytes()
}

func bytesOf(d *profile.Document) []byte {
	if d == nil {
		return nil
	}
	return d.Bytes()
}

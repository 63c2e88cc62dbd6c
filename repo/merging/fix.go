package merging

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/delta"
	"github.com/open-agent-profile/oap/profile"
)

// FixOptions say how to repair.
type FixOptions struct {
	Now      time.Time
	By       string // who repairs, for the history
	Widening Widening
}

// Fixed is a repaired profile.
type Fixed struct {
	Path     string
	Document *profile.Document
	Sections []string // what differs from the document before, all of it where that could not be read
	Done     []string // what was repaired, one sentence each
}

// NotFixedError says what a person has to settle in a profile.
type NotFixedError struct {
	Path      string
	Conflicts []delta.Conflict
	Err       error // where no conflict is the reason
}

func (e *NotFixedError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s cannot be repaired: %v", e.Path, e.Err)
	}
	return fmt.Sprintf("%s: %s: %s", e.Path, e.Conflicts[0].Pointer, e.Conflicts[0].Reason)
}

// Unwrap gives the cause.
func (e *NotFixedError) Unwrap() error { return e.Err }

// Fix repairs what text merges get wrong, and makes the result a revision of its own. It settles markers by meaning,
// joins entries that stand twice, brings back what a merge lost, and orders the history. The error is a
// [*NotFixedError].
func Fix(c *Checked, o FixOptions) (*Fixed, error) {
	f := &fixer{c: c, o: o, out: &Fixed{Path: c.Path}}
	doc, want, err := f.value()
	if err == nil {
		err = f.finish(doc, want)
	}
	if err != nil {
		if e, ok := err.(*NotFixedError); ok {
			return nil, e
		}
		return nil, &NotFixedError{Path: c.Path, Err: err}
	}
	return f.out, nil
}

type fixer struct {
	c   *Checked
	o   FixOptions
	out *Fixed
}

func (f *fixer) did(format string, args ...any) {
	f.out.Done = append(f.out.Done, fmt.Sprintf(format, args...))
}

// value gives the document whose text is edited, and what it is to say.
func (f *fixer) value() (*profile.Document, map[string]any, error) {
	doc := f.c.doc
	if doc == nil {
		var err error
		if doc, err = f.markers(); err != nil {
			return nil, nil, err
		}
	}
	want, err := f.twice(doc.Value)
	if err != nil {
		return nil, nil, err
	}
	if want, err = f.restore(want); err != nil {
		return nil, nil, err
	}
	return doc, f.ordered(want), nil
}

// markers settles a text that still holds git's conflicts: its two readings are merged by meaning.
func (f *fixer) markers() (*profile.Document, error) {
	ours, base, theirs, at := split(f.c.text)
	if at == 0 {
		return nil, fmt.Errorf("it is no document")
	}
	if base == nil && f.c.origin != nil {
		base = bytesOf(f.c.origin.base)
	}
	if base != nil {
		if _, err := Read(f.c.Path, base); err != nil {
			base = nil
		}
	}
	d, err := Versions{Path: f.c.Path, Base: base, Ours: ours, Theirs: theirs}.read()
	if err != nil {
		return nil, err
	}
	m := delta.Merge(valueOf(d.base), d.ours.Value, d.theirs.Value, delta.MergeOptions{Widening: f.o.Widening})
	if len(m.Conflicts) > 0 {
		return nil, &NotFixedError{Path: f.c.Path, Conflicts: m.Conflicts}
	}
	e, err := d.ours.Edit(m.Value)
	if err != nil {
		return nil, err
	}
	f.did("settled the conflict that git had left at line %d", at)
	return e.Document, nil
}

// twice joins entries of one name by the rules for entries that both sides added, or changed where the common
// ancestor has them.
func (f *fixer) twice(v map[string]any) (map[string]any, error) {
	state, _ := v["state"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(state)) {
		at := canonical.Pointer{"state", name}
		key := profile.Identity(at)
		list, _ := state[name].([]any)
		if key == "" {
			continue
		}
		for {
			first, second, id := double(list, key)
			if second < 0 {
				break
			}
			without := slices.Delete(slices.Clone(list), second, second+1)
			other := slices.Clone(without)
			other[first] = list[second]
			base := slices.Delete(slices.Clone(without), first, first+1)
			if was, ok := f.ancestral(at, key, id); ok {
				base = slices.Clone(without)
				base[first] = was
			}
			m := delta.Merge(withList(v, name, base), withList(v, name, without), withList(v, name, other), delta.MergeOptions{})
			if len(m.Conflicts) > 0 {
				return nil, &NotFixedError{Path: f.c.Path, Conflicts: m.Conflicts}
			}
			v = m.Value
			state, _ = v["state"].(map[string]any)
			list, _ = state[name].([]any)
			f.did("joined two entries %s", at.Append(key+":"+id))
		}
	}
	return v, nil
}

// double finds the first entry that stands twice.
func double(list []any, key string) (first, second int, id string) {
	seen := map[string]int{}
	for i, e := range list {
		m, _ := e.(map[string]any)
		s, ok := m[key].(string)
		if !ok {
			continue
		}
		if was, ok := seen[s]; ok {
			return was, i, s
		}
		seen[s] = i
	}
	return -1, -1, ""
}

func withList(v map[string]any, name string, list []any) map[string]any {
	out := maps.Clone(v)
	state, _ := v["state"].(map[string]any)
	state = maps.Clone(state)
	state[name] = list
	out["state"] = state
	return out
}

// ancestral is the entry in the common ancestor of a merge.
func (f *fixer) ancestral(at canonical.Pointer, key, id string) (any, bool) {
	if f.c.origin == nil || f.c.origin.base == nil {
		return nil, false
	}
	return profile.Lookup(f.c.origin.base.Value, at.Append(key+":"+id))
}

// restore brings in what the merge by meaning of a merge's parents has and the merge itself lost. Where a person
// decided otherwise, the decision stays.
func (f *fixer) restore(v map[string]any) (map[string]any, error) {
	lost := slices.ContainsFunc(f.c.Findings, func(x profile.Finding) bool { return x.Rule == RuleLost })
	o := f.c.origin
	if !lost || o == nil || len(o.parents) != 2 {
		return v, nil
	}
	base := valueOf(o.base)
	expected := delta.Merge(base, o.parents[0].Value, o.parents[1].Value, delta.MergeOptions{})
	// Contract and log are as the merge has them: only state is brought back.
	source := maps.Clone(v)
	source["state"] = expected.Value["state"]
	under := maps.Clone(v)
	under["state"] = base["state"]
	m := delta.Merge(under, v, source, delta.MergeOptions{})
	f.did("brought back what the merge had dropped")
	return m.Value, nil
}

// ordered sorts the history by revision and time, each entry once.
func (f *fixer) ordered(v map[string]any) map[string]any {
	old, _ := v["history"].([]any)
	if len(old) == 0 {
		return v
	}
	var list []any
	for _, e := range old {
		if !slices.ContainsFunc(list, func(x any) bool { return canonical.Equal(x, e) }) {
			list = append(list, e)
		}
	}
	slices.SortStableFunc(list, func(a, b any) int {
		x, _ := a.(map[string]any)
		y, _ := b.(map[string]any)
		p, _ := x["revision"].(float64)
		q, _ := y["revision"].(float64)
		return cmp.Or(cmp.Compare(p, q), latest(map[string]any{"history": []any{a}}).Compare(latest(map[string]any{"history": []any{b}})))
	})
	if canonical.Equal(list, old) {
		return v
	}
	f.did("put the history in order")
	out := maps.Clone(v)
	out["history"] = list
	return out
}

// finish stamps the revision behind every other that is known, and writes the text.
func (f *fixer) finish(doc *profile.Document, v map[string]any) error {
	highest := profile.RevisionOf(v)
	entries, _ := v["history"].([]any)
	for _, e := range entries {
		m, _ := e.(map[string]any)
		if n, ok := m["revision"].(float64); ok {
			highest = max(highest, int(n))
		}
	}
	if f.c.origin != nil {
		for _, p := range f.c.origin.parents {
			highest = max(highest, p.Revision())
		}
	}
	out := maps.Clone(v)
	metadata, _ := v["metadata"].(map[string]any)
	metadata = maps.Clone(metadata)
	if metadata == nil {
		return fmt.Errorf("it has no metadata")
	}
	metadata["revision"] = float64(highest)
	out["metadata"] = metadata
	f.out.Sections = []string{"metadata", "spec", "state"}
	if f.c.doc != nil {
		f.out.Sections = sections(f.c.doc.Value, v)
	}
	s, err := delta.Stamp(out, delta.Mark{Now: later(f.o.Now, out), By: f.o.By, Change: "Repaired a text merge.", Sections: f.out.Sections})
	if err != nil {
		return err
	}
	if state, ok := v["state"]; ok {
		s.Doc["state"] = state // nothing new was learned
	}
	e, err := doc.Edit(s.Doc)
	if err != nil {
		return err
	}
	if _, err := e.Document.Validate(); err != nil {
		return err
	}
	f.did("made it revision %d", s.Revision)
	f.out.Document = e.Document
	return nil
}

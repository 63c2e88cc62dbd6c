package merging

import (
	"bytes"
	"fmt"
	"time"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/delta"
	"github.com/open-agent-profile/oap/profile"
)

// TextMerge is git merge-file: it joins texts by lines and says how many conflicts it marked. With union it takes
// both sides of each instead.
type TextMerge func(ours, base, theirs []byte, union bool) (merged []byte, conflicts int, err error)

// Widening reports where a merged contract grants what neither side grants; see [delta.MergeOptions].
type Widening func(merged, ours, theirs map[string]any) []string

// Options say how to merge. The zero value merges by meaning and gives no text for conflicts.
type Options struct {
	Widening Widening
	// Text places comments of the other side, and marks conflicts. Nil does without both.
	Text TextMerge
	// Now is for the stamp; zero takes the latest time that either side names, so that the same versions
	// give the same bytes on every machine.
	Now    time.Time
	By     string // who merges, for the history; "" is "oap"
	Change string // what happened, for the history; "" says which revisions met
	// Unstamped leaves revision, times and history as the versions have them, for branches that never carry
	// them (design section 3).
	Unstamped bool
}

// Result is what became of the versions.
type Result struct {
	// Text is the merged document; with Conflicts it is the text with markers, nil where none could be made.
	Text       []byte
	Document   *profile.Document // of Text; nil with Conflicts
	Conflicts  []delta.Conflict
	Met        []string
	Warnings   []delta.Warning
	Lost       string   // the summary that gave way
	Rerendered []string // parts that were written anew; comments inside them are lost
	Stamped    bool     // the merge is a revision of its own
	Sections   []string // what differs from ours
}

// InvalidError says that two valid versions make a document that is not.
type InvalidError struct{ Err error }

func (e *InvalidError) Error() string {
	return fmt.Sprintf("the merged profile is not valid: %v", e.Err)
}

// Unwrap gives the findings.
func (e *InvalidError) Unwrap() error { return e.Err }

// Merge joins the versions. The revision is the highest of both plus one where both sides moved, else that of the
// side that moved (design section 9). Errors: [*SideError], [*InvalidError], [*textedit.RefusedError].
func Merge(v Versions, o Options) (*Result, error) {
	d, err := v.read()
	if err != nil {
		return nil, err
	}
	switch {
	case bytes.Equal(v.Ours, v.Theirs), d.base != nil && bytes.Equal(v.Base, v.Theirs):
		return &Result{Text: v.Ours, Document: d.ours}, nil
	case d.base != nil && bytes.Equal(v.Base, v.Ours):
		return &Result{Text: v.Theirs, Document: d.theirs, Sections: sections(d.ours.Value, d.theirs.Value)}, nil
	}
	return d.merge(o)
}

func (d documents) merge(o Options) (*Result, error) {
	mo := delta.MergeOptions{Widening: o.Widening}
	m := delta.Merge(valueOf(d.base), d.ours.Value, d.theirs.Value, mo)
	r := &Result{Conflicts: m.Conflicts, Met: m.Met, Warnings: m.Warnings, Lost: m.SummaryLost}
	want, err := d.stamp(m, o)
	if err != nil {
		return nil, err
	}
	if len(m.Conflicts) > 0 {
		if o.Text == nil {
			return r, nil
		}
		mo.Favour = delta.Theirs
		other, err := d.stamp(delta.Merge(valueOf(d.base), d.ours.Value, d.theirs.Value, mo), o)
		if err != nil {
			return nil, err
		}
		r.Text, err = d.marked(want, other, o.Text)
		return r, err
	}
	r.Stamped = m.BothMoved && !o.Unstamped && !canonical.Equal(d.ours.Value, d.theirs.Value)
	e, err := d.text(want, o.Text)
	if err != nil {
		return nil, err
	}
	if _, err := e.Document.Validate(); err != nil {
		return nil, &InvalidError{err}
	}
	r.Text, r.Document, r.Rerendered = e.Text, e.Document, e.Rerendered
	r.Sections = sections(d.ours.Value, e.Document.Value)
	return r, nil
}

// stamp makes the merged value a revision where both sides moved. The merge itself changes no state, and the counter
// of state holds what both sides did already, so it stays; so does the time if the caller has none of its own.
func (d documents) stamp(m *delta.Merged, o Options) (map[string]any, error) {
	if o.Unstamped || !m.BothMoved || canonical.Equal(d.ours.Value, d.theirs.Value) {
		return m.Value, nil
	}
	now := o.Now
	if now.IsZero() {
		now = latest(d.ours.Value, d.theirs.Value)
	} else {
		now = later(now, m.Value)
	}
	mark := delta.Mark{Now: now, By: o.By, Change: o.Change, Sections: sections(d.ours.Value, m.Value)}
	if mark.By == "" {
		mark.By = "oap"
	}
	if mark.Change == "" {
		mark.Change = fmt.Sprintf("Merged revision %d and revision %d.", d.ours.Revision(), d.theirs.Revision())
	}
	s, err := delta.Stamp(m.Value, mark)
	if err != nil {
		return nil, err
	}
	if state, ok := m.Value["state"]; ok {
		s.Doc["state"] = state
	}
	metadata, _ := s.Doc["metadata"].(map[string]any)
	merged, _ := m.Value["metadata"].(map[string]any)
	if at, ok := merged["updated_at"]; ok && o.Now.IsZero() {
		metadata["updated_at"] = at
	}
	return s.Doc, nil
}

// latest is the last instant that a document gives for a change; the first of all times where there is none.
func latest(docs ...map[string]any) time.Time {
	last := time.Unix(0, 0).UTC()
	take := func(v any) {
		s, _ := v.(string)
		if t, ok := delta.Instant(s); ok && t.After(last) {
			last = t
		}
	}
	for _, doc := range docs {
		for _, p := range []canonical.Pointer{{"metadata", "updated_at"}, {"state", "updated_at"}} {
			v, _ := canonical.Get(doc, p)
			take(v)
		}
		entries, _ := doc["history"].([]any)
		for _, e := range entries {
			m, _ := e.(map[string]any)
			take(m["at"])
		}
	}
	return last
}

// sections names the blocks in which two documents differ. Revision, time and history differ in every revision.
func sections(a, b map[string]any) []string {
	var out []string
	x, y := profile.Contract(a), profile.Contract(b)
	for _, name := range []string{"metadata", "spec"} {
		if !canonical.Equal(x[name], y[name]) {
			out = append(out, name)
		}
	}
	if !canonical.Equal(a["state"], b["state"]) {
		out = append(out, "state")
	}
	return out
}

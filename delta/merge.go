package delta

import (
	"fmt"

	"github.com/open-agent-profile/oap/canonical"
)

// Side names one of the two versions that meet.
type Side uint8

const (
	Ours   Side = iota // what stands: the tip of the branch
	Theirs             // what arrives
)

// MergeOptions are what a merge cannot see in the three documents. The zero value is good.
type MergeOptions struct {
	// OursEnded and TheirsEnded are when the sessions ended (RFC 3339), where that is known. The later
	// one's summary wins; else that of the later state.updated_at where both sides have a new one; else
	// theirs, which arrives later.
	OursEnded, TheirsEnded string

	// OursEvicted and TheirsEvicted report whether an entry ("/state/facts/id:x") that a side no longer
	// has was dropped by retention, as its commits tell, and not by a session. Nil lets Merge find out
	// by running the side's own policy at the side's own metadata.updated_at.
	OursEvicted, TheirsEvicted func(pointer string) bool

	// Widening reports the places at which a merged contract grants what neither side grants; each
	// becomes a conflict. It is asked only where the contract is that of neither side. What grants
	// mean is not known here: without it, two harmless changes can add up unnoticed.
	Widening func(merged, ours, theirs map[string]any) []string

	// Favour is the side whose value the result has where there is a conflict.
	Favour Side
}

// Merged is what became of two versions.
type Merged struct {
	Value     map[string]any
	Conflicts []Conflict // in document order of the walk; while there are any, Value is not settled
	Met       []string   // places both sides changed and that merged: entries, sets of the contract, the summary
	Warnings  []Warning

	SummaryLost string // the text of "/state/summary" that gave way
	BothMoved   bool   // both sides have a new revision; Value has the higher, which Stamp counts up
}

// Conflict is a place that a person has to settle. A nil value stands for "not there".
type Conflict struct {
	Pointer            string // entries by identity
	Base, Ours, Theirs any
	Reason             string // one sentence without the pointer
}

// Rules of warnings that Merge gives.
const (
	RuleSummary  = "summary-rewritten"   // both sides wrote a summary
	RuleBack     = "evicted-entry-back"  // retention dropped what the other side still works with
	RuleUsedGone = "removed-though-used" // a session removed what the other side only used
	RuleSource   = "source-dropped"      // one statement, two sources
)

// Merge joins two documents that grew from base, which is empty where they have no common ancestor
// (design section 9). A side that changed nothing gives way to the other, place by place. Members merge
// inside objects and entries; entries meet by id, term or name, sets by value; every other list is one
// value. Counters add their growth, stamps take the later, the log is the union of what both still have.
// Order: that of base, then what ours added, then theirs.
//
// An entry that one side removed and the other changed is a conflict; if retention removed it, it comes
// back; if the other side only used it, it goes, with a warning. Whose words are not whose confidence:
// new words on one side conflict with new words, confidence or source on the other.
//
// The arguments stay as they are and share parts with the result. Two sides that each hold valid lists
// never make a longer one than the schema takes: that is a conflict. Validate the result all the same.
func Merge(base, ours, theirs map[string]any, o MergeOptions) *Merged {
	m := &merger{MergeOptions: o, base: base, ours: ours, theirs: theirs, out: &Merged{}}
	m.out.BothMoved = moved(base, ours) && moved(base, theirs)
	m.out.Value = m.object(base, ours, theirs, documentShape, nil)
	m.widening()
	return m.out
}

type merger struct {
	MergeOptions
	base, ours, theirs map[string]any
	out                *Merged
}

// part is a value or its absence.
type part struct {
	v  any
	ok bool
}

// partOf reads a member, which may be absent; a nil map has none.
func partOf(m map[string]any, name string) part {
	v, ok := m[name]
	return part{v, ok}
}

// equal holds two absences for the same, and absence and null for different.
func (a part) equal(b part) bool {
	return a.ok == b.ok && (!a.ok || canonical.Equal(a.v, b.v))
}

// moved reports whether a side has another revision than base; no revision is the first.
func moved(base, side map[string]any) bool {
	rev := func(doc map[string]any) any {
		if v, ok := canonical.Get(doc, canonical.Pointer{"metadata", "revision"}); ok {
			return v
		}
		return 1.0
	}
	return !canonical.Equal(rev(base), rev(side))
}

// conflict records a place and gives the favoured side.
func (m *merger) conflict(b, o, t part, at canonical.Pointer, reason string) part {
	m.out.Conflicts = append(m.out.Conflicts, Conflict{at.String(), b.v, o.v, t.v, reason})
	if m.Favour == Theirs {
		return t
	}
	return o
}

// clash is the conflict of two changes that exclude each other, in the words that fit.
func (m *merger) clash(b, o, t part, at canonical.Pointer) part {
	reason := "both sides changed it, differently"
	switch {
	case !b.ok:
		reason = "both sides added it, differently"
	case !o.ok:
		reason = "ours removed it, theirs changed it"
	case !t.ok:
		reason = "theirs removed it, ours changed it"
	}
	return m.conflict(b, o, t, at, reason)
}

// met notes a place that both sides changed and that came together.
func (m *merger) met(at canonical.Pointer) { m.out.Met = append(m.out.Met, at.String()) }

// warn notes what a person may want to know although nothing has to be settled.
func (m *merger) warn(rule string, at canonical.Pointer, format string, args ...any) {
	m.out.Warnings = append(m.out.Warnings, Warning{noIndex, at.String(), fmt.Sprintf(format, args...), rule})
}

// widening asks whether the contract grants too much. If so the favoured side's contract stands whole,
// because the grant comes from how its parts work together.
func (m *merger) widening() {
	spec, ours, theirs := partOf(m.out.Value, "spec"), partOf(m.ours, "spec"), partOf(m.theirs, "spec")
	if m.Widening == nil || spec.equal(ours) || spec.equal(theirs) {
		return
	}
	places := m.Widening(m.out.Value, m.ours, m.theirs)
	for _, place := range places {
		p, _ := canonical.ParsePointer(place)
		b, _ := canonical.Get(m.base, p)
		o, _ := canonical.Get(m.ours, p)
		t, _ := canonical.Get(m.theirs, p)
		m.out.Conflicts = append(m.out.Conflicts, Conflict{place, b, o, t, "merged, it would grant more than either side"})
	}
	if len(places) > 0 {
		put(m.out.Value, "spec", map[Side]part{Ours: ours, Theirs: theirs}[m.Favour])
	}
}

// put writes a member or its absence.
func put(m map[string]any, name string, p part) {
	if p.ok {
		m[name] = p.v
	} else {
		delete(m, name)
	}
}

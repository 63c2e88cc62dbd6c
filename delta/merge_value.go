package delta

import (
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/open-agent-profile/oap/canonical"
)

// maxHistory is the most entries that the schema takes.
const maxHistory = 500

const fullReason = "merged, it would have more entries than the format takes"

// value merges one place. Rules that turn two equal changes into more than one of them, counters above
// all, come before "the same change on both sides is one change"; objects reach them by recursion.
func (m *merger) value(b, o, t part, sh *shape, at canonical.Pointer) part {
	if o.equal(b) {
		return t
	}
	if t.equal(b) {
		return o
	}
	if sh.is(formCounter) {
		return m.counter(b, o, t, at)
	}
	if x, y, z, ok := objects(b, o, t, sh, at); ok {
		made := m.object(x, y, z, sh, at)
		return part{made, len(made) > 0 || o.ok && t.ok}
	}
	if o.equal(t) {
		return o
	}
	switch {
	case sh.is(formStamp):
		return m.stamp(b, o, t, at)
	case sh.is(formRevision):
		return m.revision(b, o, t, at)
	case sh.is(formSummary):
		return m.summary(o, t, at)
	case sh.listing():
		return m.list(b, o, t, sh, at)
	}
	return m.clash(b, o, t, at)
}

// objects tells whether the three merge member by member: both sides must be objects. In state a
// missing block is an empty one; in a contract its removal is a decision.
func objects(b, o, t part, sh *shape, at canonical.Pointer) (x, y, z map[string]any, ok bool) {
	x, _ = b.v.(map[string]any)
	y, okO := o.v.(map[string]any)
	z, okT := t.v.(map[string]any)
	lenient := sh.is(formObject) && at[0] == "state"
	return x, y, z, (okO || lenient && !o.ok) && (okT || lenient && !t.ok)
}

// object merges each member that any of the three has.
func (m *merger) object(b, o, t map[string]any, sh *shape, at canonical.Pointer) map[string]any {
	out := make(map[string]any, len(o))
	for _, name := range names(b, o, t) {
		put(out, name, m.value(partOf(b, name), partOf(o, name), partOf(t, name), sh.member(name), at.Append(name)))
	}
	return out
}

// counter adds both growths. A counter that is not there stands at zero.
func (m *merger) counter(b, o, t part, at canonical.Pointer) part {
	// A sum of growths is the same in both directions; adding one side to the other is not, in floats.
	var n [3]float64
	exact := true
	for i, p := range []part{b, o, t} {
		f, ok := p.v.(float64)
		if p.ok && !ok {
			return m.clash(b, o, t, at)
		}
		n[i] = f
		exact = exact && f == math.Trunc(f)
	}
	if !o.ok && !t.ok {
		return part{}
	}
	sum := max(0, n[0]+((n[1]-n[0])+(n[2]-n[0])))
	if !exact {
		// Sums of money get the digits that their parts had, not those of binary fractions.
		sum, _ = strconv.ParseFloat(strconv.FormatFloat(sum, 'g', 15, 64), 64)
	}
	return part{sum, true}
}

// stamp takes the later instant. Absence is the latest end and the earliest of everything else.
func (m *merger) stamp(b, o, t part, at canonical.Pointer) part {
	if !o.ok || !t.ok {
		if at[len(at)-1] == "expires_at" {
			return part{}
		}
		return either(o, t)
	}
	x, okX := instantIn(o)
	y, okY := instantIn(t)
	if !okX || !okY {
		return m.clash(b, o, t, at)
	}
	return byOrder(o, t, y.Compare(x))
}

// instantIn reads a time from a part, if it is one.
func instantIn(p part) (time.Time, bool) {
	s, _ := p.v.(string)
	return Instant(s)
}

// either gives the one that is there.
func either(o, t part) part {
	if o.ok {
		return o
	}
	return t
}

// byOrder gives t where order is above zero and o below. Equals, such as one instant in two spellings,
// are settled by text, so that both directions of a merge agree.
func byOrder(o, t part, order int) part {
	x, _ := o.v.(string)
	y, _ := t.v.(string)
	if order > 0 || order == 0 && y > x {
		return t
	}
	return o
}

// revision takes the higher number; counting it up for the merge itself is what Stamp does.
func (m *merger) revision(b, o, t part, at canonical.Pointer) part {
	x, okX := o.v.(float64)
	y, okY := t.v.(float64)
	switch {
	case o.ok && !okX || t.ok && !okY:
		return m.clash(b, o, t, at)
	case y > x:
		return t
	}
	return o
}

// summary is rewritten by almost every session, so it is never a conflict: the later session wins, and
// the other text is handed to the caller, who keeps it in the commit.
func (m *merger) summary(o, t part, at canonical.Pointer) part {
	won, lost := t, o
	if m.oursLater() {
		won, lost = o, t
	}
	if s, ok := lost.v.(string); ok {
		m.out.SummaryLost = s
	}
	m.met(at)
	m.warn(RuleSummary, at, "both sides rewrote the summary; the later session's stays")
	return won
}

// oursLater tells whose session came later, as far as it can be known; in doubt, what arrives is later.
func (m *merger) oursLater() bool {
	o, okO := Instant(m.OursEnded)
	t, okT := Instant(m.TheirsEnded)
	if okO && okT && !o.Equal(t) {
		return o.After(t)
	}
	// A side that only applied a delta still has base's stamp, which says nothing about the session.
	place := canonical.Pointer{"state", "updated_at"}
	was, _ := canonical.Get(m.base, place)
	x, _ := canonical.Get(m.ours, place)
	y, _ := canonical.Get(m.theirs, place)
	o, okO = instantIn(part{x, true})
	t, okT = instantIn(part{y, true})
	return okO && okT && !canonical.Equal(x, was) && !canonical.Equal(y, was) && o.After(t)
}

// list merges a list of known form. A missing list is an empty one; it stays missing where one side has
// none and nothing is left.
func (m *merger) list(b, o, t part, sh *shape, at canonical.Pointer) part {
	x, okB := b.v.([]any)
	y, okO := o.v.([]any)
	z, okT := t.v.([]any)
	fits := func(list []any) bool {
		return sh.is(formHistory) || sh.is(formSet) && distinct(list) || sh.is(formEntries) && addressable(list, sh)
	}
	if b.ok && !okB || o.ok && !okO || t.ok && !okT || !fits(x) || !fits(y) || !fits(z) {
		return m.clash(b, o, t, at)
	}
	var made []any
	switch {
	case sh.is(formEntries):
		made = m.entries(x, y, z, sh, at)
	case sh.is(formHistory):
		// The log is trimmed, not in conflict, when it gets too long.
		made = history(x, y, z)
	default:
		made = union(x, y, z, text)
		if at[0] != "state" {
			// An empty list of the contract can mean "no limit" (OAP facts a.5, allow_hosts).
			if len(made) == 0 && len(y) > 0 && len(z) > 0 {
				return m.conflict(b, o, t, at, "merged, nothing would be left of it")
			}
			m.met(at)
		}
	}
	if sh.max > 0 && len(made) > sh.max {
		return m.conflict(b, o, t, at, fullReason)
	}
	return part{made, len(made) > 0 || o.ok && t.ok}
}

// text is the key of a set's member.
func text(v any) string { s, _ := v.(string); return s }

// union keeps of base what both sides still have, then adds what is new in ours, then in theirs.
func union(b, o, t []any, key func(any) string) []any {
	index := func(list []any) map[string]bool {
		in := make(map[string]bool, len(list))
		for _, v := range list {
			in[key(v)] = true
		}
		return in
	}
	inB, inO, inT := index(b), index(o), index(t)
	out := make([]any, 0, max(len(o), len(t)))
	for _, v := range b {
		if k := key(v); inO[k] && inT[k] {
			out = append(out, v)
		}
	}
	for _, v := range o {
		if !inB[key(v)] {
			out = append(out, v)
		}
	}
	for _, v := range t {
		if k := key(v); !inB[k] && !inO[k] {
			out = append(out, v)
		}
	}
	return out
}

// history joins two logs by content, ordered by revision and then by time. What one side trimmed stays
// trimmed. Two entries of one revision are what happened, so no number changes.
func history(b, o, t []any) []any {
	out := union(b, o, t, func(v any) string {
		bytes, _ := canonical.JCS(v)
		return string(bytes)
	})
	slices.SortStableFunc(out, func(v, w any) int {
		x, _ := v.(map[string]any)
		y, _ := w.(map[string]any)
		p, _ := x["revision"].(float64)
		q, _ := y["revision"].(float64)
		if p != q {
			return int(math.Copysign(1, p-q))
		}
		return instantOf(x, "at").Compare(instantOf(y, "at"))
	})
	return TrimHistory(out, maxHistory)
}

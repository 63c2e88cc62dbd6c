package delta

import (
	"slices"

	"github.com/open-agent-profile/oap/canonical"
)

// entries merges lists of entries by identity: base's order, then ours' additions, then theirs'.
func (m *merger) entries(b, o, t []any, sh *shape, at canonical.Pointer) []any {
	inB, inO, inT := firstByID(b, sh), firstByID(o, sh), firstByID(t, sh)
	e := &entryMerger{merger: m, sh: sh, list: at}
	out := make([]any, 0, max(len(o), len(t)))
	seen := make(map[string]bool, len(o))
	for _, list := range [][]any{b, o, t} {
		for _, v := range list {
			id := sh.idOf(v)
			if seen[id] {
				continue
			}
			seen[id] = true
			e.at = at.Append(sh.keyed(v))
			if p := e.entry(inID(inB, id), inID(inO, id), inID(inT, id)); p.ok {
				out = append(out, p.v)
			}
		}
	}
	return out
}

// inID looks an entry up.
func inID(byID map[string]any, id string) part {
	v, ok := byID[id]
	return part{v, ok}
}

// entryMerger merges the entries of one list, one after another.
type entryMerger struct {
	*merger
	sh   *shape
	list canonical.Pointer // the list
	at   canonical.Pointer // the entry at hand

	evicted [2]map[string]bool // by side, once asked for
}

// entry decides by who still has the entry. What only one side touched is that side's, whole; this comes
// before every other rule, so that nothing an only writer wrote can be lost.
func (e *entryMerger) entry(b, o, t part) part {
	switch {
	case o.equal(b):
		return t
	case t.equal(b):
		return o
	case b.ok && !o.ok && !t.ok:
		return part{}
	case b.ok && !o.ok:
		return e.removed(b, o, t, Ours)
	case b.ok && !t.ok:
		return e.removed(b, o, t, Theirs)
	case !b.ok:
		return e.added(o, t)
	}
	if o.equal(t) {
		return o
	}
	return e.changed(b, o, t)
}

// removed settles an entry that one side no longer has and the other one changed.
func (e *entryMerger) removed(b, o, t part, by Side) part {
	rest := either(o, t)
	switch {
	case e.wasEvicted(by):
		e.met(e.at)
		e.warn(RuleBack, e.at, "retention dropped it on one side while the other side changed or used it, so it is back")
		return rest
	case canonical.Equal(unused(b.v), unused(rest.v)):
		e.warn(RuleUsedGone, e.at, "one side removed it while the other side used it, so it is gone")
		return part{}
	}
	return e.clash(b, o, t, e.at)
}

// added settles an entry that both sides brought. The contract's entries grant things, so there even
// half a difference is for a person; so it is where the words differ.
func (e *entryMerger) added(o, t part) part {
	x, y := o.v.(map[string]any), t.v.(map[string]any)
	switch {
	case o.equal(t):
		return o
	case e.list[0] != "state":
		return e.clash(part{}, o, t, e.at)
	case e.sh.words != "" && !partOf(x, e.sh.words).equal(partOf(y, e.sh.words)):
		return e.clash(part{}, o, t, e.at)
	}
	e.met(e.at)
	out := make(map[string]any, len(x))
	for _, name := range names(x, y) {
		if !slices.Contains(e.sh.vouch, name) {
			put(out, name, e.agree(partOf(x, name), partOf(y, name), name))
		}
	}
	e.vouched(out, x, y)
	return part{out, true}
}

// agree joins a member of two entries that say the same and have no common past: what was learned first
// was known then, what was used last was used then, and what one side holds for ever stays.
func (e *entryMerger) agree(o, t part, name string) part {
	sh := e.sh.item.member(name)
	switch {
	case o.equal(t):
		return o
	case name == "pinned":
		return part{o.v == true || t.v == true, true}
	case name == "learned_at" || name == "opened_at":
		if x, okX := instantIn(o); okX {
			if y, okY := instantIn(t); okY {
				return byOrder(o, t, x.Compare(y))
			}
		}
	case sh.is(formStamp):
		return e.stamp(part{}, o, t, e.at.Append(name))
	}
	if !o.ok || !t.ok {
		return either(o, t)
	}
	return e.value(part{}, o, t, sh, e.at.Append(name))
}

// vouched gives an entry the confidence and the source of the side that is surer, since the two belong
// together. A side that does not rate is less sure than one that does; equals are settled by text, so
// that both directions of a merge agree.
func (e *entryMerger) vouched(out, x, y map[string]any) {
	rate := func(m map[string]any) float64 {
		if f, ok := m["confidence"].(float64); ok {
			return f
		}
		return -1
	}
	if rate(y) > rate(x) || rate(y) == rate(x) && text(y["source"]) > text(x["source"]) {
		x, y = y, x
	}
	for _, name := range e.sh.vouch {
		sure, other := partOf(x, name), partOf(y, name)
		put(out, name, either(sure, other))
		if name == "source" && sure.ok && other.ok && !sure.equal(other) {
			e.warn(RuleSource, e.at, "two sources were given; that of the surer side stays")
		}
	}
}

// changed merges an entry that all three have, member by member. Its words and what vouches for them
// hang together: one session's confidence must not vouch for another's words.
func (e *entryMerger) changed(b, o, t part) part {
	z, okB := b.v.(map[string]any)
	x, okO := o.v.(map[string]any)
	y, okT := t.v.(map[string]any)
	if !okB || !okO || !okT {
		return e.clash(b, o, t, e.at)
	}
	before := len(e.out.Conflicts)
	out := make(map[string]any, len(x))
	statement := e.statement(out, z, x, y)
	for _, name := range names(z, x, y) {
		if statement && (name == e.sh.words || slices.Contains(e.sh.vouch, name)) {
			continue
		}
		was, ours, theirs := partOf(z, name), partOf(x, name), partOf(y, name)
		if name == "pinned" {
			if plain(ours).equal(plain(theirs)) {
				put(out, name, either(ours, theirs))
				continue
			}
			was, ours, theirs = plain(was), plain(ours), plain(theirs)
		}
		put(out, name, e.value(was, ours, theirs, e.sh.item.member(name), e.at.Append(name)))
	}
	if len(e.out.Conflicts) == before {
		e.met(e.at)
	}
	return part{out, true}
}

// plain spells "not pinned" in one way.
func plain(p part) part {
	if p.v == false {
		return part{}
	}
	return p
}

// statement settles words and what vouches for them together, if words changed. It is false where they
// did not, or where one side changed both and the other neither, which merges as any member does.
func (e *entryMerger) statement(out, b, o, t map[string]any) bool {
	words := e.sh.words
	if words == "" {
		return false
	}
	differs := func(side map[string]any, names ...string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return !partOf(side, n).equal(partOf(b, n)) })
	}
	all := append([]string{words}, e.sh.vouch...)
	oursSaid, theirsSaid := differs(o, words), differs(t, words)
	switch {
	case oursSaid && theirsSaid && partOf(o, words).equal(partOf(t, words)):
		out[words] = o[words]
		e.vouched(out, o, t)
		return true
	case oursSaid && theirsSaid:
		e.conflict(partOf(b, words), partOf(o, words), partOf(t, words), e.at.Append(words), "both sides changed it, differently")
	case oursSaid && differs(t, all...) || theirsSaid && differs(o, all...):
		e.conflict(part{b, true}, part{o, true}, part{t, true}, e.at,
			"one side changed what it says, the other how sure that is")
	default:
		return false
	}
	side := o
	if e.Favour == Theirs {
		side = t
	}
	for _, name := range all {
		put(out, name, partOf(side, name))
	}
	return true
}

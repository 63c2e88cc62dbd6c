package delta

import (
	"maps"

	"github.com/open-agent-profile/oap/canonical"
)

// wasEvicted reports whether retention, and no session, dropped the entry at hand on a side.
func (e *entryMerger) wasEvicted(by Side) bool {
	told, side := e.OursEvicted, e.ours
	if by == Theirs {
		told, side = e.TheirsEvicted, e.theirs
	}
	if told != nil {
		return told(e.at.String())
	}
	if e.evicted[by] == nil {
		e.evicted[by] = evictedSince(e.base, side, e.list)
	}
	return e.evicted[by][e.at.String()]
}

// evictedSince finds which entries of a list a side lost to its own retention: those that the side's policy
// would drop, at the time of the side's last write, had they all still been there. A side without a
// write of its own since base cannot have dropped any.
func evictedSince(base, side map[string]any, list canonical.Pointer) map[string]bool {
	gone := map[string]bool{}
	place := canonical.Pointer{"metadata", "updated_at"}
	was, _ := canonical.Get(base, place)
	is, _ := canonical.Get(side, place)
	now, ok := instantIn(part{is, true})
	if !ok || canonical.Equal(was, is) || len(list) != 2 {
		return gone
	}
	name := list[1]
	sh := stateShape.member(name)
	have := firstByID(entriesOf(side, name), sh)
	missing := map[int]bool{}
	var full []any
	for _, v := range entriesOf(base, name) {
		if now, has := have[sh.idOf(v)]; has {
			v = now
			delete(have, sh.idOf(v))
		} else {
			missing[len(full)] = true
		}
		full = append(full, v)
	}
	for _, v := range entriesOf(side, name) {
		if _, added := have[sh.idOf(v)]; added {
			full = append(full, v)
		}
	}
	state, _ := side["state"].(map[string]any)
	all := maps.Clone(state)
	if all == nil {
		all = map[string]any{}
	}
	all[name] = full
	_, evicted, _ := Retain(all, PolicyOf(side), now)
	for _, ev := range evicted {
		if ev.Collection == name && missing[ev.Index] {
			gone[list.Append(sh.keyed(full[ev.Index])).String()] = true
		}
	}
	return gone
}

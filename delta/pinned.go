package delta

import (
	"maps"

	"github.com/open-agent-profile/oap/canonical"
)

// The changes of pinned entries that a person may want to approve (git config oap.protectPinned).
const (
	PinnedAdded   = "pinned"   // a new or known entry is pinned now
	PinnedLoose   = "unpinned" // it is there, and no longer pinned
	PinnedEdited  = "edited"   // it is pinned, and says something else
	PinnedRemoved = "removed"
)

// PinnedChange is one pinned entry that did not come through as it was.
type PinnedChange struct {
	Pointer    canonical.Pointer
	Collection string
	ID         string
	Change     string
}

// sentence says it for the warning.
func (c PinnedChange) sentence() string {
	switch c.Change {
	case PinnedAdded:
		return "the entry is pinned now, so no cap will evict it"
	case PinnedLoose:
		return "the entry is no longer pinned"
	case PinnedRemoved:
		return "a pinned entry was removed"
	}
	return "a pinned entry was edited"
}

// pinnedChanges compares by outcome, so that no sequence of operations gets around it. That a pinned
// entry was used is no edit of it.
func pinnedChanges(before, after map[string]any) []PinnedChange {
	var out []PinnedChange
	for _, name := range []string{"facts", "preferences"} {
		sh := stateShape.member(name)
		old, now := firstByID(entriesOf(before, name), sh), firstByID(entriesOf(after, name), sh)
		add := func(id, change string) {
			at := canonical.Pointer{"state", name, sh.identity + ":" + id}
			out = append(out, PinnedChange{at, name, id, change})
		}
		for _, v := range entriesOf(before, name) {
			id := sh.idOf(v)
			was, is := old[id], now[id]
			switch {
			case id == "" || !pinned(v):
			case is == nil:
				add(id, PinnedRemoved)
			case !pinned(is):
				add(id, PinnedLoose)
			case !canonical.Equal(unused(was), unused(is)):
				add(id, PinnedEdited)
			}
		}
		for _, v := range entriesOf(after, name) {
			if id := sh.idOf(v); id != "" && pinned(v) && !pinned(old[id]) {
				add(id, PinnedAdded)
			}
		}
	}
	return out
}

// firstByID indexes a list as addresses do: the first entry of an identity is meant.
func firstByID(list []any, sh *shape) map[string]any {
	byID := make(map[string]any, len(list))
	for _, v := range list {
		if id := sh.idOf(v); id != "" {
			if _, has := byID[id]; !has {
				byID[id] = v
			}
		}
	}
	return byID
}

// pinned reads the member strictly: what is not true does not protect.
func pinned(v any) bool {
	m, _ := v.(map[string]any)
	p, _ := m["pinned"].(bool)
	return p
}

// unused gives an entry without its last use, for comparing what it says.
func unused(v any) map[string]any {
	m, _ := v.(map[string]any)
	m = maps.Clone(m)
	delete(m, "last_used_at")
	return m
}

// touchedBy finds the first operation at, above or below a place; -1 for none.
func touchedBy(touched []canonical.Pointer, at canonical.Pointer) int {
	for i, p := range touched {
		if p != nil && (p.HasPrefix(at) || at.HasPrefix(p)) {
			return i
		}
	}
	return noIndex
}

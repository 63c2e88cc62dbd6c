package draft

import (
	"fmt"
	"slices"
	"strings"

	"github.com/open-agent-profile/oap/delta"
)

// used moves the time of use of entries that helped.
func (w *writer) used(ids []string) error {
	for i, id := range ids {
		source := fmt.Sprintf("used %d", i+1)
		id, err := name(source, "id", id, maxID)
		if err != nil {
			return err
		}
		found := false
		// An id is unique in its collection only, and both entries may have helped.
		for _, k := range []kind{facts, preferences} {
			if w.known[k.collection].entries[id] != nil {
				found = true
				w.said[Ref{k.collection, id}] = source
				w.move(k, id, k.mentioned)
			}
		}
		if found {
			continue
		}
		if w.known[threads.collection].entries[id] != nil {
			return refuse(source, "%q is a thread, and only facts and preferences have a time of use", id)
		}
		all := slices.Concat(w.known[facts.collection].ids, w.known[preferences.collection].ids)
		return &UnknownError{source, Ref{"facts and preferences", id}, near(id, all)}
	}
	return nil
}

// forget removes entries. What the same evidence speaks of cannot go: one of the two is a mistake.
func (w *writer) forget(refs []Ref) error {
	gone := map[Ref]bool{}
	for i, ref := range refs {
		source := fmt.Sprintf("forget %d", i+1)
		k, ok := kindOf(ref.Collection)
		if !ok {
			return refuse(source, "the collection is not one of %s", strings.Join(collections, ", "))
		}
		id, err := name(source, k.identity, ref.ID, maxTerm)
		if err != nil {
			return err
		}
		ref.ID = id
		entry := w.known[k.collection].entries[id]
		switch {
		case entry == nil:
			return &UnknownError{source, ref, near(id, w.known[k.collection].ids)}
		case w.said[ref] != "":
			return refuse(source, "%q cannot be forgotten, since %s speaks of it", id, w.said[ref])
		case gone[ref]:
			continue
		case entry["pinned"] == true:
			w.warn(source, "%q is pinned", id)
		}
		gone[ref] = true
		w.operation(delta.OpRemove, k.at(id), nil)
	}
	return nil
}

func kindOf(collection string) (kind, bool) {
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.collection == collection })
	if i < 0 {
		return kind{}, false
	}
	return kinds[i], true
}

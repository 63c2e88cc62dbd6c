package history

import (
	"slices"
	"strings"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/profile"
)

// What can happen to an entry, beside [Added], [Changed] and [Removed].
const (
	Used     = "used" // last_used_at moved, and nothing else
	Evicted  = "evicted"
	Returned = "restored"
)

// collections are the lists of state that hold entries, with the member that identifies one.
var collections = []struct{ name, member string }{
	{"facts", "id"}, {"preferences", "id"}, {"open_threads", "id"}, {"glossary", "term"},
}

// Event is what one version did to one entry.
type Event struct {
	Version    *Version
	Collection string
	ID         string
	What       string
	Fields     []string       // of Changed
	Rule       string         // of Evicted
	Entry      map[string]any // as it is after, or as it was
}

// Life tells what happened to an entry, newest first. versions are those of [Walk], newest first; id is
// an entry's id or term, or COLLECTION/ID where only that is meant. A version that takes over what a
// merged side had already is no event.
func Life(versions []*Version, id string) []Event {
	var out []Event
	for _, c := range collections {
		if id, ok := idIn(c.name, id); ok {
			out = append(out, lifeIn(versions, c.name, c.member, id)...)
		}
	}
	return out
}

// idIn reports whether spec can name an entry of a collection, and its id there.
func idIn(collection, spec string) (string, bool) {
	if name, id, ok := strings.Cut(spec, "/"); ok && slices.ContainsFunc(collections, func(c struct{ name, member string }) bool { return c.name == name }) {
		return id, name == collection
	}
	return spec, true
}

func lifeIn(versions []*Version, collection, member, id string) []Event {
	var out []Event
	lived := false
	for _, v := range slices.Backward(versions) {
		is := entryOf(v.Document, collection, member, id)
		e := Event{Version: v, Collection: collection, ID: id, Entry: is}
		var was []map[string]any
		for _, d := range v.Before {
			if m := entryOf(d, collection, member, id); m != nil {
				was = append(was, m)
			}
		}
		switch {
		case v.Document == nil && !v.Removed:
			continue // unreadable: what became of the entry, the next version tells
		case is != nil && len(was) == 0:
			if e.What = Added; lived {
				e.What = Returned
			}
		case is != nil && !slices.ContainsFunc(was, func(m map[string]any) bool { return canonical.Equal(m, is) }):
			e.What, e.Fields = Changed, differing(was[0], is)
			if slices.Equal(e.Fields, []string{"last_used_at"}) {
				e.What = Used
			}
		case is == nil && len(was) > 0 && len(was) == len(v.Before):
			e.Entry, e.What = was[0], Removed
			if e.Rule = evictionRule(v, collection, id); e.Rule != "" {
				e.What = Evicted
			}
		}
		lived = lived || is != nil || len(was) > 0
		if e.What != "" {
			out = append(out, e)
		}
	}
	slices.Reverse(out)
	return out
}

// entryOf finds an entry of a document's state; nil where there is none.
func entryOf(d *profile.Document, collection, member, id string) map[string]any {
	if d == nil {
		return nil
	}
	return EntryIn(d.Value, collection, member, id)
}

// EntryIn finds an entry of state by the member that identifies it; nil where there is none.
func EntryIn(doc map[string]any, collection, member, id string) map[string]any {
	state, _ := doc["state"].(map[string]any)
	list, _ := state[collection].([]any)
	for _, v := range list {
		if m, _ := v.(map[string]any); m != nil && m[member] == id {
			return m
		}
	}
	return nil
}

func differing(a, b map[string]any) []string {
	return slices.DeleteFunc(names(a, b), func(name string) bool {
		x, hadField := a[name]
		y, hasField := b[name]
		return hadField == hasField && canonical.Equal(x, y)
	})
}

// EvictionHeading starts the list of evicted entries in the body of a commit: lines "- facts/x (rule)".
const EvictionHeading = "Evicted by "

// Evictions reads the entries that a version's commit says it evicted, "facts/x" with the rule. Only those
// count that were there before and are not there after.
func Evictions(v *Version) map[string]string {
	out := map[string]string{}
	listing := false
	for l := range strings.SplitSeq(v.Commit.Message, "\n") {
		if !listing {
			listing = strings.HasPrefix(l, EvictionHeading)
			continue
		}
		rest, ok := strings.CutPrefix(l, "- ")
		at := strings.LastIndex(rest, " (")
		if !ok || at < 0 || !strings.HasSuffix(rest, ")") {
			listing = false
			continue
		}
		name, rule := rest[:at], rest[at+2:len(rest)-1]
		collection, id, _ := strings.Cut(name, "/")
		if entryOf(v.Previous(), collection, "id", id) != nil && entryOf(v.Document, collection, "id", id) == nil {
			out[name] = rule
		}
	}
	return out
}

func evictionRule(v *Version, collection, id string) string {
	return Evictions(v)[collection+"/"+id]
}

package delta

import (
	"slices"

	"github.com/open-agent-profile/oap/canonical"
)

// Compare finds the operations that lead from one document's state to another's: applied to before with
// no Options, they give the state of after, order of entries included. Each changes one member or one
// entry, addressed by identity, so that a reader sees what happened and a merge can tell it apart.
//
// The state's own revision and updated_at belong to the applicator and are left out; so is the difference
// between no state and an empty one. A state that no schema would pass (two entries of one id, a list for
// an object) can be described, and Apply refuses to make it. Values are shared with after.
func Compare(before, after map[string]any) []Operation {
	c := &comparer{}
	c.members(statePart(before), statePart(after), stateShape, canonical.Pointer{"state"})
	return c.ops
}

// Changes is Compare for a whole document: [Patch] with its operations leads from before to after. Beyond
// state, entries of named lists are addressed as "name:x", and a list of any other kind is replaced
// unless it only grew at its end.
func Changes(before, after map[string]any) []Operation {
	c := &comparer{}
	c.members(before, after, documentShape, nil)
	return c.ops
}

// statePart gives a state without the applicator's fields.
func statePart(doc map[string]any) map[string]any {
	state, _ := doc["state"].(map[string]any)
	part := make(map[string]any, len(state))
	for name, v := range state {
		if !owned(name) {
			part[name] = v
		}
	}
	return part
}

type comparer struct{ ops []Operation }

// emit notes one operation; a removal carries no value.
func (c *comparer) emit(op string, at canonical.Pointer, v any) {
	c.ops = append(c.ops, Operation{Op: op, Path: at.String(), Pointer: at, Value: v, HasValue: op != OpRemove})
}

// members compares two objects, names in sorted order so that the result is the same each time.
func (c *comparer) members(a, b map[string]any, sh *shape, at canonical.Pointer) {
	for _, name := range names(a, b) {
		was, had := a[name]
		is, has := b[name]
		here, child := at.Append(name), sh.member(name)
		switch {
		case !has:
			c.emit(OpRemove, here, nil)
		case had:
			c.value(was, is, child, here)
		case c.grown(nil, is, child, here):
		default:
			c.emit(OpAdd, here, is)
		}
	}
}

// names gives the members of some objects, each once, sorted.
func names(objects ...map[string]any) []string {
	var all []string
	for _, m := range objects {
		for name := range m {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// value compares two values at one place, from the finest description to the coarsest: members, growth
// of a list, entries, and at last the whole value.
func (c *comparer) value(a, b any, sh *shape, at canonical.Pointer) {
	if canonical.Equal(a, b) {
		return
	}
	switch x := a.(type) {
	case map[string]any:
		if y, ok := b.(map[string]any); ok {
			c.members(x, y, sh, at)
			return
		}
	case []any:
		if y, ok := b.([]any); ok && (c.grown(x, y, sh, at) || c.entries(x, y, sh, at)) {
			return
		}
	}
	c.emit(OpReplace, at, b)
}

// grown handles a list that only got longer at its end, or that came into being. A new list of entries
// is added entry by entry, so that it still fits when somebody else has begun the list meanwhile.
func (c *comparer) grown(a []any, is any, sh *shape, at canonical.Pointer) bool {
	b, ok := is.([]any)
	if !ok || len(b) <= len(a) || a == nil && !sh.is(formEntries) {
		return false
	}
	if sh.is(formEntries) && !addressable(b, sh) || sh.is(formSet) && !distinct(b) {
		return false
	}
	for i := range a {
		if !canonical.Equal(a[i], b[i]) {
			return false
		}
	}
	for _, v := range b[len(a):] {
		c.emit(OpAdd, at.Append("-"), v)
	}
	return true
}

// entries compares lists of entries by identity. It is false where one of them cannot be addressed, or
// where emptying the list at once says it better.
func (c *comparer) entries(a, b []any, sh *shape, at canonical.Pointer) bool {
	if !sh.is(formEntries) || !addressable(a, sh) || !addressable(b, sh) || len(b) == 0 && len(a) > 1 {
		return false
	}
	// Removals first: an identity that moves has to be gone before it is added elsewhere, or the addition
	// would update it in its old place.
	stay := staying(a, b, sh)
	for _, v := range a {
		if !stay[sh.idOf(v)] {
			c.emit(OpRemove, at.Append(sh.keyed(v)), nil)
		}
	}
	was := firstByID(a, sh)
	for _, v := range b {
		if id := sh.idOf(v); stay[id] {
			c.members(was[id].(map[string]any), v.(map[string]any), sh.item, at.Append(sh.keyed(v)))
		}
	}
	c.place(b, stay, sh, at)
	return true
}

// place adds what does not stay where it is: inside the list before the next entry, from the back to the
// front so that this one is there already, and at its end in reading order.
func (c *comparer) place(b []any, stay map[string]bool, sh *shape, at canonical.Pointer) {
	end := len(b)
	for end > 0 && !stay[sh.idOf(b[end-1])] {
		end--
	}
	for i := end - 1; i >= 0; i-- {
		if !stay[sh.idOf(b[i])] {
			c.emit(OpAdd, at.Append(sh.keyed(b[i+1])), b[i])
		}
	}
	for _, v := range b[end:] {
		c.emit(OpAdd, at.Append("-"), v)
	}
}

// staying picks the most entries of a that need not move to stand in the order of b: a longest increasing
// run of their places in b.
func staying(a, b []any, sh *shape) map[string]bool {
	place := make(map[string]int, len(b))
	for i, v := range b {
		place[sh.idOf(v)] = i
	}
	type link struct{ entry, before int } // index in a; index in links of the one before, or -1
	var links []link
	// Patience sorting: tails[n] ends the run of length n+1 that ends earliest, so that the most entries
	// can still follow it. That makes the search n log n, which thousands of facts need.
	var tails []int // links that end the best run of each length
	for i, v := range a {
		p, ok := place[sh.idOf(v)]
		if !ok {
			continue
		}
		n, _ := slices.BinarySearchFunc(tails, p, func(l, p int) int { return place[sh.idOf(a[links[l].entry])] - p })
		before := -1
		if n > 0 {
			before = tails[n-1]
		}
		links = append(links, link{i, before})
		if n == len(tails) {
			tails = append(tails, 0)
		}
		tails[n] = len(links) - 1
	}
	stay := map[string]bool{}
	if len(tails) > 0 {
		for l := tails[len(tails)-1]; l >= 0; l = links[l].before {
			stay[sh.idOf(a[links[l].entry])] = true
		}
	}
	return stay
}

// addressable reports whether every entry has an identity of its own.
func addressable(list []any, sh *shape) bool {
	seen := make(map[string]bool, len(list))
	for _, v := range list {
		id := sh.idOf(v)
		if id == "" || seen[id] {
			return false
		}
		seen[id] = true
	}
	return true
}

// distinct reports whether a set holds texts only, each once.
func distinct(list []any) bool {
	seen := make(map[string]bool, len(list))
	for _, v := range list {
		s, ok := v.(string)
		if !ok || seen[s] {
			return false
		}
		seen[s] = true
	}
	return true
}

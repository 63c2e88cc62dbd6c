package textedit

import (
	"slices"

	"github.com/open-agent-profile/oap/canonical"
)

// plan says what becomes of the entries of one collection.
type plan struct {
	fate []fate
	// add[i] goes behind old entry i-1 and before old entry i.
	add [][]addition
}

type fate struct {
	keep bool
	want any // value of an entry that is kept
}

// addition is a new entry.
type addition struct {
	key   string // members only
	value any
	moved int // the old entry that has this value and goes from here, or -1
}

// newPlan lets all entries go.
func newPlan(entries int) plan {
	return plan{make([]fate, entries), make([][]addition, entries+1)}
}

// keeps reports whether any entry stays.
func (p plan) keeps() bool {
	return slices.ContainsFunc(p.fate, func(f fate) bool { return f.keep })
}

// adds reports whether any entry is new.
func (p plan) adds() bool {
	return slices.ContainsFunc(p.add, func(a []addition) bool { return len(a) > 0 })
}

// runs visits each longest run of entries that go, after moving all that is added around them to its front.
func (p plan) runs(visit func(first, end int)) {
	for i := 0; i < len(p.fate); i++ {
		if p.fate[i].keep {
			continue
		}
		end := i + 1
		for end < len(p.fate) && !p.fate[end].keep {
			end++
		}
		for k := i + 1; k <= end; k++ {
			p.add[i] = append(p.add[i], p.add[k]...)
			p.add[k] = nil
		}
		visit(i, end)
		i = end
	}
}

// planMembers puts each new member behind the nearest member that precedes it in the schema's order, or in
// front of the first that follows it; unknown members go to the end.
func planMembers(n *node, want map[string]any, at canonical.Pointer, s Schema) plan {
	p := newPlan(len(n.vals))
	known := make(map[string]bool, len(n.keys))
	for i, k := range n.keys {
		name := k.value.(string)
		known[name] = true
		v, ok := want[name]
		p.fate[i] = fate{ok, v}
	}
	ordered, ranked := order(s, at, want)
	ranks := make(map[string]int, len(ordered))
	for r, k := range ordered {
		ranks[k] = r
	}
	end := len(n.vals)
	for end > 0 && !p.fate[end-1].keep {
		end-- // behind the last member that is kept
	}
	for r, k := range ordered {
		if !known[k] {
			gap := end
			if r < ranked {
				gap = p.gapFor(n, r, ranked, ranks, end)
			}
			p.add[gap] = append(p.add[gap], addition{key: k, value: want[k], moved: -1})
		}
	}
	return p
}

// gapFor finds the place of a member whose rank the schema knows; end is where the others go.
func (p plan) gapFor(n *node, rank, ranked int, ranks map[string]int, end int) int {
	before, beforeRank := -1, -1
	after, afterRank := -1, ranked
	for i, k := range n.keys {
		if !p.fate[i].keep {
			continue
		}
		r := ranks[k.value.(string)]
		if r < rank && r > beforeRank {
			before, beforeRank = i, r
		}
		if r > rank && r < afterRank {
			after, afterRank = i, r
		}
	}
	switch {
	case before >= 0:
		return before + 1
	case after >= 0:
		return after
	}
	return end
}

// planItems keeps the entries that stay and turns every other wanted entry into an addition behind the
// last one that stays before it.
func planItems(n *node, want []any, id string) plan {
	old, _ := n.value.([]any)
	a := align(old, want, id)
	p := newPlan(len(old))
	gap := 0
	for j, v := range want {
		i := a.oldOf[j]
		if i >= 0 && a.stays[i] {
			p.fate[i] = fate{true, v}
			gap = i + 1
			continue
		}
		add := addition{value: v, moved: -1}
		// Moved and changed: written anew, since its text says something else.
		if i >= 0 && canonical.Equal(old[i], v) {
			add.moved = i
		}
		p.add[gap] = append(p.add[gap], add)
	}
	return p
}

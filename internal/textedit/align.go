package textedit

import (
	"sort"

	"github.com/open-agent-profile/oap/canonical"
)

// alignment pairs the old entries of a list with the wanted ones.
type alignment struct {
	oldOf []int  // by wanted entry: the old one, or -1
	newOf []int  // by old entry: the wanted one, or -1
	stays []bool // by old entry: paired, and in the same order as the others that stay
}

// align matches entries by the member id if both sides have it, scalars and everything else by value, equal
// keys in order of appearance. What is left over is matched by place between its neighbours.
func align(old, want []any, id string) alignment {
	a := alignment{make([]int, len(want)), make([]int, len(old)), make([]bool, len(old))}
	queue := make(map[string][]int, len(old))
	for i, v := range old {
		k := entryKey(v, id)
		queue[k] = append(queue[k], i)
		a.newOf[i] = -1
	}
	for j, v := range want {
		a.oldOf[j] = -1
		k := entryKey(v, id)
		if q := queue[k]; len(q) > 0 {
			a.pair(q[0], j)
			queue[k] = q[1:]
		}
	}
	a.keepOrder()
	a.matchByPlace(old, want, id)
	return a
}

// pair notes that two entries are the same one.
func (a *alignment) pair(i, j int) {
	a.oldOf[j], a.newOf[i] = i, j
}

// entryKey names an entry; two entries with one name are taken for the same.
func entryKey(v any, id string) string {
	// The prefix cannot begin a JSON text, so that a name never equals a value.
	if m, ok := v.(map[string]any); ok && id != "" {
		switch name := m[id].(type) {
		case string, float64, bool:
			if k, err := canonical.JCS(name); err == nil {
				return "id " + string(k)
			}
		}
	}
	k, err := canonical.JCS(v)
	if err != nil {
		return ""
	}
	return string(k)
}

// keepOrder marks the longest run of pairs whose order is the same on both sides; the other pairs move.
func (a *alignment) keepOrder() {
	// Patience sorting: the longest increasing run of wanted indexes, in n log n steps.
	var tails []int       // tails[k]: the wanted index that ends the best run of length k+1
	prev := map[int]int{} // wanted index before it in its run
	for _, j := range a.newOf {
		if j < 0 {
			continue
		}
		k := sort.SearchInts(tails, j)
		if k > 0 {
			prev[j] = tails[k-1]
		} else {
			prev[j] = -1
		}
		if k == len(tails) {
			tails = append(tails, j)
		} else {
			tails[k] = j
		}
	}
	if len(tails) == 0 {
		return
	}
	for j := tails[len(tails)-1]; j >= 0; j = prev[j] {
		a.stays[a.oldOf[j]] = true
	}
}

// matchByPlace pairs what is left between two entries that stay: the first with the first and so on. Entries
// with an identity of their own are never taken for another one.
func (a *alignment) matchByPlace(old, want []any, id string) {
	j := 0
	for i := 0; i <= len(old); i++ {
		if i < len(old) && !a.stays[i] {
			continue
		}
		// The gap before old entry i ends where the entry stands that i became.
		limit := len(want)
		if i < len(old) {
			limit = a.newOf[i]
		}
		first := i
		for first > 0 && !a.stays[first-1] {
			first--
		}
		for o := first; o < i; o++ {
			if a.newOf[o] >= 0 || identified(old[o], id) {
				continue
			}
			for j < limit && (a.oldOf[j] >= 0 || identified(want[j], id)) {
				j++
			}
			if j >= limit {
				break
			}
			a.pair(o, j)
			a.stays[o] = true
			j++
		}
		j = limit + 1
	}
}

// identified reports an entry that has a name of its own.
func identified(v any, id string) bool {
	m, ok := v.(map[string]any)
	if !ok || id == "" {
		return false
	}
	_, ok = m[id]
	return ok
}

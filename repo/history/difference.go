package history

import (
	"slices"
	"strings"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/delta"
	"github.com/open-agent-profile/oap/profile"
)

// What a [Change] is.
const (
	Added   = "added"
	Changed = "changed"
	Removed = "removed"
	Moved   = "moved" // an entry, or the order of a list, and nothing else
)

// Change is one thing that differs, as high in the document as it can be named: a member, an entry of a
// list by identity, an item of a list of texts. Before and After are nil where there is nothing.
type Change struct {
	What    string   `json:"what"`
	Pointer string   `json:"pointer"` // of the list, where an item of a list of texts differs
	Fields  []string `json:"fields,omitempty"`
	Before  any      `json:"before,omitempty"`
	After   any      `json:"after,omitempty"`
}

// Difference is what changed in meaning between two documents. metadata.revision and updated_at, and the
// state's own two, are no change of meaning.
type Difference struct {
	Contract []Change `json:"contract"` // what people own: everything but state and history
	State    []Change `json:"state"`
	// History counts entries of the log that only one side has.
	HistoryAdded   int `json:"history_added"`
	HistoryRemoved int `json:"history_removed"`
}

// Empty reports whether nothing differs.
func (d *Difference) Empty() bool {
	return len(d.Contract) == 0 && len(d.State) == 0 && d.HistoryAdded == 0 && d.HistoryRemoved == 0
}

// Compare finds what changed. Either side may be nil, which stands for no document. The result shares
// values with the arguments.
func Compare(before, after map[string]any) *Difference {
	d := &Difference{Contract: []Change{}, State: []Change{}}
	contract := &comparing{}
	contract.moved = moves(delta.Changes(profile.Contract(before), profile.Contract(after)))
	contract.members(profile.Contract(before), profile.Contract(after), nil)
	d.Contract = append(d.Contract, contract.out...)
	state := &comparing{moved: moves(delta.Compare(before, after))}
	a, _ := stateOf(before).(map[string]any)
	b, _ := stateOf(after).(map[string]any)
	state.members(a, b, canonical.Pointer{"state"})
	d.State = append(d.State, state.out...)
	d.HistoryRemoved, d.HistoryAdded = onlyIn(before["history"], after["history"])
	return d
}

// moves gives the entries that operations take away. One of them that is in both documents has moved.
func moves(ops []delta.Operation) map[string]bool {
	taken := map[string]bool{}
	for _, op := range ops {
		if op.Op == delta.OpRemove {
			taken[op.Path] = true
		}
	}
	return taken
}

type comparing struct {
	moved map[string]bool
	out   []Change
}

func (c *comparing) add(what string, at canonical.Pointer, before, after any, fields ...string) {
	c.out = append(c.out, Change{What: what, Pointer: at.String(), Before: before, After: after, Fields: fields})
}

// members compares two objects, names in sorted order.
func (c *comparing) members(a, b map[string]any, at canonical.Pointer) {
	for _, name := range names(a, b) {
		was, had := a[name]
		is, has := b[name]
		here := at.Append(name)
		switch {
		case !has:
			c.gone(was, here)
		case !had:
			c.come(is, here)
		default:
			c.value(was, is, here)
		}
	}
}

// names gives the members of two objects, each once, sorted.
func names(a, b map[string]any) []string {
	var all []string
	for name := range a {
		all = append(all, name)
	}
	for name := range b {
		if _, both := a[name]; !both {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

// gone and come name the entries of a whole list of entries one by one, since a reader looks for those.
func (c *comparing) gone(v any, at canonical.Pointer) {
	if list, ids := entries(v, at); ids != nil {
		c.entries(list, ids, nil, nil, at)
		return
	}
	c.add(Removed, at, v, nil)
}

func (c *comparing) come(v any, at canonical.Pointer) {
	if list, ids := entries(v, at); ids != nil {
		c.entries(nil, nil, list, ids, at)
		return
	}
	c.add(Added, at, nil, v)
}

func (c *comparing) value(a, b any, at canonical.Pointer) {
	if canonical.Equal(a, b) {
		return
	}
	switch x := a.(type) {
	case map[string]any:
		if y, ok := b.(map[string]any); ok {
			c.members(x, y, at)
			return
		}
	case []any:
		y, ok := b.([]any)
		if !ok {
			break
		}
		as, aids := entries(a, at)
		bs, bids := entries(b, at)
		if aids != nil && bids != nil {
			c.entries(as, aids, bs, bids, at)
			return
		}
		if texts(x) && texts(y) {
			c.items(x, y, at)
			return
		}
	}
	c.add(Changed, at, a, b)
}

// entries reads a list whose entries have an identity of their own each; ids is nil where v is none.
func entries(v any, at canonical.Pointer) (list []any, ids []string) {
	member := profile.Identity(at)
	list, ok := v.([]any)
	if !ok || member == "" || member == "revision" || len(list) == 0 {
		return nil, nil
	}
	seen := map[string]bool{}
	for _, e := range list {
		m, _ := e.(map[string]any)
		id, _ := m[member].(string)
		if id == "" || seen[id] {
			return nil, nil
		}
		seen[id] = true
		ids = append(ids, id)
	}
	return list, ids
}

// entries compares two lists by identity: first what is new or differs, in the new order, then what went.
func (c *comparing) entries(a []any, aids []string, b []any, bids []string, at canonical.Pointer) {
	member := profile.Identity(at)
	was := make(map[string]map[string]any, len(a))
	for i, id := range aids {
		was[id] = a[i].(map[string]any)
	}
	is := make(map[string]bool, len(b))
	for i, id := range bids {
		is[id] = true
		here := at.Append(member + ":" + id)
		old, had := was[id]
		if !had {
			c.add(Added, here, nil, b[i])
			continue
		}
		now := b[i].(map[string]any)
		var fields []string
		before, after := map[string]any{}, map[string]any{}
		for _, name := range names(old, now) {
			x, hadField := old[name]
			y, hasField := now[name]
			if hadField && hasField && canonical.Equal(x, y) {
				continue
			}
			fields = append(fields, name)
			if hadField {
				before[name] = x
			}
			if hasField {
				after[name] = y
			}
		}
		switch {
		case len(fields) > 0:
			c.add(Changed, here, before, after, fields...)
		case c.moved[here.String()]:
			c.add(Moved, here, nil, nil)
		}
	}
	for i, id := range aids {
		if !is[id] {
			c.add(Removed, at.Append(member+":"+id), a[i], nil)
		}
	}
}

func texts(list []any) bool {
	return !slices.ContainsFunc(list, func(v any) bool { _, ok := v.(string); return !ok })
}

// items compares lists of texts as multisets: each text that came or went is said, for a list that is
// replaced whole can drop one silently.
func (c *comparing) items(a, b []any, at canonical.Pointer) {
	count := map[any]int{}
	for _, v := range a {
		count[v]++
	}
	before := len(c.out)
	for _, v := range b {
		if count[v]--; count[v] < 0 {
			c.add(Added, at, nil, v)
		}
	}
	for _, v := range a {
		if count[v] > 0 {
			count[v]--
			c.add(Removed, at, v, nil)
		}
	}
	if len(c.out) == before {
		c.add(Moved, at, a, b)
	}
}

// onlyIn counts the elements that only one of two lists has.
func onlyIn(a, b any) (first, second int) {
	keys := func(v any) []string {
		list, _ := v.([]any)
		var out []string
		for _, e := range list {
			if text, err := canonical.JCS(e); err == nil {
				out = append(out, string(text))
			}
		}
		return out
	}
	x, y := keys(a), keys(b)
	left := map[string]int{}
	for _, k := range x {
		left[k]++
	}
	for _, k := range y {
		if left[k] > 0 {
			left[k]--
			continue
		}
		second++
	}
	for _, n := range left {
		first += n
	}
	return first, second
}

// Entry splits a pointer to an entry of state into collection and identity.
func (c Change) Entry() (collection, id string, ok bool) {
	p, err := canonical.ParsePointer(c.Pointer)
	if err != nil || len(p) != 3 || p[0] != "state" {
		return "", "", false
	}
	_, id, ok = strings.Cut(p[2], ":")
	return p[1], id, ok
}

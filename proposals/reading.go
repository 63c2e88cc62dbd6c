package proposals

import (
	"maps"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/delta"
	"github.com/open-agent-profile/oap/profile"
)

// reading is a wish as it is understood: against the contract that it was written for.
type reading struct {
	op       string
	path     canonical.Pointer // of what changes; the list, where a wish is about an entry of a list of texts
	base     map[string]any    // the contract it was written for
	after    map[string]any    // that contract with the wish carried out
	identity map[string]any    // what the id is the digest of, but for root and profile
}

// readWish carries a wish out on the contract that it was written for. Errors: [*ProposalError].
func readWish(base map[string]any, p delta.Proposal) (*reading, error) {
	after, _, _, err := RateProposal(base, p)
	if err != nil {
		return nil, err
	}
	path, err := canonical.ParsePointer(p.Path)
	if err != nil {
		return nil, err
	}
	path = byNames(base, path, p.Op)
	r := &reading{op: p.Op, path: path, base: base, after: after}
	if list := path[:len(path)-1]; len(path) > 1 && isTexts(base, list) {
		path = list
	}
	// One wish about a list has one form, however it is put and whatever the list was at the time
	// (design section 3), so that two sessions that ask for the same are told so.
	wanted, has := profile.Lookup(after, path)
	was, _ := profile.Lookup(base, path)
	if added, removed, ok := Wish(was, wanted); ok && has && !ordered(path) && len(added)+len(removed) > 0 {
		r.path, r.op = path, delta.OpReplace
		r.identity = map[string]any{"path": path.String(), "op": r.op,
			"value": map[string]any{"added": anyTexts(added), "removed": anyTexts(removed)}}
		return r, nil
	}
	r.identity = map[string]any{"path": path.String(), "op": p.Op}
	if p.HasValue {
		r.identity["value"] = p.Value
	}
	return r, nil
}

// id is the same for the same wish about the same profile.
func (r *reading) id(root, name string) (string, error) {
	v := maps.Clone(r.identity)
	v["root"], v["profile"] = root, name
	return idOf(v)
}

// byNames writes the entries of named lists by name, since places move. The last token of an addition
// says where to put an entry and stays.
func byNames(doc map[string]any, path canonical.Pointer, op string) canonical.Pointer {
	out := canonical.Pointer{}
	for i, token := range path {
		if member := profile.Identity(out); member != "" && (i < len(path)-1 || op != delta.OpAdd) {
			entry, _ := profile.Lookup(doc, out.Append(token))
			m, _ := entry.(map[string]any)
			if name, ok := m[member].(string); ok && name != "" {
				token = member + ":" + name
			}
		}
		out = append(out, token)
	}
	return out
}

func isTexts(doc map[string]any, at canonical.Pointer) bool {
	v, ok := profile.Lookup(doc, at)
	if !ok {
		return false
	}
	_, ok = part{v, true}.texts()
	_, isList := v.([]any)
	return ok && isList
}

// ordered tells the lists of texts whose entries mean something by their place.
func ordered(at canonical.Pointer) bool { return at[len(at)-1] == "args" }

func anyTexts(list []string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}

// on puts the wish on the contract that stands at the tip: what it changes, and no more, so that a value
// that repeats an older contract neither drops what came since nor brings back what went (design section
// 4, step 8). The reasons tell of the places where that made a difference. Errors: [*ProposalError].
func (r *reading) on(tip map[string]any) (map[string]any, []Reason, error) {
	c := &carrier{}
	wanted := maps.Clone(tip)
	for _, name := range []string{"metadata", "spec"} {
		p := c.value(canonical.Pointer{name}, partOf(r.base, name), partOf(r.after, name), partOf(tip, name))
		put(wanted, name, p)
	}
	if c.lost != "" {
		return nil, nil, &ProposalError{r.op, r.path.String(), "it puts " + c.lost + " in another order, and the list has changed since"}
	}
	return wanted, c.notes, nil
}

// carrier walks a change beside the document that it is carried over to.
type carrier struct {
	notes []Reason
	lost  string // a list whose new order has no meaning at the tip
}

func (c *carrier) note(at canonical.Pointer, risk Risk, message string) {
	c.notes = append(c.notes, Reason{at.String(), risk, message})
}

// value carries the step from b to a over to t.
func (c *carrier) value(at canonical.Pointer, b, a, t part) part {
	switch {
	case a.equal(b), a.equal(t):
		return t
	case t.equal(b):
		return a
	case !a.ok:
		return a
	}
	if b.ok && !t.ok {
		c.note(at, High, "this was removed since the wish was made, and would come back")
	}
	x, bok := b.object()
	y, aok := a.object()
	z, tok := t.object()
	if bok && aok && tok {
		return c.object(at, x, y, z)
	}
	if member := profile.Identity(at); member != "" {
		if p, ok := c.named(at, b, a, t); ok {
			return p
		}
	}
	if _, _, ok := Wish(b.v, a.v); ok && !ordered(at) {
		if tip, isList := t.list(); isList {
			return c.list(at, b, a, tip)
		}
	}
	return a
}

func (c *carrier) object(at canonical.Pointer, b, a, t map[string]any) part {
	out := maps.Clone(t)
	if out == nil {
		out = map[string]any{}
	}
	for _, name := range union(b, a) {
		put(out, name, c.value(at.Append(name), partOf(b, name), partOf(a, name), partOf(t, name)))
	}
	return part{out, true}
}

// list carries over what a wish adds to and removes from a list of texts.
func (c *carrier) list(at canonical.Pointer, b, a part, tip []any) part {
	was, _ := b.list()
	is, _ := a.list()
	result, added, removed, revived := RebaseList(was, is, tip)
	if len(added)+len(removed) == 0 {
		c.lost = at.String()
	}
	for _, s := range revived {
		c.note(at, Low, quote(s)+" was removed since the wish was made, and stays removed")
	}
	return part{result, true}
}

// named carries over the change of a list whose entries have names. It is false where one has none.
func (c *carrier) named(at canonical.Pointer, b, a, t part) (part, bool) {
	was, bok := byName(b)
	is, aok := byName(a)
	stands, tok := byName(t)
	list, isList := t.list()
	if !bok || !aok || !tok || !isList {
		return part{}, false
	}
	out := []any{}
	for _, v := range list {
		name := v.(map[string]any)["name"].(string)
		p := c.value(at.Append("name:"+name), partOf(was, name), partOf(is, name), partOf(stands, name))
		if p.ok {
			out = append(out, p.v)
		}
	}
	wanted, _ := a.list()
	for _, v := range wanted {
		name := v.(map[string]any)["name"].(string)
		if _, there := stands[name]; there {
			continue
		}
		before := partOf(was, name)
		if before.ok && before.equal(partOf(is, name)) {
			c.note(at, Low, quote(name)+" was removed since the wish was made, and stays removed")
			continue
		}
		if p := c.value(at.Append("name:"+name), before, partOf(is, name), part{}); p.ok {
			out = append(out, p.v)
		}
	}
	return part{out, true}, true
}

// put writes a member or its absence.
func put(m map[string]any, name string, p part) {
	if p.ok {
		m[name] = p.v
	} else {
		delete(m, name)
	}
}

// sectionsOf names the blocks in which two documents differ, without what the applicator writes.
func sectionsOf(before, after map[string]any) []string {
	x, y := contractPart(before), contractPart(after)
	var out []string
	if !partOf(x, "metadata").equal(partOf(y, "metadata")) {
		out = append(out, "metadata")
	}
	// The format has no word for the other parts that people write, such as the bases.
	delete(x, "metadata")
	delete(y, "metadata")
	if !canonical.Equal(x, y) {
		out = append(out, "spec")
	}
	if !partOf(stateOf(before), "state").equal(partOf(stateOf(after), "state")) {
		out = append(out, "state")
	}
	return out
}

// stateOf is the state without its own counters, which move with every write.
func stateOf(doc map[string]any) map[string]any {
	state, ok := doc["state"].(map[string]any)
	if !ok {
		return doc
	}
	state = maps.Clone(state)
	delete(state, "revision")
	delete(state, "updated_at")
	return map[string]any{"state": state}
}

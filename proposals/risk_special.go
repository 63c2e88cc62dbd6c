package proposals

import (
	"slices"
	"strings"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/profile"
)

// fillable are the parts that grant little or nothing where nobody states them. A base may state
// them, and a document that gains the base then has more than before.
var fillable = []canonical.Pointer{
	{"spec", "tools", "policy"}, {"spec", "tools", "allow"}, {"spec", "tools", "mcp_servers"}, {"spec", "tools", "skills"},
	{"spec", "permissions", "default"}, {"spec", "permissions", "shell"}, {"spec", "permissions", "edit"},
	{"spec", "permissions", "network"}, {"spec", "permissions", "rules"},
	{"spec", "memory", "mode"}, {"spec", "memory", "stores"},
	{"spec", "runtime", "subagents", "allow"}, {"spec", "lifecycle", "writeback"},
	{"spec", "lifecycle", "on_start"}, {"spec", "lifecycle", "on_end"},
}

// bases rates "extends". A base narrows by being there, because nobody ends wider than a base (design
// section 8), so to lose one is high. A new one is medium as long as it has nothing to fill in.
func bases(r *rater, at canonical.Pointer, b, a part) {
	was, bok := byName(b)
	is, aok := byName(a)
	if !bok || !aok {
		r.odd(at)
		return
	}
	n := len(r.reasons)
	for _, name := range union(was, is) {
		x, y := partOf(was, name), partOf(is, name)
		here := at.Append("name:" + name)
		switch {
		case x.equal(y):
		case !y.ok:
			r.add(here, High, "a base is removed, and with it the limits that it sets")
		case !x.ok:
			newBase(r, here) // where it stands among the others is below its being there
		default:
			object(map[string]rule{"uri": baseURI(y), "revision": basePin, "digest": basePin})(r, here, x, y)
		}
	}
	if !sameOrder(b, a) {
		r.add(at, Medium, "the bases stand in another order, and the later one counts")
	}
	if n == len(r.reasons) {
		r.add(at, Low, "an empty list of bases %s", comesOrGoes(a))
	}
}

// sameOrder reports whether the bases that both lists have follow each other alike.
func sameOrder(b, a part) bool {
	common := func(p, q part) (names []any) {
		other, _ := byName(q)
		list, _ := p.list()
		for _, v := range list {
			if name := v.(map[string]any)["name"]; other[name.(string)] != nil {
				names = append(names, name)
			}
		}
		return names
	}
	return canonical.Equal(common(b, a), common(a, b))
}

// newBase looks at what a document leaves open. That it ends no wider than its base does not help: it may
// well end wider than it was.
func newBase(r *rater, at canonical.Pointer) {
	for _, p := range fillable {
		if _, stated := canonical.Get(r.after, p); !stated {
			r.add(at, High, "a new base decides what is not stated here, such as %s", p)
			return
		}
	}
	r.add(at, Medium, "a new base")
}

// basePin rates the revision or the digest of a base. The other version is not seen here; whoever moves a pin
// is taken to have looked at it.
func basePin(r *rater, at canonical.Pointer, b, a part) {
	switch {
	case !a.ok:
		r.add(at, High, "any version of the base will do from now on")
	case !b.ok:
		r.add(at, Low, "the base is pinned")
	default:
		r.add(at, Medium, "another version of the base is pinned")
	}
}

// baseURI: from elsewhere may come anything, unless its digest is known.
func baseURI(entry part) rule {
	m, _ := entry.object()
	if _, pinned := m["digest"].(string); pinned {
		return plain(Medium, "the place of a pinned base")
	}
	return plain(High, "the place of a base that no digest pins")
}

// trust belongs to the resolver, which ignores what stands here. Not every reader does.
func trust(r *rater, at canonical.Pointer, _, a part) {
	if a.ok {
		r.add(at, High, "the document claims a trust that only its place can give")
		return
	}
	r.add(at, Low, "a claim of trust is removed")
}

// annotations are notes for other programs, which may act on them. Those of openwop.dev decide what a
// manifest grants (role, namespace, hand-off), so any touch of them is high, removal included.
func annotations(r *rater, at canonical.Pointer, b, a part) {
	was, bok := b.object()
	is, aok := a.object()
	if !bok || !aok {
		r.odd(at)
		return
	}
	n := len(r.reasons)
	for _, key := range union(was, is) {
		x, y := partOf(was, key), partOf(is, key)
		if x.equal(y) {
			continue
		}
		// Domains know no case, and a program may well look at a sub-domain's keys, too.
		domain, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(key)), "/")
		domain = strings.TrimSuffix(domain, ".")
		if domain == "openwop.dev" || strings.HasSuffix(domain, ".openwop.dev") {
			r.add(at.Append(key), High, "an annotation that steers a manifest %s", verb(x, y))
		} else {
			r.add(at.Append(key), Medium, "an annotation %s", verb(x, y))
		}
	}
	if n == len(r.reasons) {
		r.add(at, Low, "an empty section of annotations %s", comesOrGoes(a))
	}
}

// variables are part of whatever uses them (OAP facts g). One that a constraint uses can empty it.
func variables(r *rater, at canonical.Pointer, b, a part) {
	was, bok := b.object()
	is, aok := a.object()
	if !bok || !aok {
		r.odd(at)
		return
	}
	used, all := constrained(r.before, r.after)
	n := len(r.reasons)
	for _, name := range union(was, is) {
		x, y := partOf(was, name), partOf(is, name)
		switch {
		case x.equal(y):
		case all || slices.Contains(used, name):
			r.add(at.Append(name), High, "a variable that a constraint can use %s", verb(x, y))
		default:
			r.add(at.Append(name), Medium, "a variable %s", verb(x, y))
		}
	}
	if n == len(r.reasons) {
		r.add(at, Low, "an empty section of variables %s", comesOrGoes(a))
	}
}

// constrained names the variables in the constraints of both documents, since the constraint may change
// together with its variable; all, where a base may have constraints not seen here.
func constrained(docs ...map[string]any) (used []string, all bool) {
	for _, doc := range docs {
		v, stated := canonical.Get(doc, canonical.Pointer{"spec", "role", "constraints"})
		list, _ := part{v, stated}.list()
		all = all || !stated && extending(doc)
		for _, c := range list {
			s, _ := c.(string)
			used = append(used, profile.Variables(s)...)
		}
	}
	return used, all
}

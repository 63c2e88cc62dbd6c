package proposals

import (
	"path"
	"strings"

	"github.com/open-agent-profile/oap/canonical"
)

// set rates a list of texts of which each stands for itself, entry by entry: a replaced list is not one
// change, since what it drops is easily overlooked beside what it adds.
type set struct {
	add, drop   Risk   // of an entry more, an entry less
	adds, drops string // what that means, behind the quoted entry
	order       Risk   // of the same entries in another order
	left        bool   // to bases where it is not stated, which then matters
	openAbsent  bool   // no list is no limit; otherwise it is an empty list
	openEmpty   bool   // an empty list may be read as no limit
	within      func(entry string, before part) bool
}

func (s set) rate(r *rater, at canonical.Pointer, b, a part) {
	was, bok := b.texts()
	is, aok := a.texts()
	switch {
	case !bok || !aok:
		r.odd(at)
		return
	case s.left && r.inherited(at, b, a): // high already; the entries still deserve a line each
	case s.openAbsent && !a.ok:
		r.add(at, High, "the list is removed, so that it no longer limits anything")
		return
	case s.openEmpty && len(was) > 0 && len(is) == 0:
		r.add(at, High, "the list becomes empty, which can be read as no limit")
		return
	}
	// From here on both are limits or both are none, so entries can be compared.
	n := len(r.reasons)
	for _, entry := range without(is, was) {
		if s.within != nil && s.within(entry, b) {
			r.add(at, Low, "%s lies within what was open", quote(entry))
			continue
		}
		r.add(at, s.add, "%s %s", quote(entry), s.adds)
	}
	for _, entry := range without(was, is) {
		r.add(at, s.drop, "%s %s", quote(entry), s.drops)
	}
	switch {
	case n < len(r.reasons):
	case b.ok && a.ok:
		r.add(at, s.order, "the same entries are written in another order or number")
	default:
		r.add(at, Low, "an empty list %s", comesOrGoes(a))
	}
}

// without gives the entries of a that b lacks, each once, in order.
func without(a, b []string) []string {
	seen := setOf(b)
	var out []string
	for _, s := range a {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

// allowing is a list that grants. A new entry is high although an old pattern may cover it: which names a
// pattern covers is read in more than one way (OAP facts h.2).
func allowing(adds, drops string) set {
	return set{add: High, drop: Low, order: Low, left: true, adds: adds, drops: drops}
}

// denying is a list that takes away. For the same reason an entry that a wider pattern replaces counts as
// lost.
func denying(adds, drops string) set {
	return set{add: Low, drop: High, order: Low, left: true, adds: adds, drops: drops}
}

// roots is a list of folders that limits, the one kind of list where an entry can be seen to lie in another
// (OAP facts h.2, containment). Without the list policy alone limits; an empty one opens nothing.
func roots(adds, drops string) set {
	s := allowing(adds, drops)
	s.openAbsent, s.within = true, inside
	return s
}

// inside reports whether a folder lies in one that was open, by its spelling; links are as they are on
// either side, since a path below a root was within reach through the root before. Without a list there was no
// limit of the profile's, but then what leaves the workspace may still be new to a harness.
func inside(root string, before part) bool {
	to, ok := folder(root)
	if !ok {
		return false
	}
	if !before.ok {
		return true
	}
	list, _ := before.texts()
	for _, s := range list {
		from, ok := folder(s)
		if ok && (from == "." || to == from || strings.HasPrefix(to, from+"/")) {
			return true
		}
	}
	return false
}

// folder cleans a path that stays in the workspace. Where a shell, another system or a pattern could read
// something else into it, it is not compared.
func folder(s string) (string, bool) {
	if s == "" || strings.ContainsAny(s, "\\~$%*?[]{}:") || path.IsAbs(s) {
		return "", false
	}
	// Cleaning takes "link/.." for nothing, which it is not where link is a symbolic link.
	for _, segment := range strings.Split(s, "/") {
		if segment == ".." {
			return "", false
		}
	}
	return path.Clean(s), true
}

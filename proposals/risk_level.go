package proposals

import (
	"slices"
	"strconv"

	"github.com/open-agent-profile/oap/canonical"
)

// level is an ordered choice, the narrowest first. The orders are those by which a profile is intersected with
// local policy (OAP facts h.2), so what is higher here can end up as more there.
type level struct {
	order  []string
	unset  string // what absence means, an element of order
	pseudo bool   // unset is no value that a document can have
}

var (
	decisions = []string{"deny", "ask", "allow"}
	accesses  = []string{"off", "read_only", "read_write"}
)

// rank places a part in the order. False is a value that the order does not have: known readers take an
// unknown decision for the strictest when they compare and yet hand it on as it is.
func (l level) rank(p part) (int, bool) {
	s := l.unset
	if p.ok {
		var isText bool
		if s, isText = p.v.(string); !isText || l.pseudo && s == l.unset {
			return 0, false
		}
	}
	i := slices.Index(l.order, s)
	return i, i >= 0
}

func (l level) rate(r *rater, at canonical.Pointer, b, a part) {
	l.step(l, r, at, b, a)
}

// step compares b in l with a in to, which differ where absence has come to mean something else.
func (l level) step(to level, r *rater, at canonical.Pointer, b, a part) {
	was, bok := l.rank(b)
	is, aok := to.rank(a)
	if !bok || !aok {
		r.odd(at)
		return
	}
	// The narrowest cannot widen whatever a base says, and the widest can only give way to less.
	bounded := !b.ok && is == 0 || !a.ok && was == len(l.order)-1
	switch {
	case !bounded && r.inherited(at, b, a):
	case is > was:
		r.add(at, High, "%s widens to %s", l.name(b, was), to.name(a, is))
	case is < was:
		r.add(at, Low, "%s narrows to %s", l.name(b, was), to.name(a, is))
	case b.ok != a.ok:
		r.add(at, Low, "%s stays in force, now %s", to.name(a, is), map[bool]string{true: "stated", false: "unstated"}[a.ok])
	}
}

func (l level) name(p part, i int) string {
	switch {
	case p.ok:
		return quote(l.order[i])
	case l.pseudo:
		return "no setting"
	}
	return quote(l.order[i]) + " (where nothing is stated)"
}

// permission rates "shell" and its like, which fall back to the profile's own default, then to "ask".
func permission(r *rater, at canonical.Pointer, b, a part) {
	levelIn := func(doc map[string]any) level {
		l := level{order: decisions, unset: "ask"}
		if v, ok := canonical.Get(doc, canonical.Pointer{"spec", "permissions", "default"}); ok {
			// What is no decision gets no rank, so that it cannot hide what is left to it.
			l.unset, _ = v.(string)
		}
		return l
	}
	// Where both leave it out there is nothing to rate here: the step of the default is rated as such.
	levelIn(r.before).step(levelIn(r.after), r, at, b, a)
}

// ceiling rates a number that limits; no number is no limit. Below the least that the format takes, a number
// does not limit more: programs like to read a zero or -1 as "no limit".
func ceiling(least float64) rule {
	return func(r *rater, at canonical.Pointer, b, a part) {
		was, bok := b.v.(float64)
		is, aok := a.v.(float64)
		bok, aok = bok && was >= least, aok && is >= least // false for NaN, too
		switch {
		case b.ok && !bok, a.ok && !aok:
			r.odd(at)
		case r.inherited(at, b, a):
		case !a.ok:
			r.add(at, High, "the limit of %s is removed", number(was))
		case !b.ok:
			r.add(at, Low, "a limit of %s is added", number(is))
		case is < was:
			r.add(at, Low, "the limit goes down from %s to %s", number(was), number(is))
		default:
			r.add(at, High, "the limit goes up from %s to %s", number(was), number(is))
		}
	}
}

// runtimeMode rates who may start the agent. The modes are no ladder: an agent that could only be called is
// bound by its caller, and one that could not be called is now within reach of other agents.
func runtimeMode(r *rater, at canonical.Pointer, b, a part) {
	l := level{order: []string{"primary", "subagent", "either"}, unset: "either"} // for the rank alone; 2 is either
	was, bok := l.rank(b)
	is, aok := l.rank(a)
	switch {
	case !bok || !aok:
		r.odd(at)
	case was == 2 && is < 2 && a.ok && b.ok:
		r.add(at, Low, "the agent may be started in fewer ways")
	case r.inherited(at, b, a):
	case was == is, was == 2:
		r.add(at, Low, "the agent may be started in no further way")
	default:
		r.add(at, High, "the agent may be started in a way that was closed")
	}
}

// required rates a flag that stops a session where something is missing. Without it a session starts less
// guarded, yet with nothing more in hand.
func required(r *rater, at canonical.Pointer, b, a part) {
	was, bok := b.v.(bool)
	is, aok := a.v.(bool)
	switch {
	case b.ok && !bok, a.ok && !aok:
		r.odd(at)
	case was && !is:
		r.add(at, Medium, "a session may start without it")
	default:
		r.add(at, Low, "a session starts with it or as before")
	}
}

// pin rates a digest that holds some content in place. Other content is new content: nobody compares it
// with the old one here.
func pin(r *rater, at canonical.Pointer, b, a part) {
	_, isText := a.v.(string)
	switch {
	case a.ok && !isText:
		r.odd(at)
	case !a.ok:
		r.add(at, High, "the content is no longer pinned")
	case b.ok:
		r.add(at, High, "other content is pinned")
	default:
		r.add(at, Low, "the content is pinned")
	}
}

// number writes a number the short way.
func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

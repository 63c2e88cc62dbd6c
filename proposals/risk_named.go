package proposals

import (
	"strconv"

	"github.com/open-agent-profile/oap/canonical"
)

// named rates a list of objects that are known by their names. Their order carries no meaning.
type named struct {
	what    string          // one entry, in words
	add     Risk            // of an entry more
	deep    bool            // an entry more or less is rated by its members instead
	members map[string]rule // of an entry that both lists have
}

func (n named) rate(r *rater, at canonical.Pointer, b, a part) {
	was, bok := byName(b)
	is, aok := byName(a)
	if !bok || !aok {
		r.add(at, High, "an entry has no name of its own, so which one counts is unknown")
		return
	}
	r.inherited(at, b, a) // high already; the entries still deserve a line each
	before := len(r.reasons)
	// A new name is a new entry even if all else is that of an old one: grants elsewhere go by name.
	inner := object(n.members)
	for _, name := range union(was, is) {
		x, y := partOf(was, name), partOf(is, name)
		here := at.Append("name:" + name)
		switch {
		case x.equal(y):
			continue
		case x.ok && y.ok, n.deep:
			inner(r, here, x, y)
		case y.ok:
			r.add(here, n.add, "a new %s", n.what)
		default:
			n.dropped(r, here, x)
		}
	}
	if before == len(r.reasons) {
		r.add(at, Low, "the same entries are written in another way")
	}
}

// dropped rates an entry that goes: fewer means, and yet a required one may have been there to guard.
func (n named) dropped(r *rater, at canonical.Pointer, x part) {
	m, _ := x.object()
	if v, has := m["required"]; has && v != false {
		r.add(at, Medium, "a %s that had to be there is removed", n.what)
		return
	}
	r.add(at, Low, "a %s is removed", n.what)
}

// byName indexes entries. False where one is no object or has no name of its own.
func byName(p part) (map[string]any, bool) {
	list, ok := p.list()
	if !ok {
		return nil, false
	}
	out := make(map[string]any, len(list))
	for _, v := range list {
		m, _ := v.(map[string]any)
		name, isText := m["name"].(string)
		if _, twice := out[name]; !isText || twice {
			return nil, false
		}
		out[name] = m
	}
	return out, true
}

// exception is one entry of "permissions.rules" without its explanation.
type exception struct {
	tool, action, target string
	decision             int // by the order of decisions
}

// maxSteps bounds the comparison of two rule lists. The schema's 200 by 200 are well below.
const maxSteps = 1 << 20

// exceptions rates a list in which the first entry that fits decides. It can only narrow by steps of three
// kinds, wherever they happen: a "deny" more; an "allow" less, since whatever decides instead is no wider;
// a lower decision for the same match. Everything else may let through what was stopped.
func exceptions(r *rater, at canonical.Pointer, b, a part) {
	was, bok := readExceptions(b)
	is, aok := readExceptions(a)
	if !bok || !aok {
		r.odd(at)
		return
	}
	if r.inherited(at, b, a) {
		return
	}
	if onlyNarrows(was, is) {
		r.add(at, Low, "the rules let through nothing more than before")
		return
	}
	// That it widens is settled; what follows only looks for the rules to blame. A "deny" that is gone, or an
	// "allow" that is new, is to blame wherever it stands.
	n := len(r.reasons)
	old, kept := counts(was), counts(is)
	for i, e := range is {
		if !old[e] && e.decision > 0 {
			r.add(at.Append(strconv.Itoa(i)), High, "a new rule says %s", quote(decisions[e.decision]))
		}
	}
	for _, e := range was {
		if !kept[e] && e.decision < 2 {
			r.add(at, High, "a rule that says %s is removed or changed", quote(decisions[e.decision]))
		}
	}
	if n == len(r.reasons) {
		r.add(at, High, "the rules stand in another order, and the first that fits decides")
	}
}

func counts(list []exception) map[exception]bool {
	out := make(map[exception]bool, len(list))
	for _, e := range list {
		out[e] = true
	}
	return out
}

// readExceptions fills in the defaults, so that stating one is no change. False where anything is not as
// the format has it: a rule with a condition that we do not know may fit less often than it seems.
func readExceptions(p part) ([]exception, bool) {
	list, ok := p.list()
	if !ok {
		return nil, false
	}
	out := make([]exception, len(list))
	for i, v := range list {
		m, ok := v.(map[string]any)
		e := exception{tool: "*", action: "*", target: "*"}
		var decided bool
		for name, value := range m {
			s, isText := value.(string)
			ok = ok && isText
			switch name {
			case "tool":
				e.tool = s
			case "action":
				e.action = s
			case "target":
				e.target = s
			case "decision":
				e.decision, decided = level{order: decisions}.rank(part{value, true})
			case "reason":
			default:
				ok = false
			}
		}
		if !ok || !decided {
			return nil, false
		}
		out[i] = e
	}
	return out, true
}

// onlyNarrows reports whether narrowing steps alone lead from one list to the other. It is the table of an
// edit distance with the edits that [exceptions] allows and no costs: row[j] says that the rules of was up
// to the one at hand can become the first j of is. Beyond the bound it says no, which is the safe answer.
func onlyNarrows(was, is []exception) bool {
	if (len(was)+1)*(len(is)+1) > maxSteps {
		return false
	}
	row := make([]bool, len(is)+1)
	row[0] = true
	for j, e := range is {
		row[j+1] = row[j] && e.decision == 0
	}
	for _, old := range was {
		next := make([]bool, len(row))
		next[0] = row[0] && old.decision == 2
		for j, e := range is {
			// In this order: kept or lowered in place, an "allow" dropped, a "deny" put in.
			lower := e.tool == old.tool && e.action == old.action && e.target == old.target && e.decision <= old.decision
			next[j+1] = row[j] && lower || row[j+1] && old.decision == 2 || next[j] && e.decision == 0
		}
		row = next
	}
	return row[len(is)]
}

package narrow

import (
	"maps"
	"slices"
)

// maxRules is how many rules a profile may have (OAP schema), maxPairs how many of two lists are compared.
const (
	maxRules = 200
	maxPairs = 5000
)

// combination is a list of rules with the decisions behind it: one side's, or several sides' combined.
type combination struct {
	rules  []rule
	behind map[string]Decision // by kind, and "default"
}

func (s *Side) combination() combination {
	c := combination{rules: s.rules(), behind: map[string]Decision{}}
	for _, k := range append([]string{"default"}, permissionKinds...) {
		c.behind[k], _ = s.permission(k)
	}
	return c
}

// narrowRules combines the rules of all sides into one list, first match decides, so that a harness that
// reads only the list is as strict as one that asks every side.
//
// Two such lists combine pair by pair: a call that fits rule i of the one and rule j of the other first
// fits, of all pairs in order, the pair (i, j), and its decision is the stricter one. Behind the last rule
// stand the decisions by kind, which become rules for the words that make a call of a kind.
func (e *Effective) narrowRules() {
	own := e.Sides[0].combination()
	all, many := own, false
	for i := range e.Sides[1:] {
		next := e.Sides[i+1].combination()
		if many = len(all.rules)*len(next.rules) > maxPairs; many {
			break
		}
		if all = combine(all, next); len(all.rules) > maxRules {
			many = true
			break
		}
	}
	if len(own.rules) == 0 && len(all.rules) == 0 && !many {
		return
	}
	reason := "combined with the rules and permissions of the other sides"
	if many {
		all.rules = []rule{{everything, everything, everything, e.strictest(), ""}}
		reason = "the sides have too many rules to combine, so the strictest decision of all stands for them"
	}
	if slices.Equal(own.rules, all.rules) {
		return
	}
	rules := make([]any, len(all.rules))
	for i, r := range all.rules {
		rules[i] = r.value()
	}
	perms := e.object("permissions")
	e.adjust("/spec/permissions/rules", perms["rules"], rules, reason, e.source("permissions"))
	perms["rules"] = rules
}

func (r rule) value() map[string]any {
	m := map[string]any{"decision": string(r.decision)}
	for k, v := range map[string]string{"tool": r.tool, "action": r.action, "target": r.target} {
		if v != everything {
			m[k] = v
		}
	}
	if r.reason != "" {
		m["reason"] = r.reason
	}
	return m
}

// strictest is the strictest decision that any side has anywhere.
func (e *Effective) strictest() Decision {
	d := Allow
	for i := range e.Sides {
		c := e.Sides[i].combination()
		for _, r := range c.rules {
			d = d.Lesser(r.decision)
		}
		for _, b := range c.behind {
			d = d.Lesser(b)
		}
	}
	return d
}

// combine makes one list of two. It stops early once there are too many.
func combine(a, b combination) combination {
	out := combination{behind: map[string]Decision{}}
	for k := range a.behind {
		out.behind[k] = a.behind[k].Lesser(b.behind[k])
	}
	add := func(rs ...rule) {
		for _, r := range rs {
			if !slices.ContainsFunc(out.rules, func(o rule) bool { return o.hides(r) }) {
				out.rules = append(out.rules, r)
			}
		}
	}
	for _, x := range a.rules {
		for _, y := range b.rules {
			add(pair(x, y)...)
		}
		add(refine(x, b.behind)...)
		if len(out.rules) > maxRules {
			return out
		}
	}
	for _, y := range b.rules {
		add(refine(y, a.behind)...)
	}
	return out
}

// hides reports whether a later rule adds nothing: it says the same again, or nothing ever gets past this
// one. A rule with the same patterns and another decision does add something, for calls of which it is not
// sure that they fit.
func (r rule) hides(later rule) bool {
	same := r.tool == later.tool && r.action == later.action && r.target == later.target
	return same && r.decision == later.decision || r.tool == everything && r.action == everything && r.target == everything
}

// pair gives the rule for calls that fit both. Where no pattern says what they share, a rule that allows
// is left out, since what follows is at most as wide, and another denies the more specific of the two.
func pair(x, y rule) []rule {
	d := x.decision.Lesser(y.decision)
	r := rule{decision: d, reason: x.reason}
	if y.decision.rank() < x.decision.rank() {
		r.reason = y.reason
	}
	exact := !unsound(x.tool) && !unsound(y.tool)
	for _, part := range []struct {
		into *string
		a, b string
	}{{&r.tool, x.tool, y.tool}, {&r.action, x.action, y.action}, {&r.target, x.target, y.target}} {
		if !overlaps(part.a, part.b) {
			return nil
		}
		p, ok := meet(part.a, part.b)
		if !ok {
			p, exact = part.a, false
		}
		*part.into = p
	}
	switch {
	case exact:
		return []rule{r}
	case d == Allow:
		return nil
	}
	r.decision = Deny
	return []rule{r}
}

// refine gives rules that say of the calls of one rule what it says or, if that is stricter, what stands
// behind the other list for their kind: first a rule for each word that makes a call of a kind, the
// strictest kind first because a call may be of several, then the rule itself for all other calls.
func refine(r rule, behind map[string]Decision) []rule {
	last := r
	last.decision = r.decision.Lesser(behind["default"])
	kinds := slices.Clone(permissionKinds)
	slices.SortStableFunc(kinds, func(a, b string) int { return behind[a].rank() - behind[b].rank() })
	if widest := r.decision.Lesser(behind[kinds[len(kinds)-1]]); widest.rank() <= last.decision.rank() {
		// No kind is wider than other calls are, so kinds that are the same need no rule.
		kinds = slices.DeleteFunc(kinds, func(k string) bool { return r.decision.Lesser(behind[k]) == last.decision })
	}
	var out []rule
	for _, k := range kinds {
		d := r.decision.Lesser(behind[k])
		for _, word := range slices.Sorted(maps.Keys(kindOfTool)) {
			if kindOfTool[word] == k && allows(r.tool, word) {
				out = append(out, rule{word, r.action, r.target, d, r.reason})
			}
		}
		for _, word := range slices.Sorted(maps.Keys(kindOfAction)) {
			if kindOfAction[word] == k && allows(r.action, word) {
				out = append(out, rule{r.tool, word, r.target, d, r.reason})
			}
		}
	}
	return append(out, last)
}

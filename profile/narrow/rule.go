package narrow

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/open-agent-profile/oap/profile"
)

// rule is one line of permissions.rules.
type rule struct {
	tool, action, target string
	decision             Decision
	reason               string
}

// rules reads the rules of a side. An entry that is no rule denies everything from there on.
func (s *Side) rules() []rule {
	var rs []rule
	for _, m := range s.objects("permissions", "rules") {
		r := rule{tool: everything, action: everything, target: everything, decision: Deny}
		fits := m != nil
		read := func(into *string, k string) {
			if v, ok := m[k]; ok {
				*into, ok = v.(string)
				fits = fits && ok
			}
		}
		read(&r.tool, "tool")
		read(&r.action, "action")
		read(&r.target, "target")
		if w, ok := m["decision"].(string); ok && fits {
			r.decision = Decision(w).Lesser(Allow)
		}
		if !fits {
			r.tool, r.action, r.target = everything, everything, everything
		}
		r.reason, _ = m["reason"].(string)
		rs = append(rs, r)
	}
	return rs
}

// fit is how a rule stands to a call.
type fit int

const (
	no      fit = iota
	unasked     // it depends on what the question leaves open
	perhaps     // by a wide reading of the pattern, not by the narrow one
	yes
)

func (f fit) and(o fit) fit { return min(f, o) }

// fits compares a rule with a call. An empty action or target is not known.
func (r rule) fits(c call) fit {
	f := fitName(r.tool, c.tool)
	if f == no {
		return no
	}
	for _, part := range []struct {
		pattern, value string
		loose          bool
	}{{r.action, c.action, false}, {r.target, c.target, c.ambiguous}} {
		switch {
		case part.pattern == everything || part.pattern == "**":
		case part.value == "":
			f = f.and(unasked)
		case part.loose:
			f = f.and(min(fitText(part.pattern, part.value), perhaps))
		default:
			f = f.and(fitText(part.pattern, part.value))
		}
		if f == no {
			return no
		}
	}
	return f
}

func fitName(pattern, name string) fit {
	switch {
	case allows(pattern, name):
		return yes
	case denies(pattern, name):
		return perhaps
	}
	return no
}

// fitText is fitName for texts in which brackets and the like are just characters: commands, addresses.
func fitText(pattern, s string) fit {
	switch {
	case strings.Count(pattern, "*") <= 2*maxWild && profile.Glob(pattern).Match(s):
		return yes
	case denies(pattern, s):
		return perhaps
	}
	return no
}

// byRules gives what a side's rules and, behind them, its permissions say of a call: the first rule that
// fits decides. Where it is not sure whether a rule fits, both outcomes are followed and the stricter one
// counts; a rule that denies a part of what the question leaves open makes it a question for a person.
func (s *Side) byRules(c call) Verdict {
	v := Verdict{Decision: Allow}
	first := true
	take := func(next Verdict) {
		if first {
			v, first = next, false
		}
		v = v.lesser(next)
	}
	for i, r := range s.rules() {
		f := r.fits(c)
		if f == no {
			continue
		}
		next := Verdict{Decision: r.decision, Source: s.Source, Pointer: s.pointer("permissions", "rules", strconv.Itoa(i))}
		next.Reason = fmt.Sprintf("permissions.rules says %s", r.decision)
		if r.reason != "" {
			next.Reason += ": " + r.reason
		}
		if f == unasked && r.decision == Deny {
			next.Decision = Ask
			next.Reason = "a rule denies some of what the question leaves open"
		}
		if f == yes {
			take(next)
			return v
		}
		if r.decision != Allow {
			take(next)
		}
	}
	take(s.byKind(c.kinds))
	return v
}

// shellMeta are characters by which one line becomes another command than it begins with.
const shellMeta = ";|&`$()<>\n\r"

// ambiguous reports whether a target may mean something else than its text: a path that climbs, or a
// command line made of several. A rule that allows such a text by its beginning would allow anything.
func ambiguous(target string, of map[string]bool) bool {
	if of["shell"] && strings.ContainsAny(target, shellMeta) {
		return true
	}
	low := strings.ToLower(target)
	return strings.Contains(low, "..") || strings.Contains(low, "%2e") || strings.Contains(low, "%2f") ||
		strings.Contains(low, "%5c") || strings.ContainsAny(target, "\\\x00")
}

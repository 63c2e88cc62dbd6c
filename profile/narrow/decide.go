package narrow

import (
	"fmt"
	"strconv"
)

// call is one question.
type call struct {
	tool, action, target string
	kinds                map[string]bool
	ambiguous            bool
}

// Decide says whether one call is allowed, and which line of which side says so. tool is the full name,
// such as "edit" or "mcp/catalog/drop_table". action says what it is to do: a word of the format ("shell",
// "edit", "network", "read") or the harness's own. target is what it is done to: a path, an address, a
// command. Paths are relative to the workspace or absolute, with links followed.
//
// An empty action or target is not known. Then the answer is at most "ask" where the answer depends on it.
func (e *Effective) Decide(tool, action, target string) Verdict {
	c := call{tool: tool, action: action, target: target, kinds: kinds(tool, action)}
	c.ambiguous = ambiguous(target, c.kinds)
	if tool == "" {
		return Verdict{Decision: Deny, Source: "oap", Reason: "no tool is named"}
	}
	if len(e.Sides) == 0 {
		return Verdict{Decision: Deny, Source: "oap", Reason: "nothing grants it"}
	}
	var v Verdict
	for i := range e.Sides {
		next := e.Sides[i].decide(c, e.Workspace)
		if i == 0 {
			v = next
		}
		v = v.lesser(next)
	}
	return v
}

// decide is one side's answer.
func (s *Side) decide(c call, workspace string) Verdict {
	v := s.grants(c.tool)
	if v.Decision == Deny {
		return v
	}
	granted := v
	v = s.byRules(c)
	if bound := s.bound(c.tool); bound != nil {
		v = v.lesser(*bound)
	}
	v = v.lesser(s.byPlace(c, workspace))
	if v.Decision == Allow && v.Pointer == "" {
		return granted
	}
	return v
}

// bound gives the strictest binding of a tool; nil where none has a permission.
func (s *Side) bound(tool string) *Verdict {
	var v *Verdict
	for i, b := range s.objects("tools", "bindings") {
		name, _ := b["name"].(string)
		p, has := b["permission"]
		if !has || name != tool && !denies(name, tool) {
			continue
		}
		w, _ := p.(string)
		d := Decision(w).Lesser(Allow)
		if v == nil || d.rank() < v.Decision.rank() {
			v = &Verdict{Decision: d, Source: s.Source, Pointer: s.pointer("tools", "bindings", strconv.Itoa(i), "permission"),
				Reason: fmt.Sprintf("the binding of %q says %s", name, d)}
		}
	}
	return v
}

// byPlace holds the target of a call against roots, closed paths and hosts.
func (s *Side) byPlace(c call, workspace string) Verdict {
	v := Verdict{Decision: Allow, Source: s.Source}
	if c.target != "" {
		for i, p := range s.denied("permissions", "filesystem", "deny_paths") {
			if closes(p, c.target, workspace) {
				return Verdict{Decision: Deny, Source: s.Source, Pointer: s.pointer("permissions", "filesystem", "deny_paths", strconv.Itoa(i)),
					Reason: fmt.Sprintf("deny_paths has %q", p)}
			}
		}
	}
	if c.kinds["edit"] {
		v = v.lesser(s.withinRoots("write_roots", c.target, workspace))
	}
	if c.kinds["read"] {
		v = v.lesser(s.withinRoots("read_roots", c.target, workspace))
	}
	if c.kinds["network"] {
		v = v.lesser(s.withinHosts(c.target))
	}
	return v
}

func (s *Side) withinRoots(list, target, workspace string) Verdict {
	v := Verdict{Decision: Allow, Source: s.Source}
	roots, stated := s.names("permissions", "filesystem", list)
	if !stated {
		return v
	}
	v.Pointer = s.pointer("permissions", "filesystem", list)
	if target == "" && len(roots) > 0 {
		v.Decision, v.Reason = Ask, list+" decides, and no path is named"
		return v
	}
	for i, r := range roots {
		if target != "" && contains(r, target, workspace) {
			return Verdict{Decision: Allow, Source: s.Source, Pointer: v.Pointer + "/" + strconv.Itoa(i),
				Reason: fmt.Sprintf("%s has %q", list, r)}
		}
	}
	v.Decision, v.Reason = Deny, "the path is not below "+list
	return v
}

func (s *Side) withinHosts(target string) Verdict {
	v := Verdict{Decision: Allow, Source: s.Source}
	hosts, _ := s.hosts()
	if len(hosts) == 0 {
		return v
	}
	v.Pointer = s.pointer("permissions", "allow_hosts")
	if target == "" {
		v.Decision, v.Reason = Ask, "allow_hosts decides, and no address is named"
		return v
	}
	host := hostOf(target)
	for i, h := range hosts {
		if host != "" && coversHost(h, host) {
			return Verdict{Decision: Allow, Source: s.Source, Pointer: v.Pointer + "/" + strconv.Itoa(i),
				Reason: fmt.Sprintf("allow_hosts has %q", h)}
		}
	}
	v.Decision, v.Reason = Deny, "the host is not in allow_hosts"
	return v
}

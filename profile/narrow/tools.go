package narrow

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/open-agent-profile/oap/profile/resolve"
)

// narrowTools writes the granted tools as one allow list and one deny list, whatever policy the document
// had. Every allowing pattern lies within what each side grants.
func (e *Effective) narrowTools() {
	tools := e.object("tools")
	policy, _ := tools["policy"].(string)
	base := "/spec/tools/allow"
	asked := texts(tools["allow"])
	if policy == "denylist" || policy == "inherit" {
		asked, base = []string{everything}, "/spec/tools/policy"
	}
	granted := []string{}
	for i, p := range asked {
		at, requested := base+"/"+strconv.Itoa(i), any(p)
		if base == "/spec/tools/policy" {
			at, requested = base, policy
		}
		for _, q := range e.grantedOf(p, at, requested) {
			if !slices.Contains(granted, q) {
				granted = append(granted, q)
			}
		}
	}
	tools["policy"], tools["allow"] = "allowlist", list(granted)
	e.narrowDeny(tools, granted)
	e.narrowBindings(tools, granted)
	e.narrowServers(tools, granted)
	if len(e.Sides[0].Limits) > 0 && e.Sides[0].Limits["tools"] == nil && len(granted) == 0 && len(tools) == 2 {
		delete(e.Spec, "tools") // the document has no tools and asked for none
	}
}

// grantedOf gives what is left of one pattern that the document asks for.
func (e *Effective) grantedOf(p, at string, requested any) []string {
	if unsound(p) {
		e.adjust(at, requested, nil, "it is no pattern, so it grants nothing", e.Sides[0].Source)
		return nil
	}
	left, why, source := []string{p}, "", ""
	for i := range e.Sides[1:] {
		s := &e.Sides[i+1]
		if patterns, _, limited := s.granting(); limited && len(left) > 0 {
			if next := meets(left, sound(patterns)); !slices.Equal(left, next) {
				left, why, source = next, s.Source+" grants less", s.Source
			}
		}
	}
	// Only now, since what a wide pattern leaves may be denied as a whole.
	for i := range e.Sides {
		for _, d := range e.Sides[i].withholding() {
			n := len(left)
			left = slices.DeleteFunc(left, func(q string) bool { return covers(loosened(d), strings.ToLower(q)) })
			if len(left) < n {
				why, source = fmt.Sprintf("%s denies %q", e.Sides[i].Source, d), e.Sides[i].Source
			}
		}
	}
	switch {
	case why == "":
	case len(left) == 0:
		e.adjust(at, requested, nil, why, source)
	default:
		e.adjust(at, requested, list(left), why, source)
	}
	return left
}

// narrowDeny gathers the denying patterns of all sides that still matter.
func (e *Effective) narrowDeny(tools map[string]any, granted []string) {
	denied := []string{}
	total := 0
	for i := range e.Sides {
		total += len(e.Sides[i].withholding())
	}
	for i := range e.Sides {
		for _, d := range e.Sides[i].withholding() {
			// Of very many, none is looked at and all stay.
			matters := total*len(granted) > maxPairs || slices.ContainsFunc(granted, func(g string) bool { return overlaps(g, d) })
			// The document's own lines stay, as a reader expects to find them.
			if (matters || i == 0) && !slices.Contains(denied, d) {
				denied = append(denied, d)
			}
		}
	}
	if before := texts(tools["deny"]); len(denied) > 0 || len(before) > 0 {
		tools["deny"] = list(denied)
	}
}

// narrowBindings lowers the permission of bindings, drops those of tools that are not granted, and adds
// those of other sides.
func (e *Effective) narrowBindings(tools map[string]any, granted []string) {
	entries, _ := tools["bindings"].([]any)
	kept := []any{}
	have := map[string]bool{}
	for i, v := range entries {
		b, _ := v.(map[string]any)
		name, _ := b["name"].(string)
		at := "/spec/tools/bindings/" + strconv.Itoa(i)
		verdict := e.tool(name)
		if verdict.Decision == Deny && !e.anyGranted(name, granted) {
			e.adjust(at, b, nil, "its tool is not granted: "+verdict.Reason, verdict.Source)
			continue
		}
		have[name] = true
		kept = append(kept, b)
		if w, ok := b["permission"].(string); ok && verdict.Decision.rank() < Decision(w).rank() {
			e.adjust(at+"/permission", w, string(verdict.Decision), verdict.Reason, verdict.Source)
			b["permission"] = string(verdict.Decision)
		}
	}
	for i := range e.Sides {
		for _, b := range e.Sides[i].objects("tools", "bindings") {
			name, _ := b["name"].(string)
			if w, ok := b["permission"].(string); ok && !have[name] && e.anyGranted(name, granted) {
				d := e.tool(name).Decision.Lesser(Decision(w))
				have[name] = true
				kept = append(kept, map[string]any{"name": name, "permission": string(d)})
				e.adjust("/spec/tools/bindings", nil, kept[len(kept)-1], "another side binds the tool", e.Sides[i].Source)
			}
		}
	}
	if len(kept) > 0 || tools["bindings"] != nil {
		tools["bindings"] = kept
	}
}

// anyGranted reports whether a name of a binding, which may be a pattern, is of a tool that is granted.
func (e *Effective) anyGranted(name string, granted []string) bool {
	return slices.ContainsFunc(granted, func(g string) bool { return overlaps(g, name) })
}

// tool gives the strictest of what the sides say of a tool whatever it does: whether it is granted, its
// bindings, and the permissions of its kind.
func (e *Effective) tool(name string) Verdict {
	v := Verdict{Decision: Allow}
	for i := range e.Sides {
		s := &e.Sides[i]
		v = v.lesser(s.grants(name)).lesser(s.byKind(kinds(name, "")))
		if b := s.bound(name); b != nil {
			v = v.lesser(*b)
		}
	}
	return v
}

// narrowServers narrows the lists of each MCP server and drops servers of which nothing is granted: there
// is no reason to start them.
func (e *Effective) narrowServers(tools map[string]any, granted []string) {
	entries, ok := tools["mcp_servers"].([]any)
	if !ok {
		return
	}
	kept := []any{}
	for i, v := range entries {
		server, _ := v.(map[string]any)
		name, _ := server["name"].(string)
		at := "/spec/tools/mcp_servers/" + strconv.Itoa(i)
		if !slices.ContainsFunc(granted, func(g string) bool { return overlaps(g, "mcp/"+name+"/**") }) {
			e.adjust(at, name, nil, "no tool of the server is granted", e.source("tools"))
			continue
		}
		e.narrowServer(server, name, at)
		kept = append(kept, server)
	}
	tools["mcp_servers"] = kept
}

// narrowServer intersects the lists of a server with those that other sides have for it.
func (e *Effective) narrowServer(server map[string]any, name, at string) {
	lists, _ := server["tools"].(map[string]any)
	lists = map[string]any{"allow": lists["allow"], "deny": lists["deny"]}
	for i := range e.Sides {
		s := &e.Sides[i]
		for j, other := range s.objects("tools", "mcp_servers") {
			if n, _ := other["name"].(string); n != name || other["tools"] == nil {
				continue
			}
			path := []string{"tools", "mcp_servers", strconv.Itoa(j), "tools"}
			for _, d := range s.denied(append(path, "deny")...) {
				if !slices.Contains(texts(lists["deny"]), d) {
					lists["deny"] = append(list(texts(lists["deny"])), d)
				}
			}
			theirs, limited := s.names(append(path, "allow")...)
			if !limited || i == 0 {
				continue
			}
			before := lists["allow"]
			if before == nil {
				lists["allow"] = list(theirs)
			} else {
				lists["allow"] = list(meets(sound(texts(before)), sound(theirs)))
			}
			if !slices.Equal(texts(before), texts(lists["allow"])) {
				e.adjust(at+"/tools/allow", before, lists["allow"], s.Source+" grants less of this server", s.Source)
			}
		}
	}
	for k, v := range lists {
		if v == nil {
			delete(lists, k)
		}
	}
	if len(lists) > 0 {
		server["tools"] = lists
	}
}

// source names the sides that say something about a member, for a record without a single culprit.
func (e *Effective) source(member string) string {
	var all []string
	for _, s := range e.Sides {
		if s.Limits[member] != nil {
			all = append(all, s.Source)
		}
	}
	return strings.Join(all, ", ")
}

// Launch says whether the MCP servers of the profile may be started: a person is asked where the profile
// came with a repository or from elsewhere (OAP L3-M2).
func (e *Effective) Launch() Decision {
	if e.Trust == resolve.Managed || e.Trust == resolve.User {
		return Allow
	}
	return Ask
}

package narrow

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/profile/resolve"
)

// The universe of calls that the law is tried on.
var (
	universe = []string{"read", "edit", "shell", "fetch", "git/diff", "git/push", "mcp/db/get", "mcp/db/drop", "mcp/web/get", "a/b/c", "Shell"}
	actions  = []string{"", "read", "write", "exec", "fetch", "other"}
	targets  = []string{"", "src/a", "src/gen/b", "lib/.env", "/etc/passwd", "src/../lib/x", "git push; rm x", "https://a.test/x", "https://b.a.test", "evil.test"}
)

// naive judges a call by one document in the plainest way there is: patterns as the dialect has them,
// the first rule, the word for the kind. It shares no code with the package but the kinds of words.
type naive struct {
	spec   map[string]any
	policy bool // absent lists limit nothing
	base   bool // absent decisions limit nothing, either
}

func (n naive) look(path ...string) (any, bool) {
	var v any = n.spec
	for _, k := range path {
		m, ok := v.(map[string]any)
		if !ok {
			return nil, false
		}
		if v, ok = m[k]; !ok {
			return nil, false
		}
	}
	return v, true
}

func (n naive) any(name string, path ...string) (match, stated bool) {
	v, stated := n.look(path...)
	entries, _ := v.([]any)
	for _, e := range entries {
		match = match || profile.Glob(e.(string)).Match(name)
	}
	return match, stated
}

func (n naive) granted(tool string) bool {
	mode, hasMode := n.look("tools", "policy")
	allowed, stated := n.any(tool, "tools", "allow")
	denied, _ := n.any(tool, "tools", "deny")
	switch {
	case mode == "inherit":
		return true
	case denied:
		return false
	case mode == "denylist":
		return true
	case n.policy, n.base && !hasMode:
		return allowed || !stated
	}
	return allowed
}

func (n naive) decide(tool, action, target string) Decision {
	if !n.granted(tool) {
		return Deny
	}
	d := n.permission(tool, action)
	rules, _ := n.look("permissions", "rules")
	entries, _ := rules.([]any)
	for _, e := range entries {
		r := e.(map[string]any)
		fits := true
		for k, v := range map[string]string{"tool": tool, "action": action, "target": target} {
			p, has := r[k].(string)
			fits = fits && (!has || profile.Glob(p).Match(v))
		}
		if fits {
			d = Decision(r["decision"].(string))
			break
		}
	}
	bindings, _ := n.look("tools", "bindings")
	entries, _ = bindings.([]any)
	for _, e := range entries {
		if b := e.(map[string]any); b["name"] == tool && b["permission"] != nil {
			d = d.Lesser(Decision(b["permission"].(string)))
		}
	}
	if !n.reachable(tool, action, target) {
		return Deny
	}
	return d
}

func (n naive) permission(tool, action string) Decision {
	fallback := Ask
	if n.base {
		fallback = Allow
	}
	if w, ok := n.look("permissions", "default"); ok {
		fallback = Decision(w.(string))
	}
	d, named := Allow, false
	for k := range kinds(tool, action) {
		if k == "read" {
			continue
		}
		named = true
		if w, ok := n.look("permissions", k); ok {
			d = d.Lesser(Decision(w.(string)))
		} else {
			d = d.Lesser(fallback)
		}
	}
	if !named {
		return fallback
	}
	return d
}

// reachable looks at roots, closed paths and hosts with plain string comparison.
func (n naive) reachable(tool, action, target string) bool {
	clean := path.Clean(target)
	inside := func(list string) bool {
		v, stated := n.look("permissions", "filesystem", list)
		entries, _ := v.([]any)
		for _, e := range entries {
			r := e.(string)
			if r == "." && clean[0] != '/' || clean == r || strings.HasPrefix(clean, r+"/") {
				return true
			}
		}
		return !stated
	}
	closed, _ := n.look("permissions", "filesystem", "deny_paths")
	entries, _ := closed.([]any)
	for _, e := range entries {
		if p := e.(string); target == p || strings.HasPrefix(target, p+"/") {
			return false
		}
	}
	hosts, _ := n.look("permissions", "allow_hosts")
	entries, _ = hosts.([]any)
	k := kinds(tool, action)
	if k["network"] && len(entries) > 0 && target != "" {
		host := strings.Split(strings.TrimPrefix(target, "https://"), "/")[0]
		if !slices.ContainsFunc(entries, func(e any) bool {
			h := e.(string)
			return h == host || strings.HasPrefix(h, "*.") && strings.HasSuffix(host, h[1:])
		}) {
			return false
		}
	}
	return target == "" || (!k["edit"] || inside("write_roots")) && (!k["read"] || inside("read_roots"))
}

// draw makes a contract or a policy from pools in which much overlaps and much does not.
func draw(r *rand.Rand, isPolicy bool) map[string]any {
	some := func(max int, pool ...string) []any {
		out := []any{}
		for range r.IntN(max + 1) {
			out = append(out, pool[r.IntN(len(pool))])
		}
		return out
	}
	pick := func(pool ...string) string { return pool[r.IntN(len(pool))] }
	maybe := func(m map[string]any, k string, v any) {
		if r.IntN(3) > 0 {
			m[k] = v
		}
	}
	decision := func() string { return pick("allow", "allow", "ask", "deny") }
	names := []string{"read", "edit", "shell", "fetch", "git/*", "git/diff", "*", "**", "mcp/**", "mcp/*/get", "mcp/db/*", "*/push", "s*", "a/**/c", "*/*"}
	tools := map[string]any{}
	maybe(tools, "allow", some(5, names...))
	maybe(tools, "deny", some(2, names[:12]...))
	if !isPolicy {
		maybe(tools, "policy", pick("allowlist", "allowlist", "denylist", "inherit"))
		maybe(tools, "bindings", []any{map[string]any{"name": pick(universe...), "permission": decision()}})
	}
	perms := map[string]any{}
	for _, k := range []string{"default", "shell", "edit", "network"} {
		maybe(perms, k, decision())
	}
	files := map[string]any{}
	maybe(files, "read_roots", some(2, ".", "src", "src/gen", "/etc"))
	maybe(files, "write_roots", some(2, ".", "src", "lib"))
	maybe(files, "deny_paths", some(2, "lib", ".env", "src/gen"))
	maybe(perms, "filesystem", files)
	maybe(perms, "allow_hosts", some(2, "a.test", "*.a.test", "evil.test"))
	rules := []any{}
	for range r.IntN(4) {
		rule := map[string]any{"decision": decision()}
		maybe(rule, "tool", names[r.IntN(len(names))])
		maybe(rule, "action", pick("*", "write", "exec", "read", "w*"))
		maybe(rule, "target", pick("*", "src/*", "src/**", "git *", "https://**", "**/x"))
		rules = append(rules, rule)
	}
	maybe(perms, "rules", rules)
	memory := map[string]any{}
	maybe(memory, "mode", pick("off", "read_only", "read_write"))
	maybe(memory, "scopes", some(2, "project:a", "project:*", "user:b", "*"))
	subagents := map[string]any{}
	maybe(subagents, "allow", some(3, "scout", "lead", "*", "s*"))
	maybe(subagents, "max_depth", float64(1+r.IntN(4)))
	maybe(subagents, "max_concurrent", float64(1+r.IntN(4)))
	runtime := map[string]any{}
	maybe(runtime, "subagents", subagents)
	for _, k := range []string{"max_turns", "max_tool_calls", "timeout_seconds", "max_cost_usd"} {
		maybe(runtime, k, float64(1+r.IntN(50)))
	}
	budget := map[string]any{}
	maybe(budget, "max_state_tokens", float64(r.IntN(90)))
	out := map[string]any{"context": map[string]any{"budget": budget}}
	maybe(out, "tools", tools)
	maybe(out, "permissions", perms)
	maybe(out, "memory", memory)
	maybe(out, "runtime", runtime)
	maybe(out, "lifecycle", map[string]any{"writeback": pick("off", "propose", "auto")})
	if !isPolicy {
		out["role"] = map[string]any{"instructions": "Do it."}
		if m, ok := out["memory"].(map[string]any); ok {
			maybe(m, "stores", []any{map[string]any{"name": "s", "kind": "oap-state", "mode": pick("off", "read_only", "read_write")}})
		}
	}
	return out
}

// FuzzLaw is the one law: for no input is the effective profile wider than the profile itself, its bases,
// the policy or its parent; neither asked call by call, nor read as a document of its own.
//
// conformance: L1-I3, L3-E2, L3-B1
func FuzzLaw(f *testing.F) {
	for i := range uint64(300) {
		f.Add(i, i%7)
	}
	f.Fuzz(func(t *testing.T, a, b uint64) { checkLaw(t, rand.New(rand.NewPCG(a, b))) })
}

// drawCalls picks some of the universe.
func drawCalls(r *rand.Rand) (calls [][3]string) {
	for range 60 {
		calls = append(calls, [3]string{universe[r.IntN(len(universe))], actions[r.IntN(len(actions))], targets[r.IntN(len(targets))]})
	}
	return calls
}

func checkLaw(t *testing.T, r *rand.Rand) {
	wrap := func(name string, spec map[string]any) map[string]any {
		return map[string]any{"oap": "1.0", "kind": "AgentProfile", "metadata": map[string]any{"name": name, "description": "An agent."}, "spec": spec}
	}
	pol := draw(r, true)
	text, err := json.Marshal(merge(pol, map[string]any{"oap": "1.0", "kind": "LocalPolicy"}))
	if err != nil {
		t.Fatal(err)
	}
	p, err := ParsePolicy("policy.json", text)
	if err != nil {
		t.Fatal(err)
	}
	own, base, up := draw(r, false), draw(r, false), draw(r, false)
	in := Input{Value: wrap("scout", own), Bases: []Contract{{"base", wrap("base", base)}}, Trust: resolve.User}
	sides := []naive{{spec: own}, {spec: base, base: true}, {spec: pol, policy: true}}
	e, err := Narrow(in, p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	lawful(t, e, sides, drawCalls(r))
	parent, err := Narrow(Input{Value: wrap("lead", up), Trust: resolve.User}, nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if child, err := e.AsSubagentOf(parent); err == nil {
		lawful(t, child, append(sides, naive{spec: up}), drawCalls(r))
	} else if parent.Delegate("scout", 0) == nil {
		t.Fatalf("refused, though the parent may: %v", err)
	}
}

func merge(a, b map[string]any) map[string]any {
	for k, v := range b {
		a[k] = v
	}
	return a
}

func lawful(t *testing.T, e *Effective, sides []naive, calls [][3]string) {
	t.Helper()
	show := func() string {
		b, _ := json.MarshalIndent(struct{ Spec, Sides any }{e.Spec, e.Sides}, "", " ")
		return string(b)
	}
	document := &Effective{Sides: []Side{newSide("the document", "/spec", GrantsNothing, e.Spec)}}
	for _, c := range calls {
		tool, action, target := c[0], c[1], c[2]
		got := e.Decide(tool, action, target)
		for i, s := range sides {
			if limit := s.decide(tool, action, target); limit.rank() < got.Decision.rank() {
				t.Fatalf("%s %s %q is %+v, but side %d says %s\n%s", tool, action, target, got, i, limit, show())
			}
		}
		if read := document.Decide(tool, action, target); read.Decision.rank() > got.Decision.rank() {
			t.Fatalf("%s %s %q: the document says %+v, the sides %+v\n%s", tool, action, target, read, got, show())
		}
	}
	if fault := widerThan(e, sides); fault != "" {
		t.Fatalf("%s\n%s", fault, show())
	}
}

// widerThan looks at what is no call.
func widerThan(e *Effective, sides []naive) string {
	got := naive{spec: e.Spec}
	for i, s := range sides {
		for _, at := range numbers {
			limit, has := s.look(at...)
			value, ok := got.look(at...)
			if at[1] == "subagents" && i == 3 && has { // the parent's depth is one more
				continue
			}
			if _, calls := got.look("runtime", "subagents"); at[1] == "subagents" && !calls {
				continue
			}
			if has && ok && value.(float64) > limit.(float64) || has && !ok && at[len(at)-1] != "max_depth" {
				return fmt.Sprintf("%v is %v, side %d says %v", at, value, i, limit)
			}
		}
		for _, name := range []string{"scout", "lead", "other"} {
			may, _ := got.any(name, "runtime", "subagents", "allow")
			theirs, stated := s.any(name, "runtime", "subagents", "allow")
			if may && !theirs && (stated || !s.policy && !s.base) || e.Delegate(name, 0) == nil && !may {
				return fmt.Sprintf("may call %s, against side %d", name, i)
			}
		}
		mode, _ := e.Memory("s", "project:a")
		limit, stated := s.look("memory", "mode")
		if w, _ := limit.(string); stated && access(mode) > access(w) {
			return fmt.Sprintf("memory is %s, side %d says %v", mode, i, limit)
		}
		if in, stated := s.any("project:a", "memory", "scopes"); stated && !in && mode != "off" {
			return fmt.Sprintf("project:a is open, against side %d", i)
		}
		if w, ok := s.look("lifecycle", "writeback"); ok && e.Writeback().Lesser(writeback(w.(string))) != e.Writeback() {
			return fmt.Sprintf("writeback is %s, side %d says %v", e.Writeback(), i, w)
		}
	}
	return ""
}

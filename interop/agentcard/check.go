package agentcard

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/profile"
)

// Grant tells whether a tool is granted, and which line says so. It is the function that answers for calls.
type Grant func(tool string) (granted bool, line string)

// Excess is an entry of a persona that reaches further than its base.
type Excess struct{ Pointer, Entry, Reason string }

// Persona is one persona beside its base, as package narrow and package resolve see them.
type Persona struct {
	Document *profile.Document // its own
	Base     map[string]any    // "spec" of the base, with what the base extends
	Merged   map[string]any    // "spec" of the persona, with its base
	Granted  Grant             // of the persona
	Backed   Grant             // of the base
	Excess   []Excess
	Odd      []Excess // without effect, or without bound
}

// Own reports whether a document is made as a persona is: exactly one base, and a list of tools of its own.
func Own(doc *profile.Document) bool {
	bases, _ := doc.Value["extends"].([]any)
	_, own := canonical.Get(doc.Value, canonical.Pointer{"spec", "tools", "allow"})
	return len(bases) == 1 && own
}

// BaseName gives the name of the only base; "" where there is none or more than one.
func BaseName(doc *profile.Document) string {
	bases, _ := doc.Value["extends"].([]any)
	if len(bases) != 1 {
		return ""
	}
	if b, ok := bases[0].(map[string]any); ok {
		return text(b["name"])
	}
	return text(bases[0])
}

// settable are the members of spec and of spec.tools that a persona may set: a persona is three parts, a base, a
// prompt and a subset of tools, and everything else comes from the base.
var (
	settable      = []string{"role", "tools"}
	settableTools = []string{"policy", "allow", "deny", "bindings", "skills"}
)

// CheckContent judges what a persona's own document sets, before its base is known. Rules: "base",
// "persona-content", "policy".
func CheckContent(doc *profile.Document) (found []profile.Finding) {
	add := func(rule, pointer, format string, args ...any) {
		found = append(found, doc.Finding(profile.Error, rule, pointer, fmt.Sprintf(format, args...)))
	}
	bases, _ := doc.Value["extends"].([]any)
	if len(bases) != 1 {
		add("base", "/extends", "a persona extends exactly one base, not %d", len(bases))
	}
	spec, _ := doc.Value["spec"].(map[string]any)
	for _, k := range slices.Sorted(maps.Keys(spec)) {
		if !slices.Contains(settable, k) {
			add("persona-content", canonical.Pointer{"spec", k}.String(), "a persona does not set %s; it comes from the base", k)
		}
	}
	tools, _ := spec["tools"].(map[string]any)
	for _, k := range slices.Sorted(maps.Keys(tools)) {
		if !slices.Contains(settableTools, k) {
			add("persona-content", canonical.Pointer{"spec", "tools", k}.String(), "a persona does not set tools.%s; it comes from the base", k)
		}
	}
	if policy, own := tools["policy"]; own && policy != "allowlist" {
		add("policy", "/spec/tools/policy", "the policy of a persona is allowlist, not %v", policy)
	} else if !own {
		add("policy", "/spec/tools", "a persona says itself that its policy is allowlist")
	}
	if _, own := tools["allow"].([]any); !own {
		add("policy", "/spec/tools", "a persona lists its tools itself, in tools.allow")
	}
	return found
}

// Check judges a persona beside its base and the skill map, which may be nil. Besides the rules of
// [CheckContent]: "not-subset" for each entry that is wider than the base, and warnings.
func Check(p *Persona, m *SkillMap) []profile.Finding {
	found := CheckContent(p.Document)
	doc := p.Document
	for _, e := range p.Excess {
		found = append(found, doc.Finding(profile.Error, "not-subset", e.Pointer, fmt.Sprintf("%q %s", e.Entry, e.Reason)))
	}
	for _, e := range p.Odd {
		message := e.Reason
		if e.Entry != "" {
			message = fmt.Sprintf("%q: %s", e.Entry, e.Reason)
		}
		found = append(found, doc.Finding(profile.Warning, "persona", e.Pointer, message))
	}
	if own, ok := canonical.Get(doc.Value, canonical.Pointer{"spec", "role", "constraints"}); ok {
		kept := texts(own)
		before, _ := canonical.Get(p.Base, canonical.Pointer{"role", "constraints"})
		for _, c := range texts(before) {
			if !slices.Contains(kept, c) {
				found = append(found, doc.Finding(profile.Warning, "persona", "/spec/role/constraints", "drops a constraint of the base: "+shorten(c)))
			}
		}
	}
	if m != nil {
		found = append(found, p.unused(m)...)
	}
	return found
}

// unused warns of tools that are granted by name and that no skill needs.
func (p *Persona) unused(m *SkillMap) (found []profile.Finding) {
	needed := map[string]bool{}
	for _, s := range m.Skills {
		for _, tool := range s.Requires {
			needed[tool] = true
		}
	}
	allow, _ := canonical.Get(p.Merged, canonical.Pointer{"tools", "allow"})
	for i, tool := range texts(allow) {
		if ok, _ := p.Granted(tool); ok && !needed[tool] && !strings.Contains(tool, "*") {
			at := canonical.Pointer{"spec", "tools", "allow", fmt.Sprint(i)}
			found = append(found, p.Document.Finding(profile.Warning, "persona", at.String(), fmt.Sprintf("no skill of the map needs %q", tool)))
		}
	}
	return found
}

// CheckMap warns of skills that no base of a list of personas can back, so that nobody ever has them.
func CheckMap(m *SkillMap, personas []*Persona) (found []profile.Finding) {
	if len(personas) == 0 {
		return nil
	}
	for i, s := range m.Skills {
		backed := slices.ContainsFunc(personas, func(p *Persona) bool {
			return !slices.ContainsFunc(s.Requires, func(tool string) bool { ok, _ := p.Backed(tool); return !ok })
		})
		if !backed {
			at := canonical.Pointer{"skills", fmt.Sprint(i)}
			found = append(found, m.doc.Finding(profile.Warning, "skill-map", at.String(), fmt.Sprintf("no base grants what %q needs, so that nobody has it", s.ID)))
		}
	}
	return found
}

func shorten(s string) string {
	if r := []rune(s); len(r) > 60 {
		s = string(r[:60]) + "…"
	}
	return fmt.Sprintf("%q", s)
}

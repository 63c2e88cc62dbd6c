package narrow

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strconv"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/schemas"
)

// Policy is what a machine allows at most. It is always valid: [ParsePolicy] makes it.
type Policy struct {
	Path  string
	value map[string]any
}

//go:embed starter.policy.yaml
var starter []byte

// StarterPolicy gives the text of a commented policy that is safe to begin with.
func StarterPolicy() []byte { return slices.Clone(starter) }

// ParsePolicy reads a policy in YAML or JSON, as the name says. The error is a [*profile.SyntaxError] or a
// [*profile.InvalidError] with all that is wrong with it: a policy that says something else than its
// author thinks is worse than none.
func ParsePolicy(name string, src []byte) (*Policy, error) {
	doc, err := profile.Parse(name, src)
	if err != nil {
		return nil, err
	}
	var found []profile.Finding
	add := func(rule, pointer, message string) {
		line, col := doc.Position(pointer)
		found = append(found, profile.Finding{Path: name, Line: line, Column: col, Severity: profile.Error, Rule: rule, Pointer: pointer, Message: message})
	}
	for _, v := range schemas.Validate("policy", doc.Value) {
		add("schema", v.Pointer, v.Message)
	}
	checkPatterns(doc.Value, nil, add)
	trust, _ := doc.Value["trust"].(map[string]any)
	for level, limits := range trust {
		checkPatterns(limits, canonical.Pointer{"trust", level}, add)
	}
	if found != nil {
		slices.SortFunc(found, func(a, b profile.Finding) int {
			return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Pointer, b.Pointer))
		})
		return nil, &profile.InvalidError{Findings: found}
	}
	return &Policy{Path: name, value: doc.Value}, nil
}

// patternLists are where a policy has patterns of names.
var patternLists = []canonical.Pointer{
	{"tools", "allow"}, {"tools", "deny"}, {"model", "allow"}, {"memory", "scopes"}, {"runtime", "subagents", "allow"},
}

// checkPatterns refuses patterns of another dialect, which would be read as plain names.
func checkPatterns(limits any, at canonical.Pointer, add func(rule, pointer, message string)) {
	check := func(p canonical.Pointer, v any) {
		if s, ok := v.(string); ok {
			if _, err := profile.ParseGlob(s); err != nil {
				add("bad-pattern", slices.Concat(at, p).String(), err.Error())
			} else if unsound(s) {
				add("bad-pattern", slices.Concat(at, p).String(), fmt.Sprintf("the pattern has more than %d wildcards", maxWild))
			}
		}
	}
	for _, list := range patternLists {
		v, _ := canonical.Get(limits, list)
		entries, _ := v.([]any)
		for i, e := range entries {
			check(list.Append(strconv.Itoa(i)), e)
		}
	}
	rules := canonical.Pointer{"permissions", "rules"}
	v, _ := canonical.Get(limits, rules)
	entries, _ := v.([]any)
	for i, e := range entries {
		if r, ok := e.(map[string]any); ok && r["tool"] != nil {
			check(rules.Append(strconv.Itoa(i), "tool"), r["tool"])
		}
	}
}

// sides gives the policy as sides: for all, and for one level of trust.
func (p *Policy) sides(trust string) []Side {
	if p == nil {
		return nil
	}
	all := []Side{newSide("policy", "", AsksFirst, p.value)}
	if limits, ok := canonical.Get(p.value, canonical.Pointer{"trust", trust}); ok {
		all = append(all, newSide("policy for "+trust+" profiles", "/trust/"+trust, SaysNothing, limits))
	}
	return all
}

// get looks into the policy; a nil Policy has nothing.
func (p *Policy) get(path ...string) any {
	if p == nil {
		return nil
	}
	v, _ := canonical.Get(p.value, path)
	return v
}

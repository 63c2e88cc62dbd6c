package narrow

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A list that several sides share, and what a harness that reads only the list must not be told.
func TestCombinedRules(t *testing.T) {
	tests := []struct {
		name, why    string
		spec, policy string
		want         []string // "tool action target decision"
	}{
		{"only the profile's", "a policy that allows all of it changes nothing",
			`permissions: {rules: [{tool: "git/*", decision: ask}, {decision: allow}]}`, `permissions: {default: allow}`,
			[]string{"git/* * * ask", "* * * allow"}},
		{"only the policy's", "they hold for a profile without rules, too",
			`permissions: {default: allow, shell: allow, edit: allow, network: allow}`, `permissions: {default: allow, rules: [{tool: x, decision: deny}]}`,
			[]string{"x * * deny"}},
		{"pairs", "what fits both gets the stricter decision",
			`permissions: {default: allow, rules: [{tool: "a/*", decision: allow}]}`, `permissions: {default: allow, rules: [{tool: "*/b", action: write, decision: ask}]}`,
			[]string{"a/b write * ask", "a/* * * allow", "*/b write * ask"}},
		{"kinds behind the rules", "an allowing rule must not pass the policy's word on shell",
			`permissions: {rules: [{tool: "git/*", action: "e*", decision: allow}]}`, `permissions: {default: allow, shell: deny}`,
			[]string{"git/* exec * deny", "git/* e* * allow"}},
		{"no pattern says it", "then a rule that asks becomes one that denies, and one that allows goes",
			`permissions: {rules: [{tool: "a*", decision: ask}, {tool: "*z", decision: allow}]}`,
			`permissions: {default: allow, rules: [{tool: "*b", decision: ask}, {tool: "q*", decision: allow}]}`,
			[]string{"a* * * deny", "a* * * ask", "*z * * allow", "*b * * ask", "q* * * ask"}},
		{"same patterns, later and stricter", "it counts for calls that may or may not fit",
			`permissions: {rules: [{target: "git*", decision: ask}, {target: "git*", decision: deny}]}`, `permissions: {default: allow, rules: [{decision: ask}]}`,
			[]string{"* * git* ask", "* * git* deny", "* * * ask"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := effective(t, tt.spec, tt.policy)
			s := newSide("", "", GrantsNothing, e.Spec)
			var got []string
			for _, r := range s.rules() {
				got = append(got, fmt.Sprintf("%s %s %s %s", r.tool, r.action, r.target, r.decision))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.why, diff)
			}
		})
	}
}

func TestTooManyRules(t *testing.T) {
	var spec, pol strings.Builder
	spec.WriteString("permissions:\n  rules:\n")
	pol.WriteString("permissions:\n  default: allow\n  rules:\n")
	for i := range 40 {
		fmt.Fprintf(&spec, "    - {tool: \"t%d/*\", decision: allow}\n", i)
		fmt.Fprintf(&pol, "    - {target: \"x%d\", decision: ask}\n", i)
	}
	e := effective(t, spec.String(), pol.String())
	if got := e.at("permissions", "rules"); got != `[{"decision":"ask"}]` {
		t.Errorf("rules %s", got)
	}
	if len(e.about("/spec/permissions/rules")) != 1 {
		t.Errorf("not reported: %+v", e.Adjustments)
	}
}

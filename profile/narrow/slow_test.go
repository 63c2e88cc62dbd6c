package narrow

import (
	"fmt"
	"strings"
	"testing"

	"github.com/open-agent-profile/oap/profile/resolve"
)

// Documents that are as large as the format allows and made to be slow: what matters is that this ends
// (in well under a second on any machine), and that nothing is granted for lack of patience.
func TestHostilePatterns(t *testing.T) {
	contract := func(suffix string) map[string]any {
		var allow, deny, rules []any
		for i := range 200 {
			p := fmt.Sprintf("%s%d%s", strings.Repeat("a*", 55), i, suffix)
			few := fmt.Sprintf("%s*%d*%s", strings.Repeat("a", 100), i, suffix)
			allow = append(allow, p, few)
			deny = append(deny, "*b"+p, "*b"+few)
			rules = append(rules, map[string]any{"tool": few, "target": strings.Repeat("a*", 240), "decision": []any{"ask", "deny", "allow"}[i%3]})
		}
		return map[string]any{"spec": map[string]any{"tools": map[string]any{"allow": allow, "deny": deny}, "permissions": map[string]any{"default": "allow", "rules": rules}}}
	}
	in := Input{Value: contract("x"), Trust: resolve.User}
	for i := range 4 {
		in.Bases = append(in.Bases, Contract{Name: fmt.Sprint(i), Value: contract(fmt.Sprint("x", i))})
	}
	e := must(t, in, nil, Options{})
	for _, tool := range []string{strings.Repeat("a", 3000) + "7x", strings.Repeat("a", 100) + "7x"} {
		if v := e.Decide(tool, "y", strings.Repeat("a", 5000)); v.Decision != Deny {
			t.Errorf("%+v", v)
		}
	}
}

package narrow

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCovers(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"*", "**", true}, {"**", "*", true}, {"*", "a/b", true}, {"a", "a", true}, {"a", "b", false},
		{"a/*", "a/b", true}, {"a/*", "a/b/c", false}, {"a/**", "a/b/c", true}, {"a/**", "a/*/c", true}, {"a/*", "a/**", false},
		{"a/*/c", "a/*/c", true}, {"a/*/c", "a/b*/c", true}, {"a*", "ab*", true}, {"ab*", "a*", false}, {"*a", "*", false},
		{"a**z", "a*b*z", true}, {"*b*", "a*b*c", true}, {"a*b", "a**b", false}, {"*/*", "**", false}, {"**/x", "a/*/x", true},
		{"a*a", "a", false}, {"*x*x", "*x", false},
	} {
		if got := covers(tt.a, tt.b); got != tt.want {
			t.Errorf("covers(%q, %q) is %v", tt.a, tt.b, got)
		}
	}
}

func TestMeets(t *testing.T) {
	for _, tt := range []struct {
		name string
		a, b []string
		want []string
	}{
		{"inner", []string{"a/**", "b"}, []string{"a/x", "a/*", "c"}, []string{"a/x", "a/*"}},
		{"segments", []string{"mcp/*/read"}, []string{"mcp/db/*"}, []string{"mcp/db/read"}},
		{"no pattern says it", []string{"a*"}, []string{"*b"}, []string{}},
		{"everything", []string{"*"}, []string{"**", "x"}, []string{"**", "x"}},
		{"nothing", []string{}, []string{"*"}, []string{}},
	} {
		if diff := cmp.Diff(tt.want, meets(tt.a, tt.b)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// FuzzPatterns holds what is computed about patterns against what they match.
func FuzzPatterns(f *testing.F) {
	for _, s := range [][3]string{{"a/*", "a/**", "a/b/c"}, {"*", "a*b", "axb"}, {"a**z", "a*b*z", "a/bz"}, {"mcp/*/r", "mcp/db/*", "mcp/db/r"}, {"**/x", "a*/x", "ab/x"},
		{"*\xbd", "*", "ý"}, {"\xc4*", "*", "\u0130"}} {
		f.Add(s[0], s[1], s[2])
	}
	f.Fuzz(func(t *testing.T, a, b, name string) {
		for _, p := range []string{a, b} {
			if unsound(p) && p != name && allows(p, name) {
				t.Errorf("%q is no pattern, and allows %q", p, name)
			}
		}
		if unsound(a) || unsound(b) || len(a)+len(b) > 60 {
			return
		}
		inA, inB := allows(a, name), allows(b, name)
		if covers(a, b) && inB && !inA {
			t.Errorf("%q covers %q, but %q is only in the second", a, b, name)
		}
		if inA && inB && !overlaps(a, b) {
			t.Errorf("%q and %q overlap in %q", a, b, name)
		}
		if p, ok := meet(a, b); ok && allows(p, name) && !(inA && inB) {
			t.Errorf("%q is what %q and %q share, but %q is not in both", p, a, b, name)
		}
		if inA && !denies(a, name) {
			t.Errorf("%q allows %q and does not deny it", a, name)
		}
		if covers(loosened(a), b) && allows(b, name) && !denies(a, name) {
			t.Errorf("%q denies all of %q, but not %q", a, b, name)
		}
	})
}

// Patterns of other dialects reach a base or a rule; where they deny, they deny at least what they would there.
func TestDeniesInOtherDialects(t *testing.T) {
	for _, tt := range []struct{ pattern, name string }{
		{"drop?table", "drop_table"}, {"mcp/[ab]/x", "mcp/a/x"}, {"mcp/[", "mcp/a"}, {"{a,b}/x", "a/x"}, {`a\*`, "a*"}, {"***", "a/b"}, {"A*", "ab/c"},
	} {
		if !denies(tt.pattern, tt.name) {
			t.Errorf("%q does not deny %q", tt.pattern, tt.name)
		}
		if tt.pattern != "A*" && allows(tt.pattern, tt.name) {
			t.Errorf("%q allows %q", tt.pattern, tt.name)
		}
	}
}

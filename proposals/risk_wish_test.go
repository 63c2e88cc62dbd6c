package proposals

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestWish(t *testing.T) {
	for _, tc := range []struct {
		name, why, base, wanted string
		added, removed          []string
		ok                      bool
	}{
		{"one more", "all else is as it was", `["read"]`, `["read", "shell"]`, []string{"shell"}, nil, true},
		{"from nothing", "a missing list is an empty one", `null`, `["b", "a"]`, []string{"a", "b"}, nil, true},
		{"more and less", "sorted, so that one wish has one form", `["c", "b", "a"]`, `["e", "b", "d"]`, []string{"d", "e"}, []string{"a", "c"}, true},
		{"another order", "nothing is asked for", `["a", "b"]`, `["b", "a"]`, nil, nil, true},
		{"no list", "one value", `["a"]`, `"a"`, nil, nil, false},
		{"not wanted at all", "a removal is another operation", `["a"]`, `null`, nil, nil, false},
		{"no texts", "entries of their own kind", `["a"]`, `[1]`, nil, nil, false},
		{"repeated", "a place carries meaning", `["-v"]`, `["-v", "-v"]`, nil, nil, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			added, removed, ok := Wish(parse(t, tc.base), parse(t, tc.wanted))
			if ok != tc.ok || !slices.Equal(added, tc.added) || !slices.Equal(removed, tc.removed) {
				t.Errorf("+%q -%q %v, want +%q -%q %v because %s", added, removed, ok, tc.added, tc.removed, tc.ok, tc.why)
			}
		})
	}
}

func TestRebaseList(t *testing.T) {
	for _, tc := range []struct {
		name, why                       string
		base, wanted, tip               string
		want, added, removed, cameAgain string
	}{
		{"nothing moved", "the wish as written, order included", `["a", "b"]`, `["c", "a", "b"]`, `["a", "b"]`,
			`["c", "a", "b"]`, `["c"]`, `[]`, `[]`},
		{"tip gained one", "an old list drops nothing newer", `["a"]`, `["a", "c"]`, `["a", "b"]`, `["a", "b", "c"]`, `["c"]`, `[]`, `[]`},
		{"tip lost one", "what the wish only repeats does not come back", `["a", "shell"]`, `["a", "shell", "c"]`, `["a"]`,
			`["a", "c"]`, `["c"]`, `[]`, `["shell"]`},
		{"tip lost one, wish only repeats", "nothing is left to ask for", `["a", "shell"]`, `["shell", "a"]`, `["a"]`, `["a"]`, `[]`, `[]`, `["shell"]`},
		{"removed by both", "an agreed removal", `["a", "b"]`, `["a"]`, `["a"]`, `["a"]`, `[]`, `["b"]`, `[]`},
		{"removed from a longer tip", "only what the wish names goes", `["a", "b"]`, `["a"]`, `["b", "c", "a"]`, `["c", "a"]`, `[]`, `["b"]`, `[]`},
		{"added by both", "once is enough", `[]`, `["c"]`, `["c", "d"]`, `["c", "d"]`, `["c"]`, `[]`, `[]`},
		{"list gone from the tip", "only the addition is asked for", `["a"]`, `["a", "b"]`, `null`, `["b"]`, `["b"]`, `[]`, `["a"]`},
		{"entries of another form", "the schema refuses them, not this", `["a"]`, `["a", 1]`, `["a", "b"]`, `["a", "b", 1]`, `[]`, `[]`, `[]`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			list := func(text string) []any {
				l, _ := parse(t, text).([]any)
				return l
			}
			tip := list(tc.tip)
			result, added, removed, revived := RebaseList(list(tc.base), list(tc.wanted), tip)
			got := []any{result, added, removed, revived}
			want := []any{list(tc.want), textsOf(list(tc.added)), textsOf(list(tc.removed)), textsOf(list(tc.cameAgain))}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.why, diff)
			}
			if diff := cmp.Diff(list(tc.tip), tip); diff != "" {
				t.Errorf("the tip changed:\n%s", diff)
			}
		})
	}
}

// TestRebaseListLaws: for lists without repetition, the result is what the three lists say entry by entry.
func TestRebaseListLaws(t *testing.T) {
	gen := rapid.SliceOfDistinct(rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}), rapid.ID[string])
	rapid.Check(t, func(t *rapid.T) {
		lists := [3][]any{}
		has := [3]map[string]bool{}
		for i, name := range []string{"base", "wanted", "tip"} {
			s := gen.Draw(t, name)
			has[i] = setOf(s)
			for _, v := range s {
				lists[i] = append(lists[i], v)
			}
		}
		result, _, _, revived := RebaseList(lists[0], lists[1], lists[2])
		for _, s := range []string{"a", "b", "c", "d", "e"} {
			base, wanted, tip := has[0][s], has[1][s], has[2][s]
			want := tip
			if base != wanted {
				want = wanted
			}
			if got := slices.Contains(result, any(s)); got != want {
				t.Fatalf("%s is %v in %v, want %v", s, got, result, want)
			}
			if back := base && wanted && !tip; back != slices.Contains(revived, s) {
				t.Fatalf("%s is %v in revived %v", s, !back, revived)
			}
		}
		if repeats(textsOf(result)) {
			t.Fatalf("%v repeats an entry", result)
		}
	})
}

package delta

import (
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/open-agent-profile/oap/canonical"
)

func mergeLaws(t *rapid.T) {
	base := genDoc(t)
	ours, theirs := mutate(t, base), mutate(t, base)
	early, late := "2026-05-01T00:00:00Z", "2026-05-02T00:00:00Z"
	was := canonical.Clone([]any{base, ours, theirs})

	same := func(law string, want map[string]any, m *Merged) {
		if diff := cmp.Diff(want, m.Value); diff != "" || len(m.Conflicts) > 0 {
			t.Fatalf("%s: %v (-want +got)\n%s", law, m.Conflicts, diff)
		}
	}
	same("nothing happened", base, Merge(base, base, base, MergeOptions{}))
	same("only ours moved", ours, Merge(base, ours, base, MergeOptions{}))
	same("only theirs moved", theirs, Merge(base, base, theirs, MergeOptions{}))

	m := Merge(base, ours, theirs, MergeOptions{OursEnded: early, TheirsEnded: late})
	back := Merge(base, theirs, ours, MergeOptions{OursEnded: late, TheirsEnded: early})
	if diff := cmp.Diff(places(m), places(back)); diff != "" {
		t.Fatalf("conflicts depend on the side (-ours +theirs)\n%s", diff)
	}
	if m.SummaryLost != back.SummaryLost || m.BothMoved != back.BothMoved || len(m.Met) != len(back.Met) || len(m.Warnings) != len(back.Warnings) {
		t.Fatalf("what was told depends on the side: %+v %+v", m, back)
	}
	if len(m.Conflicts) == 0 {
		if diff := cmp.Diff(unordered(m.Value, documentShape), unordered(back.Value, documentShape)); diff != "" {
			t.Fatalf("the result depends on the side (-ours +theirs)\n%s", diff)
		}
	}
	if favoured := Merge(base, ours, theirs, MergeOptions{OursEnded: early, TheirsEnded: late, Favour: Theirs}); len(favoured.Conflicts) != len(m.Conflicts) {
		t.Fatal("a favoured side hides conflicts")
	}
	nothingLost(t, base, ours, theirs, m)
	nothingLost(t, base, theirs, ours, m)
	if err := sound(m.Value); err != "" {
		t.Fatalf("valid inputs gave an invalid result: %s", err)
	}
	if !canonical.Equal(was, []any{base, ours, theirs}) {
		t.Fatal("an argument was changed")
	}
}

func TestMergeLaws(t *testing.T) { rapid.Check(t, mergeLaws) }

// FuzzMergeLaws lets the fuzzer choose the documents.
func FuzzMergeLaws(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
	f.Fuzz(rapid.MakeFuzz(mergeLaws))
}

// FuzzMerge: any three JSON objects merge without a panic, and a side that did nothing gives way.
func FuzzMerge(f *testing.F) {
	f.Add(`{"state":{"facts":[{"id":"a","text":"A"}]}}`, `{"state":{"facts":[{"id":"a","text":"B"},{"id":"b"}]}}`, `{"state":{"facts":[]}}`)
	f.Add(`{}`, `{"state":null,"history":[1,null]}`, `{"state":[],"history":[{"revision":"x"}]}`)
	f.Add(`{"state":{"metrics":{"sessions":1}}}`, `{"state":{"metrics":{"sessions":"2"}}}`, `{"state":{"metrics":{"sessions":3}}}`)
	f.Add(`{"metadata":{"revision":1}}`, `{"metadata":{"revision":[2]}}`, `{"metadata":{"revision":3,"updated_at":7}}`)
	f.Add(`{"state":{"facts":[{"id":"a"},{"id":"a"}]}}`, `{"state":{"facts":[{"id":"a"}]}}`, `{"state":{"facts":{"0":1}}}`)
	f.Fuzz(func(t *testing.T, a, b, c string) {
		var docs [3]map[string]any
		for i, text := range []string{a, b, c} {
			v, _ := tryValue(text)
			m, ok := v.(map[string]any)
			if !ok {
				return
			}
			docs[i] = m
		}
		m := Merge(docs[0], docs[1], docs[2], MergeOptions{})
		back := Merge(docs[0], docs[2], docs[1], MergeOptions{})
		if diff := cmp.Diff(places(m), places(back)); diff != "" {
			t.Errorf("conflicts depend on the side\n%s", diff)
		}
		for _, side := range docs[1:] {
			for _, m := range []*Merged{Merge(docs[0], side, docs[0], MergeOptions{}), Merge(docs[0], docs[0], side, MergeOptions{})} {
				if len(m.Conflicts) > 0 || !canonical.Equal(side, m.Value) {
					t.Errorf("the only change was lost: %s", cmp.Diff(side, m.Value))
				}
			}
		}
	})
}

func places(m *Merged) []string {
	var out []string
	for _, c := range m.Conflicts {
		out = append(out, c.Pointer)
	}
	slices.Sort(out)
	return out
}

// nothingLost: an entry that side changed or added and other left alone is in the result as side has it;
// one that neither touched is there too; one that side removed and other left alone is not.
func nothingLost(t *rapid.T, base, side, other map[string]any, m *Merged) {
	for _, name := range []string{"facts", "preferences", "glossary", "open_threads"} {
		sh := stateShape.member(name)
		b, s, o := firstByID(entriesOf(base, name), sh), firstByID(entriesOf(side, name), sh), firstByID(entriesOf(other, name), sh)
		got := firstByID(entriesOf(m.Value, name), sh)
		for _, id := range genIDs {
			if inID(b, id).equal(inID(o, id)) && !inID(got, id).equal(inID(s, id)) {
				t.Fatalf("%s %s: only one side touched it (-want +got)\n%s", name, id, cmp.Diff(s[id], got[id]))
			}
		}
	}
}

// unordered sorts what carries no order: entries by identity, sets by value.
func unordered(v any, sh *shape) any {
	switch x := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, e := range x {
			out[name] = unordered(e, sh.member(name))
		}
		return out
	case []any:
		if !sh.listing() {
			return x
		}
		out := make([]any, len(x))
		for i, e := range x {
			out[i] = unordered(e, itemOf(sh))
		}
		sort.Slice(out, func(i, j int) bool {
			a, _ := canonical.JCS(out[i])
			b, _ := canonical.JCS(out[j])
			return string(a) < string(b)
		})
		return out
	}
	return v
}

// sound is what merging could break of the schema: identities, sets, the order of the log, counters.
func sound(doc map[string]any) string {
	var walk func(v any, sh *shape, at canonical.Pointer) string
	walk = func(v any, sh *shape, at canonical.Pointer) string {
		switch x := v.(type) {
		case map[string]any:
			for name, e := range x {
				if sh != nil && sh.closed && !sh.knows(name) {
					return at.Append(name).String() + " is unknown"
				}
				if msg := walk(e, sh.member(name), at.Append(name)); msg != "" {
					return msg
				}
			}
		case []any:
			if sh.is(formEntries) && !addressable(x, sh) || sh.is(formSet) && !distinct(x) || sh != nil && sh.max > 0 && len(x) > sh.max {
				return at.String() + " has twins or too much"
			}
			last := 0.0
			for _, e := range x {
				if sh.is(formHistory) {
					n := e.(map[string]any)["revision"].(float64)
					if n < last {
						return at.String() + " is out of order"
					}
					last = n
				}
				if msg := walk(e, itemOf(sh), at); msg != "" {
					return msg
				}
			}
		case float64:
			if x < 0 {
				return at.String() + " is negative"
			}
		case string:
			if strings.HasSuffix(at.String(), "_at") {
				if _, ok := Instant(x); !ok {
					return at.String() + " is no time"
				}
			}
		}
		return ""
	}
	return walk(doc, documentShape, nil)
}

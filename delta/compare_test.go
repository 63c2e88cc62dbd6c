package delta

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/open-agent-profile/oap/canonical"
)

func TestCompare(t *testing.T) {
	tests := []struct {
		name, why, before, after string
		want                     []string // op path
	}{
		{"equal", "nothing to do", kept, kept, nil},
		{"owned fields", "the applicator's", `"revision":3,"updated_at":"2026-01-01T00:00:00Z"`, `"revision":4`, nil},
		{"field", "one field, not the entry", `"facts":[{"id":"a","text":"A","tags":["t"]}]`, `"facts":[{"id":"a","text":"B","tags":["t"]}]`, []string{"replace /state/facts/id:a/text"}},
		{"new field", "an addition", `"facts":[{"id":"a","text":"A"}]`, `"facts":[{"id":"a","text":"A","confidence":1}]`, []string{"add /state/facts/id:a/confidence"}},
		{"field gone", "a removal", `"facts":[{"id":"a","text":"A","confidence":1}]`, `"facts":[{"id":"a","text":"A"}]`, []string{"remove /state/facts/id:a/confidence"}},
		{"appended", "at the end, in reading order", `"facts":[{"id":"a"}]`, `"facts":[{"id":"a"},{"id":"b"},{"id":"c"}]`, []string{"add /state/facts/-", "add /state/facts/-"}},
		{"first fact", "entry by entry, so that a list begun elsewhere survives", ``, `"facts":[{"id":"a"}]`, []string{"add /state/facts/-"}},
		{"empty list", "a list nonetheless", ``, `"facts":[]`, []string{"add /state/facts"}},
		{"removed", "by identity", `"facts":[{"id":"a"},{"id":"b"}]`, `"facts":[{"id":"b"}]`, []string{"remove /state/facts/id:a"}},
		{"all removed", "said at once", `"facts":[{"id":"a"},{"id":"b"}]`, `"facts":[]`, []string{"replace /state/facts"}},
		{"inserted", "before the next one", `"facts":[{"id":"a"},{"id":"d"}]`, `"facts":[{"id":"a"},{"id":"b"},{"id":"c"},{"id":"d"}]`, []string{"add /state/facts/id:d", "add /state/facts/id:c"}},
		{"moved", "one entry moves, not the others", `"facts":[{"id":"a"},{"id":"b"},{"id":"c"}]`, `"facts":[{"id":"b"},{"id":"c"},{"id":"a"}]`, []string{"remove /state/facts/id:a", "add /state/facts/-"}},
		{"term", "escaped", `"glossary":[{"term":"a/b~","definition":"x"}]`, `"glossary":[{"term":"a/b~","definition":"y"}]`, []string{"replace /state/glossary/term:a~1b~0/definition"}},
		{"tag added", "a set grows", `"facts":[{"id":"a","tags":["t"]}]`, `"facts":[{"id":"a","tags":["t","u"]}]`, []string{"add /state/facts/id:a/tags/-"}},
		{"tag gone", "sets have no addresses", `"facts":[{"id":"a","tags":["t","u"]}]`, `"facts":[{"id":"a","tags":["u"]}]`, []string{"replace /state/facts/id:a/tags"}},
		{"metrics", "counter by counter", `"metrics":{"sessions":1}`, `"metrics":{"sessions":2}`, []string{"replace /state/metrics/sessions"}},
		{"state gone", "member by member; the state stays", `"summary":"s","facts":[]`, ``, []string{"remove /state/facts", "remove /state/summary"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before, after := inState(t, tt.before), inState(t, tt.after)
			ops := Compare(before, after)
			var got []string
			for _, op := range ops {
				got = append(got, op.Op+" "+op.Path)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s (-want +got)\n%s", tt.why, diff)
			}
			leadsTo(t, before, after, ops)
		})
	}
}

// leadsTo proves a comparison by applying it, without a warning.
func leadsTo(t interface{ Fatalf(string, ...any) }, before, after map[string]any, ops []Operation) {
	got, err := Apply(before, ops, Options{})
	if err != nil {
		t.Fatalf("%v", err)
	}
	for _, w := range got.Warnings {
		if w.Rule != RulePinned {
			t.Fatalf("a comparison should do exactly what it says: %v", w)
		}
	}
	if diff := cmp.Diff(statePart(after), statePart(got.Doc)); diff != "" {
		t.Fatalf("applied (-want +got)\n%s\n%v", diff, ops)
	}
}

func TestChanges(t *testing.T) {
	before := doc(t, `{"metadata":{"name":"a","revision":1},"spec":{"tools":{"allow":["read"],"mcp_servers":[{"name":"gh","url":"u"},{"name":"x"}]},"role":{"constraints":["one","two"]}},"history":[{"revision":1}]}`)
	after := doc(t, `{"metadata":{"name":"a","revision":2},"spec":{"tools":{"allow":["read","shell"],"mcp_servers":[{"name":"gh","url":"v"}]},"role":{"constraints":["two"]}},"history":[{"revision":1},{"revision":2}],"state":{"facts":[{"id":"a"}]}}`)
	ops := Changes(before, after)
	var got []string
	for _, op := range ops {
		got = append(got, op.Op+" "+op.Path)
	}
	want := []string{"add /history/-", "replace /metadata/revision", "replace /spec/role/constraints", "add /spec/tools/allow/-",
		"remove /spec/tools/mcp_servers/name:x", "replace /spec/tools/mcp_servers/name:gh/url", "add /state"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	back, err := Patch(before, ops)
	if diff := cmp.Diff(after, back); diff != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
}

func compareApply(t *rapid.T) {
	before := genDoc(t)
	after := mutate(t, before)
	shuffle(t, after)
	was := canonical.Clone(before)
	leadsTo(t, before, after, Compare(before, after))
	back, err := Patch(before, Changes(before, after))
	if err != nil || !canonical.Equal(after, back) {
		t.Fatalf("%v (-want +got)\n%s", err, cmp.Diff(after, back))
	}
	if !canonical.Equal(was, before) {
		t.Fatal("an argument was changed")
	}
}

func TestCompareApply(t *testing.T) { rapid.Check(t, compareApply) }

// FuzzCompareApply: applying a comparison gives the other document, order included.
func FuzzCompareApply(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
	f.Fuzz(rapid.MakeFuzz(compareApply))
}

// FuzzChanges is the same law for any two JSON objects, twins and odd lists included.
func FuzzChanges(f *testing.F) {
	f.Add(`{"state":{"facts":[{"id":"a"},{"id":"a"}]}}`, `{"state":{"facts":[{"id":"a"}]}}`)
	f.Add(`{"state":{"facts":[{"id":"a","tags":["x","x"]}]}}`, `{"state":{"facts":[{"id":"a","tags":["x","x","x"]},{"id":""}]}}`)
	f.Add(`{"a":null,"":{"-":1}}`, `{"a":{"":[]},"":{"-":[1]}}`)
	f.Add(`{"spec":{"tools":{"mcp_servers":[1,{"name":"0"}]}}}`, `{"spec":{"tools":{"mcp_servers":[{"name":"0"},{"name":"~/"}]}}}`)
	f.Fuzz(func(t *testing.T, a, b string) {
		v, okV := tryValue(a)
		w, okW := tryValue(b)
		before, isA := v.(map[string]any)
		after, isB := w.(map[string]any)
		if !okV || !okW || !isA || !isB {
			return
		}
		got, err := Patch(before, Changes(before, after))
		if err != nil || !canonical.Equal(after, got) {
			t.Fatalf("%v (-want +got)\n%s", err, cmp.Diff(after, got))
		}
		Compare(before, after)
	})
}

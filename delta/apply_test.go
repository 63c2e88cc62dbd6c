package delta

import (
	"errors"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/open-agent-profile/oap/canonical"
)

// kept is the state that most tables start from.
const kept = `"revision":3,"updated_at":"2026-01-01T00:00:00Z","summary":"old",
 "facts":[{"id":"a","text":"A","tags":["t"],"learned_at":"2026-01-01T00:00:00Z"},{"id":"b","text":"B","confidence":0.5}],
 "glossary":[{"term":"x/y","definition":"D","source":"S"}],
 "open_threads":[{"id":"th","title":"T","opened_at":"2026-01-01T00:00:00Z","refs":["r"]}]`

// conformance: L2-A13
func TestApply(t *testing.T) {
	const own = `"revision":3,"updated_at":"2026-01-01T00:00:00Z"`
	tests := []struct {
		name, why, state, ops, want string
		rules                       []string
	}{
		{"first fact", "a missing collection becomes a list, not an object", ``,
			`[{"op":"add","path":"/state/facts/-","value":{"id":"f","text":"x","learned_at":"2026-01-01T00:00:00Z"}}]`,
			`"facts":[{"id":"f","text":"x","learned_at":"2026-01-01T00:00:00Z"}]`, nil},
		{"first fact by index", "0 is the end of an empty list", ``,
			`[{"op":"add","path":"/state/facts/0","value":{"id":"f","text":"x"}}]`,
			`"facts":[{"id":"f","text":"x","learned_at":"NOW"}]`, nil},
		{"first counter", "a missing metrics becomes an object", ``,
			`[{"op":"add","path":"/state/metrics/sessions","value":1}]`, `"metrics":{"sessions":1}`, nil},
		{"first tag", "missing tags become a list", `"facts":[{"id":"a","text":"A"}]`,
			`[{"op":"add","path":"/state/facts/id:a/tags/-","value":"t"}]`, `"facts":[{"id":"a","text":"A","tags":["t"]}]`, nil},
		{"null state", "an editor may leave it", `"facts":null`,
			`[{"op":"add","path":"/state/facts/-","value":{"id":"f","text":"x"}}]`, `"facts":[{"id":"f","text":"x","learned_at":"NOW"}]`, nil},
		{"remove from nothing", "makes nothing and warns", ``,
			`[{"op":"remove","path":"/state/facts/id:x"}]`, ``, []string{RuleMissing}},
		{"remove unknown id", "warns", kept, `[{"op":"remove","path":"/state/facts/id:zz"}]`, kept, []string{RuleMissing}},
		{"remove below unknown id", "warns", kept, `[{"op":"remove","path":"/state/facts/id:zz/confidence"}]`, kept, []string{RuleMissing}},
		{"remove past the end", "warns", kept, `[{"op":"remove","path":"/state/facts/2"}]`, kept, []string{RuleMissing}},
		{"remove missing member", "warns", kept, `[{"op":"remove","path":"/state/facts/id:a/source"}]`, kept, []string{RuleMissing}},
		{"remove by term", "the glossary is keyed by term, escapes included", `"glossary":[{"term":"x/y","definition":"D"},{"term":"z","definition":"Z"}]`,
			`[{"op":"remove","path":"/state/glossary/term:x~1y"}]`, `"glossary":[{"term":"z","definition":"Z"}]`, nil},
		{"replace field", "one field only", `"facts":[{"id":"a","text":"A","tags":["t"]}]`,
			`[{"op":"replace","path":"/state/facts/id:a/text","value":"A2"}]`, `"facts":[{"id":"a","text":"A2","tags":["t"]}]`, nil},
		{"replace entry", "wholesale, as it says", `"facts":[{"id":"a","text":"A","tags":["t"]},{"id":"b","text":"B"}]`,
			`[{"op":"replace","path":"/state/facts/id:a","value":{"id":"a","text":"A2"}}]`, `"facts":[{"id":"a","text":"A2"},{"id":"b","text":"B"}]`, nil},
		{"first summary", "a known member that is missing is set", ``,
			`[{"op":"replace","path":"/state/summary","value":"s"}]`, `"summary":"s"`, []string{RuleSet}},
		{"first counter by replace", "through a missing parent too", ``,
			`[{"op":"replace","path":"/state/metrics/sessions","value":2}]`, `"metrics":{"sessions":2}`, []string{RuleSet}},
		{"missing confidence", "known for entries as well", `"facts":[{"id":"a","text":"A"}]`,
			`[{"op":"replace","path":"/state/facts/id:a/confidence","value":1}]`, `"facts":[{"id":"a","text":"A","confidence":1}]`, []string{RuleSet}},
		{"insert before", "an identity is a place for add", `"facts":[{"id":"a","text":"A"}]`,
			`[{"op":"add","path":"/state/facts/id:a","value":{"id":"f","text":"F"}}]`, `"facts":[{"id":"f","text":"F","learned_at":"NOW"},{"id":"a","text":"A"}]`, nil},
		{"earlier operations count", "identities are looked up late", ``,
			`[{"op":"add","path":"/state/facts/-","value":{"id":"f","text":"F"}},{"op":"replace","path":"/state/facts/id:f/text","value":"G"}]`,
			`"facts":[{"id":"f","text":"G","learned_at":"NOW"}]`, nil},
		{"known fact, other words", "pinned, tags and scope stay; what vouched for the old words goes", `"facts":[{"id":"a","text":"A","tags":["t"],"scope":"s","pinned":false,"confidence":0.9,"source":"x","learned_at":"2026-01-01T00:00:00Z","expires_at":"2027-01-01T00:00:00Z"}]`,
			`[{"op":"add","path":"/state/facts/-","value":{"id":"a","text":"B"}}]`, `"facts":[{"id":"a","text":"B","tags":["t"],"scope":"s","pinned":false,"learned_at":"NOW"}]`, []string{RuleUpsert}},
		{"known fact, same words", "saying it again takes nothing from it", `"facts":[{"id":"a","text":"A","tags":["t"],"confidence":0.5,"source":"x","learned_at":"2026-01-01T00:00:00Z"}]`,
			`[{"op":"add","path":"/state/facts/-","value":{"id":"a","text":"A","confidence":0.9}}]`, `"facts":[{"id":"a","text":"A","tags":["t"],"confidence":0.9,"source":"x","learned_at":"2026-01-01T00:00:00Z"}]`, []string{RuleUpsert}},
		{"known fact, tags given", "given is given", `"facts":[{"id":"a","text":"A","tags":["t"]}]`,
			`[{"op":"add","path":"/state/facts/0","value":{"id":"a","text":"A","tags":[]}}]`, `"facts":[{"id":"a","text":"A","tags":[],"learned_at":"NOW"}]`, []string{RuleUpsert}},
		{"known term", "in its place", `"glossary":[{"term":"x","definition":"D","source":"S"},{"term":"y","definition":"Y"}]`,
			`[{"op":"add","path":"/state/glossary/-","value":{"term":"x","definition":"E"}}]`, `"glossary":[{"term":"x","definition":"E"},{"term":"y","definition":"Y"}]`, []string{RuleUpsert}},
		{"known thread", "it was opened then", `"open_threads":[{"id":"th","title":"T","status":"done","opened_at":"2026-01-01T00:00:00Z","refs":["r"]}]`,
			`[{"op":"add","path":"/state/open_threads/-","value":{"id":"th","title":"T"}}]`, `"open_threads":[{"id":"th","title":"T","opened_at":"2026-01-01T00:00:00Z","refs":["r"]}]`, []string{RuleUpsert}},
		{"known tag", "a set has it once", `"facts":[{"id":"a","text":"A","tags":["t"]}]`,
			`[{"op":"add","path":"/state/facts/id:a/tags/-","value":"t"}]`, `"facts":[{"id":"a","text":"A","tags":["t"]}]`, []string{RulePresent}},
		{"tag by index", "no address but its place", `"facts":[{"id":"a","text":"A","tags":["t","u"]}]`,
			`[{"op":"remove","path":"/state/facts/id:a/tags/0"},{"op":"replace","path":"/state/facts/id:a/tags/0","value":"v"}]`, `"facts":[{"id":"a","text":"A","tags":["v"]}]`, nil},
		{"replace all", "the owned fields stay", kept, `[{"op":"replace","path":"/state","value":{"summary":"n"}}]`, own + `,"summary":"n"`, nil},
		{"add all", "the same as replace", kept, `[{"op":"add","path":"/state","value":{"summary":"n","revision":99,"updated_at":"2026-01-01T00:00:00Z"}}]`, own + `,"summary":"n"`, []string{RuleKeptOwn}},
		{"replace all, none owned", "they cannot be brought in", ``, `[{"op":"replace","path":"/state","value":{"summary":"n","revision":99}}]`, `"summary":"n"`, []string{RuleKeptOwn}},
		{"remove all", "leaves the owned fields", kept, `[{"op":"remove","path":"/state"}]`, own, nil},
		{"given learned_at", "is not touched", ``, `[{"op":"add","path":"/state/preferences/-","value":{"id":"p","text":"x","learned_at":"2020-01-01T00:00:00Z"}}]`,
			`"preferences":[{"id":"p","text":"x","learned_at":"2020-01-01T00:00:00Z"}]`, nil},
		{"new in a whole list", "new ones are stamped, known ones not", `"facts":[{"id":"a","text":"A"}]`,
			`[{"op":"replace","path":"/state/facts","value":[{"id":"a","text":"A"},{"id":"f","text":"F"}]}]`, `"facts":[{"id":"a","text":"A"},{"id":"f","text":"F","learned_at":"NOW"}]`, nil},
		{"nothing at all", "no operation, no change", kept, `[]`, kept, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := inState(t, tt.state)
			was := canonical.Clone(before)
			got, err := Apply(before, operations(t, tt.ops), Options{LearnedAt: "NOW"})
			if err != nil {
				t.Fatal(err)
			}
			want := inState(t, tt.want)
			if diff := cmp.Diff(want, got.Doc); diff != "" {
				t.Errorf("%s (-want +got)\n%s", tt.why, diff)
			}
			if diff := cmp.Diff(was, any(before)); diff != "" {
				t.Errorf("the argument was changed (-was +is)\n%s", diff)
			}
			if got.Changed != !cmp.Equal(before, got.Doc) {
				t.Errorf("changed = %v", got.Changed)
			}
			var rules []string
			for _, w := range got.Warnings {
				rules = append(rules, w.Rule)
			}
			if diff := cmp.Diff(tt.rules, rules); diff != "" {
				t.Errorf("warnings (-want +got)\n%s", diff)
			}
		})
	}
}

func TestApplyRefuses(t *testing.T) {
	const good = `{"op":"add","path":"/state/facts/-","value":{"id":"good","text":"x"}},`
	tests := []struct{ name, why, op string }{
		{"unknown member", "a typing error", `{"op":"replace","path":"/state/sumary","value":"x"}`},
		{"add unknown member", "a typing error", `{"op":"add","path":"/state/bogus","value":1}`},
		{"through an unknown member", "a typing error", `{"op":"add","path":"/state/bogus/x","value":1}`},
		{"unknown member of an entry", "a typing error", `{"op":"replace","path":"/state/facts/id:a/txet","value":"x"}`},
		{"unknown id", "nothing to replace", `{"op":"replace","path":"/state/facts/id:zz","value":{"id":"zz","text":"x"}}`},
		{"before an unknown id", "no such place", `{"op":"add","path":"/state/facts/id:zz","value":{"id":"zz","text":"x"}}`},
		{"below an unknown id", "nothing to change", `{"op":"add","path":"/state/facts/id:zz/text","value":"x"}`},
		{"past the end", "a hole", `{"op":"add","path":"/state/facts/4","value":{"id":"n","text":"x"}}`},
		{"index that is not there", "nothing to replace", `{"op":"replace","path":"/state/facts/3","value":{"id":"n","text":"x"}}`},
		{"end of nothing", "- is for add", `{"op":"replace","path":"/state/facts/-","value":{"id":"n","text":"x"}}`},
		{"through the end", "- is for add", `{"op":"add","path":"/state/facts/-/text","value":"x"}`},
		{"leading zero", "RFC 6901 §4", `{"op":"remove","path":"/state/facts/00"}`},
		{"id in the glossary", "terms are its identity", `{"op":"remove","path":"/state/glossary/id:x"}`},
		{"empty id", "the first entry with an empty id is nobody's wish", `{"op":"remove","path":"/state/facts/id:"}`},
		{"term missing", "could never be addressed", `{"op":"add","path":"/state/glossary/-","value":{"definition":"x"}}`},
		{"entry replaced by one without id", "could never be addressed", `{"op":"replace","path":"/state/facts/0","value":{"text":"x"}}`},
		{"word among tags", "no index", `{"op":"remove","path":"/state/facts/id:a/tags/t"}`},
		{"through a missing text", "no object, and none is made", `{"op":"add","path":"/state/facts/id:a/source/x","value":1}`},
		{"word in a list", "no index", `{"op":"remove","path":"/state/facts/first"}`},
		{"through a text", "no object", `{"op":"add","path":"/state/summary/x","value":1}`},
		{"remove through a text", "no object", `{"op":"remove","path":"/state/summary/x"}`},
		{"list as state", "an object is needed", `{"op":"replace","path":"/state","value":[]}`},
		{"null as state", "an object is needed", `{"op":"replace","path":"/state","value":null}`},
		{"object as collection", "a list is needed", `{"op":"replace","path":"/state/facts","value":{}}`},
		{"object as collection in state", "a list is needed", `{"op":"replace","path":"/state","value":{"facts":{}}}`},
		{"list as metrics", "an object is needed", `{"op":"replace","path":"/state/metrics","value":[]}`},
		{"text as entry", "an object is needed", `{"op":"replace","path":"/state/facts/id:a","value":"text"}`},
		{"entry without id", "could never be addressed", `{"op":"add","path":"/state/facts/-","value":{"text":"x"}}`},
		{"entry with an empty id", "could never be addressed", `{"op":"add","path":"/state/facts/-","value":{"id":"","text":"x"}}`},
		{"twins", "the file could not be read again", `{"op":"replace","path":"/state/facts/id:a","value":{"id":"b","text":"x"}}`},
		{"twins by renaming", "the file could not be read again", `{"op":"replace","path":"/state/facts/id:a/id","value":"b"}`},
		{"twins in a list", "the file could not be read again", `{"op":"replace","path":"/state/facts","value":[{"id":"n"},{"id":"n"}]}`},
		{"twins in state", "the file could not be read again", `{"op":"replace","path":"/state","value":{"facts":[{"id":"n"},{"id":"n"}]}}`},
		{"contract", "promise 1", `{"op":"replace","path":"/spec/role/instructions","value":"x"}`},
		{"revision", "the applicator's", `{"op":"replace","path":"/state/revision","value":0}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := inState(t, kept)
			was := canonical.Clone(before)
			got, err := Apply(before, operations(t, `[`+good+tt.op+`]`), Options{})
			var e *OperationError
			if got != nil || !errors.As(err, &e) || e.Index != 1 || e.Reason == "" {
				t.Fatalf("got %v, %v; want a refusal of operation 1 (%s)", got, err, tt.why)
			}
			if diff := cmp.Diff(was, any(before)); diff != "" {
				t.Errorf("a refused delta changed the argument\n%s", diff)
			}
		})
	}
}

// TestApplyFixture is the format's own session-end delta, cut to what matters here.
func TestApplyFixture(t *testing.T) {
	before := inState(t, `"summary":"Reviewing.","facts":[{"id":"fact-ruff","text":"r"},{"id":"p","text":"p","pinned":true},{"id":"q","text":"q"}],
	  "open_threads":[{"id":"thread-flaky-auth-tests","title":"flaky","status":"open"}]`)
	got, err := Apply(before, operations(t, `[
	  {"op":"add","path":"/state/facts/-","value":{"id":"fact-coverage-gate","text":"85 percent","learned_at":"2026-08-14T19:20:00Z"}},
	  {"op":"replace","path":"/state/open_threads/id:thread-flaky-auth-tests","value":{"id":"thread-flaky-auth-tests","title":"flaky","status":"blocked"}},
	  {"op":"replace","path":"/state/summary","value":"Reviewing more."}]`), Options{LearnedAt: "NOW"})
	if err != nil {
		t.Fatal(err)
	}
	if len(entriesOf(got.Doc, "facts")) != 4 || entriesOf(got.Doc, "open_threads")[0].(map[string]any)["status"] != "blocked" {
		t.Errorf("got %v", got.Doc["state"])
	}
	want := []canonical.Pointer{{"state", "facts", "id:fact-coverage-gate"}, {"state", "open_threads", "id:thread-flaky-auth-tests"}, {"state", "summary"}}
	if diff := cmp.Diff(want, got.Touched); diff != "" {
		t.Errorf("touched (-want +got)\n%s", diff)
	}
	if len(got.Warnings)+len(got.Pinned) > 0 {
		t.Errorf("unexpected %v %v", got.Warnings, got.Pinned)
	}
}

// TestApplyWithoutState: a profile that never had a state gets one from what is added, not from what is
// removed.
func TestApplyWithoutState(t *testing.T) {
	before := doc(t, `{"metadata":{"name":"a"}}`)
	for _, path := range []string{"/state", "/state/summary", "/state/facts/id:x"} {
		got, err := Apply(before, []Operation{{Op: OpRemove, Path: path}}, Options{})
		if err != nil || got.Changed || len(got.Warnings) != 1 || got.Touched[0] != nil {
			t.Errorf("remove %s: %+v, %v", path, got, err)
		}
	}
	got, err := Apply(nil, operations(t, `[{"op":"add","path":"/state/facts/-","value":{"id":"f","text":"x"}}]`), Options{})
	if err != nil || !canonical.Equal(got.Doc, doc(t, `{"state":{"facts":[{"id":"f","text":"x"}]}}`)) {
		t.Errorf("got %+v, %v", got, err)
	}
	_, err = Apply(before, operations(t, `[{"op":"replace","path":"/state/facts/id:x","value":1}]`), Options{})
	if want := "/operations/0: replace /state/facts/id:x: there is no /state/facts/id:x"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestPinned(t *testing.T) {
	const start = `"facts":[{"id":"p","text":"P","pinned":true},{"id":"q","text":"Q"}],"preferences":[{"id":"p","text":"P"}]`
	tests := []struct {
		name, why, ops string
		want           []string // collection/id change index
	}{
		{"untouched", "another entry changed", `[{"op":"replace","path":"/state/facts/id:q/text","value":"x"}]`, nil},
		{"used", "a use is no edit", `[{"op":"add","path":"/state/facts/id:p/last_used_at","value":"2026-01-01T00:00:00Z"}]`, nil},
		{"edited", "its words changed", `[{"op":"replace","path":"/state/facts/id:p/text","value":"x"}]`, []string{"facts/p edited 0"}},
		{"removed", "it is gone", `[{"op":"remove","path":"/state/facts/0"}]`, []string{"facts/p removed 0"}},
		{"wiped", "it is gone with all state", `[{"op":"replace","path":"/state/summary","value":"x"},{"op":"remove","path":"/state"}]`, []string{"facts/p removed 1"}},
		{"wholesale", "the new value is silent about pinned", `[{"op":"replace","path":"/state/facts/id:p","value":{"id":"p","text":"P"}}]`, []string{"facts/p unpinned 0"}},
		{"unpinned by field", "say no more", `[{"op":"remove","path":"/state/facts/id:p/pinned"}]`, []string{"facts/p unpinned 0"}},
		{"pinned", "a session pins what it wrote", `[{"op":"add","path":"/state/facts/id:q/pinned","value":true}]`, []string{"facts/q pinned 0"}},
		{"new and pinned", "no cap would ever hold it", `[{"op":"add","path":"/state/preferences/-","value":{"id":"n","text":"n","pinned":true}}]`, []string{"preferences/n pinned 0"}},
		{"there and back", "the outcome counts", `[{"op":"remove","path":"/state/facts/id:p/pinned"},{"op":"add","path":"/state/facts/id:p/pinned","value":true}]`, nil},
		{"renamed", "another id is another entry", `[{"op":"replace","path":"/state/facts/id:p/id","value":"r"}]`, []string{"facts/p removed 0", "facts/r pinned -1"}},
		{"known fact learned again", "pinned stays, and the words are new", `[{"op":"add","path":"/state/facts/-","value":{"id":"p","text":"new"}}]`, []string{"facts/p edited 0"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Apply(inState(t, start), operations(t, tt.ops), Options{})
			if err != nil {
				t.Fatal(err)
			}
			var lines []string
			for _, c := range got.Pinned {
				for _, w := range got.Warnings {
					if w.Rule == RulePinned && w.Pointer == c.Pointer.String() {
						lines = append(lines, c.Collection+"/"+c.ID+" "+c.Change+" "+strconv.Itoa(w.Index))
					}
				}
			}
			if diff := cmp.Diff(tt.want, lines); diff != "" {
				t.Errorf("%s (-want +got)\n%s", tt.why, diff)
			}
		})
	}
}

func TestPatch(t *testing.T) {
	before := doc(t, `{"metadata":{"name":"a"},"spec":{"tools":{"allow":["read"],"mcp_servers":[{"name":"gh","url":"u"}]}}}`)
	ops := operations(t, `[{"op":"add","path":"/spec/tools/allow/-","value":"shell"},
	  {"op":"add","path":"/spec/tools/allow/-","value":"read"},
	  {"op":"replace","path":"/spec/permissions/shell","value":"ask"},
	  {"op":"add","path":"/spec/role/constraints/-","value":"be kind"},
	  {"op":"replace","path":"/spec/tools/mcp_servers/name:gh/url","value":"v"}]`)
	got, err := Patch(before, ops)
	if err != nil {
		t.Fatal(err)
	}
	want := doc(t, `{"metadata":{"name":"a"},"spec":{"permissions":{"shell":"ask"},"role":{"constraints":["be kind"]},
	  "tools":{"allow":["read","shell"],"mcp_servers":[{"name":"gh","url":"v"}]}}}`)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for _, op := range []string{
		`{"op":"add","path":"/spec/tools/mcp_servers/-","value":{"name":"gh"}}`,
		`{"op":"remove","path":""}`, `{"op":"add","path":"/spec/x"}`, `{"op":"test","path":"/spec"}`,
		`{"op":"replace","path":"/metadata/name/x","value":1}`,
	} {
		if _, err := Patch(before, operations(t, `[`+op+`]`)); err == nil {
			t.Errorf("%s was carried out", op)
		}
	}
}

// FuzzApply: all or nothing, only below /state, never the owned fields, never a panic; what is applied
// twice by replace and remove stays what it was.
func FuzzApply(f *testing.F) {
	f.Add(`{"state":{"facts":[{"id":"a","text":"A"}],"revision":4}}`, `[{"op":"add","path":"/state/facts/-","value":{"id":"b"}}]`)
	f.Add(`{"state":[]}`, `[{"op":"remove","path":"/state/0"}]`)
	f.Add(`{"state":{"facts":[1,null]}}`, `[{"op":"replace","path":"/state","value":{"facts":[null]}},{"op":"add","path":"/state/facts/0","value":2}]`)
	f.Add(`{"spec":{"x":1}}`, `[{"op":"add","path":"/state~1../spec","value":{}},{"op":"add","path":"/state/metrics/-","value":{}}]`)
	f.Add(`{}`, `[{"op":"add","path":"/state/facts/-","value":{"id":"b","tags":["x"]}},{"op":"add","path":"/state/facts/id:b/tags/0","value":"y"}]`)
	f.Fuzz(func(t *testing.T, document, ops string) {
		v, ok := tryValue(document)
		before, isDoc := v.(map[string]any)
		d, err := Decode(map[string]any{"oap": "1.0", "kind": Kind, "target": map[string]any{"name": "a", "revision": 1.0},
			"session": map[string]any{"id": "s"}, "operations": must(ops)})
		if !ok || !isDoc || err != nil {
			return
		}
		was := canonical.Clone(before)
		got, err := Apply(before, d.Operations, Options{LearnedAt: "2026-01-01T00:00:00Z"})
		if !canonical.Equal(was, before) {
			t.Fatal("the argument was changed")
		}
		if err != nil {
			return
		}
		for name, v := range got.Doc {
			if name != "state" && !canonical.Equal(v, before[name]) {
				t.Errorf("/%s was written", name)
			}
		}
		for _, name := range []string{"revision", "updated_at"} {
			a, had := canonical.Get(before, canonical.Pointer{"state", name})
			b, has := canonical.Get(got.Doc, canonical.Pointer{"state", name})
			if had != has || !canonical.Equal(a, b) {
				t.Errorf("/state/%s was written", name)
			}
		}
		if got.Changed == canonical.Equal(before, got.Doc) {
			t.Error("changed is wrong")
		}
		_, _ = Patch(before, d.Operations)
	})
}

func must(text string) any {
	v, _ := tryValue(text)
	return v
}

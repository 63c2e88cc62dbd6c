package resolve

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/profile"
)

const family = `
metadata:
  name: base
  id: urn:base
  description: A base of a test.
  revision: 4
  created_at: 2026-01-01T00:00:00Z
  updated_at: 2026-01-02T00:00:00Z
  display_name: Base
  tags: [base]
  license: Apache-2.0
  annotations: {example.org/team: one, openwop.dev/agent: base}
spec:
  role: {instructions: Be the base., constraints: [Do no harm.], persona: {tone: dry, voice: low}}
  tools: {allow: [read, search], deny: [shell]}
  permissions: {default: ask, shell: deny}
  runtime: {max_turns: 25}
state: {summary: What the base knows., revision: 9}
history: [{revision: 4, at: "2026-01-02T00:00:00Z"}]
`

// conformance: L3-E1
func TestMerge(t *testing.T) {
	f := files{
		"ws/.agents/base.agent.yaml":  short("base", family),
		"ws/.agents/other.agent.yaml": short("other", "metadata: {name: other, description: Another base here., license: MIT, homepage: x}\nspec: {role: {instructions: Be other., persona: {tone: wet}}, runtime: {max_cost_usd: 2}}\n"),
		"ws/.agents/child.agent.yaml": short("child", `
metadata: {name: child, description: A child of a test., tags: null, annotations: {example.org/team: null, example.org/own: x}, homepage: null}
spec:
  role: {instructions: Be the child., persona: {voice: null, language: en, style_rules: null}}
  tools: {allow: [read]}
  permissions: {shell: allow, filesystem: {read_roots: null, deny_paths: [x]}}
  runtime: null
state: {revision: 1}
`, "base", "other"),
	}
	r := f.mustResolve(t, "ws/.agents/child.agent.yaml", Options{})
	for _, c := range []struct{ why, pointer, want string }{
		{"extends is dropped", "/extends", ""},
		{"state is never inherited", "/state", `{"revision":1}`},
		{"history is never inherited", "/history", ""},
		{"the child's own", "/metadata/name", `"child"`},
		{"never inherited", "/metadata/id", ""},
		{"never inherited", "/metadata/revision", ""},
		{"never inherited", "/metadata/created_at", ""},
		{"never inherited", "/metadata/updated_at", ""},
		{"metadata merges", "/metadata/display_name", `"Base"`},
		{"a later base wins", "/metadata/license", `"MIT"`},
		{"null deletes", "/metadata/tags", ""},
		{"null deletes", "/metadata/homepage", ""},
		{"null deletes inside, and openwop.dev stays with its document", "/metadata/annotations", `{"example.org/own":"x"}`},
		{"objects merge, also over several bases, and a null that deletes nothing leaves nothing", "/spec/role/persona", `{"language":"en","tone":"wet"}`},
		{"lists replace whole", "/spec/tools", `{"allow":["read"],"deny":["shell"]}`},
		{"members of the base stay", "/spec/permissions", `{"default":"ask","filesystem":{"deny_paths":["x"]},"shell":"allow"}`},
		{"null deletes a whole object", "/spec/runtime", ""},
		{"members of the base stay", "/spec/role/constraints", `["Do no harm."]`},
	} {
		if got := at(r.Merged, c.pointer); got != c.want {
			t.Errorf("%s: %s is %s, want %s", c.why, c.pointer, got, c.want)
		}
	}
	// Provenance: which layer gave a field.
	if r.Layers[0].Name != "child" || r.Layers[1].Name != "base" || r.Layers[1].Revision != 4 || r.Layers[2].Name != "other" {
		t.Fatalf("layers %+v", r.Layers)
	}
	got := map[string]string{}
	for _, o := range r.Origins {
		got[o.Pointer] = fmt.Sprint(r.Layers[o.Layer].Name, o.Deleted)
	}
	for p, want := range map[string]string{
		"/spec/role/instructions": "childfalse", "/spec/role/persona/tone": "otherfalse", "/spec/role/constraints": "basefalse",
		"/metadata/tags": "childtrue", "/spec/runtime": "childtrue", "/metadata/license": "otherfalse", "/spec/permissions/shell": "childfalse", "/spec/permissions/default": "basefalse",
	} {
		if got[p] != want {
			t.Errorf("%s comes from %q, want %q", p, got[p], want)
		}
	}
	for p := range got {
		if strings.HasPrefix(p, "/spec/runtime/") {
			t.Errorf("%s was deleted and has a layer", p)
		}
	}
	if r.LayerOf("/spec/tools/deny/0") != 1 || r.LayerOf("/spec/nothing/here") != 0 {
		t.Errorf("layers of places: %d, %d", r.LayerOf("/spec/tools/deny/0"), r.LayerOf("/spec/nothing/here"))
	}
	if len(r.Bases) != 2 || at(r.Bases[0].Value, "/spec/permissions/shell") != `"deny"` {
		t.Errorf("bases %+v", r.Bases)
	}
}

// Every leaf of the merged document has exactly one layer, and its value is the one that this layer says.
func TestOriginsAreComplete(t *testing.T) {
	f := files{
		"ws/.agents/a.agent.yaml": short("a", family[:0]),
		"ws/.agents/b.agent.yaml": short("b", "spec: {role: {instructions: B., persona: {tone: x}}, memory: {}, context: {variables: {}}}\n", "a"),
		"ws/.agents/c.agent.yaml": short("c", "spec: {role: {instructions: C., persona: {tone: null}}, context: {variables: {X: y}}}\n", "b"),
	}
	r := f.mustResolve(t, "ws/.agents/c.agent.yaml", Options{})
	var leaves []string
	var walk func(v any, p canonical.Pointer)
	walk = func(v any, p canonical.Pointer) {
		if m, ok := v.(map[string]any); ok && len(m) > 0 {
			for k, e := range m {
				walk(e, p.Append(k))
			}
			return
		}
		leaves = append(leaves, p.String())
	}
	walk(r.Merged, nil)
	have := map[string]Origin{}
	for _, o := range r.Origins {
		if !o.Deleted {
			have[o.Pointer] = o
		}
	}
	if len(have) != len(leaves) {
		t.Errorf("%d leaves, %d origins", len(leaves), len(have))
	}
	for _, p := range leaves {
		o, ok := have[p]
		if !ok {
			t.Errorf("%s has no layer", p)
		} else if at(r.Merged, p) != "{}" && at(r.Merged, p) != at(r.Layers[o.Layer].doc.Value, p) {
			t.Errorf("%s is not what %s says", p, r.Layers[o.Layer].Name)
		}
	}
}

// conformance: L3-G2
func TestPins(t *testing.T) {
	base := short("base", family)
	digest := func(text string) string {
		d, err := profile.Parse("base.agent.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		sum, err := d.SpecDigest()
		if err != nil {
			t.Fatal(err)
		}
		return sum.String()
	}
	pinned := digest(base)
	tests := []struct {
		name, why, ref, base string
		field                string // of the error; "" = none
	}{
		{"revision", "", "name: base, revision: 4", base, ""},
		{"digest", "", "name: base, digest: \"" + pinned + "\"", base, ""},
		{"state was written", "the spec digest does not see it", "name: base, digest: \"" + pinned + "\"", strings.Replace(base, "What the base knows", "More", 1), ""},
		{"other revision", "", "name: base, revision: 3", base, "revision"},
		{"no revision in the file", "absent is 1", "name: base, revision: 1", strings.Replace(strings.Replace(base, "  revision: 4\n", "", 1), "history: [{revision: 4", "history: [{revision: 1", 1), ""},
		{"contract was changed", "a base changed after pinning", "name: base, digest: \"" + pinned + "\"", strings.Replace(base, "shell: deny", "shell: allow", 1), "digest"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := files{"ws/.agents/base.agent.yaml": tt.base, "ws/.agents/child.agent.yaml": short("child", "", tt.ref)}
			_, err := f.resolve(t, "ws/.agents/child.agent.yaml", Options{})
			var pin *PinError
			switch {
			case tt.field == "" && err != nil:
				t.Errorf("%s: %v", tt.why, err)
			case tt.field != "" && (!errors.As(err, &pin) || pin.Field != tt.field || pin.Path != "ws/.agents/base.agent.yaml"):
				t.Errorf("%s: %v", tt.why, err)
			}
		})
	}
}

func TestChains(t *testing.T) {
	dir := "ws/.agents/"
	tests := []struct {
		name, why string
		files     files
		start     string
		chain     int // of a cycle; 0 = none
		limit     int // of a depth; 0 = none
		missing   bool
	}{
		{"self", "", files{dir + "a.agent.yaml": short("a", "", "a")}, dir + "a.agent.yaml", 0, 0, true},
		{"two", "", files{dir + "a.agent.yaml": short("a", "", "b"), dir + "b.agent.yaml": short("b", "", "a")}, dir + "a.agent.yaml", 3, 0, false},
		{"further down", "the cycle does not hold the first", files{dir + "a.agent.yaml": short("a", "", "b"), dir + "b.agent.yaml": short("b", "", "c"), dir + "c.agent.yaml": short("c", "", "b")}, dir + "a.agent.yaml", 4, 0, false},
		{"same name, other document", "identity is not the name", files{dir + "a.agent.yaml": short("a", "", "a"), "/home/.agentprofiles/a.agent.yaml": short("a", "", "b"), "/home/.agentprofiles/b.agent.yaml": short("b", "")}, dir + "a.agent.yaml", 0, 0, false},
		{"diamond", "twice is no cycle", files{dir + "a.agent.yaml": short("a", "", "b", "c"), dir + "b.agent.yaml": short("b", "", "d"), dir + "c.agent.yaml": short("c", "", "d"), dir + "d.agent.yaml": short("d", "")}, dir + "a.agent.yaml", 0, 0, false},
		{"eight", "", line(8), dir + "p1.agent.yaml", 0, 0, false},
		{"nine", "", line(9), dir + "p1.agent.yaml", 0, MaxDepth, false},
		{"nine over what is known", "the second way is longer", merged9(), dir + "top.agent.yaml", 0, MaxDepth, false},
		{"very many", "eight bases with eight bases each", wide(), dir + "w.agent.yaml", 0, MaxDocuments, false},
		{"not there", "", files{dir + "a.agent.yaml": short("a", "", "name: b, uri: \"https://example.org/b\"")}, dir + "a.agent.yaml", 0, 0, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := tt.files.resolve(t, tt.start, Options{})
			var cycle *CycleError
			var depth *DepthError
			var missing *NotFoundError
			switch {
			case tt.chain > 0:
				if !errors.As(err, &cycle) || len(cycle.Chain) != tt.chain {
					t.Errorf("%s: %v", tt.why, err)
				}
			case tt.limit > 0:
				if !errors.As(err, &depth) || depth.Limit != tt.limit {
					t.Errorf("%s: %v", tt.why, err)
				}
			case tt.missing:
				if !errors.As(err, &missing) || strings.Contains(tt.name, "there") && missing.URI == "" {
					t.Errorf("%s: %v", tt.why, err)
				}
			case err != nil:
				t.Errorf("%s: %v", tt.why, err)
			}
		})
	}
}

func line(n int) files {
	f := files{}
	for i := 1; i <= n; i++ {
		var next []string
		if i < n {
			next = []string{fmt.Sprintf("p%d", i+1)}
		}
		f[fmt.Sprintf("ws/.agents/p%d.agent.yaml", i)] = short(fmt.Sprintf("p%d", i), "", next...)
	}
	return f
}

// merged9 reaches the end of a line of seven first directly and then over two more.
func merged9() files {
	f := line(7)
	f["ws/.agents/top.agent.yaml"] = short("top", "", "p1", "x")
	f["ws/.agents/x.agent.yaml"] = short("x", "", "p1")
	return f
}

func wide() files {
	f := files{}
	var add func(name string, depth int)
	add = func(name string, depth int) {
		var bases []string
		for i := 0; i < 8 && depth > 0; i++ {
			bases = append(bases, fmt.Sprintf("%s%d", name, i))
			add(bases[i], depth-1)
		}
		f["ws/.agents/"+name+".agent.yaml"] = short(name, "", bases...)
	}
	add("w", 2)
	return f
}

// conformance: L1-P2
func TestMergedIsValidatedAgain(t *testing.T) {
	f := files{
		"ws/.agents/base.agent.yaml":  short("base", "spec: {role: {instructions: \"Be ${{ vars.WHO }}.\"}, context: {variables: {WHO: base}}, tools: {mcp_servers: [{name: x, transport: stdio, command: y}]}}\n"),
		"ws/.agents/bad.agent.yaml":   short("bad", "spec: {role: {}}\n"),
		"ws/.agents/child.agent.yaml": short("child", "spec: {role: {instructions: \"Be ${{ vars.WHO }}.\"}, context: {variables: null}}\n", "base"),
		"ws/.agents/fine.agent.yaml":  short("fine", "spec: {role: {instructions: \"Be ${{ vars.WHO }}.\"}}\n", "base"),
		"ws/.agents/onbad.agent.yaml": short("onbad", "", "bad"),
	}
	var invalid *profile.InvalidError
	_, err := f.resolve(t, "ws/.agents/child.agent.yaml", Options{})
	if !errors.As(err, &invalid) || invalid.Findings[0].Rule != "undefined-variable" || invalid.Findings[0].Line != 6 {
		t.Errorf("the variable was deleted: %v", err)
	}
	if r := f.mustResolve(t, "ws/.agents/fine.agent.yaml", Options{}); at(r.Value, "/spec/role/instructions") != `"Be base."` {
		t.Errorf("the base's variable: %s", at(r.Value, "/spec/role/instructions"))
	}
	if _, err := f.resolve(t, "ws/.agents/onbad.agent.yaml", Options{}); !errors.As(err, &invalid) || invalid.Findings[0].Path != "ws/.agents/bad.agent.yaml" {
		t.Errorf("an invalid base: %v", err)
	}
	if diff := cmp.Diff(canonical.Digest{}, f.mustResolve(t, "ws/.agents/fine.agent.yaml", Options{}).ResolvedDigest); diff == "" {
		t.Error("no digest")
	}
}

// The resolved digest sees what the spec digest cannot: a base that changed.
func TestResolvedDigest(t *testing.T) {
	f := files{"ws/.agents/base.agent.yaml": short("base", family), "ws/.agents/child.agent.yaml": short("child", "spec: {role: {instructions: C.}, tools: {allow: [read], deny: [shell]}}\n", "base")}
	before := f.mustResolve(t, "ws/.agents/child.agent.yaml", Options{})
	if alone := f.mustResolve(t, "ws/.agents/base.agent.yaml", Options{}); alone.ResolvedDigest != alone.SpecDigest {
		t.Error("a profile without bases has two digests")
	}
	for _, tt := range []struct {
		why, old, new string
		same          bool
	}{
		{"state of the base", "What the base knows", "More", true},
		{"a field that is inherited", "max_turns: 25", "max_turns: 24", false},
		{"a field that the child replaces, and that narrows it all the same", "allow: [read, search]", "allow: [search]", false},
	} {
		g := files{"ws/.agents/child.agent.yaml": f["ws/.agents/child.agent.yaml"], "ws/.agents/base.agent.yaml": strings.Replace(f["ws/.agents/base.agent.yaml"], tt.old, tt.new, 1)}
		after := g.mustResolve(t, "ws/.agents/child.agent.yaml", Options{})
		if after.SpecDigest != before.SpecDigest || (after.ResolvedDigest == before.ResolvedDigest) != tt.same {
			t.Errorf("%s: the digest is the same: %v", tt.why, after.ResolvedDigest == before.ResolvedDigest)
		}
	}
}

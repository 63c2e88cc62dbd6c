package history_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/delta"
	"github.com/open-agent-profile/oap/internal/textedit"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo/history"
)

func parse(t testing.TB, text string) map[string]any {
	t.Helper()
	d, err := profile.Parse("x.agent.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return d.Value
}

func TestCompare(t *testing.T) {
	tests := []struct {
		name, why     string
		before, after string
		contract      []string
		state         []string
	}{
		{"grant", "each entry of a list that is written anew is said",
			"spec: {tools: {allow: [read, search]}}", "spec: {tools: {allow: [search, shell]}}",
			[]string{"added /spec/tools/allow  nil -> shell", "removed /spec/tools/allow  read -> nil"}, nil},
		{"order", "the first rule that matches decides, so order is meaning",
			"spec: {role: {constraints: [a, b]}}", "spec: {role: {constraints: [b, a]}}",
			[]string{"moved /spec/role/constraints  [a b] -> [b a]"}, nil},
		{"twice", "a text that stands twice went once",
			"spec: {role: {constraints: [a, a, b]}}", "spec: {role: {constraints: [a, b]}}",
			[]string{"removed /spec/role/constraints  a -> nil"}, nil},
		{"server", "entries of the contract are known by name",
			"spec: {tools: {mcp_servers: [{name: x, url: u}, {name: y}]}}", "spec: {tools: {mcp_servers: [{name: y}, {name: x, url: v}]}}",
			[]string{"changed /spec/tools/mcp_servers/name:x url map[url:u] -> map[url:v]"}, nil},
		{"revision", "the applicator's fields are no change of meaning",
			"metadata: {revision: 1, updated_at: a}\nstate: {revision: 1, updated_at: x}", "metadata: {revision: 2}\nstate: {revision: 2}", nil, nil},
		{"entries", "new, other words, gone, in this order",
			"state: {facts: [{id: a, text: one}, {id: b, text: two}]}", "state: {facts: [{id: c, text: new}, {id: b, text: other, confidence: 0.5}]}", nil,
			[]string{"added /state/facts/id:c  nil -> map[id:c text:new]", "changed /state/facts/id:b confidence,text map[text:two] -> map[confidence:0.5 text:other]", "removed /state/facts/id:a  map[id:a text:one] -> nil"}},
		{"moved", "eviction goes by order where nothing else tells",
			"state: {facts: [{id: a}, {id: b}, {id: c}]}", "state: {facts: [{id: b}, {id: c}, {id: a}]}", nil,
			[]string{"moved /state/facts/id:a  nil -> nil"}},
		{"list begins", "its entries are said one by one",
			"state: {}", "state: {glossary: [{term: x, definition: y}]}", nil,
			[]string{"added /state/glossary/term:x  nil -> map[definition:y term:x]"}},
		{"twins", "entries that cannot be told apart are one value",
			"state: {facts: [{id: a}]}", "state: {facts: [{id: a}, {id: a, text: x}]}", nil,
			[]string{"changed /state/facts  [map[id:a]] -> [map[id:a] map[id:a text:x]]"}},
		{"extends", "a base is part of the contract",
			"extends: [{name: a}]", "extends: [{name: b}]",
			[]string{"added /extends/name:b  nil -> map[name:b]", "removed /extends/name:a  map[name:a] -> nil"}, nil},
	}
	show := func(cs []history.Change) []string {
		var out []string
		for _, c := range cs {
			s := fmt.Sprintf("%s %s %s %v -> %v", c.What, c.Pointer, strings.Join(c.Fields, ","), c.Before, c.After)
			out = append(out, strings.ReplaceAll(s, "<nil>", "nil"))
		}
		return out
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := history.Compare(parse(t, tt.before), parse(t, tt.after))
			if diff := cmp.Diff(tt.contract, show(d.Contract)); diff != "" {
				t.Errorf("%s: contract (-want +got)\n%s", tt.why, diff)
			}
			if diff := cmp.Diff(tt.state, show(d.State)); diff != "" {
				t.Errorf("%s: state (-want +got)\n%s", tt.why, diff)
			}
		})
	}
}

// TestEncodingsSayTheSame holds every published example, in every encoding, against itself.
func TestEncodingsSayTheSame(t *testing.T) {
	corpus := os.Getenv("OAP_CORPUS")
	if corpus == "" {
		t.Skip("OAP_CORPUS is not set")
	}
	files, err := filepath.Glob(filepath.Join(corpus, "oap", "examples", "*.agent.*"))
	if err != nil || len(files) == 0 {
		t.Fatal("no examples", err)
	}
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		d, err := profile.Parse(f, src)
		if err != nil {
			t.Fatal(err)
		}
		want := history.Text(d.Value)
		for name, enc := range map[string]textedit.Format{"x.agent.yaml": textedit.YAML, "x.agent.json": textedit.JSON, "x.agent.md": textedit.Markdown} {
			out, err := profile.Encode(d.Value, enc)
			if err != nil {
				t.Fatal(err)
			}
			again, err := profile.Parse(name, out)
			if err != nil {
				t.Fatal(err)
			}
			if got := history.Compare(d.Value, again.Value); !got.Empty() {
				t.Errorf("%s as %s: %+v", f, name, got)
			}
			if got := history.Text(again.Value); !bytes.Equal(want, got) {
				t.Errorf("%s as %s: another text\n%s", f, name, cmp.Diff(string(want), string(got)))
			}
		}
	}
}

// genProfile draws a valid profile from small pools, so that two of them meet often.
func genProfile(t *rapid.T) map[string]any {
	word := rapid.SampledFrom([]string{"one", "two words", "a/b~c", "true", "line\nline", "\u202eback"})
	set := func(label string) []any {
		out := []any{}
		for _, v := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"read", "search", "shell", "mcp/a/*"}), 0, 4, rapid.ID[string]).Draw(t, label) {
			out = append(out, v)
		}
		return out
	}
	maybe := func(m map[string]any, name string, v any) {
		if rapid.Bool().Draw(t, "has "+name) {
			m[name] = v
		}
	}
	entries := func(collection, id, words string, more func(map[string]any)) []any {
		out := []any{}
		for _, v := range rapid.Permutation([]string{"a", "b", "c/~1", "d"}).Draw(t, collection)[:rapid.IntRange(0, 4).Draw(t, "n "+collection)] {
			e := map[string]any{id: v, words: word.Draw(t, words)}
			if more != nil {
				more(e)
			}
			out = append(out, e)
		}
		return out
	}
	metadata := map[string]any{"name": "scout", "description": "Finds where a feature lives.", "revision": float64(rapid.IntRange(1, 9).Draw(t, "revision"))}
	maybe(metadata, "tags", set("tags"))
	spec := map[string]any{"role": map[string]any{"instructions": word.Draw(t, "instructions")}}
	maybe(spec["role"].(map[string]any), "constraints", set("constraints"))
	tools := map[string]any{}
	maybe(tools, "allow", set("allow"))
	maybe(tools, "skills", entries("skills", "name", "source", nil))
	maybe(spec, "tools", tools)
	state := map[string]any{}
	maybe(state, "summary", word.Draw(t, "summary"))
	maybe(state, "facts", entries("facts", "id", "text", func(e map[string]any) {
		maybe(e, "confidence", rapid.SampledFrom([]float64{0, 0.5, 1}).Draw(t, "confidence"))
		maybe(e, "tags", set("fact tags"))
	}))
	maybe(state, "glossary", entries("glossary", "term", "definition", nil))
	doc := map[string]any{"oap": "1.0", "kind": "AgentProfile", "metadata": metadata, "spec": spec}
	maybe(doc, "state", state)
	return doc
}

func document(t *rapid.T, v map[string]any) *profile.Document {
	text, err := profile.Encode(v, textedit.YAML)
	if err != nil {
		t.Fatal(err)
	}
	d, err := profile.Parse("scout.agent.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	if fs := d.Check(); profile.HasErrors(fs) {
		t.Fatalf("%v\n%s", fs, text)
	}
	return d
}

// TestDeltaLaw: the operations of the difference of two documents, applied to the first, give the second,
// and what carries them is a valid delta.
func TestDeltaLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := document(t, genProfile(t)), document(t, genProfile(t))
		v, left, err := history.Delta(a, b, "Because.")
		if err != nil || len(left) > 0 {
			t.Fatal(err, left)
		}
		text, err := profile.Encode(v, textedit.YAML)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := profile.Parse("x.delta.yaml", text)
		if err != nil {
			t.Fatal(err)
		}
		if fs := doc.Check(); profile.HasErrors(fs) {
			t.Fatalf("%v\n%s", fs, text)
		}
		d, err := delta.Decode(doc.Value)
		if err != nil {
			t.Fatal(err)
		}
		applied, err := delta.Apply(a.Value, d.Operations, delta.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var ops []delta.Operation
		for _, p := range d.Proposals {
			ops = append(ops, delta.Operation{Op: p.Op, Path: p.Path, Pointer: p.Pointer, Value: p.Value, HasValue: p.HasValue})
		}
		got, err := delta.Patch(applied.Doc, ops)
		if err != nil {
			t.Fatal(err)
		}
		if left := history.Compare(got, b.Value); !left.Empty() {
			t.Fatalf("left: %+v\n%s", left, text)
		}
		whole, err := delta.Patch(a.Value, delta.Changes(a.Value, b.Value))
		if err != nil {
			t.Fatal(err)
		}
		if !canonical.Equal(whole, b.Value) {
			t.Fatalf("changes: %v", canonical.Differences(whole, b.Value))
		}
	})
}

// TestCompareLaw: a difference is empty exactly where the documents mean the same, and so is that of
// their texts.
func TestCompareLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := genProfile(t), genProfile(t)
		b["metadata"].(map[string]any)["revision"] = a["metadata"].(map[string]any)["revision"]
		if rapid.Bool().Draw(t, "same") {
			b = canonical.Clone(a).(map[string]any)
		}
		// No state and an empty one mean the same.
		for _, d := range []map[string]any{a, b} {
			if s, ok := d["state"].(map[string]any); ok && len(s) == 0 {
				delete(d, "state")
			}
		}
		d := history.Compare(a, b)
		if d.Empty() != canonical.Equal(a, b) {
			t.Fatalf("%+v for %v", d, canonical.Differences(a, b))
		}
		if d.Empty() && !bytes.Equal(history.Text(a), history.Text(b)) {
			t.Fatal("equal documents, different texts")
		}
		for _, c := range append(d.Contract, d.State...) {
			if c.What == history.Moved {
				return // texts leave the order out
			}
		}
		if !d.Empty() && bytes.Equal(history.Text(a), history.Text(b)) {
			t.Fatalf("different documents, equal texts: %+v", d)
		}
	})
}

func TestText(t *testing.T) {
	got := string(history.Text(parse(t, `
kind: AgentProfile
oap: "1.0"
state: {facts: [{text: "second\x1b[31m", id: b}, {id: a, text: first, tags: [y, x]}], summary: ""}
spec: {tools: {deny: [], allow: [b, a]}, role: {instructions: "one\ntwo\n", constraints: [z, "1"]}}
metadata: {name: scout, revision: 1}
history: [{revision: 1, at: "2026-05-04T10:00:00Z"}]
extra: null
`)))
	want := `/oap: "1.0"
/kind: AgentProfile
/metadata/name: scout
/metadata/revision: 1
/spec/role/constraints/-: z
/spec/role/constraints/-: "1"
/spec/role/instructions: |
    one
    two
/spec/tools/allow/-: a
/spec/tools/allow/-: b
/spec/tools/deny: []
/extra: null
/state/facts/id:a/id: a
/state/facts/id:a/tags/-: x
/state/facts/id:a/tags/-: y
/state/facts/id:a/text: first
/state/facts/id:b/id: b
/state/facts/id:b/text: second\x1b[31m
/state/summary: ""
/history/-: {"at":"2026-05-04T10:00:00Z","revision":1}
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

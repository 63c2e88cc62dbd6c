package schemas

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/internal/textedit"
)

// published names the files of the Open Agent Profile project inside the corpus.
var published = map[string]string{
	"profile": "oap/schema/v1/agent-profile.schema.json",
	"delta":   "oap/schema/v1/agent-state-delta.schema.json",
}

func reference(t testing.TB, text []byte) *jsonschema.Schema {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	c.UseLoader(jsonschema.SchemeURLLoader{})
	if err := c.AddResource("https://example.org/schema", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("https://example.org/schema")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// oracles gives the judges of one schema: another validator reading our file and, where the corpus is at
// hand, the published one.
func oracles(t testing.TB, name string) map[string]*jsonschema.Schema {
	text, _ := Source(name)
	all := map[string]*jsonschema.Schema{"our file": reference(t, text)}
	if root := os.Getenv("OAP_CORPUS"); root != "" && published[name] != "" {
		text, err := os.ReadFile(filepath.Join(root, published[name]))
		if err != nil {
			t.Fatal(err)
		}
		all["published file"] = reference(t, text)
	}
	return all
}

// agree holds our verdict against each oracle's: the same answer, and every place that the oracle names
// is the place or the parent of one of our violations.
func agree(t testing.TB, name, what string, v any, judges map[string]*jsonschema.Schema) {
	got := Validate(name, v)
	for judge, s := range judges {
		err := s.Validate(v)
		if (err == nil) != (got == nil) {
			t.Errorf("%s: %s says %v, we say %v", what, judge, err, got)
			continue
		}
		var ve *jsonschema.ValidationError
		if !errors.As(err, &ve) || len(got) == MaxViolations {
			continue
		}
		for _, place := range places(ve) {
			if !slices.ContainsFunc(got, func(v Violation) bool { return v.Pointer == place || v.Parent == place }) {
				t.Errorf("%s: %s names %q, we name %v", what, judge, place, got)
			}
		}
	}
}

func places(e *jsonschema.ValidationError) []string {
	if len(e.Causes) == 0 {
		return []string{canonical.Pointer(e.InstanceLocation).String()}
	}
	var all []string
	for _, c := range e.Causes {
		all = append(all, places(c)...)
	}
	return all
}

// TestAgreement changes the maximal documents at every place, on both sides of each bound and at random,
// and asks for the same verdict each time.
func TestAgreement(t *testing.T) {
	for name := range registry {
		t.Run(name, func(t *testing.T) {
			judges := oracles(t, name)
			doc := maximal(t, name)
			rng := rand.New(rand.NewPCG(1, 2))
			all := pointers(doc, nil)
			for _, p := range all {
				v := mustGet(t, doc, p)
				tries := mutations(rng, v)
				rng.Shuffle(len(tries), func(i, j int) { tries[i], tries[j] = tries[j], tries[i] })
				for _, m := range append(edges(nodeAt(name, p), v), tries[:4]...) {
					agree(t, name, fmt.Sprintf("%s %s %.40v", name, p, m), mutate(doc, p, m), judges)
				}
			}
			for range 400 { // two changes at once
				p, q := all[rng.IntN(len(all))], all[rng.IntN(len(all))]
				a, b := mutations(rng, mustGet(t, doc, p)), mutations(rng, mustGet(t, doc, q))
				m, n := a[rng.IntN(len(a))], b[rng.IntN(len(b))]
				v := mutate(mutate(doc, p, m), q, n)
				agree(t, name, fmt.Sprintf("%s %s %.40v, %s %.40v", name, p, m, q, n), v, judges)
			}
		})
	}
}

// nodeAt gives the schema of a place, one without rules where ours has none.
func nodeAt(name string, p canonical.Pointer) *node {
	n := registry[name].root()
	for _, token := range p {
		if n = n.resolve().child(token); n == nil {
			return newNode()
		}
	}
	return n.resolve()
}

// expected are the places that every tool of the format must report for its invalid examples.
var expected = map[string]string{
	"bad-name": "/metadata/name", "literal-secret": "/spec/tools/mcp_servers/0/env/GITHUB_TOKEN", "missing-instructions": "/spec/role",
	"unknown-field": "/spec", "unknown-kind": "/kind", "future-major": "/oap",
	"missing-revision": "/target", "proposal-without-rationale": "/proposals/0", "remove-with-value": "/operations/0",
	"writes-metadata": "/operations/0/path", "writes-spec": "/operations/0/path",
}

// Every document of the corpus gets the published schema's verdict.
func TestCorpus(t *testing.T) {
	root := os.Getenv("OAP_CORPUS")
	if root == "" {
		t.Skip("OAP_CORPUS is not set")
	}
	read, refused := 0, 0
	judges := map[string]map[string]*jsonschema.Schema{"profile": oracles(t, "profile"), "delta": oracles(t, "delta")}
	err := filepath.WalkDir(filepath.Join(root, "oap"), func(path string, d fs.DirEntry, err error) error {
		name, format := kindOfFile(path)
		if err != nil || name == "" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		doc, err := textedit.Parse(text, format, textedit.Options{Body: "/spec/role/instructions"})
		if err != nil {
			refused++ // one file is there to be refused by the reader
			return nil
		}
		read++
		agree(t, name, d.Name(), doc.Value(), judges[name])
		if want, ok := expected[strings.SplitN(d.Name(), ".", 2)[0]]; ok {
			got := Validate(name, doc.Value())
			if !slices.ContainsFunc(got, func(v Violation) bool { return v.Pointer == want || v.Parent == want }) {
				t.Errorf("%s: want a violation at %s, got %v", d.Name(), want, got)
			}
		}
		return nil
	})
	if err != nil || read < 20 || refused > 1 {
		t.Errorf("%d documents read, %d refused, %v", read, refused, err)
	}
}

func kindOfFile(path string) (name string, f textedit.Format) {
	formats := map[string]textedit.Format{".yaml": textedit.YAML, ".json": textedit.JSON, ".md": textedit.Markdown}
	f = formats[filepath.Ext(path)]
	switch {
	case strings.Contains(path, ".agent."):
		return "profile", f
	case strings.Contains(path, ".delta."):
		return "delta", f
	}
	return "", 0
}

// FuzzAgreement feeds values of any shape to both validators.
func FuzzAgreement(f *testing.F) {
	for name := range registry {
		text, err := os.ReadFile("testdata/" + name + ".json")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte(`{"oap":"1.0","kind":"AgentStateDelta","operations":[{"op":"remove","value":1}]}`))
	f.Add([]byte(`{"state":{"facts":[{"id":"x","text":"","learned_at":"2026-01-31T09:30:00Z"}]}}`))
	judges := sync.OnceValue(func() map[string]map[string]*jsonschema.Schema {
		return map[string]map[string]*jsonschema.Schema{"profile": oracles(f, "profile"), "delta": oracles(f, "delta")}
	})
	f.Fuzz(func(t *testing.T, text []byte) {
		doc, err := textedit.Parse(text, textedit.JSON, textedit.Options{MaxDepth: 100})
		if err != nil {
			return
		}
		for name := range registry {
			agree(t, name, strconv.Quote(string(text)), doc.Value(), judges()[name])
		}
	})
}

func mustGet(t testing.TB, v any, p canonical.Pointer) any {
	at, ok := canonical.Get(v, p)
	if !ok {
		t.Fatalf("no %s", p)
	}
	return at
}

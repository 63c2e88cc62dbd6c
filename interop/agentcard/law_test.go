package agentcard

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/open-agent-profile/oap/schemas"
)

// An empty list of skills is a list, also in JSON.
func TestDeriveIsNeverNull(t *testing.T) {
	if got := Derive(&SkillMap{}, grants()); got == nil || len(got) != 0 {
		t.Errorf("got %#v", got)
	}
	if got := Explain(&SkillMap{}, grants()); got == nil {
		t.Error("no list")
	}
}

// For generated maps and grants: a skill is there if and only if all its tools are granted; taking one tool away
// takes exactly the skills that need it, and giving it back gives the same bytes.
func TestDeriveLaw(t *testing.T) {
	doc, pub := load(t, persona), loadPublish(t, publish)
	rapid.Check(t, func(t *rapid.T) {
		tools := []string{"a", "a/b", "a/c", "b", "mcp/x/y", "z"}
		subset := rapid.SliceOfNDistinct(rapid.SampledFrom(tools), 1, len(tools), rapid.ID[string])
		m := &SkillMap{}
		for i := range rapid.IntRange(1, 8).Draw(t, "skills") {
			m.Skills = append(m.Skills, Skill{ID: fmt.Sprint("s", i), Name: "N", Description: "D", Tags: []string{"t"}, Requires: subset.Draw(t, "requires")})
		}
		have := subset.Draw(t, "granted")
		ids := func(granted []string) (out []string) {
			for _, s := range Derive(m, grants(granted...)) {
				out = append(out, s.ID)
			}
			return out
		}
		card := func(granted []string) []byte {
			c, err := Build(&Persona{Document: doc, Granted: grants(granted...)}, m, pub)
			if err != nil {
				if len(ids(granted)) > 0 {
					t.Fatal(err)
				}
				return nil
			}
			return c.Bytes
		}
		before, bytesBefore := ids(have), card(have)
		for _, s := range m.Skills {
			all := !slices.ContainsFunc(s.Requires, func(r string) bool { return !slices.Contains(have, r) })
			if slices.Contains(before, s.ID) != all {
				t.Fatalf("%s needs %v of %v", s.ID, s.Requires, have)
			}
			// The name of a skill that is not advertised stands nowhere in the bytes.
			if !all && bytes.Contains(bytesBefore, []byte(`"`+s.ID+`"`)) {
				t.Fatalf("%s is in %s", s.ID, bytesBefore)
			}
		}
		for i, tool := range have {
			less := slices.Delete(slices.Clone(have), i, i+1)
			var want []string
			for _, s := range m.Skills {
				if slices.Contains(before, s.ID) && !slices.Contains(s.Requires, tool) {
					want = append(want, s.ID)
				}
			}
			if d := cmp.Diff(want, ids(less)); d != "" {
				t.Fatalf("without %s (-want +got):\n%s", tool, d)
			}
			if again := card(append(less, tool)); !bytes.Equal(again, bytesBefore) {
				t.Fatalf("the way back gives other bytes:\n%s\n%s", bytesBefore, again)
			}
		}
	})
}

// Every fixture of the corpus is judged as its index says: by our schema, by a library that reads ours, and by
// the official one of the version before.
func TestCorpus(t *testing.T) {
	corpus := os.Getenv("OAP_CORPUS")
	if corpus == "" {
		t.Skip("OAP_CORPUS is not set")
	}
	dir := filepath.Join(corpus, "a2a")
	var index struct {
		Files map[string]struct {
			Ours     bool `json:"agent_card_1_0"`
			Official bool `json:"official_0_3_0"`
		}
	}
	read := func(name string, into any) {
		t.Helper()
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err == nil {
			err = json.Unmarshal(data, into)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	read("expect.json", &index)
	if len(index.Files) < 30 {
		t.Fatalf("%d files", len(index.Files))
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	for url, name := range map[string]string{"https://example.org/old": "official/a2a-v0.3.0.schema.json", "https://example.org/card": "agent-card.schema.json"} {
		var doc any
		read(name, &doc)
		if err := c.AddResource(url, doc); err != nil {
			t.Fatal(err)
		}
	}
	old, new := c.MustCompile("https://example.org/old#/definitions/AgentCard"), c.MustCompile("https://example.org/card")
	for _, name := range slices.Sorted(maps.Keys(index.Files)) {
		want := index.Files[name]
		var value any
		read(name, &value)
		if found := schemas.Validate("card", value); (len(found) == 0) != want.Ours {
			t.Errorf("%s: %v, want valid: %t", name, found, want.Ours)
		}
		if err := new.Validate(value); (err == nil) != want.Ours {
			t.Errorf("%s: the schema of the corpus says %v, want valid: %t", name, err, want.Ours)
		}
		if err := old.Validate(value); (err == nil) != want.Official {
			t.Errorf("%s: the official schema says %v, want valid: %t", name, err, want.Official)
		}
	}
}

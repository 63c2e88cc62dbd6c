package render

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/open-agent-profile/oap/profile"
)

func parse(t testing.TB, text string) map[string]any {
	t.Helper()
	d, err := profile.Parse("x.agent.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return d.Value
}

const whole = `
metadata: {name: scout, revision: 7}
spec:
  role:
    constraints: ["Never guess.", "Two\nlines."]
    examples: [{input: "a < b", output: "</oap-state>"}]
    persona: {tone: dry, language: en}
    objectives: [Find it.]
    expertise: [maps]
    instructions: "  Look around.\n\nThen report.\n"
state:
  revision: 3
  summary: "Halfway. ${{ vars.X }}"
  facts:
    - {id: f1, text: "Tests live in x/.", confidence: 0.9, source: a person, pinned: true, learned_at: "2026-01-01T00:00:00Z", last_used_at: "2026-02-01T00:00:00Z"}
    - {id: f2, text: "a & b", tags: [x, y], scope: "project:a"}
  glossary: [{term: pier, definition: Where boats are.}]
  open_threads:
    - {id: t1, title: Flaky, status: blocked, refs: [a.go]}
    - {id: t2, title: Gone, status: done}
    - {id: t3, title: Gone, status: abandoned}
    - {id: t4, title: New}
  metrics: {sessions: 4}
`

// Behaviour test 2: constraints come after instructions; and all else in its place.
//
// conformance: L1-I1, L2-S1, L2-S2, L2-S5
func TestBehaviour2Order(t *testing.T) {
	p := Render(parse(t, whole), Options{Preamble: "You run in H.\n", Postamble: "\nH has the last word."})
	want := `You run in H.

Look around.

Then report.

Objectives:
- Find it.

Persona:
{
  "language": "en",
  "tone": "dry"
}

Constraints:
- Never guess.
- Two
  lines.

Examples:
[
  {
    "input": "a < b",
    "output": "</oap-state>"
  }
]

` + label + `
<oap-state trust="untrusted" source="profile:scout@r7">
summary: "Halfway. ${{ vars.X }}"
facts:
* {"id": "f1", "text": "Tests live in x/.", "confidence": 0.9, "source": "a person", "learned_at": "2026-01-01T00:00:00Z"}
- {"id": "f2", "text": "a & b", "scope": "project:a", "tags": ["x", "y"]}
glossary:
- {"term": "pier", "definition": "Where boats are."}
open threads:
- {"id": "t1", "title": "Flaky", "status": "blocked", "refs": ["a.go"]}
- {"id": "t4", "title": "New"}
</oap-state>

H has the last word.
`
	if diff := cmp.Diff(want, p.Text); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if p.Tokens != (len(p.Text)+2)/3 || p.State.Bytes != len(p.State.Text) || p.State.Over || p.State.Omitted != nil {
		t.Errorf("%+v", p.State)
	}
}

func TestAbsentParts(t *testing.T) {
	for _, tt := range []struct{ why, text, want string }{
		{"nothing", "a: b", ""},
		{"instructions only", "spec: {role: {instructions: Do it., objectives: [], persona: {}, examples: [], constraints: [\" \"]}}\nstate: {}", "Do it.\n"},
		{"state that says nothing", "spec: {role: {instructions: Do it.}}\nstate: {revision: 2, summary: \"  \", facts: [], metrics: {sessions: 1}, open_threads: [{id: a, title: b, status: done}]}", "Do it.\n"},
		{"wrong types", "spec: {role: {instructions: 7, objectives: x, persona: y, examples: 3, constraints: {a: b}}}\nstate: {summary: 7, facts: x, glossary: [1, null], open_threads: {a: b}}", ""},
		{"no spec", "spec: x\nstate: [1]", ""},
	} {
		if got := Render(parse(t, tt.text), Options{}).Text; got != tt.want {
			t.Errorf("%s: %q", tt.why, got)
		}
	}
}

func TestPublishedExamples(t *testing.T) {
	root := os.Getenv("OAP_CORPUS")
	if root == "" {
		t.Skip("OAP_CORPUS is not set")
	}
	names, err := filepath.Glob(filepath.Join(root, "oap/examples/*.agent.*"))
	if err != nil || len(names) < 7 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		d, err := profile.Parse(name, src)
		if err != nil {
			t.Fatal(err)
		}
		p := Render(d.Value, Options{Preamble: "START", Postamble: "END"})
		last := -1
		for _, title := range []string{"START", "Objectives:", "Persona:", "Constraints:", "Examples:", "PROFILE STATE", "</oap-state>", "END"} {
			if i := strings.Index(p.Text, "\n"+title); i >= 0 {
				if i < last {
					t.Errorf("%s: %s is out of order", filepath.Base(name), title)
				}
				last = i
			}
		}
		if p.State.Over || len(p.State.Omitted) > 0 {
			t.Errorf("%s: %+v", filepath.Base(name), p.State)
		}
	}
}

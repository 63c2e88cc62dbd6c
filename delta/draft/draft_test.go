package draft

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/delta"
	"github.com/open-agent-profile/oap/internal/textedit"
	"github.com/open-agent-profile/oap/schemas"
)

var (
	clock = time.Date(2026, 9, 1, 12, 0, 0, 999, time.UTC)
	sess  = Session{ID: "sess_1"}
)

func ptr[T any](v T) *T { return &v }

func doc(t testing.TB, text string) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return m
}

func list(t testing.TB, text string) []any {
	t.Helper()
	if text == "" {
		return nil
	}
	return doc(t, `{"list":`+text+`}`)["list"].([]any)
}

// profileOf wraps members of state and of spec.
func profileOf(t testing.TB, state, spec string) map[string]any {
	t.Helper()
	p := `{"oap":"1.0","kind":"AgentProfile","metadata":{"name":"note-taker","description":"Takes notes."},"spec":{"role":{"instructions":"x"}`
	if spec != "" {
		p += "," + spec
	}
	p += "}"
	if state != "" {
		p += `,"state":{` + state + `}`
	}
	return doc(t, p+"}")
}

// carry holds a delta against the schema and applies it, as its reader will.
func carry(t testing.TB, profile, made map[string]any) map[string]any {
	t.Helper()
	for _, v := range schemas.Delta(made) {
		t.Errorf("the schema refuses the delta: %+v", v)
	}
	d, err := delta.Decode(made)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range delta.Check(d) {
		t.Errorf("check: %+v", p)
	}
	out, err := delta.Apply(profile, d.Operations, delta.Options{LearnedAt: d.LearnedAt(clock)})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range out.Warnings {
		if w.Rule != delta.RulePinned {
			t.Errorf("apply warns: %+v", w)
		}
	}
	if !out.Changed && len(d.Operations) > 0 {
		t.Error("the operations change nothing")
	}
	for _, v := range schemas.Profile(out.Doc) {
		t.Errorf("the schema refuses the result: %+v", v)
	}
	return out.Doc
}

// conformance: L2-G2
func TestNewHead(t *testing.T) {
	p := profileOf(t, "", "")
	p["metadata"].(map[string]any)["id"] = "urn:x"
	p["metadata"].(map[string]any)["revision"] = 7.0
	sum, err := canonical.Sum(p)
	if err != nil {
		t.Fatal(err)
	}
	zone := time.FixedZone("", 2*3600)
	got, warnings, err := New(p, sum.String(), Evidence{
		StateSummary: " now \n", Summary: "did it\n",
		Session: Session{
			ID: "sess_1", Harness: "loro", HarnessVersion: "0.11.0", Model: "m", Outcome: "completed",
			StartedAt: time.Date(2026, 8, 14, 21, 2, 0, 0, zone), EndedAt: time.Date(2026, 8, 14, 21, 48, 31, 7, zone),
			Turns: ptr(22), ToolCalls: ptr(0), CostUSD: ptr(0.94),
		},
	}, clock)
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	equal(t, doc(t, `{"oap":"1.0","kind":"AgentStateDelta",
		"target":{"name":"note-taker","id":"urn:x","revision":7,"digest":"`+sum.String()+`"},
		"session":{"id":"sess_1","harness":"loro","harness_version":"0.11.0","model_used":"m","outcome":"completed",
			"started_at":"2026-08-14T19:02:00Z","ended_at":"2026-08-14T19:48:31Z","turns":22,"tool_calls":0,"cost_usd":0.94},
		"summary":"did it",
		"operations":[{"op":"add","path":"/state/summary","value":"now"}]}`), got)
	carry(t, p, got)
}

// TestCorpus learns on a profile that uses most of the format.
func TestCorpus(t *testing.T) {
	dir := os.Getenv("OAP_CORPUS")
	if dir == "" {
		t.Skip("OAP_CORPUS is not set")
	}
	files, err := filepath.Glob(filepath.Join(dir, "oap", "examples", "*.agent.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatal("no profiles in the corpus", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := textedit.Parse(text, textedit.YAML, textedit.Options{})
		if err != nil {
			t.Fatal(err)
		}
		p := parsed.Value().(map[string]any)
		made, _, err := New(p, "", Evidence{
			Facts:   []Entry{{Text: "The order of notes matters.", Confidence: ptr(0.9)}},
			Threads: []Thread{{Title: "Sort the notes"}},
			Terms:   []Term{{Term: "note", Definition: "what is kept"}},
			Tools:   []ToolRequest{{Tool: "mcp/notes/sort", Rationale: "to sort"}},
			Session: sess,
		}, clock)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		after := carry(t, p, made)
		if _, ok := canonical.Get(after, canonical.Pointer{"state", "facts"}); !ok {
			t.Errorf("%s: the fact is not there", file)
		}
	}
}

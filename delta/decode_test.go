package delta

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/open-agent-profile/oap/canonical"
)

const learned = `{
 "oap":"1.0","kind":"AgentStateDelta",
 "target":{"name":"code-reviewer","id":"urn:x","revision":7,
   "digest":"sha256:43258cff783fe7036d8a43033f830adfc60ec037382473548ac742b888292777"},
 "session":{"id":"sess_1","harness":"loro","harness_version":"0.11.0","started_at":"2026-08-14T19:02:00Z",
   "ended_at":"2026-08-14T19:48:31Z","model_used":"m","turns":22,"tool_calls":61,"cost_usd":0.94,"outcome":"completed"},
 "summary":"Learned a thing.",
 "operations":[{"op":"add","path":"/state/facts/-","value":null,"reason":"why","confidence":0.95},
               {"op":"remove","path":"/state/glossary/term:a~1b"}],
 "proposals":[{"path":"/spec/tools/allow","value":["read"],"rationale":"because","risk":"high"}]}`

func decode(t testing.TB, text string) *Delta {
	t.Helper()
	d, err := Decode(doc(t, text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDecode(t *testing.T) {
	d := decode(t, learned)
	digest, _ := canonical.ParseDigest("sha256:43258cff783fe7036d8a43033f830adfc60ec037382473548ac742b888292777")
	sure := 0.95
	want := Delta{
		Version: "1.0",
		Target:  Target{Name: "code-reviewer", ID: "urn:x", Revision: 7, Digest: digest, HasDigest: true},
		Session: Session{ID: "sess_1", Harness: "loro", HarnessVersion: "0.11.0", StartedAt: "2026-08-14T19:02:00Z",
			EndedAt: "2026-08-14T19:48:31Z", ModelUsed: "m", Turns: 22, ToolCalls: 61, CostUSD: 0.94, Outcome: "completed"},
		Summary: "Learned a thing.",
		Operations: []Operation{
			{Op: "add", Path: "/state/facts/-", Pointer: canonical.Pointer{"state", "facts", "-"}, HasValue: true, Reason: "why", Confidence: &sure},
			{Op: "remove", Path: "/state/glossary/term:a~1b", Pointer: canonical.Pointer{"state", "glossary", "term:a/b"}},
		},
		Proposals: []Proposal{{Path: "/spec/tools/allow", Pointer: canonical.Pointer{"spec", "tools", "allow"}, Op: "replace",
			Value: []any{"read"}, HasValue: true, Rationale: "because", Risk: "high"}},
	}
	if diff := cmp.Diff(want, *d, cmp.FilterPath(func(p cmp.Path) bool { return p.String() == "raw" }, cmp.Ignore())); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// conformance: L2-A1
func TestDecodeRefuses(t *testing.T) {
	const head = `{"oap":"1.0","kind":"AgentStateDelta","target":{"name":"a","revision":1},"session":{"id":""}`
	tests := []struct{ name, why, in, at string }{
		{"list", "a document is an object", `[]`, ""},
		{"null", "a document is an object", `null`, ""},
		{"profile", "another kind", `{"kind":"AgentProfile"}`, "/kind"},
		{"no target", "required", `{"oap":"1.0","kind":"AgentStateDelta","session":{"id":"s"}}`, "/target"},
		{"no revision", "every write would be blind", `{"oap":"1.0","kind":"AgentStateDelta","target":{"name":"a"},"session":{"id":"s"}}`, "/target/revision"},
		{"half a revision", "a whole number is wanted", `{"oap":"1.0","kind":"AgentStateDelta","target":{"name":"a","revision":1.5},"session":{"id":"s"}}`, "/target/revision"},
		{"bad digest", "no digest is better than a wrong one", `{"oap":"1.0","kind":"AgentStateDelta","target":{"name":"a","revision":1,"digest":"x"},"session":{"id":"s"}}`, "/target/digest"},
		{"no session", "required", `{"oap":"1.0","kind":"AgentStateDelta","target":{"name":"a","revision":1}}`, "/session"},
		{"operations", "a list", head + `,"operations":{}}`, "/operations"},
		{"operation", "an object", head + `,"operations":[1]}`, "/operations/0"},
		{"path", "a text", head + `,"operations":[{"op":"add","path":7}]}`, "/operations/0/path"},
		{"confidence", "a number", head + `,"operations":[{"op":"add","path":"/state","confidence":"high"}]}`, "/operations/0/confidence"},
		{"rationale", "required", head + `,"proposals":[{"path":"/spec"}]}`, "/proposals/0/rationale"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Decode(value(t, tt.in))
			var e *DecodeError
			if !errors.As(err, &e) || e.Pointer != tt.at {
				t.Errorf("got %v, want an error at %q (%s)", err, tt.at, tt.why)
			}
		})
	}
	if _, err := Decode(value(t, head+`}`)); err != nil {
		t.Errorf("the schema takes an empty session id, so Decode does: %v", err)
	}
}

func TestKey(t *testing.T) {
	key := func(edit func(m map[string]any)) canonical.Digest {
		t.Helper()
		m := doc(t, learned)
		edit(m)
		d, err := Decode(m)
		if err != nil {
			t.Fatal(err)
		}
		k, err := d.Key()
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	first := key(func(map[string]any) {})
	if again := key(func(m map[string]any) {
		m["target"].(map[string]any)["revision"] = 9.0
		delete(m["target"].(map[string]any), "digest")
	}); again != first {
		t.Error("a delta that is aimed at a newer revision is the same request")
	}
	if other := key(func(m map[string]any) { m["session"].(map[string]any)["id"] = "sess_2" }); other == first {
		t.Error("another session asks for something else, in the same words")
	}
	d := decode(t, learned)
	if _, err := d.Key(); err != nil || d.Target.Revision != 7 || d.Value()["target"].(map[string]any)["revision"] != 7.0 {
		t.Error("making a key must leave the delta as it is")
	}
	if _, err := (&Delta{}).Key(); err == nil {
		t.Error("without the document there is no key")
	}
}

func TestLearnedAt(t *testing.T) {
	now := at(t, "2026-09-01T00:00:00Z")
	d := decode(t, learned)
	if got := d.LearnedAt(now); got != "2026-08-14T19:48:31Z" {
		t.Errorf("got %s, want the end of the session", got)
	}
	d.Session.EndedAt = "yesterday"
	if got := d.LearnedAt(now); got != "2026-09-01T00:00:00Z" {
		t.Errorf("got %s, want now where the end cannot be read", got)
	}
}

// FuzzDecode: whatever JSON says, it is read or refused; what is read can be checked and has a key.
func FuzzDecode(f *testing.F) {
	f.Add(learned)
	f.Add(`{"kind":"AgentStateDelta","operations":[null]}`)
	f.Fuzz(func(t *testing.T, text string) {
		v, ok := tryValue(text)
		if !ok {
			return
		}
		d, err := Decode(v)
		if err != nil {
			return
		}
		Check(d)
		if _, err := d.Key(); err != nil && canonical.Check(v) == nil {
			t.Errorf("no key: %v", err)
		}
	})
}

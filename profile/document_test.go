package profile

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/internal/textedit"
)

// TestRejectVectors runs the shared reject vectors through the reader that every command uses.
func TestRejectVectors(t *testing.T) {
	var file struct {
		Cases []struct {
			Name, Input  string
			Line, Column int
		}
		Bytes []struct{ Name, Hex string }
	}
	readJSON(t, "../testdata/vectors/jcs/reject.json", &file)
	for _, c := range file.Cases {
		t.Run(c.Name, func(t *testing.T) {
			_, err := Parse("x.agent.json", []byte(c.Input))
			var se *SyntaxError
			if !errors.As(err, &se) {
				t.Fatalf("%q was read (%v)", c.Input, err)
			}
			if se.Line != c.Line || se.Column != c.Column {
				t.Errorf("complaint at %d:%d, want %d:%d: %v", se.Line, se.Column, c.Line, c.Column, err)
			}
		})
	}
	for _, c := range file.Bytes {
		raw, err := hex.DecodeString(c.Hex)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"x.agent.json", "x.agent.yaml", "x.agent.md"} {
			if _, err := Parse(name, raw); err == nil {
				t.Errorf("%s: %s was read", c.Name, name)
			}
		}
	}
}

func readJSON(t testing.TB, name string, into any) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, into); err != nil {
		t.Fatal(err)
	}
}

// TestValueVectors wants the canonical vectors to hold through our own JSON reader.
//
// conformance: L1-P1
func TestValueVectors(t *testing.T) {
	var file struct {
		Cases []struct{ Name, Input, Canonical string }
	}
	readJSON(t, "../testdata/vectors/jcs/values.json", &file)
	for _, c := range file.Cases {
		if !strings.HasPrefix(strings.TrimSpace(c.Input), "{") {
			continue // a document is an object
		}
		d, err := Parse("x.json", []byte(c.Input))
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		got, err := canonical.JCS(d.Value)
		if err != nil || string(got) != c.Canonical {
			t.Errorf("%s: %s %v", c.Name, got, err)
		}
	}
}

// TestDigestVectors holds digests that were computed outside oap.
func TestDigestVectors(t *testing.T) {
	dir := "../testdata/vectors/digest"
	var want map[string]struct{ Profile, Spec string }
	readJSON(t, filepath.Join(dir, "digests.json"), &want)
	if len(want) == 0 {
		t.Fatal("no vectors")
	}
	for name, w := range want {
		checkDigests(t, filepath.Join(dir, name), w.Profile, w.Spec)
	}
}

func checkDigests(t *testing.T, path, profile, spec string) {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	d, err := Parse(path, src)
	if err != nil {
		t.Fatal(err)
	}
	p, errP := d.Digest()
	s, errS := d.SpecDigest()
	if errP != nil || errS != nil || p.String() != profile || s.String() != spec {
		t.Errorf("%s: profile %s spec %s (%v %v), want %s %s", path, p, s, errP, errS, profile, spec)
	}
}

func corpus(t *testing.T) string {
	dir := os.Getenv("OAP_CORPUS")
	if dir == "" {
		t.Skip("OAP_CORPUS is not set")
	}
	return filepath.Join(dir, "oap")
}

func TestCorpusDigests(t *testing.T) {
	dir := corpus(t)
	var want map[string]struct{ Profile, Spec string }
	readJSON(t, filepath.Join(dir, "digests.json"), &want)
	for name, w := range want {
		checkDigests(t, filepath.Join(dir, name), w.Profile, w.Spec)
	}
	yaml, json := want["examples/note-taker.agent.yaml"], want["examples/json/note-taker.agent.json"]
	if yaml != json || yaml.Profile == "" {
		t.Errorf("note-taker: %v and %v", yaml, json)
	}
}

func TestCorpusExamplesHaveNoFindings(t *testing.T) {
	for _, pattern := range []string{"examples/*.agent.*", "examples/json/*"} {
		files, err := filepath.Glob(filepath.Join(corpus(t), pattern))
		if err != nil || len(files) == 0 {
			t.Fatal(err, "no files for ", pattern)
		}
		for _, f := range files {
			src, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			d, err := Parse(f, src)
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range d.Check() {
				t.Errorf("%s", x)
			}
		}
	}
}

// TestCorpusInvalid wants each invalid fixture refused at the place that OAP facts (l) names.
//
// conformance: L3-G1
func TestCorpusInvalid(t *testing.T) {
	cases := map[string]string{
		"examples/invalid/bad-name.agent.yaml":                       "/metadata/name",
		"examples/invalid/future-major.agent.yaml":                   "/oap",
		"examples/invalid/literal-secret.agent.yaml":                 "/spec/tools/mcp_servers/0/env/GITHUB_TOKEN",
		"examples/invalid/missing-instructions.agent.yaml":           "/spec/role",
		"examples/invalid/path-traversal.agent.yaml":                 "/spec/context/files/0/path",
		"examples/invalid/unknown-field.agent.yaml":                  "/spec",
		"examples/invalid/unknown-kind.agent.yaml":                   "/kind",
		"tests/deltas/invalid/missing-revision.delta.yaml":           "/target",
		"tests/deltas/invalid/proposal-without-rationale.delta.yaml": "/proposals/0",
		"tests/deltas/invalid/remove-with-value.delta.yaml":          "/operations/0",
		"tests/deltas/invalid/writes-metadata.delta.yaml":            "/operations/0/path",
		"tests/deltas/invalid/writes-spec.delta.yaml":                "/operations/0/path",
	}
	for name, pointer := range cases {
		src, err := os.ReadFile(filepath.Join(corpus(t), name))
		if err != nil {
			t.Fatal(err)
		}
		d, err := Parse(name, src)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		hit := false
		for _, f := range d.Check() {
			hit = hit || f.Severity == Error && strings.HasPrefix(f.Pointer, pointer)
			if strings.Contains(f.Message, "ghp_") {
				t.Errorf("%s: the message repeats the secret", name)
			}
		}
		if !hit {
			t.Errorf("%s: no error at %s: %v", name, pointer, d.Check())
		}
	}
	src, err := os.ReadFile(filepath.Join(corpus(t), "examples/invalid/double-instructions.agent.md"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Parse("double-instructions.agent.md", src); err == nil {
		t.Error("instructions in both places were accepted (L3-G1)")
	}
}

func TestAccessorsAreRobust(t *testing.T) {
	for _, text := range []string{"{}", `{"metadata":[],"spec":1,"state":"x"}`, `{"metadata":{"revision":"7","name":5},"spec":{"lifecycle":{"writeback":"sometimes"}}}`, `{"metadata":{"revision":0.5}}`} {
		d, err := Parse("x.agent.json", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if d.Revision() != 1 && text != `{"metadata":{"revision":0.5}}` || d.Name() != "" || d.Writeback() != WritebackPropose || d.Facts() != 0 || d.ActiveThreads() != 0 {
			t.Errorf("%s: revision %d name %q writeback %s", text, d.Revision(), d.Name(), d.Writeback())
		}
		d.Check()
	}
}

func TestWritebackLesser(t *testing.T) {
	order := []Writeback{WritebackOff, WritebackPropose, WritebackAuto}
	for i, a := range order {
		for j, b := range order {
			if got := a.Lesser(b); got != order[min(i, j)] {
				t.Errorf("%s and %s: %s", a, b, got)
			}
		}
		if a.Lesser("maybe") != WritebackOff || Writeback("maybe").Lesser(a) != WritebackOff {
			t.Errorf("an unknown word beside %s does not count as off", a)
		}
	}
}

func TestStarter(t *testing.T) {
	now := time.Date(2026, 12, 1, 8, 0, 0, 5, time.FixedZone("", 3600))
	for _, enc := range []struct {
		name string
		f    textedit.Format
	}{{"yaml", textedit.YAML}, {"json", textedit.JSON}, {"md", textedit.Markdown}} {
		text, err := Starter("scout", `Says "when": to use # this agent.`, now, enc.f)
		if err != nil {
			t.Fatal(err)
		}
		d, err := Parse("scout.agent."+enc.name, text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if fs := d.Check(); len(fs) > 0 {
			t.Errorf("%s: %v", enc.name, fs)
		}
		if d.str("metadata", "created_at") != "2026-12-01T07:00:00Z" || d.Description() != `Says "when": to use # this agent.` {
			t.Errorf("%s: %s", enc.name, text)
		}
		if enc.f == textedit.YAML && strings.Count(string(text), "#") < 10 {
			t.Error("the comments of the starter are gone")
		}
	}
}

// conformance: L1-R1, L1-R2
func TestEditKeepsTheRest(t *testing.T) {
	src := strings.Replace(sound, "  revision: 3", "  revision: 3   # counted by oap", 1) + "\n# learned\nstate: {}\n"
	d, err := Parse("scout.agent.yaml", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	want := canonical.Clone(d.Value).(map[string]any)
	want["metadata"].(map[string]any)["revision"] = 4.0
	e, err := d.Edit(want)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Replace(src, "revision: 3", "revision: 4", 1), string(e.Text)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if string(d.Bytes()) != src || e.Document.Revision() != 4 {
		t.Error("the document itself changed, or the new one did not")
	}
}

func TestContract(t *testing.T) {
	base := map[string]any{"metadata": map[string]any{"name": "a", "revision": 1.0}, "spec": map[string]any{}, "extends": []any{}}
	same := map[string]any{"metadata": map[string]any{"name": "a", "revision": 2.0, "updated_at": "x"}, "spec": map[string]any{}, "extends": []any{}, "state": map[string]any{}, "history": []any{}}
	if !canonical.Equal(Contract(base), Contract(same)) {
		t.Error("what a session may write counts as contract")
	}
	for _, other := range []map[string]any{
		{"metadata": map[string]any{"name": "b"}, "spec": map[string]any{}, "extends": []any{}},
		{"metadata": map[string]any{"name": "a", "trust": "user"}, "spec": map[string]any{}, "extends": []any{}},
		{"metadata": map[string]any{"name": "a"}, "spec": map[string]any{"x": 1.0}, "extends": []any{}},
		{"metadata": map[string]any{"name": "a"}, "spec": map[string]any{}},
	} {
		if canonical.Equal(Contract(base), Contract(other)) {
			t.Errorf("%v is not told apart", other)
		}
	}
}

// conformance: L2-A14
func TestLookup(t *testing.T) {
	d, err := Parse("x.yaml", []byte("state:\n  facts:\n    - {id: a/b, text: x}\n  glossary:\n    - {term: t, definition: y}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for pointer, want := range map[string]any{"/state/facts/id:a~1b/text": "x", "/state/facts/0/id": "a/b", "/state/glossary/term:t/definition": "y"} {
		p, err := canonical.ParsePointer(pointer)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := Lookup(d.Value, p); !ok || got != want {
			t.Errorf("%s: %v %v", pointer, got, ok)
		}
	}
	for _, pointer := range []string{"/state/facts/id:x", "/state/facts/term:a~1b", "/state/facts/1", "/state/id:x"} {
		p, err := canonical.ParsePointer(pointer)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := Lookup(d.Value, p); ok {
			t.Errorf("%s: found %v", pointer, got)
		}
	}
}

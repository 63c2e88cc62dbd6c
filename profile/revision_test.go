package profile

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRevisionIn: what it gives is what reading the whole gives.
func TestRevisionIn(t *testing.T) {
	const head = "oap: \"1.0\"\nkind: AgentProfile\n"
	const tail = "spec:\n  role: {instructions: x}\nstate:\n  facts:\n    - text: |\n        metadata:\n          revision: 99\n"
	for _, c := range []struct {
		text string
		want int // 0: not for it
	}{
		{head + "metadata:\n  name: a\n  description: d\n  revision: 7\n" + tail, 7},
		{head + "metadata: {name: a, description: d, revision: 12}\n" + tail, 12},
		{head + "metadata:   # about it\n\n  name: a\n# a remark\n  description: d\n  revision: 0x10 # odd\n" + tail, 16},
		{head + "metadata:\r\n  name: a\r\n  description: d\r\n  revision: 5\r\n" + strings.ReplaceAll(tail, "\n", "\r\n"), 5},
		{head + "metadata:\n  name: a\n  description: d\n" + tail, 1},
		{head + "extends:\n- name: b\nmetadata:\n  name: a\n  description: |\n    revision: 4\n  revision: 3\n" + tail, 3},
		{head + "metadata:\n  description: \"a\n   revision: 4\"\n  name: a\n  revision: 3\n" + tail, 3},
		{head + "metadata: &m\n  name: a\n  description: d\n  revision: 3\n" + tail, 3},
		{"{oap: \"1.0\", kind: AgentProfile, metadata: {name: a, revision: 3}}\n", 0},
		{head + "\"metadata\":\n  name: a\n  revision: 3\n" + tail, 0},
		{"---\n" + head + "metadata:\n  name: a\n  revision: 3\n" + tail, 0},
		{head + tail, 0},
		{"", 0},
		{head + "metadata:\n  name: [\n" + tail, 0},
	} {
		got, ok := RevisionIn("a.agent.yaml", []byte(c.text))
		if ok != (c.want > 0) || got != c.want {
			t.Errorf("%q: %d %v, want %d", c.text, got, ok, c.want)
			continue
		}
		if !ok {
			continue
		}
		doc, err := Parse("a.agent.yaml", []byte(c.text))
		if err != nil || doc.Revision() != got {
			t.Errorf("%q: read whole %v, %v", c.text, doc, err)
		}
	}
	if _, ok := RevisionIn("a.agent.json", []byte(head+"metadata: {revision: 2}\n")); ok {
		t.Error("JSON is not for it")
	}
}

// TestRevisionInExamples: it is for the examples that others wrote, and gives the same.
func TestRevisionInExamples(t *testing.T) {
	corpus := os.Getenv("OAP_CORPUS")
	if corpus == "" {
		t.Skip("OAP_CORPUS is not set")
	}
	files, err := filepath.Glob(filepath.Join(corpus, "oap/examples/*.agent.yaml"))
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := Parse(f, text)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := RevisionIn(f, text); !ok || got != doc.Revision() {
			t.Errorf("%s: %s", f, fmt.Sprint(got, ok, doc.Revision()))
		}
	}
}

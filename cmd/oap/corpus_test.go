package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gowebpki/jcs"
	"gopkg.in/yaml.v3"

	"github.com/open-agent-profile/oap/internal/oaptest"
)

// TestPublishedExample applies the format's own example delta to its own example profile and lets git, a
// YAML library and the JCS library judge what came out.
func TestPublishedExample(t *testing.T) {
	corpus := os.Getenv("OAP_CORPUS")
	if corpus == "" {
		t.Skip("OAP_CORPUS is not set")
	}
	source, err := os.ReadFile(filepath.Join(corpus, "oap", "examples", "code-reviewer.agent.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	r := clocked(oaptest.New(t))
	r.Commit("base", ".agents/code-reviewer.agent.yaml", string(source))
	apply := func() string {
		out, err := command(t, r, "apply-delta", "--json", "--approve", filepath.Join(corpus, "oap", "tests", "deltas", "learned-conventions.delta.yaml")).Output()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	apply()
	r.Sound()
	if n := r.Git("rev-list", "--count", "HEAD"); n != "2" {
		t.Fatalf("%s commits", n)
	}
	if names := r.Git("diff", "--name-only", "HEAD~1"); names != ".agents/code-reviewer.agent.yaml" {
		t.Errorf("touched %q", names)
	}
	text := r.Git("cat-file", "blob", "HEAD:.agents/code-reviewer.agent.yaml") + "\n"
	if got, want := comments(text), comments(string(source)); !slices.Equal(got, want) {
		t.Errorf("comments and blank lines: %q, want %q", got, want)
	}
	before, after := decodeYAML(t, string(source)), decodeYAML(t, text)
	judgeExample(t, before, after)
	trailers := r.Git("log", "-1", "--format=%(trailers)")
	meta := after["metadata"].(map[string]any)
	for _, k := range []string{"revision", "updated_at", "trust"} {
		delete(meta, k)
	}
	spec := jcsDigest(t, map[string]any{"metadata": meta, "spec": after["spec"]})
	for _, want := range []string{"OAP-Profile: code-reviewer", "OAP-Revision: 8", "OAP-Sections: state", "OAP-Session: sess_01JDQ4X",
		"OAP-Profile-Digest: " + jcsDigest(t, decodeYAML(t, text)), "OAP-Spec-Digest: " + spec} {
		if !slices.Contains(strings.Split(trailers, "\n"), want) {
			t.Errorf("no trailer %q in\n%s", want, trailers)
		}
	}
	if again := apply(); !strings.Contains(again, `"outcome":"already-applied"`) || r.Git("rev-list", "--count", "HEAD") != "2" {
		t.Errorf("the same again: %s", again)
	}
}

func judgeExample(t *testing.T, before, after map[string]any) {
	t.Helper()
	state := after["state"].(map[string]any)
	if n := len(state["facts"].([]any)); n != 4 {
		t.Errorf("%d facts", n)
	}
	if s := state["open_threads"].([]any)[0].(map[string]any)["status"]; s != "blocked" {
		t.Errorf("the thread is %v", s)
	}
	if rev := after["metadata"].(map[string]any)["revision"]; rev != 8 {
		t.Errorf("revision %v", rev)
	}
	if fmt.Sprint(before["spec"]) != fmt.Sprint(after["spec"]) {
		t.Error("the contract changed")
	}
}

// comments gives the lines of a text that say nothing: own-line comments and blank lines.
func comments(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if s := strings.TrimSpace(line); s == "" || s[0] == '#' {
			out = append(out, s)
		}
	}
	return out
}

// decodeYAML reads with the library's own decoder, not with ours; timestamps stay text.
func decodeYAML(t *testing.T, text string) map[string]any {
	t.Helper()
	var n yaml.Node
	if err := yaml.Unmarshal([]byte(text), &n); err != nil {
		t.Fatal(err)
	}
	var plain func(n *yaml.Node)
	plain = func(n *yaml.Node) {
		if n.Tag == "!!timestamp" {
			n.Tag = "!!str"
		}
		for _, c := range n.Content {
			plain(c)
		}
	}
	plain(&n)
	var v map[string]any
	if err := n.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// jcsDigest is the digest by the JCS library's own way from text to text.
func jcsDigest(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	canonical, err := jcs.Transform(text)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(canonical)
	return "sha256:" + hex.EncodeToString(sum[:])
}

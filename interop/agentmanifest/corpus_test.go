package agentmanifest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/open-agent-profile/oap/profile"
)

func errorsOf(vs []Violation) (found []Violation) {
	for _, v := range vs {
		if v.Severity == profile.Error {
			found = append(found, v)
		}
	}
	return found
}

// TestCorpus holds every verdict of the published fixtures, under both majors, and what the index says beside the
// verdict: which part refuses, what is a warning, and which role is stated.
func TestCorpus(t *testing.T) {
	root := os.Getenv("OAP_CORPUS")
	if root == "" {
		t.Skip("OAP_CORPUS is not set")
	}
	root = filepath.Join(root, "openwop")
	text, err := os.ReadFile(filepath.Join(root, "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	var index struct {
		Fixtures []struct {
			File, Schema, V1, V2, Semantic, Lint, Reject string
			Role                                         *string
		}
	}
	if err := json.Unmarshal(text, &index); err != nil {
		t.Fatal(err)
	}
	if len(index.Fixtures) < 80 {
		t.Fatalf("the index has %d fixtures", len(index.Fixtures))
	}
	for _, f := range index.Fixtures {
		t.Run(f.File, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(f.File)))
			if err != nil {
				t.Fatal(err)
			}
			doc, err := profile.Parse(f.File, data)
			if err != nil {
				t.Fatal(err)
			}
			for target, want := range map[Target]string{V1: f.V1, V2: f.V2} {
				if want == "" {
					continue
				}
				check := func(target Target) []Violation { return Check(doc, target) }
				if f.Schema == "node-pack-manifest" {
					check = func(target Target) []Violation { return CheckPack(doc, target, nil) }
				}
				all := check(target)
				found := errorsOf(all)
				if refused := len(found) > 0; refused != (want == "invalid" || f.Semantic == "reject") {
					t.Errorf("%s: the index says %s %s, we say %v", target, want, f.Semantic, all)
				}
				for _, v := range found {
					if v.Code != "pack_validation_failed" || v.Rule == "" || v.Path != f.File || v.Line == 0 {
						t.Errorf("%s: %+v", target, v)
					}
					if inProfile := v.Rule == "skill-profile"; f.Reject != "" && inProfile != (f.Reject == "profile") {
						t.Errorf("%s: the index says that %s refuses, we say %v", target, f.Reject, v)
					}
				}
				if f.Lint != "" && len(all) == 0 {
					t.Errorf("%s: nothing is said of: %s", target, f.Lint)
				}
				both := errorsOf(check(Both))
				if f.V1 != "" && f.V2 != "" && (len(both) > 0) != (f.V1 == "invalid" || f.V2 == "invalid") {
					t.Errorf("both: %v", both)
				}
			}
			if strings.HasPrefix(f.File, "valid/") {
				want := ""
				if f.Role != nil {
					want = *f.Role
				}
				if got := Role(doc.Value); got != want {
					t.Errorf("role %q, want %q", got, want)
				}
			}
		})
	}
}

// A report names every violation at once (skill-invalid/03 and /06 of the corpus).
func TestEveryViolation(t *testing.T) {
	const head = `{"agentId":"local.acme.worker","persona":"Worker","modelClass":"general","systemPrompt":"Work.","role":"skill",`
	for _, tt := range []struct {
		name, rest string
		want       []string
	}{
		{"both flags", `"handoff":{"taskSchemaRef":"a","returnSchemaRef":"b"},"memoryShape":{"conversation":true,"longTerm":true}}`,
			[]string{"/memoryShape/conversation", "/memoryShape/longTerm"}},
		{"no handoff and a flag", `"memoryShape":{"longTerm":true}}`, []string{"", "/memoryShape/longTerm"}},
		{"profile and shape", `"memoryShape":{"longTerm":true,"other":1},"label":""}`,
			[]string{"", "/label", "/memoryShape/longTerm", "/memoryShape/other"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			doc, err := profile.Parse("m.json", []byte(head+tt.rest))
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]bool{}
			found := errorsOf(Check(doc, V1))
			for _, v := range found {
				got[v.Pointer] = true
				if v.AgentID != "local.acme.worker" {
					t.Errorf("agent %q", v.AgentID)
				}
			}
			for _, p := range tt.want {
				if !got[p] {
					t.Errorf("nothing about %q in %v", p, found)
				}
			}
			if len(found) != len(tt.want) {
				t.Errorf("%d violations, want %d: %v", len(found), len(tt.want), found)
			}
		})
	}
}

package agentmanifest_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/internal/textedit"
	"github.com/open-agent-profile/oap/interop/agentmanifest"
	"github.com/open-agent-profile/oap/profile"
)

// backAgain imports a manifest, writes and checks the profile, and exports that.
func backAgain(t *testing.T, m map[string]any, prompt string) (*agentmanifest.Import, map[string]any) {
	t.Helper()
	made := agentmanifest.FromManifest(m, prompt, "an-agent")
	text, err := profile.Encode(made.Value, textedit.YAML)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := profile.Parse("an-agent.agent.yaml", text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if _, err := doc.Validate(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	x, found := agentmanifest.Make(agentmanifest.Input{Document: doc, Value: doc.Value, Prompt: prompt + "\n", Granted: all, Target: agentmanifest.Both})
	if x == nil {
		t.Fatal(found)
	}
	return made, x.Manifest
}

// TestImportThenExport is the identity on every valid manifest that others wrote, once its prompt is at hand.
func TestImportThenExport(t *testing.T) {
	corpus := os.Getenv("OAP_CORPUS")
	if corpus == "" {
		t.Skip("OAP_CORPUS is not set")
	}
	n := 0
	for _, folder := range []string{"valid", "skill-valid", "assistant-valid", "norole-valid"} {
		files, err := filepath.Glob(filepath.Join(corpus, "openwop", folder, "*.json"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", folder, err)
		}
		for _, file := range files {
			t.Run(folder+"/"+filepath.Base(file), func(t *testing.T) {
				data, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				var m map[string]any
				if err := json.Unmarshal(data, &m); err != nil {
					t.Fatal(err)
				}
				id := m["agentId"].(string)
				if len(id) > agentmanifest.MaxAgentID {
					t.Skip("its id is longer than both majors take, so there is no export")
				}
				want := canonical.Clone(m).(map[string]any)
				if _, inline := want["systemPrompt"]; !inline {
					delete(want, "systemPromptRef")
					want["systemPrompt"] = "You are a worker.\n\nDo it."
				}
				// What the facts except.
				if shape, ok := want["memoryShape"].(map[string]any); ok && len(shape) == 0 {
					delete(want, "memoryShape")
				}
				if _, said := want["toolAllowlist"]; !said {
					want["toolAllowlist"] = []any{}
				}
				empty := false
				if handoff, ok := want["handoff"].(map[string]any); ok && len(handoff) == 0 {
					delete(want, "handoff")
					empty = true
				}
				if empty && want["role"] == "skill" {
					t.Skip("a skill with an empty handoff has nothing that a profile could say of it")
				}
				made, got := backAgain(t, m, want["systemPrompt"].(string))
				if _, said := want["description"]; !said {
					want["description"] = got["description"]
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("(-want +got)\n%s\nnotes %v", diff, made.Notes)
				}
				n++
			})
		}
	}
	if n < 20 {
		t.Errorf("only %d were compared", n)
	}
}

// TestEveryMemberComesBack is the same for one manifest of ours that has all members.
func TestEveryMemberComesBack(t *testing.T) {
	var m map[string]any
	if err := json.Unmarshal([]byte(`{"agentId":"vendor.acme.crew.anAll","persona":"`+strings.Repeat("ä", 121)+`","label":"All","description":"It has all.",
		"modelClass":"coding","systemPrompt":"Do it.","role":"skill","toolAllowlist":["openwop:a","mcp:b","acme.host:c"],
		"memoryShape":{"scratchpad":true,"conversation":false,"longTerm":false},
		"handoff":{"taskSchemaRef":"schemas/t.json","returnSchemaRef":"schemas/r.json"},"confidence":{"defaultThreshold":0.1},
		"requiresCapabilities":["a.b","c"],"evalSuiteRef":"evals/e.json","promptLibraryRef":"lib","promptOverrides":{}}`), &m); err != nil {
		t.Fatal(err)
	}
	made, got := backAgain(t, m, "Do it.")
	if diff := cmp.Diff(m, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"evals/e.json", "schemas/r.json", "schemas/t.json"}, made.Files); diff != "" {
		t.Error(diff)
	}
}

// TestImportGrantsNoMore: an absent list is none, and what a profile would read as a pattern is left out.
func TestImportGrantsNoMore(t *testing.T) {
	m := map[string]any{"agentId": "local.a.b", "persona": "B", "label": "Lab", "modelClass": "general", "x-more": true}
	made := agentmanifest.FromManifest(m, "Do it.", "")
	if diff := cmp.Diff(map[string]any{"policy": "allowlist", "allow": []any{}}, made.Value["spec"].(map[string]any)["tools"]); diff != "" {
		t.Error(diff)
	}
	meta := made.Value["metadata"].(map[string]any)
	if meta["name"] != "b" || meta["description"] != "Lab" {
		t.Error(meta)
	}
	if got := fmt.Sprint(made.Notes); !strings.Contains(got, "allows nothing") || !strings.Contains(got, "/x-more") || !strings.Contains(got, "label is taken") {
		t.Error(got)
	}
	m["toolAllowlist"] = []any{"mcp:*", "*", "mcp/s/*", "openwop:a"}
	made = agentmanifest.FromManifest(m, "Do it.", "")
	if got := fmt.Sprint(made.Value["spec"].(map[string]any)["tools"].(map[string]any)["allow"]); got != "[openwop:a]" {
		t.Error(got)
	}
}

func TestImportOfASkill(t *testing.T) {
	const skill = "---\nname: Review Code!\ndescription: Reviews code.\nlicense: MIT\nallowed-tools: Read, core.files.read Bash(git:*) acme.host:x\nmetadata:\n  modelClass: coding\n  memory: {scratchpad: true, longTerm: false}\n  author: someone\nversion: 2\n---\n\n# Review\n\nLook at it.\n"
	made, err := agentmanifest.FromSkill([]byte(skill), "")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"oap": "1.0", "kind": "AgentProfile",
		"metadata": map[string]any{"name": "review-code", "display_name": "Review Code!", "description": "Reviews code.", "license": "MIT", "revision": 1.0,
			"annotations": map[string]any{"openwop.dev/model-class": "coding", "openwop.dev/memory-scratchpad": "true"}},
		"spec": map[string]any{
			"role":      map[string]any{"instructions": "# Review\n\nLook at it."},
			"tools":     map[string]any{"policy": "allowlist", "allow": []any{"Read", "openwop:core.files.read", "acme.host:x"}},
			"memory":    map[string]any{"mode": "off"},
			"lifecycle": map[string]any{"writeback": "propose"},
		},
	}
	if diff := cmp.Diff(want, made.Value); diff != "" {
		t.Error(diff)
	}
	notes := fmt.Sprint(made.Notes)
	for _, said := range []string{"Bash(git:*)", "/metadata/author", "/version", `"Read" has no scope`} {
		if !strings.Contains(notes, said) {
			t.Errorf("nothing is said of %s: %s", said, notes)
		}
	}
	for _, bad := range []string{"no frontmatter", "---\nname: x\n---\nbody\n", "---\nname: x\ndescription: y\n---\n", "---\n- a\n---\nbody\n"} {
		if _, err := agentmanifest.FromSkill([]byte(bad), ""); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

// TestExampleThatRemembers: the format's own example keeps what it learns, so that it is no skill.
func TestExampleThatRemembers(t *testing.T) {
	corpus := os.Getenv("OAP_CORPUS")
	if corpus == "" {
		t.Skip("OAP_CORPUS is not set")
	}
	data, err := os.ReadFile(filepath.Join(corpus, "oap/examples/code-reviewer.agent.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	const at = "  annotations:\n"
	if strings.Count(string(data), at) != 1 {
		t.Fatal("the example has no annotations")
	}
	with := func(more string) string {
		return strings.Replace(string(data), at, at+"    openwop.dev/agent-id: local.acme.reviewer\n    openwop.dev/handoff-task-schema: t.json\n"+more, 1)
	}
	if x, found := exportOf(t, with(""), all); x == nil {
		t.Fatal(found)
	}
	x, found := exportOf(t, with("    openwop.dev/role: skill\n"), all)
	if x != nil || !strings.Contains(fmt.Sprint(found), "pack_validation_failed") || !strings.Contains(fmt.Sprint(found), "the store") {
		t.Errorf("export %v, findings %v", x, found)
	}
	// Its author may say that nothing lasts: the override is theirs to state, and the stores are named.
	x, found = exportOf(t, with("    openwop.dev/role: skill\n    openwop.dev/memory-long-term: \"false\"\n"), all)
	if x == nil {
		t.Fatal(found)
	}
	if shape := x.Manifest["memoryShape"].(map[string]any); shape["longTerm"] != false {
		t.Error(shape)
	}
}

// TestExamplesExport: every example of the format, given an id, is a manifest that both majors take.
func TestExamplesExport(t *testing.T) {
	corpus := os.Getenv("OAP_CORPUS")
	if corpus == "" {
		t.Skip("OAP_CORPUS is not set")
	}
	files, err := filepath.Glob(filepath.Join(corpus, "oap/examples/*.agent.*"))
	if err != nil || len(files) < 6 {
		t.Fatalf("%d examples, %v", len(files), err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := profile.Parse(file, data)
		if err != nil {
			t.Fatal(err)
		}
		x, found := agentmanifest.Make(agentmanifest.Input{Document: doc, Value: doc.Value, Prompt: "Do it.", Granted: all, Namespace: "vendor.acme.crew", Target: agentmanifest.Both})
		if x == nil {
			t.Errorf("%s: %v", file, found)
			continue
		}
		text, err := agentmanifest.Encode(x.Manifest)
		if err != nil {
			t.Fatal(err)
		}
		back, err := profile.ParseAs("m", text, textedit.JSON)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range agentmanifest.Check(back, agentmanifest.Both) {
			if v.Severity == profile.Error {
				t.Errorf("%s: %v", file, v)
			}
		}
	}
}

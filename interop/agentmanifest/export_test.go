package agentmanifest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/interop/agentmanifest"
	"github.com/open-agent-profile/oap/profile"
)

// full says something in every section that a profile has.
const full = `oap: "1.0"
kind: AgentProfile
metadata:
  id: 0b6e0ad5-1b0e-4c6e-9d1e-3c1f2a7b9d10
  name: full
  display_name: Full
  description: Says everything.
  revision: 4
  created_at: "2026-01-01T00:00:00Z"
  updated_at: "2026-01-02T00:00:00Z"
  authors: [A. Body]
  tags: [x]
  license: MIT
  homepage: https://example.org
  trust: user
  annotations:
    example.org/team: blue
    openwop.dev/agent-id: vendor.acme.crew.full
    openwop.dev/persona: The Full
    openwop.dev/label: F
    openwop.dev/model-class: coding
    openwop.dev/role: assistant
    openwop.dev/handoff-task-schema: schemas/task.json
    openwop.dev/handoff-return-schema: schemas/return.json
    openwop.dev/eval-suite: evals/all.json
    openwop.dev/prompt-library: lib
    openwop.dev/prompt-overrides: "{}"
    openwop.dev/confidence-threshold: "0.5"
    openwop.dev/requires-capabilities: a, b
    openwop.dev/tool-map: read=openwop:core.read
    openwop.dev/memory-scratchpad: "true"
    openwop.dev/memory-conversation: "false"
    openwop.dev/memory-long-term: "false"
    openwop.dev/namespace: vendor.acme.crew
spec:
  role:
    instructions: Do it.
    persona: {voice: calm}
    expertise: [all]
    objectives: [one]
    constraints: [two]
    examples: [{user: hi, assistant: ho}]
  model: {provider: p, id: m}
  tools: {policy: allowlist, allow: [read, "mcp/s/*", "mcp/t/*", gone], deny: [gone], mcp_servers: [{name: s, transport: http, url: "https://example.org", tools: {allow: [a, b]}}], skills: [{name: k}]}
  permissions: {default: ask}
  context: {variables: {A: b}}
  memory: {mode: read_write, scopes: ["project:x"], stores: [{name: own, kind: oap-state}]}
  runtime: {max_turns: 3}
  lifecycle: {writeback: propose}
state:
  summary: Learned.
  facts: [{id: f, text: Fact.}]
  preferences: []
  glossary: []
  open_threads: []
  metrics: {sessions: 1}
history: [{revision: 1, at: "2026-01-01T00:00:00Z", summary: first}]
`

func exportOf(t testing.TB, text string, granted func(string) (bool, string)) (*agentmanifest.Export, []profile.Finding) {
	t.Helper()
	doc, err := profile.Parse("full.agent.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return agentmanifest.Make(agentmanifest.Input{Document: doc, Value: doc.Value, Prompt: "Do it.\n", Granted: granted, Target: agentmanifest.Both})
}

func all(string) (bool, string) { return true, "" }

// TestEveryFieldIsAccountedFor walks a profile that has all of them: each is a source of the manifest or is named
// among what it does not say.
func TestEveryFieldIsAccountedFor(t *testing.T) {
	x, found := exportOf(t, full, func(tool string) (bool, string) { return tool != "gone", "tools.deny has it" })
	if x == nil {
		t.Fatal(found)
	}
	said := map[string]bool{"/metadata/annotations/openwop.dev~1namespace": true, "/metadata/name": true, "/metadata/display_name": true, "/spec/tools/policy": true}
	for _, m := range x.Mapped {
		said[m.From] = true
	}
	for _, d := range x.Dropped {
		if d.Reason == "" {
			t.Errorf("%s is dropped without a reason", d.Pointer)
		}
		said[d.Pointer] = true
	}
	doc, _ := profile.Parse("full.agent.yaml", []byte(full))
	deep := []string{"/metadata/annotations", "/spec/role", "/spec/tools", "/spec/memory"}
	var walk func(at string, v any, depth int)
	walk = func(at string, v any, depth int) {
		m, ok := v.(map[string]any)
		if said[at] || at == "/oap" || at == "/kind" {
			return
		}
		if !ok || depth == 2 && !slices.Contains(deep, at) || depth == 3 {
			t.Errorf("%s is neither written nor named", at)
			return
		}
		for k, below := range m {
			walk(at+"/"+canonical.Escape(k), below, depth+1)
		}
	}
	walk("", doc.Value, 0)
	if got := fmt.Sprint(x.Manifest["toolAllowlist"]); got != "[openwop:core.read mcp:s/a mcp:s/b]" {
		t.Error(got)
	}
	if diff := cmp.Diff(map[string]any{"scratchpad": true, "conversation": false, "longTerm": false}, x.Manifest["memoryShape"]); diff != "" {
		t.Error(diff)
	}
	stays := slices.ContainsFunc(x.Dropped, func(d agentmanifest.Dropped) bool {
		return d.Pointer == "/spec/memory/stores" && strings.Contains(d.Reason, "own")
	})
	if !stays {
		t.Error("the store that the annotation silences is not named")
	}
}

// TestToolsNeverWiden: whatever the lists and whatever is granted, the manifest has no tool but one that is granted.
func TestToolsNeverWiden(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := []string{"read", "write", "git/*", "*", "mcp/s/a", "mcp/s/*", "mcp/t/*", "openwop:core.x", "mcp:raw", "git/diff"}
		allow := rapid.SliceOfDistinct(rapid.SampledFrom(names), rapid.ID[string]).Draw(t, "allow")
		granted := rapid.SliceOfDistinct(rapid.SampledFrom([]string{"read", "mcp/s/a", "mcp/s/b", "openwop:core.x", "mcp:raw", "git/diff"}), rapid.ID[string]).Draw(t, "granted")
		policy := rapid.SampledFrom([]string{"allowlist", "denylist", "inherit"}).Draw(t, "policy")
		var list strings.Builder
		for _, a := range allow {
			fmt.Fprintf(&list, "%q, ", a)
		}
		text := fmt.Sprintf("oap: '1.0'\nkind: AgentProfile\nmetadata: {name: x, description: d, annotations: {openwop.dev/agent-id: local.a.x, openwop.dev/tool-map: 'read=openwop:r'}}\n"+
			"spec: {role: {instructions: i}, tools: {policy: %s, allow: [%s], mcp_servers: [{name: s, transport: http, url: 'https://e.org', tools: {allow: [a, b]}}]}}\n", policy, list.String())
		doc, err := profile.Parse("x.agent.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		x, found := agentmanifest.Make(agentmanifest.Input{Document: doc, Value: doc.Value, Prompt: "i", Target: agentmanifest.Both,
			Granted: func(tool string) (bool, string) { return slices.Contains(granted, tool), "no" }})
		if x == nil {
			t.Fatal(found)
		}
		ids := map[string]string{"openwop:r": "read", "mcp:s/a": "mcp/s/a", "mcp:s/b": "mcp/s/b", "openwop:core.x": "openwop:core.x", "mcp:raw": "mcp:raw"}
		written, ok := x.Manifest["toolAllowlist"].([]any)
		if !ok {
			t.Fatal("there is no list, and a host would grant its own")
		}
		for _, id := range written {
			tool, known := ids[id.(string)]
			if !known || !slices.Contains(granted, tool) || policy != "allowlist" {
				t.Fatalf("%v is written; policy %s allow %q granted %q", id, policy, allow, granted)
			}
		}
	})
}

// TestRoleIsNeverInferred: nothing but its annotation makes a role.
func TestRoleIsNeverInferred(t *testing.T) {
	text := strings.Replace(full, "    openwop.dev/role: assistant\n", "", 1)
	for _, mode := range []string{"primary", "subagent", "either"} {
		x, found := exportOf(t, strings.Replace(text, "max_turns: 3", "mode: "+mode, 1), all)
		if x == nil {
			t.Fatal(found)
		}
		if role, said := x.Manifest["role"]; said {
			t.Errorf("mode %s: the manifest has the role %v", mode, role)
		}
	}
}

func TestRefusedExports(t *testing.T) {
	for name, c := range map[string]struct{ old, new, want string }{
		"long id":     {"vendor.acme.crew.full", "vendor.acme." + strings.Repeat("a", 128), "takes 128"},
		"bad id":      {"vendor.acme.crew.full", "acme.full", "is no agentId"},
		"long label":  {"openwop.dev/label: F", "openwop.dev/label: " + strings.Repeat("a", 101), "/label"},
		"library":     {"prompt-library: lib", "prompt-library: Not One", "/promptLibraryRef"},
		"threshold":   {`threshold: "0.5"`, `threshold: "1.5"`, "number from 0 to 1"},
		"overrides":   {`"{}"`, `'{"other": 1}'`, "/promptOverrides"},
		"outside":     {"schemas/task.json", "../task.json", "no plain path"},
		"unknown":     {"openwop.dev/label", "openwop.dev/labels", "no annotation"},
		"skill":       {"role: assistant", "role: skill\n    openwop.dev/x: y", "no annotation"},
		"stated true": {"role: assistant", "role: skill", ""},
		"remembers":   {"    openwop.dev/memory-long-term: \"false\"\n", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(full, c.old) {
				t.Fatal("the case changes nothing")
			}
			x, found := exportOf(t, strings.Replace(full, c.old, c.new, 1), all)
			if c.want == "" {
				if x == nil {
					t.Fatal(found)
				}
				return
			}
			if x != nil || !strings.Contains(fmt.Sprint(found), c.want) {
				t.Errorf("export %v, findings %v", x, found)
			}
		})
	}
}

package profile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sound is a valid profile without warnings; cases replace or add parts of it.
const sound = `oap: "1.0"
kind: AgentProfile
metadata:
  name: scout
  description: Finds where a feature lives.
  revision: 3
spec:
  role:
    instructions: Look things up.
`

func findings(t *testing.T, name, text string) []string {
	t.Helper()
	d, err := Parse(name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range d.Check() {
		out = append(out, fmt.Sprintf("%d:%d %s %s %s", f.Line, f.Column, f.Severity, f.Rule, f.Pointer))
	}
	return out
}

// conformance: L1-P3, L1-P4, L1-P5, L1-P6
func TestCheck(t *testing.T) {
	const tools = "  tools:\n"
	cases := []struct {
		name, why, text string
		want            []string
	}{
		{"sound", "nothing to say", sound, nil},
		{"version missing", "cannot be told apart from another format", strings.Replace(sound, "oap: \"1.0\"\n", "", 1), []string{"1:1 error oap-version "}},
		{"later major", "L1-P3", strings.Replace(sound, "1.0", "2.0", 1), []string{"1:1 error oap-version /oap"}},
		{"later minor", "L1-P4 fails closed", strings.Replace(sound, "1.0", "1.1", 1), []string{"1:1 error oap-version /oap"}},
		{"version as number", "1.0 without quotes is a number in YAML", strings.Replace(sound, `"1.0"`, "1.0", 1), []string{"1:1 error oap-version /oap"}},
		{"reserved kind", "L1-P5", strings.Replace(sound, "AgentProfile", "AgentProfileBundle", 1), []string{"2:1 error kind /kind"}},
		{"kind of a wrong type", "never a panic", strings.Replace(sound, "AgentProfile", "[1]", 1), []string{"2:1 error kind /kind"}},
		{"spec is null", "a value that no check expects", "oap: \"1.0\"\nkind: AgentProfile\nmetadata:\n  name: scout\n  description: Finds where a feature lives.\nspec:\n", []string{"6:1 error schema /spec"}},
		{"unknown member", "closed objects", sound + "  sepc: 1\n", []string{"10:3 error schema /spec/sepc"}},
		{"trust in the file", "L1-I4", strings.Replace(sound, "  revision: 3", "  trust: managed", 1), []string{"6:3 warning trust-in-file /metadata/trust"}},
		{"short description", "harnesses choose by it", strings.Replace(sound, "Finds where a feature lives.", "Finds things.", 1), []string{"5:3 warning short-description /metadata/description"}},
		{"another file name", "L1-D4", strings.Replace(sound, "name: scout", "name: guide", 1), []string{"4:3 warning file-name /metadata/name"}},
		{"literal in MCP env", "L1-I6", sound + tools + "    allow: [read]\n    mcp_servers:\n      - name: x\n        transport: stdio\n        command: x\n        env: {TOKEN: plain}\n",
			[]string{"16:15 error mcp-env /spec/tools/mcp_servers/0/env/TOKEN", "16:15 error schema /spec/tools/mcp_servers/0/env/TOKEN"}},
		{"MCP env under another name", "smuggles a variable", sound + tools + "    allow: [read]\n    mcp_servers:\n      - name: x\n        transport: stdio\n        command: x\n        env: {HARMLESS: \"${AWS_SECRET_ACCESS_KEY}\"}\n",
			[]string{"16:15 error mcp-env-name /spec/tools/mcp_servers/0/env/HARMLESS"}},
		{"undefined variable", "a prompt with a hole", strings.Replace(sound, "Look things up.", "Ask ${{ vars.TEAM }}.", 1), []string{"9:5 error undefined-variable /spec/role/instructions"}},
		{"defined variable", "fine", strings.Replace(sound, "Look things up.", "Ask ${{ vars.TEAM }}.", 1) + "  context:\n    variables: {TEAM: a}\n", nil},
		{"template in state", "L2-S5: never filled in", sound + "state:\n  summary: Ask ${{ vars.TEAM }}.\n", []string{"11:3 warning template-in-state /state/summary"}},
		{"duplicate id", "id: would address the first only", sound + "state:\n  facts:\n    - {id: a, text: x}\n    - {id: a, text: y}\n", []string{"13:8 error duplicate-id /state/facts/1/id"}},
		{"same id in two lists", "ids are per list", sound + "state:\n  facts:\n    - {id: a, text: x}\n  preferences:\n    - {id: a, text: y}\n", nil},
		{"duplicate term", "term: would address the first only", sound + "state:\n  glossary:\n    - {term: a, definition: x}\n    - {term: a, definition: y}\n", []string{"13:8 warning duplicate-name /state/glossary/1/term"}},
		{"history goes down", "oldest first", sound + "history:\n  - {revision: 3, at: 2026-01-01T00:00:00Z}\n  - {revision: 2, at: 2026-01-02T00:00:00Z}\n", []string{"10:1 error history-order /history"}},
		{"history ahead", "a revision nobody wrote", sound + "history:\n  - {revision: 4, at: 2026-01-01T00:00:00Z}\n", []string{"10:1 error history-future /history"}},
		{"no revision means one", "the default of the format", strings.Replace(sound, "  revision: 3\n", "", 1) + "history:\n  - {revision: 1, at: 2026-01-01T00:00:00Z}\n", nil},
		{"a time that is none", "format date-time is asserted", strings.Replace(sound, "  revision: 3", "  updated_at: yesterday", 1), []string{"6:3 error schema /metadata/updated_at"}},
		{"inherit with lists", "they are ignored", sound + tools + "    policy: inherit\n    allow: [read]\n", []string{"11:5 warning inherit-lists /spec/tools/policy"}},
		{"empty allowlist", "grants nothing", sound + tools + "    deny: [shell]\n", []string{"10:3 warning empty-allowlist /spec/tools"}},
		{"binding of a granted tool", "fine", sound + tools + "    allow: [\"git/*\"]\n    bindings:\n      - name: git/log\n", nil},
		{"binding of a tool that is not", "no effect", sound + tools + "    allow: [read]\n    bindings:\n      - name: shell\n", []string{"13:9 warning inert-binding /spec/tools/bindings/0"}},
		{"pattern of another dialect", "a deny that denies nothing", sound + tools + "    allow: [read]\n    deny: [\"mcp/[\"]\n", []string{"12:12 error bad-pattern /spec/tools/deny/0"}},
		{"credential", "never in a document", sound + "state:\n  summary: use ghp_abcdefghijklmnopqrstuvwxyz0123\n", []string{"11:3 error secret /state/summary"}},
		{"right to left override", "a reviewer cannot see it", strings.Replace(sound, "Look things up.", "\"Look \\u202ethings up.\"", 1), []string{"9:5 warning invisible-text /spec/role/instructions"}},
		{"a name that Windows keeps", "cannot be checked out there", strings.Replace(sound, "name: scout", "name: con", 1), []string{"4:3 warning file-name /metadata/name", "4:3 warning windows-name /metadata/name"}},
		{"trailing newline in a name", "$ must not match before it", strings.Replace(sound, "name: scout", "name: \"scout\\n\"", 1), []string{"4:3 warning file-name /metadata/name", "4:3 error schema /metadata/name"}},
		{"True is true", "YAML 1.2 core, never its opposite", sound + "state:\n  facts:\n    - {id: a, text: x, pinned: True}\n", nil},
		{"yes is text", "YAML 1.2 core", sound + "state:\n  facts:\n    - {id: a, text: x, pinned: yes}\n", []string{"12:24 error schema /state/facts/0/pinned"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, findings(t, "dir/scout.agent.yaml", c.text)); diff != "" {
				t.Errorf("%s (-want +got)\n%s", c.why, diff)
			}
		})
	}
}

func TestExtendingDocuments(t *testing.T) {
	base := strings.Replace(sound, "metadata:", "extends:\n  - name: base\nmetadata:", 1)
	if got := findings(t, "scout.agent.yaml", base+"  tools:\n    deny: null\n"); got != nil {
		t.Errorf("a null that deletes was refused: %v", got)
	}
	if got := findings(t, "scout.agent.yaml", sound+"  tools:\n    allow: [read]\n    deny: null\n"); got == nil {
		t.Error("a null passed in a document that extends nothing")
	}
	undefined := strings.Replace(base, "Look things up.", "Ask ${{ vars.TEAM }}.", 1)
	if got := findings(t, "scout.agent.yaml", undefined); got != nil {
		t.Errorf("a variable that the base may define was refused: %v", got)
	}
}

func TestWorkspacePaths(t *testing.T) {
	for _, p := range []string{".", "docs/a.md", "./a", "a/../b", "a\\b", "..a/b", "a..b", ".env"} {
		if why := escapes(p); why != "" {
			t.Errorf("%q %s", p, why)
		}
	}
	for _, p := range []string{"/etc/passwd", "..", "../x", "a/../../b", "a\\..\\..\\b", "..\\..\\etc", "C:\\x", "C:x", "c:/x", "\\\\host\\share", "~", "~/x", "~root/x", "$HOME/x", "${HOME}/x", "%USERPROFILE%\\x", "./../x"} {
		if escapes(p) == "" {
			t.Errorf("%q stays inside", p)
		}
	}
}

func TestGlob(t *testing.T) {
	cases := []struct {
		pattern, name string
		want          bool
	}{
		{"read", "read", true},
		{"read", "reads", false},
		{"*", "mcp/github/search", true},
		{"**", "mcp/github/search", true},
		{"git/*", "git/diff", true},
		{"git/*", "git/diff/x", false},
		{"git/*", "git", false},
		{"mcp/**", "mcp/github/search", true},
		{"mcp/**/delete", "mcp/a/b/delete", true},
		{"mcp/**/delete", "mcp/a/b/deletes", false},
		{"*/delete", "files/delete", true},
		{"*/delete", "a/files/delete", false},
		{"**/delete", "a/files/delete", true},
		{"a*b*c", "aXbYbZc", true},
		{"a*b*c", "aXbY/bZc", false},
		{"a**b*c", "aX/bYbZc", true},
		{"a*b**c", "aXbY/bZc", true},
		{"*a**b*", "xa/yb/z", false},
		{"*a**b*", "xa/ybz", true},
		{"", "", true},
	}
	for _, c := range cases {
		if got := Glob(c.pattern).Match(c.name); got != c.want {
			t.Errorf("%q matches %q: %v, want %v", c.pattern, c.name, got, c.want)
		}
	}
	for _, p := range []string{"", "mcp/[", "a?", "{a,b}", `a\*`, "a***"} {
		if _, err := ParseGlob(p); err == nil {
			t.Errorf("%q was taken", p)
		}
	}
	for _, p := range []string{"*", "**", "mcp/*/x", "**/x"} {
		if _, err := ParseGlob(p); err != nil {
			t.Errorf("%q: %v", p, err)
		}
	}
}

func TestDeltaChecks(t *testing.T) {
	delta := func(rest string) string {
		return "oap: \"1.0\"\nkind: AgentStateDelta\ntarget: {name: scout, revision: 3}\nsession: {id: s}\n" + rest
	}
	op := func(path string) string {
		return delta("operations:\n  - {op: add, path: \"" + path + "\", value: 1}\n")
	}
	for _, path := range []string{"/spec", "/stateX", "/state/", "/state//summary", "/state/../spec", "/state~1..", "/metadata/name", "/state/~2"} {
		if got := findings(t, "x.delta.yaml", op(path)); len(got) == 0 || !strings.Contains(strings.Join(got, "\n"), " error ") {
			t.Errorf("operation path %s passes: %v", path, got)
		}
	}
	for _, path := range []string{"/state/revision", "/state/updated_at"} {
		if got := findings(t, "x.delta.yaml", op(path)); !strings.Contains(strings.Join(got, "\n"), "error owned-field") {
			t.Errorf("operation path %s passes: %v", path, got)
		}
	}
	if got := findings(t, "x.delta.yaml", delta("proposals:\n  - {path: /spec/tools/allow/-, op: add, rationale: x}\n")); HasErrors(nil) || len(got) == 0 || strings.Contains(strings.Join(got, "\n"), " error ") {
		t.Errorf("a wish that cannot be opened must not cost the state: %v", got)
	}
	if got := findings(t, "x.delta.yaml", delta("proposals:\n  - {path: /spec/tools/allow/-, op: add, value: shell, rationale: x, risk: low}\n")); len(got) != 1 || !strings.Contains(got[0], "forced-risk") {
		t.Errorf("a low claim on /spec/tools: %v", got)
	}
	if got := findings(t, "x.delta.yaml", delta("summary: use ghp_abcdefghijklmnopqrstuvwxyz0123\n")); len(got) != 1 || !strings.Contains(got[0], "secret /summary") {
		t.Errorf("a credential in a delta: %v", got)
	}
}

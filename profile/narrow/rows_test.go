package narrow

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/open-agent-profile/oap/profile/resolve"
)

// rows has the rows of the narrowing table, each where the profile is the wider and where the other side
// is. want is the place of the effective contract; by names who is reported for it.
//
// conformance: L1-I2, L1-I3, L1-I9, L3-E2
var rows = []struct {
	name, why, spec, policy string
	base                    string
	field                   string // pointer below /spec
	want                    string
	by                      []string
}{
	{name: "tools, allowlist, profile wider", why: "a profile only narrows", spec: `tools: {allow: [read, edit, "git/*"]}`,
		policy: `tools: {allow: [read, git/diff]}`, field: "/tools/allow", want: `["read","git/diff"]`,
		by: []string{"/spec/tools/allow/1 by policy", "/spec/tools/allow/2 by policy"}},
	{name: "tools, allowlist, policy wider", why: "a policy grants nothing by itself", spec: `tools: {allow: [read]}`,
		policy: `tools: {allow: ["*"]}`, field: "/tools/allow", want: `["read"]`},
	{name: "tools, no allow", why: "an allowlist without a list grants nothing", spec: `tools: {deny: [shell]}`,
		policy: `tools: {allow: ["*"]}`, field: "/tools/allow", want: `[]`},
	{name: "tools, own deny", why: "deny wins over allow", spec: `tools: {allow: [read, shell], deny: ["sh*"]}`, field: "/tools/allow",
		want: `["read"]`, by: []string{"/spec/tools/allow/1 by profile scout"}},
	{name: "tools, deny of the policy", why: "deny wins over allow", spec: `tools: {allow: [read, mcp/x/drop, "mcp/**"]}`,
		policy: `tools: {deny: ["mcp/*"]}`, field: "/tools/allow", want: `["read"]`,
		by: []string{"/spec/tools/allow/1 by policy", "/spec/tools/allow/2 by policy"}},
	{name: "tools, denylist", why: "granted minus deny", spec: `tools: {policy: denylist, deny: [edit]}`,
		policy: `tools: {allow: [read, edit]}`, field: "/tools", want: `{"allow":["read"],"deny":["edit"],"policy":"allowlist"}`,
		by: []string{"/spec/tools/policy by profile scout"}},
	{name: "tools, denylist, no policy", why: "the harness's tools minus deny", spec: `tools: {policy: denylist, deny: [edit]}`,
		field: "/tools", want: `{"allow":["*"],"deny":["edit"],"policy":"allowlist"}`},
	{name: "tools, inherit", why: "its lists are ignored (design section 8)", spec: `tools: {policy: inherit, allow: [read], deny: [edit]}`,
		policy: `tools: {allow: [edit, shell], deny: [shell]}`, field: "/tools/allow", want: `["edit"]`},
	{name: "tools, base", why: "a child cannot widen what a base narrowed", spec: `tools: {allow: [read, search, git/diff]}`,
		base: `tools: {allow: [read, search]}`, field: "/tools/allow", want: `["read","search"]`, by: []string{"/spec/tools/allow/2 by base base"}},
	{name: "tools, base with deny emptied by the child", why: "an empty list in the child does not reopen", spec: `tools: {allow: [shell], deny: []}`,
		base: `tools: {allow: ["*"], deny: [shell]}`, field: "/tools/allow", want: `[]`, by: []string{"/spec/tools/allow/0 by base base"}},
	{name: "tools, base that does not speak of them", why: "a base of instructions leaves tools alone", spec: `tools: {allow: [read]}`,
		base: `runtime: {max_turns: 3}`, field: "/tools/allow", want: `["read"]`},
	{name: "binding, wider than the tool", why: "min with the tool's decision", spec: "tools: {allow: [search], bindings: [{name: search, permission: allow}]}\npermissions: {default: allow}",
		policy: `permissions: {default: ask}`, field: "/tools/bindings/0/permission", want: `"ask"`, by: []string{"/spec/tools/bindings/0/permission by policy"}},
	{name: "binding, stricter than the tool", why: "min with the tool's decision", spec: "tools: {allow: [search], bindings: [{name: search, permission: deny}]}\npermissions: {default: allow}",
		policy: `permissions: {default: allow}`, field: "/tools/bindings/0/permission", want: `"deny"`},
	{name: "binding, inert", why: "its tool is not granted", spec: `tools: {allow: [read], bindings: [{name: search, permission: allow}]}`,
		field: "/tools/bindings", want: `[]`, by: []string{"/spec/tools/bindings/0 by profile scout"}},
	{name: "server, of a base", why: "the server's lists are limits too", spec: `tools: {allow: ["mcp/**"], mcp_servers: [{name: db, transport: stdio, command: x, tools: {allow: [get, drop]}}]}`,
		base:  `tools: {allow: ["mcp/**"], mcp_servers: [{name: db, transport: stdio, command: x, tools: {allow: [get], deny: [put]}}]}`,
		field: "/tools/mcp_servers/0/tools", want: `{"allow":["get"],"deny":["put"]}`, by: []string{"/spec/tools/mcp_servers/0/tools/allow by base base"}},
	{name: "server, nothing granted", why: "there is no reason to start it", spec: `tools: {allow: ["mcp/**"], mcp_servers: [{name: db, transport: stdio, command: x}]}`,
		policy: `tools: {allow: ["mcp/web/*"]}`, field: "/tools/mcp_servers", want: `[]`, by: []string{"/spec/tools/mcp_servers/0 by profile scout, policy"}},
	{name: "permission, profile wider", why: "min on deny < ask < allow", spec: `permissions: {shell: allow}`, policy: `permissions: {shell: deny}`,
		field: "/permissions/shell", want: `"deny"`, by: []string{"/spec/permissions/shell by policy"}},
	{name: "permission, policy wider", why: "min on deny < ask < allow", spec: `permissions: {shell: deny}`, policy: `permissions: {shell: allow}`,
		field: "/permissions/shell", want: `"deny"`},
	{name: "permission left out", why: "the profile's default, not the policy's allow", spec: `permissions: {default: deny}`,
		policy: `permissions: {default: allow, shell: allow}`, field: "/permissions/shell", want: `"deny"`},
	{name: "permission and default left out", why: "then a person is asked", spec: `permissions: {}`, policy: `permissions: {edit: allow}`,
		field: "/permissions/edit", want: `"ask"`},
	{name: "permission the policy leaves out", why: "then a person is asked", spec: `permissions: {network: allow}`, field: "/permissions/network", want: `"ask"`,
		by: []string{"/spec/permissions/network by policy"}},
	{name: "permission, base", why: "a child cannot widen what a base narrowed", spec: `permissions: {shell: allow}`, policy: `permissions: {default: allow}`,
		base: `permissions: {shell: deny}`, field: "/permissions/shell", want: `"deny"`, by: []string{"/spec/permissions/shell by base base"}},
	{name: "permission, base's default", why: "a base that closes all closes each", spec: `permissions: {shell: allow}`, policy: `permissions: {default: allow}`,
		base: `permissions: {default: deny}`, field: "/permissions/shell", want: `"deny"`, by: []string{"/spec/permissions/shell by base base"}},
	{name: "roots, profile wider", why: "of nested roots the inner stays", spec: `permissions: {filesystem: {read_roots: ["."]}}`,
		policy: `permissions: {filesystem: {read_roots: [src, docs]}}`, field: "/permissions/filesystem/read_roots", want: `["src","docs"]`,
		by: []string{"/spec/permissions/filesystem/read_roots by policy"}},
	{name: "roots, policy wider", why: "of nested roots the inner stays", spec: `permissions: {filesystem: {write_roots: [./src/a]}}`,
		policy: `permissions: {filesystem: {write_roots: [src]}}`, field: "/permissions/filesystem/write_roots", want: `["./src/a"]`},
	{name: "roots, disjoint", why: "what has the same beginning is not inside", spec: `permissions: {filesystem: {write_roots: [src]}}`,
		policy: `permissions: {filesystem: {write_roots: [src-old]}}`, field: "/permissions/filesystem/write_roots", want: `[]`,
		by: []string{"/spec/permissions/filesystem/write_roots by policy"}},
	{name: "roots, absent", why: "absent is the policy's", spec: `permissions: {shell: deny}`, policy: `permissions: {filesystem: {read_roots: [src]}}`,
		field: "/permissions/filesystem/read_roots", want: `["src"]`, by: []string{"/spec/permissions/filesystem/read_roots by policy"}},
	{name: "roots, none", why: "an empty list is none", spec: `permissions: {filesystem: {write_roots: []}}`,
		policy: `permissions: {filesystem: {write_roots: [src]}}`, field: "/permissions/filesystem/write_roots", want: `[]`},
	{name: "closed paths", why: "union", spec: `permissions: {filesystem: {deny_paths: [.env]}}`, policy: `permissions: {filesystem: {deny_paths: [.env, keys/]}}`,
		field: "/permissions/filesystem/deny_paths", want: `[".env","keys/"]`, by: []string{"/spec/permissions/filesystem/deny_paths by policy"}},
	{name: "hosts, profile wider", why: "intersection", spec: `permissions: {network: allow, allow_hosts: ["*.example.org", evil.test]}`,
		policy: `permissions: {network: allow, allow_hosts: [a.example.org]}`, field: "/permissions/allow_hosts", want: `["a.example.org"]`,
		by: []string{"/spec/permissions/allow_hosts by policy"}},
	{name: "hosts, policy wider", why: "intersection", spec: `permissions: {network: allow, allow_hosts: [a.example.org]}`,
		policy: `permissions: {network: allow, allow_hosts: ["*.example.org"]}`, field: "/permissions/allow_hosts", want: `["a.example.org"]`},
	{name: "hosts, absent", why: "absent is the policy's", spec: `permissions: {network: allow}`,
		policy: `permissions: {network: allow, allow_hosts: [a.example.org]}`, field: "/permissions/allow_hosts", want: `["a.example.org"]`,
		by: []string{"/spec/permissions/allow_hosts by policy"}},
	{name: "hosts, disjoint", why: "an empty list would mean the harness's default", spec: `permissions: {network: allow, allow_hosts: [a.test]}`,
		policy: `permissions: {network: allow, allow_hosts: [b.test]}`, field: "/permissions/network", want: `"deny"`,
		by: []string{"/spec/permissions/network by profile scout, policy"}},
	{name: "number, profile wider", why: "the smaller counts", spec: `runtime: {max_turns: 60}`, policy: `runtime: {max_turns: 20}`,
		field: "/runtime/max_turns", want: `20`, by: []string{"/spec/runtime/max_turns by policy"}},
	{name: "number, policy wider", why: "the smaller counts", spec: `runtime: {max_tool_calls: 0}`, policy: `runtime: {max_tool_calls: 5}`,
		field: "/runtime/max_tool_calls", want: `0`},
	{name: "number, absent", why: "absent is the policy's", spec: `{}`, policy: `runtime: {timeout_seconds: 9, max_cost_usd: 0.5}`,
		field: "/runtime", want: `{"max_cost_usd":0.5,"timeout_seconds":9}`,
		by: []string{"/spec/runtime/timeout_seconds by policy", "/spec/runtime/max_cost_usd by policy"}},
	{name: "budget", why: "the smaller counts", spec: `context: {budget: {max_state_tokens: 4000, max_context_tokens: 10}}`,
		policy: `context: {budget: {max_state_tokens: 100, max_context_tokens: 900, max_state_bytes: 5}}`, field: "/context/budget",
		want: `{"max_context_tokens":10,"max_state_bytes":5,"max_state_tokens":100}`,
		by:   []string{"/spec/context/budget/max_state_tokens by policy", "/spec/context/budget/max_state_bytes by policy"}},
	{name: "number, base", why: "a child cannot widen what a base narrowed", spec: `runtime: {max_turns: 30}`, base: `runtime: {max_turns: 25}`,
		field: "/runtime/max_turns", want: `25`, by: []string{"/spec/runtime/max_turns by base base"}},
	{name: "memory, profile wider", why: "min on off < read_only < read_write", spec: `memory: {mode: read_write, stores: [{name: s, kind: oap-state, mode: read_write}]}`,
		policy: `memory: {mode: read_only}`, field: "/memory", want: `{"mode":"read_only","stores":[{"kind":"oap-state","mode":"read_only","name":"s"}]}`,
		by: []string{"/spec/memory/mode by policy", "/spec/memory/stores/0/mode by policy"}},
	{name: "memory, policy wider", why: "min, and read_only where nothing is said", spec: `memory: {stores: [{name: s, kind: oap-state, mode: read_write}]}`,
		policy: `memory: {mode: read_write}`, field: "/memory", want: `{"mode":"read_only","stores":[{"kind":"oap-state","mode":"read_only","name":"s"}]}`,
		by: []string{"/spec/memory/stores/0/mode by profile scout"}},
	{name: "scopes, profile wider", why: "intersection", spec: `memory: {scopes: ["project:a", "user:b"]}`, policy: `memory: {scopes: ["project:*"]}`,
		field: "/memory/scopes", want: `["project:a"]`, by: []string{"/spec/memory/scopes by policy"}},
	{name: "scopes, policy wider", why: "intersection", spec: `memory: {scopes: ["project:a"]}`, policy: `memory: {scopes: ["*"]}`,
		field: "/memory/scopes", want: `["project:a"]`},
	{name: "subagents, profile wider", why: "intersection", spec: `runtime: {subagents: {allow: [a, b], max_depth: 4, max_concurrent: 9}}`,
		policy: `runtime: {subagents: {allow: [b, c], max_depth: 2, max_concurrent: 1}}`, field: "/runtime/subagents",
		want: `{"allow":["b"],"max_concurrent":1,"max_depth":2}`, by: []string{"/spec/runtime/subagents/max_concurrent by policy",
			"/spec/runtime/subagents/max_depth by policy", "/spec/runtime/subagents/allow/0 by policy"}},
	{name: "subagents, policy wider", why: "intersection", spec: `runtime: {subagents: {allow: [a]}}`, policy: `runtime: {subagents: {allow: ["*"]}}`,
		field: "/runtime/subagents/allow", want: `["a"]`},
	{name: "subagents, absent", why: "absent is none, whatever the policy allows", spec: `runtime: {subagents: {max_depth: 2}}`,
		policy: `runtime: {subagents: {allow: ["*"]}}`, field: "/runtime/subagents/allow", want: `[]`},
	{name: "writeback, profile wider", why: "min on off < propose < auto", spec: `lifecycle: {writeback: auto}`, policy: `lifecycle: {writeback: propose}`,
		field: "/lifecycle/writeback", want: `"propose"`, by: []string{"/spec/lifecycle/writeback by policy"}},
	{name: "writeback, policy wider", why: "min on off < propose < auto", spec: `lifecycle: {writeback: "off"}`, policy: `lifecycle: {writeback: auto}`,
		field: "/lifecycle/writeback", want: `"off"`},
	{name: "writeback, absent", why: "absent is propose", spec: `{}`, policy: `lifecycle: {writeback: auto}`, field: "/lifecycle/writeback", want: `"propose"`},
	{name: "files that are closed", why: "what is put into a prompt is read", spec: `context: {files: [{path: a.md}, {path: keys/x}]}`,
		policy: `permissions: {filesystem: {deny_paths: [keys]}}`, field: "/context/files", want: `[{"path":"a.md"}]`,
		by: []string{"/spec/context/files/1 by policy"}},
	{name: "model, profile wider", why: "only models that the policy allows", spec: `model: {provider: acme, id: big, fallbacks: [{provider: other, id: x}, {provider: acme, id: small}]}`,
		policy: `model: {allow: [acme/small]}`, field: "/model", want: `{"fallbacks":[{"id":"small","provider":"acme"}],"id":"small","provider":"acme"}`,
		by: []string{"/spec/model by policy", "/spec/model/fallbacks/0 by policy"}},
	{name: "model, policy wider", why: "the exact model stays", spec: `model: {provider: acme, id: big}`, policy: `model: {allow: ["acme/*"]}`,
		field: "/model", want: `{"id":"big","provider":"acme"}`},
}

func TestRows(t *testing.T) {
	for _, tt := range rows {
		t.Run(tt.name, func(t *testing.T) {
			var bases []string
			if tt.base != "" {
				bases = []string{tt.base}
			}
			spec := tt.spec
			if spec == "{}" {
				spec = ""
			}
			e := effective(t, spec, tt.policy, bases...)
			if got := e.at(strings.Split(tt.field[1:], "/")...); got != tt.want {
				t.Errorf("%s: %s is %s, want %s", tt.why, tt.field, got, tt.want)
			}
			if diff := cmp.Diff(tt.by, e.about("/spec"+tt.field)); diff != "" {
				t.Errorf("adjustments (-want +got):\n%s\n%v", diff, e.Adjustments)
			}
			for _, a := range e.Adjustments {
				if a.Reason == "" || a.Source == "" {
					t.Errorf("no reason or source: %+v", a)
				}
			}
		})
	}
}

// TestWritebackByTrust: a profile that came with a repository must not switch off review by itself.
func TestWritebackByTrust(t *testing.T) {
	auto := doc(t, "scout", "lifecycle: {writeback: auto}\n")
	tests := []struct {
		name, policy string
		trust        resolve.Trust
		machine      string
		want, source string
	}{
		{"managed", "", resolve.Managed, "", "auto", ""},
		{"user", "", resolve.User, "", "auto", ""},
		{"project", "", resolve.Project, "", "propose", "trust project"},
		{"imported", "", resolve.Imported, "", "propose", "trust imported"},
		{"nobody vouches", "", "", "", "propose", "trust imported"},
		{"project, trusted by the policy", "trust: {project: {lifecycle: {writeback: auto}}}", resolve.Project, "", "auto", ""},
		{"project, closed by the policy", "trust: {project: {lifecycle: {writeback: \"off\"}}}", resolve.Project, "", "off", "policy for project profiles"},
		{"the policy's word for another trust", "trust: {imported: {lifecycle: {writeback: \"off\"}}}", resolve.User, "", "auto", ""},
		{"machine", "", resolve.User, "off", "off", "machine"},
		{"machine, unknown word", "", resolve.User, "always", "off", "machine"},
		{"machine does not raise", "lifecycle: {writeback: propose}", resolve.User, "auto", "propose", "policy"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := must(t, Input{Value: auto, Trust: tt.trust}, policy(t, tt.policy), Options{Writeback: writeback(tt.machine)})
			if string(e.Writeback()) != tt.want {
				t.Errorf("got %s, want %s", e.Writeback(), tt.want)
			}
			var want []string
			if tt.source != "" {
				want = []string{"/spec/lifecycle/writeback by " + tt.source}
			}
			if diff := cmp.Diff(want, e.about("/spec/lifecycle")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

package narrow

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/open-agent-profile/oap/profile/resolve"
)

// conformance: L1-I2, L1-I3, L3-M1
func TestDecide(t *testing.T) {
	const spec = `
tools:
  allow: [read, edit, shell, fetch, sql, "git/*", "mcp/**"]
  deny: ["*/push", "mcp/db/drop_*"]
  bindings: [{name: sql, permission: ask}]
  mcp_servers: [{name: db, transport: stdio, command: x, tools: {allow: [get, "list_*", drop_table], deny: [list_secrets]}}]
permissions:
  default: allow
  shell: ask
  edit: allow
  network: allow
  allow_hosts: [example.org, "*.example.net", "h.test:8443"]
  filesystem: {read_roots: ["."], write_roots: [src, docs], deny_paths: [.env, "**/*.key", keys/]}
  rules:
    - {tool: shell, target: "git status", decision: allow}
    - {tool: shell, target: "rm *", decision: deny, reason: Nothing is removed.}
    - {tool: "git/*", action: write, decision: deny}
    - {tool: edit, target: "docs/**", decision: ask}
`
	const pol = "permissions: {default: allow, shell: allow, edit: allow, network: allow, rules: [{tool: read, target: \"src/*.gen\", decision: ask}]}\n"
	e := effective(t, spec, pol)
	own := func(p string) string { return "profile scout /spec" + p }
	tests := []struct {
		name, why            string
		tool, action, target string
		want                 Decision
		line                 string // "" = any
	}{
		{"granted", "", "read", "read", "src/a", Allow, own("/permissions/default")},
		{"not granted", "no line", "write", "write", "src/a", Deny, own("/tools/allow")},
		{"no name", "nothing is asked about", "", "", "", Deny, ""},
		{"segment", "* stays in a segment when it allows", "git/remote/add", "", "", Deny, own("/tools/allow")},
		{"deny, one segment", "", "git/push", "", "", Deny, own("/tools/deny/0")},
		{"deny crosses segments", "read as wide as it can be", "mcp/a/push", "", "", Deny, own("/tools/deny/0")},
		{"deny of a name that the server allows", "deny wins", "mcp/db/drop_table", "", "", Deny, own("/tools/deny/1")},
		{"deny in other letters", "a harness may fold case", "git/PUSH", "", "", Deny, own("/tools/deny/0")},
		{"allow in other letters", "an allowing line is not stretched", "READ", "read", "a", Deny, own("/tools/allow")},
		{"server allows", "", "mcp/db/get", "", "", Allow, own("/permissions/default")},
		{"server does not allow", "its own list", "mcp/db/put", "", "", Deny, own("/tools/mcp_servers/0/tools/allow")},
		{"server denies", "its own list", "mcp/db/list_secrets", "", "", Deny, own("/tools/mcp_servers/0/tools/deny/0")},
		{"binding", "min with the binding", "sql", "query", "select 1", Ask, own("/tools/bindings/0/permission")},
		{"kind", "the tool says what it does", "shell", "", "ls", Ask, own("/permissions/shell")},
		{"kind by action", "the action says what is done", "sql", "exec", "x", Ask, ""},
		{"rule", "first match", "shell", "exec", "git status", Allow, own("/permissions/rules/0")},
		{"rule and more", "a command of several is not what the rule allows", "shell", "exec", "git status; rm x", Ask, own("/permissions/shell")},
		{"rule, wide reading", "a rule that denies is read wide", "shell", "exec", "rm -r /a/b", Deny, own("/permissions/rules/1")},
		{"rule, unknown target", "a part of it is denied", "shell", "exec", "", Ask, ""},
		{"rule, unknown action", "a part of it is denied", "git/diff", "", "", Ask, own("/permissions/rules/2")},
		{"rule, other action", "it does not fit", "git/diff", "read", "a", Allow, ""},
		{"rule of the policy", "both lists are asked", "read", "read", "src/x.gen", Ask, "policy /permissions/rules/0"},
		{"rule on a path", "", "edit", "edit", "docs/a/b.md", Ask, own("/permissions/rules/3")},
		{"write root", "", "edit", "edit", "src/a.go", Allow, own("/permissions/edit")},
		{"outside of the write roots", "", "edit", "edit", "lib/a.go", Deny, own("/permissions/filesystem/write_roots")},
		{"climbing path", "it is cleaned before", "edit", "edit", "src/../lib/a", Deny, ""},
		{"backslashes", "they separate on some systems", "edit", "edit", `src\..\lib`, Deny, ""},
		{"out of the workspace", "", "read", "read", "../x", Deny, ""},
		{"absolute", "nobody knows where the workspace is", "read", "read", "/etc/passwd", Deny, ""},
		{"home", "it cannot be compared", "read", "read", "~/x", Deny, ""},
		{"beside a root", "the same beginning is not inside", "edit", "edit", "srcs/a", Deny, ""},
		{"closed", "", "read", "read", ".env", Deny, own("/permissions/filesystem/deny_paths/0")},
		{"closed in any folder", "a bare name", "read", "read", "a/b/.env", Deny, own("/permissions/filesystem/deny_paths/0")},
		{"closed in other letters", "a file system may fold case", "read", "read", ".ENV", Deny, own("/permissions/filesystem/deny_paths/0")},
		{"below a closed folder", "", "read", "read", "keys/a/b", Deny, own("/permissions/filesystem/deny_paths/2")},
		{"closed by pattern", "", "read", "read", "a/b.key", Deny, own("/permissions/filesystem/deny_paths/1")},
		{"closed inside a command", "every word is looked at", "shell", "exec", "cat <./keys/x", Deny, own("/permissions/filesystem/deny_paths/2")},
		{"closed behind a flag", "every word is looked at", "shell", "exec", "x --f=.env", Deny, own("/permissions/filesystem/deny_paths/0")},
		{"no path", "roots decide", "edit", "edit", "", Ask, ""},
		{"host", "", "fetch", "fetch", "https://example.org/a%20b?x=a@b", Allow, own("/permissions/network")},
		{"host with port", "an entry without a port is for all", "fetch", "fetch", "http://EXAMPLE.org.:81/", Allow, ""},
		{"host below", "", "fetch", "fetch", "https://a.b.example.net", Allow, own("/permissions/network")},
		{"not the name itself", "*.x is what lies below", "fetch", "fetch", "https://example.net", Deny, ""},
		{"other port", "the entry names one", "fetch", "fetch", "https://h.test", Deny, ""},
		{"named port", "", "fetch", "fetch", "https://h.test:8443/x", Allow, ""},
		{"other host", "", "fetch", "fetch", "https://evil.test/example.org", Deny, ""},
		{"host as user", "the host is behind the @", "fetch", "fetch", "https://example.org@evil.test/", Deny, ""},
		{"host by a backslash", "readers disagree about it", "fetch", "fetch", `https://evil.test\@example.org/`, Deny, ""},
		{"longer host", "the same end is not the same host", "fetch", "fetch", "https://notexample.org", Deny, ""},
		{"bare host", "", "fetch", "fetch", "example.org/x", Allow, ""},
		{"no host", "", "fetch", "fetch", "file:///etc/passwd", Deny, ""},
		{"no address", "hosts decide", "fetch", "fetch", "", Ask, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := e.Decide(tt.tool, tt.action, tt.target)
			if v.Decision != tt.want {
				t.Errorf("%s: %+v, want %s", tt.why, v, tt.want)
			}
			if line := v.Source + " " + v.Pointer; tt.line != "" && line != tt.line {
				t.Errorf("decided by %q, want %q", line, tt.line)
			}
			if v.Reason == "" {
				t.Error("no reason")
			}
		})
	}
}

func TestDecideWithAWorkspace(t *testing.T) {
	in := Input{Trust: resolve.User, Value: doc(t, "scout", "tools: {allow: [read, edit]}\npermissions: {default: allow, edit: allow, filesystem: {read_roots: [\".\"], write_roots: [\".\"]}}\n")}
	pol := policy(t, "permissions: {default: allow, edit: allow, filesystem: {write_roots: [/home/u/ws/src, /tmp], deny_paths: [/home/u/ws/src/gen, \"~/.ssh\", /srv]}}\n")
	e := must(t, in, pol, Options{Workspace: "/home/u/ws"})
	for _, tt := range []struct {
		tool, target string
		want         Decision
	}{
		{"edit", "src/a", Allow}, {"edit", "/home/u/ws/src/a", Allow}, {"edit", "lib/a", Deny}, {"edit", "/tmp/x", Deny},
		{"edit", "src/gen/a", Deny}, {"read", "../ws/lib/a", Allow}, {"read", "../other/a", Deny}, {"read", "/home/u/ws/.ssh/id", Deny},
		{"read", "/home/u/ws", Allow}, {"read", "/home/u/wsx", Deny},
	} {
		if v := e.Decide(tt.tool, tt.tool, tt.target); v.Decision != tt.want {
			t.Errorf("%s %s: %+v, want %s", tt.tool, tt.target, v, tt.want)
		}
	}
	if got := e.at("permissions", "filesystem", "write_roots"); got != `["/home/u/ws/src"]` {
		t.Errorf("write_roots %s", got)
	}
	above := must(t, in, policy(t, "permissions: {default: allow, filesystem: {deny_paths: [/home/u]}}\n"), Options{Workspace: "/home/u/ws"})
	if v := above.Decide("read", "read", "a"); v.Decision != Deny {
		t.Errorf("a folder above the workspace is closed, and its files are not: %+v", v)
	}
}

// conformance: L3-Y1
func TestMemory(t *testing.T) {
	e := effective(t, `memory: {mode: read_write, scopes: ["project:*"], stores: [{name: a, kind: oap-state, mode: read_write}, {name: b, kind: git-notes-dir}, {name: c, kind: x, mode: "off"}]}`, "")
	open := effective(t, `memory: {mode: read_write, stores: [{name: a, kind: oap-state, mode: read_write}]}`, "")
	for _, tt := range []struct {
		e            *Effective
		store, scope string
		want         string
	}{
		{e, "a", "project:x", "read_write"}, {e, "b", "project:x", "read_only"}, {e, "c", "project:x", "off"}, {e, "d", "project:x", "off"},
		{e, "a", "user:x", "off"}, {e, "a", "", "off"}, {open, "a", "", "read_write"}, {open, "a", "user:x", "off"},
	} {
		if mode, why := tt.e.Memory(tt.store, tt.scope); mode != tt.want || why == "" {
			t.Errorf("%s %s: %s (%s), want %s", tt.store, tt.scope, mode, why, tt.want)
		}
	}
	// conformance: L1-I7
	blocked := effective(t, `memory: {mode: read_write, stores: [{name: a, kind: x, mode: read_write, required: true}]}`, `memory: {mode: "off"}`)
	if len(blocked.Blockers) != 1 || blocked.Blockers[0].Field != "/spec/memory/stores/0" || blocked.Blockers[0].Source != "policy" {
		t.Errorf("blockers %+v", blocked.Blockers)
	}
}

// conformance: L1-I12
func TestModelRules(t *testing.T) {
	const wish = "model: {provider: acme, id: big, tier: advanced, fallbacks: [{provider: acme, id: mid}, {provider: local, id: \"org/m:30b\"}], parameters: {seed: 7, temperature: 1}}\n"
	only := func(names ...string) func(string, string) bool {
		return func(p, id string) bool {
			for _, n := range names {
				if n == p+"/"+id {
					return true
				}
			}
			return false
		}
	}
	tests := []struct {
		name, spec, policy string
		servable           func(string, string) bool
		want               Choice
		reported           int
	}{
		{"exact", wish, "", nil, Choice{Rule: 1, Provider: "acme", ID: "big", Reason: "the profile names it"}, 0},
		{"fallback", wish, "", only("local/org/m:30b"), Choice{Rule: 2, Provider: "local", ID: "org/m:30b", Reason: "the harness cannot use acme/big"}, 1},
		{"fallback by policy", wish, `model: {allow: ["local/**"]}`, nil, Choice{Rule: 2, Provider: "local", ID: "org/m:30b", Reason: "policy does not allow acme/big"}, 2},
		{"tier", wish, "model: {tiers: {advanced: acme/x}}", only("acme/x"), Choice{Rule: 3, Provider: "acme", ID: "x", Tier: "advanced", Reason: "the harness cannot use acme/big"}, 1},
		{"tier of the harness", wish, "", only(), Choice{Rule: 3, Tier: "advanced", Reason: "the harness cannot use acme/big"}, 1},
		{"tier that is not allowed", wish, "model: {allow: [z/y], tiers: {advanced: acme/x}, default: z/y}", nil, Choice{Rule: 4, Provider: "z", ID: "y", Reason: "policy does not allow acme/big"}, 3},
		{"default of the harness", wish, "model: {allow: [z/y], tiers: {advanced: acme/x}, default: acme/q}", nil, Choice{Rule: 4, Reason: "policy does not allow acme/big"}, 3},
		{"no wish", "", "model: {default: z/y}", nil, Choice{Rule: 4, Provider: "z", ID: "y", Reason: "the profile names no model"}, 0},
		{"half a name is no exact model", "model: {provider: acme, tier: minimal}\n", "", nil, Choice{Rule: 3, Tier: "minimal", Reason: "the profile names no model"}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := must(t, Input{Value: doc(t, "scout", tt.spec), Trust: resolve.User}, policy(t, tt.policy),
				Options{Servable: tt.servable, Parameter: func(n string) bool { return n != "seed" || tt.reported == 0 }})
			if diff := cmp.Diff(tt.want, e.Model); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			got := len(e.about("/spec/model"))
			if tt.reported > 0 {
				got-- // the parameter
				if e.at("model", "parameters") != `{"temperature":1}` {
					t.Errorf("parameters %s", e.at("model", "parameters"))
				}
			}
			if got != tt.reported {
				t.Errorf("%d adjustments, want %d: %+v", got, tt.reported, e.Adjustments)
			}
		})
	}
}

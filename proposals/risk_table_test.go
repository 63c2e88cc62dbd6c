package proposals

// rateRow is one step of one member; "" is an absent one. beside is what both documents state otherwise.
type rateRow struct {
	at, name      string
	before, after string
	want          Risk
	why           string
	beside        map[string]string
}

var extended = map[string]string{"/extends": `[{"name": "base"}]`}

// rateTable is all rows; those about limits stand in a file of their own.
var rateTable = append(grantRows, limitRows...)

var grantRows = []rateRow{
	// metadata
	{"/metadata/name", "renamed", `"a"`, `"b"`, High, "grants go by name", nil},
	{"/metadata/id", "taken over", `"urn:a"`, `"urn:b"`, High, "deltas go by id", nil},
	{"/metadata/description", "reworded", `"one thing"`, `"another thing"`, Low, "words for people", nil},
	{"/metadata/display_name", "added", ``, `"A"`, Low, "words for people", nil},
	{"/metadata/created_at", "changed", `"2026-01-01T00:00:00Z"`, `"2026-01-02T00:00:00Z"`, Low, "a date", nil},
	{"/metadata/authors", "added", ``, `["x"]`, Low, "words for people", nil},
	{"/metadata/tags", "replaced", `["x"]`, `["y"]`, Low, "words for people", nil},
	{"/metadata/license", "changed", `"MIT"`, `"Apache-2.0"`, Low, "words for people", nil},
	{"/metadata/homepage", "removed", `"https://example.org"`, ``, Low, "words for people", nil},
	{"/metadata/trust", "claimed", ``, `"managed"`, High, "only a place gives trust", nil},
	{"/metadata/trust", "dropped", `"managed"`, ``, Low, "nothing is claimed", nil},
	{"/metadata/annotations", "others", `{"x.org/a": "1"}`, `{"x.org/a": "2"}`, Medium, "some program reads them", nil},
	{"/metadata/annotations", "manifest key", `{}`, `{"openwop.dev/role": "assistant"}`, High, "it grants a role", nil},
	{"/metadata/annotations", "manifest key goes", `{"openwop.dev/role": "skill"}`, `{}`, High, "any touch is high", nil},
	{"/metadata/annotations", "manifest key in capitals", `{}`, `{"OpenWOP.dev/role": "assistant"}`, High, "domains know no case", nil},
	{"/metadata/annotations", "manifest sub-domain", `{}`, `{"packs.openwop.dev/x": "y"}`, High, "it may be read, too", nil},
	{"/metadata/annotations", "similar domain", `{}`, `{"notopenwop.dev/x": "y"}`, Medium, "another domain", nil},
	{"/metadata/annotations", "no object", `{}`, `["openwop.dev/role"]`, High, "unknown form", nil},
	{"/metadata/nickname", "unknown member", ``, `"x"`, High, "unknown effect", nil},

	// extends
	{"/extends", "base filled in", ``, `[{"name": "base"}]`, High, "the base may state what this leaves out", nil},
	{"/extends", "base with nothing to fill in", `[{"name": "one"}]`, `[{"name": "one"}, {"name": "two"}]`, Medium, "it can only narrow", statesAll},
	{"/extends", "base removed", `[{"name": "base"}]`, ``, High, "its limits go", nil},
	{"/extends", "pin removed", `[{"name": "base", "revision": 3}]`, `[{"name": "base"}]`, High, "anything may come", nil},
	{"/extends", "pin added", `[{"name": "base"}]`, `[{"name": "base", "revision": 3}]`, Low, "it is held in place", nil},
	{"/extends", "pin moved", `[{"name": "base", "revision": 3}]`, `[{"name": "base", "revision": 4}]`, Medium, "a base changes", nil},
	{"/extends", "place of unpinned base", `[{"name": "base"}]`, `[{"name": "base", "uri": "https://x"}]`, High, "anything may come", nil},
	{"/extends", "order and a pin", `[{"name": "a"}, {"name": "b"}]`, `[{"name": "b"}, {"name": "a", "revision": 1}]`, Medium, "the later one counts", nil},
	{"/extends", "one base twice", `[{"name": "a"}]`, `[{"name": "a"}, {"name": "a"}]`, High, "unknown which counts", nil},

	// role
	{"/spec/role/instructions", "reworded", `"Do."`, `"Do more."`, Medium, "what the agent reads", nil},
	{"/spec/role/objectives", "added", ``, `["x"]`, Medium, "what the agent reads", nil},
	{"/spec/role/constraints", "dropped", `["a", "b"]`, `["a"]`, High, "a limit goes", nil},
	{"/spec/role/constraints", "all gone", `["a"]`, ``, High, "a limit goes", nil},
	{"/spec/role/constraints", "reworded", `["never push"]`, `["rarely push"]`, High, "a limit goes", nil},
	{"/spec/role/constraints", "added", `["a"]`, `["a", "b"]`, Medium, "it is prompt text, whatever it says", nil},
	{"/spec/role/constraints", "order", `["a", "b"]`, `["b", "a"]`, Medium, "it reads otherwise", nil},
	{"/spec/role/constraints", "over those of a base", ``, `["a"]`, High, "a list replaces the base's", extended},
	{"/spec/role/persona", "all of it", `{"tone": "a", "voice": "a", "verbosity": "terse", "formatting": "a", "language": "en", "style_rules": []}`, ``, Medium, "what the agent reads", nil},
	{"/spec/role/persona", "unknown member", `{}`, `{"authority": "root"}`, High, "unknown effect", nil},
	{"/spec/role/expertise", "added", ``, `["Go"]`, Medium, "what the agent reads", nil},
	{"/spec/role/examples", "added", ``, `[{"input": "a", "output": "b", "note": "c"}]`, Medium, "what the agent reads", nil},
	{"/spec/role/examples", "unknown member", ``, `[{"input": "a", "output": "b", "run": "c"}]`, High, "unknown effect", nil},

	// model
	{"/spec/model", "another one", `{"provider": "a", "id": "b", "tier": "minimal"}`, `{"provider": "c", "id": "d", "tier": "frontier"}`, Medium, "a model", nil},
	{"/spec/model/fallbacks", "added", ``, `[{"provider": "a", "id": "b"}]`, Medium, "a model", nil},
	{"/spec/model/parameters", "added", ``, `{"temperature": 1, "top_p": 1, "max_output_tokens": 9, "reasoning_effort": "max", "stop": [], "seed": 1}`, Medium, "wishes", nil},
	{"/spec/model/endpoint", "unknown member", ``, `"https://x"`, High, "unknown effect", nil},

	// tools
	{"/spec/tools/policy", "to a deny list", ``, `"denylist"`, High, "all but what is denied", nil},
	{"/spec/tools/policy", "to inherit", `"denylist"`, `"inherit"`, High, "nothing is denied", nil},
	{"/spec/tools/policy", "removed", `"inherit"`, ``, Low, "an allowlist is the default", nil},
	{"/spec/tools/policy", "stated", ``, `"allowlist"`, Low, "it was in force", nil},
	{"/spec/tools/policy", "unknown", `"inherit"`, `"deny_all"`, High, "some readers know what we do not", nil},
	{"/spec/tools/policy", "left to a base", `"allowlist"`, ``, High, "the base may be wider", extended},
	{"/spec/tools/policy", "narrowest over a base", ``, `"allowlist"`, Low, "nothing is narrower", extended},
	{"/spec/tools/allow", "added", `["read"]`, `["read", "shell"]`, High, "a tool more", nil},
	{"/spec/tools/allow", "first", ``, `["read"]`, High, "there were none", nil},
	{"/spec/tools/allow", "exchanged", `["git/*"]`, `["git/log"]`, High, "patterns are read in more than one way", nil},
	{"/spec/tools/allow", "removed", `["read", "shell"]`, `["read"]`, Low, "a tool less", nil},
	{"/spec/tools/allow", "all gone", `["read"]`, ``, Low, "no list is no tool", nil},
	{"/spec/tools/allow", "order", `["a", "b"]`, `["b", "a", "a"]`, Low, "the same tools", nil},
	{"/spec/tools/allow", "masked by deny", `[]`, `["shell"]`, High, "the mask may go next", map[string]string{"/spec/tools/deny": `["*"]`}},
	{"/spec/tools/allow", "masked by inherit", `[]`, `["shell"]`, High, "the policy may go next", map[string]string{"/spec/tools/policy": `"inherit"`}},
	{"/spec/tools/allow", "no texts", `[]`, `[{"tool": "shell"}]`, High, "unknown form", nil},
	{"/spec/tools/allow", "null", `[]`, `null`, High, "unknown form", nil},
	{"/spec/tools/allow", "left to a base", `["read"]`, ``, High, "the base may have more", extended},
	{"/spec/tools/deny", "removed", `["shell", "write"]`, `["write"]`, High, "nothing stops it", nil},
	{"/spec/tools/deny", "all gone", `["shell"]`, ``, High, "nothing stops it", nil},
	{"/spec/tools/deny", "exchanged for a wider one", `["git/push"]`, `["git/*"]`, High, "patterns are read in more than one way", nil},
	{"/spec/tools/deny", "added", ``, `["shell"]`, Low, "a tool less", nil},
	{"/spec/tools/deny", "over that of a base", ``, `["shell"]`, High, "a list replaces the base's", extended},
	{"/spec/tools/bindings", "allowed", ``, `[{"name": "x", "permission": "allow"}]`, High, "some take it for a grant", nil},
	{"/spec/tools/bindings", "up", `[{"name": "x", "permission": "deny"}]`, `[{"name": "x", "permission": "ask"}]`, High, "a wider permission", nil},
	{"/spec/tools/bindings", "cap removed", `[{"name": "x", "permission": "ask"}]`, ``, High, "a cap goes", nil},
	{"/spec/tools/bindings", "down", `[{"name": "x", "permission": "allow"}]`, `[{"name": "x", "permission": "ask"}]`, Low, "a narrower one", nil},
	{"/spec/tools/bindings", "cap added", ``, `[{"name": "x", "permission": "ask"}]`, Low, "a cap more", nil},
	{"/spec/tools/bindings", "made-up setting", `[{"name": "x"}]`, `[{"name": "x", "permission": "unset"}]`, High, "unknown form", nil},
	{"/spec/tools/bindings", "set up otherwise", `[{"name": "x", "config": {"a": 1}}]`, `[{"name": "x", "config": {"a": 2}}]`, High, "only the tool knows", nil},
	{"/spec/tools/bindings", "two of a name", `[{"name": "x", "permission": "deny"}]`, `[{"name": "x", "permission": "deny"}, {"name": "x"}]`, High, "unknown which counts", nil},
	{"/spec/tools/mcp_servers", "added", ``, `[{"name": "x", "transport": "stdio", "command": "y"}]`, High, "it runs a program", nil},
	{"/spec/tools/mcp_servers", "removed", `[{"name": "x", "transport": "stdio", "command": "y"}]`, `[]`, Low, "a program less", nil},
	{"/spec/tools/mcp_servers", "another command", `[{"name": "x", "command": "y"}]`, `[{"name": "x", "command": "z"}]`, High, "another program", nil},
	{"/spec/tools/mcp_servers", "an argument less", `[{"name": "x", "args": ["--read-only"]}]`, `[{"name": "x", "args": []}]`, High, "arguments limit, too", nil},
	{"/spec/tools/mcp_servers", "another address", `[{"name": "x", "url": "https://y"}]`, `[{"name": "x", "url": "https://z"}]`, High, "another server", nil},
	{"/spec/tools/mcp_servers", "another transport", `[{"name": "x", "transport": "http"}]`, `[{"name": "x", "transport": "stdio"}]`, High, "a program in place of an address", nil},
	{"/spec/tools/mcp_servers", "environment", `[{"name": "x"}]`, `[{"name": "x", "env": {"TOKEN": "${TOKEN}"}}]`, High, "it hands a credential over", nil},
	{"/spec/tools/mcp_servers", "headers", `[{"name": "x"}]`, `[{"name": "x", "headers": {"A": "${TOKEN}"}}]`, High, "it hands a credential over", nil},
	{"/spec/tools/mcp_servers", "tool added", `[{"name": "x", "tools": {"allow": []}}]`, `[{"name": "x", "tools": {"allow": ["y"]}}]`, High, "a tool more", nil},
	{"/spec/tools/mcp_servers", "list of tools gone", `[{"name": "x", "tools": {"allow": ["y"]}}]`, `[{"name": "x"}]`, High, "it may mean all of them", nil},
	{"/spec/tools/mcp_servers", "tool removed", `[{"name": "x", "tools": {"allow": ["y", "z"]}}]`, `[{"name": "x", "tools": {"allow": ["y"]}}]`, Low, "a tool less", nil},
	{"/spec/tools/mcp_servers", "tool no longer denied", `[{"name": "x", "tools": {"deny": ["y"]}}]`, `[{"name": "x", "tools": {}}]`, High, "nothing stops it", nil},
	{"/spec/tools/mcp_servers", "tool denied", `[{"name": "x"}]`, `[{"name": "x", "tools": {"deny": ["y"]}}]`, Low, "a tool less", nil},
	{"/spec/tools/mcp_servers", "order", `[{"name": "x"}, {"name": "y"}]`, `[{"name": "y"}, {"name": "x"}]`, Low, "the same servers", nil},
	{"/spec/tools/skills", "added", ``, `[{"name": "x"}]`, High, "it brings instructions and programs", nil},
	{"/spec/tools/skills", "removed", `[{"name": "x"}]`, ``, Low, "a skill less", nil},
	{"/spec/tools/skills", "required one removed", `[{"name": "x", "required": true}]`, ``, Medium, "it may have been a guard", nil},
	{"/spec/tools/skills", "from elsewhere", `[{"name": "x", "source": "a"}]`, `[{"name": "x", "source": "b"}]`, High, "other content", nil},
	{"/spec/tools/skills", "pin removed", `[{"name": "x", "digest": "sha256:1"}]`, `[{"name": "x"}]`, High, "any content", nil},
	{"/spec/tools/skills", "pin added", `[{"name": "x"}]`, `[{"name": "x", "digest": "sha256:1"}]`, Low, "held in place", nil},
	{"/spec/tools/skills", "no longer required", `[{"name": "x", "required": true}]`, `[{"name": "x"}]`, Medium, "a session may start without", nil},
	{"/spec/tools/skills", "now required", `[{"name": "x"}]`, `[{"name": "x", "required": true}]`, Low, "stricter", nil},
	{"/spec/toolsX", "unknown member", ``, `{}`, High, "unknown effect", nil},
	{"/spec/tools", "an empty section", ``, `{}`, Low, "nothing is stated", nil},
	{"/spec/tools", "no object", `{}`, `"all"`, High, "unknown form", nil},
	{"/spec/tools", "whole section gone", `{"policy": "allowlist", "allow": ["read"], "deny": ["shell"]}`, ``, High, "the deny list goes with it", nil},
}

var statesAll = map[string]string{
	"/spec/tools":             `{"policy": "allowlist", "allow": [], "mcp_servers": [], "skills": []}`,
	"/spec/permissions":       `{"default": "ask", "shell": "deny", "edit": "deny", "network": "deny", "rules": []}`,
	"/spec/memory":            `{"mode": "off", "stores": []}`,
	"/spec/runtime/subagents": `{"allow": []}`,
	"/spec/lifecycle":         `{"writeback": "propose", "on_start": [], "on_end": []}`,
}

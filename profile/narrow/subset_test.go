package narrow

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"
	"pgregory.net/rapid"
)

func TestSubset(t *testing.T) {
	for _, c := range []struct {
		name, base, contract string
		excess, odd          []string // pointer entry
	}{
		{"same", "{policy: allowlist, allow: [read, git/*]}", "{policy: allowlist, allow: [read, git/*]}", nil, nil},
		{"less", "{policy: allowlist, allow: [read, git/*]}", "{policy: allowlist, allow: [git/diff]}", nil, nil},
		{"more, each named", "{policy: allowlist, allow: [read]}", "{policy: allowlist, allow: [read, write, 'git/*']}",
			[]string{"/spec/tools/allow/1 write", "/spec/tools/allow/2 git/*"}, nil},
		{"inside a pattern", "{policy: allowlist, allow: ['mcp/x/*']}", "{policy: allowlist, allow: ['mcp/x/get_*']}", nil, nil},
		{"wider pattern", "{policy: allowlist, allow: ['mcp/x/*']}", "{policy: allowlist, allow: ['mcp/**']}", []string{"/spec/tools/allow/0 mcp/**"}, nil},
		{"deeper pattern", "{policy: allowlist, allow: ['mcp/*']}", "{policy: allowlist, allow: ['mcp/**']}", []string{"/spec/tools/allow/0 mcp/**"}, nil},
		{"everything", "{policy: allowlist, allow: ['mcp/x/*']}", "{policy: allowlist, allow: ['*']}", []string{"/spec/tools/allow/0 *"}, nil},
		{"letter case", "{policy: allowlist, allow: [read]}", "{policy: allowlist, allow: [Read]}", []string{"/spec/tools/allow/0 Read"}, nil},
		{"another dialect", "{policy: allowlist, allow: ['mcp/x/*']}", "{policy: allowlist, allow: ['mcp/x/[ab]*?']}", []string{"/spec/tools/allow/0 mcp/x/[ab]*?"}, nil},
		{"denied name", "{policy: allowlist, allow: ['git/*'], deny: [git/push]}", "{policy: allowlist, allow: [git/push], deny: [git/push]}", []string{"/spec/tools/allow/0 git/push"}, nil},
		{"denied by a pattern", "{policy: allowlist, allow: ['git/*'], deny: ['git/p*']}", "{policy: allowlist, allow: [git/push]}", []string{"/spec/tools/allow/0 git/push"}, nil},
		{"a pattern brings it back", "{policy: allowlist, allow: ['git/*'], deny: [git/push]}", "{policy: allowlist, allow: ['git/*']}", []string{"/spec/tools/allow/0 git/*"}, nil},
		{"a pattern with the denial", "{policy: allowlist, allow: ['git/*'], deny: [git/push]}", "{policy: allowlist, allow: ['git/*'], deny: [git/push]}", nil, nil},
		{"no bound", "{policy: denylist, deny: [rm]}", "{policy: allowlist, allow: [read]}", nil, []string{"/spec/tools/allow "}},
		{"no bound, denied", "{policy: denylist, deny: [rm]}", "{policy: allowlist, allow: [rm]}", []string{"/spec/tools/allow/0 rm"}, []string{"/spec/tools/allow "}},
		{"binding lost", "{policy: allowlist, allow: [db], bindings: [{name: db, permission: ask}]}", "{policy: allowlist, allow: [db], bindings: []}",
			[]string{"/spec/tools/bindings db"}, nil},
		{"binding raised", "{policy: allowlist, allow: [db], bindings: [{name: db, permission: ask}]}", "{policy: allowlist, allow: [db], bindings: [{name: db, permission: allow}]}",
			[]string{"/spec/tools/bindings/0/permission db"}, nil},
		{"binding lowered", "{policy: allowlist, allow: [db], bindings: [{name: db, permission: ask}]}", "{policy: allowlist, allow: [db], bindings: [{name: db, permission: deny}]}", nil, nil},
		{"binding kept", "{policy: allowlist, allow: [db], bindings: [{name: db, permission: ask}]}", "{policy: allowlist, allow: [db], bindings: [{name: db, permission: ask}]}", nil, nil},
		{"binding of no tool", "{policy: allowlist, allow: [db, x], bindings: []}", "{policy: allowlist, allow: [x], bindings: [{name: db, permission: ask}]}", nil, []string{"/spec/tools/bindings/0 db"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			value := func(tools string) map[string]any {
				var v map[string]any
				if err := yaml.Unmarshal([]byte("tools: "+tools), &v); err != nil {
					t.Fatal(err)
				}
				return v
			}
			flat := func(list []Excess) (out []string) {
				for _, e := range list {
					out = append(out, e.Pointer+" "+e.Entry)
					if e.Reason == "" {
						t.Errorf("no reason: %+v", e)
					}
				}
				return out
			}
			excess, odd := Subset(value(c.base), value(c.contract))
			if d := cmp.Diff(c.excess, flat(excess)); d != "" {
				t.Errorf("excess (-want +got):\n%s", d)
			}
			if d := cmp.Diff(c.odd, flat(odd)); d != "" {
				t.Errorf("odd (-want +got):\n%s", d)
			}
		})
	}
}

// TestSubsetLaw: where nothing is in excess, no tool is granted that the base does not grant, with whatever
// lists the two have. The grants are those that decide calls.
func TestSubsetLaw(t *testing.T) {
	tools := []string{"a", "A", "a/b", "a/bc", "a/b/c", "b", "bc"}
	patterns := append([]string{"*", "**", "a*", "a/*", "a/**", "a/b*", "*c", "**/c", "b*", "a/b?"}, tools...)
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.SampledFrom(patterns), 0, 3)
		contract := func(label string) map[string]any {
			asAny := func(ps []string) []any {
				out := make([]any, len(ps))
				for i, p := range ps {
					out[i] = p
				}
				return out
			}
			c := map[string]any{"policy": "allowlist", "allow": asAny(list.Draw(t, label+" allow")), "deny": asAny(list.Draw(t, label+" deny"))}
			if name := rapid.SampledFrom(append([]string{""}, tools...)).Draw(t, label+" binding"); name != "" {
				word := rapid.SampledFrom([]string{"allow", "ask", "deny"}).Draw(t, label+" permission")
				c["bindings"] = []any{map[string]any{"name": name, "permission": word}}
			}
			return map[string]any{"tools": c}
		}
		base, own := contract("base"), contract("persona")
		if excess, _ := Subset(base, own); len(excess) > 0 {
			return
		}
		grant := func(spec map[string]any) func(string) (bool, string) {
			g, err := Grant(Input{Value: map[string]any{"spec": spec}}, "")
			if err != nil {
				t.Fatal(err)
			}
			return g
		}
		granted, backed := grant(own), grant(base)
		for _, tool := range tools {
			ok, line := granted(tool)
			if within, why := backed(tool); ok && !within {
				t.Fatalf("%s: %s; base: %s\n%s\n%s", tool, line, why, fmt.Sprint(own), fmt.Sprint(base))
			}
			if strings.TrimSpace(line) == "" {
				t.Fatalf("%s: no line says why", tool)
			}
		}
	})
}

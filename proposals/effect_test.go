package proposals

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func contractWith(tools, permissions map[string]any) map[string]any {
	return map[string]any{"metadata": map[string]any{"name": "x"}, "spec": map[string]any{"tools": tools, "permissions": permissions}}
}

func list(s ...string) []any { return anyTexts(s) }

func TestEffects(t *testing.T) {
	before := contractWith(map[string]any{"allow": list("read", "search"), "deny": list("sh*")}, map[string]any{"default": "deny", "shell": "deny"})
	after := contractWith(map[string]any{"allow": list("read", "search", "shell", "a, b"), "deny": list("sh*")}, map[string]any{"default": "allow", "shell": "deny"})
	got := map[string][2]string{}
	for _, e := range Effects(before, after) {
		got[e.What] = [2]string{e.Before, e.After}
	}
	want := map[string][2]string{
		"tools": {"read, search", `read, search, "a, b" (allowed, and denied all the same: shell)`},
		"shell": {"deny", "deny"}, "edit": {"deny", "allow"}, "network": {"deny", "allow"},
		"hosts": {"any that the network permission lets through", "any that the network permission lets through"},
		"read":  {"as the harness says", "as the harness says"}, "write": {"as the harness says", "as the harness says"},
		"memory": {"read_only", "read_only"}, "subagents": {"none", "none"}, "writeback": {"propose", "propose"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWidening(t *testing.T) {
	base := contractWith(map[string]any{"allow": list("read"), "deny": list("shell", "mcp/**")}, map[string]any{"default": "deny", "shell": "deny"})
	tests := []struct {
		name, why            string
		ours, theirs, merged map[string]any
		want                 []string
	}{
		{
			name: "two tools", why: "each was decided on",
			ours:   contractWith(map[string]any{"allow": list("read", "a"), "deny": list("shell", "mcp/**")}, map[string]any{"default": "deny", "shell": "deny"}),
			theirs: contractWith(map[string]any{"allow": list("read", "b"), "deny": list("shell", "mcp/**")}, map[string]any{"default": "deny", "shell": "deny"}),
			merged: contractWith(map[string]any{"allow": list("read", "a", "b"), "deny": list("shell", "mcp/**")}, map[string]any{"default": "deny", "shell": "deny"}),
		},
		{
			name: "denial lifted, name allowed", why: "neither side has the tool",
			ours:   contractWith(map[string]any{"allow": list("read"), "deny": list("shell")}, map[string]any{"default": "deny", "shell": "deny"}),
			theirs: contractWith(map[string]any{"allow": list("read", "mcp/x/y"), "deny": list("shell", "mcp/**")}, map[string]any{"default": "deny", "shell": "deny"}),
			merged: contractWith(map[string]any{"allow": list("read", "mcp/x/y"), "deny": list("shell")}, map[string]any{"default": "deny", "shell": "deny"}),
			want:   []string{"/spec/tools/allow"},
		},
		{
			name: "default widened, exception dropped", why: "shell becomes what the default says",
			ours:   contractWith(map[string]any{"allow": list("read"), "deny": list("shell", "mcp/**")}, map[string]any{"default": "allow", "shell": "deny"}),
			theirs: contractWith(map[string]any{"allow": list("read"), "deny": list("shell", "mcp/**")}, map[string]any{"default": "deny", "shell": "ask"}),
			merged: contractWith(map[string]any{"allow": list("read"), "deny": list("shell", "mcp/**")}, map[string]any{"default": "allow", "shell": "ask"}),
			want:   []string{"/spec/permissions/default"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, widening(base, tt.merged, tt.ours, tt.theirs)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.why, diff)
			}
		})
	}
}

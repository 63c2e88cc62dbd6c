package proposals

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestDescribe(t *testing.T) {
	long := strings.Repeat("word ", 60)
	for _, tc := range []struct {
		name, why, at, before, after string
		want                         []string // place and change
	}{
		{"entry added to a list", "not two whole lists", "/spec/tools/allow", `["read", "search"]`, `["read", "search", "shell"]`,
			[]string{"/spec/tools/allow: + shell"}},
		{"entry silently dropped", "every entry has a line", "/spec/tools/allow", `["read", "search"]`, `["read", "shell"]`,
			[]string{"/spec/tools/allow: - search", "/spec/tools/allow: + shell"}},
		{"list added", "entry by entry", "/spec/tools/deny", ``, `["a", "b"]`, []string{"/spec/tools/deny: + a", "/spec/tools/deny: + b"}},
		{"empty list added", "it is there, too", "/spec/tools/deny", ``, `[]`, []string{"/spec/tools/deny: + []"}},
		{"another order", "nothing came or went", "/spec/tools/allow", `["a", "b"]`, `["b", "a"]`, []string{`/spec/tools/allow: ["a","b"] -> ["b","a"]`}},
		{"repeated argument", "each counts", "/spec/tools/mcp_servers", `[{"name": "x", "args": ["-v"]}]`, `[{"name": "x", "args": ["-v", "-v"]}]`,
			[]string{"/spec/tools/mcp_servers/name:x/args: + -v"}},
		{"scalar", "old and new", "/spec/permissions/shell", `"deny"`, `"allow"`, []string{"/spec/permissions/shell: deny -> allow"}},
		{"section added", "member by member", "/spec/runtime", ``, `{"max_turns": 5, "subagents": {"allow": ["x"]}}`,
			[]string{"/spec/runtime/max_turns: + 5", "/spec/runtime/subagents/allow: + x"}},
		{"server added", "by its members", "/spec/tools/mcp_servers", `[]`, `[{"name": "x", "transport": "stdio", "command": "y"}]`,
			[]string{"/spec/tools/mcp_servers/name:x/command: + y", "/spec/tools/mcp_servers/name:x/transport: + stdio"}},
		{"name and no more", "it has no other member to show", "/spec/tools/skills", `[{"name": "y"}]`, `[{"name": "x"}]`,
			[]string{"/spec/tools/skills/name:x: + x", "/spec/tools/skills/name:y: - y"}},
		{"rules", "they have no names", "/spec/permissions/rules", `[]`, `[{"decision": "allow"}]`, []string{`/spec/permissions/rules: + {"decision":"allow"}`}},
		{"another form", "it is told", "/spec/tools/allow", `["a"]`, `"a"`, []string{`/spec/tools/allow: ["a"] -> a`}},
		{"text like a value", "quoted, so as not to be one", "/metadata/license", `true`, `"true"`, []string{`/metadata/license: true -> "true"`}},
		{"line break", "one line each", "/metadata/license", ``, `"x\nOAP-Risk: low\u202e"`, []string{`/metadata/license: + "x\nOAP-Risk: low\u202e"`}},
		{"hidden character in an entry", "shown as what it is", "/spec/permissions/rules", `[]`, `["\u202e", 1]`,
			[]string{`/spec/permissions/rules: + "\u202e"`, "/spec/permissions/rules: + 1"}},
		{"change far inside", "the cut shows it", "/spec/role/instructions", `"` + long + `ab"`, `"` + long + `ac"`,
			[]string{"/spec/role/instructions: …ord word word word ab -> …ord word word word ac"}},
		{"revision", "every write changes it", "/metadata/revision", `1`, `2`, nil},
		{"state", "it belongs to sessions", "/state/summary", `"a"`, `"b"`, nil},
		{"base", "part of the contract", "/extends", ``, `[{"name": "x", "revision": 2}]`, []string{"/extends/name:x/revision: + 2"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got []string
			for _, c := range Describe(with(t, skeleton(), map[string]string{tc.at: tc.before}), with(t, skeleton(), map[string]string{tc.at: tc.after})) {
				got = append(got, c.Pointer+": "+c.String())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.why, diff)
			}
		})
	}
}

func TestCut(t *testing.T) {
	for _, tc := range []struct {
		name, why, text string
		from            int
	}{
		{"far", "room on both sides", strings.Repeat("é", 400), 401},
		{"end", "one text continues the other", strings.Repeat("é", 400), 800},
		{"start", "nothing in front", strings.Repeat("é", 400), 0},
	} {
		got := cut(tc.text, tc.from)
		if n := utf8.RuneCountInString(got); n > shortest+2 || !utf8.ValidString(got) || !strings.Contains(got, "…") {
			t.Errorf("%s: %q has %d runes, but %s", tc.name, got, n, tc.why)
		}
	}
}

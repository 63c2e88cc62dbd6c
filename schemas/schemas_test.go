package schemas

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/open-agent-profile/oap/canonical"
)

// change sets the value at a pointer of a fresh maximal document; the value drop removes it.
func change(t testing.TB, schema, pointer string, value any) any {
	doc := maximal(t, schema)
	p, err := canonical.ParsePointer(pointer)
	if err != nil {
		t.Fatal(err)
	}
	if len(p) == 0 {
		return value
	}
	parent, ok := canonical.Get(doc, p[:len(p)-1])
	if !ok {
		t.Fatalf("no parent of %s", pointer)
	}
	last := p[len(p)-1]
	switch x := parent.(type) {
	case map[string]any:
		if x[last] = value; value == drop {
			delete(x, last)
		}
	case []any:
		i, ok := canonical.Index(last)
		if !ok || i >= len(x) {
			t.Fatalf("no entry %s", pointer)
		}
		x[i] = value
	}
	return doc
}

type removal struct{}

var drop any = removal{}

func TestMessages(t *testing.T) {
	many := make([]any, 9)
	for i := range many {
		many[i] = map[string]any{"name": "x"}
	}
	for _, tc := range []struct {
		name, schema, pointer string
		value                 any
		want                  Violation
	}{
		{"not a mapping", "profile", "", "x", Violation{"", "", "type", "must be a mapping, not text"}},
		{"null document", "profile", "", nil, Violation{"", "", "type", "must be a mapping, not null"}},
		{"foreign type", "profile", "/metadata/revision", 7, Violation{"/metadata/revision", "", "type", "not a value that JSON can hold"}},
		{"not a number", "profile", "/spec/model/parameters/seed", math.NaN(), Violation{"/spec/model/parameters/seed", "", "type", "not a value that JSON can hold"}},
		{"missing", "profile", "/spec/role/instructions", drop, Violation{"/spec/role", "", "required", `missing member "instructions"`}},
		{"unknown", "profile", "/spec/oops", true, Violation{"/spec/oops", "/spec", "additionalProperties", `unknown member "oops"`}},
		{"unknown at the top", "profile", "/a~1b", true, Violation{"/a~1b", "", "additionalProperties", `unknown member "a/b"`}},
		{"enum", "profile", "/spec/tools/policy", "allow-list", Violation{"/spec/tools/policy", "", "enum", `"allow-list" is not one of allowlist, denylist, inherit`}},
		{"enum, other type", "profile", "/spec/permissions/shell", true, Violation{"/spec/permissions/shell", "", "enum", "true is not one of allow, ask, deny"}},
		{"const", "profile", "/kind", "Agent", Violation{"/kind", "", "const", `"Agent" is not AgentProfile`}},
		{"pattern", "profile", "/oap", "2.0", Violation{"/oap", "", "pattern", `"2.0" is not a version of the form 1.N, such as 1.0`}},
		{"line feed at the end", "delta", "/target/digest", "sha256:" + strings.Repeat("0", 64) + "\n",
			Violation{"/target/digest", "", "pattern", `"sha256:` + strings.Repeat("0", 53) + `…" is not a digest of the form sha256: and 64 lower-case hexadecimal digits`}},
		{"control characters", "delta", "/operations/0/path", "/state\x1b[2J\u202e",
			Violation{"/operations/0/path", "", "pattern", `"/state\x1b[2J\u{202e}" is not a pointer into /state`}},
		{"number for text", "profile", "/metadata/license", 2.0, Violation{"/metadata/license", "", "type", "must be text, not the number 2"}},
		{"fraction", "profile", "/metadata/revision", 1.5, Violation{"/metadata/revision", "", "type", "must be a whole number, not the number 1.5"}},
		{"text for a switch", "profile", "/state/facts/0/pinned", "yes", Violation{"/state/facts/0/pinned", "", "type", "must be true or false, not text"}},
		{"empty", "profile", "/state/facts/0/text", "", Violation{"/state/facts/0/text", "", "minLength", "must not be empty"}},
		{"too long", "profile", "/metadata/license", strings.Repeat("é", 101), Violation{"/metadata/license", "", "maxLength", "has 101 characters, at most 100 allowed"}},
		{"too many", "profile", "/extends", many, Violation{"/extends", "", "maxItems", "has 9 entries, at most 8 allowed"}},
		{"too small", "profile", "/metadata/revision", 0.0, Violation{"/metadata/revision", "", "minimum", "must be at least 1, not 0"}},
		{"too big", "profile", "/spec/context/budget/max_state_bytes", 5000001.0,
			Violation{"/spec/context/budget/max_state_bytes", "", "maximum", "must be at most 5000000, not 5000001"}},
		{"nothing", "profile", "/spec/runtime/max_cost_usd", 0.0, Violation{"/spec/runtime/max_cost_usd", "", "exclusiveMinimum", "must be more than 0, not 0"}},
		{"time", "profile", "/metadata/updated_at", "yesterday", Violation{"/metadata/updated_at", "", "format", `"yesterday" is not an RFC 3339 time such as 2026-01-31T09:30:00Z`}},
		{"condition", "profile", "/spec/tools/mcp_servers/0/command", drop,
			Violation{"/spec/tools/mcp_servers/0", "", "required", `missing member "command" when transport is stdio`}},
		{"condition with alternatives", "delta", "/operations/0/value", drop,
			Violation{"/operations/0", "", "required", `missing member "value" when op is add or replace`}},
		{"forbidden", "delta", "/operations/2/value", nil,
			Violation{"/operations/2/value", "/operations/2", "not", `member "value" is not allowed when op is remove`}},
		{"text that may be a credential", "profile", "/spec/tools/mcp_servers/0/env/A_TOKEN", "hunter2",
			Violation{"/spec/tools/mcp_servers/0/env/A_TOKEN", "", "pattern", "the value is not a reference to an environment variable such as ${API_TOKEN}"}},
		{"number that may be a credential", "profile", "/spec/tools/mcp_servers/0/env/A_TOKEN", 1234.0,
			Violation{"/spec/tools/mcp_servers/0/env/A_TOKEN", "", "type", "must be text, not a number"}},
		{"text that looks like a credential", "profile", "/spec/permissions/shell", "gh" + "p_abcdefghij0123456789",
			Violation{"/spec/permissions/shell", "", "enum", "a text that looks like a credential (GitHub token) is not one of allow, ask, deny"}},
		{"name that looks like a credential", "profile", "/spec/gh" + "p_abcdefghij0123456789", "x",
			Violation{"/spec", "/spec", "additionalProperties", "unknown member a text that looks like a credential (GitHub token)"}},
		{"below a name that looks like a credential", "profile", "/metadata/annotations/gh" + "p_abcdefghij0123456789", 1.0,
			Violation{"/metadata/annotations", "", "type", "must be text, not the number 1"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := Validate(tc.schema, change(t, tc.schema, tc.pointer, tc.value))
			if diff := cmp.Diff([]Violation{tc.want}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestOrderOfViolations(t *testing.T) {
	facts := make([]any, 12)
	for i := range facts {
		facts[i] = map[string]any{"text": "x", "b": 1.0, "a": 1.0}
	}
	got := Profile(map[string]any{"oap": "1.0", "kind": "AgentProfile", "spec": nil, "zz": 1.0, "state": map[string]any{"facts": facts}})
	var pointers []string
	for _, v := range got {
		pointers = append(pointers, v.Pointer)
	}
	want := []string{"", "/spec"}
	for i := range facts {
		at := canonical.Pointer{"state", "facts", string(rune('0' + i))}
		if i > 9 {
			at[2] = "1" + string(rune('0'+i-10))
		}
		want = append(want, at.String(), at.String()+"/a", at.String()+"/b")
	}
	want = append(want, "/zz")
	if diff := cmp.Diff(want, pointers); diff != "" {
		t.Errorf("parents first, entries by number (-want +got):\n%s", diff)
	}
}

func TestHostileValues(t *testing.T) {
	wide := map[string]any{}
	for i := range 5000 {
		wide[strings.Repeat("k", i%7)+string(rune('a'+i%26))+strings.Repeat("x", i/182)] = nil
	}
	if got := Profile(wide); len(got) != MaxViolations {
		t.Errorf("%d violations, want no more than %d", len(got), MaxViolations)
	}
	var deep any = 1.0
	for range 100_000 {
		deep = []any{deep}
	}
	circle := map[string]any{}
	circle["spec"] = circle
	for _, v := range []any{deep, circle, map[string]any{"state": deep}, []string{"x"}, map[string]any(nil), []any(nil)} {
		if Profile(v) == nil || Delta(v) == nil {
			t.Errorf("a %T passes", v)
		}
	}
	if got := Validate("nonsense", nil); len(got) != 1 {
		t.Errorf("an unknown schema gives %v", got)
	}
}

func TestOrder(t *testing.T) {
	for _, tc := range []struct {
		name, pointer string
		want          []string
	}{
		{"top", "", []string{"oap", "kind", "extends", "metadata", "spec", "state", "history"}},
		{"definition", "/state/metrics", []string{"sessions", "last_session_at", "total_tool_calls", "total_cost_usd"}},
		{"entry by number", "/state/glossary/3", []string{"term", "definition", "source"}},
		{"entry by id", "/state/glossary/id:x", []string{"term", "definition", "source"}},
		{"entry to add", "/spec/model/fallbacks/-", []string{"provider", "id"}},
		{"list", "/state/facts", nil},
		{"open mapping", "/metadata/annotations", nil},
		{"scalar", "/metadata/name", nil},
		{"unknown", "/spec/oops/x", nil},
		{"below a scalar", "/metadata/name/x/y", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, err := canonical.ParsePointer(tc.pointer)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, Order(p)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	Order(nil)[0] = "changed"
	if Order(nil)[0] != "oap" {
		t.Error("a caller can change the schema")
	}
	if got := OrderIn("delta", canonical.Pointer{"operations", "0"}); len(got) != 5 || got[0] != "op" {
		t.Errorf("order of an operation: %v", got)
	}
	if OrderIn("nonsense", nil) != nil {
		t.Error("an unknown schema has an order")
	}
}

func TestStripNulls(t *testing.T) {
	type m = map[string]any
	in := m{"a": nil, "b": m{"c": nil, "d": 1.0}, "e": []any{nil, m{"f": nil}}, "g": m{"h": nil}}
	before := canonical.Clone(in)
	want := m{"b": m{"d": 1.0}, "e": []any{nil, m{"f": nil}}, "g": m{}}
	if diff := cmp.Diff(any(want), StripNulls(in)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, any(in)); diff != "" {
		t.Errorf("the argument changed:\n%s", diff)
	}
	if StripNulls(nil) != nil || StripNulls("x") != "x" {
		t.Error("what is no mapping stays")
	}
}

func TestSource(t *testing.T) {
	a, ok := Source("profile")
	if !ok {
		t.Fatal("no profile schema")
	}
	a[0] = 'x'
	if b, _ := Source("profile"); b[0] != '{' {
		t.Error("a caller can change the embedded text")
	}
	if _, ok := Source("nonsense"); ok {
		t.Error("a schema that is not there has a source")
	}
}

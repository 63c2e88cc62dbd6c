package proposals

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/schemas"
)

// parse reads a JSON text that a test wrote.
func parse(t testing.TB, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// skeleton is a valid profile that states as little as it can.
func skeleton() map[string]any {
	return map[string]any{
		"oap": "1.0", "kind": "AgentProfile",
		"metadata": map[string]any{"name": "a", "description": "an agent for tests"},
		"spec":     map[string]any{"role": map[string]any{"instructions": "Do it."}},
	}
}

// with sets members on a copy of a document; an empty text removes one. Parents are made.
func with(t testing.TB, doc map[string]any, members map[string]string) map[string]any {
	t.Helper()
	doc = canonical.Clone(doc).(map[string]any)
	for at, text := range members {
		p, err := canonical.ParsePointer(at)
		if err != nil {
			t.Fatal(err)
		}
		m := doc
		for _, token := range p[:len(p)-1] {
			next, ok := m[token].(map[string]any)
			if !ok {
				next = map[string]any{}
				m[token] = next
			}
			m = next
		}
		if last := p[len(p)-1]; text == "" {
			delete(m, last)
		} else {
			m[last] = parse(t, text)
		}
	}
	return doc
}

// schemaMembers lists every place of the contract that the schema declares, entries of lists as "name:x".
func schemaMembers(at canonical.Pointer) []string {
	var out []string
	for _, name := range schemas.Order(at) {
		p := at.Append(name)
		out = append(out, p.String())
		out = append(out, schemaMembers(p)...)
		out = append(out, schemaMembers(p.Append("name:x"))...)
	}
	return out
}

func contractMembers() []string {
	return slices.Concat(schemaMembers(canonical.Pointer{"metadata"}), schemaMembers(canonical.Pointer{"spec"}))
}

func TestRateTable(t *testing.T) {
	names := map[string]bool{}
	for _, tc := range rateTable {
		name := tc.at + " " + tc.name
		if names[name] {
			t.Errorf("two rows are called %q", name)
		}
		names[name] = true
		t.Run(strings.ReplaceAll(name, "/", "."), func(t *testing.T) {
			doc := skeleton()
			if tc.beside != nil {
				doc = with(t, doc, tc.beside)
			}
			before := with(t, doc, map[string]string{tc.at: tc.before})
			after := with(t, doc, map[string]string{tc.at: tc.after})
			got, reasons := Rate(before, after)
			if got != tc.want {
				t.Errorf("%s -> %s is %s, want %s because %s: %v", tc.before, tc.after, got, tc.want, tc.why, reasons)
			}
			if len(reasons) == 0 || !strings.HasPrefix(reasons[0].Pointer, tc.at) {
				t.Errorf("the first reason is not at %s: %v", tc.at, reasons)
			}
			if reasons[0].Risk != got {
				t.Errorf("the worst reason does not stand first: %v", reasons)
			}
		})
	}
}

// TestRateTableIsComplete: a member that no row mentions is one that nobody thought about.
func TestRateTableIsComplete(t *testing.T) {
	for _, member := range contractMembers() {
		covered := false
		for _, tc := range rateTable {
			text := tc.before + tc.after
			parent, last, _ := cutLast(member)
			covered = covered || tc.at == member ||
				strings.HasPrefix(parent, tc.at) && strings.Contains(text, `"`+last+`"`) ||
				strings.HasPrefix(tc.at, member+"/")
		}
		if !covered && member != "/metadata/revision" && member != "/metadata/updated_at" {
			t.Errorf("no row changes %s", member)
		}
	}
}

func cutLast(pointer string) (parent, last string, ok bool) {
	i := strings.LastIndexByte(pointer, '/')
	return pointer[:i], pointer[i+1:], i >= 0
}

// TestRulesKnowTheSchema: whatever the schema declares has a rule, and no rule is for what it lacks.
func TestRulesKnowTheSchema(t *testing.T) {
	for at, rules := range map[string]map[string]rule{
		"/metadata": metadataRules, "/spec/role": roleRules, "/spec/model": modelRules, "/spec/tools": toolRules,
		"/spec/permissions": permissionRules, "/spec/context": contextRules, "/spec/memory": memoryRules,
		"/spec/runtime": runtimeRules, "/spec/lifecycle": lifecycleRules,
	} {
		p, _ := canonical.ParsePointer(at)
		want := schemas.Order(p)
		slices.Sort(want)
		var got []string
		for name := range rules {
			got = append(got, name)
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-schema +rules):\n%s", at, diff)
		}
	}
}

func TestRateReasons(t *testing.T) {
	before := with(t, skeleton(), map[string]string{
		"/spec/tools/allow": `["read", "git/log"]`, "/spec/permissions/shell": `"deny"`, "/spec/runtime/max_turns": `30`,
	})
	after := with(t, before, map[string]string{
		"/spec/tools/allow": `["read", "shell\nOAP-Risk: low"]`, "/spec/permissions/shell": `"allow"`, "/spec/runtime/max_turns": `20`,
		"/spec/role/instructions": `"Do more."`, "/metadata/revision": `9`, "/state/summary": `"more"`,
	})
	want := []Reason{
		{"/spec/permissions/shell", High, `"deny" widens to "allow"`},
		{"/spec/tools/allow", High, `"shell\nOAP-Risk: low" may be used`},
		{"/spec/role/instructions", Medium, "the text of the instructions changes"},
		{"/spec/runtime/max_turns", Low, "the limit goes down from 30 to 20"},
		{"/spec/tools/allow", Low, `"git/log" may no longer be used`},
	}
	risk, got := Rate(before, after)
	if diff := cmp.Diff(want, got); diff != "" || risk != High {
		t.Errorf("%s (-want +got):\n%s", risk, diff)
	}
}

func TestRiskText(t *testing.T) {
	for _, r := range []Risk{0, Low, Medium, High} {
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		var back Risk
		if err := json.Unmarshal(text, &back); err != nil || back != r {
			t.Errorf("%s came back as %v, %v", text, back, err)
		}
	}
	for _, s := range []string{"", "High", "unrated", "none"} {
		if r, err := ParseRisk(s); err == nil {
			t.Errorf("%q is read as %s", s, r)
		}
	}
}

func TestRaise(t *testing.T) {
	for _, tc := range []struct {
		name, why                string
		computed, declared, want Risk
	}{
		{"claims less", "a claim never lowers", High, Low, High},
		{"claims more", "whoever asks may know better", Low, High, High},
		{"claims nothing", "no claim is no grade", Medium, 0, Medium},
		{"claims a grade of its own", "there is none above high", Medium, 200, High},
	} {
		if got := Raise(tc.computed, tc.declared); got != tc.want {
			t.Errorf("%s: got %s, want %s because %s", tc.name, got, tc.want, tc.why)
		}
	}
}

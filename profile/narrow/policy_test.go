package narrow

import (
	"bytes"
	"errors"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/profile/resolve"
)

func TestStarterPolicy(t *testing.T) {
	p, err := ParsePolicy("policy.yaml", StarterPolicy())
	if err != nil {
		t.Fatal(err)
	}
	e := must(t, user(t, "scout", "tools: {allow: [read, shell]}\npermissions: {default: allow}\n"), p, Options{})
	for tool, want := range map[string]Decision{"read": Ask, "shell": Deny} {
		if v := e.Decide(tool, tool, "src/a"); v.Decision != want {
			t.Errorf("%s: %+v", tool, v)
		}
	}
	page, err := os.ReadFile("../../docs/policy.md")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(page, append(append([]byte("```yaml\n"), StarterPolicy()...), "```\n"...)) {
		t.Error("docs/policy.md does not hold the policy that is written for people to begin with")
	}
}

func TestParsePolicyRefuses(t *testing.T) {
	for _, tt := range []struct {
		name, why, text string
		want            []string
	}{
		{"unknown member", "it would be ignored", "tool: {}\n", []string{"/tool"}},
		{"misspelt decision", "it would be read as something", "permissions: {shell: no}\n", []string{"/permissions/shell"}},
		{"other dialect", "it would deny nothing", "tools: {deny: [\"mcp/[\"]}\n", []string{"/tools/deny/0"}},
		{"other dialect for some", "it would deny nothing", "trust: {project: {tools: {deny: [\"a?\"]}}}\npermissions: {rules: [{tool: \"{a,b}\", decision: deny}]}\n",
			[]string{"/trust/project/tools/deny/0", "/permissions/rules/0/tool"}},
		{"too many wildcards", "it would grant nothing", "tools: {allow: [\"a*b*c*d*e*f*g*h*i*j\"]}\n", []string{"/tools/allow/0"}},
		{"no model", "there is no id in it", "model: {default: big}\n", []string{"/model/default"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ParsePolicy("policy.yaml", []byte("oap: \"1.0\"\nkind: LocalPolicy\n"+tt.text))
			var invalid *profile.InvalidError
			if !errors.As(err, &invalid) {
				t.Fatalf("%s: %v", tt.why, err)
			}
			var got []string
			for _, f := range invalid.Findings {
				got = append(got, f.Pointer)
				if f.Line < 3 {
					t.Errorf("no position: %+v", f)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	for _, text := range []string{"kind: LocalPolicy\n", "oap: \"1.0\"\nkind: AgentProfile\n", "oap: \"2.0\"\nkind: LocalPolicy\n", "- x\n", "oap: [\n"} {
		if _, err := ParsePolicy("policy.yaml", []byte(text)); err == nil {
			t.Errorf("%q is taken for a policy", text)
		}
	}
}

// What is not valid is the business of others; here it must end stricter, and without a panic.
func TestNarrowOfInvalidValues(t *testing.T) {
	odd := []any{nil, "x", 7.0, true, []any{nil, 1.0, map[string]any{}}, map[string]any{"allow": "x", "deny": 7.0, "tools": []any{}, "rules": []any{nil, "x"}, "mode": 3.0}}
	for _, member := range append([]string{"role"}, limiting...) {
		for _, v := range odd {
			spec := map[string]any{member: v}
			e := must(t, Input{Value: map[string]any{"spec": spec}, Bases: []Contract{{"b", map[string]any{"spec": spec}}}}, nil, Options{})
			for _, tool := range universe {
				if d := e.Decide(tool, "", ""); d.Decision != Deny {
					t.Errorf("%s %v: %s is %+v", member, v, tool, d)
				}
			}
		}
	}
	for _, spec := range []string{
		`{"tools":{"allow":["x"],"deny":"x"}}`, `{"tools":{"allow":["x"],"deny":[7]}}`, `{"tools":{"allow":["x"]},"permissions":{"default":"yes"}}`,
		`{"tools":{"allow":["x"],"bindings":[{"name":"x","permission":1}]},"permissions":{"default":"allow"}}`,
		`{"tools":{"allow":["x"]},"permissions":{"default":"allow","rules":[{"tool":7,"decision":"allow"}]}}`,
		`{"tools":{"allow":["x"],"policy":"all"},"permissions":{"default":"allow","rules":["x"]}}`,
		`{"tools":{"allow":["mcp/s/x"],"mcp_servers":[{"name":"s","tools":7}]},"permissions":{"default":"allow"}}`,
	} {
		d, err := profile.Parse("x.json", []byte(`{"spec":`+spec+`}`))
		if err != nil {
			t.Fatal(err)
		}
		e := must(t, Input{Value: d.Value, Trust: resolve.User}, nil, Options{})
		for _, tool := range []string{"x", "mcp/s/x"} {
			if v := e.Decide(tool, "a", "b"); v.Decision != Deny {
				t.Errorf("%s: %s is %+v", spec, tool, v)
			}
		}
	}
	if v := (&Effective{}).Decide("x", "", ""); v.Decision != Deny {
		t.Errorf("nothing grants it, and it is %+v", v)
	}
}

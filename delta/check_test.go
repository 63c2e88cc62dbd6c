package delta

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/open-agent-profile/oap/canonical"
)

// conformance: L2-A2
func TestCheckOperations(t *testing.T) {
	set := func(path string) Operation { return Operation{Op: "replace", Path: path, Value: 1.0, HasValue: true} }
	tests := []struct {
		name, why string
		op        Operation
		rule, at  string
	}{
		{"a field", "ordinary", set("/state/summary"), "", ""},
		{"all of state", "the two owned fields stay as they are", set("/state"), "", ""},
		{"metrics", "counters are a session's to report", set("/state/metrics/sessions"), "", ""},
		{"owned word deeper", "only the state's own fields are owned", set("/state/open_threads/id:x/updated_at"), "", ""},
		{"contract", "promise 1", set("/spec/permissions/shell"), RuleScope, "/path"},
		{"metadata", "promise 1", set("/metadata/description"), RuleScope, "/path"},
		{"history", "belongs to the applicator", set("/history/-"), RuleScope, "/path"},
		{"document", "the empty pointer is everything", set(""), RuleScope, "/path"},
		{"prefix only", "another member", set("/stateX"), RuleScope, "/path"},
		{"escaped slash", "one member called state/..", set("/state~1../spec"), RuleScope, "/path"},
		{"dots", "not a file system", set("/state/../spec"), RulePointer, "/path"},
		{"empty part", "some readers drop it", set("/state/"), RulePointer, "/path"},
		{"empty part inside", "likewise", set("/state//summary"), RulePointer, "/path"},
		{"bad escape", "RFC 6901 §3", set("/state/~2"), RulePointer, "/path"},
		{"no slash", "RFC 6901 §3", set("state/summary"), RulePointer, "/path"},
		{"revision", "the applicator's", set("/state/revision"), RuleOwned, "/path"},
		{"updated_at", "the applicator's", Operation{Op: "remove", Path: "/state/updated_at"}, RuleOwned, "/path"},
		{"below an owned field", "the applicator's", set("/state/revision/x"), RuleOwned, "/path"},
		{"reserved", "not in 1.0", Operation{Op: "move", Path: "/state/summary"}, RuleOp, "/op"},
		{"unknown op", "not in 1.0", Operation{Op: "increment", Path: "/state/summary", HasValue: true}, RuleOp, "/op"},
		{"no value", "nothing to set", Operation{Op: "add", Path: "/state/summary"}, RuleValue, "/value"},
		{"null value", "a value", Operation{Op: "add", Path: "/state/summary", HasValue: true}, "", ""},
		{"remove with value", "what would it mean", Operation{Op: "remove", Path: "/state/facts/0", HasValue: true}, RuleValue, "/value"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Check(&Delta{Operations: []Operation{tt.op}})
			if tt.rule == "" {
				if len(got) > 0 {
					t.Errorf("got %v, want none (%s)", got, tt.why)
				}
				return
			}
			if len(got) != 1 || got[0].Rule != tt.rule || got[0].Pointer != "/operations/0"+tt.at || got[0].Severity != SeverityError {
				t.Errorf("got %+v, want %s at %s (%s)", got, tt.rule, tt.at, tt.why)
			}
			if _, err := Apply(inState(t, ``), []Operation{tt.op}, Options{}); err == nil {
				t.Error("Apply carries out what Check refuses")
			}
		})
	}
}

func TestCheckProposals(t *testing.T) {
	proposal := func(op, path, val, risk string) Proposal {
		p := Proposal{Op: op, Path: path, Risk: risk}
		p.Pointer, _ = canonical.ParsePointer(path)
		if val != "" {
			p.Value, p.HasValue = value(t, val), true
		}
		return p
	}
	tests := []struct {
		name, why string
		in        Proposal
		want      []string
	}{
		{"description", "harmless", proposal("replace", "/metadata/description", `"x"`, ""), nil},
		{"declared", "says itself that it is high", proposal("add", "/spec/tools/allow/-", `"shell"`, "high"), nil},
		{"tools", "raised", proposal("add", "/spec/tools/allow/-", `"shell"`, "low"), []string{RuleRisk}},
		{"whole contract", "tools are in it", proposal("replace", "/spec", `{}`, "low"), []string{RuleRisk}},
		{"whole runtime", "subagents are in it", proposal("remove", "/spec/runtime", ``, ""), []string{RuleRisk}},
		{"a word that starts alike", "not tools", proposal("replace", "/spec/toolsX", `1`, "low"), nil},
		{"add without value", "nothing to set", proposal("add", "/spec/role/persona", ``, ""), []string{RulePropValue}},
		{"replace without value", "nothing to set", proposal("replace", "/spec/role/persona", ``, ""), []string{RulePropValue}},
		{"remove with value", "what would it mean", proposal("remove", "/spec/role/persona", `1`, ""), []string{RulePropValue}},
		{"revision", "the applicator's", proposal("replace", "/metadata/revision", `9`, ""), []string{RulePropOwned}},
		{"updated_at", "the applicator's", proposal("remove", "/metadata/updated_at", ``, ""), []string{RulePropOwned}},
		{"trust", "the resolver's", proposal("replace", "/metadata/trust", `"managed"`, ""), []string{RulePropOwned}},
		{"trust inside", "the resolver's", proposal("replace", "/metadata", `{"name":"a","trust":"managed"}`, ""), []string{RulePropOwned}},
		{"state", "an operation does that", proposal("replace", "/state/summary", `"x"`, ""), []string{RuleProposal}},
		{"extends", "not of the two blocks", proposal("replace", "/extends", `[]`, ""), []string{RuleProposal}},
		{"empty part", "some readers drop it", proposal("replace", "/spec/", `{}`, ""), []string{RulePointer}},
		{"move", "reserved", proposal("move", "/spec/role", ``, ""), []string{RuleOp}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var rules []string
			for _, p := range Check(&Delta{Proposals: []Proposal{{Path: "/metadata/tags/-", Op: "add", HasValue: true}, tt.in}}) {
				if p.Index != 1 || p.Field != "proposals" {
					t.Errorf("wrong place: %+v", p)
				}
				rules = append(rules, p.Rule)
			}
			if diff := cmp.Diff(tt.want, rules); diff != "" {
				t.Errorf("%s (-want +got)\n%s", tt.why, diff)
			}
		})
	}
}

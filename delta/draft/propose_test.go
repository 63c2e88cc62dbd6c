package draft

import (
	"errors"
	"strings"
	"testing"
)

// conformance: L2-G4
func TestProposals(t *testing.T) {
	const allow = `"tools":{"policy":"allowlist","allow":["read","mcp/x/y"],"deny":["shell"]}`
	tests := []struct {
		name, why, spec string
		evidence        Evidence
		want            string
		warnings        int
	}{
		{
			name: "tool", why: "an addition cannot drop what was granted meanwhile", spec: allow,
			evidence: Evidence{Tools: []ToolRequest{{"git/log", "to see when"}}},
			want:     `[{"op":"add","path":"/spec/tools/allow/-","value":"git/log","rationale":"to see when","risk":"high"}]`,
		},
		{
			name: "tool twice", why: "one wish with both reasons, the same reason once", spec: allow,
			evidence: Evidence{Tools: []ToolRequest{{"git/log", "a"}, {"git/log", "b"}, {" git/log", "a"}}},
			want:     `[{"op":"add","path":"/spec/tools/allow/-","value":"git/log","rationale":"a\n\nb","risk":"high"}]`,
		},
		{
			name: "denied tool", why: "asking is possible, granting alone does not help", spec: allow,
			evidence: Evidence{Tools: []ToolRequest{{"shell", "tests"}}},
			want:     `[{"op":"add","path":"/spec/tools/allow/-","value":"shell","rationale":"tests","risk":"high"}]`, warnings: 1,
		},
		{
			name: "granted tool among others", why: "only what is new is asked for", spec: allow,
			evidence: Evidence{Tools: []ToolRequest{{"read", "r"}, {"write", "w"}}},
			want:     `[{"op":"add","path":"/spec/tools/allow/-","value":"write","rationale":"w","risk":"high"}]`, warnings: 1,
		},
		{
			name: "no list", why: "there is nothing to add to", spec: `"tools":{"policy":"denylist"}`,
			evidence: Evidence{Tools: []ToolRequest{{"write", "w"}}},
			want:     `[{"op":"add","path":"/spec/tools/allow","value":["write"],"rationale":"w","risk":"high"}]`, warnings: 1,
		},
		{
			name: "no tools", why: "the policy is said, not left to a default",
			evidence: Evidence{Tools: []ToolRequest{{"write", "w"}}},
			want:     `[{"op":"add","path":"/spec/tools","value":{"policy":"allowlist","allow":["write"]},"rationale":"w","risk":"high"}]`,
		},
		{
			name: "wish about what is there", why: "the operation is worked out",
			evidence: Evidence{Proposals: []Wish{{Path: "/spec/role/instructions", Value: "y", Rationale: "r", Risk: "medium"}}},
			want:     `[{"op":"replace","path":"/spec/role/instructions","value":"y","rationale":"r","risk":"medium"}]`,
		},
		{
			name: "wish about what is not there", why: "likewise; no risk is claimed where none is forced",
			evidence: Evidence{Proposals: []Wish{{Path: "/spec/role/constraints", Value: []any{"z"}, Rationale: "r"}}},
			want:     `[{"op":"add","path":"/spec/role/constraints","value":["z"],"rationale":"r"}]`,
		},
		{
			name: "removal", why: "it has no value", spec: `"model":{"tier":"minimal"}`,
			evidence: Evidence{Proposals: []Wish{{Op: "remove", Path: "/spec/model", Value: "ignored", Rationale: "r"}}},
			want:     `[{"op":"remove","path":"/spec/model","rationale":"r"}]`,
		},
		{
			name: "wish and request for one tool", why: "they are the same wish", spec: allow,
			evidence: Evidence{Proposals: []Wish{{Op: "add", Path: "/spec/tools/allow/-", Value: "write", Rationale: "r"}}, Tools: []ToolRequest{{"write", "w"}}},
			want:     `[{"op":"add","path":"/spec/tools/allow/-","value":"write","rationale":"r\n\nw","risk":"high"}]`,
		},
		{
			name: "equal wishes of two risks", why: "the higher counts",
			evidence: Evidence{Proposals: []Wish{{Path: "/spec/model", Value: 1.0, Rationale: "r", Risk: "medium"}, {Path: "/spec/model", Value: 1.0, Rationale: "r", Risk: "low"}}},
			want:     `[{"op":"add","path":"/spec/model","value":1,"rationale":"r","risk":"medium"}]`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := profileOf(t, "", tt.spec)
			tt.evidence.Session = sess
			got, warnings, err := New(p, "", tt.evidence, clock)
			if err != nil {
				t.Fatalf("%v; %s", err, tt.why)
			}
			equal(t, list(t, tt.want), got["proposals"])
			if len(warnings) != tt.warnings {
				t.Errorf("warnings: %+v", warnings)
			}
			carry(t, p, got)
		})
	}
}

func TestProposalsOfAChild(t *testing.T) {
	p := profileOf(t, "", "")
	p["extends"] = []any{map[string]any{"name": "base"}}
	_, warnings, err := New(p, "", Evidence{Tools: []ToolRequest{{"write", "w"}}, Session: sess}, clock)
	if err != nil || len(warnings) != 1 {
		t.Errorf("the list of the base would go without a word: %v %v", err, warnings)
	}
}

func TestProposalRefusals(t *testing.T) {
	wish := func(w Wish) Evidence {
		if w.Rationale == "" {
			w.Rationale = "r"
		}
		return Evidence{Proposals: []Wish{w}}
	}
	tool := func(name, why string) Evidence { return Evidence{Tools: []ToolRequest{{name, why}}} }
	tests := []struct {
		name, why string
		evidence  Evidence
		nothing   bool
	}{
		{name: "state", why: "sessions write it themselves", evidence: wish(Wish{Path: "/state/summary", Value: "x"})},
		{name: "looks like spec", why: "whole tokens count", evidence: wish(Wish{Path: "/specs", Value: "x"})},
		{name: "no pointer", why: "RFC 6901", evidence: wish(Wish{Path: "/spec/~2", Value: "x"})},
		{name: "empty token", why: "some reader drops it", evidence: wish(Wish{Path: "/spec/", Value: "x"})},
		{name: "revision", why: "the applicator's", evidence: wish(Wish{Path: "/metadata/revision", Value: 9.0})},
		{name: "operation", why: "reserved", evidence: wish(Wish{Op: "move", Path: "/spec/model", Value: 9.0})},
		{name: "risk", why: "the schema", evidence: wish(Wish{Path: "/spec/model", Value: 9.0, Risk: "none"})},
		{name: "value", why: "no JSON value", evidence: wish(Wish{Path: "/spec/model", Value: 9})},
		{name: "value with an escape", why: "people read it", evidence: wish(Wish{Path: "/spec/model", Value: map[string]any{"a": []any{"\x1b"}}})},
		{name: "path too long", why: "500", evidence: wish(Wish{Path: "/spec/" + strings.Repeat("a", 495), Value: "x"})},
		{name: "rationale too long", why: "2000", evidence: wish(Wish{Path: "/spec/model", Value: "x", Rationale: strings.Repeat("a", 2001)})},
		{name: "joined rationale too long", why: "2000 together", evidence: Evidence{Tools: []ToolRequest{
			{"a", strings.Repeat("a", 1500)}, {"a", strings.Repeat("b", 1500)}}}},
		{name: "no rationale", why: "a person decides by it", evidence: tool("git", " ")},
		{name: "no tool", why: "nothing to ask for", evidence: tool("", "r")},
		{name: "tool too long", why: "120", evidence: tool(strings.Repeat("a", 121), "r")},
		{name: "as it is", why: "nothing would change", evidence: wish(Wish{Path: "/spec/role/instructions", Value: "x"}), nothing: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.evidence.Session = sess
			_, warnings, err := New(profileOf(t, "", ""), "", tt.evidence, clock)
			var input *InputError
			if tt.nothing && (!errors.Is(err, ErrNothing) || len(warnings) != 1) || !tt.nothing && !errors.As(err, &input) {
				t.Errorf("got %v %v; %s", err, warnings, tt.why)
			}
		})
	}
}

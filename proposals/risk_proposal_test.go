package proposals

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/delta"
	"github.com/open-agent-profile/oap/profile"
)

// wish writes a proposal; an empty text is no value.
func wish(t testing.TB, op, path, value string) delta.Proposal {
	t.Helper()
	p := delta.Proposal{Op: op, Path: path, Rationale: "why", HasValue: value != ""}
	if p.HasValue {
		p.Value = parse(t, value)
	}
	return p
}

// subject is a profile with something at every kind of place.
func subject(t testing.TB) map[string]any {
	return with(t, skeleton(), map[string]string{
		"/metadata/revision": `7`, "/metadata/updated_at": `"2026-01-01T00:00:00Z"`, "/metadata/tags": `["x"]`,
		"/spec/tools/allow":        `["read", "search"]`,
		"/spec/tools/mcp_servers":  `[{"name": "one", "transport": "http", "url": "https://x", "tools": {"allow": ["a"]}}]`,
		"/spec/lifecycle":          `{"writeback": "propose"}`,
		"/spec/runtime":            `{"max_turns": 10, "subagents": {"allow": [], "max_depth": 1}}`,
		"/spec/role/constraints":   `["Never push."]`,
		"/spec/permissions":        `{"shell": "deny"}`,
		"/spec/context/variables":  `{"TEAM": "a"}`,
		"/state/facts":             `[{"id": "f", "text": "t"}]`,
		"/metadata/annotations":    `{"x.org/a": "1"}`,
		"/spec/model/fallbacks":    `[]`,
		"/spec/lifecycle/on_start": `[]`,
	})
}

func TestRateProposal(t *testing.T) {
	for _, tc := range []struct {
		name, why       string
		op, path, value string
		at, want        string // one place of the result
		risk            Risk
	}{
		{"tool appended", "a tool more", "add", "/spec/tools/allow/-", `"shell"`, "/spec/tools/allow", `["read", "search", "shell"]`, High},
		{"tool inserted", "RFC 6902 §4.1", "add", "/spec/tools/allow/0", `"shell"`, "/spec/tools/allow", `["shell", "read", "search"]`, High},
		{"tool that is there", "nothing is left to ask for", "add", "/spec/tools/allow/-", `"read"`, "/spec/tools/allow", `["read", "search"]`, Low},
		{"tool removed", "pure narrowing, although the place is a guarded one", "remove", "/spec/tools/allow/1", ``, "/spec/tools/allow", `["read"]`, Low},
		{"list replaced", "a tool more", "replace", "/spec/tools/allow", `["read", "search", "shell"]`, "/spec/tools/allow", `["read", "search", "shell"]`, High},
		{"tool of a server", "servers go by name", "add", "/spec/tools/mcp_servers/name:one/tools/allow/-", `"b"`, "/spec/tools/mcp_servers/0/tools/allow", `["a", "b"]`, High},
		{"all of spec", "the limits that it lacks are gone", "replace", "/spec", `{"role": {"instructions": "Do it."}}`, "/spec", `{"role": {"instructions": "Do it."}}`, High},
		{"all of runtime", "what it lacks is gone", "replace", "/spec/runtime", `{"max_turns": 5}`, "/spec/runtime", `{"max_turns": 5}`, High},
		{"all of runtime, narrowed", "the path alone is no risk", "replace", "/spec/runtime", `{"max_turns": 5, "subagents": {"allow": [], "max_depth": 1}}`, "/spec/runtime/max_turns", `5`, Low},
		{"writeback", "nobody is asked any more", "replace", "/spec/lifecycle/writeback", `"auto"`, "/spec/lifecycle/writeback", `"auto"`, High},
		{"member added", "a limit", "add", "/spec/runtime/max_tool_calls", `5`, "/spec/runtime/max_tool_calls", `5`, Low},
		{"constraint removed", "a limit goes", "remove", "/spec/role/constraints/0", ``, "/spec/role/constraints", `[]`, High},
		{"all of metadata", "what the applicator owns stays", "replace", "/metadata", `{"name": "a", "description": "another text"}`, "/metadata", `{"name": "a", "description": "another text", "revision": 7, "updated_at": "2026-01-01T00:00:00Z"}`, Medium},
		{"annotation", "its key needs escaping", "add", "/metadata/annotations/openwop.dev~1role", `"assistant"`, "/metadata/annotations", `{"x.org/a": "1", "openwop.dev/role": "assistant"}`, High},
		{"tag", "words for people", "add", "/metadata/tags/-", `"y"`, "/metadata/tags", `["x", "y"]`, Low},
	} {
		t.Run(tc.name, func(t *testing.T) {
			doc := subject(t)
			kept := canonical.Clone(doc)
			after, risk, reasons, err := RateProposal(doc, wish(t, tc.op, tc.path, tc.value))
			if err != nil {
				t.Fatal(err)
			}
			if risk != tc.risk {
				t.Errorf("%s, want %s because %s: %v", risk, tc.risk, tc.why, reasons)
			}
			p, _ := canonical.ParsePointer(tc.at)
			got, _ := canonical.Get(after, p)
			if diff := cmp.Diff(parse(t, tc.want), got); diff != "" {
				t.Errorf("%s because %s (-want +got):\n%s", tc.at, tc.why, diff)
			}
			if diff := cmp.Diff(kept, any(doc)); diff != "" {
				t.Errorf("the document that came in changed:\n%s", diff)
			}
		})
	}
}

func TestRateProposalRefuses(t *testing.T) {
	for _, tc := range []struct{ name, why, op, path, value string }{
		{"state", "sessions write it by operations", "replace", "/state/summary", `"x"`},
		{"history", "it is the applicator's", "remove", "/history", ``},
		{"root", "it is more than a contract", "replace", "", `{}`},
		{"extends", "no wish reaches it", "add", "/extends", `[]`},
		{"similar to spec", "another member", "add", "/specs", `{}`},
		{"escaped slash", "one token, another member", "replace", "/spec~1tools", `{}`},
		{"similar to tools", "no member of the format", "add", "/spec/toolsX", `{}`},
		{"below what is not there", "RFC 6902 §4.1", "add", "/spec/toolsX/allow", `[]`},
		{"below a missing section", "RFC 6902 §4.1", "add", "/spec/memory/mode", `"off"`},
		{"below a text", "nothing lies there", "add", "/metadata/name/x", `1`},
		{"replace of nothing", "RFC 6902 §4.3", "replace", "/spec/runtime/max_tool_calls", `5`},
		{"remove of nothing", "RFC 6902 §4.2", "remove", "/spec/tools/deny", ``},
		{"index past the end", "RFC 6902 §4.1", "add", "/spec/tools/allow/3", `"x"`},
		{"index with a zero in front", "RFC 6901 §4", "replace", "/spec/tools/allow/00", `"x"`},
		{"end of a list removed", "nothing stands there", "remove", "/spec/tools/allow/-", ``},
		{"unknown server", "none has the name", "remove", "/spec/tools/mcp_servers/name:two", ``},
		{"server of a name that is taken", "which one would count", "add", "/spec/tools/mcp_servers/-", `{"name": "one", "transport": "stdio", "command": "x"}`},
		{"revision", "the applicator's", "replace", "/metadata/revision", `99`},
		{"time", "the applicator's", "remove", "/metadata/updated_at", ``},
		{"trust", "the resolver's", "add", "/metadata/trust", `"managed"`},
		{"trust inside metadata", "the resolver's", "replace", "/metadata", `{"name": "a", "description": "b", "trust": "managed"}`},
		{"spec removed", "no profile is without", "remove", "/spec", ``},
		{"spec of another form", "no profile is without", "replace", "/spec", `[]`},
		{"add without a value", "there is nothing to add", "add", "/spec/tools/allow/-", ``},
		{"remove with a value", "it means something else", "remove", "/spec/tools/allow/0", `"x"`},
		{"reserved operation", "not in use", "move", "/spec/tools", `{}`},
		{"no operation", "nothing is said", "", "/spec/tools", `{}`},
		{"empty part", "some readers drop it", "replace", "/spec/", `{}`},
		{"bad escape", "RFC 6901 §3", "replace", "/spec/~2", `{}`},
		{"steps up", "no path of files", "replace", "/spec/../metadata", `{}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			after, risk, reasons, err := RateProposal(subject(t), wish(t, tc.op, tc.path, tc.value))
			var refused *ProposalError
			if !errors.As(err, &refused) || refused.Path != tc.path || refused.Reason == "" {
				t.Fatalf("%v, although %s", err, tc.why)
			}
			if after != nil || risk != High || reasons != nil {
				t.Errorf("a refusal gives %v, %s, %v", after, risk, reasons)
			}
		})
	}
	p := wish(t, "add", "/spec/runtime/max_tool_calls", `1`)
	p.Value = math.NaN()
	if _, _, _, err := RateProposal(subject(t), p); err == nil {
		t.Error("a value that no file can hold is taken")
	}
}

func TestClaimsOnlyRaise(t *testing.T) {
	for _, tc := range []struct {
		name, why, path, claim string
		want                   Risk
		reasons                int
	}{
		{"less", "computed counts", "/spec/tools/allow/-", "low", High, 1},
		{"more", "whoever asks may know better", "/metadata/tags/-", "high", High, 2},
		{"same", "nothing to add", "/spec/tools/allow/-", "high", High, 1},
		{"none", "computed counts", "/metadata/tags/-", "", Low, 1},
		{"a word of its own", "no claim", "/metadata/tags/-", "critical", Low, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := wish(t, "add", tc.path, `"new"`)
			p.Risk = tc.claim
			_, risk, reasons, err := RateProposal(subject(t), p)
			if err != nil {
				t.Fatal(err)
			}
			if risk != tc.want || len(reasons) != tc.reasons || reasons[0].Risk != risk {
				t.Errorf("%s with %v, want %s because %s", risk, reasons, tc.want, tc.why)
			}
		})
	}
}

func FuzzRateProposal(f *testing.F) {
	for _, path := range []string{"/spec", "/spec/tools/allow/-", "/metadata", "/spec/tools/mcp_servers/name:one/url", "/spec/lifecycle/writeback", "/spec/../x", "/spec/tools/allow/99999999999"} {
		for _, op := range []string{"add", "replace", "remove"} {
			f.Add(op, path, `{"a": ["b"]}`, op != "remove", "low")
		}
	}
	f.Fuzz(func(t *testing.T, op, path, value string, has bool, claim string) {
		p := delta.Proposal{Op: op, Path: path, HasValue: has, Risk: claim, Value: value}
		if value != "" && value[0] == '{' {
			p.Value = map[string]any{"role": map[string]any{}, value: []any{value}}
		}
		doc := subject(t)
		after, risk, _, err := RateProposal(doc, p)
		if err != nil {
			return
		}
		if computed, _ := Rate(doc, after); risk < computed {
			t.Errorf("rated %s, computed %s", risk, computed)
		}
		was, is := bare(doc), bare(after)
		for _, own := range []string{"metadata", "spec"} {
			delete(was, own)
			delete(is, own)
		}
		if !canonical.Equal(was, is) || !canonical.Equal(doc["state"], after["state"]) {
			t.Error("something beside the contract changed")
		}
		for _, name := range owned {
			at := canonical.Pointer{"metadata", name}
			b, bok := canonical.Get(doc, at)
			a, aok := canonical.Get(after, at)
			if bok != aok || !canonical.Equal(b, a) {
				t.Errorf("%s changed", at)
			}
		}
	})
}

// TestCorpusProposal: the published wish for a shell, which the profile's own deny list still masks.
func TestCorpusProposal(t *testing.T) {
	corpus := os.Getenv("OAP_CORPUS")
	if corpus == "" {
		t.Skip("OAP_CORPUS is not set")
	}
	read := func(name string) []byte {
		src, err := os.ReadFile(filepath.Join(corpus, "oap", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		return src
	}
	doc, err := profile.Parse("code-reviewer.agent.yaml", read("examples/code-reviewer.agent.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	wishes, err := profile.Parse("learned-conventions.delta.yaml", read("tests/deltas/learned-conventions.delta.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	d, err := delta.Decode(wishes.Value)
	if err != nil {
		t.Fatal(err)
	}
	after, risk, reasons, err := RateProposal(doc.Value, d.Proposals[0])
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Reason{{"/spec/tools/allow", High, `"shell" may be used`}}, reasons); diff != "" || risk != High {
		t.Errorf("%s (-want +got):\n%s", risk, diff)
	}
	if diff := cmp.Diff([]Change{{"/spec/tools/allow", Added, "", "shell"}}, Describe(doc.Value, after)); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}

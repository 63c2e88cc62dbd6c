package narrow

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/profile/resolve"
)

func user(t testing.TB, name, spec string) Input {
	return Input{Value: doc(t, name, spec), Trust: resolve.User}
}

// Behaviour test 12: a parent with [read], a subagent that asks for [read, edit, shell].
//
// conformance: L3-B1
func TestBehaviour12SubagentWithinItsParent(t *testing.T) {
	pol := policy(t, "tools: {allow: [\"*\"]}\npermissions: {default: allow}\nlifecycle: {writeback: auto}\n")
	parent := must(t, user(t, "lead", `
tools: {allow: [read]}
permissions: {default: allow, shell: ask, filesystem: {read_roots: [src]}}
memory: {mode: read_only, scopes: ["project:x"]}
runtime: {max_turns: 10, subagents: {allow: [scout], max_depth: 2, max_concurrent: 1}}
`), pol, Options{})
	child := must(t, user(t, "scout", `
tools: {allow: [read, edit, shell]}
permissions: {default: allow, shell: allow, filesystem: {read_roots: ["."], write_roots: ["."]}}
memory: {mode: read_write, scopes: ["project:x", "user:y"], stores: [{name: s, kind: oap-state, mode: read_write}]}
runtime: {max_turns: 50, max_cost_usd: 3, subagents: {allow: [scout, other], max_depth: 8, max_concurrent: 9}}
lifecycle: {writeback: auto}
`), pol, Options{})
	e, err := child.AsSubagentOf(parent)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ want, got string }{
		{`["read"]`, e.at("tools", "allow")},
		{`"ask"`, e.at("permissions", "shell")},
		{`["src"]`, e.at("permissions", "filesystem", "read_roots")},
		{`{"mode":"read_only","scopes":["project:x"],"stores":[{"kind":"oap-state","mode":"read_only","name":"s"}]}`, e.at("memory")},
		{`{"max_cost_usd":3,"max_turns":10,"subagents":{"allow":["scout"],"max_concurrent":1,"max_depth":1}}`, e.at("runtime")},
		{`"propose"`, e.at("lifecycle", "writeback")},
	} {
		if c.got != c.want {
			t.Errorf("got %s, want %s", c.got, c.want)
		}
	}
	if diff := cmp.Diff([]string{"/spec/tools/allow/1 by parent lead: profile lead", "/spec/tools/allow/2 by parent lead: profile lead"}, e.about("/spec/tools")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, tool := range []string{"edit", "shell"} {
		if v := e.Decide(tool, "", ""); v.Decision != Deny || v.Source != "parent lead: profile lead" {
			t.Errorf("%s: %+v", tool, v)
		}
	}
	if e.Depth != 1 || len(child.about("/spec/tools")) != 0 || child.at("tools", "allow") != `["read","edit","shell"]` {
		t.Errorf("depth %d, and the child itself: %s", e.Depth, child.at("tools", "allow"))
	}
	// The other way, through Options, gives the same.
	again := must(t, user(t, "scout", "tools: {allow: [read, edit]}\n"), pol, Options{Parent: parent})
	if again.at("tools", "allow") != `["read"]` {
		t.Error(again.at("tools", "allow"))
	}
}

// conformance: L3-B2
func TestDelegate(t *testing.T) {
	pol := policy(t, "")
	lead := must(t, user(t, "lead", "runtime: {subagents: {allow: [\"s*\"], max_depth: 2, max_concurrent: 2}}\n"), pol, Options{})
	free := must(t, user(t, "lead", "runtime: {subagents: {allow: [\"*\"]}}\n"), pol, Options{})
	none := must(t, user(t, "lead", ""), pol, Options{})
	for _, tt := range []struct {
		e       *Effective
		name    string
		running int
		ok      bool
	}{
		{lead, "scout", 0, true}, {lead, "scout", 1, true}, {lead, "scout", 2, false}, {lead, "other", 0, false}, {lead, "scout", -1, false},
		{none, "scout", 0, false}, {free, "any", 63, true}, {free, "any", 64, false},
	} {
		err := tt.e.Delegate(tt.name, tt.running)
		var refused *RefusedError
		if (err == nil) != tt.ok || err != nil && !errors.As(err, &refused) {
			t.Errorf("%s with %d running: %v", tt.name, tt.running, err)
		}
	}
	spec := "runtime: {subagents: {allow: [\"*\"]}}\n"
	chain := func(e *Effective) (n int) {
		for ; n < 20; n++ {
			next, err := Narrow(user(t, "scout", spec), pol, Options{Parent: e})
			if err != nil {
				return n
			}
			e = next
		}
		return n
	}
	if n := chain(lead); n != 2 {
		t.Errorf("max_depth 2 allows a chain of %d", n)
	}
	if n := chain(free); n != maxDepth {
		t.Errorf("without max_depth a chain is %d long", n)
	}
	last := must(t, user(t, "scout", spec), pol, Options{Parent: must(t, user(t, "scout", spec), pol, Options{Parent: lead})})
	if got := last.at("runtime", "subagents"); got != `{"allow":[],"max_concurrent":2}` {
		t.Errorf("at the end of the chain: %s", got)
	}
	_, err := Narrow(user(t, "scout", "runtime: {mode: primary}\n"), pol, Options{Parent: lead})
	if err == nil {
		t.Error("a primary agent was called by another")
	}
}

// A session's record is read again to judge calls and subagents by it. It names the profile, its revision
// and its digests, and what changes in files afterwards does not reach it.
//
// conformance: L1-I8, L1-I10
func TestRecordDecidesTheSame(t *testing.T) {
	pol := policy(t, string(StarterPolicy()[bytes.Index(StarterPolicy(), []byte("\ntools:")):]))
	lead := must(t, user(t, "lead", "tools: {allow: [read, edit, shell]}\npermissions: {default: allow}\nruntime: {subagents: {allow: [scout]}}\n"), policy(t, ""), Options{Workspace: "/w"})
	in := user(t, "scout", "tools: {allow: [read, edit, git/diff]}\nruntime: {max_turns: 3}\n")
	sum, err := profile.SpecDigest(in.Value)
	if err != nil {
		t.Fatal(err)
	}
	in.SpecDigest, in.ResolvedDigest = sum, sum
	scout := must(t, in, pol, Options{Workspace: "/w"})
	in.Value["spec"].(map[string]any)["tools"].(map[string]any)["allow"].([]any)[2] = "shell"
	if v := scout.Decide("git/diff", "", ""); v.Decision != Ask {
		t.Errorf("a later change of the document reaches the session: %+v", v)
	}
	text, err := json.Marshal(scout)
	if err != nil {
		t.Fatal(err)
	}
	var back Effective
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	for _, tool := range universe {
		for _, action := range actions {
			for _, target := range targets {
				if diff := cmp.Diff(scout.Decide(tool, action, target), back.Decide(tool, action, target)); diff != "" {
					t.Fatalf("%s %s %s (-want +got):\n%s", tool, action, target, diff)
				}
			}
		}
	}
	if back.Profile != "scout" || back.Revision != 1 || back.SpecDigest != sum || back.ResolvedDigest != sum || back.Trust != resolve.User {
		t.Errorf("the record says %+v", back)
	}
	a, errA := scout.AsSubagentOf(lead)
	b, errB := back.AsSubagentOf(lead)
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	if diff := cmp.Diff(a.Spec["tools"], b.Spec["tools"]); diff != "" || b.Depth != 1 || b.Profile != "scout" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

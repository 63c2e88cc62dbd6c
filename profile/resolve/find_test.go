package resolve

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// conformance: L1-D1, L3-G3
func TestStandardRoots(t *testing.T) {
	got := StandardRoots(Places{Harness: "h", System: "/etc", Home: "/home/u", Config: "/home/u/.config", Workspace: "/w",
		Native: []string{".claude/agents"}, Plugins: []string{"/opt/p"}})
	want := []Root{
		{"managed", "/etc/h/agents", Managed}, {"universal user", "/home/u/.agentprofiles", User}, {"native user", "/home/u/.config/h/agents", User},
		{"project", "/w/.agents", Project}, {"native project", "/w/.claude/agents", Project}, {"plugin", "/opt/p", Project},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := StandardRoots(Places{Workspace: "/w", Roots: []string{"a", "b"}}); len(got) != 2 || got[1].Path != "/w/b" {
		t.Errorf("a workspace alone: %v", got)
	}
}

// conformance: L1-D2, L1-D3, L1-D4, L1-I4
func TestFind(t *testing.T) {
	f := files{
		"/etc/h/agents/guard.agent.yaml":             short("guard", ""),
		"ws/.agents/guard.agent.yaml":                short("guard", ""),
		"/home/.agentprofiles/scout.agent.yaml":      short("scout", ""),
		"/home/.config/h/agents/x.agent.yaml":        short("scout", ""),
		"ws/.agents/deep/er/other-file.agent.yaml":   short("deep", "metadata: {name: deep, description: An agent of a test., trust: managed}\n"),
		"ws/.agents/named.agent.yaml":                short("twice", ""),
		"ws/.agents/a/twice.agent.yaml":              short("twice", ""),
		"ws/.agents/broken.agent.yaml":               "a: [",
		"plug/spelt.agent.json":                      `{"oap":"1.0","kind":"AgentProfile","metadata":{"name":"\u0073polt","description":"x"},"spec":{"role":{"instructions":"x"}}}`,
		"plug/solo.agent.yaml":                       short("solo", ""),
		"/home/.agentprofiles/notes.yaml":            "not: a profile",
		"/home/.agentprofiles/elsewhere.agent.yaml":  short("somebody-else", ""),
		"/home/.config/h/agents/elsewhere.agent.yml": short("elsewhere", ""),
	}
	tests := []struct {
		name, why string
		want      string // path
		trust     Trust
		shadowed  []string
	}{
		{"guard", "a managed profile is never shadowed", "/etc/h/agents/guard.agent.yaml", Managed, []string{"ws/.agents/guard.agent.yaml"}},
		{"scout", "a later root wins", "/home/.config/h/agents/x.agent.yaml", User, []string{"/home/.agentprofiles/scout.agent.yaml"}},
		{"deep", "the name in the document counts, and trust is the root's", "ws/.agents/deep/er/other-file.agent.yaml", Project, nil},
		{"solo", "plugins are as trusted as projects", "plug/solo.agent.yaml", Project, nil},
		{"spolt", "the name is spelt with an escape", "plug/spelt.agent.json", Project, nil},
		{"elsewhere", "a file of the name with another name in it is passed over", "/home/.config/h/agents/elsewhere.agent.yml", User, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			src, collisions, err := Find(context.Background(), f.loader(), testRoots, tt.name)
			if err != nil {
				t.Fatal(err)
			}
			if src.Path != tt.want || src.Root.Trust != tt.trust {
				t.Errorf("%s: %s of %s", tt.why, src.Path, src.Root.Trust)
			}
			var shadowed []string
			for _, c := range collisions {
				shadowed = append(shadowed, c.Shadowed)
				if c.Used != tt.want || c.Reason == "" {
					t.Errorf("collision %+v", c)
				}
			}
			if diff := cmp.Diff(tt.shadowed, shadowed); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			r := f.mustResolve(t, src.Path, Options{})
			if r.Trust != tt.trust || at(r.Value, "/metadata/trust") != `"`+string(tt.trust)+`"` {
				t.Errorf("trust %s, in the value %s", r.Trust, at(r.Value, "/metadata/trust"))
			}
		})
	}
	var duplicate *DuplicateError
	if _, _, err := Find(context.Background(), f.loader(), testRoots, "twice"); !errors.As(err, &duplicate) || len(duplicate.Paths) != 2 {
		t.Errorf("twice in one root: %v", err)
	}
	var missing *NotFoundError
	if _, _, err := Find(context.Background(), f.loader(), testRoots, "nobody"); !errors.As(err, &missing) {
		t.Errorf("nowhere: %v", err)
	}
	if _, _, err := Find(context.Background(), f.loader(), testRoots, "broken"); err == nil || errors.As(err, &missing) {
		t.Errorf("a file of the name that cannot be read: %v", err)
	}
}

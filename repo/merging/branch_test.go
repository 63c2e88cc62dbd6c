package merging_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/open-agent-profile/oap/internal/oaptest"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/merging"
)

const scout = ".agents/scout.agent.yaml"

var noon = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

func open(t testing.TB, g *oaptest.Repo) *repo.Repo {
	t.Helper()
	r, err := repo.Open(t.Context(), repo.Options{Dir: g.Dir, Env: g.Env})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

// merge merges a branch into main, which is checked out, as oap merge does.
func merge(t testing.TB, g *oaptest.Repo, name string) (*merging.Branch, error) {
	t.Helper()
	r := open(t, g)
	theirs, err := r.Resolve(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	var b *merging.Branch
	_, err = r.Update(t.Context(), repo.UpdateRequest{Ref: "refs/heads/main", Now: noon}, func(ctx context.Context, ours *repo.Snapshot) (*repo.Plan, error) {
		var err error
		if b, err = merging.Branches(ctx, r, ours, theirs, merging.Options{Now: noon, By: "Ada"}); err != nil {
			return nil, err
		}
		return b.Plan(b.Message(name)), nil
	})
	return b, err
}

// sides makes a repository with a base on main and a branch side; each side commits files, "" removes one.
func sides(t testing.TB, ours, theirs map[string]string, more ...string) *oaptest.Repo {
	t.Helper()
	g := oaptest.New(t)
	g.Commit("base", append([]string{scout, base, "README.md", "one\n", "notes.txt", "a\n"}, more...)...)
	g.Git("branch", "side")
	commit := func(files map[string]string) {
		for name, text := range files {
			if text == "" {
				g.Git("rm", "-q", name)
			} else {
				g.Write(name, text)
				g.Git("add", name)
			}
		}
		g.Git("commit", "-q", "--allow-empty", "-m", "side")
	}
	if theirs != nil {
		g.Git("checkout", "-q", "side")
		commit(theirs)
		g.Git("checkout", "-q", "main")
	}
	if ours != nil {
		commit(ours)
	}
	return g
}

func TestBranches(t *testing.T) {
	a := learned(t, base, "8", "2026-05-02T10:00:00Z", "fact-a")
	b := learned(t, base, "8", "2026-05-03T10:00:00Z", "fact-b")
	moved := ".agents/team/scout.agent.yaml"
	tests := []struct {
		name, why    string
		ours, theirs map[string]string
		kind         merging.Kind
		path         string
		has          []string
		gone         string
	}{
		{name: "both learned", why: "profiles merge by meaning", ours: map[string]string{scout: a}, theirs: map[string]string{scout: b},
			kind: merging.Merged, path: scout, has: []string{"fact-a", "fact-b", "  revision: 9\n", "by: Ada", "updated_at: 2026-06-01T12:00:00Z   # by oap"}},
		{name: "other files", why: "a file that only the branch changed is taken", ours: map[string]string{scout: a}, theirs: map[string]string{"README.md": "two\n", "new/x": "x\n"},
			kind: merging.Merged, path: "new/x", has: []string{"x\n"}},
		{name: "other file removed", why: "so is a removal", ours: map[string]string{scout: a}, theirs: map[string]string{"notes.txt": ""},
			kind: merging.Merged, path: scout, has: []string{"fact-a"}, gone: "notes.txt"},
		{name: "fast forward", why: "nothing to merge", theirs: map[string]string{scout: b}, kind: merging.FastForward, path: scout, has: []string{b}},
		{name: "up to date", why: "nothing to do", ours: map[string]string{scout: a}, kind: merging.UpToDate, path: scout, has: []string{a}},
		{name: "we moved the file", why: "a profile is found again under another path", ours: map[string]string{moved: a, scout: ""}, theirs: map[string]string{scout: b},
			kind: merging.Merged, path: moved, has: []string{"fact-a", "fact-b"}, gone: scout},
		{name: "they moved the file", why: "the other way round", ours: map[string]string{scout: a}, theirs: map[string]string{moved: b, scout: ""},
			kind: merging.Merged, path: moved, has: []string{"fact-a", "fact-b", "  revision: 9\n"}, gone: scout},
		{name: "both moved the file alike", why: "the common ancestor stands at the old path", ours: map[string]string{moved: a, scout: ""}, theirs: map[string]string{moved: b, scout: ""},
			kind: merging.Merged, path: moved, has: []string{"fact-a", "fact-b", "fact-ci"}, gone: scout},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := sides(t, tt.ours, tt.theirs)
			tip := g.Git("rev-parse", "main")
			got, err := merge(t, g, "side")
			if err != nil {
				t.Fatalf("%s: %v", tt.why, err)
			}
			if got.Kind != tt.kind {
				t.Errorf("kind %d, want %d: %s", got.Kind, tt.kind, tt.why)
			}
			text := g.Read(tt.path)
			for _, s := range tt.has {
				if !strings.Contains(text, s) {
					t.Errorf("%s: no %q in\n%s", tt.why, s, text)
				}
			}
			if tt.gone != "" && g.Git("ls-files", tt.gone) != "" {
				t.Errorf("%s is still there", tt.gone)
			}
			if tt.kind == merging.Merged {
				if want := tip + " " + g.Git("rev-parse", "side"); g.Git("log", "-1", "--format=%P") != want {
					t.Errorf("parents %s, want %s", g.Git("log", "-1", "--format=%P"), want)
				}
			}
			g.Git("merge-base", "--is-ancestor", "side", "main")
			g.Sound()
		})
	}
}

func TestBranchesMessage(t *testing.T) {
	g := sides(t, map[string]string{scout: learned(t, base, "8", "2026-05-02T10:00:00Z", "fact-a")}, map[string]string{scout: learned(t, base, "8", "2026-05-03T10:00:00Z", "fact-b")})
	if _, err := merge(t, g, "side"); err != nil {
		t.Fatal(err)
	}
	if got := g.Git("log", "-1", "--format=%s"); got != "scout: r9 merge side" {
		t.Errorf("subject %q", got)
	}
	doc, err := profile.Parse(scout, []byte(g.Read(scout)))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := doc.Digest()
	if err != nil {
		t.Fatal(err)
	}
	got := g.Git("log", "-1", "--format=%(trailers:key=OAP-Profile)%(trailers:key=OAP-Revision)%(trailers:key=OAP-Sections)%(trailers:key=OAP-Profile-Digest)%(trailers:key=OAP-Merged)")
	want := "OAP-Profile: scout\nOAP-Revision: 9\nOAP-Sections: state\nOAP-Profile-Digest: " + sum.String() + "\nOAP-Merged: " + g.Git("rev-parse", "side") + "\n"
	if diff := cmp.Diff(want, got+"\n"); diff != "" && cmp.Diff(want, got) != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestBranchesRefused(t *testing.T) {
	a := learned(t, base, "8", "2026-05-02T10:00:00Z", "fact-a")
	b := learned(t, base, "8", "2026-05-03T10:00:00Z", "fact-b")
	tests := []struct {
		name, why    string
		ours, theirs map[string]string
		reason       string // of a refusal; "" is a conflict
		at           string
	}{
		{name: "other words", why: "a person has to choose", at: "/state/facts/id:fact-ci/text",
			ours: map[string]string{scout: edit(t, a, "every push", "every night")}, theirs: map[string]string{scout: edit(t, b, "every push", "Mondays")}},
		{name: "removed and changed", why: "as in an entry, so in a file", at: "", ours: map[string]string{scout: ""}, theirs: map[string]string{scout: b}},
		{name: "changed and removed", why: "the other way round", at: "", ours: map[string]string{scout: a}, theirs: map[string]string{scout: ""}},
		{name: "other file", why: "that is git's business", reason: "other-files", ours: map[string]string{"README.md": "two\n"}, theirs: map[string]string{"README.md": "three\n"}},
		{name: "no profile", why: "what cannot be read cannot be merged by meaning", reason: "other-files", ours: map[string]string{scout: a}, theirs: map[string]string{scout: "a: [\n"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := sides(t, tt.ours, tt.theirs)
			tip := g.Git("rev-parse", "main")
			_, err := merge(t, g, "side")
			if c, ok := errors.AsType[*merging.ConflictError](err); tt.reason == "" && (!ok || c.Conflicts[0].Pointer != tt.at) {
				t.Errorf("%s: got %v, want a conflict at %q", tt.why, err, tt.at)
			}
			if tt.reason != "" && (repo.KindOf(err) != repo.Refused || repo.ReasonOf(err) != tt.reason) {
				t.Errorf("%s: got %v, want %s", tt.why, err, tt.reason)
			}
			if g.Git("rev-parse", "main") != tip {
				t.Error("main moved")
			}
			g.Sound()
		})
	}
}

// TestBranchesCrossed merges two branches that had been merged into each other: counters must not be added twice.
func TestBranchesCrossed(t *testing.T) {
	counted := edit(t, base, "  revision: 12\n", "  revision: 12\n  metrics:\n    sessions: 10\n")
	g := oaptest.New(t)
	g.Commit("base", scout, counted)
	g.Git("branch", "side")
	g.Commit("a", scout, edit(t, learned(t, counted, "8", "2026-05-02T10:00:00Z", "fact-a"), "sessions: 10", "sessions: 11"))
	g.Git("checkout", "-q", "side")
	g.Commit("b", scout, edit(t, learned(t, counted, "8", "2026-05-03T10:00:00Z", "fact-b"), "sessions: 10", "sessions: 12"))
	g.Git("branch", "old-side")
	g.Git("checkout", "-q", "main")
	g.Git("branch", "old-main")
	if _, err := merge(t, g, "old-side"); err != nil {
		t.Fatal(err)
	}
	// The other side merged as well, and learned one thing more.
	both := g.Read(scout)
	g.Git("checkout", "-q", "side")
	g.Git("merge", "-q", "-s", "ours", "--no-commit", "old-main")
	g.Commit("merge", scout, both)
	g.Commit("c", scout, edit(t, both, "sessions: 13", "sessions: 14", "  revision: 9\n", "  revision: 10\n"))
	g.Git("checkout", "-q", "main")
	b, err := merge(t, g, "side")
	if err != nil {
		t.Fatal(err)
	}
	if len(b.Bases) != 2 {
		t.Fatalf("%d common ancestors: the test shows nothing", len(b.Bases))
	}
	if text := g.Read(scout); !strings.Contains(text, "sessions: 14\n") {
		t.Errorf("10 and 1 and 2 and 1 are 14:\n%s", text)
	}
	g.Sound()
}

package remote_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/open-agent-profile/oap/internal/oaptest"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/apply"
	"github.com/open-agent-profile/oap/repo/remote"
)

const (
	scout = ".agents/scout.agent.yaml"
	main_ = "refs/heads/main"
	text  = `oap: "1.0"
kind: AgentProfile
metadata:
  name: scout
  description: Finds where a feature lives in this repository.
  revision: 1
spec:
  role:
    instructions: Look things up. # and no more
  lifecycle:
    writeback: auto
`
)

var noon = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

// clones makes a bare repository with the profile in it, and clones of it.
func clones(t *testing.T, n int) (bare *oaptest.Repo, all []*oaptest.Repo) {
	t.Helper()
	seed := oaptest.New(t)
	seed.Commit("The profile", scout, text, "README.md", "one\n")
	bare = seed.At(seed.Beside("bare"))
	seed.Git("clone", "-q", "--bare", "--template=", seed.Dir, bare.Dir)
	bare.Git("config", "gc.auto", "0")
	for i := range n {
		c := seed.At(seed.Beside(fmt.Sprintf("clone%d", i)))
		seed.Git("clone", "-q", "--template=", bare.Dir, c.Dir)
		c.Git("config", "gc.auto", "0")
		all = append(all, c)
	}
	return bare, all
}

func open(t testing.TB, g *oaptest.Repo) *repo.Repo {
	t.Helper()
	r, err := repo.Open(t.Context(), repo.Options{Dir: g.Dir, Env: g.Env})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

// learn applies a delta that adds a fact, as a session on this clone would.
func learn(t testing.TB, g *oaptest.Repo, revision int, id, words string) {
	t.Helper()
	src := fmt.Sprintf("oap: \"1.0\"\nkind: AgentStateDelta\ntarget: {name: scout, revision: %d}\nsession: {id: sess_%s}\nsummary: Learned %s.\noperations:\n  - {op: add, path: /state/facts/-, value: {id: %s, text: %q}}\n", revision, id, id, id, words)
	doc, err := profile.Parse("x.delta.yaml", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	req, _, err := apply.NewRequest("x.delta.yaml", doc)
	if err != nil {
		t.Fatal(err)
	}
	o := apply.Options{Branch: main_, Roots: []string{".agents"}, Now: noon, CommitTime: noon}
	err = apply.Run(t.Context(), open(t, g), o, []*apply.Request{req}, func(r apply.Result) error { return r.Err })
	if err != nil {
		t.Fatal(err)
	}
}

func request(g *oaptest.Repo) remote.Request {
	return remote.Request{Branch: main_, Now: noon, CommitTime: noon, By: "Ada", Env: g.Env, Timeout: 20 * time.Second, Retries: 4}
}

func push(t testing.TB, g *oaptest.Repo) *remote.Result {
	t.Helper()
	got, err := remote.Push(t.Context(), open(t, g), request(g))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func sync(t testing.TB, g *oaptest.Repo) *remote.Result {
	t.Helper()
	got, err := remote.Sync(t.Context(), open(t, g), request(g))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// hook writes a hook into a bare repository.
func hook(t testing.TB, bare *oaptest.Repo, name, script string) {
	t.Helper()
	dir := filepath.Join(bare.Dir, "hooks")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
}

func TestPush(t *testing.T) {
	t.Parallel()
	bare, c := clones(t, 2)
	learn(t, c[0], 1, "fact-a", "A")
	got := push(t, c[0])
	if got.Tries != 1 || got.Pushed != 1 || string(got.RemoteAfter) != bare.Git("rev-parse", "main") || c[0].Git("rev-parse", "main", "origin/main") != bare.Git("rev-parse", "main")+"\n"+bare.Git("rev-parse", "main") {
		t.Errorf("got %+v", got)
	}
	if got := push(t, c[0]); got.Pushed != 0 || got.Before != got.After {
		t.Errorf("pushing again: %+v", got)
	}
	// The other clone knows nothing of it: its two commits are rebuilt.
	learn(t, c[1], 1, "fact-b", "B")
	learn(t, c[1], 2, "fact-c", "C")
	old := repo.ID(c[1].Git("rev-parse", "main"))
	got = push(t, c[1])
	p := got.Placed[old]
	if got.Tries != 2 || len(got.Placed) != 2 || p.Revision != 4 || p.Was != 3 || string(p.Commit) != bare.Git("rev-parse", "main") || got.Merge != "" {
		t.Errorf("got %+v", got)
	}
	if s := bare.Git("log", "--format=%s %an"); !strings.HasPrefix(s, "scout: r4 Learned fact-c. Ada Author\nscout: r3 Learned fact-b. Ada Author\nscout: r2 Learned fact-a. Ada Author\n") {
		t.Errorf("log of the remote:\n%s", s)
	}
	have := c[1].Read(scout)
	for _, s := range []string{"fact-a", "fact-b", "fact-c", "  revision: 4\n", "# and no more"} {
		if !strings.Contains(have, s) {
			t.Errorf("no %q in\n%s", s, have)
		}
	}
	c[1].Sound()
	bare.Fsck()
	// The first one catches up.
	if got := sync(t, c[0]); got.Fetched != 2 || got.Pushed != 0 || c[0].Read(scout) != have {
		t.Errorf("got %+v", got)
	}
	c[0].Sound()
}

// TestPushSame wants a delta that two clones applied to be in the remote once.
func TestPushSame(t *testing.T) {
	t.Parallel()
	bare, c := clones(t, 2)
	for _, g := range c {
		learn(t, g, 1, "fact-a", "A")
	}
	c[1].Git("commit", "-q", "--amend", "--no-edit", "--date=2026-06-02T00:00:00Z", "--reset-author")
	push(t, c[0])
	got := push(t, c[1])
	if len(got.Placed) != 1 || bare.Git("rev-list", "--count", "main") != "2" || c[1].Git("rev-parse", "main") != bare.Git("rev-parse", "main") {
		t.Errorf("got %+v\n%s", got, bare.Git("log", "--oneline", "main"))
	}
	for _, p := range got.Placed {
		if !p.Dropped {
			t.Errorf("got %+v", p)
		}
	}
	c[1].Sound()
}

// TestSyncMerges wants what is no state commit merged, the remote's tip first, and nothing lost.
func TestSyncMerges(t *testing.T) {
	t.Parallel()
	bare, c := clones(t, 2)
	learn(t, c[0], 1, "fact-a", "A")
	push(t, c[0])
	learn(t, c[1], 1, "fact-b", "B")
	c[1].Commit("By hand", scout, strings.Replace(c[1].Read(scout), "Look things up.", "Look it up.", 1), "NEWS", "x\n")
	tip := bare.Git("rev-parse", "main")
	_, err := remote.Sync(t.Context(), open(t, c[1]), request(c[1]))
	if repo.KindOf(err) != repo.Refused || repo.ReasonOf(err) != "foreign-commits" || !strings.Contains(err.Error(), "By hand") {
		t.Fatalf("got %v, want a refusal that names the commit", err)
	}
	if bare.Git("rev-parse", "main") != tip {
		t.Fatal("the remote moved")
	}
	q := request(c[1])
	q.PushAll = true
	got, err := remote.Sync(t.Context(), open(t, c[1]), q)
	if err != nil {
		t.Fatal(err)
	}
	if got.Merge == "" || c[1].Git("rev-parse", "main^1") != tip {
		t.Errorf("got %+v; first parent %s, want %s", got, c[1].Git("rev-parse", "main^1"), tip)
	}
	have := bare.Git("show", "main:"+scout)
	for _, s := range []string{"fact-a", "fact-b", "Look it up.", "  revision: 3\n"} {
		if !strings.Contains(have, s) {
			t.Errorf("no %q in\n%s", s, have)
		}
	}
	c[1].Sound()
	bare.Fsck()
}

// TestMoving pushes to a remote that moves behind our back each time.
func TestMoving(t *testing.T) {
	t.Parallel()
	bare, c := clones(t, 2)
	// Before it takes a push, the remote lets somebody else go first, some times.
	other := c[1]
	hook(t, bare, "pre-receive", fmt.Sprintf(`
n=$(cat %[1]s/left 2>/dev/null || echo 0)
[ "$n" -gt 0 ] || exit 0
echo $((n-1)) > %[1]s/left
unset GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES
git update-ref refs/heads/main $(git commit-tree -p main -m other main^{tree})
`, bare.Dir))
	left := func(n string) {
		if err := os.WriteFile(filepath.Join(bare.Dir, "left"), []byte(n), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	learn(t, c[0], 1, "fact-a", "A")
	left("3")
	got := push(t, c[0])
	if got.Tries != 4 || bare.Git("rev-parse", "main") != c[0].Git("rev-parse", "main") {
		t.Errorf("got %+v", got)
	}
	learn(t, c[0], 2, "fact-b", "B")
	left("100")
	_, err := remote.Push(t.Context(), open(t, c[0]), request(c[0]))
	if repo.KindOf(err) != repo.Remote || repo.ReasonOf(err) != "moved" {
		t.Fatalf("got %v, want a clean failure", err)
	}
	if !strings.Contains(c[0].Read(scout), "fact-b") {
		t.Error("the local commit is gone")
	}
	c[0].Sound()
	left("0")
	push(t, c[0])
	other.Git("pull", "-q")
	if n := other.Git("log", "--format=%(trailers:key=OAP-Delta,valueonly)"); strings.Count(n, "sha256:") != 2 {
		t.Errorf("the remote has these deltas: %s", n)
	}
	bare.Fsck()
}

func TestFailing(t *testing.T) {
	tests := []struct {
		name, why string
		set       func(t *testing.T, bare, c *oaptest.Repo)
		kind      repo.Kind
		reason    string
		says      string
	}{
		{name: "no remote", why: "one sentence", kind: repo.Remote, reason: "no-remote", says: "no remote is set up",
			set: func(_ *testing.T, _, c *oaptest.Repo) { c.Git("remote", "remove", "origin") }},
		{name: "unreachable", why: "git's cause, not its advice", kind: repo.Remote, reason: "unreachable", says: "nowhere",
			set: func(_ *testing.T, _, c *oaptest.Repo) { c.Git("remote", "set-url", "origin", c.Beside("nowhere")) }},
		{name: "hook", why: "the words of the hook", kind: repo.Remote, reason: "rejected", says: "only by pull request (pre-receive hook declined)",
			set: func(t *testing.T, bare, _ *oaptest.Repo) {
				hook(t, bare, "pre-receive", "echo only by pull request >&2; exit 1\n")
			}},
		{name: "killed", why: "a remote that dies in the middle says nothing; it is asked again, and then that is all", kind: repo.Remote, reason: "unreachable", says: "without an answer",
			set: func(t *testing.T, bare, _ *oaptest.Repo) { hook(t, bare, "pre-receive", "kill -9 $PPID\n") }},
		{name: "silent", why: "a time limit", kind: repo.Remote, reason: "timeout", says: "did not answer within 500ms",
			set: func(t *testing.T, bare, _ *oaptest.Repo) {
				hook(t, bare, "pre-receive", "exec sleep 30 >/dev/null 2>&1\n")
			}},
		{name: "rewritten", why: "the two commits are named, and theirs is not undone", kind: repo.Refused, reason: "rewritten", says: "no longer contains",
			set: func(_ *testing.T, bare, c *oaptest.Repo) {
				c.Git("push", "-q", "origin", "main")
				bare.Git("update-ref", "refs/heads/main", bare.Git("commit-tree", "-p", "main~1", "-m", "rewritten", "main^{tree}"))
			}},
		{name: "another history", why: "nothing in common", kind: repo.Refused, reason: "rewritten", says: "no common history",
			set: func(_ *testing.T, bare, c *oaptest.Repo) {
				bare.Git("update-ref", "refs/heads/main", bare.Git("commit-tree", "-m", "new", "main^{tree}"))
				c.Git("update-ref", "-d", "refs/remotes/origin/main")
			}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			bare, c := clones(t, 1)
			learn(t, c[0], 1, "fact-a", "A")
			tt.set(t, bare, c[0])
			tip := c[0].Git("rev-parse", "main")
			q := request(c[0])
			if tt.reason == "timeout" {
				q.Timeout = 500 * time.Millisecond
			}
			for range 2 { // also the second time: nothing is remembered wrongly
				_, err := remote.Push(t.Context(), open(t, c[0]), q)
				if repo.KindOf(err) != tt.kind || repo.ReasonOf(err) != tt.reason || !strings.Contains(err.Error(), tt.says) {
					t.Errorf("%s: got %v", tt.why, err)
				}
			}
			if c[0].Git("rev-parse", "main") != tip {
				t.Error("the local branch moved")
			}
			c[0].Sound()
			bare.Fsck()
		})
	}
}

// TestKilledAfter has a remote that takes the push and dies before it says so: asking again shows that it is there.
func TestKilledAfter(t *testing.T) {
	t.Parallel()
	bare, c := clones(t, 1)
	learn(t, c[0], 1, "fact-a", "A")
	hook(t, bare, "post-update", "kill -9 $PPID\n")
	push(t, c[0])
	if bare.Git("rev-parse", "main") != c[0].Git("rev-parse", "main") {
		t.Error("the remote has it not")
	}
}

func TestPushTo(t *testing.T) {
	t.Parallel()
	bare, c := clones(t, 1)
	tip := bare.Git("rev-parse", "main")
	learn(t, c[0], 1, "fact-a", "A")
	q := request(c[0])
	q.To = "agents/state"
	for i := range 2 {
		if _, err := remote.Push(t.Context(), open(t, c[0]), q); err != nil {
			t.Fatal(i, err)
		}
		if bare.Git("rev-parse", "main") != tip || bare.Git("rev-parse", "agents/state") != c[0].Git("rev-parse", "main") {
			t.Errorf("main at %s, agents/state at %s", bare.Git("rev-parse", "main"), bare.Git("rev-parse", "agents/state"))
		}
		learn(t, c[0], 2+i, "fact-b"+fmt.Sprint(i), "B")
	}
}

// TestTravel has proposals and decisions go to the remote and to another clone.
func TestTravel(t *testing.T) {
	t.Parallel()
	bare, c := clones(t, 2)
	const ref = "refs/heads/oap/proposals/scout/0123456789ab"
	propose := func(g *oaptest.Repo, words string) string {
		commit := g.GitIn("scout: propose\n\n"+words+"\n\nOAP-Profile: scout\nOAP-Path: "+scout+"\nOAP-Proposal: 0123456789ab\n", "commit-tree", "-p", "main", "main^{tree}")
		g.Git("update-ref", ref, commit)
		return commit
	}
	commit := propose(c[0], "one")
	sync(t, c[0])
	sync(t, c[1])
	if got := c[1].Git("rev-parse", ref); got != commit {
		t.Fatalf("the other clone has %s, want %s", got, commit)
	}
	// Decided there: the branch goes, its commits stay.
	decided := c[1].GitIn("scout: reject\n\nOAP-Profile: scout\nOAP-Decision: rejected\n", "commit-tree", "-p", ref, "main^{tree}")
	c[1].Git("update-ref", "refs/oap/decided/0123456789ab", decided)
	c[1].Git("update-ref", "-d", ref)
	sync(t, c[1])
	sync(t, c[0])
	for _, g := range []*oaptest.Repo{bare, c[0], c[1]} {
		if out := g.Git("for-each-ref", "--format=%(refname) %(objectname)", "refs/heads/oap", "refs/oap/decided"); out != "refs/oap/decided/0123456789ab "+decided {
			t.Errorf("%s: %s", g.Dir, out)
		}
	}
	// The same wish opened on two machines: one branch with both.
	a, b := propose(c[0], "again"), propose(c[1], "again, elsewhere")
	sync(t, c[0])
	sync(t, c[1])
	sync(t, c[0])
	for _, id := range []string{a, b} {
		bare.Git("merge-base", "--is-ancestor", id, ref)
		c[0].Git("merge-base", "--is-ancestor", id, ref)
	}
	// Opened on both once more, and sent along with state.
	a, b = propose(c[0], "third"), propose(c[1], "third, elsewhere")
	for i, g := range c {
		learn(t, g, 1, fmt.Sprintf("fact-%d", i), "A")
		q := request(g)
		q.With = []string{ref}
		if _, err := remote.Push(t.Context(), open(t, g), q); err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range []string{a, b} {
		bare.Git("merge-base", "--is-ancestor", id, ref)
	}
	if n := bare.Git("rev-list", "--count", "main"); n != "3" {
		t.Errorf("main has %s commits, want the profile and two deltas", n)
	}
	bare.Fsck()
	c[0].Sound()
	c[1].Sound()
}
